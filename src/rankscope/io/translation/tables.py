"""Tables of ranked items, with a row per item, and of scores of systems, with a row per system: CSV, TSV, JSONL or
Parquet, with columns by name.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath

import numpy as np

from rankscope.data.rankings import Labels, Rankings
from rankscope.data.segment_scores import SystemScores
from rankscope.data.tables import find_column, list_columns, require_column
from rankscope.data.text import join_names, pluralise
from rankscope.errors import InputError, UnknownName
from rankscope.io.tables import NamedTable, holds_numbers, mostly_numbers, name_column, number_values, read_named_table
from rankscope.io.translation.names import build_rankings, split_pair
from rankscope.typing import Ints, PathLike

__all__ = [
    "EXPECTED_ITEMS",
    "GOLD_COLUMNS",
    "ITEM_COLUMNS",
    "holds_systems",
    "rankings_from_table",
    "read_ranking_table",
    "read_system_table",
    "text_column",
]


#: Names of the columns; the first of each is ours.
ITEM_COLUMNS = {
    "segment": ("segment", "segment_id", "seg", "segid", "sid", "item", "item_id", "prompt", "query_id"),
    "system": ("system", "system_id", "candidate", "model", "doc_id"),
    "pair": ("pair", "lp", "langpair", "lang-pair", "language_pair"),
    "judge": ("judge", "judge_id", "rater", "annotator", "user"),
    "judgment": ("judgment", "judgement", "ranking_id", "judgment_id"),
}
#: The default names of the column of human judgments.
GOLD_COLUMNS = ("rank", "gold", "human")
EXPECTED_ITEMS = "a header line (segment,system,gold,predicted) and one line per item"


def read_ranking_table(
    path: PathLike,
    columns: Sequence[str] | None = None,
    *,
    scores: Iterable[str] = (),
    gold: str | None = None,
    needed: Iterable[str] = (),
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
    return rankings_from_table(read_named_table(path, EXPECTED_ITEMS), columns, scores=scores, gold=gold, needed=needed)


def rankings_from_table(
    table: NamedTable,
    columns: Sequence[str] | None,
    *,
    scores: Iterable[str] = (),
    gold: str | None = None,
    needed: Iterable[str] = (),
) -> Rankings:
    """The judgments of a table; as `read_ranking_table`."""
    names, location, score_columns = table.frame.columns, table.header_location, set(scores)
    keys = {field: require_column(names, field, ITEM_COLUMNS[field], location) for field in ("segment", "system")}
    optional_fields = ("pair", "judge", "judgment")
    keys |= {field: name for field in optional_fields if (name := find_column(names, ITEM_COLUMNS[field]))}
    requested = [*(columns or ()), *score_columns, *needed, *([] if gold is None else [gold])]
    refuse_keys(keys, requested, location)
    notes = []
    if columns is None:
        other_columns = [name for name in names if name not in keys.values()]
        required = {*requested, find_column(other_columns, GOLD_COLUMNS) if gold is None else gold}
        value_columns = [name for name in other_columns if name in required or mostly_numbers(table.frame[name])]
        if not value_columns:
            raise InputError(
                f"{location}: no column of numbers among {list_columns(names)}, expected at least one beside segment "
                "and system; add one, or name it (columns) to see what is wrong with it"
            )
        skipped = [name for name in other_columns if name not in value_columns]
        if skipped:
            notes.append(f"{table.name}: {join_names(map(repr, skipped))} not read: no numbers")
    else:
        value_columns = [find_named_column(names, name, location) for name in columns]
    unknown = score_columns - set(value_columns)
    if unknown:
        raise UnknownName("column of scores", min(unknown), value_columns)
    if not table.frame.height:
        raise InputError(f"{table.name}: no items after the header line, expected at least one")
    texts = {field: text_column(table, name, field) for field, name in keys.items()}
    order, lengths, labels = group_judgments(texts, table.frame.height)
    if "judge" in labels:
        refuse_numbers(table, keys["judge"], labels)
    values = {}
    for name in value_columns:
        values[name] = number_values(table, name)[order]
        missing = int(np.isnan(values[name]).sum())
        if missing:
            notes.append(f"{table.name}: {pluralise(missing, 'item')} without a value of {name!r}")
    starts = order[np.cumsum(lengths) - lengths]
    judgment_labels = {
        field: list(labels[field].take(starts)) if field in labels else [""] * starts.size for field in ITEM_COLUMNS
    }
    return build_rankings(
        pairs=[split_pair(pair) for pair in judgment_labels["pair"]],
        segments=judgment_labels["segment"],
        judges=judgment_labels["judge"],
        lengths=lengths,
        systems=list(labels["system"].take(order)),
        columns=values,
        scores=score_columns,
        where=lambda _, item: table.location(int(order[item])),
        notes=notes,
        shorten=False,
    )


def refuse_keys(keys: Mapping[str, str], requested: Iterable[str], location: str) -> None:
    """Raise InputError for a requested column of numbers that is a key of the judgments."""
    for name in requested:
        field = next((field for field, column in keys.items() if column == name), None)
        if field is not None:
            meaning = {"judge": "who judged", "judgment": "which judgment a row is of"}.get(field, f"the {field}")
            raise InputError(
                f"{location}: column {name!r} says {meaning}, and is asked for as one of numbers; give one of the two "
                f"another name, as {name}_score"
            )


def refuse_numbers(table: NamedTable, column: str, labels: Mapping[str, Labels]) -> None:
    """Raise InputError for scores in a column with the name of judges: they would split the lists of segments."""
    if not holds_numbers(table.frame[column]):
        return
    key_columns = {field: list(labels[field]) for field in ("pair", "segment", "judgment") if field in labels}
    n_rows = len(labels["system"])
    with_judge = list_numbers({**key_columns, "judge": list(labels["judge"])}, n_rows)
    without_judge = list_numbers(key_columns, n_rows)
    is_single = (np.bincount(with_judge)[with_judge] == 1) & (np.bincount(without_judge)[without_judge] > 1)
    systems = np.stack((without_judge, labels["system"].codes))
    repeated = np.unique(systems, axis=1).shape[1] < n_rows
    # Columns whose values judged the same items are judges, whatever their names, unless most of them ranked nothing.
    if is_single.any() and (not repeated or 2 * int(is_single.sum()) > int(with_judge.max()) + 1):
        lists = pluralise(int(is_single.sum()), "list has", "lists have")
        raise InputError(
            f"{table.header_location}: column {column!r}, of who judged, holds numbers, and by it {lists} one item "
            "only; if these "
            f"are scores, give it another name, as {column}_score"
        )


def list_numbers(columns: Mapping[str, list[str]], n_rows: int) -> Ints:
    """(rows) the number of each row's list, from 0."""
    order, lengths, _ = group_judgments(dict(columns), n_rows)
    numbers = np.empty(n_rows, np.int64)
    numbers[order] = np.repeat(np.arange(lengths.size), lengths)
    return numbers


