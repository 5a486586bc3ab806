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
    if not isinstance(ties, str) or ties not in TIE_RULES:
        raise UnknownName("tie rule", str(ties), TIE_RULES)


class Ranks(NamedTuple):
    """For each row asked for: its rank, and the first and last rank of those that have its score.

    in_order: the rows, as they were asked for, are known to rank in that order within each group.
    """

    rank: Ints
    first: Ints
    last: Ints
    in_order: bool


def rank_rows(
    scores: npt.NDArray[np.float64],
    offsets: Ints,
    wanted: npt.NDArray[np.intp],
    group: npt.NDArray[np.intp],
    ties: str,
    docs: Callable[[npt.NDArray[np.intp]], Fields],
    say: Callable[[int], str],
) -> Ranks:
    """Rank rows by falling score within their group, and return the ranks (from 1) of the wanted ones.

    scores: (rows), grouped by `offsets`. wanted: rows, rising. group: that of each wanted row. docs: gives the ids
    of rows, asked only for groups of equal scores that hold a wanted row. say: names a row in the error of
    the rule "error". Sorts nothing that is in order already.
    """
    place = wanted
    order = sorting_order(scores, offsets, stable=ties == "file")
    if order is not None:
        scores = scores[order]
        inverse = np.empty(order.size, np.intp)
        inverse[order] = np.arange(order.size)
        place = inverse[wanted]
    base = offsets[group] - 1  # ranks count from 1
    new = np.empty(scores.size, np.bool_)
    new[:1] = True
    np.not_equal(scores[1:], scores[:-1], out=new[1:])
    if new.all():
        rank = place - base
        return Ranks(rank, rank, rank, order is None)
    firsts = offsets[:-1]
    new[firsts[firsts < new.size]] = True  # a group without rows has no first
    starts = np.flatnonzero(new)
    tie = (np.cumsum(new) - 1)[place]
    first = starts[tie]
    last = np.append(starts, scores.size)[tie + 1] - 1
    tied = last > first
    if ties not in ("file", "average") and tied.any():
        if ties == "error":
            row = int(np.argmax(tied))
            raise InputError(
                f"{say(int(wanted[row]))} shares its score with {int(last[row] - first[row])} more and ties are "
                "refused (ties='error'); choose a rule: doc_id_desc, file or average"
            )
        place = place.copy()
        place[tied] = break_ties(place[tied], tie[tied], first[tied], last[tied], order, docs)
    return Ranks(place - base, first - base, last - base, order is None and not tied.any())


def sorting_order(scores: npt.NDArray[np.float64], offsets: Ints, stable: bool) -> npt.NDArray[np.intp] | None:
    """The order of all rows that sorts each group by falling score; None where they are in that order."""
    rises = (scores[1:] > scores[:-1]).nonzero()[0] + 1
    if not rises.size:
        return None
    if offsets.size == 2:
        return (-scores).argsort(kind="stable" if stable else None)
    groups = np.searchsorted(offsets, rises, side="right") - 1
    groups = groups[offsets[groups] != rises]  # a rise from one group to the next is none
    if not groups.size:
        return None
    groups = groups[np.concatenate(([True], groups[1:] != groups[:-1]))]
    order = np.arange(scores.size)
    lengths = offsets[groups + 1] - offsets[groups]
    rows = ranges(offsets[groups], lengths)
    order[rows] = rows[order_falling(scores[rows], lengths, stable)]
    return order


def break_ties(
    place: npt.NDArray[np.intp],
    tie: npt.NDArray[np.intp],
    first: npt.NDArray[np.intp],
    last: npt.NDArray[np.intp],
    order: npt.NDArray[np.intp] | None,
    docs: Callable[[npt.NDArray[np.intp]], Fields],
) -> npt.NDArray[np.intp]:
    """Where each tied row stands when its tie group is ordered by falling document id."""
    groups, at, member = np.unique(tie, return_index=True, return_inverse=True)
    lengths = last[at] - first[at] + 1
    places = ranges(first[at], lengths)  # all places of the tie groups
    rows = places if order is None else order[places]
    sorted_ = order_descending(np.repeat(np.arange(groups.size), lengths), docs(rows))
    now = np.empty(places.size, np.intp)
    now[sorted_] = np.arange(places.size)
    begins = np.cumsum(lengths) - lengths
    within = now[begins[member] + place - first] - begins[member]
    return np.asarray(first[at][member] + within, np.intp)
