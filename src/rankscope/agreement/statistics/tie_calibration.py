"""Tie calibration: the difference up to which scores of a metric tie so that it agrees most with people."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankscope.agreement.statistics.kendall import ABSENT, CLOSE, KendallConvention, kinds_of, pair_indices
from rankscope.errors import ParameterError
from rankscope.kernels.rounding_ties import NOISE, best_places
from rankscope.stats.inputs import check_choice
from rankscope.typing import Floats, Ints

__all__ = [
    "CalibrationCurve",
    "TieCalibration",
    "calibrate",
    "calibration_curve",
    "check_calibrated",
]


WEIGHING = ("none", "segment")
#: The kind that each kind of pair becomes when the metric's difference counts as a tie; absent stays absent.
TIED = np.array([3, 3, 4, 3, 4, ABSENT])


class TieCalibration(NamedTuple):
    """The calibrated epsilon of a metric.

    Attributes
    ----------
    epsilon
        The smallest epsilon with the highest value; NaN without pairs.
    value
        The value there, in the range of the convention; NaN without pairs.
    """

    epsilon: float
    value: float


class CalibrationCurve(NamedTuple):
    """The statistic at every epsilon that changes it.

    Attributes
    ----------
    epsilon
        Rising epsilons; the first is 0.
    value
        The statistic from each epsilon on.
    tied
        Share of counted pairs that the metric ties, in [0, 1].
    """

    epsilon: Floats
    value: Floats
    tied: Floats


def calibrate(
    gold: Floats,
    metric: Floats,
    *,
    convention: KendallConvention,
    grouping: str = "none",
    segment: Ints | None = None,
) -> TieCalibration:
    """The epsilon with the highest value of the statistic, if differences up to epsilon are ties of the metric.

    Every difference that occurs is tried, and 0, with one sort and cumulative sums of the change that each new tie
    makes.

    Parameters
    ----------
    gold, metric
        Values of people and of the metric, (judgments, items), where lower is better; NaN if there is none.
    convention
        Which pairs count, and how.
    grouping
        "none": all pairs have the same weight. "segment": all segments do.
    segment
        The segment of each judgment, (judgments), as whole numbers from 0. Default: each judgment is a segment.

    Returns
    -------
    TieCalibration
        The epsilon and the value.

    Raises
    ------
    ParameterError
        The convention is one in which the pairs that count depend on the metric, as "tau13": there the highest value
        may come from a few pairs.

    References
    ----------
    Deutsch, Foster and Freitag (2023), "Ties matter", section 5.

    Examples
    --------
    >>> from rankscope.agreement.statistics.kendall import CONVENTIONS
    >>> gold, metric = np.array([[1.0, 2.0, 2.0]]), np.array([[0.1, 0.7, 0.8]])
    >>> calibrate(gold, metric, convention=CONVENTIONS["acc_eq"])  # .7 and .8 tie, as people say
    TieCalibration(epsilon=0.10000000000000009, value=1.0)
    """
    steps = calibration_steps(gold, metric, convention, grouping, segment)
    if steps is None:
        return TieCalibration(float("nan"), float("nan"))
    # A gain within rounding is no gain: the smallest epsilon is kept.
    best = int(best_places(steps.gained, 1.0).argmax())
    if steps.gained[best] <= NOISE:
        return TieCalibration(0.0, steps.start)
    return TieCalibration(float(steps.epsilon[best]), steps.start + float(steps.gained[best]))


def calibration_curve(
    gold: Floats,
    metric: Floats,
    *,
    convention: KendallConvention,
    grouping: str = "none",
    segment: Ints | None = None,
) -> CalibrationCurve:
    """The statistic as a function of epsilon; `calibrate` finds its maximum.

    Parameters
    ----------
    gold, metric, convention, grouping, segment
        As in `calibrate`.

    Returns
    -------
    CalibrationCurve
        Each value holds from its epsilon up to the next one; empty without pairs. For `tied` all pairs that count have
        the same weight, whatever the grouping.

    Raises
    ------
    ParameterError
        As `calibrate`.

    References
    ----------
    Deutsch, Foster and Freitag (2023), "Ties matter", figure 3.

    Examples
    --------
    >>> from rankscope.agreement.statistics.kendall import CONVENTIONS
    >>> gold, metric = np.array([[1.0, 2.0, 2.0]]), np.array([[0.0, 0.5, 1.0]])
    >>> found = calibration_curve(gold, metric, convention=CONVENTIONS["acc_eq"])
    >>> found.epsilon.tolist(), found.value.round(4).tolist(), found.tied.round(4).tolist()
    ([0.0, 0.5, 1.0], [0.6667, 0.6667, 0.3333], [0.0, 0.6667, 1.0])
    """
    steps = calibration_steps(gold, metric, convention, grouping, segment)
    if steps is None:
        return CalibrationCurve(np.zeros(0), np.zeros(0), np.zeros(0))
    epsilon, value, tied = steps.epsilon, steps.start + steps.gained, steps.tied
    if epsilon[0] > 0:
        epsilon, value, tied = np.r_[0.0, epsilon], np.r_[steps.start, value], np.r_[0.0, tied]
    return CalibrationCurve(epsilon, value, tied)


class CalibrationSteps(NamedTuple):
    """Rising epsilons, the gain of the statistic at each, and the share of pairs tied; start: the value without."""

    epsilon: Floats
    gained: Floats
    tied: Floats
    start: float


def calibration_steps(
    gold: Floats, metric: Floats, convention: KendallConvention, grouping: str, segment: Ints | None
) -> CalibrationSteps | None:
    """The statistic at every epsilon; None where no pair counts. Raises as `calibrate`."""
    check_choice("grouping", grouping, WEIGHING)
    check_calibrated(convention)
    kinds = kinds_of(gold, metric, least=convention.min_difference)
    first, second = pair_indices(gold.shape[1])
    with np.errstate(over="ignore"):
        distances = np.abs(metric[:, first] - metric[:, second])
    coefficients, is_counted = np.append(convention.numerator, 0.0), np.append(convention.denominator, 0.0)
    weight = pair_weights(is_counted[kinds], segment) if grouping == "segment" else None
    counted_pairs = np.flatnonzero(is_counted[kinds].ravel())
    if not counted_pairs.size:
        return None
    kinds, distances = kinds.ravel()[counted_pairs], distances.ravel()[counted_pairs]
    share = np.full(counted_pairs.size, 1 / counted_pairs.size) if weight is None else weight.ravel()[counted_pairs]
    current, change = coefficients[kinds], coefficients[TIED[kinds]] - coefficients[kinds]
    order = np.argsort(distances)
    sorted_distances = distances[order]
    # Sums over the pairs tied at each epsilon; of differences that are equal up to rounding, only the
    # last has all of them.
    group_ends = np.append(
        np.flatnonzero(sorted_distances[1:] > sorted_distances[:-1] * (1 + CLOSE)), sorted_distances.size - 1
    )
    gained = np.cumsum((share * change)[order])[group_ends]
    return CalibrationSteps(
        sorted_distances[group_ends], gained, (group_ends + 1) / counted_pairs.size, float(share @ current)
    )


def check_calibrated(convention: KendallConvention) -> None:
    """Raise ParameterError for a convention that has no best epsilon."""
    if not convention.keeps_pairs:
        raise ParameterError(
            f"{convention.name} leaves pairs out by what the metric says, so no epsilon is the best; calibrate acc_eq, "
            "tau23 or another convention that counts all ties of the metric, or give epsilon as a number"
        )


def pair_weights(counted: Floats, segment: Ints | None) -> Floats:
    """(judgments, pairs) so that the pairs of each segment weigh 1 together, and all segments 1."""
    segment_codes = np.arange(len(counted)) if segment is None else segment
    n_pairs = np.bincount(segment_codes, counted.sum(axis=1))
    n_segments = np.count_nonzero(n_pairs)
    weights = np.divide(1.0, n_pairs * n_segments, out=np.zeros(n_pairs.size), where=n_pairs > 0)
    return np.asarray(np.broadcast_to(weights[segment_codes][:, None], counted.shape))
