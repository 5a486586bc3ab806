"""Resampling: sign flips, bootstrap samples and permutations, seeded, in chunks of bounded memory.

Every `BLOCK` resamples have a random stream of their own, and within a stream what is drawn does not depend on how
many are drawn at once: so results depend neither on the size of a chunk nor on who computes which block.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.typing import Floats, Ints

__all__ = [
    "Draws",
    "bootstrap_counts",
    "bootstrap_indices",
    "bootstrap_means",
    "bootstrap_moments",
    "draw",
    "exact_flip_sums",
    "flip_sums",
    "permuted_means",
]


#: Resamples that share a stream.
BLOCK = 1024
#: Numbers in the largest array of a chunk: 16 MB of float64, so that all arrays of a chunk stay far below 500 MB.
NUMBERS = 1 << 21


@dataclass(frozen=True)
class Draws:
    """So many resamples, and the seeds of their streams; each use draws the same again."""

    seeds: tuple[np.random.SeedSequence, ...]
    n_resamples: int

    def streams(self) -> Iterator[tuple[np.random.Generator, int]]:
        """Each stream, and how many resamples are its."""
        for i, seed in enumerate(self.seeds):
            yield np.random.default_rng(seed), min(BLOCK, self.n_resamples - i * BLOCK)

    def split(self, parts: int) -> list[Draws]:
        """The same resamples in up to `parts` shares, for as many workers."""
        edges = np.unique(np.linspace(0, len(self.seeds), parts + 1).astype(int)).tolist()
        return [
            replace(self, seeds=self.seeds[a:b], n_resamples=min(b * BLOCK, self.n_resamples) - a * BLOCK)
            for a, b in pairwise(edges)
        ]


def draw(rng: np.random.Generator, n_resamples: int) -> Draws:
    """The streams of so many resamples, spawned from `rng`.

    Their root is drawn, not taken from the seed of `rng`, so that a second call with one generator differs from the
    first, whatever the kind of its bit generator.
    """
    root = np.random.SeedSequence(rng.integers(0, 1 << 32, size=4).tolist())
    return Draws(tuple(root.spawn(-(-n_resamples // BLOCK))), n_resamples)


def chunks(draws: Draws, width: int) -> Iterator[tuple[np.random.Generator, int]]:
    """Each stream again and again, with as many resamples as may be held at once, each of `width` numbers."""
    most = max(1, NUMBERS // max(width, 1))
    for stream, size in draws.streams():
        for start in range(0, size, most):
            yield stream, min(most, size - start)


# Signs


def flip_sums(differences: Floats, draws: Draws) -> Iterator[Floats]:
    """(resamples, pairs), chunk by chunk: each pair's sum of differences with random signs.

    differences: (pairs, queries). The signs of one resample are the same for all pairs: one matrix product does all.
    A sign costs one random bit.
    """
    pairs, n = differences.shape
    words = -(-n // 64)
    twice, total = -2.0 * differences.T, differences.sum(axis=1)
    for stream, rows in chunks(draws, max(n, pairs)):
        bits = stream.integers(0, 1 << 64, size=(rows, words), dtype=np.uint64).astype("<u8", copy=False)
        flipped = np.unpackbits(bits.view(np.uint8), axis=1, count=n, bitorder="little")
        yield signed_sums(flipped, twice, total)


def exact_flip_sums(differences: Floats) -> Iterator[Floats]:
    """(vectors, pairs), chunk by chunk: each pair's sum of differences with each of the 2^n vectors of signs once."""
    pairs, n = differences.shape
    most = max(1, NUMBERS // max(n, pairs))
    twice, total = -2.0 * differences.T, differences.sum(axis=1)
    for start in range(0, 1 << n, most):
        vectors = np.arange(start, min(start + most, 1 << n))
        yield signed_sums((vectors[:, None] >> np.arange(n)) & 1, twice, total)


def signed_sums(flipped: npt.NDArray[np.integer[Any]], twice: Floats, total: Floats) -> Floats:
    """Sums in which the flipped differences count negative: the whole sum less twice theirs.

    So a bit need not become a sign first, and no sign flipped gives the very sum that was observed.
    """
    sums: Floats = flipped.astype(np.float64) @ twice
    sums += total
    return sums


# Bootstrap


def bootstrap_indices(draws: Draws, n: int) -> Iterator[Ints]:
    """(resamples, n), chunk by chunk: the items of each sample of n with replacement."""
    for stream, rows in chunks(draws, n):
        yield stream.integers(0, n, size=(rows, n))


def bootstrap_counts(draws: Draws, n: int, width: int = 0) -> Iterator[Floats]:
    """(resamples, n), chunk by chunk: how often each item is in the same samples.

    width: columns of what they will be multiplied with, so that the product is bounded too.
    """
    for stream, rows in chunks(draws, max(n, width)):
        drawn = stream.integers(0, n, size=(rows, n))
        drawn += n * np.arange(rows)[:, None]
        yield np.bincount(drawn.ravel(), minlength=rows * n).reshape(rows, n).astype(np.float64)


def bootstrap_means(values: Floats, draws: Draws) -> Floats:
    """(lists, resamples) the mean of each list in each sample; values: (lists, n).

    One list is gathered, of several the items are counted: the samples are the same.
    """
    lists, n = values.shape
    means = np.empty((lists, draws.n_resamples))
    done = 0
    if lists == 1:
        for indices in bootstrap_indices(draws, n):
            means[0, done : done + len(indices)] = values[0].take(indices).mean(axis=1)
            done += len(indices)
        return means
    for counts in bootstrap_counts(draws, n, lists):
        means[:, done : done + len(counts)] = values @ counts.T
        done += len(counts)
    means /= n
    return means


def bootstrap_moments(values: Floats, draws: Draws) -> Iterator[tuple[Floats, Floats]]:
    """(resamples, lists), chunk by chunk: mean and mean square of each list in each sample; values: (lists, n)."""
    lists, n = values.shape
    columns = values.T / n
    squares = (values * values).T / n
    for counts in bootstrap_counts(draws, n, lists):
        yield counts @ columns, counts @ squares


# Permutations


def permuted_means(scores: Floats, draws: Draws) -> Iterator[Floats]:
    """(resamples, systems), chunk by chunk: means of systems after each query's scores were dealt out to them anew.

    scores: (systems, queries).
    """
    systems, n = scores.shape
    for stream, rows in chunks(draws, systems * n):
        dealt = np.broadcast_to(scores.T, (rows, n, systems)).copy()
        yield stream.permuted(dealt, axis=2, out=dealt).mean(axis=1)
