"""Prediction-powered estimates of a mean: from few values of people and many of a machine.

The units (queries) that people judged are a random sample of those that the machine judged, and all of them are a
sample of a population, whose mean is estimated.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.errors import ParameterError
from rankscope.kernels.rounding_ties import NOISE
from rankscope.stats.cluster_sums import checked_weights, cluster_codes, cluster_sums, effective_number
from rankscope.stats.distributions import special
from rankscope.stats.inputs import as_differences, check_share, is_constant, is_real
from rankscope.stats.intervals import t_interval
from rankscope.stats.paired_tests import t_test
from rankscope.typing import Bools, Floats

__all__ = [
    "FEWEST",
    "HumanSpread",
    "PredictionPowered",
    "combined_half",
    "prediction_powered",
    "spread_of",
]


#: With fewer values of people, no weight can be estimated; the machine is then ignored.
FEWEST = 5
#: A mean over a distribution is taken over this many equally likely cases.
NODES = 32


@dataclass(frozen=True, eq=False, kw_only=True)
class PredictionPowered:
    """Estimates of the mean of human values; arrays of shape (lists), or () for a single list.

    Attributes
    ----------
    human, human_low, human_high
        Mean of the human values, and Student's interval.
    machine, machine_low, machine_high
        Mean of the machine's values on all queries, and the interval of this mean.
    bias, bias_low, bias_high
        By how much the machine's values exceed the human ones, on the queries that both judged.
    bias_pvalue
        P-value of Student's test of no bias; NaN where a single query, or the same bias on each, says nothing of how it
        varies.
    combined, combined_low, combined_high
        The prediction-powered estimate. Ends of intervals are NaN if a single value says nothing of how they vary.
    weight
        Weight of the machine, 0 if it is ignored.
    effective
        Number of human values that would be as certain alone, n var(human) / var(combined); NaN if nothing varies.
    n
        Number of queries with human values.
    n_all
        Number of queries with values of the machine, including those.
    confidence_level
        Level of the intervals.
    """

    human: Floats
    human_low: Floats
    human_high: Floats
    machine: Floats
    machine_low: Floats
    machine_high: Floats
    bias: Floats
    bias_low: Floats
    bias_high: Floats
    bias_pvalue: Floats
    combined: Floats
    combined_low: Floats
    combined_high: Floats
    weight: Floats
    effective: Floats
    n: int
    n_all: int
    confidence_level: float


def prediction_powered(
    human: npt.ArrayLike,
    machine: npt.ArrayLike,
    others: npt.ArrayLike,
    *,
    machine_weight: float | None = None,
    confidence_level: float = 0.95,
    clusters: npt.ArrayLike | None = None,
    weights: npt.ArrayLike | None = None,
) -> PredictionPowered:
    """Estimate the mean of human values from those on some queries and a machine's on all.

    Parameters
    ----------
    human, machine
        Values of the same n queries, (queries) or (lists, queries).
    others
        Values of the machine on the N - n queries without human values; may be empty.
    machine_weight
        Weight w of the machine: 1 is the mean of the machine over all, plus the mean difference of human and machine; 0
        ignores the machine. Default: tuned.
    confidence_level
        Level of the intervals, in (0, 1).
    clusters
        The cluster of each query, whose values are not independent, (N): first of the n, then of the others. None: all
        are independent.
    weights
        How much each query counts, (N), in the same order. None: all count the same.

    Returns
    -------
    PredictionPowered
        The combined interval is never wider than the human one.

    Raises
    ------
    ParameterError
        Shapes do not match, a value is NaN, the level is outside (0, 1), the weight of the machine is not a finite
        number, or clusters and weights are not one for each query.

    Notes
    -----
    The estimate is mean(human) + w (mean of machine over all N - mean of machine over the n).

    The tuned weight is cov(human, machine) / var(machine), at least 0, where the variance is that of the n or of all N,
    whichever is greater, so that few queries with very similar values do not make w large. If the interval would not
    become narrower, and for fewer than 5 queries, w is 0.

    The variance with a tuned weight is the greater of two estimates, each from residuals whose weight was found without
    the query itself (leave-one-out): with this weight, and with that of least squares. Student's quantile has n - 2
    degrees of freedom; with a given weight the variance is the plain one, with n - 1.

    With clusters or weights of queries, clusters are what was drawn, and either people judged whole clusters, a random
    sample of them, or the queries that they judged in each are random among its queries. The tuned weight is then the
    regression of people's mean on the difference of the machine's two means, over what each cluster brings into them.
    The variance is that of the jackknife over clusters, apart for those with and without human values: the greater of
    that with this weight and of that with a weight found anew without the cluster. Student's quantile has the effective
    number of clusters with human values, less 2, as degrees of freedom, or less 1 with a given weight. For fewer than 5
    such clusters w is 0.

    References
    ----------
    Angelopoulos et al. (2023), "Prediction-powered inference", and PPI++ (Angelopoulos, Duchi and Zrnic 2023), whose
    weight is w (1 - n / N), since its mean of the machine excludes the queries with human values. Leave-one-out
    residuals instead of plain ones, and Student's quantiles instead of normal ones, keep the level with few queries.

    Examples
    --------
    >>> result = prediction_powered([0.2, 0.6, 0.4], [0.3, 0.7, 0.8], [0.5, 0.1, 0.6], machine_weight=1)
    >>> round(float(result.machine), 4), round(float(result.bias), 4), round(float(result.combined), 4)
    (0.5, 0.2, 0.3)
    """
    check_share("confidence_level", confidence_level)
    h, m, u, shape = as_lists(human, machine, others)
    if machine_weight is not None and not (is_real(machine_weight) and np.isfinite(machine_weight)):
        raise ParameterError(
            f"machine_weight is {machine_weight!r}, expected a finite number, as 1, or None to tune it"
        )
    n, n_all = h.shape[1], m.shape[1] + u.shape[1]
    all_machine = np.concatenate((m, u), axis=1)
    judged, everything = samples_of(clusters, weights, n, n_all)
    human_interval, machine_interval, bias_interval = (
        t_interval(x, confidence_level=confidence_level, **sample)
        for x, sample in ((h, judged), (all_machine, everything), (m - h, judged))
    )
    estimates = clustered_estimates if clusters is not None or weights is not None else independent_estimates
    human_mean, shift, w, variance, half_width, human_variance = estimates(
        h, all_machine, everything, machine_weight, confidence_level
    )
    if machine_weight is None:
        human_half_width = (human_interval.high - human_interval.low) / 2
        not_narrower = ~(half_width < human_half_width)  # also if it is NaN
        w, half_width = np.where(not_narrower, 0.0, w), np.where(not_narrower, human_half_width, half_width)
        variance = np.where(not_narrower, human_variance, variance)
    combined = human_mean + w * shift
    effective = np.divide(n * human_variance, variance, out=np.full(len(h), np.nan), where=variance > 0)
    return PredictionPowered(
        human=human_interval.mean.reshape(shape),
        human_low=human_interval.low.reshape(shape),
        human_high=human_interval.high.reshape(shape),
        machine=machine_interval.mean.reshape(shape),
        machine_low=machine_interval.low.reshape(shape),
        machine_high=machine_interval.high.reshape(shape),
        bias=bias_interval.mean.reshape(shape),
        bias_low=bias_interval.low.reshape(shape),
        bias_high=bias_interval.high.reshape(shape),
        bias_pvalue=t_test(m - h, **judged).pvalue.reshape(shape),
        combined=combined.reshape(shape),
        combined_low=(combined - half_width).reshape(shape),
        combined_high=(combined + half_width).reshape(shape),
        weight=w.reshape(shape),
        effective=effective.reshape(shape),
        n=n,
        n_all=n_all,
        confidence_level=confidence_level,
    )


def as_lists(
    human: npt.ArrayLike, machine: npt.ArrayLike, others: npt.ArrayLike
) -> tuple[Floats, Floats, Floats, tuple[int, ...]]:
    """(lists, queries) of all three, and the shape of results. Raises ParameterError for shapes that do not match."""
    h, shape = as_differences(human, "values of people")
    m, machine_shape = as_differences(machine, "values of the machine")
    other_values = np.asarray(others, np.float64)
    u = np.empty((len(m), 0))
    if other_values.size:
        u, _ = as_differences(other_values, "other values of the machine")
    if machine_shape != shape or m.shape != h.shape or len(u) != len(m):
        raise ParameterError(
            f"values of people have shape {h.shape}, of the machine {m.shape} and {u.shape}, expected as many lists in "
            "all, and values of the same queries from both"
        )
    return h, m, u, shape


class Combined(NamedTuple):
    """What combined estimates are made of; each is (lists).

    Attributes
    ----------
    human_mean, shift
        People's mean, and what the machine adds to it, times its weight.
    weight
        Weight of the machine.
    variance, half_width
        The variance of both combined, and half the width of its interval.
    human_variance
        The variance of people's mean.
    """

    human_mean: Floats
    shift: Floats
    weight: Floats
    variance: Floats
    half_width: Floats
    human_variance: Floats


def independent_estimates(
    h: Floats, all_machine: Floats, sample: Mapping[str, Any], machine_weight: float | None, confidence_level: float
) -> Combined:
    """The estimates where all queries are independent and count the same. sample: none of both."""
    n = h.shape[1]
    m = all_machine[:, :n]
    if machine_weight is None:
        w, variance, half_width = tune_weight(h, m, all_machine, confidence_level)
    else:
        w = np.full(len(h), float(machine_weight))
        variance = fixed_variance(h, m, all_machine, w)
        half_width = quantile(n - 1, confidence_level) * np.sqrt(variance)
    human_variance = h.var(axis=1, ddof=1) / n if n > 1 else np.full(len(h), np.nan)
    shift = all_machine.mean(axis=1) - m.mean(axis=1)
    return Combined(h.mean(axis=1), shift, w, variance, half_width, human_variance)


def samples_of(
    clusters: npt.ArrayLike | None, weights: npt.ArrayLike | None, n: int, n_all: int
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Clusters and weights of the queries that people judged, and of all, as statistics take them."""
    everything = {
        "clusters": None if clusters is None else cluster_codes(clusters, n_all),
        "weights": None if weights is None else checked_weights(weights, n_all),
    }
    return {name: None if values is None else values[:n] for name, values in everything.items()}, everything


