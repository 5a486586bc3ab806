"""Tables of ranked items, with a row per item, and of scores of systems, with a row per system: CSV, TSV, JSONL or
Parquet, with columns by name.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath

import numpy as np

from rankscope.data.metric_scores import MetricScores
from rankscope.data.rankings import Labels, Rankings
from rankscope.data.rows import first_duplicate
from rankscope.data.tables import Column, Schema, Table, find_column, list_columns
from rankscope.data.text import join_names, pluralise
from rankscope.errors import InputError, UnknownName
from rankscope.io.tables import name_codes, read_table
from rankscope.io.translation.names import build_rankings, normalise_pair
from rankscope.typing import Floats, Ints, PathLike

__all__ = [
    "EXPECTED_ITEMS",
    "GOLD_COLUMNS",
    "ITEMS",
    "UNNAMED_METRICS",
    "rankings_from_table",
    "read_ranking_table",
    "read_system_table",
    "systems_from_table",
]


EXPECTED_ITEMS = "a header line (segment,system,gold,predicted) and one line per item"
#: The columns that say what a row judges; which of them a table has says what it holds.
ITEMS = Schema(
    columns=(
        Column(
            name="segment",
            aliases=(
                "segment_id",
                "seg",
                "segid",
                "sid",
                "item",
                "item_id",
                "prompt",
                "query_id",
                "prompt_id",
                "question_id",
            ),
        ),
        Column(name="system", aliases=("system_id", "candidate", "model", "doc_id")),
        Column(name="pair", aliases=("lp", "langpair", "lang-pair", "language_pair")),
        Column(name="judge", aliases=("judge_id", "rater", "annotator", "user")),
        Column(name="judgment", aliases=("judgement", "ranking_id", "judgment_id")),
    ),
    expected=EXPECTED_ITEMS,
    nan_is_missing=True,
    index_beside="segment",
)
#: The default names of the column of human judgments.
GOLD_COLUMNS = ("rank", "gold", "human")
#: Fields that may be empty.
OPTIONAL = ("pair", "judge", "judgment")


def read_ranking_table(
    path: PathLike,
    columns: Sequence[str] | None = None,
    *,
    scores: Iterable[str] = (),
    gold: str | None = None,
    needed: Iterable[str] = (),
    names: Mapping[str, str] | None = None,
) -> Rankings:
    r"""Read judgments from a table with the columns segment and system, and one or more columns of numbers.

    Parameters
    ----------
    path
        Parquet, JSON lines, tabs or commas, plain or compressed, detected from the content; "-" is standard input.
        There may be columns pair, judge and judgment.
    columns
        Columns of numbers to read. Default: all that hold mostly numbers; a note names the others.
    scores
        Which of them are scores, of which higher is better; of the others lower is better, as of ranks.
    gold
        Column of human ranks or scores. Default: the first of rank, gold and human.
    needed
        Further columns that must hold numbers if they exist, as the human column and scores must.
    names
        What the columns segment, system, pair, judge and judgment are called, as {"segment": "prompt_id"}. Default:
        found by their usual names.

    Returns
    -------
    Rankings
        The rows of one (pair, segment, judge, judgment) are one judgment, wherever they are. An empty cell, nan, None
        and NA are no value (NaN), and counted in a note.

    Raises
    ------
    InputError
        With file and line: a column is missing, a cell is not a number, a segment or system is empty, a system occurs
        twice in one judgment, or a column of scores has the name of one of judges.
    UnknownName
        A score is not a column.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "judged.csv")
    >>> _ = path.write_text("segment,system,gold,reward\n1,A,1,0.5\n1,B,2,0.75\n2,A,1,\n")
    >>> rankings = read_ranking_table(path, scores=["reward"])
    >>> rankings.table("gold").tolist(), rankings.table("reward").tolist()
    ([[1.0, 2.0], [1.0, nan]], [[-0.5, -0.75], [nan, nan]])
    """
    table = read_table(path, ITEMS, names or {})
    return rankings_from_table(table, columns, scores=scores, gold=gold, needed=needed)


def rankings_from_table(
    table: Table,
    columns: Sequence[str] | None,
    *,
    scores: Iterable[str] = (),
    gold: str | None = None,
    needed: Iterable[str] = (),
) -> Rankings:
    """The judgments of a table; as `read_ranking_table`."""
    score_columns = set(scores)
    for field in ("segment", "system"):
        table.require(field)
    requested = [*(columns or ()), *score_columns, *needed, *([] if gold is None else [gold])]
    refuse_keys(table, requested)
    if columns is None:
        required = {*requested, find_column(table.more_columns, GOLD_COLUMNS) if gold is None else gold}
        values, notes = number_columns(table, required)
    else:
        values, notes = {name: table.numbers(name) for name in (table.find(x) for x in columns)}, []
    unknown = score_columns - set(values)
    if unknown:
        raise UnknownName("column of scores", min(unknown), list(values))
    order, lengths, labels = group_judgments(table)
    if "judge" in labels:
        refuse_numbers(table, labels)
    for name in values:
        values[name] = values[name][order]
        notes += missing_note(table, name, values[name], "item")
    starts = order[np.cumsum(lengths) - lengths]
    judgment_labels = {
        column.name: list(labels[column.name].take(starts)) if column.name in labels else [""] * starts.size
        for column in ITEMS.columns
    }
    return build_rankings(
        pairs=[normalise_pair(pair) for pair in judgment_labels["pair"]],
        segments=judgment_labels["segment"],
        judges=judgment_labels["judge"],
        lengths=lengths,
        systems=list(labels["system"].take(order)),
        columns=values,
        scores=score_columns,
        where=lambda _, item: table.locate(int(order[item])),
        notes=notes,
        shorten=False,
    )


def missing_note(table: Table, column: str, values: Floats, noun: str) -> list[str]:
    """A note on rows without a value."""
    missing = int(np.isnan(values).sum())
    return [f"{table.name}: {pluralise(missing, noun)} without a value of {column!r}"] if missing else []


def number_columns(table: Table, required: Collection[str | None]) -> tuple[dict[str, Floats], list[str]]:
    """The columns of numbers beside those of the schema, with the required ones; and a note on the others.

    Raises InputError where there is none, and for a cell that is no number.
    """
    names = {*required, *table.number_columns(half=False)}
    values = {name: table.numbers(name) for name in table.more_columns if name in names}
    values = {name: numbers for name, numbers in values.items() if name in required or not np.isnan(numbers).all()}
    if not values:
        keys = join_names(name for name in ("segment", "system") if name in table)
        raise InputError(
            f"{table.where}: no column of numbers among {list_columns(table.frame.columns)}, expected at least one "
            f"beside {keys}; add one, or name it to see what is wrong with it"
        )
    skipped = [name for name in table.more_columns if name not in values]
    return values, [f"{table.name}: {join_names(map(repr, skipped))} not read: no numbers"] if skipped else []


def refuse_keys(table: Table, requested: Iterable[str]) -> None:
    """Raise InputError for a requested column of numbers that is a key of the judgments."""
    for name in requested:
        field = next((field for field, column in table.columns.items() if column == name), None)
        if field is not None:
            meaning = {"judge": "who judged", "judgment": "which judgment a row is of"}.get(field, f"the {field}")
            raise InputError(
                f"{table.where}: column {name!r} says {meaning}, and is asked for as one of numbers; give one of the "
                f"two another name, as {name}_score"
            )


def refuse_numbers(table: Table, labels: Mapping[str, Labels]) -> None:
    """Raise InputError for scores in a column with the name of judges: they would split the lists of segments."""
    column = table.columns["judge"]
    if not table.holds_numbers(column):
        return
    with_judge = list_numbers(labels)
    without_judge = list_numbers({field: labels[field] for field in labels if field != "judge"})
    is_single = (np.bincount(with_judge)[with_judge] == 1) & (np.bincount(without_judge)[without_judge] > 1)
    systems = np.stack((without_judge, labels["system"].codes))
    repeated = np.unique(systems, axis=1).shape[1] < without_judge.size
    # Columns whose values judged the same items are judges, whatever their names, unless most of them ranked nothing.
    if is_single.any() and (not repeated or 2 * int(is_single.sum()) > int(with_judge.max()) + 1):
        lists = pluralise(int(is_single.sum()), "list has", "lists have")
        raise InputError(
            f"{table.where}: column {column!r}, of who judged, holds numbers, and by it {lists} one item only; if "
            f"these are scores, give it another name, as {column}_score"
        )


def group_judgments(table: Table) -> tuple[Ints, Ints, dict[str, Labels]]:
    """The rows in the order of judgments by first appearance, the length of each judgment; and all labels."""
    texts = {field: table.names(name, required=field not in OPTIONAL) for field, name in table.columns.items()}
    labels = {field: Labels(names, codes) for field in texts for names, (codes,) in [name_codes([texts[field]])]}
    _, first_rows, key, counts = np.unique(
        list_numbers(labels), return_index=True, return_inverse=True, return_counts=True
    )
    return np.argsort(first_rows[key], kind="stable"), counts[np.argsort(first_rows)], labels


def list_numbers(labels: Mapping[str, Labels]) -> Ints:
    """(rows) the number of each row's list, from 0: rows of one pair, segment, judge and judgment are one."""
    key = np.zeros(len(labels["system"]), np.int64)
    for field in ("pair", "segment", "judge", "judgment"):
        if field in labels:
            key = key * len(labels[field].names) + labels[field].codes
            _, key = np.unique(key, return_inverse=True)
    return key


