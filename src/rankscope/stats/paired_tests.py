"""Tests of two systems on the same queries: Student's t, Wilcoxon's signed ranks, the signs, Fisher's randomisation,
the bootstrap.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.kernels.resample import (
    Draws,
    bootstrap_counts,
    bootstrap_moments,
    draw,
    exact_flip_sums,
    flip_sums,
)
from rankscope.kernels.rounding_ties import NOISE, tied_with_previous
from rankscope.stats.cluster_sums import ClusterSums, cluster_sums
from rankscope.stats.distributions import special, t_pvalue
from rankscope.stats.inputs import (
    all_zero,
    as_differences,
    as_generator,
    check_alternative,
    check_choice,
    check_count,
    check_positive,
    count_note,
    count_outcomes,
    is_constant,
    scale_rows,
)
from rankscope.typing import Bools, Floats

__all__ = [
    "PairedTest",
    "bootstrap_test",
    "monte_carlo",
    "randomisation_test",
    "sign_pvalue",
    "sign_test",
    "t_test",
    "wilcoxon_test",
]


#: More differences than this are tested by the normal approximation by default.
EXACT = 50
#: Most numbers in a table of pairs: 16 MB.
TABLE = 1 << 21
#: Note of the tests on signs and ranks for at least MANY queries.
WARNING = (
    "on many queries this test finds differences between equal systems more often than its level says "
    "(Urbano et al. 2019; Ihemelandu and Ekstrand 2023; Parapar et al. 2020 find otherwise)"
)
MANY = 200


@dataclass(frozen=True, eq=False, kw_only=True)
class PairedTest:
    """The result of a test for each pair; arrays of shape (pairs), or () for a single list of differences.

    Attributes
    ----------
    test
        Name of the test.
    statistic, pvalue
        NaN if the data leave them undefined.
    alternative
        Alternative hypothesis: the mean difference (or its sign) is not 0, greater, or less.
    n
        Number of queries.
    n_resamples
        Number of resamples, 0 if none were needed.
    exact
        Whether all cases were counted for every pair.
    error
        Standard error of a p-value from resampling, else 0.
    degenerate
        Whether there is only one difference or all are equal, so that the test says nothing.
    notes
        What a reader should know.
    """

    test: str
    statistic: Floats
    pvalue: Floats
    alternative: str
    n: int
    n_resamples: int
    exact: bool
    error: Floats
    degenerate: Bools
    notes: tuple[str, ...]


def formula_result(
    test: str,
    shape: tuple[int, ...],
    statistic: Floats,
    pvalue: Floats,
    alternative: str,
    n: int,
    exact: bool = False,
    degenerate: Bools | None = None,
    notes: tuple[str, ...] = (),
) -> PairedTest:
    """The result of a test that needs no resamples. shape: of one result for each pair."""
    not_degenerate = np.zeros(pvalue.shape, np.bool_)
    return PairedTest(
        test=test,
        statistic=statistic.reshape(shape),
        pvalue=pvalue.reshape(shape),
        alternative=alternative,
        n=n,
        n_resamples=0,
        exact=exact,
        error=np.zeros(shape),
        degenerate=(not_degenerate if degenerate is None else degenerate).reshape(shape),
        notes=notes,
    )


def degenerate_notes(differences: Floats, degenerate: Bools, *, clustered: bool = False) -> tuple[str, ...]:
    """Notes of a test that needs a variance on pairs without one. clustered: whether queries have clusters."""
    if differences.shape[1] == 1:
        return ("one query: a single difference says nothing of how much differences vary",)
    where = "in every cluster" if clustered else "on every query"
    single_note = f"the difference is the same {where}: there is no variance to test it against"
    plural_note = f"differ by the same amount {where}: no variance to test it against"
    equal = all_zero(differences)
    return (
        *count_note(equal, "no query tells the two systems apart", "are told apart by no query"),
        *count_note(degenerate & ~equal, single_note, plural_note),
    )


def t_test(
    differences: npt.ArrayLike,
    *,
    alternative: str = "two-sided",
    clusters: npt.ArrayLike | None = None,
    weights: npt.ArrayLike | None = None,
) -> PairedTest:
    """Student's paired t-test of the mean difference; the default test.

    Parameters
    ----------
    differences
        Differences, (queries) or (pairs, queries).
    alternative
        "two-sided", "greater" or "less".
    clusters
        The cluster of each query, whose differences are not independent, (queries). None: all are independent.
    weights
        How much each query counts, (queries). None: all count the same.

    Returns
    -------
    PairedTest
        statistic = mean / (s / sqrt(n)), unbounded, above 0 if the first system is better. If all differences are 0,
        the statistic is 0 and p = 1. For a single query, or the same difference on every query, both are NaN, flagged
        as degenerate.

    Raises
    ------
    ParameterError
        A difference is NaN, or the alternative is unknown.

    Notes
    -----
    With clusters or weights the standard error is that of the jackknife over clusters, and the degrees of freedom are
    the effective number of clusters less 1: G - 1 for clusters of one size.

    References
    ----------
    Student (1908), with n - 1 degrees of freedom; agrees with scipy.stats.ttest_rel. With clusters of one size, it
    agrees with the cluster-robust covariance of statsmodels.

    Examples
    --------
    >>> result = t_test([0.1, 0.2, 0.0, 0.3])
    >>> round(float(result.statistic), 4), round(float(result.pvalue), 4)
    (2.3238, 0.1027)
    """
    check_alternative(alternative)
    rows, shape = as_differences(differences)
    rows, _ = scale_rows(rows)
    n = rows.shape[1]
    degenerate = is_constant(rows) | (n == 1)
    statistic, pvalue = np.full(len(rows), np.nan), np.full(len(rows), np.nan)
    if clusters is not None or weights is not None:
        units = cluster_sums(rows, clusters, weights)
        degenerate = units.degenerate
        statistic[~degenerate] = units.means[~degenerate] / units.standard_errors[~degenerate]
        pvalue[~degenerate] = t_pvalue(statistic[~degenerate], units.df, alternative)
    elif not degenerate.all():
        varying_rows = rows[~degenerate]
        statistic[~degenerate] = varying_rows.mean(axis=1) / (varying_rows.std(axis=1, ddof=1) / np.sqrt(n))
        pvalue[~degenerate] = t_pvalue(statistic[~degenerate], n - 1, alternative)
    equal = all_zero(rows)
    statistic[equal], pvalue[equal] = 0.0, 1.0
    notes = degenerate_notes(rows, degenerate, clustered=clusters is not None)
    return formula_result("t", shape, statistic, pvalue, alternative, n, degenerate=degenerate, notes=notes)


def sign_test(differences: npt.ArrayLike, *, alternative: str = "two-sided", zone: float = 0.0) -> PairedTest:
    """The sign test: whether as many queries are won as lost; exact, from the binomial distribution.

    Parameters
    ----------
    differences
        Differences, (queries) or (pairs, queries).
    alternative
        "two-sided", "greater" or "less".
    zone
        A difference of at most this much is a tie; ties count for neither side.

    Returns
    -------
    PairedTest
        The statistic is the number of queries won. p = 1 if there are only ties.

    Raises
    ------
    ParameterError
        A difference is NaN, or the zone is below 0.

    References
    ----------
    Arbuthnott (1710), Fisher (1925); agrees with scipy.stats.binomtest of wins among wins and losses.

    Examples
    --------
    >>> float(sign_test([0.1, 0.2, 0.0, 0.3, 0.1]).pvalue)  # 4 won, 0 lost: 2 / 2^4
    0.125
    """
    check_alternative(alternative)
    check_positive("zone", zone, zero=True)
    rows, shape = as_differences(differences)
    won, lost = (counts.astype(np.float64) for counts in count_outcomes(rows, zone))
    pvalue = sign_pvalue(won, lost, alternative)
    notes = (WARNING,) if rows.shape[1] >= MANY else ()
    return formula_result("sign", shape, won, pvalue, alternative, rows.shape[1], exact=True, notes=notes)


def sign_pvalue(won: Floats, lost: Floats, alternative: str) -> Floats:
    """P(as many wins or more), or as few; twice the smaller for both sides."""
    bdtr = special().bdtr
    n_fewer = np.minimum(won, lost) if alternative == "two-sided" else lost if alternative == "greater" else won
    # As many wins or more are as few losses or fewer.
    tail = np.asarray(bdtr(n_fewer, (won + lost).astype(np.int64), 0.5))
    return np.asarray(np.minimum(1.0, 2.0 * tail if alternative == "two-sided" else tail))


def wilcoxon_test(
    differences: npt.ArrayLike,
    *,
    alternative: str = "two-sided",
    zero_method: str = "wilcox",
    method: str = "auto",
    correction: bool = False,
) -> PairedTest:
    """Wilcoxon's signed rank test: whether the differences are symmetric about 0.

    Parameters
    ----------
    differences
        Differences, (queries) or (pairs, queries). Differences that agree to twelve digits are tied and share their
        mean rank.
    alternative
        "two-sided", "greater" or "less".
    zero_method
        "wilcox" drops differences of 0 before ranking, "pratt" after ranking.
    method
        "exact" counts all vectors of signs of these ranks, ties included; "approx" takes the normal distribution with
        the variance of these ranks; "auto" is exact up to 50 differences of a pair.
    correction
        Whether "approx" has a continuity correction of one half.

    Returns
    -------
    PairedTest
        The statistic is the sum of ranks of the positive differences, where all are ranked by absolute value; at least
        0. p = 1 if all differences are 0.

    Raises
    ------
    ParameterError
        A difference is NaN, or a name is unknown.

    References
    ----------
    Wilcoxon (1945), Pratt (1959); agrees with scipy.stats.wilcoxon, which has an exact p-value for ties only by
    permutation.

    Examples
    --------
    >>> float(wilcoxon_test([0.1, 0.2, 0.4, 0.3, 0.5]).pvalue)  # 2 of 2^5 vectors of signs
    0.0625
    """
    check_alternative(alternative)
    check_choice("zero_method", zero_method, ("wilcox", "pratt"))
    check_choice("method", method, ("auto", "exact", "approx"))
    rows, shape = as_differences(differences)
    rows, _ = scale_rows(rows)
    block_size = max(1, TABLE // rows.shape[1])
    blocks = [
        rank_test(rows[start : start + block_size], alternative, zero_method, method, correction)
        for start in range(0, len(rows), block_size)
    ]
    statistic, pvalue, exact = (np.concatenate(block_results) for block_results in zip(*blocks, strict=True))
    notes = (WARNING,) if rows.shape[1] >= MANY else ()
    n = rows.shape[1]
    return formula_result("wilcoxon", shape, statistic, pvalue, alternative, n, bool(exact.all()), notes=notes)


def rank_test(
    rows: Floats, alternative: str, zero_method: str, method: str, correction: bool
) -> tuple[Floats, Floats, Bools]:
    """(pairs) statistic, p-value, and whether the p-value is exact."""
    ranks = signed_ranks(rows, zero_method)
    is_small = (ranks != 0).sum(axis=1) <= EXACT
    exact = is_small if method == "auto" else np.full(len(rows), method == "exact")
    pvalue = np.empty(len(rows))
    if exact.any():
        exact_rows = ranks[exact]
        block_size = max(1, TABLE // count_rank_sums(exact_rows))
        starts = range(0, len(exact_rows), block_size)
        blocks = [exact_rows[start : start + block_size] for start in starts]
        pvalue[exact] = np.concatenate([exact_pvalues(block, alternative) for block in blocks])
    if not exact.all():
        pvalue[~exact] = approximate_pvalues(ranks[~exact], alternative, correction)
    return np.maximum(ranks, 0.0).sum(axis=1), pvalue, exact


def signed_ranks(rows: Floats, zero_method: str) -> Floats:
    """(pairs, queries) the mean rank of each absolute difference, with its sign; 0 for those that are not ranked."""
    sizes = np.abs(rows)
    noise = NOISE * sizes.max(axis=1, keepdims=True)
    sizes = np.where(sizes <= noise, 0.0, sizes)
    n = rows.shape[1]
    order = np.argsort(sizes, axis=1, kind="stable")
    sorted_sizes = np.take_along_axis(sizes, order, axis=1)
    starts_group = np.ones(sizes.shape, np.bool_)
    starts_group[:, 1:] = ~tied_with_previous(sorted_sizes, noise)
    group = np.cumsum(starts_group.ravel()) - 1  # no group runs over the end of a row
    positions = np.broadcast_to(np.arange(1.0, n + 1), sizes.shape).ravel()
    mean_ranks = np.bincount(group, positions) / np.bincount(group)
    ranks = np.empty(sizes.shape)
    np.put_along_axis(ranks, order, mean_ranks[group].reshape(sizes.shape), axis=1)
    if zero_method == "wilcox":
        ranks -= (sizes == 0).sum(axis=1, keepdims=True)
    return np.asarray(np.where(sizes > 0, np.sign(rows) * ranks, 0.0))


def approximate_pvalues(ranks: Floats, alternative: str, correction: bool) -> Floats:
    """P-values by the normal distribution: each rank r counts with probability 1/2: mean r / 2, variance r^2 / 4."""
    deviation = ranks.sum(axis=1) / 2  # the statistic less its mean
    sd = np.sqrt((ranks * ranks).sum(axis=1)) / 2
    if correction:
        step = np.sign(deviation) if alternative == "two-sided" else 1.0 if alternative == "greater" else -1.0
        deviation = deviation - step / 2
    z = np.divide(deviation, sd, out=np.zeros_like(deviation), where=sd > 0)
    ndtr = special().ndtr
    tails = {"two-sided": lambda: 2 * ndtr(-np.abs(z)), "greater": lambda: ndtr(-z), "less": lambda: ndtr(z)}
    pvalue = np.asarray(tails[alternative]())
    pvalue[sd == 0] = 1.0
    return pvalue


def count_rank_sums(ranks: Floats) -> int:
    """The number of possible sums of doubled ranks: from 0 to the sum of all."""
    return int(np.round(2 * np.abs(ranks)).sum(axis=1).max()) + 1


def exact_pvalues(ranks: Floats, alternative: str) -> Floats:
    """P-values by the distribution of the sum over all vectors of signs, one rank added after the other.

    Ranks are integers or half-integers: doubled, sums are indices of an array of probabilities.
    """
    doubled = np.round(2 * np.abs(ranks)).astype(np.int64)
    sums = np.arange(count_rank_sums(ranks))
    probabilities = np.zeros((len(ranks), sums.size))
    probabilities[:, 0] = 1.0
    for column in doubled.T:
        if not column.any():
            continue
        previous_sums = sums - column[:, None]
        shifted = np.take_along_axis(probabilities, np.maximum(previous_sums, 0), axis=1)
        probabilities = (probabilities + np.where(previous_sums >= 0, shifted, 0.0)) / 2
    observed_sums = np.round(2 * np.maximum(ranks, 0.0)).astype(np.int64).sum(axis=1)
    at_most = np.cumsum(probabilities, axis=1)
    less = np.take_along_axis(at_most, observed_sums[:, None], axis=1)[:, 0]
    # The distribution is symmetric: the mirrored sum avoids a difference of nearly equal numbers.
    mirrored = doubled.sum(axis=1) - observed_sums
    greater = np.take_along_axis(at_most, mirrored[:, None], axis=1)[:, 0]
    if alternative == "two-sided":
        return np.asarray(np.minimum(1.0, 2.0 * np.minimum(less, greater)))
    return np.asarray(np.minimum(1.0, greater if alternative == "greater" else less))


def monte_carlo(count: Floats, n_resamples: int) -> tuple[Floats, Floats]:
    """The p-value (1 + count) / (1 + n_resamples), never 0, and its standard error.

    Parameters
    ----------
    count
        Numbers of resamples at least as extreme as the observed case.
    n_resamples
        Number of resamples.

    Returns
    -------
    pvalue, error
        The p-value and its standard error.

    Notes
    -----
    The observed case counts as one resample, so the test keeps its level with any number of resamples.

    References
    ----------
    Phipson and Smyth (2010); Davison and Hinkley (1997).
    """
    pvalue = (1.0 + count) / (1.0 + n_resamples)
    return pvalue, np.sqrt(pvalue * (1 - pvalue) / (n_resamples + 1))


def count_extreme(chunks: Iterable[Floats], observed: Floats, tolerance: Floats, alternative: str) -> Floats:
    """(pairs) how many resamples are at least as extreme; equal up to rounding is as extreme."""
    count = np.zeros(observed.size)
    for sums in chunks:
        if alternative == "two-sided":
            count += (np.abs(sums) >= np.abs(observed) - tolerance).sum(axis=0)
        elif alternative == "greater":
            count += (sums >= observed - tolerance).sum(axis=0)
        else:
            count += (sums <= observed + tolerance).sum(axis=0)
    return count


def randomisation_test(
    differences: npt.ArrayLike,
    *,
    alternative: str = "two-sided",
    n_resamples: int = 10_000,
    rng: Any = None,
    clusters: npt.ArrayLike | None = None,
    weights: npt.ArrayLike | None = None,
) -> PairedTest:
    """Fisher's randomisation test: if the systems were equal, each difference could have the other sign.

    Parameters
    ----------
    differences
        Differences, (queries) or (pairs, queries).
    alternative
        "two-sided", "greater" or "less".
    n_resamples
        Number of random vectors of signs; all pairs get the same ones.
    rng
        Seed or `numpy.random.Generator`; the same seed gives the same p on any machine.
    clusters
        The cluster of each query, whose differences are not independent, (queries). None: all are independent.
    weights
        How much each query counts, (queries). None: all count the same.

    Returns
    -------
    PairedTest
        The statistic is the mean difference, unbounded, above 0 if the first system is better. p = 1 if all differences
        are 0.

    Raises
    ------
    ParameterError
        A difference is NaN, or an argument is out of range.

    Notes
    -----
    p is the share of vectors of signs with a mean at least as far from 0 as the observed one. If there are at most
    `n_resamples` such vectors (2^n), each is counted once and p = count / 2^n; else they are drawn, and p = (1 + count)
    / (1 + n_resamples). All queries of a cluster have one sign, so that n is the number of clusters.

    References
    ----------
    Fisher (1935); Smucker, Allan and Carterette (2007); agrees with scipy.stats.permutation_test of "samples".

    Examples
    --------
    >>> result = randomisation_test([0.1, 0.2, 0.0, 0.3])  # 4 of 16: the three others all positive, or all negative
    >>> float(result.pvalue), result.exact
    (0.25, True)
    """
    check_alternative(alternative)
    check_count("n_resamples", n_resamples)
    rows, shape = as_differences(differences)
    rows, exponent = scale_rows(rows)
    generator = as_generator(rng)
    n, means, equal = rows.shape[1], rows.mean(axis=1), all_zero(rows)
    flipped, tolerance = rows, NOISE * np.abs(rows).sum(axis=1)
    if clusters is not None or weights is not None:
        units = cluster_sums(rows, clusters, weights)
        flipped, means = units.sums, units.means
    n_signs = flipped.shape[1]
    exact = n_signs < 31 and 2**n_signs <= n_resamples
    chunks = exact_flip_sums(flipped) if exact else flip_sums(flipped, draw(generator, n_resamples))
    count = count_extreme(chunks, flipped.sum(axis=1), tolerance, alternative)
    pvalue, error = (count / 2**n_signs, np.zeros(len(rows))) if exact else monte_carlo(count, n_resamples)
    one_query_note = ("one query: a difference cannot be distinguished from chance",) if n == 1 else ()
    return PairedTest(
        test="randomisation",
        statistic=np.ldexp(means, exponent).reshape(shape),
        pvalue=pvalue.reshape(shape),
        alternative=alternative,
        n=n,
        n_resamples=0 if exact else n_resamples,
        exact=exact,
        error=np.where(equal, 0.0, error).reshape(shape),
        degenerate=np.zeros(shape, np.bool_),
        notes=one_query_note or degenerate_notes(rows, equal),
    )


def bootstrap_test(
    differences: npt.ArrayLike,
    *,
    alternative: str = "two-sided",
    n_resamples: int = 10_000,
    rng: Any = None,
    clusters: npt.ArrayLike | None = None,
    weights: npt.ArrayLike | None = None,
) -> PairedTest:
    """The studentised bootstrap shift test: the distribution of t if the mean difference were 0.

    Parameters
    ----------
    differences
        Differences, (queries) or (pairs, queries).
    alternative
        "two-sided", "greater" or "less".
    n_resamples
        Number of resamples; all pairs get the same ones.
    rng
        Seed or `numpy.random.Generator`; the same seed gives the same p.
    clusters
        The cluster of each query, whose differences are not independent, (queries). None: all are independent.
    weights
        How much each query counts, (queries). None: all count the same.

    Returns
    -------
    PairedTest
        The statistic is t = mean / (s / sqrt(n)). If all differences are 0, it is 0 and p = 1. For a single query, or
        the same difference on every query, both are NaN, flagged as degenerate.

    Raises
    ------
    ParameterError
        A difference is NaN, or an argument is out of range.

    Notes
    -----
    The differences less their mean are resampled with replacement; p = (1 + number of resamples whose t is at least as
    extreme) / (1 + n_resamples). A resample of a single value has no s: its t is infinite, or 0 if that value is 0, so
    that few queries make p large, not small. With clusters, these are drawn, and both t of the data and t of a resample
    have the cluster-robust standard error (CR1), which for clusters of one query is s / sqrt(n).

    References
    ----------
    Efron and Tibshirani (1993), chapter 16; Sakai (2006), who has count / n_resamples.

    Examples
    --------
    >>> result = bootstrap_test([0.1, 0.2, 0.0, 0.3, 0.1, 0.2], n_resamples=999, rng=1)
    >>> round(float(result.statistic), 4), bool(0.001 <= result.pvalue <= 0.1)
    (3.5032, True)
    """
    check_alternative(alternative)
    check_count("n_resamples", n_resamples)
    rows, shape = as_differences(differences)
    rows, _ = scale_rows(rows)
    draws = draw(as_generator(rng), n_resamples)
    n = rows.shape[1]
    statistic, pvalue, error = (np.full(len(rows), np.nan) for _ in range(3))
    if clusters is not None or weights is not None:
        units = cluster_sums(rows, clusters, weights)
        degenerate = units.degenerate
        varying = replace(units, sums=units.sums[~degenerate])
        observed, resampled = cluster_t(varying, draws)
    else:
        degenerate = is_constant(rows) | (n == 1)
        observed, resampled = query_t(rows[~degenerate], draws)
    if observed.size:
        statistic[~degenerate] = observed
        # A mean of 0 is exact only to the last bits of the values, and t multiplies them by sqrt(n).
        count = count_extreme(resampled, observed, NOISE * (np.abs(observed) + np.sqrt(n)), alternative)
        pvalue[~degenerate], error[~degenerate] = monte_carlo(count, n_resamples)
    equal = all_zero(rows)
    statistic[equal], pvalue[equal], error[equal] = 0.0, 1.0, 0.0
    return PairedTest(
        test="bootstrap",
        statistic=statistic.reshape(shape),
        pvalue=pvalue.reshape(shape),
        alternative=alternative,
        n=n,
        n_resamples=n_resamples,
        exact=False,
        error=error.reshape(shape),
        degenerate=degenerate.reshape(shape),
        notes=degenerate_notes(rows, degenerate, clustered=clusters is not None),
    )


def query_t(rows: Floats, draws: Draws) -> tuple[Floats, Iterable[Floats]]:
    """(pairs) t of the differences, and that of resamples of them less their mean. rows: (pairs, queries)."""
    n = rows.shape[1]
    if not len(rows):
        return np.zeros(0), ()
    sd = rows.std(axis=1, ddof=1)
    # In units of s, so that one tolerance serves all pairs.
    shifted = (rows - rows.mean(axis=1, keepdims=True)) / sd[:, None]
    resampled = (studentised(mean, mean_square, n) for mean, mean_square in bootstrap_moments(shifted, draws))
    return rows.mean(axis=1) / (sd / np.sqrt(n)), resampled


def cluster_t(units: ClusterSums, draws: Draws) -> tuple[Floats, Iterable[Floats]]:
    """(pairs) the cluster-robust t of the data, and that of resamples of clusters whose mean difference is 0."""
    if not len(units.sums):
        return np.zeros(0), ()
    n = units.n
    residuals = units.sums - units.means[:, None] * units.weights
    root = np.sqrt(n / (n - 1) * (residuals**2).sum(axis=1))
    return units.means * units.total / root, resampled_cluster_t(residuals / root[:, None], units.weights, draws)


def resampled_cluster_t(residuals: Floats, weights: Floats, draws: Draws) -> Iterator[Floats]:
    """(resamples, pairs), chunk by chunk: t of samples of clusters.

    Parameters
    ----------
    residuals
        (pairs, clusters) sums by cluster of the differences less their mean.
    weights
        (clusters) sums of the weights.
    draws
        The resamples.
    """
    n = weights.size
    by_sum, by_square, by_product = residuals.T, (residuals * residuals).T, (residuals * weights).T
    for counts in bootstrap_counts(draws, n, len(residuals)):
        mean = (counts @ by_sum) / (counts @ weights)[:, None]
        total_square = counts @ by_square
        square = total_square + mean * (mean * (counts @ weights**2)[:, None] - 2 * (counts @ by_product))
        has_no_spread: Bools = square <= NOISE * total_square
        sums = mean * (counts @ weights)[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            t = sums / np.sqrt(n / (n - 1) * square)
        t[has_no_spread] = np.where(np.abs(sums[has_no_spread]) > NOISE, np.copysign(np.inf, sums[has_no_spread]), 0.0)
        yield t


def studentised(mean: Floats, mean_square: Floats, n: int) -> Floats:
    """The t statistic of each resample from its mean and mean square."""
    variance = mean_square - mean * mean
    one_value: Bools = variance <= NOISE * mean_square  # one value only, up to rounding
    with np.errstate(divide="ignore", invalid="ignore"):
        t = mean / np.sqrt(variance / (n - 1))
    t[one_value] = np.where(np.abs(mean[one_value]) > NOISE, np.copysign(np.inf, mean[one_value]), 0.0)
    return np.asarray(t)