@dataclass(frozen=True, eq=False, kw_only=True)
class DualSums:
    """Sums by cluster of both kinds of values, times the weights of the queries.

    Attributes
    ----------
    h, m, a
        (lists, clusters) of people's values; of the machine's on the same queries; and on all queries.
    judged, all
        (clusters) of the weights of the queries that people judged, and of all.
    """

    h: Floats
    m: Floats
    a: Floats
    judged: Floats
    all: Floats

    @property
    def is_judged(self) -> Bools:
        """(clusters) whether people judged a query of each."""
        return np.asarray(self.judged > 0)

    def total(self, products: Floats, *, without: bool) -> Floats:
        """(lists, 1) sums over clusters; or (lists, clusters) without each of them."""
        sums = np.atleast_2d(products).sum(axis=1, keepdims=True)
        return np.asarray(sums - products if without else sums)

    def means(self, *, without: bool = False) -> tuple[Floats, Floats, Floats]:
        """People's mean, and the machine's on the same queries and on all; (lists, 1), or without each cluster."""
        totals = [self.total(x, without=without) for x in (self.h, self.m, self.a, self.judged, self.all)]
        return totals[0] / totals[3], totals[1] / totals[3], totals[2] / totals[4]

    def slope(self, *, without: bool = False) -> Floats:
        """The tuned weight of the machine, at least 0; (lists, 1), or without each cluster.

        With a_g and b_g what a cluster brings into people's mean, and into the machine's mean where people judged less
        that over all, it is sum a_g b_g / sum b_g^2.
        """

        def sum_of(x: Floats, y: Floats) -> Floats:
            return self.total(x * y, without=without)

        h, m, a = self.means(without=without)
        judged, all_ = (self.total(x, without=without) for x in (self.judged, self.all))
        hm = sum_of(self.h, self.m) - m * sum_of(self.h, self.judged) - h * sum_of(self.m, self.judged)
        hm += h * m * sum_of(self.judged, self.judged)
        ha = sum_of(self.h, self.a) - a * sum_of(self.h, self.all) - h * sum_of(self.a, self.judged)
        ha += h * a * sum_of(self.judged, self.all)
        mm = sum_of(self.m, self.m) - 2 * m * sum_of(self.m, self.judged) + m * m * sum_of(self.judged, self.judged)
        ma = sum_of(self.m, self.a) - a * sum_of(self.m, self.all) - m * sum_of(self.a, self.judged)
        ma += m * a * sum_of(self.judged, self.all)
        aa = sum_of(self.a, self.a) - 2 * a * sum_of(self.a, self.all) + a * a * sum_of(self.all, self.all)
        spread = mm / judged**2 - 2 * ma / judged / all_ + aa / all_**2
        noise = NOISE**2 * (self.a**2).sum(axis=1, keepdims=True) / all_**2  # what rounding leaves of equal values
        return slopes(hm / judged**2 - ha / judged / all_, np.where(spread > noise, spread, 0.0))


