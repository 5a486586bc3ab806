"""Lists with two rankings each, a person's and a machine's, as padded tables: what all measures of them take."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from rankscope.agreement.load import NOT_RANKED, not_ranked, refuse_item
from rankscope.data.rank_list import Ranking, normalise_ranks
from rankscope.data.rankings import Rankings
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.kernels.segments import place_in_group
from rankscope.typing import Bools, Floats, Ints

__all__ = [
    "PairedRanks",
    "as_list",
    "as_table",
    "in_pieces",
    "segments_of",
    "table_of",
]


T = TypeVar("T", bound=np.generic)
Lists = npt.ArrayLike | Sequence[npt.ArrayLike] | Sequence[Ranking]
#: Items that are measured at once.
CELLS = 1 << 14


@dataclass(frozen=True, eq=False)
class PairedRanks:
    """gold, predicted: (lists, items) lower is better, NaN behind the last item of a list, in both alike.

    systems: (lists, items) whose each item is; None where an item's place says so.
    """

    gold: Floats
    predicted: Floats
    systems: npt.NDArray[np.int32] | None = None

    def __len__(self) -> int:
        return len(self.gold)

    @cached_property
    def there(self) -> Bools:
        """(lists, items) where there is an item."""
        return ~np.isnan(self.gold)

    @cached_property
    def lengths(self) -> Ints:
        """(lists) items of each."""
        return np.asarray(np.count_nonzero(self.there, axis=1), np.int64)

    def gold_ranks(self, ties: str = "ceiling") -> Floats:
        return normalise_ranks(self.gold, ties)

    def predicted_ranks(self, ties: str = "ceiling") -> Floats:
        return normalise_ranks(self.predicted, ties)

    def rows(self, which: npt.NDArray[Any] | slice) -> PairedRanks:
        systems = None if self.systems is None else self.systems[which]
        return PairedRanks(self.gold[which], self.predicted[which], systems)


def in_pieces(function: Callable[[PairedRanks], npt.NDArray[T]], table: PairedRanks) -> npt.NDArray[T]:
    """(lists, ...) what a function gives of each list, of some lists at a time, so that memory stays small."""
    step = max(1, CELLS // max(table.gold.shape[1], 1))
    if len(table) <= step:
        return function(table)
    parts = [function(table.rows(slice(start, start + step))) for start in range(0, len(table), step)]
    return np.concatenate(parts)


def as_list(gold: Any, predicted: Any, *, invert: bool = False) -> PairedRanks:
    """One list as a table. Raises InputError."""
    table = as_table([gold], [predicted], invert=invert, one=True)
    if not table.lengths[0]:
        raise InputError("the list has no item, expected at least one with a gold and a predicted rank")
    return table


def as_table(gold: Lists, predicted: Lists, *, invert: bool = False, one: bool = False) -> PairedRanks:
    """Many lists as a table: padded with NaN, or lists of several lengths. Raises InputError for what is no such."""
    a, b = padded(gold, "gold", one), padded(predicted, "predicted", one)
    if len(a) != len(b):
        raise InputError(f"{len(a)} lists of gold ranks and {len(b)} of predicted ones, expected as many")
    for i, (x, y) in enumerate(zip(a, b, strict=True)):
        if x.size != y.size:
            which = "" if one else f"list {i + 1}: "
            raise InputError(f"{which}{x.size} gold ranks and {y.size} predicted ones, expected as many")
    lengths = np.array([x.size for x in a], np.int64)
    tables = np.full((2, len(a), int(lengths.max(initial=0))), np.nan)
    inside = np.arange(tables.shape[2]) < lengths[:, None]
    for table, lists in zip(tables, (a, b), strict=True):
        if lists:
            table[inside] = np.concatenate(lists)
    missing = np.isnan(tables[0]) != np.isnan(tables[1])
    if missing.any() or (one and np.isnan(tables[0]).any()):
        i, j = np.argwhere(missing if missing.any() else np.isnan(tables[0]))[0].tolist()
        which = "gold" if np.isnan(tables[0, i, j]) else "predicted"
        where = f"item {j + 1}" if one else f"item {j + 1} of list {i + 1}"
        raise InputError(f"{where} has no {which} rank (NaN), expected a number; leave the item out of both")
    check_ranks(tables[0], lambda at: "" if one else f" of list {at + 1}")
    return PairedRanks(tables[0], -tables[1] if invert else tables[1])


def padded(lists: Any, what: str, one: bool) -> list[Floats]:
    """Each list as floats."""
    found = []
    for i, values in enumerate(lists):
        if isinstance(values, Ranking):
            values = values.values
        try:
            row = np.asarray(values)
            if row.dtype.kind not in "biuf" and row.size:
                raise ValueError
            row = row.astype(np.float64)
        except (TypeError, ValueError):
            which = "" if one else f" of list {i + 1}"
            raise InputError(f"the {what} ranks{which} are no numbers, expected ranks, as [1, 2, 2]") from None
        if row.ndim != 1:
            expected = "one list of ranks" if one else "lists of ranks"
            raise InputError(f"the {what} ranks have shape {np.shape(values)}, expected {expected}")
        if np.isinf(row).any():
            which = "" if one else f" of list {i + 1}"
            raise InputError(f"a {what} rank{which} is infinite, expected a finite number; leave the item out")
        found.append(row)
    return found


def check_ranks(gold: Floats, where: Any) -> None:
    """Raise InputError for a gold rank below 0: -1 says that nobody ranked the item."""
    below = np.argwhere(gold < 0)
    if below.size:
        i, j = below[0].tolist()
        raise InputError(
            f"item {j + 1}{where(i)} has gold rank {gold[i, j]:g}, expected at least 0 (-1 means that it was not "
            "ranked, not that it is best); leave the item out"
        )


def table_of(
    rankings: Rankings, gold: str, predicted: str, *, missing: str = "error", invert: bool = False
) -> tuple[PairedRanks, int]:
    """Two columns as a table, and how many items were left out. Raises InputError, UnknownName, ParameterError.

    missing: an item without one of the two (NaN; -1, "not ranked") is refused ("error") or left out ("drop"). In the
    predicted column -1 is a number like others where it holds scores, or another number below 0.
    invert: the predicted column holds scores, of which higher is better.
    """
    if missing not in ("error", "drop"):
        raise ParameterError(f"missing is {missing!r}, expected 'error' or 'drop'")
    for name in (gold, predicted):
        if name not in rankings.columns:
            raise UnknownName("column of these rankings", str(name), rankings.columns)
    if gold in rankings.scores:
        raise ParameterError(f"gold is {gold!r}, a column of scores; expected ranks by people, of which 1 is the best")
    absent, found = [], []
    score = invert or predicted in rankings.scores
    for name in (gold, predicted):
        values = rankings.columns[name]
        # Beside other values below 0, -1 is a number like others; among ranks it says that there is none.
        marks = not score and not bool(((values < 0) & (values != NOT_RANKED)).any())
        none = np.isnan(values) | ((values == NOT_RANKED) & marks)
        absent.append(not_ranked(rankings, gold) if name == gold else none)
        found.append(values)
    left_out = absent[0] | absent[1]
    if missing == "error" and left_out.any():
        item = int(np.flatnonzero(left_out)[0])
        name = gold if absent[0][item] else predicted
        refuse_item(
            rankings, item, name, "expected a rank; correct it, or leave such items out with --missing drop (missing=)"
        )
    judgment, place = rankings.judgment, place_in_group(rankings.offsets)
    shape = len(rankings), int(np.diff(rankings.offsets).max(initial=0))
    tables = []
    for values, sign in zip(found, (1.0, -1.0 if score else 1.0), strict=True):
        table = np.full(shape, np.nan)
        table[judgment, place] = np.where(left_out, np.nan, sign * values)
        tables.append(table)
    systems = np.full(shape, -1, np.int32)
    systems[judgment, place] = rankings.system.codes
    whole = PairedRanks(tables[0], tables[1], systems)
    return compact(whole) if left_out.any() else whole, int(np.count_nonzero(left_out))


def compact(table: PairedRanks) -> PairedRanks:
    """Items at the front of their lists, in their order."""
    order = np.argsort(~table.there, axis=1, kind="stable")
    gold, predicted = (np.take_along_axis(values, order, axis=1) for values in (table.gold, table.predicted))
    systems = None if table.systems is None else np.take_along_axis(table.systems, order, axis=1)
    return PairedRanks(gold, predicted, systems)


def segments_of(rankings: Rankings) -> Ints:
    """(lists) a number for the segment of each; segments of two language pairs are two."""
    pair, segment = rankings.pair.codes.astype(np.int64), rankings.segment.codes.astype(np.int64)
    return np.asarray(pair * len(rankings.segment.names) + segment, np.int64)