#: In tables of systems, a column of another name holds scores, also one called judge.
SYSTEMS = Schema(
    columns=tuple(ITEMS.column(name) for name in ("system", "pair")),
    expected="a header line (system,bleu,chrf) and one line per system",
    nan_is_missing=True,
)
#: Names of a column that do not name a metric, which is then named after the file.
UNNAMED_METRICS = ("score", "value")


def read_system_table(
    path: PathLike, *, needed: Sequence[str] = (), people: bool = False, names: Mapping[str, str] | None = None
) -> list[MetricScores]:
    r"""Read metrics' (and human) scores of whole systems, one entry per column of numbers; higher is better in all.

    Parameters
    ----------
    path
        Table with the columns system, perhaps pair (a row is then a system of one language pair), and numbers; "-" is
        standard input.
    needed
        Columns that must hold numbers if they exist.
    people
        Whether the first column called rank, gold or human must hold numbers, too.
    names
        As for `read_ranking_table`.

    Returns
    -------
    list of MetricScores
        A single column called score or value takes the name of the file. An empty cell, nan, None and NA are no value,
        and counted in a note, as are columns with hardly any number.

    Raises
    ------
    InputError
        With file and line: there is no column of systems or of numbers, a system occurs twice in one pair, or a cell is
        not a number in a column that is needed, or in which most cells are numbers.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "systems.csv")
    >>> _ = path.write_text("system,human,BLEU\nA,0.5,31.5\nB,0.4,28\n")
    >>> [(scores.metric, scores.pairs[""].by_system) for scores in read_system_table(path)]
    [('human', {'A': 0.5, 'B': 0.4}), ('BLEU', {'A': 31.5, 'B': 28.0})]
    """
    table = read_table(path, SYSTEMS, names or {})
    return systems_from_table(table, needed=needed, people=people)


