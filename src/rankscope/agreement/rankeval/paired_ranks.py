"""Lists with two rankings each, a person's and a machine's, as padded tables: the input of all measures on them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from rankscope.agreement.judgments import NOT_RANKED, refuse_item
from rankscope.data.ranking import Ranking, normalise_ranks
from rankscope.data.rankings import Rankings
from rankscope.errors import InputError
from rankscope.kernels.pairs import PairCounts, count_pairs_by_row
from rankscope.kernels.segments import place_in_group
from rankscope.typing import Bools, Floats, Ints

__all__ = [
    "PairedRanks",
    "apply_in_chunks",
    "as_list",
    "as_table",
    "segments_of",
    "table_of",
]


T = TypeVar("T", bound=np.generic)
Lists = npt.ArrayLike | Sequence[npt.ArrayLike] | Sequence[Ranking]
#: How many items are measured at once.
CHUNK_ITEMS = 1 << 14


@dataclass(frozen=True, eq=False)
class PairedRanks:
    """Ranks by people and by the machine for each list.

    Attributes
    ----------
    gold, predicted
        Ranks, (lists, items), where lower is better; NaN in both after the last item of a list.
    systems
        The system of each item, (lists, items). None: the position of an item is its system.
    """

    gold: Floats
    predicted: Floats
    systems: npt.NDArray[np.int32] | None = None

    def __len__(self) -> int:
        return len(self.gold)

    @cached_property
    def present(self) -> Bools:
        """(lists, items) where there is an item."""
        return ~np.isnan(self.gold)

    @cached_property
    def lengths(self) -> Ints:
        """(lists) the number of items of each."""
        return np.asarray(np.count_nonzero(self.present, axis=1), np.int64)

    @cached_property
    def pair_counts(self) -> PairCounts:
        """(lists) the five classes of pairs; x is the person's ranking, y the machine's."""
        return count_pairs_by_row(self.gold, self.predicted)

    def gold_ranks(self, ties: str = "ceiling") -> Floats:
        return normalise_ranks(self.gold, ties)

    def predicted_ranks(self, ties: str = "ceiling") -> Floats:
        return normalise_ranks(self.predicted, ties)

    def rows(self, indices: npt.NDArray[Any] | slice) -> PairedRanks:
        systems = None if self.systems is None else self.systems[indices]
        return PairedRanks(self.gold[indices], self.predicted[indices], systems)


def apply_in_chunks(function: Callable[[PairedRanks], npt.NDArray[T]], table: PairedRanks) -> npt.NDArray[T]:
    """(lists, ...) a function's values for each list, computed on some lists at a time to keep memory small."""
    chunk_size = max(1, CHUNK_ITEMS // max(table.gold.shape[1], 1))
    if len(table) <= chunk_size:
        return function(table)
    chunks = [function(table.rows(slice(start, start + chunk_size))) for start in range(0, len(table), chunk_size)]
    return np.concatenate(chunks)


def as_list(gold: Any, predicted: Any, *, invert: bool = False) -> PairedRanks:
    """One list as a table. Raises InputError."""
    table = as_table([gold], [predicted], invert=invert, single=True)
    if not table.lengths[0]:
        raise InputError("the list has no item, expected at least one with a gold and a predicted rank")
    return table


def as_table(gold: Lists, predicted: Lists, *, invert: bool = False, single: bool = False) -> PairedRanks:
    """Many lists, padded with NaN or of several lengths, as a table. Raises InputError for anything else."""
    gold_lists, predicted_lists = lists_as_floats(gold, "gold", single), lists_as_floats(predicted, "predicted", single)
    if len(gold_lists) != len(predicted_lists):
        raise InputError(
            f"{len(gold_lists)} lists of gold ranks and {len(predicted_lists)} of predicted ones, expected as many"
        )
    for i, (x, y) in enumerate(zip(gold_lists, predicted_lists, strict=True)):
        if x.size != y.size:
            prefix = "" if single else f"list {i + 1}: "
            raise InputError(f"{prefix}{x.size} gold ranks and {y.size} predicted ones, expected as many")
    lengths = np.array([x.size for x in gold_lists], np.int64)
    tables = np.full((2, len(gold_lists), int(lengths.max(initial=0))), np.nan)
    inside = np.arange(tables.shape[2]) < lengths[:, None]
    for table, lists in zip(tables, (gold_lists, predicted_lists), strict=True):
        if lists:
            table[inside] = np.concatenate(lists)
    missing = np.isnan(tables[0]) != np.isnan(tables[1])
    if missing.any() or (single and np.isnan(tables[0]).any()):
        i, j = np.argwhere(missing if missing.any() else np.isnan(tables[0]))[0].tolist()
        kind = "gold" if np.isnan(tables[0, i, j]) else "predicted"
        item_text = f"item {j + 1}" if single else f"item {j + 1} of list {i + 1}"
        raise InputError(f"{item_text} has no {kind} rank (NaN), expected a number; leave the item out of both")
    check_ranks(tables[0], lambda index: "" if single else f" of list {index + 1}")
    return PairedRanks(tables[0], -tables[1] if invert else tables[1])


def lists_as_floats(lists: Any, kind: str, single: bool) -> list[Floats]:
    """Each list as floats."""
    rows = []
    for i, values in enumerate(lists):
        if isinstance(values, Ranking):
            values = values.values
        try:
            row = np.asarray(values)
            if row.dtype.kind not in "biuf" and row.size:
                raise ValueError
            row = row.astype(np.float64)
        except (TypeError, ValueError):
            of_list = "" if single else f" of list {i + 1}"
            raise InputError(f"the {kind} ranks{of_list} are not numbers, expected ranks, as [1, 2, 2]") from None
        if row.ndim != 1:
            expected = "one list of ranks" if single else "lists of ranks"
            raise InputError(f"the {kind} ranks have shape {np.shape(values)}, expected {expected}")
        if np.isinf(row).any():
            of_list = "" if single else f" of list {i + 1}"
            raise InputError(f"a {kind} rank{of_list} is infinite, expected a finite number; leave the item out")
        rows.append(row)
    return rows


def check_ranks(gold: Floats, list_text: Any) -> None:
    """Raise InputError for a gold rank below 0, as -1 for an item that nobody ranked.

    list_text: the text that names a list by its index.
    """
    invalid = np.argwhere(gold < 0)
    if invalid.size:
        i, j = invalid[0].tolist()
        raise InputError(
            f"item {j + 1}{list_text(i)} has gold rank {gold[i, j]:g}, expected at least 0 (-1 means that it was not "
            "ranked, not that it is best); leave the item out"
        )


def table_of(rankings: Rankings, gold: str, predicted: str, *, missing: str = "error") -> tuple[PairedRanks, int]:
    """Two columns of rankings as a table, and the number of items that people ranked and the prediction did not.

    Items that people did not rank (NaN) are skipped.

    Parameters
    ----------
    rankings
        The judgments.
    gold
        The human column.
    predicted
        The predicted column. There, -1 is a number like any other if the column holds scores or other numbers below 0;
        else it means not ranked.
    missing
        What is done with items without a predicted value: "error" or "drop".

    Raises
    ------
    InputError
        An item has no predicted value and `missing` is "error".
    """
    people, values = rankings.column(gold), rankings.column(predicted)
    # Beside other values below 0, -1 is a number like others; among ranks it marks a missing rank.
    marks_missing = rankings.are_ranks(predicted) and not ((values < 0) & (values != NOT_RANKED)).any()
    unranked = np.isnan(people)
    unpredicted = (np.isnan(values) | ((values == NOT_RANKED) & marks_missing)) & ~unranked
    if missing == "error" and unpredicted.any():
        expected = "a rank" if rankings.are_ranks(predicted) else "a score"
        refuse_item(
            rankings,
            int(np.flatnonzero(unpredicted)[0]),
            predicted,
            f"expected {expected}; correct it, or skip such items with --missing drop (missing=)",
        )
    skipped = unranked | unpredicted
    judgment, places = rankings.judgment, place_in_group(rankings.offsets)
    shape = len(rankings), int(np.diff(rankings.offsets).max(initial=0))
    tables = []
    for name in (gold, predicted):
        table = np.full(shape, np.nan)
        table[judgment, places] = np.where(skipped, np.nan, rankings.lower_is_better_values(name))
        tables.append(table)
    systems = np.full(shape, -1, np.int32)
    systems[judgment, places] = rankings.system.codes
    paired_ranks = PairedRanks(tables[0], tables[1], systems)
    return compact(paired_ranks) if skipped.any() else paired_ranks, int(np.count_nonzero(unpredicted))


def compact(table: PairedRanks) -> PairedRanks:
    """The same table with items moved to the front of their lists, in their order."""
    order = np.argsort(~table.present, axis=1, kind="stable")
    gold, predicted = (np.take_along_axis(values, order, axis=1) for values in (table.gold, table.predicted))
    systems = None if table.systems is None else np.take_along_axis(table.systems, order, axis=1)
    return PairedRanks(gold, predicted, systems)


def segments_of(rankings: Rankings) -> Ints:
    """(lists) a number for the segment of each; segments of different language pairs differ."""
    pair, segment = rankings.pair.codes.astype(np.int64), rankings.segment.codes.astype(np.int64)
    return np.asarray(pair * len(rankings.segment.names) + segment, np.int64)
