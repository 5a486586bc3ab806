"""The combined estimate, beside those of people alone and of the machine alone, with intervals of all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.errors import ParameterError
from rankscope.stats.cluster_sums import checked_weights, cluster_codes
from rankscope.stats.inputs import as_differences, check_share, is_real
from rankscope.stats.intervals import t_interval
from rankscope.stats.prediction_powered.query_clusters import clustered_estimates
from rankscope.stats.prediction_powered.single_queries import independent_estimates
from rankscope.typing import Floats

__all__ = [
    "PredictionPowered",
    "prediction_powered",
]


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


def samples_of(
    clusters: npt.ArrayLike | None, weights: npt.ArrayLike | None, n: int, n_all: int
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Clusters and weights of the queries that people judged, and of all, as statistics take them."""
    everything = {
        "clusters": None if clusters is None else cluster_codes(clusters, n_all),
        "weights": None if weights is None else checked_weights(weights, n_all),
    }
    return {name: None if values is None else values[:n] for name, values in everything.items()}, everything
