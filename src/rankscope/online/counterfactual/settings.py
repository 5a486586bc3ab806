"""The settings of counterfactual estimates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rankscope.online.logs import ACTIONS
from rankscope.online.preference import CLUSTERS
from rankscope.settings import (
    POSITIVE,
    Settings,
    choice,
    confidence_field,
    count,
    name_list,
    needs,
    number,
    table_columns,
)
from rankscope.stats.inverse_propensity import ESTIMATORS

__all__ = [
    "CLIPPED",
    "ClickEstimateSettings",
]


CLIPPED = "clipped"
#: The largest weight of the clipped estimator by default.
CLIP = 10.0


@dataclass(frozen=True, kw_only=True)
class ClickEstimateSettings(Settings):
    """What users would have clicked; see `rankscope.online.estimate_clicks`."""

    FUNCTIONS = ("rankscope.online:estimate_clicks",)
    COMMANDS = ("counterfactual",)

    estimator: str = choice(
        "snips",
        ESTIMATORS,
        help="Estimator: inverse propensities (ips), self-normalised (snips), with weights up to a limit (clipped), or "
        "doubly robust (dr).",
    )
    clip: float | None = number(
        None,
        rule=POSITIVE,
        help="For clipped: the largest weight.",
        unset=f"{CLIP:g}",
        depends=needs(estimator=CLIPPED),
    )
    cutoff: int = count(10, help="Ranks that count, from the first.")
    cluster_by: str | None = choice(
        None,
        CLUSTERS,
        help="What is independent of each other: impressions of one user, session or query are a cluster.",
        unset="user or else session, if the log has them; else impression",
    )
    confidence_level: float = confidence_field()
    actions: tuple[str, ...] = name_list(ACTIONS, help="Actions of UBI events that count as clicks.")
    columns: Mapping[str, str] | None = table_columns(
        {"user": "visitor", "propensity": "pscore"},
        help="Names of columns in the log and in the lists, where NAME is query, user, session, list, clicks, "
        "documents or propensity.",
    )

    @property
    def largest_weight(self) -> float | None:
        """The largest weight of the clipped estimator; None for others."""
        return (self.clip or CLIP) if self.estimator == CLIPPED else None
