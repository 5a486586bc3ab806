"""Averages over the orders of tied documents (ties="average"), in closed form.

McSherry and Najork (2008) give closed forms: where a value is a sum of rank weights, a tied document gets the mean
weight over the ranks of its group; where it depends on the documents above, the group is treated as a whole. The groups
above and below keep their ranks.
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
    """Groups of documents with one score that hold a hit, by query, then rank.

    Attributes
    ----------
    offsets
        Hits of each group, (groups + 1).
    query
        Query of each group.
    above
        Number of documents of the query above the group.
    size
        Number of its documents, judged or not.
    marked
        Number of its marked documents.
    marked_above
        Number of marked documents above it.
    """

    offsets: Ints
    query: Ints
    above: Floats
    size: Floats
    marked: Floats
    marked_above: Floats


def tie_groups(hits: Hits, marked: Bools) -> HitTieGroups:
    """The tie groups of all queries. marked: (hits)."""
    starts_group = np.ones(marked.size, np.bool_)
    starts_group[1:] = (hits.first[1:] != hits.first[:-1]) | (hits.query[1:] != hits.query[:-1])
    group_starts = np.flatnonzero(starts_group)
    offsets = np.append(group_starts, marked.size)
    marked_before = np.append(0, np.cumsum(marked))
    return HitTieGroups(
        offsets=offsets,
        query=hits.query[group_starts],
        above=hits.first[group_starts] - 1,
        size=hits.last[group_starts] - hits.first[group_starts] + 1,
        marked=(marked_before[offsets[1:]] - marked_before[offsets[:-1]]).astype(np.float64),
        marked_above=hits.count_above(marked)[group_starts].astype(np.float64),
    )


def mean_weight(hits: Hits, weight: Callable[[Floats], Floats], cutoff: int | Floats | None) -> Floats:
    """(hits) the weight of each hit's rank, 0 beyond the cutoff; ties="average": the mean over its group's ranks."""
    if hits.ties != "average" or isinstance(cutoff, np.ndarray):  # (queries): such cutoffs are not averaged
        values: Floats = weight(hits.rank)
        cutoff = cutoff[hits.query] if isinstance(cutoff, np.ndarray) else cutoff
        return values if cutoff is None else np.multiply(values, hits.rank <= cutoff)
    max_rank = int(hits.last.max(initial=0))
    if cutoff is not None:
        max_rank = min(max_rank, cutoff)
    rank_weights = weight(np.arange(1.0, max_rank + 1))
    weight_sums = np.append(0.0, np.cumsum(rank_weights))
    first, last = np.minimum(hits.first - 1, max_rank).astype(np.intp), np.minimum(hits.last, max_rank).astype(np.intp)
    mean_weights: Floats = (weight_sums[last] - weight_sums[first]) / (hits.last - hits.first + 1)
    untied = (hits.first == hits.last) & (hits.rank <= max_rank)
    mean_weights[untied] = rank_weights[first[untied]]  # not a difference of sums, which loses digits
    return mean_weights


def rank_of_first(hits: Hits, marked: Bools, cutoff: int | None) -> tuple[Ints, Floats, Floats]:
    """At which ranks, within the cutoff, the first marked document of a query may stand: query, rank, probability.

    Parameters
    ----------
    hits
        Hits of lists with tied documents.
    marked
        (hits) whether each is marked.
    cutoff
        Rank at which the lists end. None for no cutoff.

    Notes
    -----
    Of n tied documents with m marked, the first marked one is the i-th with probability
    m/n * (n-m)/(n-1) * (n-m-1)/(n-2) * ..., i factors.
    """
    groups = tie_groups(hits, marked)
    marked_groups = np.flatnonzero(groups.marked > 0)
    is_first = np.diff(groups.query[marked_groups], prepend=-1) > 0
    marked_groups = marked_groups[is_first]  # the first such group of each query
    above, n, m = groups.above[marked_groups], groups.size[marked_groups], groups.marked[marked_groups]
    n_ranks = n - m + 1
    if cutoff is not None:
        n_ranks = np.clip(cutoff - above, 0, n_ranks)
    offsets = bounds(n_ranks.astype(np.int64))
    group, i = group_of(offsets), place_in_group(offsets).astype(np.float64)
    n, m = n[group], m[group]
    factors = np.where(i == 0, m / n, (n - m - i + 1) / np.maximum(n - i, 1))
    return groups.query[marked_groups][group], above[group] + i + 1, cumulative_product(factors, offsets)


def mean_stops(hits: Hits, stop_probability: Floats, cutoff: int | None) -> Floats:
    """The expectation of 1 / rank where a reader stops, over the orders of tied documents.

    Parameters
    ----------
    hits
        The hits of a system.
    stop_probability
        The probability that the reader stops at each hit, (hits).
    cutoff
        Number of ranks that the reader sees. None for all.

    Returns
    -------
    array of shape (queries)
        The expectations.

    Notes
    -----
    Of a group of n tied documents let M_i be the mean, over all choices of i of them, of the probability to pass these
    i. The reader stops at its i-th place with probability M_(i-1) - M_i. M grows document by document: one more, with
    probability q to pass, is among the i of N + 1 in i/(N + 1) of the choices.
    """
    is_stopping = stop_probability > 0
    groups = tie_groups(hits, is_stopping)
    stopping_groups = np.flatnonzero(groups.marked > 0)
    offsets, query, above, size, marked, _ = groups
    n_read = size[stopping_groups]
    if cutoff is not None:
        n_read = np.clip(cutoff - above[stopping_groups], 0, n_read)
    n_means = n_read.astype(np.int64) + 1  # M_i of those i that are within the cutoff
    mean_offsets = bounds(n_means)  # of M_0 to M_n of each group
    i = place_in_group(mean_offsets).astype(np.float64)
    mean_pass = np.ones(i.size)  # documents that stop nobody are passed for certain
    stopped_before = hits.count_above(is_stopping)
    stopping_hits = np.flatnonzero(is_stopping)
    hit_group = np.repeat(np.arange(offsets.size - 1), np.diff(offsets))[stopping_hits]
    # The index of each stopping document among those of its group.
    index_in_group = stopped_before[stopping_hits] - groups.marked_above[hit_group]
    hit_slot = np.searchsorted(stopping_groups, hit_group)
    n_included = (size - marked)[stopping_groups]  # documents in M so far
    for step in range(int(marked.max(initial=0))):
        step_hits = stopping_hits[index_in_group == step]
        step_slots = hit_slot[index_in_group == step]
        step_means = ranges(mean_offsets[step_slots], n_means[step_slots])
        slot_index, n_chosen = np.repeat(np.arange(step_slots.size), n_means[step_slots]), i[step_means]
        pass_probability = (1.0 - stop_probability[step_hits])[slot_index]
        n_documents = n_included[step_slots][slot_index] + 1
        without = np.maximum(n_documents - n_chosen, 0.0) * mean_pass[step_means]
        with_it = n_chosen * pass_probability * mean_pass[np.maximum(step_means - 1, 0)]
        mean_pass[step_means] = (without + with_it) / n_documents
        n_included[step_slots] += 1
    # The probability to reach each group: that to pass all groups above, which are read to their ends.
    group_pass_probability = mean_pass[mean_offsets[1:] - 1]
    query_offsets = bounds(np.bincount(query[stopping_groups], minlength=len(hits)))
    pass_up_to_group = cumulative_product(group_pass_probability, query_offsets)
    reach_probability = np.ones(stopping_groups.size)
    reach_probability[1:] = pass_up_to_group[:-1]
    first_groups = query_offsets[:-1]
    reach_probability[first_groups[first_groups < reach_probability.size]] = 1.0
    mean_group = group_of(mean_offsets)
    rank = above[stopping_groups][mean_group] + i
    expectations = np.zeros(i.size)
    expectations[1:] = reach_probability[mean_group[1:]] * (mean_pass[:-1] - mean_pass[1:]) / np.maximum(rank[1:], 1)
    expectations[(i == 0) | (False if cutoff is None else rank > cutoff)] = 0.0
    return np.bincount(query[stopping_groups][mean_group], expectations, len(hits)).astype(np.float64, copy=False)
