"""How metrics are tested against each other: which tests there are, and what is asked of them."""

from __future__ import annotations

from typing import Any, NamedTuple

from rankscope.agreement.metric_pvalues import TESTS
from rankscope.agreement.metric_tests import ALTERNATIVES
from rankscope.agreement.system_asked import SystemSettings, validate_system_settings
from rankscope.errors import ParameterError
from rankscope.kernels.swaps import SWAPS
from rankscope.stats.corrections import CORRECTIONS
from rankscope.stats.inputs import check_choice, check_count, check_positive, check_share

__all__ = ["TESTS", "MetricComparisonSettings", "validate_comparison_settings"]


class MetricComparisonSettings(NamedTuple):
    """How metrics are tested. test, swap: None for what suits the task. correction, significance: of p-values, and the
    level that they are then compared with. systems: how systems get their scores.
    """

    test: str | None
    alternative: str
    swap: str | None
    n_resamples: int
    seed: int
    epsilon: float | None
    correction: str
    significance: float
    systems: SystemSettings


def validate_comparison_settings(
    test: str | None = None,
    alternative: str = "two-sided",
    swap: str | None = None,
    epsilon: float | None = None,
    correction: str = "holm",
    significance: float = 0.05,
    n_resamples: int = 1000,
    rng: Any = None,
    human: str | None = None,
    from_segments: str = "mean",
    over: str = "common",
    common: bool = False,
) -> MetricComparisonSettings:
    """All of it but the tasks, checked before anything is read. Raises as `compare_metrics`."""
    if test is not None:
        check_choice("test", test, tuple(TESTS))
    check_choice("alternative", alternative, ALTERNATIVES)
    if swap is not None:
        check_choice("swap", swap, SWAPS)
        if test not in (None, "perm_both"):
            raise ParameterError(f"swap says what perm_both swaps, and the test is {test}; leave it out")
    check_choice("correction", correction, tuple(CORRECTIONS))
    check_share("significance", significance)
    check_count("n_resamples", n_resamples)
    if epsilon is not None:
        check_positive("epsilon", epsilon, zero=True)
    systems = validate_system_settings(
        statistic="pearson",
        absolute=False,
        human=human,
        prior=0.0,
        from_segments=from_segments,
        over=over,
        common=common,
        without_outliers=False,
        interval=None,
        n_resamples=n_resamples,
        confidence_level=0.95,
        rng=rng,
        weights=None,
    )
    return MetricComparisonSettings(
        test, alternative, swap, n_resamples, systems.seed, epsilon, correction, significance, systems
    )
