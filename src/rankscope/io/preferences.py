"""Reading preferences from tables: a row names two systems or two answers and the better one, as people or models
judged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.data.preferences import Preferences, drop_unused_names
from rankscope.data.rankings import Labels, Rankings
from rankscope.data.row_input import find_column, list_columns
from rankscope.data.text import join_names, pluralise
from rankscope.errors import InputError
from rankscope.io.tables import (
    NamedTable,
    Table,
    name_codes,
    name_column,
    number_values,
    read_named_table,
    read_table,
)
from rankscope.io.translation import GOLD_COLUMNS, ITEMS, build_rankings, rankings_from_table, split_pair
from rankscope.typing import Floats, Ints, PathLike

__all__ = [
    "BETTER_COLUMNS",
    "FIRST_COLUMNS",
    "NO_CHOICE",
    "SECOND_COLUMNS",
    "TIE",
    "WORSE_COLUMNS",
    "ambiguous_digits",
    "normalise_cell",
    "parse_choice",
    "preferences_of",
    "read_judged_table",
    "read_preference_rankings",
    "read_preferences",
]


#: Names of the columns of the two systems; the first of each is ours.
FIRST_COLUMNS = (
    *("left", "a", "system_a", "model_a", "response_a", "player_a", "system1", "model1", "response1", "player1"),
    *("system_1", "model_1", "response_1", "player_1", "system_left", "model_left", "left_system", "left_model"),
)
SECOND_COLUMNS = (
    *("right", "b", "system_b", "model_b", "response_b", "player_b", "system2", "model2", "response2", "player2"),
    *("system_2", "model_2", "response_2", "player_2", "system_right", "model_right", "right_system", "right_model"),
)
#: Names of the columns where they say which of the two is better.
BETTER_COLUMNS, WORSE_COLUMNS = ("better", "winner"), ("worse", "loser")
#: Codes of choices: the first (0), the second (1), or one of these.
TIE, NO_CHOICE = 2, 3
CHOICE_WORDS = (
    frozenset((*FIRST_COLUMNS, "1", "first", "1-0", "a>b", "a>>b", "[[a]]", "[[a>b]]", "[[a>>b]]")),
    frozenset((*SECOND_COLUMNS, "2", "second", "0-1", "b>a", "b>>a", "[[b]]", "[[b>a]]", "[[b>>a]]")),
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


def ambiguous_digits(cells: Iterable[str]) -> bool:
    """Whether cells hold 0 and 1 but not 2: 0 could be a tie or the second of the two."""
    return {normalise_cell(cell) for cell in cells} & {"0", "1", "2", "-1"} == {"0", "1"}


#: Names of the column of the winner; the first that is present is read.
WINNER = (
    *("winner", "outcome", "choice", "preference", "preferred", "result", "human", "gold", "label", "verdict"),
    *("chosen", "vote", "judgment", "judgement", "decision"),
)
WEIGHT = ("weight", "weights")
#: Suffixes (or prefixes) of the two columns of a covariate, the left one first.
COVARIATE_AFFIXES = (("left", "right"), ("a", "b"), ("1", "2"), ("better", "worse"), ("winner", "loser"))
EXPECTED = "a header line (left,right,winner) and one line per comparison"
CHOICES = "left, right or tie (or a, b; 1, 2, 0), the name of one of the two, or an empty cell if no choice was made"


class SystemPairs(NamedTuple):
    """The two systems of each row.

    Attributes
    ----------
    systems
        Names of the systems.
    left, right
        Indices of the two.
    columns
        Their names in the table.
    ordered
        Whether these say which is better.
    """

    systems: tuple[str, ...]
    left: Ints
    right: Ints
    columns: tuple[str, str]
    ordered: bool


def read_preferences(
    path: PathLike, *, winner: str | None = None, covariates: str | Iterable[str] = (), unit: str | None = None
) -> Preferences:
    r"""Read a table in which each row says which of two systems won.

    Parameters
    ----------
    path
        CSV, TSV, JSON lines or Parquet, plain or compressed, detected from the content; "-" is standard input.
    winner
        Column of the winner, if it has another name or there are several.
    covariates
        Columns of numbers; a pair NAME_left and NAME_right (NAME_a, NAME_b) becomes the difference, left minus right.
    unit
        Column of what comparisons depend on together, as prompts or judges.

    Returns
    -------
    Preferences
        A row without a winner is skipped, with a note.

    Raises
    ------
    InputError
        With file and line: a winner is neither of the two, a system is compared with itself, a name is empty, a column
        has 0 and 1 without 2, a weight is not above 0, no row has a winner, or a column is missing.

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
    return preferences_of(read_named_table(path, EXPECTED, even=True), winner=winner, covariates=covariates, unit=unit)


