"""Resampling: sign flips, bootstrap samples and permutations, seeded, in chunks of bounded memory.

Every `BLOCK` resamples have a random stream of their own, and within a stream the samples do not depend on how many are
drawn at once. So results depend neither on the size of a chunk nor on which worker computes which block.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.kernels.segments import bounds, place_in_group
from rankscope.typing import Floats, Ints

__all__ = [
    "Draws",
    "bootstrap_counts",
    "bootstrap_indices",
    "bootstrap_means",
    "bootstrap_moments",
    "bootstrap_repeats",
    "count_draws",
    "counts_of",
    "disjoint_sets",
    "draw",
    "exact_flip_sums",
    "flip_sums",
    "permuted_means",
    "seed_root",
    "share_of_sizes",
    "shuffled_ranks",
    "sign_vectors",
]


#: Resamples that share a stream.
BLOCK = 1024
#: Numbers in the largest array of a chunk: 16 MB of float64, so that all arrays of a chunk stay far below 500 MB.
NUMBERS = 1 << 21


@dataclass(frozen=True)
class Draws:
    """A number of resamples, and the seeds of their streams; each use draws the same samples."""

    seeds: tuple[np.random.SeedSequence, ...]
    n_resamples: int

    def streams(self) -> Iterator[tuple[np.random.Generator, int]]:
        """Each stream, with its number of resamples."""
        for i, seed in enumerate(self.seeds):
            yield np.random.default_rng(seed), min(BLOCK, self.n_resamples - i * BLOCK)

    def split(self, n_parts: int) -> list[Draws]:
        """The same resamples in up to `n_parts` parts, one a worker."""
        edges = np.unique(np.linspace(0, len(self.seeds), n_parts + 1).astype(int)).tolist()
        return [
            replace(self, seeds=self.seeds[start:stop], n_resamples=min(stop * BLOCK, self.n_resamples) - start * BLOCK)
            for start, stop in pairwise(edges)
        ]


def draw(rng: np.random.Generator, n_resamples: int) -> Draws:
    """The streams of `n_resamples` resamples, spawned from `rng`."""
    root = np.random.SeedSequence(seed_root(rng))
    return Draws(tuple(root.spawn(-(-n_resamples // BLOCK))), n_resamples)


def seed_root(rng: np.random.Generator) -> list[int]:
    """The root of seeds of further streams.

    It is drawn from `rng`, not taken from its seed, so that a second call with one generator differs from the first,
    for every bit generator.
    """
    root: list[int] = rng.integers(0, 1 << 32, size=4).tolist()
    return root


def chunks(draws: Draws, width: int) -> Iterator[tuple[np.random.Generator, int]]:
    """The stream and size of each chunk: as many resamples of `width` numbers as memory allows."""
    chunk_size = max(1, NUMBERS // max(width, 1))
    for stream, size in draws.streams():
        for start in range(0, size, chunk_size):
            yield stream, min(chunk_size, size - start)


# Signs


def flip_sums(differences: Floats, draws: Draws) -> Iterator[Floats]:
    """(resamples, pairs), chunk by chunk: each pair's sum of differences with random signs.

    differences: (pairs, queries). The signs of one resample are the same for all pairs, so one matrix product computes
    all sums. A sign takes one random bit.
    """
    n_pairs, n = differences.shape
    minus_twice, total = -2.0 * differences.T, differences.sum(axis=1)
    for stream, n_rows in chunks(draws, max(n, n_pairs)):
        yield signed_sums(random_bits(stream, n_rows, n), minus_twice, total)


def sign_vectors(draws: Draws, n: int, width: int = 0) -> Iterator[Floats]:
    """(resamples, n), chunk by chunk: the random signs of `flip_sums`, -1 and 1.

    width: columns of the matrix that they will be multiplied with, so that the product is bounded too.
    """
    for stream, n_rows in chunks(draws, max(n, width)):
        yield 1.0 - 2.0 * random_bits(stream, n_rows, n).astype(np.float64)


def random_bits(stream: np.random.Generator, n_rows: int, n: int) -> npt.NDArray[np.uint8]:
    """(rows, n) zeros and ones; each row takes whole words of the stream."""
    n_words = -(-n // 64)
    bits = stream.integers(0, 1 << 64, size=(n_rows, n_words), dtype=np.uint64).astype("<u8", copy=False)
    return np.unpackbits(bits.view(np.uint8), axis=1, count=n, bitorder="little")


def exact_flip_sums(differences: Floats) -> Iterator[Floats]:
    """(vectors, pairs), chunk by chunk: each pair's sum of differences with each of the 2^n vectors of signs once."""
    n_pairs, n = differences.shape
    chunk_size = max(1, NUMBERS // max(n, n_pairs))
    minus_twice, total = -2.0 * differences.T, differences.sum(axis=1)
    for start in range(0, 1 << n, chunk_size):
        vectors = np.arange(start, min(start + chunk_size, 1 << n))
        yield signed_sums((vectors[:, None] >> np.arange(n)) & 1, minus_twice, total)


def signed_sums(flipped: npt.NDArray[np.integer[Any]], minus_twice: Floats, total: Floats) -> Floats:
    """Sums in which the flipped differences count negative: the total less twice the flipped ones.

    So bits need not become signs first, and without a flip the sum is exactly the observed one.
    """
    sums: Floats = flipped.astype(np.float64) @ minus_twice
    sums += total
    return sums


# Bootstrap


def bootstrap_indices(draws: Draws, n: int) -> Iterator[Ints]:
    """(resamples, n), chunk by chunk: the items of each sample of n with replacement."""
    for stream, n_rows in chunks(draws, n):
        yield stream.integers(0, n, size=(n_rows, n))


def bootstrap_counts(draws: Draws, n: int, width: int = 0) -> Iterator[Floats]:
    """(resamples, n), chunk by chunk: how often each item is in the same samples.

    width: columns of the matrix that they will be multiplied with, so that the product is bounded too.
    """
    for stream, n_rows in chunks(draws, max(n, width)):
        yield count_draws(stream, n_rows, n)


def count_draws(stream: np.random.Generator, n_resamples: int, n: int) -> Floats:
    """(resamples, n) how often each of n items is in samples of n with replacement."""
    items = stream.integers(0, n, size=(n_resamples, n))
    items += n * np.arange(n_resamples)[:, None]
    return count_codes(items, n)


def counts_of(items: Ints, n: int) -> Floats:
    """(resamples, n) how often each of n items is in each sample; items: (resamples, drawn)."""
    return count_codes(items + n * np.arange(len(items))[:, None], n)


def count_codes(codes: Ints, n: int) -> Floats:
    """As `counts_of`. codes: n times the sample's number, plus the item."""
    return np.bincount(codes.ravel(), minlength=len(codes) * n).reshape(len(codes), n).astype(np.float64)


def bootstrap_repeats(draws: Draws, repeats: Ints, width: int = 0) -> Iterator[Floats]:
    """(resamples, n), chunk by chunk: how often each of n different items is in samples of all items.

    repeats: how many items are alike. width: as for `bootstrap_counts`.
    """
    n, n_items = repeats.size, int(repeats.sum())
    if n == n_items:
        yield from bootstrap_counts(draws, n, width)
        return
    for stream, n_rows in chunks(draws, max(n, width)):
        yield stream.multinomial(n_items, repeats / n_items, size=n_rows).astype(np.float64)


def bootstrap_means(values: Floats, draws: Draws) -> Floats:
    """(lists, resamples) the mean of each list in each sample; values: (lists, n).

    For one list the items are gathered, for several they are counted; the samples are the same.
    """
    n_lists, n = values.shape
    means = np.empty((n_lists, draws.n_resamples))
    n_done = 0
    if n_lists == 1:
        for indices in bootstrap_indices(draws, n):
            means[0, n_done : n_done + len(indices)] = values[0].take(indices).mean(axis=1)
            n_done += len(indices)
        return means
    for counts in bootstrap_counts(draws, n, n_lists):
        means[:, n_done : n_done + len(counts)] = values @ counts.T
        n_done += len(counts)
    means /= n
    return means


def bootstrap_moments(values: Floats, draws: Draws) -> Iterator[tuple[Floats, Floats]]:
    """(resamples, lists), chunk by chunk: mean and mean square of each list in each sample; values: (lists, n)."""
    n_lists, n = values.shape
    columns = values.T / n
    squares = (values * values).T / n
    for counts in bootstrap_counts(draws, n, n_lists):
        yield counts @ columns, counts @ squares


# Permutations


def permuted_means(scores: Floats, draws: Draws) -> Iterator[Floats]:
    """(resamples, systems), chunk by chunk: means of systems after permuting each query's scores among them.

    scores: (systems, queries).
    """
    n_systems, n = scores.shape
    for stream, n_rows in chunks(draws, n_systems * n):
        permuted = np.broadcast_to(scores.T, (n_rows, n, n_systems)).copy()
        yield stream.permuted(permuted, axis=2, out=permuted).mean(axis=1)


# Without replacement


def disjoint_sets(
    stream: np.random.Generator, n_draws: int, n: int, size: int, n_at_once: int = 1024
) -> Iterator[Ints]:
    """(draws, 2, size), chunk by chunk: two sets of n items without an item in common.

    The draws do not depend on `n_at_once`.
    """
    for start in range(0, n_draws, n_at_once):
        n_rows = min(n_at_once, n_draws - start)
        order = np.broadcast_to(np.arange(n), (n_rows, n)).copy()
        stream.permuted(order, axis=1, out=order)
        yield order[:, : 2 * size].reshape(n_rows, 2, size)


def shuffled_ranks(rng: np.random.Generator, group: Ints, sizes: Ints) -> Ints:
    """(items) the rank of each item within its group, from 0, in a random order.

    Parameters
    ----------
    rng
        Random generator.
    group
        (items) the group of each.
    sizes
        (groups) how many items each has.

    Notes
    -----
    Ranks below a share of the group's size are a random share of it, which a larger share contains.
    """
    order = np.lexsort((rng.random(group.size), group))
    ranks = np.empty(order.size, np.int64)
    ranks[order] = place_in_group(bounds(sizes))
    return ranks


def share_of_sizes(share: float, sizes: Ints) -> Ints:
    """(groups) a share of each group's size, rounded half up."""
    return np.asarray(np.floor(share * sizes + 0.5).astype(np.int64))
