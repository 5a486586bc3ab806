"""The settings of agreement on segments and on systems, validated before anything is read."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from rankscope.agreement.statistics import (
    CONVENTIONS,
    RULES,
    SEGMENT_CORRELATIONS,
    SEGMENT_GROUPINGS,
    SOFT,
    SYSTEM_CORRELATIONS,
    SYSTEM_STATISTICS,
    Cell,
    KendallConvention,
    as_convention,
    check_calibrated,
)
from rankscope.errors import ParameterError, UnknownName
from rankscope.stats.inputs import check_choice, check_count, check_positive, check_share, is_real, seed_of

__all__ = [
    "CALIBRATED",
    "FROM_SEGMENTS",
    "HUMAN",
    "INTERVALS",
    "OVER",
    "SEGMENT_STATISTICS",
    "SegmentSettings",
    "Statistic",
    "SystemSettings",
    "check_weights",
    "validate_segment_settings",
    "validate_system_settings",
]


#: Every statistic by name.
SEGMENT_STATISTICS = (*CONVENTIONS, *SEGMENT_CORRELATIONS)
CALIBRATED = "calibrated"
Statistic = str | KendallConvention | Sequence[Sequence[Cell]]


class SegmentSettings(NamedTuple):
    """The settings of `segments`, checked. convention: None for a correlation. epsilon: None to calibrate it."""

    statistic: str
    convention: KendallConvention | None
    grouping: str
    epsilon: float | None
    n_resamples: int
    confidence_level: float
    seed: int


def validate_segment_settings(
    statistic: Statistic,
    grouping: str,
    epsilon: float | str | None,
    n_resamples: int,
    confidence_level: float,
    rng: Any,
) -> SegmentSettings:
    """The settings, checked before anything is read. Raises as `segments`."""
    convention = None
    if not isinstance(statistic, str):
        convention = as_convention(statistic)
        name = convention.name
    else:
        name = statistic
        if name not in SEGMENT_STATISTICS:
            raise UnknownName("statistic", name, SEGMENT_STATISTICS)
        convention = CONVENTIONS.get(name)
    check_choice("grouping", grouping, SEGMENT_GROUPINGS)
    check_count("n_resamples", n_resamples)
    check_share("confidence_level", confidence_level)
    if epsilon is None:
        epsilon = CALIBRATED if name == "acc_eq" and grouping != "system" else 0.0
    elif convention is None:
        raise ParameterError(f"epsilon is for statistics of pairs, and {name} is a correlation; leave it out")
    if isinstance(epsilon, str):
        check_choice("epsilon", epsilon, (CALIBRATED,))
        if grouping == "system":
            raise ParameterError("epsilon cannot be calibrated by system; group by segment or none, or give a number")
        assert convention is not None
        check_calibrated(convention)
    else:
        check_positive("epsilon", epsilon, zero=True)
    fixed = None if isinstance(epsilon, str) else float(epsilon)
    return SegmentSettings(name, convention, grouping, fixed, n_resamples, confidence_level, seed_of(rng))


#: How a metric's scores of segments become a system's score, and over which segments a mean is.
FROM_SEGMENTS = ("mean", "share")
OVER = ("common", "own")
#: How people's judgments become a system's score; given scores of systems stay as they are.
HUMAN = (*RULES, "mean")
INTERVALS = ("segments", "fisher", "none")
#: How much the sum of weights may differ from 1.
ROUNDING = 1e-6


class SystemSettings(NamedTuple):
    """The settings of `systems`, checked. human, interval: None for the default of the data."""

    statistic: str
    absolute: bool
    human: str | None
    prior: float
    from_segments: str
    over: str
    common: bool
    without_outliers: bool
    interval: str | None
    n_resamples: int
    confidence_level: float
    seed: int
    weights: Mapping[str, float] | None


def validate_system_settings(
    *,
    statistic: str,
    absolute: bool,
    human: str | None,
    prior: float,
    from_segments: str,
    over: str,
    common: bool,
    without_outliers: bool,
    interval: str | None,
    n_resamples: int,
    confidence_level: float,
    rng: Any,
    weights: Mapping[str, float] | None,
) -> SystemSettings:
    """The settings, checked before anything is read. Raises as `systems`."""
    if statistic not in SYSTEM_STATISTICS:
        raise UnknownName("statistic", statistic, SYSTEM_STATISTICS)
    if absolute and statistic not in SYSTEM_CORRELATIONS:
        raise ParameterError(f"absolute is for correlations, and {statistic} has no sign; leave it out")
    if human is not None:
        check_choice("human", human, HUMAN)
    check_positive("prior", prior, zero=True)
    if prior and human != "bradley_terry":
        raise ParameterError(
            'prior is for human="bradley_terry" (--human bradley_terry); leave it out, or ask for that'
        )
    check_choice("from_segments", from_segments, FROM_SEGMENTS)
    check_choice("over", over, OVER)
    if interval is not None:
        check_choice("interval", interval, INTERVALS)
        if interval == "fisher" and statistic not in SYSTEM_CORRELATIONS:
            raise ParameterError(f"an interval by Fisher's z is for correlations, and {statistic} is none")
        if interval == "segments" and statistic == SOFT:
            raise ParameterError(f"{SOFT} has no interval; leave it out")
    check_count("n_resamples", n_resamples)
    check_share("confidence_level", confidence_level)
    if weights is not None:
        check_weights(weights)
    return SystemSettings(
        statistic=statistic,
        absolute=bool(absolute),
        human=human,
        prior=float(prior),
        from_segments=from_segments,
        over=over,
        common=bool(common),
        without_outliers=bool(without_outliers),
        interval=interval,
        n_resamples=n_resamples,
        confidence_level=confidence_level,
        seed=seed_of(rng),
        weights=None if weights is None else {pair: float(weight) for pair, weight in weights.items()},
    )


def check_weights(weights: Mapping[str, float]) -> None:
    """Raises ParameterError for weights below 0, and for weights that do not add up to 1."""
    if not isinstance(weights, Mapping):
        raise ParameterError("weights are a mapping of language pairs to numbers, as {'de-en': 0.5, 'fr-en': 0.5}")
    for pair, weight in weights.items():
        if not is_real(weight) or not 0 <= float(weight) < math.inf:
            raise ParameterError(f"the weight of {pair} is {weight!r}, expected a number of at least 0")
    total = math.fsum(map(float, weights.values()))
    if abs(total - 1) > ROUNDING:
        raise ParameterError(f"the weights add up to {total:g}, expected 1; divide each by their sum")
