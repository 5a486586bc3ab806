"""Tables of scores of whole systems: CSV, TSV, JSONL or Parquet, a row a system, each column of numbers one metric."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import PurePath

import numpy as np

from rankscope.data.frames import find_column, list_columns, require_column
from rankscope.data.segment_scores import SystemScores
from rankscope.data.wording import join_names, pluralise
from rankscope.errors import InputError
from rankscope.io.mt_names import split_pair
from rankscope.io.named_tables import NamedTable, mostly_numbers, number_values, read_named_table
from rankscope.io.ranking_tables import GOLD_COLUMNS, ITEM_COLUMNS, text_column
from rankscope.typing import PathLike

__all__ = ["holds_systems", "read_system_table"]

EXPECTED = "a line of names (system,bleu,chrf) and a line a system"
#: A column of this name says nothing: the metric is then called as the file is.
ANY = ("score", "value")


def holds_systems(names: Sequence[str]) -> bool:
    """Whether these columns are of whole systems: there is one of systems, and none of segments.

    >>> holds_systems(["system", "BLEU"]), holds_systems(["segment", "system", "BLEU"])
    (True, False)
    """
    return (
        find_column(names, ITEM_COLUMNS["system"]) is not None and find_column(names, ITEM_COLUMNS["segment"]) is None
    )


def read_system_table(path: PathLike, *, needed: Sequence[str] = (), people: bool = False) -> list[SystemScores]:
    r"""Read what metrics (and people) say of whole systems, one entry a column of numbers; higher is better in all.

    "-" is standard input. Columns: system, perhaps pair (a row is then a system of one language pair), and numbers. A
    single column called score or value takes the name of the file. An empty cell, nan, None and NA are no value, and
    counted in a note, as are columns that hold hardly a number. needed: columns that must hold numbers if they are
    there. people: so must the first that is called rank, gold or human.

    Raises InputError with file and line for no column of systems or of numbers, a system twice in one pair, a cell that
    is no number in a column that is needed, or in which most cells are numbers.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "systems.csv")
    >>> _ = path.write_text("system,human,BLEU\nA,0.5,31.5\nB,0.4,28\n")
    >>> [(one.metric, one.pairs[""]) for one in read_system_table(path)]
    [('human', {'A': 0.5, 'B': 0.4}), ('BLEU', {'A': 31.5, 'B': 28.0})]
    """
    table = read_named_table(path, EXPECTED)
    there = table.frame.columns
    column = require_column(there, "system", ITEM_COLUMNS["system"], table.head)
    pair = find_column(there, ITEM_COLUMNS["pair"])
    rest = [name for name in there if name not in (column, pair)]
    must = {*needed, *([find_column(rest, GOLD_COLUMNS)] if people else [])}
    found = [name for name in rest if name in must or mostly_numbers(table.frame[name])]
    if not found:
        raise InputError(
            f"{table.head}: no column of numbers among {list_columns(there)}, expected at least one beside system"
        )
    if not table.frame.height:
        raise InputError(f"{table.name}: no systems after the line of names, expected at least one")
    systems = text_column(table, column, "system")
    pairs = [""] * len(systems) if pair is None else [split_pair(name) for name in text_column(table, pair, "pair")]
    refuse_repeated(table, pairs, systems)
    left = [name for name in rest if name not in found]
    notes = [f"{table.name}: {join_names(map(repr, left))} not read: no numbers"] if left else []
    return [
        metric_of_column(table, name, alone=len(found) == 1, pairs=pairs, systems=systems, notes=notes)
        for name in found
    ]


def metric_of_column(
    table: NamedTable, column: str, *, alone: bool, pairs: Sequence[str], systems: Sequence[str], notes: Sequence[str]
) -> SystemScores:
    """A column as the scores of one metric."""
    values = number_values(table, column)
    scores: dict[str, dict[str, float]] = defaultdict(dict)
    for pair, system, value in zip(pairs, systems, values.tolist(), strict=True):
        scores[pair][system] = value
    name = PurePath(table.name).name.partition(".")[0] if alone and column.strip().lower() in ANY else column
    missing = int(np.isnan(values).sum())
    said = [f"{table.name}: {pluralise(missing, 'system')} without a value of {column!r}"] if missing else []
    return SystemScores(name or column, dict(scores), notes=(*notes, *said))


def refuse_repeated(table: NamedTable, pairs: Sequence[str], systems: Sequence[str]) -> None:
    seen: set[tuple[str, str]] = set()
    for row, key in enumerate(zip(pairs, systems, strict=True)):
        if key in seen:
            of = f" of {key[0]}" if key[0] else ""
            raise InputError(
                f"{table.where(row)}: a second row of system {key[1]!r}{of}, expected one each; are these scores of "
                "segments? Then name the column that says which (segment)"
            )
        seen.add(key)