def preferences_of(
    table: NamedTable, *, winner: str | None = None, covariates: str | Iterable[str] = (), unit: str | None = None
) -> Preferences:
    """The preferences in a table; as `read_preferences`."""
    if not table.frame.height:
        raise InputError(f"{table.name}: no rows after the header line, expected at least one")
    pairs = read_system_pairs(table, winner)
    notes: list[str] = []
    if pairs.ordered:
        outcome = np.ones(table.frame.height, np.int64)
        kept_rows: Ints | slice = slice(None)
    else:
        choice = read_choices(table, winner_column(table, winner, notes), pairs, notes)
        kept_rows = np.flatnonzero(choice != NO_CHOICE)
        outcome = np.array([1, -1, 0])[choice[kept_rows]]
    names = [covariates] if isinstance(covariates, str) else list(dict.fromkeys(covariates))
    systems, left, right = select_pairs(pairs, kept_rows)
    if len(systems) < 2:
        raise InputError(f"{table.name}: no row says who won, expected {CHOICES}")
    try:
        return Preferences(
            systems=systems,
            left=left,
            right=right,
            outcome=outcome,
            weight=comparison_weights(table, kept_rows, notes),
            covariates={name: read_covariate(table, name, kept_rows) for name in names},
            unit=None if unit is None else read_units(table, unit, kept_rows),
            sides=not pairs.ordered,
            notes=tuple(notes),
        )
    except InputError as error:
        raise error if str(error).startswith(table.name) else InputError(f"{table.name}: {error}") from None


def read_system_pairs(table: NamedTable, winner: str | None) -> SystemPairs:
    """The two systems of each row. Raises InputError where their columns are missing, or both are the same system."""
    names = table.frame.columns
    ordered_columns = (
        (find_column(names, BETTER_COLUMNS), find_column(names, WORSE_COLUMNS)) if winner is None else (None, None)
    )
    columns = (
        ordered_columns
        if None not in ordered_columns
        else (find_column(names, FIRST_COLUMNS), find_column(names, SECOND_COLUMNS))
    )
    if columns[0] is None or columns[1] is None:
        raise InputError(
            f"{table.header_location}: columns {list_columns(names)}, expected those of two systems and of the winner "
            "(left, "
            "right, winner), or better and worse; rename them (also understood: model_a, system_a, a, ...)"
        )
    pair_columns = (columns[0], columns[1])
    systems, (left, right) = name_codes([name_column(table, name, "system") for name in pair_columns])
    identical = np.flatnonzero(left == right)
    if identical.size:
        row = int(identical[0])
        raise InputError(
            f"{table.location(row)}: {systems[left[row]]!r} against itself, expected two systems; correct this line"
        )
    return SystemPairs(systems, left, right, pair_columns, None not in ordered_columns)


def select_pairs(pairs: SystemPairs, kept_rows: Ints | slice) -> tuple[tuple[str, ...], Ints, Ints]:
    """The systems of the kept rows, in their order, and for each row the indices of its two systems."""
    left, right = pairs.left[kept_rows], pairs.right[kept_rows]
    used = np.zeros(len(pairs.systems), np.bool_)
    used[left] = used[right] = True
    new_index = np.cumsum(used) - 1
    return tuple(np.array(pairs.systems, object)[used]), new_index[left], new_index[right]


def winner_column(table: NamedTable, winner: str | None, notes: list[str]) -> str:
    """The column of the winner; a note names other candidates."""
    names = table.frame.columns
    if winner is not None:
        return find_named_column(table, winner)
    candidates = [name for name in (find_column(names, (option,)) for option in WINNER) if name is not None]
    if not candidates:
        raise InputError(
            f"{table.header_location}: no column 'winner' among {list_columns(names)}; rename one of them to winner "
            "(also "
            f"understood: {', '.join(WINNER[1:])})"
        )
    if len(candidates) > 1:
        notes.append(
            f"{table.name}: {candidates[0]!r} is read as the winner; {join_names(map(repr, candidates[1:]))} not read"
        )
    return candidates[0]


def find_named_column(table: NamedTable, name: str) -> str:
    """The column with this name, ignoring case. Raises InputError where there is none."""
    names = table.frame.columns
    column = name if name in names else find_column(names, (name.strip().lower(),))
    if column is None:
        raise InputError(f"{table.header_location}: no column {name!r} among {list_columns(names)}; name one of those")
    return column


