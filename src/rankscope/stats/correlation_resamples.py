"""Correlations of items that count several times or not at all: of bootstrap samples, and with one item left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from rankscope.kernels.resample import Draws, bootstrap_counts
from rankscope.stats.correlation_values import normed
from rankscope.typing import Floats, Ints

__all__ = ["Weighted", "leave_one_out", "bootstrap_values", "weighted_correlation"]

#: (resamples, items) how often each item counts -> (resamples) the correlation, NaN where it is undefined.
Weighted = Callable[[Floats], Floats]

#: Numbers in a table of pairs: 16 MB of float32.
TABLE = 1 << 22
#: Numbers in a table of weights.
WEIGHTS = 1 << 20


def weighted_correlation(statistic: str, x: Floats, y: Floats) -> Weighted:
    """The correlation of two lists as a function of how often each item counts; see `Weighted`.

    Nothing is gathered: with c the counts, sums are c @ values, ranks come from counts added up in the order of the
    values, and C - D is c S c / 2 with S_ij = sign(x_i - x_j) sign(y_i - y_j). What an item and its copy make is tied.
    """
    if statistic == "pearson":
        a, b = (normed(v[None])[0] for v in (x, y))
        return lambda counts: weighted_pearson(a, b, counts)
    codes_x, codes_y = (np.unique(v, return_inverse=True)[1].reshape(-1) for v in (x, y))
    if statistic == "spearman":
        return lambda counts: weighted_spearman(codes_x, codes_y, counts)
    return lambda counts: weighted_kendall(statistic, codes_x, codes_y, counts)


def weighted_pearson(a: Floats, b: Floats, counts: Floats) -> Floats:
    """Of lists of mean 0 and length 1."""
    n = counts.sum(axis=1)
    sum_a, sum_b, aa, bb, ab = (counts @ np.column_stack((a, b, a * a, b * b, a * b))).T
    # What is left by rounding is no spread.
    spread_a, spread_b = (np.where(s > 1e-13, s, 0.0) for s in (aa - sum_a * sum_a / n, bb - sum_b * sum_b / n))
    return share(ab - sum_a * sum_b / n, np.sqrt(spread_a * spread_b))


def weighted_spearman(x: Ints, y: Ints, counts: Floats) -> Floats:
    n = counts.sum(axis=1)
    a, b = (2 * np.cumsum(g, axis=1) - g - n[:, None] for g in (grouped(x, counts), grouped(y, counts)))
    a, b = a[:, x], b[:, y]
    product = np.einsum("ri,ri,ri->r", counts, a, b)
    return share(product, np.sqrt(np.einsum("ri,ri,ri->r", counts, a, a) * np.einsum("ri,ri,ri->r", counts, b, b)))


def weighted_kendall(statistic: str, x: Ints, y: Ints, counts: Floats) -> Floats:
    n = counts.sum(axis=1)
    pairs = n * (n - 1) / 2
    surplus = weighted_surplus(x, y, counts)
    if statistic == "kendall_a":
        return share(surplus, pairs)
    if statistic == "kendall_b":
        return share(surplus, np.sqrt((pairs - tied_pairs(x, counts)) * (pairs - tied_pairs(y, counts))))
    fewer = np.minimum(*(np.count_nonzero(grouped(codes, counts), axis=1) for codes in (x, y)))
    return share(2 * surplus, n * n * (fewer - 1) / fewer)


def tied_pairs(codes: Ints, counts: Floats) -> Floats:
    """(resamples) pairs of one value, those of an item and its copy too."""
    groups = counts if all_differ(codes) else grouped(codes, counts)
    return np.asarray((np.einsum("ri,ri->r", groups, groups) - groups.sum(axis=1)) / 2)


def all_differ(codes: Ints) -> bool:
    return int(codes.max()) == codes.size - 1


def share(part: Floats, whole: Floats) -> Floats:
    return np.asarray(np.clip(np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole > 0), -1.0, 1.0))


def grouped(codes: Ints, counts: Floats) -> Floats:
    """(resamples, values) how often each value counts."""
    order = np.argsort(codes, kind="stable")
    if all_differ(codes):
        return counts[:, order]
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    return np.asarray(np.add.reduceat(counts[:, order], starts, axis=1))


def weighted_surplus(x: Ints, y: Ints, counts: Floats) -> Floats:
    """(resamples) C - D. Of so many items at a time that their table of signs stays small.

    Counts and signs are small whole numbers, whose sums float32 holds exactly up to 2^24 items.
    """
    n = x.size
    whole = counts.astype(np.float32)
    total = np.zeros(len(counts))
    step = max(1, TABLE // n)
    for start in range(0, n, step):
        part = slice(start, start + step)
        signs = (sign_table(x, x[part]) * sign_table(y, y[part])).astype(np.float32)
        total += np.einsum("ri,ri->r", whole @ signs, whole[:, part], dtype=np.float64)
    return total / 2


def sign_table(values: Ints, others: Ints) -> npt.NDArray[np.int8]:
    """(values, others) the sign of their difference."""
    more = values[:, None] > others
    return more.view(np.int8) - (values[:, None] < others).view(np.int8)


def bootstrap_values(ways: Sequence[Weighted], n: int, draws: Draws) -> Floats:
    """(ways, resamples) each correlation of lists of n items, in the same bootstrap samples."""
    found = np.empty((len(ways), draws.n_resamples))
    done = 0
    for counts in bootstrap_counts(draws, n):
        for i, way in enumerate(ways):
            found[i, done : done + len(counts)] = way(counts)
        done += len(counts)
    return found


def leaving_out(n: int) -> Iterator[Floats]:
    """(items, n), chunk by chunk: counts of 1 but for the item left out."""
    step = max(1, WEIGHTS // n)
    for start in range(0, n, step):
        out = np.arange(start, min(start + step, n))
        counts = np.ones((out.size, n))
        counts[np.arange(out.size), out] = 0.0
        yield counts


def leave_one_out(ways: Sequence[Weighted], n: int) -> Floats:
    """(ways, items) each correlation without each item."""
    return np.concatenate([np.array([way(counts) for way in ways]) for counts in leaving_out(n)], axis=1)
