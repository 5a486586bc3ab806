"""Shapley values: what each document's change of rank contributes to the difference of two lists, in closed form.

Documents go, one after the other and in every order, from their ranks in the second list to those in the first. A
document's Shapley value is the mean, over all orders, of what its step changes; the values of all documents sum to the
difference (Shapley 1953). While documents are on their way, two of them may have one rank: neither is then above the
other.
"""

from __future__ import annotations

import numpy as np

from rankscope.data.hit_pairs import HitPairs
from rankscope.kernels.segments import bounds, cumulative_product, cumulative_sum
from rankscope.typing import Bools, Floats, Ints

__all__ = [
    "first_rank_shapley",
    "precision_sum_shapley",
    "stopping_shapley",
]


def precision_sum_shapley(pairs: HitPairs, relevant: Bools, weight_a: Floats, weight_b: Floats) -> Floats:
    """(documents) Shapley values of the sum over relevant documents of the relevant ones that rank as high, times the
    weight of the rank.

    weight_a, weight_b: (documents) weights of the ranks in both lists, falling with the rank; 0 for infinite ones.

    The sum is one over pairs of relevant documents, of the weight of the lower rank. So what a document changes is a
    sum over the others, which have their ranks of either list with the same probability: half of each.
    """
    documents = np.flatnonzero(relevant)
    n = documents.size
    query = np.tile(pairs.query[documents], 2)
    rank = np.concatenate((pairs.rank_a[documents], pairs.rank_b[documents]))
    weight = np.concatenate((weight_a[documents], weight_b[documents]))
    order = np.lexsort((rank, query))
    offsets = bounds(np.bincount(query, minlength=len(pairs.a)))
    query, weight = query[order], weight[order]
    n_as_high = np.arange(1, 2 * n + 1) - offsets[query]
    # The weights of the lower ranks of all pairs with the documents of both lists, and its own once more.
    sums = np.empty(2 * n)
    sums[order] = weight * (n_as_high + 1) + sums_below(weight, offsets)
    values = np.zeros(len(pairs))
    values[documents] = (sums[:n] - sums[n:]) / 2
    return values


def first_rank_shapley(pairs: HitPairs, relevant: Bools, weight_a: Floats, weight_b: Floats) -> Floats:
    """(documents) Shapley values of the highest weight of a rank of a relevant document.

    weight_a, weight_b: (documents) weights of the ranks in both lists; 0 for infinite ones.

    Above the highest weight that a document has in both lists, each document counts in one of them at most. Let u
    documents exceed a weight in the first list, d in the second: then one of the u changes whether any does if it is
    the first of them after all of the d, with probability 1 / (u C(u + d, u)); likewise the others.
    """
    documents = np.flatnonzero(relevant)
    query = np.tile(pairs.query[documents], 2)
    weight = np.concatenate((weight_a[documents], weight_b[documents]))
    highest_in_both = np.zeros(len(pairs.a))
    np.maximum.at(highest_in_both, pairs.query[documents], np.minimum(weight_a[documents], weight_b[documents]))
    entries = np.flatnonzero(weight > highest_in_both[query])
    entries = entries[np.lexsort((-weight[entries], query[entries]))]
    query, weight, is_a = query[entries], weight[entries], entries < documents.size
    offsets = bounds(np.bincount(query, minlength=len(pairs.a)))
    is_last = np.diff(query, append=-1) != 0
    widths = weight - np.where(is_last, highest_in_both[query], np.append(weight[1:], 0.0))
    n_a = cumulative_sum(is_a.astype(np.float64), offsets)
    n_b = np.arange(1, entries.size + 1) - offsets[query] - n_a
    log_factorials = np.concatenate((np.zeros(1), np.cumsum(np.log(np.arange(1, entries.size + 1)))))
    up, down = n_a.astype(np.int64), n_b.astype(np.int64)
    n_orders = np.exp(log_factorials[up + down] - log_factorials[up] - log_factorials[down])
    shares_a = widths / (np.maximum(n_a, 1) * n_orders)
    shares_b = widths / (np.maximum(n_b, 1) * n_orders)
    steps = np.where(is_a, shares_a + sums_below(shares_a, offsets), -(shares_b + sums_below(shares_b, offsets)))
    values = np.zeros(len(pairs))
    np.add.at(values, documents[entries % max(documents.size, 1)], steps)
    return values


