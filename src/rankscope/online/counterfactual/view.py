"""The view of counterfactual estimates."""

from __future__ import annotations

from rankscope.data.columns import column, digits, interval, table_of, thousands
from rankscope.data.section import Section
from rankscope.data.text import format_number, format_percent, pluralise
from rankscope.online.counterfactual.result import ClickEstimates
from rankscope.online.logs import IMPRESSION
from rankscope.online.preference import pluralise_clusters
from rankscope.stats.inverse_propensity import ESTIMATORS

__all__ = [
    "click_estimate_sections",
]


def click_estimate_sections(result: ClickEstimates) -> list[Section]:
    """Clicks by impression of each system."""
    rows, settings = result.estimates, result.settings
    clusters = (
        "" if result.cluster_by == IMPRESSION else f" of {pluralise_clusters(result.n_clusters, result.cluster_by)}"
    )
    ranks = f"at the first {pluralise(settings.cutoff, 'rank')}"
    estimated = [row for row in rows if not row.reason]
    sentence = (
        f"In {pluralise(result.n, 'impression')}{clusters}, users clicked {format_number(result.logged)} times by "
        f"impression {ranks}."
    )
    if estimated:
        best = max(estimated, key=lambda row: row.clicks)
        sentence += f" With {best.system} it would have been {format_number(best.clicks)}."
    else:
        sentence += " The log cannot tell what it would have been with other rankings."
    notes = [
        f"estimator: {ESTIMATORS[settings.estimator]}",
        "support: how often the log shows what the system would, over what is expected; 1 if nothing is missing",
        *(
            ["propensities: the share of the impressions of a query in which a document stood at a rank"]
            if result.is_frequency
            else []
        ),
        *(f"{row.system} has no estimate: {row.reason}" for row in rows if row.reason),
    ]
    return [
        Section(
            title="Clicks that other rankings would get",
            sentence=sentence,
            table=table_of(
                column("system", [row.system for row in rows], name=True),
                column("clicks by impression", [row.clicks for row in rows], digits()),
                column(
                    f"{format_percent(settings.confidence_level)} interval",
                    [(row.low, row.high) for row in rows],
                    interval(),
                ),
                column("support", [row.support for row in rows], digits(2)),
                column("effective impressions", [round(row.n_effective) for row in rows], thousands),
            ),
            notes=tuple(notes),
        )
    ]