def find_named_column(names: Sequence[str], name: str, location: str) -> str:
    """The column with this name, ignoring case. Raises InputError where there is none."""
    column = name if name in names else find_column(names, (name.strip().lower(),))
    if column is None:
        raise InputError(f"{location}: no column {name!r} among {list_columns(names)}; name one of those")
    return column


def group_judgments(columns: dict[str, list[str]], n_rows: int) -> tuple[Ints, Ints, dict[str, Labels]]:
    """The rows in the order of judgments by first appearance, the length of each judgment; and all labels."""
    labels = {field: Labels.of(values) for field, values in columns.items()}
    key = np.zeros(n_rows, np.int64)
    for field in ("pair", "segment", "judge", "judgment"):
        if field in labels:
            key = key * len(labels[field].names) + labels[field].codes
            _, key = np.unique(key, return_inverse=True)
    _, first_rows, counts = np.unique(key, return_index=True, return_counts=True)
    return np.argsort(first_rows[key], kind="stable"), counts[np.argsort(first_rows)], labels


def text_column(table: NamedTable, column: str, field: str) -> list[str]:
    """The names in a column; segments and systems must not be empty."""
    texts: list[str] = name_column(table, column, field, required=field in ("segment", "system")).to_list()
    return texts


EXPECTED = "a header line (system,bleu,chrf) and one line per system"
#: Names of a column that do not name a metric, which is then named after the file.
UNNAMED_METRICS = ("score", "value")


