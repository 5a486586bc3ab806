"""What is asked of agreement on segments: statistic, grouping, ties, bootstrap; checked before anything is read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from rankscope.agreement.calibration import check_calibrated
from rankscope.agreement.conventions import CONVENTIONS, Cell, KendallConvention, as_convention
from rankscope.agreement.inputs import JudgedMetrics
from rankscope.agreement.segment_sums import SEGMENT_CORRELATIONS, SEGMENT_GROUPINGS
from rankscope.errors import ParameterError, UnknownName
from rankscope.stats.inputs import check_choice, check_count, check_positive, check_share, seed_of

__all__ = [
    "CALIBRATED",
    "SEGMENT_STATISTICS",
    "SegmentSettings",
    "Statistic",
    "check_comparable",
    "validate_segment_settings",
]

#: Every statistic by name.
SEGMENT_STATISTICS = (*CONVENTIONS, *SEGMENT_CORRELATIONS)
CALIBRATED = "calibrated"
Statistic = str | KendallConvention | Sequence[Sequence[Cell]]


class SegmentSettings(NamedTuple):
    """What `segments` was asked for, checked. convention: None of a correlation. epsilon: None to calibrate it."""

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
    """All that is asked for, checked before anything is read. Raises as `segments`."""
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


def check_comparable(given: JudgedMetrics, asked: SegmentSettings) -> None:
    """Ranks mean something within their judgment only."""
    if given.gold in given.rankings.scores:
        return
    if asked.convention is None and asked.grouping != "segment":
        raise ParameterError(
            f"{asked.statistic} with grouping {asked.grouping!r} compares what people said in different judgments, and "
            "these said ranks, which mean something within one only; group by segment, or give their scores"
        )
    if asked.convention is not None and asked.convention.least > 0:
        raise ParameterError(
            f"{asked.convention.name} asks for human scores that differ by at least {asked.convention.least:g}, and "
            "these judgments are ranks; give their scores, or take wmt12"
        )