def dual_sums(h: Floats, all_machine: Floats, sample: Mapping[str, Any]) -> DualSums:
    """The sums of values less their means, so that nothing cancels. sample: clusters and weights of all queries."""
    n, n_all = h.shape[1], all_machine.shape[1]
    unit = np.arange(n_all) if sample["clusters"] is None else sample["clusters"]
    weights = np.ones(n_all) if sample["weights"] is None else sample["weights"]
    shared = {"clusters": unit, "weights": weights}
    is_judged = (np.arange(n_all) < n).astype(np.float64)
    human = np.zeros(all_machine.shape)
    human[:, :n] = h
    machine = all_machine - np.average(all_machine, axis=1, weights=weights)[:, None]
    machine[is_constant(all_machine)] = 0.0
    human_sums, machine_sums, all_sums = (cluster_sums(x, **shared) for x in (human, machine * is_judged, machine))
    return DualSums(
        h=human_sums.sums,
        m=machine_sums.sums,
        a=all_sums.sums,
        judged=cluster_sums(is_judged[None], **shared).sums[0],
        all=all_sums.weights,
    )


def clustered_estimates(
    h: Floats, all_machine: Floats, sample: Mapping[str, Any], machine_weight: float | None, confidence_level: float
) -> Combined:
    """The estimates by the jackknife over clusters. sample: clusters and weights of all queries."""
    centre = h.mean(axis=1, keepdims=True)
    sums = dual_sums(h - centre, all_machine, sample)
    n_judged, n_others = int(sums.is_judged.sum()), int((~sums.is_judged).sum())
    # Clusters with and without values of people are two samples, and n - 1 of n deletions leave a sample of each.
    share = np.where(sums.is_judged, (n_judged - 1) / n_judged, max(n_others - 1, 0) / max(n_others, 1))
    with np.errstate(invalid="ignore", divide="ignore"):  # nothing is left without a single cluster
        whole, parts = sums.means(), sums.means(without=True)
        human_variance = np.where(n_judged > 1, (share * (parts[0] - whole[0]) ** 2).sum(axis=1), np.nan)
        is_tuned = machine_weight is None
        can_tune = n_judged >= FEWEST and all_machine.shape[1] > h.shape[1]
        if machine_weight is not None:
            w = np.full((len(h), 1), float(machine_weight))
        else:
            w = sums.slope() if can_tune else np.zeros((len(h), 1))

        def estimate(means: tuple[Floats, Floats, Floats], weight: Floats) -> Floats:
            return means[0] + weight * (means[2] - means[1])

        combined = estimate(whole, w)
        variance = (share * (estimate(parts, w) - combined) ** 2).sum(axis=1)
        if is_tuned and can_tune:
            refitted = estimate(parts, sums.slope(without=True))
            variance = np.maximum(variance, (share * (refitted - combined) ** 2).sum(axis=1))
    if n_judged < 2 or (is_tuned and not can_tune):
        variance = np.full(len(h), np.nan)
    df = effective_number(sums.judged[sums.is_judged]) - (2 if is_tuned else 1)
    half_width = quantile(df, confidence_level) * np.sqrt(variance)
    return Combined(
        (centre + whole[0])[:, 0], (whole[2] - whole[1])[:, 0], w[:, 0], variance, half_width, human_variance
    )


