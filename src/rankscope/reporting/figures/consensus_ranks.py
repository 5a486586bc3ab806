"""The ranks of a consensus with their intervals, the best on top."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.kernels.ties import order_of
from rankscope.reporting.figures.colours import BLUE
from rankscope.reporting.figures.extra import altair
from rankscope.reporting.figures.inputs import as_names, as_table, cell, inline, printable, truncation_note
from rankscope.reporting.figures.registry import figure
from rankscope.reporting.figures.style import Style, finish, name_labels
from rankscope.reporting.figures.systems import BAR_HEIGHT, MOST

__all__ = ["rank_intervals"]


def ranks_example(names: Sequence[str], queries: int, rng: np.random.Generator) -> dict[str, Any]:
    ranks = np.arange(1.0, len(names) + 1)
    return {"items": names, "ranks": ranks, "low": np.maximum(ranks - 1, 1), "high": ranks + rng.integers(1, 3)}


@figure(ranks_example)
def rank_intervals(
    *,
    items: Sequence[str],
    ranks: npt.ArrayLike,
    low: npt.ArrayLike,
    high: npt.ArrayLike,
    interval: str = "95 % interval",
    style: Style | None = None,
) -> Any:
    """Ranks of items as dots with their intervals, rank 1 on top and at the left.

    ranks, low, high: (items), 1 the best; NaN where there is none. interval: what the line is. The best 50 are shown.
    Raises ParameterError for data that do not fit.
    """
    alt, style = altair(), style or Style()
    names = as_names(items, "items")
    found = {"ranks": ranks, "low": low, "high": high}
    values, lows, highs = (as_table(given, (len(names),), what) for what, given in found.items())
    order = order_of(values).tolist()
    kept = [names[i] for i in order[:MOST]]
    rows = [
        {"item": names[i], "rank": cell(values[i]), "low": cell(lows[i]), "high": cell(highs[i])} for i in order[:MOST]
    ]
    y = alt.Y("item:N").title(None).scale(domain=kept).sort(None).axis(labelExpr=name_labels(style), ticks=False)
    scale = alt.Scale(zero=False, nice=False, padding=12)
    x = alt.X("rank:Q").title("rank").scale(scale).axis(tickMinStep=1)
    tooltip = [alt.Tooltip("item:N", title="item")]
    tooltip += [alt.Tooltip(f"{name}:Q", title=name, format=".4~g") for name in ("rank", "low", "high")]
    chart = alt.Chart(inline(rows))
    lines = chart.mark_rule(aria=False, strokeWidth=2, color=BLUE)
    dots = chart.mark_point(filled=True, size=75, opacity=1, stroke=style.paper, strokeWidth=1, fill=BLUE)
    said = ", ".join(names[i] for i in order[:5])
    return finish(
        alt.layer(
            lines.encode(y=y, x=alt.X("low:Q").title("rank").scale(scale), x2="high:Q"),
            dots.encode(y=y, x=x, tooltip=tooltip),
        ),
        title="Ranks of the consensus",
        subtitle=[
            f"Dot: rank. Line: {printable(interval)}.",
            truncation_note(len(names), MOST, "items").replace("first", "best"),
        ],
        description=f"Ranks of {len(names)} items, the best first: {said}{' and others' if len(order) > 5 else ''}.",
        style=style,
        height=BAR_HEIGHT * len(rows),
    )
