"""The combined estimate, beside those of people alone and of the machine alone, with intervals of all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.errors import ParameterError
from rankscope.stats.cluster_sums import checked_weights, cluster_codes
from rankscope.stats.inputs import as_differences, check_choice, check_share, is_real
from rankscope.stats.intervals import t_interval
from rankscope.stats.paired_tests import t_test
from rankscope.stats.prediction_choices import CALIBRATIONS, POPULATIONS
from rankscope.stats.prediction_powered.cross_fitting import (
    FEWEST_FITTED,
    cross_fitted,
    n_judged_units,
)
from rankscope.stats.prediction_powered.sampling_designs import Design, designed_estimates, designed_interval
from rankscope.stats.prediction_powered.single_queries import Combined, independent_estimates, quantile
from rankscope.typing import Bools, Floats, Ints

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
    bias_pvalue
        P-value of Student's test of no bias; NaN where a single query, or the same bias on each, says nothing of how it
        varies.
    combined, combined_low, combined_high
        The prediction-powered estimate. Ends of intervals are NaN if a single value says nothing of how they vary.
    weight
        Weight of the machine, 0 if it is ignored.
    effective
        Number of human values that would be as certain alone, n var(human) / var(combined); NaN if nothing varies. Of a
        mean over these queries themselves at most all of them.
    n
        Number of queries with human values.
    n_all
        Number of queries with values of the machine, including those.
    confidence_level
        Level of the intervals.
    is_fitted
        Whether the combined estimate is from a machine that was calibrated, or regressed on signals.
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
    is_fitted: Bools


def prediction_powered(
    human: npt.ArrayLike,
    machine: npt.ArrayLike,
    others: npt.ArrayLike,
    *,
    machine_weight: float | None = None,
    confidence_level: float = 0.95,
    clusters: npt.ArrayLike | None = None,
    weights: npt.ArrayLike | None = None,
    strata: npt.ArrayLike | None = None,
    chances: npt.ArrayLike | None = None,
    population: str = "source",
    calibration: str = "none",
    signals: npt.ArrayLike | None = None,
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
    strata
        The stratum of each query, (N), from each of which people judged a sample of its own. None: there is one.
    chances
        The chance with which each of the n was chosen to be judged by people, in (0, 1], (n). None: within a stratum it
        was the same for all.
    population
        "source": the mean of the population from which the queries come; "items": the mean over these N only.
    calibration
        "isotonic": for the combined estimate, values of the machine are replaced by those of people that rise with them
        (isotonic regression, cross-fitted); "none": they stay.
    signals
        Further values that may predict people's, (signals, queries) or (signals, lists, queries), of all N, the n
        first. For the combined estimate the machine is replaced by a linear regression of people's values on it and on
        these, cross-fitted; a calibration is then one of its predictions. None: there are none.

    Returns
    -------
    PredictionPowered
        The combined interval is never wider than the human one.

    Raises
    ------
    ParameterError
        Shapes do not match, a value is NaN, the level is outside (0, 1), the weight of the machine is not a finite
        number, or clusters, weights and signals are not one for each query.

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
    regression of people's mean on the difference of the machine's two means, over what each cluster brings into them,
    and less where the machine's means of clusters vary more over all than over those with human values, by more than
    two standard errors of the latter variance. The variance is that of the jackknife over clusters, apart for those
    with and without human values: the greater of that with this weight and of that with a weight found anew without the
    cluster. Student's quantile has the effective number of clusters with human values, less 2, as degrees of freedom,
    or less 1 with a given weight. For fewer than 5 such clusters w is 0.

    With strata, the estimate is the mean of those of the strata by their shares of all N, which are taken as those of
    the population. Each stratum has a weight of the machine; those with fewer than 20 judged clusters share one.
    Variances add up, with Satterthwaite's degrees of freedom. With chances p, people's values, and the machine's beside
    them, have the weight 1 / p (Hájek); queries are taken as chosen independently. Of "items", only the choice for
    people is random: squared deviations are multiplied by 1 - p, or by the share of the clusters of the stratum that
    people did not judge; and where people judged parts of clusters, queries are what was chosen.

    With a calibration or signals, the units that people judged are cut into 10 folds. Each is predicted by a fit on the
    others, and what people did not judge by the mean of the fits, so that the estimate stays unbiased though labels are
    used twice; the machine's own mean and bias stay those of its values. Fits to few labels may look perfect by chance:
    the variance is greater by that of people's mean over the number of units, for both fits by twice that. Values stay
    where the interval would not become narrower, and where people judged fewer than 30 units.

    References
    ----------
    Angelopoulos et al. (2023), "Prediction-powered inference", and PPI++ (Angelopoulos, Duchi and Zrnic 2023), whose
    weight is w (1 - n / N), since its mean of the machine excludes the queries with human values. Leave-one-out
    residuals instead of plain ones, and Student's quantiles instead of normal ones, keep the level with few queries.
    Strata: Fisch et al. (2024), "Stratified prediction-powered inference"; chances: Zrnic and Candès (2024), "Active
    statistical inference"; cross-fitting: the same (2024), "Cross-prediction-powered inference"; the rest is that of
    samples: Särndal, Swensson and Wretman (1992).

    Examples
    --------
    >>> result = prediction_powered([0.2, 0.6, 0.4], [0.3, 0.7, 0.8], [0.5, 0.1, 0.6], machine_weight=1)
    >>> round(float(result.machine), 4), round(float(result.bias), 4), round(float(result.combined), 4)
    (0.5, 0.2, 0.3)
    """
    check_share("confidence_level", confidence_level)
    h, m, u, shape = as_lists(human, machine, others)
    check_machine_weight(machine_weight)
    n, n_all = h.shape[1], m.shape[1] + u.shape[1]
    all_machine = np.concatenate((m, u), axis=1)
    design = design_of(n, n_all, clusters, weights, strata, chances, population)
    check_choice("calibration", calibration, CALIBRATIONS)
    columns = None if signals is None else checked_signals(signals, all_machine.shape)
    estimates, is_fitted = fitted_estimates(
        h, all_machine, columns, calibration, design, machine_weight, confidence_level
    )
    human_mean, adjustment, w, variance, half_width, human_variance = estimates
    human_interval, machine_interval, bias_interval = (
        interval_of(x, design, confidence_level, of_all=of_all)
        for x, of_all in ((h, False), (all_machine, True), (m - h, False))
    )
    if machine_weight is None:
        human_half_width = (human_interval[2] - human_interval[1]) / 2
        not_narrower = ~(half_width < human_half_width)  # also if it is NaN
        w, half_width = np.where(not_narrower, 0.0, w), np.where(not_narrower, human_half_width, half_width)
        variance = np.where(not_narrower, human_variance, variance)
        adjustment = np.where(not_narrower, 0.0, adjustment)
    combined = human_mean + adjustment
    ratio = np.divide(variance, human_variance, out=np.full(len(h), np.nan), where=human_variance > 0)
    # Of n values drawn from n_all without repetition the variance is as 1 / n - 1 / n_all.
    inverse = ratio * (1 / n - 1 / n_all) + 1 / n_all if design.is_finite else ratio / n
    effective = np.divide(1, inverse, out=np.full(len(h), np.nan), where=inverse > 0)
    intervals = {"human": human_interval, "machine": machine_interval, "bias": bias_interval}
    return PredictionPowered(
        **{
            f"{name}{end}": values.reshape(shape)
            for name, interval in intervals.items()
            for end, values in zip(("", "_low", "_high"), interval[:3], strict=True)
        },
        bias_pvalue=bias_interval[3].reshape(shape),
        combined=combined.reshape(shape),
        combined_low=(combined - half_width).reshape(shape),
        combined_high=(combined + half_width).reshape(shape),
        weight=w.reshape(shape),
        effective=effective.reshape(shape),
        n=n,
        n_all=n_all,
        confidence_level=confidence_level,
        is_fitted=(is_fitted & (w != 0)).reshape(shape),
    )