def quantile(df: float, confidence_level: float) -> float:
    """The quantile of Student's t for an interval; NaN without a degree of freedom."""
    return float(special().stdtrit(df, (1 + confidence_level) / 2)) if df > 0 else float("nan")


def fixed_variance(h: Floats, m: Floats, all_machine: Floats, w: Floats) -> Floats:
    """(lists) the variance of the estimate with a given weight: that of the mean over the queries that people judged,
    plus that of the mean over the others, which is independent of it.
    """
    n, n_all = h.shape[1], all_machine.shape[1]
    if n < 2:
        return np.full(len(h), np.nan)
    machine_share = (w * (1 - n / n_all))[:, None]
    variance = (h - machine_share * m).var(axis=1, ddof=1) / n
    if n_all > n:
        variance = variance + machine_share[:, 0] ** 2 * all_machine.var(axis=1, ddof=1) / (n_all - n)
    return np.asarray(variance)


def tune_weight(h: Floats, m: Floats, all_machine: Floats, confidence_level: float) -> tuple[Floats, Floats, Floats]:
    """(lists) the weight that minimises the variance, this variance, and half the width of the interval."""
    n, n_all = h.shape[1], all_machine.shape[1]
    if n < FEWEST or n_all == n:
        undefined = np.full(len(h), np.nan)
        return np.zeros(len(h)), undefined, undefined
    x, y = m - m.mean(axis=1, keepdims=True), h - h.mean(axis=1, keepdims=True)
    xy, xx = (x * y).sum(axis=1, keepdims=True), (x * x).sum(axis=1, keepdims=True)
    var = all_machine.var(axis=1, ddof=1)[:, None]
    w = slopes(xy, np.maximum(xx, (n - 1) * var))
    # Sums without query i: those of all queries, less n / (n - 1) times its product of deviations.
    factor = n / (n - 1)
    weights_without = slopes(xy - factor * x * y, np.maximum(xx - factor * x * x, (n - 2) * var))
    unjudged_share = 1 - n / n_all
    rectified = h - unjudged_share * weights_without * (m - all_machine.mean(axis=1, keepdims=True))
    tuned_variance = rectified.var(axis=1, ddof=1) / n + ((unjudged_share * w) ** 2 * var)[:, 0] / (n_all - n)
    # Least squares: the residual of a query that the fit leaves out is its residual over 1 - leverage.
    b = np.divide(xy, xx, out=np.zeros_like(xy), where=xx > 0)
    distance = 1 - 1 / n - np.divide(x * x, xx, out=np.zeros_like(x), where=xx > 0)
    residual = (y - b * x) / np.maximum(distance, 1e-9)
    least_squares_variance = (residual**2).sum(axis=1) / ((n - 1) * n) + (b**2 * var)[:, 0] / n_all
    variance = np.maximum(tuned_variance, least_squares_variance)
    return w[:, 0], variance, quantile(n - 2, confidence_level) * np.sqrt(variance)