def holds_systems(names: Sequence[str]) -> bool:
    """Whether these are columns of scores of systems: there is a column of systems, and none of segments.

    >>> holds_systems(["system", "BLEU"]), holds_systems(["segment", "system", "BLEU"])
    (True, False)
    """
    return (
        find_column(names, ITEM_COLUMNS["system"]) is not None and find_column(names, ITEM_COLUMNS["segment"]) is None
    )


def read_system_table(path: PathLike, *, needed: Sequence[str] = (), people: bool = False) -> list[SystemScores]:
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

    Returns
    -------
    list of SystemScores
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
    >>> [(scores.metric, scores.pairs[""]) for scores in read_system_table(path)]
    [('human', {'A': 0.5, 'B': 0.4}), ('BLEU', {'A': 31.5, 'B': 28.0})]
    """
    table = read_named_table(path, EXPECTED)
    names = table.frame.columns
    column = require_column(names, "system", ITEM_COLUMNS["system"], table.header_location)
    pair = find_column(names, ITEM_COLUMNS["pair"])
    other_columns = [name for name in names if name not in (column, pair)]
    required = {*needed, *([find_column(other_columns, GOLD_COLUMNS)] if people else [])}
    value_columns = [name for name in other_columns if name in required or mostly_numbers(table.frame[name])]
    if not value_columns:
        raise InputError(
            f"{table.header_location}: no column of numbers among {list_columns(names)}, expected at least one beside "
            "system"
        )
    if not table.frame.height:
        raise InputError(f"{table.name}: no systems after the header line, expected at least one")
    systems = text_column(table, column, "system")
    pairs = [""] * len(systems) if pair is None else [split_pair(name) for name in text_column(table, pair, "pair")]
    refuse_repeated(table, pairs, systems)
    skipped = [name for name in other_columns if name not in value_columns]
    notes = [f"{table.name}: {join_names(map(repr, skipped))} not read: no numbers"] if skipped else []
    return [
        metric_of_column(table, name, is_only=len(value_columns) == 1, pairs=pairs, systems=systems, notes=notes)
        for name in value_columns
    ]


def metric_of_column(
    table: NamedTable, column: str, *, is_only: bool, pairs: Sequence[str], systems: Sequence[str], notes: Sequence[str]
) -> SystemScores:
    """The scores of one metric from a column."""
    values = number_values(table, column)
    scores: dict[str, dict[str, float]] = defaultdict(dict)
    for pair, system, value in zip(pairs, systems, values.tolist(), strict=True):
        scores[pair][system] = value
    name = (
        PurePath(table.name).name.partition(".")[0] if is_only and column.strip().lower() in UNNAMED_METRICS else column
    )
    missing = int(np.isnan(values).sum())
    missing_notes = [f"{table.name}: {pluralise(missing, 'system')} without a value of {column!r}"] if missing else []
    return SystemScores(name or column, dict(scores), notes=(*notes, *missing_notes))


def refuse_repeated(table: NamedTable, pairs: Sequence[str], systems: Sequence[str]) -> None:
    seen: set[tuple[str, str]] = set()
    for row, key in enumerate(zip(pairs, systems, strict=True)):
        if key in seen:
            pair_text = f" of {key[0]}" if key[0] else ""
            raise InputError(
                f"{table.location(row)}: a second row of system {key[1]!r}{pair_text}, expected one each; are these "
                "scores of segments? Then name the column that says which (segment)"
            )
        seen.add(key)