def read_choices(table: NamedTable, column: str, pairs: SystemPairs, notes: list[str]) -> npt.NDArray[np.int64]:
    """Which of the two systems each row prefers.

    Parameters
    ----------
    table
        The table.
    column
        The column with the choices.
    pairs
        The two systems of each row.
    notes
        Notes are added to this list.

    Returns
    -------
    array of shape (rows)
        0 if the left one won, 1 if the right one won, TIE, or NO_CHOICE for empty cells.

    Raises
    ------
    InputError
        A cell is neither a known word nor the name of one of the row's two systems, or it is ambiguous.

    Notes
    -----
    A cell with the name of one of the row's two systems means that system; any other cell is a word. If a word is also
    the name of a system, every such cell must name one of the two; otherwise it would be ambiguous.
    """
    cells, codes = winner_cells(table, column)
    system_index = {name: i for i, name in enumerate(pairs.systems)}
    cell_systems = np.array([system_index.get(cell.strip(), -1) for cell in cells], np.int64)
    cell_choices = np.array([choice_of_word(cell, pairs) for cell in cells], np.int64)
    named_system, word_choice = cell_systems[codes], cell_choices[codes]
    choice = np.select([named_system == pairs.left, named_system == pairs.right], [0, 1], word_choice)
    is_ambiguous = ((cell_systems >= 0) & np.isin(cell_choices, (0, 1)))[codes]
    is_invalid = (choice < 0) | (is_ambiguous & (named_system != pairs.left) & (named_system != pairs.right))
    if is_invalid.any():
        row = int(np.flatnonzero(is_invalid)[0])
        pair_text = f"{pairs.systems[pairs.left[row]]!r} and {pairs.systems[pairs.right[row]]!r}"
        problem = (
            f"which is neither of the two systems ({pair_text})" if named_system[row] >= 0 else f"between {pair_text}"
        )
        raise InputError(
            f"{table.location(row)}: {column} is {cells[codes[row]]!r}, {problem}; expected {CHOICES}; correct this "
            "line"
        )
    refuse_ambiguous(table, column, [cell for cell, system in zip(cells, cell_systems, strict=True) if system < 0])
    if (is_ambiguous & (choice != word_choice)).any():
        notes.append(f"{table.name}: cells of {column!r} are read as names of systems, not as left and right")
    note_skipped_rows(table, column, choice, notes)
    bad_cells = [cell for cell, system in zip(cells, cell_systems, strict=True) if system < 0 and "bad" in cell.lower()]
    if bad_cells:
        notes.append(f"{table.name}: {join_names(map(repr, bad_cells))} counts as a tie")
    return choice


def winner_cells(table: NamedTable, column: str) -> tuple[tuple[str, ...], Ints]:
    """The distinct cells of the column of the winner, and their index for each row."""
    import polars as pl

    series = table.frame[column]
    if not (series.dtype.is_numeric() or series.dtype in (pl.String, pl.Categorical, pl.Enum, pl.Null)):
        raise InputError(f"{table.location(0)}: column {column!r} holds {series.dtype}, expected {CHOICES}")
    cells, (codes,) = name_codes([series.cast(pl.String).fill_null("")])
    return cells, codes


def choice_of_word(cell: str, pairs: SystemPairs) -> int:
    """The choice that a word means, with "-1" for the right one (beside 1 and 0); -1 for an unknown word."""
    choice = 1 if normalise_cell(cell) == "-1" else parse_choice(cell, pairs.columns)
    return -1 if choice is None else choice


def refuse_ambiguous(table: NamedTable, column: str, cells: Sequence[str]) -> None:
    """Raise InputError for digits with several meanings."""
    digits = {normalise_cell(cell) for cell in cells}
    if ambiguous_digits(cells):
        raise InputError(
            f"{table.header_location}: column {column!r} holds 0 and 1 and no 2: is 0 a tie, or the second? expected "
            "1, 2 and 0 "
            "for a tie; write left, right and tie"
        )
    if {"-1", "2"} <= digits:
        raise InputError(
            f"{table.header_location}: column {column!r} holds 2 and -1, expected 1, 2 and 0, or 1, -1 and 0; write "
            "left, right "
            "and tie"
        )


