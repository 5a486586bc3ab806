"""How often lists that have nothing to do with each other are as alike: by formula, and by permutations."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice, permutations
from math import factorial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.kernels.resample import Draws, chunks
from rankscope.kernels.ties import NOISE
from rankscope.stats.distributions import special, t_pvalue
from rankscope.stats.rank_rows import RankedRows, surplus_by_row
from rankscope.typing import Floats, Ints

__all__ = ["Permuted", "kendall_pvalues", "permutation_pvalues", "t_pvalues"]


#: Lists without ties up to this length have their p-value of tau counted, as in SciPy.
EXACT = 33
#: Numbers in a chunk of permutations.
NUMBERS = 1 << 20


class Permuted(NamedTuple):
    """pvalue, error: (lists), the latter the standard error of the former, 0 where all orders were counted."""

    pvalue: Floats
    error: Floats
    exact: bool


def t_pvalues(values: Floats, n: int, alternative: str) -> Floats:
    """Of Pearson and Spearman: t = r sqrt((n - 2) / (1 - r^2)), with n - 2 degrees of freedom; 1 for two items."""
    if n == 2:
        return np.where(np.isnan(values), np.nan, 1.0)
    rest = (1 - values) * (1 + values)
    there = rest > 0
    t = values * np.sqrt((n - 2) / np.where(there, rest, 1.0))
    return t_pvalue(np.where(there, t, np.copysign(np.inf, values)), n - 2, alternative)


def kendall_pvalues(
    surplus: Ints, x: RankedRows, y: RankedRows, alternative: str
) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """(lists) the p-values, and which of them are exact: where SciPy's are.

    Without ties and of up to 33 items, or with at most one pair out of order either way, the orders are counted with as
    many pairs out of order; else C - D is taken as normal, with the variance of lists with these ties.
    """
    n = x.codes.shape[1]
    pairs = n * (n - 1) // 2
    discordant = (pairs - surplus) // 2  # without ties
    exact = (x.tied == 0) & (y.tied == 0)
    if n > EXACT:
        exact &= np.minimum(discordant, pairs - discordant) <= 1
    found = np.empty(surplus.size)
    some = ~exact
    if some.any():
        z = surplus[some] / np.sqrt(variance(x.sizes[some], y.sizes[some], n))
        ndtr = special().ndtr
        found[some] = (
            2 * ndtr(-np.abs(z)) if alternative == "two-sided" else ndtr(-z if alternative == "greater" else z)
        )
    if exact.any():
        few, many = counted_shares(n)
        d = discordant[exact]
        # many + 1 pairs out of order or fewer are all that is asked for; more, from the other end, are as many.
        below = tail(d, few, many, pairs)
        above = tail(pairs - d, few, many, pairs)
        both = np.minimum(1.0, 2 * np.minimum(below, above))
        found[exact] = both if alternative == "two-sided" else below if alternative == "greater" else above
    return found, exact


def counted_shares(n: int) -> tuple[Floats, int]:
    """P(0 pairs out of order), P(at most 1), ..., of n items; for more than EXACT items the first two only.

    Of k items in order, one more comes before 0 to k of them: the numbers of orders are convolved, item by item.
    """
    if n > EXACT:
        one = float(np.exp(-special().gammaln(n + 1)))
        return np.array([one, n * one]), 1
    counts = np.ones(1)
    for k in range(2, n + 1):
        counts = np.convolve(counts, np.ones(k)) / k
    return np.cumsum(counts), counts.size - 1


def tail(d: Ints, shares: Floats, last: int, pairs: int) -> Floats:
    """P(at most d pairs out of order); beyond what `shares` holds, from the other end."""
    inside = shares[np.clip(d, 0, last)]
    # P(at most d) = 1 - P(at most pairs - d - 1 from the other end), which is the smaller and so the better known.
    other = np.where(d < pairs, shares[np.clip(pairs - d - 1, 0, last)], 0.0)
    return np.asarray(np.where(2 * d <= pairs, inside, 1.0 - other))


def variance(tied_x: Ints, tied_y: Ints, n: int) -> Floats:
    """(lists) of C - D where all orders are equally probable; tied_x, tied_y: (lists, groups) the sizes of ties.

    Source: Kendall (1970); agrees with scipy.stats.kendalltau.
    """
    t, u = (sizes.astype(np.float64) for sizes in (tied_x, tied_y))
    once, twice, rest = ([f(s).sum(axis=1) for s in (t, u)] for f in (moment_1, moment_2, moment_3))
    everything = n * (n - 1.0)
    found = (everything * (2 * n + 5) - rest[0] - rest[1]) / 18 + once[0] * once[1] / (2 * everything)
    if n > 2:
        found += twice[0] * twice[1] / (9 * everything * (n - 2))
    return np.asarray(found)


def moment_1(size: Floats) -> Floats:
    return size * (size - 1)


def moment_2(size: Floats) -> Floats:
    return size * (size - 1) * (size - 2)


def moment_3(size: Floats) -> Floats:
    return size * (size - 1) * (2 * size + 5)


def permutation_pvalues(
    x: Floats, y: Floats, ranks: tuple[RankedRows, RankedRows] | None, alternative: str, draws: Draws
) -> Permuted:
    """(lists) how many of the orders of y make it as much like x, or more; of all orders where they are few enough.

    x, y: (lists, items), for Pearson and Spearman centred values, whose sum of products is compared. ranks: for
    Kendall, whose C - D is compared. Two-sided: as far from 0. All lists are put in the same orders.
    """
    lists, n = x.shape
    exact = n <= 12 and factorial(n) <= draws.n_resamples
    orders = all_orders(n) if exact else sampled_orders(draws, n)
    count = np.zeros(lists)
    observed = (x * y).sum(axis=1) if ranks is None else surplus_by_row(*ranks).astype(np.float64)
    slack = NOISE * np.sqrt((x * x).sum(axis=1) * (y * y).sum(axis=1)) if ranks is None else np.zeros(lists)
    for order in orders:
        for i in range(lists):
            if ranks is None:
                found = y[i][order] @ x[i]
            else:
                one, other = ranks[0].rows([i]), ranks[1].rows([i])
                found = surplus_by_row(one, RankedRows(other.codes[0][order], other.sizes)).astype(np.float64)
            count[i] += as_far(found, float(observed[i]), float(slack[i]), alternative)
    if exact:
        return Permuted(count / factorial(n), np.zeros(lists), True)
    size = draws.n_resamples
    pvalue = (1 + count) / (1 + size)
    return Permuted(pvalue, np.sqrt(pvalue * (1 - pvalue) / size), False)


def as_far(found: Floats, observed: float, slack: float, alternative: str) -> int:
    """How many are as far out as what was observed; equal but for rounding is equal."""
    if alternative == "two-sided":
        return int(np.count_nonzero(np.abs(found) >= abs(observed) - slack))
    if alternative == "greater":
        return int(np.count_nonzero(found >= observed - slack))
    return int(np.count_nonzero(found <= observed + slack))


def all_orders(n: int) -> Iterator[Ints]:
    """(orders, n), chunk by chunk."""
    orders = permutations(range(n))
    while True:
        chunk = np.fromiter(chain.from_iterable(islice(orders, NUMBERS // n)), np.int64)
        if not chunk.size:
            return
        yield chunk.reshape(-1, n)


def sampled_orders(draws: Draws, n: int) -> Iterator[Ints]:
    """(orders, n), chunk by chunk."""
    for stream, rows in chunks(draws, n):
        yield stream.permuted(np.broadcast_to(np.arange(n), (rows, n)), axis=1)
