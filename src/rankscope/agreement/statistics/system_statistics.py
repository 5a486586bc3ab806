"""Statistics of agreement on systems: accuracies of pairs, AP correlation; the best systems, and outliers."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rankscope.agreement.statistics.aligned import random_stream
from rankscope.agreement.statistics.kendall import pair_indices
from rankscope.kernels.resample import Draws, draw, flip_sums
from rankscope.kernels.rounding_ties import NOISE, join_ties
from rankscope.stats.correlation_values import ap_above_groups, make_list_pairs, rank_rows
from rankscope.typing import Bools, Floats, Ints

__all__ = [
    "ACCURACY",
    "OUTLIER_CUTOFF",
    "SOFT",
    "SYSTEM_CORRELATIONS",
    "SYSTEM_STATISTICS",
    "TAU_AP",
    "ap_correlations",
    "best_systems",
    "count_concordant_pairs",
    "outlying_systems",
    "pair_pvalues",
    "soft_draws",
    "soft_pairwise_accuracies",
    "system_statistic",
]


#: The statistics with an interval of Fisher's z.
SYSTEM_CORRELATIONS = ("pearson", "spearman", "kendall_b")
TAU_AP, ACCURACY, SOFT = "tau_ap", "pairwise_accuracy", "soft_pairwise_accuracy"
SYSTEM_STATISTICS = (*SYSTEM_CORRELATIONS, TAU_AP, ACCURACY, SOFT)
#: Deviations from the median beyond this are outliers. Their unit is NORMAL x the median absolute deviation: of a
#: normal distribution, its standard deviation.
OUTLIER_CUTOFF, NORMAL = 2.5, 1.483
#: With fewer systems, none is an outlier.
MIN_SYSTEMS = 5


def system_statistic(people: Floats, metric: Floats, statistic: str) -> Floats:
    """How well two lists of scores of systems agree, (lists); higher is better.

    Parameters
    ----------
    people, metric
        Scores, (lists, systems).
    statistic
        A correlation or "tau_ap", in [-1, 1], or "pairwise_accuracy", in [0, 1].

    Returns
    -------
    array
        (lists) NaN if a score is missing, or if all values of a list are equal and the statistic is a correlation.
    """
    values = np.full(len(people), np.nan)
    complete = ~(np.isnan(people) | np.isnan(metric)).any(axis=1)
    if not complete.any() or people.shape[1] < 2:
        return values
    # Means that differ by rounding only are tied.
    x, y = join_ties(people[complete]), join_ties(metric[complete])
    if statistic == ACCURACY:
        n = x.shape[1]
        values[complete] = count_concordant_pairs(x, y) / (n * (n - 1) / 2)
    elif statistic == TAU_AP:
        values[complete] = ap_correlations(x, y)
    else:
        values[complete] = make_list_pairs(x, y, statistic).value
    return values


def count_concordant_pairs(people: Floats, metric: Floats) -> Floats:
    """The number of pairs of systems that both order alike, (lists); a tie is right only if both tie.

    Parameters
    ----------
    people, metric
        Scores, (lists, systems).

    References
    ----------
    Kocmi et al. (2021): accuracy is the share of pairs of systems for which both differences have the same sign.

    Examples
    --------
    >>> count_concordant_pairs(np.array([[3.0, 2.0, 1.0]]), np.array([[3.0, 1.0, 2.0]])).tolist()
    [2.0]
    """
    n = people.shape[1]
    first, second = np.triu_indices(n, 1)
    n_concordant = np.empty(len(people))
    chunk_size = max(1, (1 << 21) // max(first.size, 1))
    for start in range(0, len(people), chunk_size):  # in chunks, to keep memory small
        x, y = people[start : start + chunk_size], metric[start : start + chunk_size]
        concordant = np.sign(x[:, first] - x[:, second]) == np.sign(y[:, first] - y[:, second])
        n_concordant[start : start + chunk_size] = concordant.sum(axis=1)
    return n_concordant


def ap_correlations(people: Floats, metric: Floats) -> Floats:
    """The AP correlation of two lists of scores of systems, (lists), in [-1, 1]: mistakes among the best weigh more.

    Parameters
    ----------
    people
        The truth, (lists, systems).
    metric
        The estimate, in the same shape.

    Returns
    -------
    array
        (lists) 2 / (n - 1) sum over ranks i = 2, ..., n of C_i / (i - 1), less 1, where C_i counts the systems above
        rank i by the metric that people, too, have above the system there. A pair that people tie counts half, and
        fully if the metric ties it, too. If the metric has ties, the value is the mean over the orders of the tied
        systems. NaN if all scores of a list are equal.

    References
    ----------
    Yilmaz, Aslam and Robertson (2008).

    Examples
    --------
    >>> ap_correlations(np.array([[4.0, 3.0, 2.0, 1.0]]), np.array([[9.0, 7.0, 8.0, 1.0]])).round(4).tolist()
    [0.6667]
    >>> # a tie of the metric: half of 1, and half of the value above
    >>> ap_correlations(np.array([[4.0, 3.0, 2.0, 1.0]]), np.array([[9.0, 7.0, 7.0, 1.0]])).round(4).tolist()
    [0.8333]
    """
    n_lists, n = metric.shape
    truth, estimate = rank_rows(people), rank_rows(metric)
    if (truth.n_distinct == n).all() and (estimate.n_distinct == n).all():
        return ap_above_groups(truth, estimate)
    values = np.empty(n_lists)
    chunk_size = max(1, (1 << 20) // (n * n))
    for start in range(0, n_lists, chunk_size):  # in chunks, to keep memory small
        rows = slice(start, start + chunk_size)
        values[rows] = ap_with_ties(truth.codes[rows], estimate.codes[rows])
    return np.where((truth.n_distinct == 1) | (estimate.n_distinct == 1), np.nan, values)


def ap_with_ties(truth: Ints, estimate: Ints) -> Floats:
    """(lists) the mean of the AP correlation over the orders of ties in the estimate; both arrays: (lists, systems).

    A system of a group of m, with s systems above the group, stands at each of the group's ranks equally often. With k
    of its group above it, a system above the group counts 1 / (s + k), and one of its group that with probability
    k / (m - 1).
    """
    n = truth.shape[1]
    gaps = estimate[:, :, None] - estimate[:, None, :]  # first system less second
    n_above, n_equal = (gaps > 0).sum(axis=1), (gaps == 0).sum(axis=1)
    right = (1 + np.sign(truth[:, :, None] - truth[:, None, :])) / 2
    above = np.where(gaps > 0, right, 0.0).sum(axis=1)
    # A pair tied in the estimate is right in half of its orders; the system itself is no pair.
    within = np.where((gaps == 0) & (right == 0.5), 1.0, np.where(gaps == 0, 0.5, 0.0)).sum(axis=1) - 1
    harmonic = np.concatenate(([0.0], np.cumsum(1 / np.arange(1, n + 1))))
    reciprocals = harmonic[n_above + n_equal - 1] - harmonic[np.maximum(n_above - 1, 0)]  # sum over k of 1 / (s + k)
    shares_within = np.where(n_above > 0, n_equal - n_above * reciprocals, n_equal - 1.0)
    shares = above * np.where(n_above > 0, reciprocals, 0.0) + within * shares_within / np.maximum(n_equal - 1, 1)
    return np.asarray(2 / (n - 1) * (shares / n_equal).sum(axis=1) - 1)


def best_systems(values: Floats, n_best: int) -> Bools:
    """The best systems by these scores, of which higher is better.

    Parameters
    ----------
    values
        Scores of systems, (systems).
    n_best
        How many.

    Returns
    -------
    array
        (systems) True for the best; all systems that are tied with the last of them are among them.

    Examples
    --------
    >>> best_systems(np.array([1.0, 3.0, 2.0, 2.0]), 2).tolist()
    [False, True, True, True]
    """
    joined = join_ties(values)
    return np.asarray(joined >= np.sort(joined)[::-1][min(n_best, joined.size) - 1])


def outlying_systems(values: Floats, cutoff: float = OUTLIER_CUTOFF) -> Bools:
    """The systems whose score is more than the cutoff from the median, in units of 1.483 median absolute deviations.

    Parameters
    ----------
    values
        Scores of systems.
    cutoff
        Largest distance from the median that is not an outlier.

    Returns
    -------
    array
        (systems) True for outliers. There are none if at least half of the scores are equal, nor among fewer than five
        systems, whose median says little.

    References
    ----------
    Mathur, Baldwin and Cohn (2020), with their cutoff of 2.5.

    Examples
    --------
    >>> outlying_systems(np.array([1.0, 2.0, 3.0, 4.0, 30.0])).tolist()  # |30 - 3| / (1.483 * 1) = 18.2
    [False, False, False, False, True]
    """
    deviations = np.abs(values - np.median(values))
    spread = NORMAL * float(np.median(deviations))
    if values.size < MIN_SYSTEMS or not spread > 0:
        return np.zeros(values.shape, np.bool_)
    outlying: npt.NDArray[np.bool_] = deviations / spread > cutoff
    return outlying


#: The default number of sign swaps behind each p-value.
SOFT_RESAMPLES = 1000


def soft_draws(seed: int, pair: str, n_resamples: int = SOFT_RESAMPLES) -> Draws:
    """The sign swaps for one language pair: the same ones for people and for every metric.

    They do not depend on which other metrics there are, on their order, or on the test between metrics. So a metric
    always has the same soft pairwise accuracy.

    Parameters
    ----------
    seed
        Random seed.
    pair
        The language pair.
    n_resamples
        Number of swaps.

    Examples
    --------
    >>> soft_draws(1, "de-en", 5).seeds[0].entropy == soft_draws(1, "de-en", 7).seeds[0].entropy
    True
    """
    # A separate stream: the language pair's own stream draws its segments.
    return draw(random_stream(seed, pair, 1), n_resamples)


def pair_pvalues(stack: Floats, draws: Draws) -> Floats:
    """One-sided p-values of a sign-swap test that the first system of a pair is better, (matrices, pairs).

    p = (1 + c) / (1 + B), where c of the B resamples have a sum at least as high as the observed one; sums that are
    equal up to rounding count. In each resample, the sign of each segment's difference is swapped with probability 1/2.
    The signs are the same for all pairs and all matrices, so people and metrics share them.

    Parameters
    ----------
    stack
        Scores, (matrices, systems, segments), NaN if there is none. A pair is compared on the segments in which both
        systems have scores.
    draws
        The random swaps.

    Returns
    -------
    array
        (matrices, pairs) the p-values; 1 if all differences are 0 or no segment is in common.

    Examples
    --------
    >>> from rankscope.kernels.resample import draw
    >>> better = np.array([[[3.0, 4.0, 5.0, 4.0]] * 2, [[1.0, 2.0, 1.0, 2.0], [2.0, 4.0, 5.0, 4.0]]])
    >>> pair_pvalues(better, draw(np.random.default_rng(1), 99)).tolist()[0]
    [1.0]
    """
    n_matrices, n_systems, n_segments = stack.shape
    first, second = pair_indices(n_systems)
    if np.isnan(stack).any():
        return masked_pvalues(stack, draws)
    # The mean of a segment cancels in every difference, and would only cost digits.
    centred = stack - stack.mean(axis=1, keepdims=True)
    observed = centred.sum(axis=2)
    absolute_sums = np.abs(centred).sum(axis=2)
    rounding = NOISE * (absolute_sums[:, first] + absolute_sums[:, second])
    threshold = observed[:, first] - observed[:, second] - rounding
    n_exceeding = np.zeros(threshold.shape)
    for sums in flip_sums(centred.reshape(-1, n_segments), draws):
        by_system = np.ascontiguousarray(sums.T).reshape(n_matrices, n_systems, -1)
        for matrix in range(n_matrices):
            differences = by_system[matrix, first] - by_system[matrix, second]
            n_exceeding[matrix] += np.count_nonzero(differences >= threshold[matrix, :, None], axis=1)
    return np.asarray((1 + n_exceeding) / (1 + draws.n_resamples))


def masked_pvalues(stack: Floats, draws: Draws) -> Floats:
    """The p-values of `pair_pvalues` with missing scores: a list of differences for each pair."""
    first, second = pair_indices(stack.shape[1])
    pvalues = np.empty((len(stack), first.size))
    for i, matrix in enumerate(stack):
        differences = np.nan_to_num(matrix[first] - matrix[second])
        threshold = differences.sum(axis=1) - NOISE * np.abs(differences).sum(axis=1)
        n_exceeding = np.zeros(first.size)
        for sums in flip_sums(differences, draws):
            n_exceeding += np.count_nonzero(sums >= threshold, axis=0)
        pvalues[i] = (1 + n_exceeding) / (1 + draws.n_resamples)
    return pvalues


def soft_pairwise_accuracies(gold: Floats, stack: Floats, draws: Draws) -> Floats:
    """1 minus the mean over pairs of systems of |p of people - p of the metric|, (matrices), in [0, 1]; NaN if no pair.

    The toolkit mt-metrics-eval computes p = c / B from sums in float32, so its mean difference is larger by the factor
    (1 + B) / B.

    Parameters
    ----------
    gold
        Human scores, (systems, segments), or a stack of them.
    stack
        Scores of the metric, (matrices, systems, segments), NaN at the same cells.
    draws
        The random swaps; see `pair_pvalues`.

    References
    ----------
    Thompson et al. (2024), "Improving statistical significance in human evaluation of automatic metrics via soft
    pairwise accuracy".
    """
    if stack.shape[1] < 2:
        return np.full(len(stack), np.nan)
    gold_pvalues, metric_pvalues = (
        pair_pvalues(gold if gold.ndim == 3 else gold[None], draws),
        pair_pvalues(stack, draws),
    )
    return np.asarray(1 - np.abs(gold_pvalues - metric_pvalues).mean(axis=1))
