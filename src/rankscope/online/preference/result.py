"""The result of a test of interleaved systems."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from rankscope.data.result import Result
from rankscope.data.text import pluralise
from rankscope.online.preference.confidence_sequence import Look
from rankscope.online.preference.settings import InterleavingTestSettings
from rankscope.typing import Floats

__all__ = [
    "InterleavingTest",
    "Preference",
    "Requirement",
]


class Requirement(NamedTuple):
    """What another experiment takes, at the spread of this log.

    Attributes
    ----------
    difference
        The true mean difference to be shown.
    n
        The impressions with clicks that show it with the power of the settings; None if no number does.
    n_clusters
        The units that these are.
    detectable
        The difference that an experiment of the size of this log shows with that power.
    """

    difference: float
    n: int | None
    n_clusters: int | None
    detectable: float


class Preference(NamedTuple):
    """Two systems.

    Attributes
    ----------
    system_a, system_b
        Their names.
    difference, low, high
        Mean outcome, above 0 where the first is better, with its interval.
    statistic
        t of the mean, or the number of units that the first won in a sign test; NaN for confidence sequences.
    pvalue, pvalue_corrected
        Two-sided, alone and corrected for all pairs.
    wins, ties, losses
        Impressions in which the first has more, as much, and less credit.
    n, n_clusters
        Impressions that count, and units.
    requirement
        What it takes to show a difference; None where the spread is not known.
    looks
        The confidence sequence, day by day.
    """

    system_a: str
    system_b: str
    difference: float
    low: float
    high: float
    statistic: float
    pvalue: float
    pvalue_corrected: float
    wins: int
    ties: int
    losses: int
    n: int
    n_clusters: int
    requirement: Requirement | None = None
    looks: tuple[Look, ...] = ()


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class InterleavingTest(Result):
    """Which of several interleaved systems users prefer; the result of `interleaving_test`.

    `frame()` is the tidy table: system_a, system_b, difference, low, high, statistic, pvalue, pvalue_corrected, wins,
    ties, losses, n, n_clusters.

    Attributes
    ----------
    systems
        Names of the systems.
    preferences
        A comparison for each two of them.
    credit
        (systems) mean credit for each impression that counts.
    method
        The method of interleaving.
    cluster_by, outcome
        Those of the settings, or what was chosen for this log.
    n_read, n_without_clicks, n_clicks
        Impressions of the log, those without clicks, and all clicks.
    has_days
        Whether the log says when impressions were.
    format_name
        The format of the log.
    settings
        The settings of the test.
    notes
        What a reader should know.
    """

    VIEW = "rankscope.online.preference.view:interleaving_test_sections"
    COLUMNS = Preference._fields[:13]

    systems: tuple[str, ...]
    preferences: tuple[Preference, ...]
    credit: Floats
    method: str
    cluster_by: str
    outcome: str
    n_read: int
    n_without_clicks: int
    n_clicks: int
    has_days: bool
    format_name: str
    settings: InterleavingTestSettings
    notes: tuple[str, ...]

    def records(self) -> Iterator[tuple[Any, ...]]:
        """A row for each two systems."""
        return (preference[:13] for preference in self.preferences)

    def signature_parts(self) -> list[str]:
        """The settings that change the numbers, and the size of the data."""
        settings = self.settings
        return [
            f"method:{self.method}",
            f"outcome:{self.outcome}",
            f"cluster_by:{self.cluster_by}",
            *settings.parts("no_clicks", "test"),
            *([f"correction:{settings.correction}"] if len(self.preferences) > 1 else []),
            *settings.parts("alpha"),
            *([f"resamples:{settings.n_resamples}", f"rng:{settings.seed}"] if settings.test == "bootstrap" else []),
            *([f"actions:{','.join(settings.actions)}"] if self.format_name == "ubi" else []),
            f"impressions:{self.n_read}",
        ]

    def contents(self) -> str:
        """What it holds, in a few words."""
        return f"{pluralise(len(self.systems), 'system')}, {pluralise(self.n_read, 'impression')}, {self.method}"
