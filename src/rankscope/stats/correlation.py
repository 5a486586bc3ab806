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
from rankscope.kernels.rounding_ties import NOISE
from rankscope.stats.cluster_sums import cluster_codes
from rankscope.stats.correlation_values import (
    STATISTICS,
    ListPairs,
    RankedRows,
    make_list_pairs,
    matrix_of,
    normed,
    surplus_by_row,
)
from rankscope.stats.distributions import special, t_pvalue
from rankscope.stats.inputs import (
    as_generator,
    check_alternative,
    check_choice,
    check_count,
    check_share,
    count_note,
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
    "interval_ends",
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

    Parameters
    ----------
    statistic
        Name of the correlation.
    x, y
        The lists, (items).

    Notes
    -----
    Nothing is gathered: with c the counts, sums are c @ values, ranks come from counts cumulated in the order of the
    values, and C - D is c S c / 2 with S_ij = sign(x_i - x_j) sign(y_i - y_j). An item and its copy are tied.
    """
    if statistic == "pearson":
        a, b = (normed(values[None])[0] for values in (x, y))
        return lambda counts: weighted_pearson(a, b, counts)
    codes_x, codes_y = (np.unique(values, return_inverse=True)[1].reshape(-1) for values in (x, y))
    if statistic == "spearman":
        return lambda counts: weighted_spearman(codes_x, codes_y, counts)
    return lambda counts: weighted_kendall(statistic, codes_x, codes_y, counts)


def weighted_pearson(a: Floats, b: Floats, counts: Floats) -> Floats:
    """Pearson's correlation of lists of mean 0 and length 1."""
    n = counts.sum(axis=1)
    sum_a, sum_b, aa, bb, ab = (counts @ np.column_stack((a, b, a * a, b * b, a * b))).T
    square_sums = (aa - sum_a * sum_a / n, bb - sum_b * sum_b / n)
    # Differences that only rounding leaves are no variance.
    variance_a, variance_b = (np.where(square_sum > 1e-13, square_sum, 0.0) for square_sum in square_sums)
    return clipped_ratio(ab - sum_a * sum_b / n, np.sqrt(variance_a * variance_b))


def weighted_spearman(x: Ints, y: Ints, counts: Floats) -> Floats:
    """(resamples) Spearman's rho of items that count as often as given in `counts`, (resamples, items)."""
    n = counts.sum(axis=1)
    a, b = (
        2 * np.cumsum(group_counts, axis=1) - group_counts - n[:, None]
        for group_counts in (count_by_value(x, counts), count_by_value(y, counts))
    )
    a, b = a[:, x], b[:, y]
    product = np.einsum("ri,ri,ri->r", counts, a, b)
    return clipped_ratio(
        product, np.sqrt(np.einsum("ri,ri,ri->r", counts, a, a) * np.einsum("ri,ri,ri->r", counts, b, b))
    )


def weighted_kendall(statistic: str, x: Ints, y: Ints, counts: Floats) -> Floats:
    """(resamples) Kendall's tau of items that count as often as given in `counts`, (resamples, items)."""
    n = counts.sum(axis=1)
    n_pairs = n * (n - 1) / 2
    surplus = weighted_surplus(x, y, counts)
    if statistic == "kendall_a":
        return clipped_ratio(surplus, n_pairs)
    if statistic == "kendall_b":
        return clipped_ratio(surplus, np.sqrt((n_pairs - tied_pairs(x, counts)) * (n_pairs - tied_pairs(y, counts))))
    n_values = np.minimum(*(np.count_nonzero(count_by_value(codes, counts), axis=1) for codes in (x, y)))
    return clipped_ratio(2 * surplus, n * n * (n_values - 1) / n_values)


def tied_pairs(codes: Ints, counts: Floats) -> Floats:
    """(resamples) pairs of one value, those of an item and its copy too."""
    group_counts = counts if all_differ(codes) else count_by_value(codes, counts)
    return np.asarray((np.einsum("ri,ri->r", group_counts, group_counts) - group_counts.sum(axis=1)) / 2)


def all_differ(codes: Ints) -> bool:
    """Whether no two values are equal. codes: ranks among the distinct values, from 0."""
    return int(codes.max()) == codes.size - 1


def clipped_ratio(numerator: Floats, denominator: Floats) -> Floats:
    """The quotient in [-1, 1]; NaN where the denominator is 0."""
    ratio = np.divide(numerator, denominator, out=np.full(numerator.shape, np.nan), where=denominator > 0)
    return np.asarray(np.clip(ratio, -1.0, 1.0))


def count_by_value(codes: Ints, counts: Floats) -> Floats:
    """(resamples, values) how often each value counts."""
    order = np.argsort(codes, kind="stable")
    if all_differ(codes):
        return counts[:, order]
    group_starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    return np.asarray(np.add.reduceat(counts[:, order], group_starts, axis=1))


def weighted_surplus(x: Ints, y: Ints, counts: Floats) -> Floats:
    """(resamples) C - D, in blocks of items whose table of signs is small.

    Counts and signs are small whole numbers, whose sums float32 holds exactly up to 2^24 items.
    """
    n = x.size
    counts_32 = counts.astype(np.float32)
    sums = np.zeros(len(counts))
    block_size = max(1, TABLE // n)
    for start in range(0, n, block_size):
        block = slice(start, start + block_size)
        signs = (sign_table(x, x[block]) * sign_table(y, y[block])).astype(np.float32)
        sums += np.einsum("ri,ri->r", counts_32 @ signs, counts_32[:, block], dtype=np.float64)
    return sums / 2


def sign_table(values: Ints, other_values: Ints) -> npt.NDArray[np.int8]:
    """(values, other_values) the sign of their difference."""
    greater = values[:, None] > other_values
    return greater.view(np.int8) - (values[:, None] < other_values).view(np.int8)


def bootstrap_values(correlations: Sequence[Weighted], n: int, draws: Draws, clusters: Ints | None = None) -> Floats:
    """(ways, resamples) each correlation of lists of n items, in the same bootstrap samples.

    clusters: (items) the cluster of each item, from 0; whole clusters are drawn. None: all items are independent.
    """
    values = np.empty((len(correlations), draws.n_resamples))
    n_done = 0
    n_units = n if clusters is None else int(clusters.max()) + 1
    for unit_counts in bootstrap_counts(draws, n_units, n):
        counts = unit_counts if clusters is None else unit_counts[:, clusters]
        for i, correlation in enumerate(correlations):
            values[i, n_done : n_done + len(counts)] = correlation(counts)
        n_done += len(counts)
    return values


def leave_one_out_counts(n: int, clusters: Ints | None) -> Iterator[Floats]:
    """(items or clusters, n), chunk by chunk: counts of 1, but 0 of one item, or of those of one cluster."""
    codes = np.arange(n) if clusters is None else clusters
    n_units = int(codes.max()) + 1
    chunk_size = max(1, WEIGHTS // n)
    for start in range(0, n_units, chunk_size):
        skipped = np.arange(start, min(start + chunk_size, n_units))
        yield (codes != skipped[:, None]).astype(np.float64)


def leave_one_out(correlations: Sequence[Weighted], n: int, clusters: Ints | None = None) -> Floats:
    """(ways, items or clusters) each correlation without each item, or each cluster. clusters: (items), from 0."""
    chunks_of_counts = leave_one_out_counts(n, clusters)
    values = [np.array([correlation(counts) for correlation in correlations]) for counts in chunks_of_counts]
    return np.concatenate(values, axis=1)


#: Bootstrap intervals of fewer items come with a note.
FEW = 25
#: Beyond this tau or rho, an interval by Fisher's z is rough.
FAR = 0.8
TWO_ITEMS = "2 items: their correlation is 1 or -1 whatever they are"
FULL = (
    "full agreement (or full disagreement): nothing in these items says how far from it others could be, "
    "so there is no interval"
)


def interval_ends(
    pairs: ListPairs,
    confidence_level: float,
    interval: str,
    n_resamples: int,
    rng: np.random.Generator,
    clusters: Ints | None = None,
) -> tuple[Floats, Floats, tuple[str, ...]]:
    """(lists) the ends of the intervals, and notes on them. clusters: (items), from 0; for bootstraps only."""
    single_note = "a list has one value only: nothing rises or falls, there is no correlation"
    notes = list(count_note(pairs.degenerate, single_note, "have a list of one value only: no correlation"))
    low, high = np.full((2, pairs.degenerate.size), np.nan)
    if pairs.n == 2:
        return low, high, (*notes, TWO_ITEMS)
    is_full = np.abs(pairs.value) == 1
    has_interval = ~pairs.degenerate & ~is_full
    if interval == "fisher":
        min_items = 5 if pairs.statistic.startswith("kendall") else 4
        if pairs.n < min_items:
            return low, high, (*notes, f"{pairs.n} items: an interval by Fisher's z takes at least {min_items}")
        values = pairs.value[has_interval]
        low[has_interval], high[has_interval] = fisher_ends(values, pairs.n, pairs.statistic, confidence_level)
        is_far = has_interval & (np.abs(pairs.value) > FAR) & (pairs.statistic != "pearson")
        notes += count_note(
            is_far,
            f"beyond {FAR} Fisher's interval of ranks is rough; the bootstrap's is another view",
            f"are beyond {FAR}, where Fisher's interval of ranks is rough; the bootstrap's is another view",
        )
    else:
        rows = np.flatnonzero(has_interval)
        low[has_interval], high[has_interval], n_lost = bootstrap_ends(
            pairs, rows, confidence_level, n_resamples, rng, clusters
        )
        if n_lost:
            notes.append(f"up to {n_lost} of {n_resamples} bootstrap samples had a list of one value and were skipped")
        n_units = pairs.n if clusters is None else int(clusters.max()) + 1
        if n_units < FEW:
            unit = "items" if clusters is None else "clusters"
            notes.append(f"fewer than {FEW} {unit}: bootstrap intervals are too narrow")
    return low, high, (*notes, *count_note(is_full, FULL, "agree fully, up or down: they have no interval"))


def fisher_ends(value: Floats, n: int, statistic: str, confidence_level: float) -> Floats:
    """(2, lists) the ends of Fisher's intervals; Bonett and Wright (2000)."""
    if statistic == "pearson":
        variance = np.full(value.shape, 1 / (n - 3))
    elif statistic == "spearman":
        variance = (1 + value**2 / 2) / (n - 3)
    else:
        variance = np.full(value.shape, 0.437 / (n - 4))
    half_width = special().ndtri((1 + confidence_level) / 2) * np.sqrt(variance)
    return np.asarray(np.tanh(np.arctanh(value) + np.array([[-1.0], [1.0]]) * half_width))


def bootstrap_ends(
    pairs: ListPairs,
    rows: npt.NDArray[np.intp],
    confidence_level: float,
    n_resamples: int,
    rng: np.random.Generator,
    clusters: Ints | None,
) -> tuple[Floats, Floats, int]:
    """The BCa intervals of some of the lists, and the most samples in which one was undefined."""
    low, high, n_lost = np.empty(rows.size), np.empty(rows.size), 0
    draws = draw(rng, n_resamples)
    for index, i in enumerate(rows.tolist()):
        correlations = [weighted_correlation(pairs.statistic, pairs.x[i], pairs.y[i])]
        samples = bootstrap_values(correlations, pairs.n, draws, clusters)[0]
        jackknife = leave_one_out(correlations, pairs.n, clusters)[0]
        low[index], high[index] = bca_ends(float(pairs.value[i]), samples, jackknife, confidence_level)
        n_lost = max(n_lost, int(np.isnan(samples).sum()))
    return low, high, n_lost


def bca_ends(value: float, samples: Floats, jackknife: Floats, confidence_level: float) -> tuple[float, float]:
    """The BCa interval of one value; NaN where all samples are equal.

    Parameters
    ----------
    value
        The value.
    samples
        (samples) its values in bootstrap samples; NaN are skipped.
    jackknife
        (items) its values without each item; NaN are skipped.
    confidence_level
        Confidence level.

    Notes
    -----
    Quantiles of the samples, moved for their bias (the share below the value, equal ones half) and for the skewness of
    the jackknife.

    Source: Efron (1987); Efron and Tibshirani (1993), chapter 14.
    """
    sorted_samples = np.sort(samples[~np.isnan(samples)])
    if sorted_samples.size < 2 or sorted_samples[-1] - sorted_samples[0] <= NOISE:
        return float("nan"), float("nan")
    functions = special()
    n_below, n_at_most = (
        np.count_nonzero(below) for below in (sorted_samples < value - NOISE, sorted_samples <= value + NOISE)
    )
    share_below = (n_below + n_at_most) / (2 * sorted_samples.size)
    min_share = 0.5 / sorted_samples.size
    bias = float(functions.ndtri(min(max(share_below, min_share), 1 - min_share)))
    defined = jackknife[~np.isnan(jackknife)]
    deviations = defined.mean() - defined if defined.size else np.zeros(1)
    square_sum = float((deviations**2).sum())
    skew = float((deviations**3).sum()) / (6 * square_sum**1.5) if square_sum > NOISE**2 else 0.0
    z = bias + functions.ndtri(np.array([(1 - confidence_level) / 2, (1 + confidence_level) / 2]))
    denominator = 1 - skew * z
    shifted = np.where(denominator > 0, z / np.where(denominator > 0, denominator, 1.0), np.copysign(np.inf, z))
    low, high = quantiles(sorted_samples[None], functions.ndtr(bias + shifted)[:, None])[:, 0].tolist()
    return low, high


#: Up to this length, lists without ties have an exact p-value of tau, as in SciPy.
EXACT = 33
#: Numbers in a chunk of permutations.
NUMBERS = 1 << 20


class Permuted(NamedTuple):
    """p-values from permutations.

    Attributes
    ----------
    pvalue
        p-values, (lists).
    error
        Their standard errors, 0 if all orders were counted.
    exact
        Whether all orders were counted.
    """

    pvalue: Floats
    error: Floats
    exact: bool


def t_pvalues(values: Floats, n: int, alternative: str) -> Floats:
    """P-values of Pearson and Spearman by t = r sqrt((n - 2) / (1 - r^2)) with n - 2 degrees of freedom; 1 if n = 2."""
    if n == 2:
        return np.where(np.isnan(values), np.nan, 1.0)
    unexplained = (1 - values) * (1 + values)
    imperfect = unexplained > 0
    t = values * np.sqrt((n - 2) / np.where(imperfect, unexplained, 1.0))
    return t_pvalue(np.where(imperfect, t, np.copysign(np.inf, values)), n - 2, alternative)


def kendall_pvalues(
    surplus: Ints, x: RankedRows, y: RankedRows, alternative: str
) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """The p-values of Kendall's tau, exact where they are exact in SciPy.

    Parameters
    ----------
    surplus
        C - D of each pair of lists, (lists).
    x, y
        The lists.
    alternative
        "two-sided", "greater" or "less".

    Returns
    -------
    tuple of arrays of shape (lists)
        The p-values, and which of them are exact.

    Notes
    -----
    Without ties and up to 33 items, or with at most one pair out of order either way, the orders are counted with as
    many pairs out of order. Otherwise C - D is taken to be normal, with the variance of lists with these ties.
    """
    n = x.codes.shape[1]
    n_pairs = n * (n - 1) // 2
    discordant = (n_pairs - surplus) // 2  # without ties
    exact = (x.n_tied_pairs == 0) & (y.n_tied_pairs == 0)
    if n > EXACT:
        exact &= np.minimum(discordant, n_pairs - discordant) <= 1
    p_values = np.empty(surplus.size)
    approximate = ~exact
    if approximate.any():
        z = surplus[approximate] / np.sqrt(surplus_variance(x.sizes[approximate], y.sizes[approximate], n))
        ndtr = special().ndtr
        p_values[approximate] = (
            2 * ndtr(-np.abs(z)) if alternative == "two-sided" else ndtr(-z if alternative == "greater" else z)
        )
    if exact.any():
        shares, last = discordance_shares(n)
        n_discordant = discordant[exact]
        # `shares` holds up to `last` pairs out of order; more are looked up from the other end.
        below = share_at_most(n_discordant, shares, last, n_pairs)
        above = share_at_most(n_pairs - n_discordant, shares, last, n_pairs)
        two_sided = np.minimum(1.0, 2 * np.minimum(below, above))
        p_values[exact] = two_sided if alternative == "two-sided" else below if alternative == "greater" else above
    return p_values, exact


def discordance_shares(n: int) -> tuple[Floats, int]:
    """P(0 pairs out of order), P(at most 1), ..., of n items; for more than EXACT items the first two only.

    A further item comes before 0 to k of k items in order: the probabilities are convolved, item by item.
    """
    if n > EXACT:
        one_order = float(np.exp(-special().gammaln(n + 1)))
        return np.array([one_order, n * one_order]), 1
    probabilities = np.ones(1)
    for k in range(2, n + 1):
        probabilities = np.convolve(probabilities, np.ones(k)) / k
    return np.cumsum(probabilities), probabilities.size - 1


def share_at_most(d: Ints, shares: Floats, last: int, pairs: int) -> Floats:
    """P(at most d pairs out of order); beyond the shares, from the other end."""
    direct = shares[np.clip(d, 0, last)]
    # P(at most d) = 1 - P(at most pairs - d - 1 from the other end), which is the smaller and so the more exact one.
    complement = np.where(d < pairs, shares[np.clip(pairs - d - 1, 0, last)], 0.0)
    return np.asarray(np.where(2 * d <= pairs, direct, 1.0 - complement))


def surplus_variance(tied_x: Ints, tied_y: Ints, n: int) -> Floats:
    """(lists) the variance of C - D if all orders are equally probable. tied_x, tied_y: (lists, groups) sizes of ties.

    Source: Kendall (1970); agrees with scipy.stats.kendalltau.
    """
    t, u = (sizes.astype(np.float64) for sizes in (tied_x, tied_y))
    moments_1, moments_2, moments_3 = (
        [moment(sizes).sum(axis=1) for sizes in (t, u)] for moment in (moment_1, moment_2, moment_3)
    )
    ordered_pairs = n * (n - 1.0)
    variances = (ordered_pairs * (2 * n + 5) - moments_3[0] - moments_3[1]) / 18
    variances = variances + moments_1[0] * moments_1[1] / (2 * ordered_pairs)
    if n > 2:
        variances += moments_2[0] * moments_2[1] / (9 * ordered_pairs * (n - 2))
    return np.asarray(variances)


def moment_1(size: Floats) -> Floats:
    """A sum of the variance of Kendall's S, for a group of ties of this size."""
    return size * (size - 1)


def moment_2(size: Floats) -> Floats:
    """A sum of the variance of Kendall's S, for a group of ties of this size."""
    return size * (size - 1) * (size - 2)


def moment_3(size: Floats) -> Floats:
    """A sum of the variance of Kendall's S, for a group of ties of this size."""
    return size * (size - 1) * (2 * size + 5)


def permutation_pvalues(
    x: Floats, y: Floats, ranks: tuple[RankedRows, RankedRows] | None, alternative: str, draws: Draws
) -> Permuted:
    """The share of orders of y that correlate with x at least as much.

    Parameters
    ----------
    x, y
        Values, (lists, items); for Pearson and Spearman centred, since sums of products are compared.
    ranks
        For Kendall, the ranks of x and y, whose C - D is compared. None for the others.
    alternative
        "two-sided", as far from 0; "greater" or "less".
    draws
        The resamples, which give all lists the same orders. All orders are counted if they are no more than these.

    Returns
    -------
    Permuted
        The p-values, (lists), with their errors.
    """
    n_lists, n = x.shape
    exact = n <= 12 and factorial(n) <= draws.n_resamples
    orders = all_orders(n) if exact else sampled_orders(draws, n)
    count = np.zeros(n_lists)
    observed = (x * y).sum(axis=1) if ranks is None else surplus_by_row(*ranks).astype(np.float64)
    tolerance = NOISE * np.sqrt((x * x).sum(axis=1) * (y * y).sum(axis=1)) if ranks is None else np.zeros(n_lists)
    for order in orders:
        for i in range(n_lists):
            if ranks is None:
                statistics = y[i][order] @ x[i]
            else:
                ranks_x, ranks_y = ranks[0].rows([i]), ranks[1].rows([i])
                ordered_y = RankedRows(ranks_y.codes[0][order], ranks_y.sizes)
                statistics = surplus_by_row(ranks_x, ordered_y).astype(np.float64)
            count[i] += count_as_extreme(statistics, float(observed[i]), float(tolerance[i]), alternative)
    if exact:
        return Permuted(count / factorial(n), np.zeros(n_lists), True)
    n_resamples = draws.n_resamples
    pvalue = (1 + count) / (1 + n_resamples)
    return Permuted(pvalue, np.sqrt(pvalue * (1 - pvalue) / n_resamples), False)


def count_as_extreme(statistics: Floats, observed: float, tolerance: float, alternative: str) -> int:
    """How many statistics are at least as extreme as the observed one; equal up to rounding is equal."""
    if alternative == "two-sided":
        return int(np.count_nonzero(np.abs(statistics) >= abs(observed) - tolerance))
    if alternative == "greater":
        return int(np.count_nonzero(statistics >= observed - tolerance))
    return int(np.count_nonzero(statistics <= observed + tolerance))


def all_orders(n: int) -> Iterator[Ints]:
    """(orders, n) all permutations, chunk by chunk."""
    orders = permutations(range(n))
    while True:
        chunk = np.fromiter(chain.from_iterable(islice(orders, NUMBERS // n)), np.int64)
        if not chunk.size:
            return
        yield chunk.reshape(-1, n)


def sampled_orders(draws: Draws, n: int) -> Iterator[Ints]:
    """(orders, n) random permutations, chunk by chunk."""
    for stream, n_orders in chunks(draws, n):
        yield stream.permuted(np.broadcast_to(np.arange(n), (n_orders, n)), axis=1)


INTERVALS = ("fisher", "bootstrap")
PVALUES = ("auto", "permutation")


@dataclass(frozen=True, eq=False, kw_only=True)
class Correlation:
    """A correlation for each pair of lists; arrays of shape (lists), or () for a single pair.

    Attributes
    ----------
    statistic
        Name of the statistic.
    value
        Correlation, in [-1, 1]; NaN if it is undefined.
    pvalue
        Probability that unrelated lists correlate at least as far from 0 (two-sided), as high (greater) or as low
        (less).
    alternative
        Alternative hypothesis.
    exact
        Whether all orders were counted for the p-value.
    error
        Standard error of a p-value from permutations, else 0.
    low, high
        Two-sided interval at `confidence_level`; NaN if there is none.
    confidence_level
        Level of the interval.
    interval
        Kind of interval, "fisher" or "bootstrap".
    n
        Number of items.
    n_resamples
        Number of bootstrap samples or permutations, 0 if there were none.
    degenerate
        Whether a list has only one distinct value.
    notes
        What a reader should know.
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
    clusters: npt.ArrayLike | None = None,
) -> Correlation:
    """Correlation of two lists of numbers, in [-1, 1]: 1 if they rise together, -1 if one rises as the other falls.

    Parameters
    ----------
    x, y
        Values, (items) or (lists, items), with the items in one order; each list of x is paired with the same one of y.
    statistic
        "pearson" (linear), "spearman" (of the ranks), or Kendall's "kendall_a", "kendall_b", "kendall_c": pairs of
        items ordered alike less those ordered the other way round, over all pairs, over those not tied, and for lists
        of few values.
    alternative
        "two-sided", "greater" or "less".
    confidence_level
        Level of the interval, in (0, 1).
    interval
        "fisher", tanh(atanh(r) -+ z sqrt(v)), or "bootstrap", BCa over items, skipping samples in which a list has only
        one value.
    pvalue
        "auto" or "permutation".
    n_resamples
        Number of permutations and bootstrap samples.
    rng
        Seed or `numpy.random.Generator`.
    clusters
        The cluster of each item, within which items are not independent, (items): the bootstrap draws whole clusters,
        and there is no p-value. None: all are independent.

    Returns
    -------
    Correlation
        For a list with only one value: value NaN ("kendall_a": 0), p-value and interval NaN, flagged as degenerate. For
        correlations of 1 and -1, and too few items for v, the interval is NaN, with a note. With two items p = 1 for
        Pearson and Spearman.

    Raises
    ------
    ParameterError
        Values are NaN or infinite, the lists differ in length, there are fewer than two items, a name is unknown, or
        clusters meet the interval "fisher" or p-values by permutation, which take all items as independent.

    Notes
    -----
    p-value "auto": for Pearson and Spearman Student's t with n - 2 degrees of freedom; for Kendall exact without ties
    up to 33 items (or with at most one pair out of order either way), else normal with the variance for these ties. The
    three taus share C - D and so their p-value. "permutation": (1 + count) / (1 + n_resamples), or count / n! if n! is
    at most n_resamples; two-sided counts values at least as far from 0.

    For the interval "fisher", v = 1 / (n - 3) for Pearson, (1 + r^2 / 2) / (n - 3) for Spearman and .437 / (n - 4) for
    Kendall: an approximation for normal values, rough with many ties and for ranks beyond .8.

    References
    ----------
    Pearson (1895), Spearman (1904), Kendall (1938; 1945), Stuart (1953); Fieller, Hartley and Pearson (1957), Bonett
    and Wright (2000) for v. Values and p-values agree with scipy.stats.pearsonr, spearmanr and kendalltau.

    Examples
    --------
    >>> result = correlation_test([1, 2, 3, 4, 5, 6], [1, 3, 2, 4, 6, 5])
    >>> round(float(result.value), 4), round(float(result.pvalue), 4)  # 13 pairs alike, 2 not
    (0.7333, 0.0556)
    >>> round(float(result.low), 4), round(float(result.high), 4)
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
    pairs = make_list_pairs(np.atleast_2d(a), np.atleast_2d(b), statistic)
    codes = None if clusters is None else cluster_codes(clusters, pairs.n)
    if codes is not None and (interval == "fisher" or pvalue == "permutation"):
        raise ParameterError(
            f"interval is {interval!r} and pvalue {pvalue!r}, and there are clusters, within which items are not "
            "independent; expected interval 'bootstrap' and pvalue 'auto'"
        )
    p_values, exact, error = pvalues(pairs, alternative, pvalue, n_resamples, generator)
    if codes is not None:
        p_values[:] = np.nan
    low, high, notes = interval_ends(pairs, confidence_level, interval, n_resamples, generator, codes)
    is_permuted = pvalue == "permutation" and not pairs.degenerate.all() and not exact.any()
    shape = a.shape[:-1]
    return Correlation(
        statistic=statistic,
        value=pairs.value.reshape(shape),
        pvalue=p_values.reshape(shape),
        alternative=alternative,
        exact=exact.reshape(shape),
        error=error.reshape(shape),
        low=low.reshape(shape),
        high=high.reshape(shape),
        confidence_level=confidence_level,
        interval=interval,
        n=pairs.n,
        n_resamples=n_resamples if is_permuted or interval == "bootstrap" else 0,
        degenerate=pairs.degenerate.reshape(shape),
        notes=notes,
    )


def correlation_matrix(rows: npt.ArrayLike, *, statistic: str = "kendall_b") -> Floats:
    """The correlation of every two of k lists, in [-1, 1].

    Parameters
    ----------
    rows
        Values, (k, items).
    statistic
        As for `correlation_test`.

    Returns
    -------
    array of shape (k, k)
        Symmetric, with 1 on the diagonal. For a list with only one value NaN ("kendall_a": 0 with others), also on the
        diagonal. "kendall_a" of a list with ties and itself is the share of its pairs that are not tied, and
        "kendall_c" may be below 1 as well.

    Raises
    ------
    ParameterError
        Values are NaN, the shape is wrong, or there are fewer than two items.

    References
    ----------
    As for `correlation_test`; agrees with pandas.DataFrame(rows).T.corr().

    Examples
    --------
    >>> correlation_matrix([[1, 2, 3, 4], [1, 2, 4, 3], [4, 3, 2, 1]]).round(4).tolist()
    [[1.0, 0.6667, -1.0], [0.6667, 1.0, -0.6667], [-1.0, -0.6667, 1.0]]
    """
    check_choice("statistic", statistic, STATISTICS)
    lists = as_lists(rows, "rows")
    if lists.ndim != 2:
        raise ParameterError(f"the rows have shape {lists.shape}, expected (lists, items)")
    return matrix_of(lists, statistic)


def as_lists(values: npt.ArrayLike, description: str) -> Floats:
    """(items) or (lists, items) finite numbers. Raises ParameterError."""
    lists = numbers(values, description)
    if lists.ndim not in (1, 2) or lists.shape[-1] < 2:
        raise ParameterError(
            f"the {description} have shape {lists.shape}, expected (items) or (lists, items) with at least 2 items"
        )
    return lists


def pvalues(
    pairs: ListPairs, alternative: str, pvalue: str, n_resamples: int, rng: np.random.Generator
) -> tuple[Floats, Bools, Floats]:
    """(lists) each: the p-values, whether all orders were counted, their standard errors."""
    varying = ~pairs.degenerate
    p_values, error, exact = np.full(varying.size, np.nan), np.zeros(varying.size), np.zeros(varying.size, np.bool_)
    is_kendall = pairs.statistic.startswith("kendall")
    ranks = (pairs.ranks_x.rows(varying), pairs.ranks_y.rows(varying)) if is_kendall else None
    if pvalue == "permutation":
        rank_lists = (pairs.ranks_x.doubled_ranks, pairs.ranks_y.doubled_ranks)
        a, b = (pairs.x, pairs.y) if pairs.statistic == "pearson" else rank_lists
        a, b = (values[varying] - values[varying].mean(axis=1, keepdims=True) for values in (a, b))
        permuted = permutation_pvalues(a, b, ranks, alternative, draw(rng, n_resamples))
        p_values[varying], error[varying], exact[varying] = permuted.pvalue, permuted.error, permuted.exact
    elif ranks is not None:
        p_values[varying], exact[varying] = kendall_pvalues(pairs.surplus[varying], *ranks, alternative)
    else:
        p_values[varying] = t_pvalues(pairs.value[varying], pairs.n, alternative)
    return p_values, exact, error
