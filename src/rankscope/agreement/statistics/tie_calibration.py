"""Tie calibration: the difference up to which scores of a metric tie so that it agrees most with people."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankscope.agreement.statistics.kendall import ABSENT, CLOSE, KendallConvention, kinds_of, pair_places
from rankscope.errors import ParameterError
from rankscope.kernels.ties import NOISE, best_places
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
#: What each kind of pair becomes where the metric's difference counts as a tie; an absent one stays absent.
TIED = np.array([3, 3, 4, 3, 4, ABSENT])


class TieCalibration(NamedTuple):
    """The least epsilon of the highest value, and that value; of no pairs NaN. value is in the convention's range."""

    epsilon: float
    value: float


class CalibrationCurve(NamedTuple):
    """The statistic at every epsilon that changes it: rising epsilons, values, and the share of counted pairs that the
    metric ties, in [0, 1]; the first epsilon is 0.
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
    """The epsilon at which the statistic is highest, where differences of at most epsilon are the metric's ties.

    gold, metric: (judgments, items), lower is better, NaN where there is none. grouping: "none", all pairs weigh alike;
    "segment", all segments do. segment: (judgments) a whole number from 0, which segment it is of; else each is one of
    its own. Every difference that occurs is tried, and 0: one sort, and cumulative sums of what each tie changes.

    Raises ParameterError for a convention in which the pairs that count depend on the metric, as "tau13": there the
    highest value may be that of a few pairs.

    Source: Deutsch, Foster and Freitag (2023), "Ties matter", section 5.

    >>> from rankscope.agreement.statistics.kendall import CONVENTIONS
    >>> gold, metric = np.array([[1.0, 2.0, 2.0]]), np.array([[0.1, 0.7, 0.8]])
    >>> calibrate(gold, metric, convention=CONVENTIONS["acc_eq"])  # .7 and .8 tie, as people say
    TieCalibration(epsilon=0.10000000000000009, value=1.0)
    """
    found = calibration_steps(gold, metric, convention, grouping, segment)
    if found is None:
        return TieCalibration(float("nan"), float("nan"))
    # A gain that is but rounding is none: the least epsilon stands.
    best = int(best_places(found.gained, 1.0).argmax())
    if found.gained[best] <= NOISE:
        return TieCalibration(0.0, found.start)
    return TieCalibration(float(found.epsilon[best]), found.start + float(found.gained[best]))


def calibration_curve(
    gold: Floats,
    metric: Floats,
    *,
    convention: KendallConvention,
    grouping: str = "none",
    segment: Ints | None = None,
) -> CalibrationCurve:
    """The statistic as epsilon rises: the whole of what `calibrate` looks for the highest point of.

    Arguments, and what they raise, as of `calibrate`. Each value holds from its epsilon up to the next. Of no pairs,
    empty. tied: all pairs that count weigh alike, whatever the grouping.

    Source: Deutsch, Foster and Freitag (2023), "Ties matter", figure 3.

    >>> from rankscope.agreement.statistics.kendall import CONVENTIONS
    >>> gold, metric = np.array([[1.0, 2.0, 2.0]]), np.array([[0.0, 0.5, 1.0]])
    >>> found = calibration_curve(gold, metric, convention=CONVENTIONS["acc_eq"])
    >>> found.epsilon.tolist(), found.value.round(4).tolist(), found.tied.round(4).tolist()
    ([0.0, 0.5, 1.0], [0.6667, 0.6667, 0.3333], [0.0, 0.6667, 1.0])
    """
    found = calibration_steps(gold, metric, convention, grouping, segment)
    if found is None:
        return CalibrationCurve(np.zeros(0), np.zeros(0), np.zeros(0))
    epsilon, value, tied = found.epsilon, found.start + found.gained, found.tied
    if epsilon[0] > 0:
        epsilon, value, tied = np.r_[0.0, epsilon], np.r_[found.start, value], np.r_[0.0, tied]
    return CalibrationCurve(epsilon, value, tied)


class CalibrationSteps(NamedTuple):
    """Rising epsilons, what the statistic has gained at each, and the share of pairs tied; start: at none tied."""

    epsilon: Floats
    gained: Floats
    tied: Floats
    start: float


def calibration_steps(
    gold: Floats, metric: Floats, convention: KendallConvention, grouping: str, segment: Ints | None
) -> CalibrationSteps | None:
    """All that a rising epsilon does; None where no pair counts. Raises as `calibrate`."""
    check_choice("grouping", grouping, WEIGHING)
    check_calibrated(convention)
    kinds = kinds_of(gold, metric, least=convention.least)
    first, second = pair_places(gold.shape[1])
    with np.errstate(over="ignore"):
        apart = np.abs(metric[:, first] - metric[:, second])
    above, below = np.append(convention.numerator, 0.0), np.append(convention.denominator, 0.0)
    weight = pair_weights(below[kinds], segment) if grouping == "segment" else None
    counted = np.flatnonzero(below[kinds].ravel())
    if not counted.size:
        return None
    kinds, apart = kinds.ravel()[counted], apart.ravel()[counted]
    share = np.full(counted.size, 1 / counted.size) if weight is None else weight.ravel()[counted]
    now, change = above[kinds], above[TIED[kinds]] - above[kinds]
    order = np.argsort(apart)
    rising = apart[order]
    # What is tied once epsilon has reached each difference; of differences that are equal, but for
    # rounding, only the last is complete.
    last = np.append(np.flatnonzero(rising[1:] > rising[:-1] * (1 + CLOSE)), rising.size - 1)
    gained = np.cumsum((share * change)[order])[last]
    return CalibrationSteps(rising[last], gained, (last + 1) / counted.size, float(share @ now))


def check_calibrated(convention: KendallConvention) -> None:
    """Raise ParameterError for a convention that has no best epsilon."""
    if not convention.keeps_pairs:
        raise ParameterError(
            f"{convention.name} leaves pairs out by what the metric says, so no epsilon is the best; calibrate acc_eq, "
            "tau23 or another convention that counts all ties of the metric, or give epsilon as a number"
        )


def pair_weights(counted: Floats, segment: Ints | None) -> Floats:
    """(judgments, pairs) so that the pairs of each segment weigh 1 together, and all segments 1."""
    of = np.arange(len(counted)) if segment is None else segment
    many = np.bincount(of, counted.sum(axis=1))
    segments = np.count_nonzero(many)
    each = np.divide(1.0, many * segments, out=np.zeros(many.size), where=many > 0)
    return np.asarray(np.broadcast_to(each[of][:, None], counted.shape))