def stopping_shapley(pairs: HitPairs, stop_probability: Floats, weight_a: Floats, weight_b: Floats) -> Floats:
    """(documents) Shapley values of the expected weight of the rank where a reader stops.

    stop_probability: (documents); weight_a, weight_b: (documents) weights of the ranks in both lists, 0 for infinite
    ones.

    If each document has its rank of the first list with probability t, the expectation is a polynomial in the t of all
    documents, and the Shapley value of a document is the integral, over t from 0 to 1, of the derivative by its own t
    (Owen 1972). Gauss and Legendre's quadrature is exact for such polynomials.
    """
    documents = np.flatnonzero(stop_probability > 0)
    n = documents.size
    if not n:
        return np.zeros(len(pairs))
    query = np.tile(pairs.query[documents], 2)
    rank = np.concatenate((pairs.rank_a[documents], pairs.rank_b[documents]))
    # Events: each document at its rank of the first list, then of the second. By query and rank, those of one rank are
    # one place.
    order = np.lexsort((rank, query))
    offsets = bounds(np.bincount(query, minlength=len(pairs.a)))
    position = np.empty(2 * n, np.int64)
    position[order] = np.arange(2 * n)
    starts_place = np.ones(2 * n, np.bool_)
    starts_place[1:] = (rank[order][1:] != rank[order][:-1]) | (query[order][1:] != query[order][:-1])
    place = np.cumsum(starts_place) - 1
    place_starts = np.flatnonzero(starts_place)
    place_ends = np.append(place_starts[1:], 2 * n) - 1
    is_first_place = place_starts == offsets[query[order][place_starts]]
    place_a, place_b = place[position[:n]], place[position[n:]]
    a_is_higher = rank[:n] < rank[n:]
    has_moved = place_a != place_b
    is_upper = np.concatenate((position[:n] < position[n:], position[n:] < position[:n]))
    is_lower_place = np.concatenate((has_moved & ~a_is_higher, has_moved & a_is_higher))
    stop = stop_probability[documents]
    stop_twice, weight = np.tile(stop, 2), np.concatenate((weight_a[documents], weight_b[documents]))
    values = np.zeros(n)
    for t, node_weight in zip(
        *legendre_nodes(int(np.bincount(query[:n], has_moved).max(initial=0)) // 2 + 1), strict=True
    ):
        probability = np.concatenate((np.full(n, t), np.full(n, 1.0 - t)))
        upper_probability = np.where(is_upper[:n], t, 1.0 - t)  # that a document is where it ranks higher
        pass_upper = 1.0 - stop * upper_probability
        factors = np.where(is_upper, np.tile(pass_upper, 2), np.tile((1.0 - stop) / pass_upper, 2))
        passed = cumulative_product(factors[order], offsets)
        reach = np.where(is_first_place, 1.0, passed[place_starts - 1])[place]  # past all documents above this place
        reach = reach[position] / np.where(is_lower_place, np.tile(pass_upper, 2), 1.0)  # whatever its own rank
        stops = weight * stop_twice * reach
        expected = cumulative_sum((probability * stops)[order], offsets)
        # The expected weight of other documents between the two places, and at the lower one.
        upper_place = np.where(a_is_higher, place_a, place_b)
        lower_place = np.where(a_is_higher, place_b, place_a)
        own = np.where(a_is_higher, (probability * stops)[n:], (probability * stops)[:n])
        between = expected[place_ends[lower_place]] - expected[place_ends[upper_place]] - own
        change_below = np.where(a_is_higher, -stop, stop) * between / pass_upper
        values += node_weight * (stops[:n] - stops[n:] + np.where(has_moved, change_below, 0.0))
    shapley_values = np.zeros(len(pairs))
    shapley_values[documents] = values
    return shapley_values


def legendre_nodes(n: int) -> tuple[Floats, Floats]:
    """Nodes and weights of Gauss and Legendre's quadrature from 0 to 1, exact for polynomials of degree 2n - 1."""
    nodes, weights = np.polynomial.legendre.leggauss(n)
    return (nodes + 1) / 2, weights / 2


def sums_below(values: Floats, offsets: Ints) -> Floats:
    """The sum of the values after each one in its group."""
    reversed_offsets = (values.size - offsets)[::-1]
    sums = cumulative_sum(values[::-1], reversed_offsets)[::-1]
    return np.asarray(sums - values)
