"""What documents of one score are worth on average over their orders (ties="average").

McSherry and Najork (2008) give closed forms: where a value adds up what each rank is worth, a tied document gets the
mean over the ranks of its group; where it depends on what stands above, the group is taken as a whole. All else, the
groups above and below, stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from rankscope.data.hits import Hits
from rankscope.kernels.order import ranges
from rankscope.kernels.segments import bounds, cumulative_product, group_of, place_in_group
from rankscope.typing import Bools, Floats, Ints

__all__ = [
    "HitTieGroups",
    "mean_stops",
    "mean_weight",
    "rank_of_first",
    "tie_groups",
]


class HitTieGroups(NamedTuple):
    """Groups of documents of one score that hold a hit, by query, then rank.

    offsets: (groups + 1) their hits. above: how many documents of the query rank above the group. size: how many
    documents it holds, judged or not. marked: how many of them are marked. marked_above: how many above it are.
    """

    offsets: Ints
    query: Ints
    above: Floats
    size: Floats
    marked: Floats
    marked_above: Floats


def tie_groups(hits: Hits, marked: Bools) -> HitTieGroups:
    """The tie groups of all queries. marked: (hits)."""
    new = np.ones(marked.size, np.bool_)
    new[1:] = (hits.first[1:] != hits.first[:-1]) | (hits.query[1:] != hits.query[:-1])
    starts = np.flatnonzero(new)
    offsets = np.append(starts, marked.size)
    seen = np.append(0, np.cumsum(marked))
    return HitTieGroups(
        offsets=offsets,
        query=hits.query[starts],
        above=hits.first[starts] - 1,
        size=hits.last[starts] - hits.first[starts] + 1,
        marked=(seen[offsets[1:]] - seen[offsets[:-1]]).astype(np.float64),
        marked_above=hits.before(marked)[starts].astype(np.float64),
    )


def mean_weight(hits: Hits, weight: Callable[[Floats], Floats], cutoff: int | Floats | None) -> Floats:
    """(hits) what each hit's rank is worth, 0 beyond the cutoff; ties="average": the mean over its group's ranks."""
    if hits.ties != "average" or isinstance(cutoff, np.ndarray):  # (queries): such cutoffs are not averaged
        values: Floats = weight(hits.rank)
        cutoff = cutoff[hits.query] if isinstance(cutoff, np.ndarray) else cutoff
        return values if cutoff is None else np.multiply(values, hits.rank <= cutoff)
    deepest = int(hits.last.max(initial=0))
    if cutoff is not None:
        deepest = min(deepest, cutoff)
    worth = weight(np.arange(1.0, deepest + 1))
    total = np.append(0.0, np.cumsum(worth))
    first, last = np.minimum(hits.first - 1, deepest).astype(np.intp), np.minimum(hits.last, deepest).astype(np.intp)
    mean: Floats = (total[last] - total[first]) / (hits.last - hits.first + 1)
    alone = (hits.first == hits.last) & (hits.rank <= deepest)
    mean[alone] = worth[first[alone]]  # not a difference of sums, which loses digits
    return mean


def rank_of_first(hits: Hits, marked: Bools, cutoff: int | None) -> tuple[Ints, Floats, Floats]:
    """At which ranks, within the cutoff, the first marked document of a query may stand: query, rank, probability.

    Of n tied documents with m marked, the first marked one is the i-th with probability
    m/n * (n-m)/(n-1) * (n-m-1)/(n-2) * ..., i factors.
    """
    groups = tie_groups(hits, marked)
    some = np.flatnonzero(groups.marked > 0)
    some = some[np.diff(groups.query[some], prepend=-1) > 0]  # the first such group of each query
    above, n, m = groups.above[some], groups.size[some], groups.marked[some]
    lengths = n - m + 1
    if cutoff is not None:
        lengths = np.clip(cutoff - above, 0, lengths)
    offsets = bounds(lengths.astype(np.int64))
    group, i = group_of(offsets), place_in_group(offsets).astype(np.float64)
    n, m = n[group], m[group]
    chance = np.where(i == 0, m / n, (n - m - i + 1) / np.maximum(n - i, 1))
    return groups.query[some][group], above[group] + i + 1, cumulative_product(chance, offsets)


def mean_stops(hits: Hits, stop: Floats, cutoff: int | None) -> Floats:
    """(queries) the expectation of 1 / rank where a reader stops whom each hit stops with probability `stop`.

    Of a group of n tied documents let M_i be the mean, over all choices of i of them, of the probability to pass these
    i. The reader stops at its i-th place with probability M_(i-1) - M_i. M grows document by document: one more, with
    probability q to pass, is among the i of N + 1 in i/(N + 1) of the choices.
    """
    stopping = stop > 0
    groups = tie_groups(hits, stopping)
    some = np.flatnonzero(groups.marked > 0)
    offsets, query, above, size, marked, _ = groups
    read = size[some] if cutoff is None else np.clip(cutoff - above[some], 0, size[some])
    lengths = read.astype(np.int64) + 1  # M_i of those i that are within the cutoff
    places = bounds(lengths)  # of M_0 to M_n of each group
    i = place_in_group(places).astype(np.float64)
    mean = np.ones(i.size)  # documents that stop nobody are passed for certain
    stopped_before = hits.before(stopping)
    rows = np.flatnonzero(stopping)
    group = np.repeat(np.arange(offsets.size - 1), np.diff(offsets))[rows]
    turn = stopped_before[rows] - groups.marked_above[group]  # which of its group's stopping documents it is
    slot = np.searchsorted(some, group)
    known = (size - marked)[some]  # documents in M so far
    for step in range(int(marked.max(initial=0))):
        now = rows[turn == step]
        which = slot[turn == step]
        at = ranges(places[which], lengths[which])
        of, place = np.repeat(np.arange(which.size), lengths[which]), i[at]
        passing = (1.0 - stop[now])[of]
        n = known[which][of] + 1
        without = np.maximum(n - place, 0.0) * mean[at]
        with_it = place * passing * mean[np.maximum(at - 1, 0)]
        mean[at] = (without + with_it) / n
        known[which] += 1
    # The probability to come as far as each group: that to pass all groups above, which are read to their ends.
    passed = mean[places[1:] - 1]
    in_query = bounds(np.bincount(query[some], minlength=len(hits)))
    through = cumulative_product(passed, in_query)
    reached = np.ones(some.size)
    reached[1:] = through[:-1]
    firsts = in_query[:-1]
    reached[firsts[firsts < reached.size]] = 1.0
    of = group_of(places)
    rank = above[some][of] + i
    value = np.zeros(i.size)
    value[1:] = reached[of[1:]] * (mean[:-1] - mean[1:]) / np.maximum(rank[1:], 1)
    value[(i == 0) | (False if cutoff is None else rank > cutoff)] = 0.0
    return np.bincount(query[some][of], value, len(hits)).astype(np.float64, copy=False)
