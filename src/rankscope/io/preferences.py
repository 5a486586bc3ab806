"""Preferences in tables: a row says which of two answers is better, in the words of people and of judges."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankscope.data.frames import find_column, list_columns, require_column
from rankscope.data.rankings import Rankings
from rankscope.data.wording import join_names, pluralise
from rankscope.errors import InputError
from rankscope.io.choice_words import (
    BETTER_COLUMNS,
    FIRST_COLUMNS,
    SECOND_COLUMNS,
    WORSE_COLUMNS,
    ambiguous_digits,
    parse_choice,
)
from rankscope.io.mt_names import build_rankings, split_pair
from rankscope.io.named_tables import NamedTable, read_named_table
from rankscope.io.ranking_tables import EXPECTED_ITEMS, GOLD_COLUMNS, ITEM_COLUMNS, rankings_from_table, text_column
from rankscope.typing import Floats, PathLike

__all__ = ["read_judged_table", "read_preference_rankings"]

#: The ranks of the two: the first is better, the second is, they are tied, nobody said.
RANKS = np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 1.0], [np.nan, np.nan]])


def read_preference_rankings(path: PathLike, *, gold: str | None = None) -> Rankings:
    r"""Read a table (CSV, TSV, JSON lines, Parquet) in which a row says which of two is better; "-": standard input.

    Columns: segment (prompt, item) with better and worse, which name the two; or with a and b (system_a, model_a, ...)
    and one or more columns of choices, as human and judge, whose cells are a, b or tie, or 1, 2 or 0, or the name of
    the one that is better; empty: no choice. pair may be there, and who judged (rater; judge, if it holds no choices).
    Each row is a judgment of two items; a choice becomes ranks, 1 and 2, or 1 and 1; better and worse are the column
    "rank". gold: the column of people, else the first of rank, gold and human: it must hold choices in every row.

    Raises InputError with file and line for what is no choice, something that stands against itself, an empty name, a
    column of 0 and 1 without 2, no column of choices, and for another table.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "chosen.csv")
    >>> _ = path.write_text("item,a,b,human,judge\n1,large,small,a,tie\n2,small,large,b,b\n")
    >>> found = read_preference_rankings(path)
    >>> found.table("human").tolist(), found.table("judge").tolist()
    ([[1.0, 2.0], [2.0, 1.0]], [[1.0, 1.0], [2.0, 1.0]])
    """
    table = read_named_table(path, EXPECTED_ITEMS)
    if not holds_preferences(table.frame.columns):
        raise InputError(
            f"{table.head}: columns {list_columns(table.frame.columns)}, expected a segment with better and worse, or "
            "with a, b and choices between the two"
        )
    return preferences_in(table, set(), gold)


def read_judged_table(
    path: PathLike,
    columns: Sequence[str] | None = None,
    *,
    scores: Sequence[str] = (),
    gold: str | None = None,
    needed: Sequence[str] = (),
) -> Rankings:
    """Read a table of preferences, told by its columns, or of items, with the arguments of `read_ranking_table`.

    Raises InputError as `read_preference_rankings` and `read_ranking_table`, and for `scores` of preferences, which
    are ranks.
    """
    table = read_named_table(path, EXPECTED_ITEMS)
    if not holds_preferences(table.frame.columns):
        return rankings_from_table(table, columns, scores=scores, gold=gold, needed=needed)
    if scores:
        raise InputError(
            f"{table.head}: preferences between two, which become ranks; {scores[0]!r} cannot be a column of scores, "
            "leave higher out"
        )
    return preferences_in(table, {*(columns or ()), *needed}, gold)


def holds_preferences(names: Sequence[str]) -> bool:
    """Whether these columns are of preferences between two."""
    if find_column(names, ITEM_COLUMNS["system"]) is not None:
        return False
    pairs = (BETTER_COLUMNS, WORSE_COLUMNS), (FIRST_COLUMNS, SECOND_COLUMNS)
    return any(find_column(names, one) is not None and find_column(names, other) is not None for one, other in pairs)


def preferences_in(table: NamedTable, needed: set[str], gold: str | None = None) -> Rankings:
    """The preferences in a table that was read; needed: columns that must hold choices, as gold must."""
    there = table.frame.columns
    keys = {"segment": require_column(there, "segment", ITEM_COLUMNS["segment"], table.head)}
    if not table.frame.height:
        raise InputError(f"{table.name}: no rows after the line of names, expected at least one")
    named = find_column(there, BETTER_COLUMNS), find_column(there, WORSE_COLUMNS)
    chosen = None in named
    both = (find_column(there, FIRST_COLUMNS), find_column(there, SECOND_COLUMNS)) if chosen else named
    first, second = (text_column(table, name or "", "system") for name in both)
    again = next((row for row, (x, y) in enumerate(zip(first, second, strict=True)) if x == y), None)
    if again is not None:
        raise InputError(f"{table.where(again)}: {first[again]!r} stands against itself, expected two; correct it")
    n = table.frame.height
    notes: list[str] = []
    values = {"rank": np.tile([1.0, 2.0], n)}
    rest = [name for name in there if name not in (*keys.values(), *both)]
    if chosen:
        values, notes = choice_ranks(
            table, [name for name in rest if name != find_column(rest, ITEM_COLUMNS["pair"])], needed, gold
        )
    for field in ("pair", "judge"):
        name = find_column([name for name in rest if not chosen or name not in values], ITEM_COLUMNS[field])
        if name is not None:
            keys[field] = name
    left = [name for name in rest if name not in values and name not in keys.values()]
    if left:
        notes.append(f"{table.name}: {join_names(map(repr, left))} not read: no choices between the two")
    found = {field: text_column(table, name, field) for field, name in keys.items()}
    return build_rankings(
        pairs=[split_pair(pair) for pair in found.get("pair", [""] * n)],
        segments=found["segment"],
        judges=found.get("judge", [""] * n),
        lengths=np.full(n, 2),
        systems=[name for row in zip(first, second, strict=True) for name in row],
        columns=values,
        where=lambda row, _: table.where(row),
        notes=notes,
        shorten=False,
    )


def choice_ranks(
    table: NamedTable, names: Sequence[str], needed: set[str], gold: str | None
) -> tuple[dict[str, Floats], list[str]]:
    """The columns that hold choices, as ranks; and notes. Raises InputError where there is none."""
    columns = [find_column(table.frame.columns, side) or "" for side in (FIRST_COLUMNS, SECOND_COLUMNS)]
    sides = [text_column(table, name, "system") for name in columns]
    must = {*needed, find_column(names, GOLD_COLUMNS) if gold is None else gold}
    found: dict[str, Floats] = {}
    notes = []
    for name in names:
        cells = [str(cell or "") if cell != 0 else "0" for cell in table.frame[name].to_list()]
        codes = [choice_code(cell, (x, y), columns) for cell, x, y in zip(cells, *sides, strict=True)]
        if None in codes:
            if name in must:
                row = codes.index(None)
                raise InputError(
                    f"{table.where(row)}: {name} is {cells[row]!r}, expected a, b or tie (or 1, 2, 0), or nothing for "
                    "no choice; correct this line"
                )
            continue
        if ambiguous_digits(cells):
            raise InputError(
                f"{table.head}: column {name!r} holds 0 and 1 and no 2: is 0 a tie, or the second? expected 1, 2 and 0 "
                "for a tie; write a, b and tie"
            )
        ranks = RANKS[np.array(codes, np.int64)]
        if np.isnan(ranks).all():
            continue
        found[name] = ranks.ravel()
        missing = int(np.isnan(ranks[:, 0]).sum())
        if missing:
            notes.append(f"{table.name}: {pluralise(missing, 'row')} without a choice of {name!r}")
    if not found:
        raise InputError(
            f"{table.head}: no column of choices among {list_columns(table.frame.columns)}, expected one as human, "
            "with a, b or tie (or 1, 2, 0) in every row"
        )
    return found, notes


def choice_code(cell: str, answers: tuple[str, str], columns: Sequence[str]) -> int | None:
    """Which of the two a cell chooses: 0 or 1, 2 for a tie, 3 for no choice; None for anything else."""
    found = parse_choice(cell, columns)
    if found not in (0, 1) and cell.strip() in answers:
        return answers.index(cell.strip())
    return found
