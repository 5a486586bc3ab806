"""Shapley values of any measure, from its values of lists on the way from one to the other: exact, or sampled.

Documents that moved go, one after the other, from their ranks in the second list to those in the first; where lists
differ in length, so does the length. Where two of them meet at a rank, one is a rank further down. For up to 12 of them
the measure is called with every subset of those that have moved, for more with the subsets of randomly sampled orders,
each together with its reverse (antithetic; Mitchell et al. 2022). Either way the values sum to the difference.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from math import factorial
from typing import NamedTuple

import numpy as np

from rankscope.data.hit_pairs import HitPairs
from rankscope.data.hits import Hits
from rankscope.kernels.segments import bounds
from rankscope.measures.base import Measure
from rankscope.typing import Bools, Floats, Ints

__all__ = [
    "MAX_EXACT",
    "ShapleyValues",
    "shapley_values",
]


#: So many documents may move for exact values.
MAX_EXACT = 12
#: Documents of all lists that are measured at once, and at most in all: of many or long lists fewer orders are sampled.
DOCUMENTS_AT_ONCE, MAX_DOCUMENTS = 1 << 20, 1 << 24
#: The fewest orders of a query, with their reverses.
MIN_ORDERS = 8


class ShapleyValues(NamedTuple):
    """Shapley values of the differences of all queries.

    Attributes
    ----------
    values, errors
        (documents) the values and their standard errors, 0 where they are exact.
    length
        (queries) what the number of retrieved documents contributes.
    n_sampled
        Number of queries whose values are sampled.
    """

    values: Floats
    errors: Floats
    length: Floats
    n_sampled: int


class Players(NamedTuple):
    """What changes on a query.

    Attributes
    ----------
    documents
        All documents of the query in either list, as a range of their indices.
    moved
        Indices of those that moved, from 0 within the range.
    has_length
        Whether the number of retrieved documents is the last player.
    """

    documents: slice
    moved: Ints
    has_length: bool

    @property
    def size(self) -> int:
        return self.moved.size + self.has_length


def shapley_values(measure: Measure, pairs: HitPairs, n_orders: int, seed: int, query_numbers: Ints) -> ShapleyValues:
    """The Shapley values of all documents.

    Parameters
    ----------
    measure
        Any measure of lists in one order (not ties="average").
    pairs
        The documents of both lists.
    n_orders
        How many orders are sampled.
    seed
        Seed of the random orders.
    query_numbers
        (queries) number of each query's random stream.
    """
    values, errors, length = np.zeros(len(pairs)), np.zeros(len(pairs)), np.zeros(len(pairs.a))
    players = players_of(measure, pairs)
    exact = [q for q, of_query in enumerate(players) if 0 < of_query.size <= MAX_EXACT]
    for batch in batches(exact, players):
        subsets = [all_subsets(players[q].size) for q in batch]
        measured = subset_values(measure, pairs, batch, [players[q] for q in batch], subsets)
        for q, values_of_subsets in zip(batch, measured, strict=True):
            effects = shapley_weights(players[q].size) @ values_of_subsets
            length[q] = place_effects(values, players[q], effects)
    sampled = [q for q, of_query in enumerate(players) if of_query.size > MAX_EXACT]
    for q in sampled:
        rng = np.random.default_rng([seed, int(query_numbers[q])])
        n_affordable = MAX_DOCUMENTS // len(sampled) // documents_per_order(players[q])
        n_of_query = max(min(n_orders, n_affordable), MIN_ORDERS)
        means, standard_errors = sampled_effects(measure, pairs, q, players[q], n_of_query, rng)
        length[q] = place_effects(values, players[q], means)
        place_effects(errors, players[q], standard_errors)
    return ShapleyValues(values, errors, length, len(sampled))


def documents_per_order(players: Players) -> int:
    """How many documents the lists on the way of one order have, at most."""
    n_documents: int = players.documents.stop - players.documents.start
    return (players.size + 1) * max(n_documents, 1)


def players_of(measure: Measure, pairs: HitPairs) -> list[Players]:
    """What changes on each query. Documents beyond the cutoff in both lists are left out where they cannot count."""
    moved = pairs.moved
    if measure.needs_first_k_only():
        moved = moved & (np.minimum(pairs.rank_a, pairs.rank_b) <= int(getattr(measure, "cutoff", 0)))
    offsets = np.searchsorted(pairs.query, np.arange(len(pairs.a) + 1)).tolist()
    has_length = (pairs.a.retrieved != pairs.b.retrieved).tolist()
    return [
        Players(slice(start, stop), np.flatnonzero(moved[start:stop]), length)
        for start, stop, length in zip(offsets[:-1], offsets[1:], has_length, strict=True)
    ]


def place_effects(target: Floats, players: Players, effects: Floats) -> float:
    """Put the effects of documents in their places; returns that of the length."""
    target[players.documents.start + players.moved] = effects[: players.moved.size]
    return float(effects[-1]) if players.has_length else 0.0


def batches(queries: list[int], players: list[Players]) -> Iterator[list[int]]:
    """Queries in batches whose lists can be measured at once."""
    batch: list[int] = []
    n_documents = 0
    for q in queries:
        n_documents += (players[q].documents.stop - players[q].documents.start) << players[q].size
        batch.append(q)
        if n_documents > DOCUMENTS_AT_ONCE:
            yield batch
            batch, n_documents = [], 0
    if batch:
        yield batch


@cache
def all_subsets(n: int) -> Bools:
    """(2^n, n) whether each subset holds each player."""
    return (np.arange(1 << n)[:, np.newaxis] >> np.arange(n) & 1).astype(np.bool_)


@cache
def shapley_weights(n: int) -> Floats:
    """(n, 2^n) the weight of each subset's value in the Shapley value of each player."""
    members = all_subsets(n)
    sizes = members.sum(axis=1)
    by_size = np.array([factorial(k) * factorial(n - k - 1) / factorial(n) for k in range(n)] + [0.0])
    weights: Floats = np.where(members, by_size[sizes - 1][:, np.newaxis], -by_size[sizes][:, np.newaxis]).T
    return weights


