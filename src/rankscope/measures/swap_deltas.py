"""Swap deltas: how much a measure changes if two documents of a list change places, in closed form."""

from __future__ import annotations

import numpy as np

from rankscope.data.hits import Hits
from rankscope.kernels.segments import cumulative_product, cumulative_sum
from rankscope.typing import Bools, Floats, Ints

__all__ = [
    "precision_sum_changes",
    "reciprocal_rank_changes",
    "stopping_changes",
    "sum_changes",
]


#: Least probability to go on after a document: 1 minus less than this is 1.
MIN_CONTINUATION = 2.0**-53


def sum_changes(gain: Floats, rank_weights: Floats, first: Ints, second: Ints) -> Floats:
    """(pairs) changes of the sum over the hits of the gain times the weight of the rank."""
    return np.asarray((gain[first] - gain[second]) * (rank_weights[second] - rank_weights[first]))


def order_by_rank(hits: Hits, first: Ints, second: Ints) -> tuple[Ints, Ints]:
    """The two hits of each pair, the one that ranks higher first."""
    swapped = hits.rank[first] > hits.rank[second]
    return np.where(swapped, second, first), np.where(swapped, first, second)


def precision_sum_changes(hits: Hits, relevant: Bools, rank_weights: Floats, first: Ints, second: Ints) -> Floats:
    """(pairs) changes of the sum over relevant hits of the relevant ones that rank as high, times the rank's weight.

    rank_weights: (hits) 1 / rank within the cutoff, 0 beyond.
    """
    i, j = order_by_rank(hits, first, second)
    relevant_above = hits.count_above(relevant).astype(np.float64)
    weight_sums = cumulative_sum(rank_weights * relevant, hits.offsets)
    between = weight_sums[j] - relevant[j] * rank_weights[j] - weight_sums[i]
    # The changes where only the upper hit of a pair is relevant, and where only the lower one is.
    upper_change = (relevant_above[j] * rank_weights[j]) - (relevant_above[i] + 1) * rank_weights[i] - between
    lower_change = (relevant_above[i] + 1) * rank_weights[i] - (relevant_above[j] + 1) * rank_weights[j] + between
    return np.asarray(np.where(relevant[i] == relevant[j], 0.0, np.where(relevant[i], upper_change, lower_change)))


def reciprocal_rank_changes(hits: Hits, relevant: Bools, rank_weights: Floats, first: Ints, second: Ints) -> Floats:
    """(pairs) changes of the weight of the rank of the first relevant hit."""
    i, j = order_by_rank(hits, first, second)
    relevant_above = hits.count_above(relevant)
    relevant_hits = np.flatnonzero(relevant)
    first_weights = np.zeros(len(hits))  # (queries) the weight of the rank of the first relevant hit, and of the second
    second_weights = np.zeros(len(hits))
    for weights, n_above in ((first_weights, 0), (second_weights, 1)):
        hits_at_place = relevant_hits[relevant_above[relevant_hits] == n_above]
        weights[hits.query[hits_at_place]] = rank_weights[hits_at_place]
    query = hits.query[i]
    # The changes where only the upper hit of a pair is relevant, and where only the lower one is.
    next_weight = np.maximum(second_weights[query], rank_weights[j])
    upper_change = np.where(relevant_above[i] == 0, next_weight - first_weights[query], 0.0)
    lower_change = np.maximum(rank_weights[i] - first_weights[query], 0.0)
    return np.asarray(np.where(relevant[i] == relevant[j], 0.0, np.where(relevant[i], upper_change, lower_change)))


def stopping_changes(hits: Hits, stop_probability: Floats, rank_weights: Floats, first: Ints, second: Ints) -> Floats:
    """(pairs) changes of the expected weight of the rank where a reader stops. stop_probability: (hits), at most 1."""
    i, j = order_by_rank(hits, first, second)
    continuation = np.maximum(1.0 - stop_probability, MIN_CONTINUATION)
    reach_probability = cumulative_product(continuation, hits.offsets) / continuation
    # Summed from the bottom, where terms are small: differences of sums then lose no digits to larger terms above.
    reversed_offsets = (stop_probability.size - hits.offsets)[::-1]
    expected_weights = rank_weights * stop_probability * reach_probability
    sums_below = np.append(cumulative_sum(expected_weights[::-1], reversed_offsets)[::-1], 0.0)
    between = sums_below[i + 1] - sums_below[j]
    # The expected weight further down, of readers who pass the upper hit.
    weight_below = (between + rank_weights[j] * reach_probability[j]) / continuation[i]
    stop_difference = stop_probability[j] - stop_probability[i]
    return np.asarray(stop_difference * (rank_weights[i] * reach_probability[i] - weight_below))