def slopes(xy: Floats, xx: Floats) -> Floats:
    """Weights of the machine: at least 0, and 0 where its values do not vary."""
    return np.maximum(np.divide(xy, xx, out=np.zeros_like(xy), where=xx > 0), 0.0)


@dataclass(frozen=True, eq=False, kw_only=True)
class HumanSpread:
    """How human values vary, and how much of that the machine predicts; arrays of shape (lists).

    Attributes
    ----------
    sd
        Standard deviation of the human values.
    explained
        Share of their variance that a linear regression on the machine's values explains, in [0, 1], adjusted for the
        fit.
    """

    sd: Floats
    explained: Floats

    @property
    def constant(self) -> Bools:
        return np.asarray(~(self.sd > 0), np.bool_)


def spread_of(
    human: npt.ArrayLike,
    machine: npt.ArrayLike,
    *,
    clusters: npt.ArrayLike | None = None,
    weights: npt.ArrayLike | None = None,
) -> HumanSpread:
    """How well the machine predicts human values.

    Parameters
    ----------
    human, machine
        Values, (lists, queries), at least 5 queries.
    clusters
        The cluster of each query, (queries), at least 5. None: all are independent.
    weights
        How much each query counts, (queries). None: all count the same.

    Returns
    -------
    HumanSpread
        Standard deviation and explained share. With clusters or weights those of clusters: the standard error of the
        mean times the root of the effective number of clusters, and the share that the machine explains of the
        variation between them.

    Raises
    ------
    ParameterError
        Shapes do not fit, a value is NaN, or there are fewer queries.

    Examples
    --------
    >>> result = spread_of([[0.0, 1.0, 2.0, 3.0, 5.0]], [[0.0, 1.0, 2.0, 3.0, 5.0]])
    >>> round(float(result.sd[0]), 4), round(float(result.explained[0]), 4)
    (1.9235, 1.0)
    """
    h, m = as_differences(human, "values of people")[0], as_differences(machine, "values of the machine")[0]
    if h.shape != m.shape or h.shape[1] < FEWEST:
        raise ParameterError(
            f"values of people have shape {h.shape}, of the machine {m.shape}, expected values of the same queries, at "
            f"least {FEWEST}"
        )
    n = h.shape[1]
    x, y = m - m.mean(axis=1, keepdims=True), h - h.mean(axis=1, keepdims=True)
    sd = h.std(axis=1, ddof=1)
    if clusters is not None or weights is not None:
        human_sums, machine_sums = (cluster_sums(z, clusters, weights) for z in (y, x))
        n = human_sums.n
        sd = human_sums.standard_errors * np.sqrt(effective_number(human_sums.weights))
        x, y = (z.sums - z.means[:, None] * z.weights for z in (machine_sums, human_sums))
    xy, xx, yy = (x * y).sum(axis=1), (x * x).sum(axis=1), (y * y).sum(axis=1)
    product = xx * yy
    squared_correlation = np.divide(xy**2, product, out=np.zeros_like(xy), where=(product > 0) & (xy > 0))
    explained = np.clip(1 - (1 - squared_correlation) * (n - 1) / (n - 2), 0.0, 1.0)
    return HumanSpread(sd=sd, explained=explained)