def note_skipped_rows(table: NamedTable, column: str, choice: npt.NDArray[np.int64], notes: list[str]) -> None:
    """Note the rows without a winner. Raises InputError where no row has one."""
    missing = int((choice == NO_CHOICE).sum())
    if missing == choice.size:
        raise InputError(
            f"{table.header_location}: column {column!r} is empty, expected {CHOICES}; name another column (winner)"
        )
    if missing:
        verb = "is" if missing == 1 else "are"
        notes.append(f"{table.name}: {pluralise(missing, 'row')} without a winner {verb} skipped")


def comparison_weights(table: NamedTable, kept_rows: Ints | slice, notes: list[str]) -> Floats:
    """(comparisons) the weights, with a note; empty without such a column."""
    column = find_column(table.frame.columns, WEIGHT)
    if column is None:
        return np.empty(0)
    weights = number_values(table, column)[kept_rows]
    invalid = np.flatnonzero(~(weights > 0))
    if invalid.size:
        row = row_of_comparison(int(invalid[0]), kept_rows)
        cell = table.frame[column][row]
        raise InputError(
            f"{table.location(row)}: {column} is {'empty' if cell in (None, '') else cell}, expected a number above 0; "
            "leave out what does not count"
        )
    notes.append(f"{table.name}: {column!r} is read as the weight")
    return weights


def read_covariate(table: NamedTable, name: str, kept_rows: Ints | slice) -> Floats:
    """(comparisons) a column of numbers, or the difference of two columns."""
    names = table.frame.columns
    lower_name = name.strip().lower()
    column = name if name in names else find_column(names, (lower_name,))
    if column is not None:
        return complete_numbers(table, column, kept_rows)
    for ends in COVARIATE_AFFIXES:
        for left, right in (tuple(f"{lower_name}_{end}" for end in ends), tuple(f"{end}_{lower_name}" for end in ends)):
            pair_columns = find_column(names, (left,)), find_column(names, (right,))
            if pair_columns[0] is not None and pair_columns[1] is not None:
                return complete_numbers(table, pair_columns[0], kept_rows) - complete_numbers(
                    table, pair_columns[1], kept_rows
                )
    raise InputError(
        f"{table.header_location}: no covariate {name!r} among {list_columns(names)}, expected a column of this name, "
        "or two: "
        f"{name}_left and {name}_right (or {name}_a and {name}_b)"
    )


def complete_numbers(table: NamedTable, column: str, kept_rows: Ints | slice) -> Floats:
    """The numbers of a column without missing values."""
    numbers = number_values(table, column)[kept_rows]
    missing = np.flatnonzero(np.isnan(numbers))
    if missing.size:
        location = table.location(row_of_comparison(int(missing[0]), kept_rows))
        raise InputError(f"{location}: the {column} is empty, expected a number; fill it in or drop the line")
    return numbers


def read_units(table: NamedTable, unit: str, kept_rows: Ints | slice) -> Labels:
    names, (codes,) = name_codes([name_column(table, find_named_column(table, unit), unit)])
    return drop_unused_names(Labels(names, codes[kept_rows]))


def row_of_comparison(comparison: int, kept_rows: Ints | slice) -> int:
    """The row of the table with this comparison."""
    return comparison if isinstance(kept_rows, slice) else int(kept_rows[comparison])


#: The ranks of the two by choice: the first is better, the second is better, a tie, no choice.
RANKS = np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 1.0], [np.nan, np.nan]])


