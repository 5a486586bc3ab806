"""The view of what clicks say of ranks and documents."""

from __future__ import annotations

import numpy as np

from rankscope.data.columns import column, digits, interval, percent, table_of, thousands
from rankscope.data.section import Section
from rankscope.data.text import format_number, format_percent, pluralise
from rankscope.online.click_log.settings import BIAS
from rankscope.online.click_log.summary import ClickSummary

__all__ = [
    "click_summary_sections",
]


def click_summary_sections(result: ClickSummary) -> list[Section]:
    """Clicks by rank, and the judgments."""
    bias = result.bias
    rows = list(result.records())
    is_linked = np.isfinite(bias.bias)
    level = format_percent(result.settings.confidence_level)
    moved = pluralise(bias.n_moved, "document")
    if is_linked.sum() > 1:
        last = int(np.flatnonzero(is_linked)[-1])
        sentence = (
            f"{moved} of queries were shown at several ranks and clicked. By these, rank {last + 1} is examined "
            f"{format_number(bias.bias[last], 2)} times as often as rank 1."
        )
    else:
        sentence = (
            f"{moved} of queries were shown at several ranks and clicked: too few to tell how often each rank is "
            "examined. Lists that differ from impression to impression, as those of probabilistic interleaving, say it."
        )
    notes = ["bias: how likely a rank is examined, over rank 1; from documents that were shown at several ranks"]
    if not is_linked.all():
        notes.append("-: no document links the rank to rank 1")
    by_rank = Section(
        title="Clicks by rank",
        sentence=sentence,
        table=table_of(
            column("rank", [row[0] for row in rows]),
            column("impressions", [row[1] for row in rows], thousands),
            column("clicks", [row[2] for row in rows], thousands),
            column("click-through", [row[3] for row in rows], percent(1)),
            column("bias", bias.bias, digits()),
            column(f"{level} interval", zip(bias.low, bias.high, strict=True), interval()),
        ),
        notes=tuple(notes),
    )
    return [by_rank, judgment_section(result)]


def judgment_section(result: ClickSummary) -> Section:
    """What the judgments are."""
    settings, grades = result.settings, result.grade
    n_queries = np.unique(result.query).size
    unit = (
        "how likely it is clicked at rank 1"
        if settings.expected == BIAS
        else "its clicks over those of the mean document"
    )
    sentence = (
        f"{pluralise(grades.size, 'document')} of {pluralise(n_queries, 'query', 'queries')} have at least "
        f"{pluralise(settings.min_impressions, 'impression')}, of {result.n_pairs:,} that were shown. "
        f"Their grade is {unit}"
    )
    if grades.size:
        low, middle, high = np.quantile(grades, (0, 0.5, 1)).tolist()
        sentence += f": from {format_number(low, 2)} to {format_number(high, 2)}, the median {format_number(middle, 2)}"
    return Section(title="Judgments from clicks", sentence=f"{sentence}.")
