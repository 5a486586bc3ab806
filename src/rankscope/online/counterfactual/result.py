"""The result of counterfactual estimates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rankscope.data.result import Result
from rankscope.data.text import pluralise
from rankscope.online.counterfactual.settings import ClickEstimateSettings

__all__ = [
    "ClickEstimate",
    "ClickEstimates",
]


class ClickEstimate(NamedTuple):
    """The estimate of a system.

    Attributes
    ----------
    system
        Its name.
    clicks, low, high
        Clicks by impression, with the confidence interval; NaN where the log cannot tell.
    standard_error
        The standard error, by the jackknife over clusters.
    support
        Mean weight over the one that is expected: far from 1, the log does not show what the system would.
    n_effective
        How many impressions of one weight carry as much, at the rank where they are fewest.
    reason
        Why there is no estimate; "" if there is one.
    """

    system: str
    clicks: float
    low: float
    high: float
    standard_error: float
    support: float
    n_effective: float
    reason: str = ""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ClickEstimates(Result):
    """What users would have clicked in other rankings; the result of `estimate_clicks`.

    `frame()` is the tidy table: system, clicks, low, high, standard_error, support, n_effective. What cannot be
    estimated is null.

    Attributes
    ----------
    estimates
        One for each system.
    logged
        Clicks by impression of the log itself.
    is_frequency
        Whether propensities are the shares of the impressions of the log, which does not have any.
    cluster_by
        That of the settings, or what was chosen for this log.
    n, n_clusters
        Impressions and clusters.
    settings
        The settings.
    notes
        What a reader should know.
    """

    VIEW = "rankscope.online.counterfactual.view:click_estimate_sections"
    COLUMNS = ClickEstimate._fields[:7]

    estimates: tuple[ClickEstimate, ...]
    logged: float
    is_frequency: bool
    cluster_by: str
    n: int
    n_clusters: int
    settings: ClickEstimateSettings
    notes: tuple[str, ...]

    def records(self) -> Iterator[tuple[Any, ...]]:
        """A row for each system."""
        for estimate in self.estimates:
            yield estimate.system, *(None if np.isnan(value) else value for value in estimate[1:7])

    def signature_parts(self) -> list[str]:
        """The settings that change the numbers, and the size of the data."""
        settings = self.settings
        return [
            *settings.parts("estimator"),
            *([f"clip:{settings.largest_weight:g}"] if settings.largest_weight is not None else []),
            *settings.parts("cutoff"),
            f"propensity:{'frequency' if self.is_frequency else 'log'}",
            f"cluster_by:{self.cluster_by}",
            f"confidence:{settings.confidence_level:g}",
            f"impressions:{self.n}",
        ]

    def contents(self) -> str:
        """What it holds, in a few words."""
        return f"{pluralise(len(self.estimates), 'system')}, {pluralise(self.n, 'impression')}"
