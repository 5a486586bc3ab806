"""Reading preferences from tables: a row names two systems or two answers and the better one, as people or models
judged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from rankscope.data.preferences import Preferences, drop_unused_names
from rankscope.data.rankings import Labels, Rankings
from rankscope.data.tables import Column, Schema, Table, find_column, list_columns
from rankscope.data.text import join_names, pluralise
from rankscope.errors import InputError
from rankscope.io.core import source_name
from rankscope.io.tables import column_names, header_location, name_codes, parse_table, read_content
from rankscope.io.translation import GOLD_COLUMNS, ITEMS, build_rankings, normalise_pair, rankings_from_table
from rankscope.typing import Floats, Ints, PathLike

__all__ = [
    "has_both_systems",
    "has_comparison_column",
    "parse_choice",
    "read_judged_table",
    "read_preference_rankings",
    "read_preferences",
]


LEFT = Column(
    name="left",
    aliases=(
        *("a", "system_a", "model_a", "response_a", "player_a"),
        *("system1", "model1", "response1", "player1"),
        *("system_1", "model_1", "response_1", "player_1", "generator_1"),
        *("system_left", "model_left", "left_system", "left_model"),
    ),
)
RIGHT = Column(
    name="right",
    aliases=(
        *("b", "system_b", "model_b", "response_b", "player_b"),
        *("system2", "model2", "response2", "player2"),
        *("system_2", "model_2", "response_2", "player_2", "generator_2"),
        *("system_right", "model_right", "right_system", "right_model"),
    ),
)
BETTER = Column(name="better", aliases=("winner",))
WORSE = Column(name="worse", aliases=("loser",))
#: Of several columns that may be of the winner, the first of these names is read.
WINNER = Column(
    name="winner",
    aliases=(
        *("outcome", "choice", "preference", "preferred", "result", "human", "gold", "label", "verdict"),
        *("chosen", "vote", "judgment", "judgement", "decision"),
    ),
)
WEIGHT = Column(name="weight", aliases=("weights",), kind="number")
#: Rows that name two systems and the winner, or the better one and the worse one.
SIDED = Schema(
    columns=(replace(LEFT, required=True), replace(RIGHT, required=True), replace(WINNER, required=True), WEIGHT),
    expected="comparisons: a header line (left,right,winner) and one line per comparison",
    nan_is_missing=True,
)
ORDERED = replace(SIDED, columns=(replace(BETTER, required=True), replace(WORSE, required=True), WEIGHT))
#: Codes of choices: the first (0), the second (1), or one of these.
TIE, NO_CHOICE = 2, 3
CHOICE_WORDS = (
    frozenset((*LEFT.names, "1", "first", "1-0", "a>b", "a>>b", "[[a]]", "[[a>b]]", "[[a>>b]]")),
    frozenset((*RIGHT.names, "2", "second", "0-1", "b>a", "b>>a", "[[b]]", "[[b>a]]", "[[b>>a]]")),
    frozenset(
        (
            *("tie", "tied", "ties", "draw", "drawn", "equal", "same", "neither", "both", "0", "=", "a=b", "[[a=b]]"),
            *("[[c]]", "1/2-1/2", "both good", "bothgood", "both_good", "tie (bothgood)", "tie (both good)"),
            *("both bad", "bothbad", "both_bad", "tie (bothbad)", "tie (both bad)"),
        )
    ),
    frozenset(("", "nan", "none", "na", "null")),
)


def normalise_cell(cell: str) -> str:
    """A cell in lower case, without a final ".0": many tools write whole numbers beside empty cells as fractions.

    >>> normalise_cell(" Model_A "), normalise_cell("2.0")
    ('model_a', '2')
    """
    return cell.strip().lower().removesuffix(".0")


def parse_choice(cell: str, columns: Sequence[str] = ()) -> int | None:
    """The choice in a cell: 0 or 1 for one of the two, TIE, NO_CHOICE; None for any other word.

    Parameters
    ----------
    cell
        The cell.
    columns
        Names of the columns of the two, which may also be written in a cell.

    Examples
    --------
    >>> parse_choice("A"), parse_choice("both bad"), parse_choice("large")
    (0, 2, None)
    >>> parse_choice("output", ["reference", "output"])
    1
    """
    word = normalise_cell(cell)
    for choice, column in enumerate(columns):
        if word == normalise_cell(column):
            return choice
    return next((choice for choice, words in enumerate(CHOICE_WORDS) if word in words), None)


def refuse_ambiguous(table: Table, column: str, cells: Iterable[str]) -> None:
    """Raise InputError for digits with several meanings among the cells of a column."""
    digits = {normalise_cell(cell) for cell in cells} & {"0", "1", "2", "-1"}
    problem = ""
    if digits == {"0", "1"}:
        problem = "0 and 1 and no 2: is 0 a tie, or the second? expected 1, 2 and 0 for a tie"
    elif {"-1", "2"} <= digits:
        problem = "2 and -1, expected 1, 2 and 0, or 1, -1 and 0"
    if problem:
        raise InputError(f"{table.where}: column {column!r} holds {problem}; write left, right and tie (or a, b, tie)")


#: Suffixes (or prefixes) of the two columns of a covariate, the left one first.
COVARIATE_AFFIXES = (("left", "right"), ("a", "b"), ("1", "2"), ("better", "worse"), ("winner", "loser"))
CHOICES = "left, right or tie (or a, b; 1, 2, 0), the name of one of the two, or an empty cell if no choice was made"


def read_preferences(
    path: PathLike,
    *,
    covariates: str | Iterable[str] = (),
    cluster_by: str | None = None,
    columns: Mapping[str, str] | None = None,
) -> Preferences:
    r"""Read a table in which each row says which of two systems won.

    Parameters
    ----------
    path
        CSV (commas, tabs or semicolons), JSON lines or Parquet, plain or compressed, detected from the content; "-" is
        standard input.
    covariates
        Columns of numbers; a pair NAME_left and NAME_right (NAME_a, NAME_b) becomes the difference, left minus right.
    cluster_by
        Column of the cluster of a comparison, as its prompt or judge; comparisons of one cluster are not independent.
    columns
        Column names, where NAME is left, right, winner, better, worse or weight: {"winner": "verdict"}. Default: found
        by their usual names.

    Returns
    -------
    Preferences
        A row without a winner is skipped, with a note.

    Raises
    ------
    InputError
        With file and line: a winner is neither of the two, a system is compared with itself, a name is empty, a column
        has 0 and 1 without 2, a weight is not above 0, no row has a winner, or a column is missing.
    ParameterError
        `columns` has a name that there is not.

    Notes
    -----
    Columns are left and right (a and b, system_a and system_b, model_a, player_a, ...) with winner (outcome, choice,
    preference, human, ...), whose cells are left, right or tie; a, b; 1, 2 and 0 (or 1, -1 and 0); the name of a column
    or of the winner; draw, both bad. Or better and worse (winner and loser), which have no sides. A column weight
    (weights) says how many comparisons a row stands for.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "arena.csv")
    >>> _ = path.write_text("model_a,model_b,winner,length_a,length_b\nX,Y,model_a,120,80\nY,Z,tie,80,95\n")
    >>> preferences = read_preferences(path, covariates="length")
    >>> preferences.systems, preferences.outcome.tolist(), preferences.covariates["length"].tolist()
    (('X', 'Y', 'Z'), [1, 0], [40.0, -15.0])
    """
    content, name, names = read_content(path), source_name(path), dict(columns or {})
    header = column_names(content)
    if header and not names and not has_both_systems(header, names):
        raise InputError(
            f"{header_location(content, name)}: columns {list_columns(header)}, expected those of two systems and of "
            "the winner (left, right, winner; also understood: model_a, system_a, a, ...), or better and worse; rename "
            "them, or say which they are: --columns left=NAME,right=NAME,winner=NAME (in Python columns=)"
        )
    is_ordered = ORDERED.fits(header, names) or bool({"better", "worse"} & set(names))
    covariate_names = [covariates] if isinstance(covariates, str) else list(dict.fromkeys(covariates))
    schema = ORDERED if is_ordered else SIDED
    more = covariate_columns(header, covariate_names)
    table = parse_table(content, name, replace(schema, columns=(*schema.columns, *more)), names)
    return preferences_of(table, covariate_names, cluster_by, is_ordered=is_ordered)


def has_both_systems(header: Sequence[str], columns: Mapping[str, str]) -> bool:
    """Whether these columns name two systems. columns: names that the user gives."""
    sides = (("left", "right"), SIDED), (("better", "worse"), ORDERED)
    return any(set(names) <= set(schema.match(header, columns)) for names, schema in sides)


def has_comparison_column(header: Sequence[str], columns: Mapping[str, str]) -> bool:
    """Whether some of these columns are those of comparisons, so that the others may be called otherwise."""
    required = {"left", "right", "winner", "better", "worse"}
    return any(required & schema.match(header, columns).keys() for schema in (SIDED, ORDERED))


def preferences_of(table: Table, covariates: Sequence[str], cluster_by: str | None, *, is_ordered: bool) -> Preferences:
    """The preferences in a table of ORDERED or SIDED; as `read_preferences`."""
    systems, left, right = read_pairs(table)
    clusters = None if cluster_by is None else read_clusters(table, cluster_by)
    notes = repeat_notes(table) if cluster_by is None else []
    outcome = np.ones(table.frame.height, np.int64)
    if not is_ordered:
        note_other_winners(table, notes)
        choice = read_choices(table, systems, left, right, notes)
        if (choice == NO_CHOICE).any():
            rows = np.flatnonzero(choice != NO_CHOICE)
            table, left, right, choice = table.take(rows), left[rows], right[rows], choice[rows]
            clusters = clusters and drop_unused_names(clusters.take(rows))
        outcome = np.array([1, -1, 0])[choice]
    pairs = drop_unused_names(Labels(systems, np.stack((left, right))))
    if len(pairs.names) < 2:
        raise InputError(f"{table.name}: no row says who won, expected {CHOICES}")
    weights = np.empty(0)
    if "weight" in table:
        weights = table.weights(table.columns["weight"])
        notes.append(f"{table.name}: {table.columns['weight']!r} is read as the weight")
    try:
        return Preferences(
            systems=pairs.names,
            left=pairs.codes[0],
            right=pairs.codes[1],
            outcome=outcome,
            weight=weights,
            covariates={name: read_covariate(table, name) for name in covariates},
            cluster=clusters,
            sides=not is_ordered,
            notes=tuple(notes),
        )
    except InputError as error:
        raise error if str(error).startswith(table.name) else InputError(f"{table.name}: {error}") from None


def read_pairs(table: Table) -> tuple[tuple[str, ...], Ints, Ints]:
    """The names of the two columns of systems or answers, and the index of each row's two among them.

    Raises InputError where the two are the same.
    """
    sides = ("left", "right") if "left" in table else ("better", "worse")
    names, (left, right) = name_codes([table.ids(side) for side in sides])
    if (left == right).any():
        row = int(np.argmax(left == right))
        raise InputError(
            f"{table.locate(row)}: {names[left[row]]!r} is compared with itself, expected two systems; correct it"
        )
    return names, left, right


def note_other_winners(table: Table, notes: list[str]) -> None:
    """Note which column is read as the winner where others may be, too."""
    column = table.columns["winner"]
    others = [name for name in table.more_columns if name.strip().lower() in WINNER.names]
    if others and column.strip().lower() in WINNER.names:
        others.sort(key=lambda name: WINNER.names.index(name.strip().lower()))
        notes.append(f"{table.name}: {column!r} is read as the winner; {join_names(map(repr, others))} not read")


def read_choices(table: Table, systems: Sequence[str], left: Ints, right: Ints, notes: list[str]) -> Ints:
    """(rows) which of its two systems each row prefers: 0 or 1, TIE, or NO_CHOICE for empty cells. Notes are added.

    A cell with the name of one of the row's two systems means that system; any other cell is a word. If a word is also
    the name of a system, every such cell must name one of the two; otherwise it would be ambiguous. Raises InputError
    for an ambiguous cell, and for one that is neither.
    """
    column = table.columns["winner"]
    cells, (codes,) = name_codes([table.texts(column)])
    system_index = {name: i for i, name in enumerate(systems)}
    cell_systems = np.array([system_index.get(cell.strip(), -1) for cell in cells], np.int64)
    cell_choices = np.array([choice_of_word(cell, table) for cell in cells], np.int64)
    word_choice = choice = cell_choices[codes]
    is_invalid, is_other_choice = choice < 0, False
    if (cell_systems >= 0).any():
        is_left, is_right = (cell_systems[codes] == side for side in (left, right))
        choice = np.select([is_left, is_right], [0, 1], word_choice)
        is_ambiguous = ((cell_systems >= 0) & np.isin(cell_choices, (0, 1)))[codes]
        is_invalid = (choice < 0) | (is_ambiguous & ~is_left & ~is_right)
        is_other_choice = bool((is_ambiguous & (choice != word_choice)).any())
    if is_invalid.any():
        row = int(np.argmax(is_invalid))
        pair_text = f"{systems[left[row]]!r} and {systems[right[row]]!r}"
        names_system = cell_systems[codes[row]] >= 0
        problem = f"neither of the two systems ({pair_text})" if names_system else f"between {pair_text}"
        raise InputError(
            f"{table.locate(row)}: {column} is {cells[codes[row]]!r}, {problem}; expected {CHOICES}; correct this line"
        )
    refuse_ambiguous(table, column, [cell for cell, system in zip(cells, cell_systems, strict=True) if system < 0])
    if is_other_choice:
        notes.append(f"{table.name}: cells of {column!r} are read as names of systems, not as left and right")
    missing = int((choice == NO_CHOICE).sum())
    if missing == choice.size:
        raise InputError(
            f"{table.where}: column {column!r} is empty, expected {CHOICES}; name another column: --columns "
            "winner=NAME (in Python columns=)"
        )
    if missing:
        verb = "is" if missing == 1 else "are"
        notes.append(f"{table.name}: {pluralise(missing, 'row')} without a winner {verb} skipped")
    bad_cells = [cell for cell, system in zip(cells, cell_systems, strict=True) if system < 0 and "bad" in cell.lower()]
    if bad_cells:
        notes.append(f"{table.name}: {join_names(map(repr, bad_cells))} counts as a tie")
    return choice


def choice_of_word(cell: str, table: Table) -> int:
    """The choice that a word means, with "-1" for the right one (beside 1 and 0); -1 for an unknown word."""
    sides = [table.columns[side] for side in ("left", "right")]
    choice = 1 if normalise_cell(cell) == "-1" else parse_choice(cell, sides)
    return -1 if choice is None else choice


def names_of_covariate(header: Sequence[str], name: str) -> list[str]:
    """The column of a covariate, or the two whose difference it is, left first; none without them."""
    lower_name = name.strip().lower()
    column = name if name in header else find_column(header, (lower_name,))
    if column is not None:
        return [column]
    for ends in COVARIATE_AFFIXES:
        for pair in ([f"{lower_name}_{end}" for end in ends], [f"{end}_{lower_name}" for end in ends]):
            columns = [find_column(header, (side,)) for side in pair]
            if None not in columns:
                return [side for side in columns if side is not None]
    return []


def covariate_columns(header: Sequence[str], covariates: Iterable[str]) -> list[Column]:
    """The columns of covariates, which are read as numbers."""
    names = dict.fromkeys(column for name in covariates for column in names_of_covariate(header, name))
    return [Column(name=name, aliases=(name.strip().lower(),), kind="number") for name in names]


def read_covariate(table: Table, name: str) -> Floats:
    """(comparisons) a column of numbers, or the difference of two columns."""
    columns = names_of_covariate(table.frame.columns, name)
    if not columns:
        raise InputError(
            f"{table.where}: no covariate {name!r} among {list_columns(table.frame.columns)}, expected a column of "
            f"this name, or two: {name}_left and {name}_right (or {name}_a and {name}_b)"
        )
    numbers = [table.numbers(column, complete=True) for column in columns]
    return numbers[0] if len(numbers) == 1 else numbers[0] - numbers[1]


#: Columns that say what was compared, the first that repeats first: comparisons of one of these are not independent.
REPEATED = (
    *("prompt", "prompt_id", "question", "question_id", "query", "query_id", "instruction", "instruction_id"),
    *("conversation", "conversation_id", "topic", "topic_id", "segment", "segment_id", "source", "document", "doc_id"),
)


def repeat_notes(table: Table) -> list[str]:
    """A note where a column says that several comparisons are of one prompt, and nobody names it as the cluster."""
    for name in REPEATED:
        column = find_column(table.more_columns, (name,))
        n_names = 0 if column is None else table.frame[column].n_unique()
        if 1 < n_names < table.frame.height:
            return [
                f"{table.name}: {pluralise(table.frame.height, 'row')} of {n_names:,} different values of {column!r} "
                f"are taken as independent; if those of one are not, say so with cluster_by (--cluster-by {column})"
            ]
    return []


def read_clusters(table: Table, name: str) -> Labels:
    column = table.find(name)
    texts = table.texts(column)
    if (empty := texts == "").any():
        row = int(empty.arg_true()[0])
        raise InputError(f"{table.locate(row)}: {column} is empty, expected a name; fill it in or drop the row")
    names, (codes,) = name_codes([texts])
    return Labels(names, codes)


#: The ranks of the two by choice: the first is better, the second is better, a tie, no choice.
RANKS = np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 1.0], [np.nan, np.nan]])


def read_preference_rankings(
    path: PathLike, *, gold: str | None = None, columns: Mapping[str, str] | None = None
) -> Rankings:
    r"""Read a table in which each row says which of two outputs is better, as judgments of two items.

    Parameters
    ----------
    path
        CSV, TSV, JSON lines or Parquet; "-" is standard input.
    gold
        Column of human choices. Default: the first of rank, gold and human. It must hold choices in every row.
    columns
        Column names, where NAME is segment, left, right, better or worse: {"segment": "question"}. Default: found by
        their usual names.

    Returns
    -------
    Rankings
        A choice becomes ranks, 1 and 2, or 1 and 1; better and worse are the column "rank".

    Raises
    ------
    InputError
        With file and line: a cell is not a choice, something is compared with itself, a name is empty, a column has 0
        and 1 without 2, there is no column of choices, or the table is another one.

    Notes
    -----
    Columns are segment (prompt, item) with better and worse, which name the two; or with a and b (system_a, model_a,
    ...) and one or more columns of choices, as human and judge, whose cells are a, b or tie, or 1, 2 or 0, or the name
    of the better one; empty means no choice. There may be pair, and who judged (rater; judge, if it holds no choices).

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "chosen.csv")
    >>> _ = path.write_text("item,a,b,human,judge\n1,large,small,a,tie\n2,small,large,b,b\n")
    >>> rankings = read_preference_rankings(path)
    >>> rankings.table("human").tolist(), rankings.table("judge").tolist()
    ([[1.0, 2.0], [2.0, 1.0]], [[1.0, 1.0], [2.0, 1.0]])
    """
    content, name, names = read_content(path), source_name(path), dict(columns or {})
    header = column_names(content)
    schema = pair_schema(header, names)
    if schema is None:
        raise InputError(
            f"{header_location(content, name)}: columns {list_columns(header)}, expected a segment with better and "
            "worse, or with a, b and choices between the two; name them: --columns NAME=COLUMN (in Python columns=)"
        )
    return rankings_of_preferences(parse_table(content, name, schema, names), set(), gold)


def read_judged_table(
    path: PathLike,
    columns: Sequence[str] | None = None,
    *,
    scores: Sequence[str] = (),
    gold: str | None = None,
    needed: Sequence[str] = (),
    names: Mapping[str, str] | None = None,
) -> Rankings:
    """Read a table of preferences, recognised by its columns, or of items as `read_ranking_table` does.

    Parameters
    ----------
    path
        The file.
    columns, scores, gold, needed, names
        As for `read_ranking_table`.

    Returns
    -------
    Rankings
        The judgments.

    Raises
    ------
    InputError
        As for `read_preference_rankings` and `read_ranking_table`, or `scores` are named for preferences, which are
        ranks.
    """
    content, name = read_content(path), source_name(path)
    schema = pair_schema(column_names(content), names or {})
    table = parse_table(content, name, schema or ITEMS, names or {})
    if schema is None:
        return rankings_from_table(table, columns, scores=scores, gold=gold, needed=needed)
    if scores:
        raise InputError(
            f"{table.where}: preferences between two, which become ranks; {scores[0]!r} cannot be a column of scores, "
            "leave higher out"
        )
    return rankings_of_preferences(table, {*(columns or ()), *needed}, gold)


def pair_schema(header: Sequence[str], names: Mapping[str, str]) -> Schema | None:
    """The columns of a table of preferences between two outputs, None for another table."""
    if "system" in ITEMS.match(header, names):
        return None
    segment = replace(ITEMS.column("segment"), required=True)
    for sides in ((BETTER, WORSE), (LEFT, RIGHT)):
        pair = tuple(replace(side, required=True) for side in sides)
        if {side.name for side in pair} <= set(Schema(columns=pair, expected="").match(header, names)):
            return Schema(
                columns=(*pair, segment, ITEMS.column("pair"), ITEMS.column("judge")),
                expected="preferences: a header line (segment,a,b,human) and one line per choice",
                nan_is_missing=True,
            )
    return None


def rankings_of_preferences(table: Table, needed: set[str], gold: str | None = None) -> Rankings:
    """The preferences in a table as rankings. needed: columns that must hold choices, as gold must."""
    has_choices = "better" not in table
    names, left, right = read_pairs(table)
    systems = np.array(names, object)[np.stack((left, right), axis=1)]
    n_rows, bound_names = (
        table.frame.height,
        {own for field, own in table.columns.items() if field not in ("pair", "judge")},
    )
    other_columns = [name for name in table.frame.columns if name not in bound_names]
    keys: dict[str, str] = {}
    notes: list[str] = []
    values = {"rank": np.tile([1.0, 2.0], n_rows)}
    if has_choices:
        choices = [name for name in other_columns if name != table.columns.get("pair")]
        values, notes = choice_ranks(table, choices, systems.tolist(), needed, gold)
    for field in ("pair", "judge"):
        column = ITEMS.column(field)
        free = [name for name in other_columns if not has_choices or name not in values]
        name = table.columns.get(field)
        if name not in free:  # it holds choices
            name = find_column(free, (field, *column.aliases))
        if name is not None:
            keys[field] = name
    unread = [name for name in other_columns if name not in values and name not in keys.values()]
    if unread:
        notes.append(f"{table.name}: {join_names(map(repr, unread))} not read: no choices between the two")
    texts = {field: table.texts(name).to_list() for field, name in keys.items()}
    return build_rankings(
        pairs=[normalise_pair(pair) for pair in texts.get("pair", [""] * n_rows)],
        segments=table.ids("segment").to_list(),
        judges=texts.get("judge", [""] * n_rows),
        lengths=np.full(n_rows, 2),
        systems=systems.ravel().tolist(),
        columns=values,
        where=lambda row, _: table.locate(row),
        notes=notes,
        shorten=False,
    )


def choice_ranks(
    table: Table, names: Sequence[str], answers: Sequence[Sequence[str]], needed: set[str], gold: str | None = None
) -> tuple[dict[str, Floats], list[str]]:
    """The columns with choices, as ranks; and notes. answers: the two of each row. Raises InputError without any."""
    columns = [table.columns[side] for side in ("left", "right")]
    required = {*needed, find_column(names, GOLD_COLUMNS) if gold is None else gold}
    ranks_by_column: dict[str, Floats] = {}
    notes = []
    for name in names:
        if table.is_nested(name) and name not in required:
            continue
        cells = table.texts(name).to_list()
        codes = [choice_code(cell, pair, columns) for cell, pair in zip(cells, answers, strict=True)]
        if None in codes:
            if name in required:
                row = codes.index(None)
                raise InputError(
                    f"{table.locate(row)}: {name} is {cells[row]!r}, expected a, b or tie (or 1, 2, 0), or nothing for "
                    "no choice; correct this line"
                )
            continue
        refuse_ambiguous(table, name, cells)
        ranks = RANKS[np.array(codes, np.int64)]
        missing = int(np.isnan(ranks[:, 0]).sum())
        if missing < len(cells):
            ranks_by_column[name] = ranks.ravel()
            if missing:
                notes.append(f"{table.name}: {pluralise(missing, 'row')} without a choice of {name!r}")
    if not ranks_by_column:
        raise InputError(
            f"{table.where}: no column of choices among {list_columns(table.frame.columns)}, expected one as human, "
            "with a, b or tie (or 1, 2, 0) in every row"
        )
    return ranks_by_column, notes


def choice_code(cell: str, answers: Sequence[str], columns: Sequence[str]) -> int | None:
    """The choice in a cell, also by the name of an answer: 0 or 1, TIE, NO_CHOICE; None for anything else."""
    choice = parse_choice(cell, columns)
    if choice not in (0, 1) and cell.strip() in answers:
        return answers.index(cell.strip())
    return choice
