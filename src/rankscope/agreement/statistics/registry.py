"""The statistics of agreement on aligned scores: their names, ranges, groupings, and what is refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rankscope.agreement.statistics.aligned import AlignedScores
from rankscope.agreement.statistics.kendall import CONVENTIONS, KendallConvention
from rankscope.errors import ParameterError
from rankscope.stats.inputs import check_choice, check_positive

__all__ = [
    "GROUPINGS",
    "SEGMENT_CORRELATIONS",
    "SEGMENT_GROUPINGS",
    "STATISTICS",
    "AgreementStatistic",
    "check_scores",
    "check_statistic",
    "statistic_named",
]


#: What a value is computed on: all at once, each segment, each system; for the last two, the mean of the values.
SEGMENT_GROUPINGS = ("none", "segment", "system")
#: "means": on the systems' mean scores.
GROUPINGS = (*SEGMENT_GROUPINGS, "means")
#: Statistics of lists, not of pairs within a list.
SEGMENT_CORRELATIONS = ("kendall_b", "kendall_c", "pearson", "spearman")


@dataclass(frozen=True, kw_only=True)
class AgreementStatistic:
    """A statistic of the agreement of two sides.

    Attributes
    ----------
    name
        Its name.
    groupings
        The groupings it has.
    usual_grouping
        The default among those of segments.
    usual_test
        The default test between metrics.
    range
        The least and the highest value there can be.
    convention
        What each kind of pairs counts, for a statistic of pairs within a list; None for others.
    """

    name: str
    groupings: tuple[str, ...]
    usual_grouping: str
    usual_test: str = "perm_both"
    range: tuple[float, float]
    convention: KendallConvention | None = None

    def compares_lists(self, grouping: str) -> bool:
        """Whether values of different lists are compared with each other, which ranks cannot be."""
        return self.convention is None and grouping != "segment"

    def is_calibrated(self, grouping: str, epsilon: float | str | None) -> bool:
        """Whether the data decide on epsilon; None: the default, which is so for acc_eq, unless by system."""
        return isinstance(epsilon, str) or (epsilon is None and self.name == "acc_eq" and grouping != "system")

    @property
    def counts_fixed_pairs(self) -> bool:
        """Whether it is a mean over the same pairs whatever the metric says."""
        return self.name.endswith("accuracy") if self.convention is None else self.convention.keeps_pairs


def of_convention(convention: KendallConvention) -> AgreementStatistic:
    for_scores = convention.name == "acc_eq"
    return AgreementStatistic(
        name=convention.name,
        groupings=SEGMENT_GROUPINGS,
        usual_grouping="segment" if for_scores else "none",
        usual_test="perm_both" if for_scores else "bootstrap",
        range=convention.range,
        convention=convention,
    )


def correlation(name: str, groupings: tuple[str, ...], usual_test: str = "perm_both") -> AgreementStatistic:
    return AgreementStatistic(
        name=name, groupings=groupings, usual_grouping="segment", usual_test=usual_test, range=(-1.0, 1.0)
    )


def accuracy(name: str) -> AgreementStatistic:
    return AgreementStatistic(name=name, groupings=("means",), usual_grouping="means", range=(0.0, 1.0))


#: Every statistic by name.
STATISTICS: Mapping[str, AgreementStatistic] = {
    statistic.name: statistic
    for statistic in (
        *map(of_convention, CONVENTIONS.values()),
        correlation("pearson", GROUPINGS),
        correlation("spearman", GROUPINGS),
        correlation("kendall_b", GROUPINGS),
        correlation("tau_ap", ("means",)),
        correlation("kendall_c", SEGMENT_GROUPINGS, usual_test="bootstrap"),
        accuracy("pairwise_accuracy"),
        accuracy("soft_pairwise_accuracy"),
    )
}


def statistic_named(statistic: str | KendallConvention) -> AgreementStatistic:
    """The statistic of a name, or of a convention of one's own.

    >>> statistic_named("wmt14").range
    (-1.0, 1.0)
    """
    return of_convention(statistic) if isinstance(statistic, KendallConvention) else STATISTICS[statistic]


def check_statistic(statistic: str, grouping: str, epsilon: float | None) -> AgreementStatistic:
    """The statistic; raises ParameterError for what does not go together."""
    check_choice("statistic", statistic, tuple(STATISTICS))
    check_choice("grouping", grouping, GROUPINGS)
    entry = STATISTICS[statistic]
    if grouping not in entry.groupings:
        raise ParameterError(
            f"{statistic} has no grouping {grouping!r}, expected {' or '.join(map(repr, entry.groupings))}"
        )
    if epsilon is not None:
        check_positive("epsilon", epsilon, zero=True)
        if entry.convention is None:
            raise ParameterError(
                f"epsilon applies to statistics of pairs, as acc_eq, and {statistic} has none; leave it out"
            )
    return entry


def check_scores(scores: AlignedScores, statistic: AgreementStatistic, grouping: str) -> None:
    """Raise ParameterError where the statistic compares ranks of different lists, or needs what these scores lack."""
    convention = statistic.convention
    if not scores.comparable and statistic.compares_lists(grouping):
        raise ParameterError(
            f"{statistic.name} with grouping {grouping!r} compares values across judgments, but these are ranks, which "
            "are comparable only within a judgment; group by segment, or pass scores"
        )
    if not scores.comparable and convention is not None and convention.min_difference > 0:
        raise ParameterError(
            f"{convention.name} needs human scores that differ by at least {convention.min_difference:g}, but these "
            "judgments are ranks; pass scores, or use wmt12"
        )
    if grouping == "means" and scores.weight is not None:
        raise ParameterError(
            f"{statistic.name} of systems' means has no weighted form in tests of metrics; `agree systems` weighs, or "
            "leave the weights out"
        )
    if grouping == "means" and not scores.is_grid:
        raise ParameterError(
            f"{statistic.name} of systems' means needs a score of each segment, but these are judgments of single "
            "lists; use scores of systems"
        )
    if scores.weight is not None and convention is None and statistic.name != "pearson" and grouping != "segment":
        raise ParameterError(
            f"{statistic.name} with grouping {grouping!r} has no weighted form; group by segment, use pearson or a "
            "statistic of pairs, or leave the weights out"
        )