def combined_half(n: int, n_all: int, sd: float, explained: float, *, confidence_level: float = 0.95) -> float:
    """Half the expected width of the combined interval, if people judge n of n_all queries.

    Parameters
    ----------
    n, n_all
        Numbers of queries that people judge, and of all.
    sd, explained
        As of `spread_of`.
    confidence_level
        Level of the interval, in (0, 1).

    Returns
    -------
    float
        That of human values alone, t sd / sqrt(n), if it is narrower, as below 6 queries.

    Notes
    -----
    Otherwise, with r = explained, the mean of t sd sqrt(c (1 - r) / n + r v). c is how much greater leave-one-out
    residuals are than plain ones on average, (n / (n - 1))^2 (n - 3) / (n - 4) for normal values; v is what the machine
    leaves, see `left_by_machine`. t has n - 1 degrees of freedom, or n - 2.

    Examples
    --------
    >>> round(combined_half(50, 1000, 0.25, 0.0), 4), round(combined_half(50, 1000, 0.25, 0.8), 4)
    (0.071, 0.0366)
    """
    human_half_width = quantile(n - 1, confidence_level) * sd / np.sqrt(n)
    if n <= FEWEST or n >= n_all:
        return float(human_half_width)
    c = (n / (n - 1)) ** 2 * (n - 3) / (n - 4)
    relative_error = np.sqrt(c * (1 - explained) / n + explained * left_by_machine(n, n_all)).mean()
    return float(min(human_half_width, quantile(n - 2, confidence_level) * sd * relative_error))


@lru_cache(maxsize=1 << 12)
def left_by_machine(n: int, n_all: int) -> Floats:
    """(NODES) the variance that is left of what the machine foretells, in units of it, for as many equally likely
    samples of n of its n_all values, these being normal.

    1 / n_all, were the weight right. In a sample whose values of the machine vary less than all of them, by the factor
    x, the weight is too small by as much; it is the smaller still without a query, by how far that query is out: of the
    sum of squares its share is a Beta variable.
    """
    probabilities = (np.arange(NODES) + 0.5) / NODES
    x = special().gammaincinv((n - 1) / 2, probabilities) * 2 / (n - 1)
    query_share = special().betaincinv(0.5, (n - 2) / 2, probabilities)
    query_share /= query_share.mean() * (n - 1)  # the mean is known
    unjudged_share = 1 - n / n_all
    weight_without = np.minimum(1, (n - 1) / (n - 2) * x[:, None] * (1 - query_share))
    judged_variance = (n - 1) * x * (query_share * (1 - unjudged_share * weight_without) ** 2).mean(axis=1)
    return np.asarray(judged_variance / n + (unjudged_share * np.minimum(1, x)) ** 2 / (n_all - n))