def read_preference_rankings(path: PathLike, *, gold: str | None = None) -> Rankings:
    r"""Read a table in which each row says which of two outputs is better, as judgments of two items.

    Parameters
    ----------
    path
        CSV, TSV, JSON lines or Parquet; "-" is standard input.
    gold
        Column of human choices. Default: the first of rank, gold and human. It must hold choices in every row.

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
    table = read_table(path, ITEMS, {})
    if not holds_preferences(table):
        raise InputError(
            f"{table.where}: columns {list_columns(table.frame.columns)}, expected a segment with better "
            "and worse, or "
            "with a, b and choices between the two"
        )
    return rankings_of_preferences(table, set(), gold)


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
    table = read_table(path, ITEMS, names or {})
    if not holds_preferences(table):
        return rankings_from_table(table, columns, scores=scores, gold=gold, needed=needed)
    if scores:
        raise InputError(
            f"{table.where}: preferences between two, which become ranks; {scores[0]!r} cannot be a column "
            "of scores, "
            "leave higher out"
        )
    return rankings_of_preferences(table, {*(columns or ()), *needed}, gold)


def holds_preferences(table: Table) -> bool:
    """Whether this is a table of preferences."""
    if "system" in table:
        return False
    names = table.frame.columns
    pairs = (BETTER_COLUMNS, WORSE_COLUMNS), (FIRST_COLUMNS, SECOND_COLUMNS)
    return any(
        find_column(names, first_options) is not None and find_column(names, second_options) is not None
        for first_options, second_options in pairs
    )


def rankings_of_preferences(table: Table, needed: set[str], gold: str | None = None) -> Rankings:
    """The preferences in a table as rankings. needed: columns that must hold choices, as gold must."""
    names = table.frame.columns
    keys = {"segment": table.require("segment")}
    ordered_columns = find_column(names, BETTER_COLUMNS), find_column(names, WORSE_COLUMNS)
    has_choices = None in ordered_columns
    pair_columns = (
        (find_column(names, FIRST_COLUMNS), find_column(names, SECOND_COLUMNS)) if has_choices else ordered_columns
    )
    first, second = (table.names(name or "").to_list() for name in pair_columns)
    repeated = next((row for row, (x, y) in enumerate(zip(first, second, strict=True)) if x == y), None)
    if repeated is not None:
        raise InputError(
            f"{table.locate(repeated)}: {first[repeated]!r} is compared with itself, expected two systems; correct it"
        )
    n_rows = table.frame.height
    notes: list[str] = []
    values = {"rank": np.tile([1.0, 2.0], n_rows)}
    other_columns = [name for name in names if name not in (*keys.values(), *pair_columns)]
    if has_choices:
        values, notes = choice_ranks(
            table,
            [name for name in other_columns if name != table.columns.get("pair")],
            needed,
            gold,
        )
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
    texts = {field: table.names(name, required=field == "segment").to_list() for field, name in keys.items()}
    return build_rankings(
        pairs=[split_pair(pair) for pair in texts.get("pair", [""] * n_rows)],
        segments=texts["segment"],
        judges=texts.get("judge", [""] * n_rows),
        lengths=np.full(n_rows, 2),
        systems=[name for row in zip(first, second, strict=True) for name in row],
        columns=values,
        where=lambda row, _: table.locate(row),
        notes=notes,
        shorten=False,
    )


def choice_ranks(
    table: Table, names: Sequence[str], needed: set[str], gold: str | None
) -> tuple[dict[str, Floats], list[str]]:
    """The columns with choices, as ranks; and notes. Raises InputError where there is none."""
    columns = [find_column(table.frame.columns, side) or "" for side in (FIRST_COLUMNS, SECOND_COLUMNS)]
    sides = [table.names(name).to_list() for name in columns]
    required = {*needed, find_column(names, GOLD_COLUMNS) if gold is None else gold}
    ranks_by_column: dict[str, Floats] = {}
    notes = []
    for name in names:
        cells = [str(cell or "") if cell != 0 else "0" for cell in table.frame[name].to_list()]
        codes = [choice_code(cell, (x, y), columns) for cell, x, y in zip(cells, *sides, strict=True)]
        if None in codes:
            if name in required:
                row = codes.index(None)
                raise InputError(
                    f"{table.locate(row)}: {name} is {cells[row]!r}, expected a, b or tie (or 1, 2, 0), or nothing "
                    "for "
                    "no choice; correct this line"
                )
            continue
        if ambiguous_digits(cells):
            raise InputError(
                f"{table.where}: column {name!r} holds 0 and 1 and no 2: is 0 a tie, or the second? "
                "expected 1, 2 and 0 "
                "for a tie; write a, b and tie"
            )
        ranks = RANKS[np.array(codes, np.int64)]
        if np.isnan(ranks).all():
            continue
        ranks_by_column[name] = ranks.ravel()
        missing = int(np.isnan(ranks[:, 0]).sum())
        if missing:
            notes.append(f"{table.name}: {pluralise(missing, 'row')} without a choice of {name!r}")
    if not ranks_by_column:
        raise InputError(
            f"{table.where}: no column of choices among {list_columns(table.frame.columns)}, expected one "
            "as human, "
            "with a, b or tie (or 1, 2, 0) in every row"
        )
    return ranks_by_column, notes


def choice_code(cell: str, answers: tuple[str, str], columns: Sequence[str]) -> int | None:
    """The choice in a cell, also by the name of an answer: 0 or 1, TIE, NO_CHOICE; None for anything else."""
    choice = parse_choice(cell, columns)
    if choice not in (0, 1) and cell.strip() in answers:
        return answers.index(cell.strip())
    return choice
