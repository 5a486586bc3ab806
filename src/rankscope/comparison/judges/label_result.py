"""The result of `agree_labels`: statistics of groups and pairs of raters, and machines beside people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from rankscope.comparison.judges.agreement_rows import count_rows
from rankscope.comparison.judges.label_settings import LabelSettings
from rankscope.data.result import Result
from rankscope.data.text import join_names, pluralise
from rankscope.errors import ParameterError
from rankscope.stats.confusion import ConfusionMatrix, Label

__all__ = [
    "FALLS_SHORT",
    "PEOPLE",
    "REACHES",
    "UNDECIDED",
    "Estimate",
    "HumanCeiling",
    "LabelAgreement",
    "RaterGroup",
    "RaterPair",
]


PEOPLE = "people"
#: What is said about a machine beside people.
REACHES, FALLS_SHORT, UNDECIDED = "reaches", "falls short", "undecided"
#: Statistics of the positive class.
OF_POSITIVE = ("precision", "recall", "specificity", "fpr", "fnr", "fscore", "mcc")


class Estimate(NamedTuple):
    """A statistic with its interval.

    Attributes
    ----------
    value
        The value; NaN if it is undefined.
    low, high
        Ends of its interval; NaN if there is none.
    """

    value: float
    low: float
    high: float


@dataclass(frozen=True, eq=False, kw_only=True)
class RaterGroup:
    """Agreement of three raters or more.

    Attributes
    ----------
    name
        "all", or "people" for those that are no machines.
    raters
        Their names.
    n
        Number of items that two of them or more labelled.
    statistics
        Name -> estimate. Agreement, alpha, AC1 and AC2 are of all raters at once; the others are means over the pairs,
        weighted by their items.
    """

    name: str
    raters: tuple[str, ...]
    n: int
    statistics: Mapping[str, Estimate]


@dataclass(frozen=True, eq=False, kw_only=True)
class RaterPair:
    """Agreement of two raters.

    Attributes
    ----------
    raters
        Their names; the first is the reference of rates. People come before machines.
    n
        Number of items that both labelled.
    confusion
        How many items got which labels: rows are labels of the first rater, columns those of the second.
    statistics
        Name -> estimate, with the rates of the positive class if there is one.
    by_class
        Label -> name -> estimate: the rates of each class against all others; empty if there is a positive class or
        there are more than two raters.
    averages
        Name -> estimate: means of the rates over the classes (macro) and those of pooled counts (micro).
    """

    raters: tuple[str, str]
    n: int
    confusion: ConfusionMatrix
    statistics: Mapping[str, Estimate]
    by_class: Mapping[str, Mapping[str, Estimate]] = field(default_factory=dict)
    averages: Mapping[str, Estimate] = field(default_factory=dict)


@dataclass(frozen=True, eq=False, kw_only=True)
class HumanCeiling:
    """A machine beside people: its agreement with people, and that of people with each other on the same items.

    Attributes
    ----------
    machine
        The machine.
    left_out
        The person whose agreement with the other people stands beside that of the machine with them; None for the mean
        over all people.
    n
        Number of items that the machine, this person and another one labelled.
    machine_agreement, people_agreement, difference
        Name -> estimate, of the machine, of people, and of the machine less people, in the same resamples.
    verdict
        "reaches" if the interval of the difference is above minus the margin, "falls short" if it is below, else
        "undecided".
    """

    machine: str
    left_out: str | None
    n: int
    machine_agreement: Mapping[str, Estimate]
    people_agreement: Mapping[str, Estimate]
    difference: Mapping[str, Estimate]
    verdict: str

    @property
    def others(self) -> str:
        """Whom the machine is compared with: "people", or "people but ann"."""
        return PEOPLE if self.left_out is None else f"{PEOPLE} but {self.left_out}"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LabelAgreement(Result):
    """How far raters give items the same labels.

    `print` shows sentences and tables; `frame()` is the tidy table.

    Attributes
    ----------
    raters
        Names of the raters, people before machines.
    labels
        The labels in their order.
    positive
        The positive class, or None.
    groups
        All raters together if there are more than two, and all people.
    pairs
        Every two raters.
    ceilings
        Each machine beside people: first the mean over people, then each of them left out in turn.
    statistic
        The statistic by which machines are compared with people.
    n_items
        Number of items with a label.
    n_clusters
        Number of clusters; None if items are drawn one by one.
    is_weighted
        Whether items have weights.
    settings
        How the labels were compared.
    notes
        What a reader should know.
    """

    VIEW = "rankscope.comparison.judges.label_view:label_sections"
    COLUMNS = ("rater", "other", "statistic", "label", "value", "low", "high", "n")

    raters: tuple[str, ...]
    labels: tuple[Label, ...]
    positive: Label | None
    groups: tuple[RaterGroup, ...]
    pairs: tuple[RaterPair, ...]
    ceilings: tuple[HumanCeiling, ...]
    statistic: str
    n_items: int
    n_clusters: int | None
    is_weighted: bool
    settings: LabelSettings
    notes: tuple[str, ...]

    def pair(self, rater: str, other: str) -> RaterPair:
        """The pair of these two raters, in any order.

        Parameters
        ----------
        rater, other
            Their names.

        Returns
        -------
        RaterPair
            The pair.

        Raises
        ------
        ParameterError
            There is no such pair.
        """
        for pair in self.pairs:
            if {rater, other} == set(pair.raters):
                return pair
        raise ParameterError(f"there is no pair of {rater!r} and {other!r}; raters are {join_names(self.raters)}")

    def records(self) -> Iterator[tuple[Any, ...]]:
        """The rows of the tidy table; NaN where a statistic has no value or no interval."""
        positive = "" if self.positive is None else str(self.positive)
        for group in self.groups:
            for name, estimate in group.statistics.items():
                yield group.name, "", name, positive if name in OF_POSITIVE else "", *estimate, group.n
        for pair in self.pairs:
            for name, estimate in pair.statistics.items():
                yield *pair.raters, name, positive if name in OF_POSITIVE else "", *estimate, pair.n
            for label, rates in pair.by_class.items():
                for name, estimate in rates.items():
                    yield *pair.raters, name, label, *estimate, pair.n
            for name, estimate in pair.averages.items():
                yield *pair.raters, name, "", *estimate, pair.n
            for name, label, *numbers in count_rows(pair.confusion):
                yield *pair.raters, name, label, *numbers
        for ceiling in self.ceilings:
            for name in ceiling.difference:
                label = positive if name in OF_POSITIVE else ""
                for suffix, statistics in (
                    ("", ceiling.machine_agreement),
                    ("_of_people", ceiling.people_agreement),
                    ("_difference", ceiling.difference),
                ):
                    yield ceiling.machine, ceiling.others, f"{name}{suffix}", label, *statistics[name], ceiling.n

    def signature_parts(self) -> list[str]:
        """The settings that change the numbers."""
        settings = self.settings
        machines = []
        if settings.machines:
            machines = [
                f"machines:{','.join(settings.machines)}",
                f"by:{self.statistic}",
                f"margin:{settings.margin:g}",
            ]
        return [
            "agreement of labels",
            f"raters:{','.join(self.raters)}",
            *machines,
            *([] if settings.order is None else [f"order:{','.join(settings.order)}"]),
            *([] if self.positive is None else [f"positive:{self.positive}"]),
            f"beta:{settings.beta:g}",
            *(["weights:yes"] if self.is_weighted else []),
            f"confidence:{settings.confidence_level:g}",
            f"bootstrap:{settings.n_resamples},rng:{settings.seed}",
            *([] if self.n_clusters is None else [f"clusters:{self.n_clusters}"]),
            f"items:{self.n_items}",
        ]

    def contents(self) -> str:
        """What it holds, in a few words."""
        raters, labels = pluralise(len(self.raters), "rater"), pluralise(len(self.labels), "label")
        return f"{raters}, {pluralise(self.n_items, 'item')}, {labels}"
