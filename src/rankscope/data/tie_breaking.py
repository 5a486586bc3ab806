"""The tie rule: the one place where lists are ranked and ties are broken."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.errors import InputError, UnknownName
from rankscope.kernels.order import order_falling, ranges
from rankscope.kernels.text import Fields, order_descending
from rankscope.typing import Ints

__all__ = [
    "TIE_RULES",
    "Ranks",
    "check_tie_rule",
    "rank_rows",
]


#: What happens to documents of one score: the rules and what they mean.
TIE_RULES = {
    "doc_id_desc": "by document id, bytes falling (what trec_eval does)",
    "file": "in the order of the input",
    "average": "in every order alike: the expected value, for measures that have a closed form",
    "error": "refused where a judged document is among them",
}


def check_tie_rule(ties: str) -> None:
    """Raise UnknownName for a rule that does not exist."""
    if not isinstance(ties, str) or ties not in TIE_RULES:
        raise UnknownName("tie rule", str(ties), TIE_RULES)


class Ranks(NamedTuple):
    """The rank of each target row.

    Attributes
    ----------
    rank
        Rank after ties are broken.
    first, last
        First and last rank of the rows that have its score.
    in_order
        Whether the target rows are known to rank in their order within each group.
    """

    rank: Ints
    first: Ints
    last: Ints
    in_order: bool


def rank_rows(
    scores: npt.NDArray[np.float64],
    offsets: Ints,
    target_rows: npt.NDArray[np.intp],
    target_groups: npt.NDArray[np.intp],
    ties: str,
    fetch_doc_ids: Callable[[npt.NDArray[np.intp]], Fields],
    describe_row: Callable[[int], str],
) -> Ranks:
    """Rank rows by falling score within their group, and give the ranks (from 1) of the target rows.

    Parameters
    ----------
    scores
        Scores, (rows).
    offsets
        Where the groups begin.
    target_rows
        Indices of rows, rising.
    target_groups
        Group of each of them.
    ties
        Tie rule.
    fetch_doc_ids
        Gives the document ids of rows; called only for ties that hold a target row.
    describe_row
        Names a row in the message of the rule "error".

    Returns
    -------
    Ranks
        Rows that are in order already are not sorted.
    """
    positions = target_rows
    order = sorting_order(scores, offsets, stable=ties == "file")
    if order is not None:
        scores = scores[order]
        inverse = np.empty(order.size, np.intp)
        inverse[order] = np.arange(order.size)
        positions = inverse[target_rows]
    rank_base = offsets[target_groups] - 1  # ranks count from 1
    starts_tie = np.empty(scores.size, np.bool_)
    starts_tie[:1] = True
    np.not_equal(scores[1:], scores[:-1], out=starts_tie[1:])
    if np.count_nonzero(starts_tie) == starts_tie.size:  # for short lists four times as fast as .all()
        rank = positions - rank_base
        return Ranks(rank, rank, rank, order is None)
    group_starts = offsets[:-1]
    starts_tie[group_starts[group_starts < starts_tie.size]] = True  # a group without rows has no first
    tie_starts = np.flatnonzero(starts_tie)
    tie_index = (np.cumsum(starts_tie) - 1)[positions]
    first = tie_starts[tie_index]
    last = np.append(tie_starts, scores.size)[tie_index + 1] - 1
    is_tied = last > first
    if ties not in ("file", "average") and is_tied.any():
        if ties == "error":
            index = int(np.argmax(is_tied))
            raise InputError(
                f"{describe_row(int(target_rows[index]))} shares its score with {int(last[index] - first[index])} more "
                "and ties are refused (ties='error'); choose a rule: doc_id_desc, file or average"
            )
        positions = positions.copy()
        positions[is_tied] = break_ties(
            positions[is_tied], tie_index[is_tied], first[is_tied], last[is_tied], order, fetch_doc_ids
        )
    return Ranks(positions - rank_base, first - rank_base, last - rank_base, order is None and not is_tied.any())


def sorting_order(scores: npt.NDArray[np.float64], offsets: Ints, stable: bool) -> npt.NDArray[np.intp] | None:
    """The order of all rows that sorts each group by falling score; None where they are in this order already."""
    is_rise = scores[1:] > scores[:-1]
    if not np.count_nonzero(is_rise):
        return None
    if offsets.size == 2:
        return (-scores).argsort(kind="stable" if stable else None)
    rises = is_rise.nonzero()[0] + 1
    unsorted_groups = np.searchsorted(offsets, rises, side="right") - 1
    unsorted_groups = unsorted_groups[offsets[unsorted_groups] != rises]  # a rise between two groups is none
    if not unsorted_groups.size:
        return None
    unsorted_groups = unsorted_groups[np.concatenate(([True], unsorted_groups[1:] != unsorted_groups[:-1]))]
    order = np.arange(scores.size)
    lengths = offsets[unsorted_groups + 1] - offsets[unsorted_groups]
    rows = ranges(offsets[unsorted_groups], lengths)
    order[rows] = rows[order_falling(scores[rows], lengths, stable)]
    return order


def break_ties(
    positions: npt.NDArray[np.intp],
    tie_index: npt.NDArray[np.intp],
    first: npt.NDArray[np.intp],
    last: npt.NDArray[np.intp],
    order: npt.NDArray[np.intp] | None,
    fetch_doc_ids: Callable[[npt.NDArray[np.intp]], Fields],
) -> npt.NDArray[np.intp]:
    """The position of each tied row when its tie group is ordered by falling document id."""
    groups, first_members, tie_of_row = np.unique(tie_index, return_index=True, return_inverse=True)
    lengths = last[first_members] - first[first_members] + 1
    tie_positions = ranges(first[first_members], lengths)  # all positions of the tie groups
    rows = tie_positions if order is None else order[tie_positions]
    id_order = order_descending(np.repeat(np.arange(groups.size), lengths), fetch_doc_ids(rows))
    sorted_places = np.empty(tie_positions.size, np.intp)
    sorted_places[id_order] = np.arange(tie_positions.size)
    tie_offsets = np.cumsum(lengths) - lengths
    place_in_tie = sorted_places[tie_offsets[tie_of_row] + positions - first] - tie_offsets[tie_of_row]
    return np.asarray(first[first_members][tie_of_row] + place_in_tie, np.intp)
