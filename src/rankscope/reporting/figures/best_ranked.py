"""How people rank what each metric ranks best."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.errors import ParameterError
from rankscope.reporting.figures.colours import SERIES
from rankscope.reporting.figures.curves import cycle_looks
from rankscope.reporting.figures.error_tie import as_rates
from rankscope.reporting.figures.extra import altair
from rankscope.reporting.figures.inputs import as_names, cell, inline, number, truncation_note
from rankscope.reporting.figures.registry import figure
from rankscope.reporting.figures.style import Style, finish, name_labels

__all__ = ["rank_shares"]

#: More metrics than these make bars too thin; the height of the figure, in pixels.
MOST_SHARES, SHARES_HEIGHT = 8, 220


def shares_example(names: Sequence[str], queries: int, rng: np.random.Generator) -> dict[str, Any]:
    shares = rng.dirichlet(np.arange(5, 0, -1), len(names)) * 100
    return {"metrics": names, "ranks": [1, 2, 3, 4, 5], "shares": shares}


@figure(shares_example)
def rank_shares(
    *, metrics: Sequence[str], ranks: Sequence[float], shares: npt.ArrayLike, style: Style | None = None
) -> Any:
    """Bars: which rank people give to the item that a metric ranks best, a group of bars a rank, a bar a metric.

    ranks: in rising order. shares: (metrics, ranks) of all lists, in percent; NaN: no bar. The first 8 metrics are
    shown. Raises ParameterError for data that do not fit. Source: Avramidis (2013), best predicted vs human.
    """
    alt, style = altair(), style or Style()
    names = as_names(metrics, "metrics")
    places = np.asarray(ranks, np.float64)
    if places.ndim != 1 or not places.size or np.isnan(places).any() or (np.diff(places) <= 0).any():
        raise ParameterError("ranks are no rising numbers, expected each rank once, as 1, 2, 3")
    table = as_rates(shares, (len(names), places.size), "shares")
    kept, texts = names[:MOST_SHARES], [f"{rank:g}" for rank in places.tolist()]
    rows = [
        {"metric": name, "bar": i, "rank": text, "share": cell(share)}
        for i, (name, line) in enumerate(zip(kept, table, strict=False))
        for text, share in zip(texts, line.tolist(), strict=True)
        if not np.isnan(share)
    ]
    x = alt.X("rank:N").title("people's rank of what is ranked best").scale(domain=texts).sort(None)
    y = alt.Y("share:Q").title("lists (%)").scale(zero=True).stack(None)
    colour = alt.Color("metric:N").sort(None).scale(domain=kept, range=cycle_looks(SERIES, len(kept)))
    colour = colour.legend(alt.Legend(title=None, columns=2, labelExpr=name_labels(style)))
    tooltip = [
        alt.Tooltip("metric:N", title="metric"),
        alt.Tooltip("rank:N", title="people's rank"),
        alt.Tooltip("share:Q", title="lists (%)", format=".1f"),
    ]
    bars = alt.Chart(inline(rows)).mark_bar(aria=False, stroke=style.paper, strokeWidth=0.5)
    # By number: names would stand in an expression of Vega's.
    offset = {"xOffset": alt.XOffset("bar:O").scale(domain=list(range(len(kept))))} if len(kept) > 1 else {}
    said = "; ".join(
        f"{name} {number(line[0], 1)}%" for name, line in zip(kept, table, strict=False) if not np.isnan(line[0])
    )
    return finish(
        bars.encode(x=x.axis(labelAngle=0, ticks=False), y=y, color=colour, tooltip=tooltip, order="bar:O", **offset),
        title="How people rank what is ranked best",
        subtitle=["The more lists on the left, the better.", truncation_note(len(names), MOST_SHARES, "metrics")],
        description=f"Lists whose best item people rank {texts[0]}: {said or 'none'}.",
        style=style,
        height=SHARES_HEIGHT,
    )
