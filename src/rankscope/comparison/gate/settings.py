"""The settings of a gate: the margin, the test and its level."""

from __future__ import annotations

from dataclasses import dataclass

from rankscope.settings import (
    NONNEGATIVE,
    REQUIRED,
    Settings,
    alpha_field,
    choice,
    number,
    resamples_field,
    seed_field,
    share,
)

__all__ = [
    "TESTS",
    "GateSettings",
]


#: The tests of a gate, which are of a mean: on differences shifted by the margin they test whether the mean difference
#: is above -margin. Tests of ranks and signs are about medians, which can be acceptable when the mean is not.
TESTS = ("t", "permutation", "bootstrap")


@dataclass(frozen=True, kw_only=True)
class GateSettings(Settings):
    """What a new system has to show. seed: of the resamples."""

    FUNCTIONS = ("rankscope:gate",)

    margin: float = number(
        REQUIRED,
        rule=NONNEGATIVE,
        flag="--gate",
        metavar="MARGIN",
        help="Largest acceptable loss of the mean, in units of the measure.",
    )
    alpha: float = alpha_field(help="Significance level of each one-sided test.")
    by_group: float | None = number(
        None,
        rule=NONNEGATIVE,
        flag="--by-group",
        metavar="MARGIN",
        help="Largest acceptable loss of the mean in each group of queries; to pass, a system has to be shown to lose "
        "less in every one.",
        unset="groups decide nothing",
    )
    test: str = choice("t", TESTS, help="Test of the mean difference.")
    power: float = share(0.8, help="Statistical power for the estimate of how many more queries would decide.")
    n_resamples: int = resamples_field(10_000, "Number of resamples of a permutation test or bootstrap.")
    seed: int = seed_field()
