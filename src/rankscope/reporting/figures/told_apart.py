"""How many pairs of systems each measure tells apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.data.wording import join_names
from rankscope.errors import ParameterError
from rankscope.kernels.ties import order_of
from rankscope.reporting.figures.colours import SERIES
from rankscope.reporting.figures.curves import SHAPES
from rankscope.reporting.figures.error_tie import as_rates
from rankscope.reporting.figures.extra import altair
from rankscope.reporting.figures.inputs import as_names, cell, inline, number, printable, truncation_note
from rankscope.reporting.figures.level_axis import as_levels
from rankscope.reporting.figures.registry import figure
from rankscope.reporting.figures.style import Style, finish, name_labels

__all__ = ["asl_rates"]

#: More rows than these are no figure any more; more levels than these have no colour of their own.
MOST_MEASURES, MOST_LEVELS = 50, 6
#: Room of a level in a row, least room of a row, and what is free between rows, in pixels.
LEVEL, ROW, FREE = 11, 24, 8
#: The level by which measures are sorted is the one nearest to this.
USUAL = 0.05


def rates_example(names: Sequence[str], queries: int, rng: np.random.Generator) -> dict[str, Any]:
    rates = np.sort(rng.uniform(20, 90, (len(names), 2)), axis=1)
    return {"measures": names, "levels": [0.01, 0.05], "rates": rates, "lows": rates - 8, "highs": rates + 8}


@figure(rates_example)
def asl_rates(
    *,
    measures: Sequence[str],
    levels: Sequence[float],
    rates: npt.ArrayLike,
    lows: npt.ArrayLike | None = None,
    highs: npt.ArrayLike | None = None,
    interval: str = "95% interval",
    style: Style | None = None,
) -> Any:
    """The share of the pairs of systems that each measure tells apart, with intervals: the most sensitive on top.

    levels: of significance, at most 6, each with its own colour and symbol. rates, lows, highs: (measures, levels) in
    percent; NaN: nothing is drawn. Rows are sorted by the rate at the level nearest to .05; measures without one come
    last. The top 50 measures are shown. Raises ParameterError for data that do not fit.
    """
    alt, style = altair(), style or Style()
    names = as_names(measures, "measures")
    # The rows of the table follow the levels, however they are given.
    rising = as_levels(levels, MOST_LEVELS)
    if not rising:
        raise ParameterError("levels is empty, expected at least 1 level of significance")
    columns = [[float(level) for level in levels].index(level) for level in rising]
    shape = (len(names), len(rising))
    table = as_rates(rates, shape, "rates")[:, columns]
    ends = [
        table if end is None else as_rates(end, shape, what)[:, columns]
        for end, what in ((lows, "lows"), (highs, "highs"))
    ]
    first = int(np.argmin([abs(level - USUAL) for level in rising]))
    order = order_of(-table[:, first])[:MOST_MEASURES].tolist()
    texts = [f"{level:g}" for level in rising]
    rows = [
        {
            "measure": names[i],
            "level": texts[k],
            "rate": cell(table[i, k]),
            **{what: cell(end[i, k]) for what, end in zip(("low", "high"), ends, strict=True)},
        }
        for i in order
        for k in range(len(rising))
        if not np.isnan(table[i, k])
    ]
    intervals = lows is not None or highs is not None
    kept = [names[i] for i in order]
    said = join_names(f"{names[i]} {number(table[i, first], 1)}%" for i in order if not np.isnan(table[i, first]))
    return finish(
        alt.layer(*rate_layers(alt, rows, kept, texts, intervals, style)),
        title="How many pairs of systems each measure tells apart",
        subtitle=[
            f"{symbols(len(rising), texts[first])}{f' Line: {printable(interval)}.' if intervals else ''}",
            truncation_note(len(names), MOST_MEASURES, "measures").replace("first", "top"),
        ],
        description=f"Pairs of systems told apart at level {texts[first]}, by measure: {said or 'none'}.",
        style=style,
        height=max(ROW, LEVEL * len(rising) + FREE) * len(kept),
    )


def symbols(count: int, level: str) -> str:
    """What the caption says of the symbols."""
    if count == 1:
        return f"Share of the pairs that differ significantly at level {level}."
    return f"Share of the pairs that differ significantly, sorted at level {level}."


def rate_layers(
    alt: Any, rows: list[dict[str, Any]], names: list[str], levels: list[str], intervals: bool, style: Style
) -> list[Any]:
    several = len(levels) > 1
    y = alt.Y("measure:N").title(None).scale(domain=names).sort(None)
    y = y.axis(labelExpr=name_labels(style), ticks=False, grid=True)
    title = "pairs told apart (%)"
    x = alt.X("rate:Q").title(title).scale(domain=[0, 100])
    room = {"columns": 3} if style.narrowest < 560 and len(levels) > 4 else {}
    legend = alt.Legend(title="significance level", symbolSize=110, symbolStrokeWidth=0, **room) if several else None
    looks = [list(some[: len(levels)]) for some in (SERIES, SHAPES)]
    colour = alt.Color("level:N").sort(None).legend(legend).scale(domain=levels, range=looks[0])
    shape = alt.Shape("level:N").sort(None).legend(legend).scale(domain=levels, range=looks[1])
    offset = alt.YOffset("level:N").sort(None).scale(domain=levels, paddingOuter=0.5)
    place = {"y": y, "yOffset": offset} if several else {"y": y}
    tooltip = [
        alt.Tooltip("measure:N", title="measure"),
        alt.Tooltip("level:N", title="level"),
        alt.Tooltip("rate:Q", title=title, format=".1f"),
    ]
    data = alt.Chart(inline(rows))
    drawn = []
    if intervals:
        tooltip += [alt.Tooltip(f"{end}:Q", title=end, format=".1f") for end in ("low", "high")]
        rules = data.transform_filter("isValid(datum.low) && isValid(datum.high)").mark_rule(aria=False, strokeWidth=2)
        drawn.append(rules.encode(**place, x=alt.X("low:Q").title(title), x2="high:Q", color=colour))
    dots = data.mark_point(aria=False, filled=True, size=60, opacity=1, stroke=style.paper, strokeWidth=0.6)
    return [*drawn, dots.encode(**place, x=x, shape=shape, color=colour, tooltip=tooltip)]