def systems_from_table(table: Table, *, needed: Sequence[str], people: bool) -> list[MetricScores]:
    """The scores of systems in a table; as `read_system_table`."""
    columns = {column.name: table.columns[column.name] for column in SYSTEMS.columns if column.name in table}
    table = replace(table, columns=columns)
    systems = table.ids("system").to_list()
    people_column = find_column(table.more_columns, GOLD_COLUMNS) if people else None
    values, notes = number_columns(table, {*needed, people_column})
    pairs = [""] * len(systems)
    if "pair" in table:
        pairs = [normalise_pair(name) for name in table.names(table.columns["pair"], required=False).to_list()]
    row = first_duplicate(list(zip(pairs, systems, strict=True)))
    if row is not None:
        pair_text = f" of {pairs[row]}" if pairs[row] else ""
        raise InputError(
            f"{table.locate(row)}: a second row of system {systems[row]!r}{pair_text}, expected one each; are these "
            "scores of segments? Then say which column names them: --columns segment=NAME (in Python columns=)"
        )
    metrics = []
    for column, numbers in values.items():
        scores: dict[str, dict[str, float]] = defaultdict(dict)
        for pair, system, value in zip(pairs, systems, numbers.tolist(), strict=True):
            scores[pair][system] = value
        is_unnamed = len(values) == 1 and column.strip().lower() in UNNAMED_METRICS
        name = PurePath(table.name).name.partition(".")[0] if is_unnamed else column
        own_notes = [*notes, *missing_note(table, column, numbers, "system")]
        metrics.append(MetricScores.of(name or column, dict(scores), notes=tuple(own_notes)))
    return metrics