def subset_values(
    measure: Measure, pairs: HitPairs, queries: list[int], players: list[Players], subsets: list[Bools]
) -> list[Floats]:
    """For each query the value of every subset: its members are as in the first list, all else as in the second."""
    columns = []
    for q, of_query, members in zip(queries, players, subsets, strict=True):
        documents = of_query.documents
        n_documents = documents.stop - documents.start
        in_first = np.zeros((len(members), n_documents), np.bool_)
        in_first[:, of_query.moved] = members[:, : of_query.moved.size]
        ranks = np.where(in_first, pairs.rank_a[documents], pairs.rank_b[documents])
        order = np.argsort(ranks, axis=1, kind="stable")
        ranks = distinct_ranks(np.take_along_axis(ranks, order, axis=1))
        is_listed = np.isfinite(ranks)
        has_first_length = members[:, -1] if of_query.has_length else np.zeros(len(members), np.bool_)
        columns.append(
            (
                np.full(len(members), q),
                is_listed.sum(axis=1),
                ranks[is_listed],
                (order + documents.start)[is_listed],
                np.where(has_first_length, pairs.a.retrieved[q], pairs.b.retrieved[q]),
            )
        )
    row_query, n_hits, rank, document, retrieved = (np.concatenate(parts) for parts in zip(*columns, strict=True))
    values = measure(hits_of_subsets(pairs, row_query, n_hits, rank, document, retrieved))
    return np.split(values, np.cumsum([len(members) for members in subsets])[:-1])


def distinct_ranks(ranks: Floats) -> Floats:
    """(lists, documents) ranks, of which those that another document has already are further down, by as little as
    possible. Of the two lists themselves they do not change.
    """
    places = np.arange(ranks.shape[1])
    return np.asarray(np.maximum.accumulate(ranks - places, axis=1) + places)


def hits_of_subsets(
    pairs: HitPairs, row_query: Ints, n_hits: Ints, rank: Floats, document: Ints, retrieved: Ints
) -> Hits:
    """The hits of all subsets, as queries of their own."""
    return replace(
        pairs.b.select(row_query),
        offsets=bounds(n_hits),
        rank=rank,
        first=rank,
        last=rank,
        relevance=pairs.relevance[document],
        judged=pairs.judged[document],
        retrieved=retrieved,
        _memory={},
    )


def sampled_effects(
    measure: Measure, pairs: HitPairs, query: int, players: Players, n_orders: int, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """(players) means and standard errors of what each player changes, in random orders and their reverses."""
    n = players.size
    half = rng.permuted(np.tile(np.arange(n), ((n_orders + 1) // 2, 1)), axis=1)
    orders = np.stack((half, half[:, ::-1]), axis=1).reshape(-1, n)
    changes = np.empty(orders.shape)
    step = max(DOCUMENTS_AT_ONCE // documents_per_order(players), 1)
    for start in range(0, len(orders), step):
        block = orders[start : start + step]
        turn = np.argsort(block, axis=1)  # of each player
        members = turn[:, np.newaxis, :] < np.arange(n + 1)[:, np.newaxis]
        values = subset_values(measure, pairs, [query], [players], [members.reshape(-1, n)])[0]
        steps = np.diff(values.reshape(len(block), n + 1), axis=1)
        changes[start : start + step] = np.take_along_axis(steps, turn, axis=1)
    pair_means = changes.reshape(-1, 2, n).mean(axis=1)
    return pair_means.mean(axis=0), pair_means.std(axis=0, ddof=1) / np.sqrt(len(pair_means))
