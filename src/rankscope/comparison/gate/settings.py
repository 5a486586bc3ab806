"""The settings of a gate: the margin, the test and its level, and the looks that are planned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rankscope.comparison.gate.margins import Margin, MarginRule
from rankscope.settings import (
    REQUIRED,
    Number,
    NumberList,
    Settings,
    alpha_field,
    choice,
    count,
    declare,
    excludes,
    needs,
    resamples_field,
    seed_field,
    share,
)
from rankscope.stats import SPENDING

__all__ = [
    "TESTS",
    "GateSettings",
]


#: The tests of a gate, which are of a mean: on differences shifted by the margin they test whether the mean difference
#: is above -margin. Tests of ranks and signs are about medians, which can be acceptable when the mean is not.
TESTS = ("t", "permutation", "bootstrap", "betting")


class Range(NumberList):
    """The least and the greatest value of a measure."""

    def __init__(self) -> None:
        super().__init__(Number(), "two numbers that rise, as 0,1 (in Python (0, 1))")

    def accepts(self, value: object) -> bool:
        return super().accepts(value) and isinstance(value, tuple) and len(value) == 2 and value[0] < value[1]

    def fault(self, value: object) -> str:
        return f"is {value!r}, expected {self.expected}"


FREE_LOOKS = excludes(test="betting", reason="looks are free with that test")


@dataclass(frozen=True, kw_only=True)
class GateSettings(Settings):
    """What a new system has to show. seed: of the resamples."""

    FUNCTIONS = ("rankscope:gate",)
    COMMANDS = ("gate",)

    margin: Margin | Mapping[str, Margin] = declare(
        MarginRule(),
        REQUIRED,
        "Largest acceptable loss of the mean: in units of the measure, as 0.01, or a percentage of the mean of the "
        "baseline, as 2%.",
        python_help="Largest acceptable loss of the mean: in units of the measure, as 0.01, or a percentage of the "
        'baseline\'s mean, as "2%". For measures of their own margins a mapping, such as {"nDCG@10": 0.01, "R@100": '
        '"2%"}; that of "" is for all others.',
        metavar="MARGIN",
    )
    by_group: Margin | None = declare(
        MarginRule(by_measure=False),
        None,
        "Largest acceptable loss of the mean in each group of queries; to pass, a system has to be shown to lose less "
        "in every one.",
        metavar="MARGIN",
        unset="groups decide nothing",
    )
    alpha: float = alpha_field(help="Significance level of each one-sided test; with planned looks, of all together.")
    test: str = choice(
        "t",
        TESTS,
        help="Test of the mean difference; betting holds for every distribution of values within the range of the "
        "measure.",
    )
    up_to: int | None = count(
        None,
        minimum=2,
        help="Plan looks: the gate may be asked again with more queries, up to N, and all looks together keep the "
        "level. A file holds them.",
        unset="one look",
        depends=FREE_LOOKS,
    )
    looks: int | None = count(
        None,
        minimum=2,
        maximum=1000,
        metavar="K",
        help="Plan K looks, each with more queries, which together keep the level. A file holds them.",
        unset="one look",
        depends=(excludes("up_to", reason="both plan looks"), FREE_LOOKS),
    )
    spending: str = choice(
        "obrien-fleming",
        SPENDING,
        help="How planned looks share the level: little at early ones, or about alike.",
        depends=needs("up_to", "looks", reason="planned looks share the level"),
    )
    value_range: tuple[float, ...] | None = declare(
        Range(),
        None,
        "Least and greatest value of measures whose range is not known, such as those of other tools.",
        flag="--range",
        metavar="LOW,HIGH",
    )
    power: float = share(0.8, help="Statistical power for the number of fresh queries that would do.")
    n_resamples: int = resamples_field(10_000, "Number of resamples of a permutation test or bootstrap.")
    seed: int = seed_field()

    @property
    def plans_looks(self) -> bool:
        """Whether looks are planned."""
        return self.up_to is not None or self.looks is not None
