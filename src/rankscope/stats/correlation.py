"""Correlations of two lists: Pearson, Spearman, Kendall a, b and c, with p-values by formula or permutation and
intervals; matrices of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice, permutations
from math import factorial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.errors import ParameterError
from rankscope.kernels.resample import Draws, bootstrap_counts, chunks, draw
from rankscope.kernels.ties import NOISE
from rankscope.stats.correlation_values import (
    STATISTICS,
    ListPairs,
    RankedRows,
    matrix_of,
    normed,
    pairs_of,
    surplus_by_row,
)
from rankscope.stats.distributions import special, t_pvalue
from rankscope.stats.inputs import (
    as_generator,
    check_alternative,
    check_choice,
    check_count,
    check_share,
    counted,
    numbers,
)
from rankscope.stats.intervals import quantiles
from rankscope.typing import Bools, Floats, Ints

__all__ = [
    "FAR",
    "FEW",
    "Correlation",
    "Permuted",
    "Weighted",
    "bca_ends",
    "bootstrap_values",
    "correlation_matrix",
    "correlation_test",
    "ends",
    "kendall_pvalues",
    "leave_one_out",
    "permutation_pvalues",
    "t_pvalues",
    "weighted_correlation",
]


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


#: Of fewer items, what a bootstrap interval comes with.
FEW = 25
#: A tau or rho beyond has no good interval by Fisher's z.
FAR = 0.8
TWO_ITEMS = "2 items: their correlation is 1 or -1 whatever they are"
FULL = (
    "full agreement (or full disagreement): nothing in these items says how far from it others could be, "
    "so there is no interval"
)


def ends(
    pairs: ListPairs, confidence_level: float, interval: str, n_resamples: int, rng: np.random.Generator
) -> tuple[Floats, Floats, tuple[str, ...]]:
    """(lists) the ends of the intervals, and notes on all that has been found."""
    one = "a list has one value only: nothing rises or falls, there is no correlation"
    notes = list(counted(pairs.flat, one, "have a list of one value only: no correlation"))
    low, high = np.full((2, pairs.flat.size), np.nan)
    if pairs.n == 2:
        return low, high, (*notes, TWO_ITEMS)
    full = np.abs(pairs.value) == 1
    good = ~pairs.flat & ~full
    if interval == "fisher":
        least = 5 if pairs.statistic.startswith("kendall") else 4
        if pairs.n < least:
            return low, high, (*notes, f"{pairs.n} items: an interval by Fisher's z takes at least {least}")
        low[good], high[good] = fisher_ends(pairs.value[good], pairs.n, pairs.statistic, confidence_level)
        far = good & (np.abs(pairs.value) > FAR) & (pairs.statistic != "pearson")
        notes += counted(
            far,
            f"beyond {FAR} Fisher's interval of ranks is rough; the bootstrap's is another view",
            f"are beyond {FAR}, where Fisher's interval of ranks is rough; the bootstrap's is another view",
        )
    else:
        some = np.flatnonzero(good)
        low[good], high[good], lost = bootstrap_ends(pairs, some, confidence_level, n_resamples, rng)
        if lost:
            notes.append(f"up to {lost} of {n_resamples} bootstrap samples had a list of one value and were left out")
        if pairs.n < FEW:
            notes.append(f"fewer than {FEW} items: bootstrap intervals are too narrow")
    return low, high, (*notes, *counted(full, FULL, "agree fully, up or down: they have no interval"))


def fisher_ends(value: Floats, n: int, statistic: str, confidence_level: float) -> Floats:
    """(2, lists). Bonett and Wright (2000)."""
    if statistic == "pearson":
        variance = np.full(value.shape, 1 / (n - 3))
    elif statistic == "spearman":
        variance = (1 + value**2 / 2) / (n - 3)
    else:
        variance = np.full(value.shape, 0.437 / (n - 4))
    half = special().ndtri((1 + confidence_level) / 2) * np.sqrt(variance)
    return np.asarray(np.tanh(np.arctanh(value) + np.array([[-1.0], [1.0]]) * half))


def bootstrap_ends(
    pairs: ListPairs, which: npt.NDArray[np.intp], confidence_level: float, n_resamples: int, rng: np.random.Generator
) -> tuple[Floats, Floats, int]:
    """Of some of the lists, the BCa interval, and in how many samples one was undefined."""
    low, high, lost = np.empty(which.size), np.empty(which.size), 0
    draws = draw(rng, n_resamples)
    for place, i in enumerate(which.tolist()):
        ways = [weighted_correlation(pairs.statistic, pairs.x[i], pairs.y[i])]
        samples, jackknife = bootstrap_values(ways, pairs.n, draws)[0], leave_one_out(ways, pairs.n)[0]
        low[place], high[place] = bca_ends(float(pairs.value[i]), samples, jackknife, confidence_level)
        lost = max(lost, int(np.isnan(samples).sum()))
    return low, high, lost


def bca_ends(value: float, samples: Floats, jackknife: Floats, confidence_level: float) -> tuple[float, float]:
    """The BCa interval of one value, from what it is in bootstrap samples and without each item; NaN are left out.

    Quantiles of the samples, moved for their bias (the share below the value, equal ones half) and for the skewness of
    the jackknife. NaN where all samples are one.

    Source: Efron (1987); Efron and Tibshirani (1993), chapter 14.
    """
    rising = np.sort(samples[~np.isnan(samples)])
    if rising.size < 2 or rising[-1] - rising[0] <= NOISE:
        return float("nan"), float("nan")
    functions = special()
    below = (np.count_nonzero(rising < value - NOISE) + np.count_nonzero(rising <= value + NOISE)) / (2 * rising.size)
    least = 0.5 / rising.size
    bias = float(functions.ndtri(min(max(below, least), 1 - least)))
    there = jackknife[~np.isnan(jackknife)]
    off = there.mean() - there if there.size else np.zeros(1)
    spread = float((off**2).sum())
    skew = float((off**3).sum()) / (6 * spread**1.5) if spread > NOISE**2 else 0.0
    z = bias + functions.ndtri(np.array([(1 - confidence_level) / 2, (1 + confidence_level) / 2]))
    room = 1 - skew * z
    moved = np.where(room > 0, z / np.where(room > 0, room, 1.0), np.copysign(np.inf, z))
    low, high = quantiles(rising[None], functions.ndtr(bias + moved)[:, None])[:, 0].tolist()
    return low, high


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


INTERVALS = ("fisher", "bootstrap")
PVALUES = ("auto", "permutation")


@dataclass(frozen=True, eq=False, kw_only=True)
class Correlation:
    """A correlation, for each pair of lists; arrays of shape (lists), or () where one pair was given.

    value: in [-1, 1], NaN where it is undefined. pvalue: how often lists without any connection would be as far from 0
    (alternative "two-sided"), as high ("greater") or as low ("less"). exact: of each, all orders were counted. error:
    standard error of a p-value from permutations, else 0. low, high: the interval at `confidence_level`, always
    two-sided; NaN where there is none. n: items. n_resamples: bootstrap samples or permutations, 0 where there were
    none. degenerate: where a list has one value only. notes: what to know before believing it.
    """

    statistic: str
    value: Floats
    pvalue: Floats
    alternative: str
    exact: Bools
    error: Floats
    low: Floats
    high: Floats
    confidence_level: float
    interval: str
    n: int
    n_resamples: int
    degenerate: Bools
    notes: tuple[str, ...]


def correlation_test(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    *,
    statistic: str = "kendall_b",
    alternative: str = "two-sided",
    confidence_level: float = 0.95,
    interval: str = "fisher",
    pvalue: str = "auto",
    n_resamples: int = 10_000,
    rng: Any = None,
) -> Correlation:
    """How far two lists of numbers rise and fall together: in [-1, 1]; 1 together, -1 against each other.

    statistic: "pearson", along a straight line; "spearman", of the ranks; "kendall_a", "kendall_b", "kendall_c", the
    pairs of items ordered alike less those ordered the other way round, over all pairs, over those not tied, and for
    lists of few values.
    x, y: (items) or (lists, items), item by item in one order; each list with the one in its place.

    pvalue: "auto", of Pearson and Spearman Student's t with n - 2 degrees of freedom; of Kendall exact without ties up
    to 33 items (or with at most one pair out of order either way), else normal with the variance of these ties. The
    three taus share C - D and so their p-value. "permutation": (1 + count) / (1 + n_resamples), or count / n! where n!
    is at most n_resamples; two-sided counts values as far from 0.
    interval: "fisher", tanh(atanh(r) -+ z sqrt(v)), v = 1 / (n - 3) of Pearson, (1 + r^2 / 2) / (n - 3) of Spearman,
    .437 / (n - 4) of Kendall, an approximation for normal values, rough with many ties and for ranks beyond .8;
    "bootstrap", BCa over items, leaving out samples in which a list has one value only.

    A list of one value: value NaN (of "kendall_a" 0), p-value and interval NaN, flagged as degenerate. Correlations of
    1 and -1, and too few items for v: the interval is NaN, with a note. Two items: p = 1 of Pearson and Spearman.
    Raises ParameterError for NaN or infinite values, lists of two lengths, fewer than two items, unknown names.

    Source: Pearson (1895), Spearman (1904), Kendall (1938; 1945), Stuart (1953); Fieller, Hartley and Pearson (1957),
    Bonett and Wright (2000) for v. Values and p-values agree with scipy.stats.pearsonr, spearmanr and kendalltau.

    >>> found = correlation_test([1, 2, 3, 4, 5, 6], [1, 3, 2, 4, 6, 5])
    >>> round(float(found.value), 4), round(float(found.pvalue), 4)  # 13 pairs alike, 2 not
    (0.7333, 0.0556)
    >>> round(float(found.low), 4), round(float(found.high), 4)
    (0.0197, 0.9519)
    """
    check_choice("statistic", statistic, STATISTICS)
    check_alternative(alternative)
    check_share("confidence_level", confidence_level)
    check_choice("interval", interval, INTERVALS)
    check_choice("pvalue", pvalue, PVALUES)
    check_count("n_resamples", n_resamples)
    a, b = as_lists(x, "values of x"), as_lists(y, "values of y")
    if a.shape != b.shape:
        raise ParameterError(f"x has shape {a.shape} and y {b.shape}, expected one shape, (items) or (lists, items)")
    generator = as_generator(rng)
    pairs = pairs_of(np.atleast_2d(a), np.atleast_2d(b), statistic)
    p, exact, error = pvalues(pairs, alternative, pvalue, n_resamples, generator)
    low, high, notes = ends(pairs, confidence_level, interval, n_resamples, generator)
    permuted = pvalue == "permutation" and not pairs.flat.all() and not exact.any()
    shape = a.shape[:-1]
    return Correlation(
        statistic=statistic,
        value=pairs.value.reshape(shape),
        pvalue=p.reshape(shape),
        alternative=alternative,
        exact=exact.reshape(shape),
        error=error.reshape(shape),
        low=low.reshape(shape),
        high=high.reshape(shape),
        confidence_level=confidence_level,
        interval=interval,
        n=pairs.n,
        n_resamples=n_resamples if permuted or interval == "bootstrap" else 0,
        degenerate=pairs.flat.reshape(shape),
        notes=notes,
    )


def correlation_matrix(rows: npt.ArrayLike, *, statistic: str = "kendall_b") -> Floats:
    """(k, k) the correlation of every two of k lists; in [-1, 1], symmetric, its diagonal 1.

    rows: (k, items). statistic: as for `correlation_test`. Of a list of one value NaN ("kendall_a" 0 with others),
    also on the diagonal; "kendall_a" of a list with ties and itself is the share of its pairs that are not tied,
    and "kendall_c" may be below 1 as well. Raises ParameterError for NaN, other shapes, fewer than two items.

    Source: as `correlation_test`; agrees with pandas.DataFrame(rows).T.corr().

    >>> correlation_matrix([[1, 2, 3, 4], [1, 2, 4, 3], [4, 3, 2, 1]]).round(4).tolist()
    [[1.0, 0.6667, -1.0], [0.6667, 1.0, -0.6667], [-1.0, -0.6667, 1.0]]
    """
    check_choice("statistic", statistic, STATISTICS)
    lists = as_lists(rows, "rows")
    if lists.ndim != 2:
        raise ParameterError(f"the rows have shape {lists.shape}, expected (lists, items)")
    return matrix_of(lists, statistic)


def as_lists(values: npt.ArrayLike, what: str) -> Floats:
    found = numbers(values, what)
    if found.ndim not in (1, 2) or found.shape[-1] < 2:
        raise ParameterError(
            f"the {what} have shape {found.shape}, expected (items) or (lists, items) with at least 2 items"
        )
    return found


def pvalues(
    pairs: ListPairs, alternative: str, pvalue: str, n_resamples: int, rng: np.random.Generator
) -> tuple[Floats, Bools, Floats]:
    """(lists) each: the p-values, whether all orders were counted, their standard errors."""
    good = ~pairs.flat
    p, error, exact = np.full(good.size, np.nan), np.zeros(good.size), np.zeros(good.size, np.bool_)
    of_pairs = pairs.statistic.startswith("kendall")
    ranks = (pairs.ranks_x.rows(good), pairs.ranks_y.rows(good)) if of_pairs else None
    if pvalue == "permutation":
        by_rank = (pairs.ranks_x.doubled_ranks, pairs.ranks_y.doubled_ranks)
        a, b = (pairs.x, pairs.y) if pairs.statistic == "pearson" else by_rank
        a, b = (v[good] - v[good].mean(axis=1, keepdims=True) for v in (a, b))
        found = permutation_pvalues(a, b, ranks, alternative, draw(rng, n_resamples))
        p[good], error[good], exact[good] = found.pvalue, found.error, found.exact
    elif ranks is not None:
        p[good], exact[good] = kendall_pvalues(pairs.surplus[good], *ranks, alternative)
    else:
        p[good] = t_pvalues(pairs.value[good], pairs.n, alternative)
    return p, exact, error