def check_machine_weight(machine_weight: Any) -> None:
    """Raise ParameterError for a weight that is no finite number, and not None."""
    if machine_weight is not None and not (is_real(machine_weight) and np.isfinite(machine_weight)):
        raise ParameterError(
            f"machine_weight is {machine_weight!r}, expected a finite number, as 1, or None to tune it"
        )


def fitted_estimates(
    h: Floats,
    all_machine: Floats,
    signals: Floats | None,
    calibration: str,
    design: Design,
    machine_weight: float | None,
    confidence_level: float,
) -> tuple[Combined, Bools]:
    """The estimates under a design, and (lists) whether they are from a fitted machine: where that is narrower."""
    estimates = estimates_under(h, all_machine, design, machine_weight, confidence_level)
    n_fits, n_units = int(calibration != "none") + int(signals is not None), n_judged_units(design)
    if not n_fits or n_units < FEWEST_FITTED or design.n == design.n_all:
        return estimates, np.zeros(len(h), np.bool_)
    predicted = cross_fitted(h, all_machine, signals, calibration, design)
    fitted = estimates_under(h, predicted, design, machine_weight, confidence_level)
    fitted = allow_for_fit(fitted, n_fits, n_units, confidence_level)
    is_narrower = np.asarray(fitted.half_width < estimates.half_width)
    return Combined(*(np.where(is_narrower, x, y) for x, y in zip(fitted, estimates, strict=True))), is_narrower


def estimates_under(
    h: Floats, all_machine: Floats, design: Design, machine_weight: float | None, confidence_level: float
) -> Combined:
    """The estimates under a design."""
    if design.is_simple:
        return independent_estimates(h, all_machine, machine_weight, confidence_level)
    return designed_estimates(h, all_machine, design, machine_weight, confidence_level)


def allow_for_fit(fitted: Combined, n_fits: int, n_units: int, confidence_level: float) -> Combined:
    """Estimates of a fitted machine, with a greater variance: fits to few labels may look perfect by chance."""
    variance = fitted.variance + n_fits * fitted.human_variance / n_units
    with np.errstate(invalid="ignore", divide="ignore"):
        half_width = np.where(
            fitted.variance > 0,
            fitted.half_width * np.sqrt(variance / fitted.variance),
            quantile(n_units - 2, confidence_level) * np.sqrt(variance),
        )
    return fitted._replace(variance=variance, half_width=half_width)


def checked_signals(signals: npt.ArrayLike, shape: tuple[int, ...]) -> Floats:
    """(signals, lists, N). Raises ParameterError for another shape, or a value that is not finite."""
    array = np.asarray(signals, np.float64)
    if array.ndim == 2:
        array = array[:, None]
    if array.ndim != 3 or array.shape[1] not in (1, shape[0]) or array.shape[2] != shape[1]:
        raise ParameterError(
            f"signals have shape {np.shape(signals)}, expected (signals, queries) or (signals, lists, queries), of "
            f"{shape[0]} lists and all {shape[1]} queries"
        )
    if not np.isfinite(array).all():
        raise ParameterError("signals have a value that is not finite, expected a number for every query")
    return np.broadcast_to(array, (len(array), *shape))


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


def design_of(
    n: int,
    n_all: int,
    clusters: npt.ArrayLike | None,
    weights: npt.ArrayLike | None,
    strata: npt.ArrayLike | None,
    chances: npt.ArrayLike | None,
    population: str,
) -> Design:
    """The design of the sample. Raises ParameterError for what does not fit."""
    check_choice("population", population, POPULATIONS)
    design = Design(
        n=n,
        n_all=n_all,
        clusters=None if clusters is None else cluster_codes(clusters, n_all),
        weights=None if weights is None else checked_weights(weights, n_all),
        strata=None if strata is None else checked_strata(strata, n, n_all),
        chances=None if chances is None else checked_chances(chances, n),
        is_finite=population == "items",
    )
    if design.strata is not None and design.clusters is not None:
        lowest, highest = np.full(n_all, n_all), np.zeros(n_all, np.int64)
        codes = np.unique(design.clusters, return_inverse=True)[1]
        np.minimum.at(lowest, codes, design.strata)
        np.maximum.at(highest, codes, design.strata)
        if (lowest < highest).any():
            raise ParameterError(
                f"{int((lowest < highest).sum())} clusters have queries in several strata, expected each in one; "
                "name narrower clusters, or leave the strata out"
            )
    return design


def checked_strata(strata: npt.ArrayLike, n: int, n_all: int) -> Ints:
    """(N) codes of strata. Raises ParameterError if they are not one for each query, or people judged none of one."""
    labels = np.asarray(strata)
    if labels.shape != (n_all,):
        raise ParameterError(f"strata have shape {labels.shape}, expected one for each of {n_all} queries")
    names, codes = np.unique(labels, return_inverse=True)
    n_judged = np.bincount(codes[:n], minlength=names.size)
    if (n_judged == 0).any():
        raise ParameterError(
            f"people judged no query of stratum {names[n_judged == 0][0]!s}, expected at least 2; have some judged, or "
            "join it with another stratum"
        )
    return np.asarray(codes, np.int64)


def checked_chances(chances: npt.ArrayLike, n: int) -> Floats:
    """(n) chances to be judged. Raises ParameterError if they are not one for each, or not in (0, 1]."""
    array = np.asarray(chances, np.float64)
    if array.shape != (n,):
        raise ParameterError(f"chances have shape {array.shape}, expected one for each of the {n} queries of people")
    invalid = np.flatnonzero(~((array > 0) & (array <= 1)))
    if invalid.size:
        raise ParameterError(
            f"chance {array[invalid[0]]:g} of query {int(invalid[0])}, expected a number above 0 and at most 1"
        )
    return array


def interval_of(
    values: Floats, design: Design, confidence_level: float, *, of_all: bool
) -> tuple[Floats, Floats, Floats, Floats]:
    """The mean of values of the queries that people judged, or of all, the ends of its interval, and the p-value of
    Student's test against 0.
    """
    if not design.has_clusters_and_weights_only:
        mean, half_width, pvalue = designed_interval(values, design, confidence_level, of_all=of_all)
        return mean, mean - half_width, mean + half_width, pvalue
    n = values.shape[1]
    sample: dict[str, Any] = {
        "clusters": None if design.clusters is None else design.clusters[:n],
        "weights": None if design.weights is None else design.weights[:n],
    }
    interval = t_interval(values, confidence_level=confidence_level, **sample)
    pvalue = np.full(len(values), np.nan) if of_all else t_test(values, **sample).pvalue
    return interval.mean, interval.low, interval.high, pvalue
