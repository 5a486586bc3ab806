"""Figures of experiments with users: the difference of two systems, day by day."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy.typing as npt

from rankscope.errors import ParameterError
from rankscope.reporting.figures.inputs import as_names, as_table, cell, inline, number, printable, shorten
from rankscope.reporting.figures.marks import evenly_spaced
from rankscope.reporting.figures.registry import figure
from rankscope.reporting.figures.style import BLUE, Style, altair, finish

__all__ = [
    "confidence_sequence",
]


#: At most so many days are drawn.
MAX_DAYS = 120
HEIGHT = 260


@figure
def confidence_sequence(
    *,
    days: Sequence[str],
    means: npt.ArrayLike,
    low: npt.ArrayLike,
    high: npt.ArrayLike,
    pair: Sequence[str],
    style: Style | None = None,
) -> Any:
    """The mean difference of two systems up to each day, with an interval that holds on all days at once.

    Parameters
    ----------
    days
        The days, as 2026-03-01; at most 120 are drawn.
    means, low, high
        Mean and ends of the interval after each day, (days).
    pair
        The two systems; above 0 the first is better.
    style
        Width and ground of the figure.

    Returns
    -------
    Chart
        An Altair chart.

    Raises
    ------
    ParameterError
        The data do not fit.
    """
    alt, style = altair(), style or Style()
    names = as_names(days, "days")
    columns = [
        as_table(values, (len(names),), name) for values, name in ((means, "means"), (low, "low"), (high, "high"))
    ]
    if len(pair) != 2:
        raise ParameterError(f"pair has {len(pair)} names, expected 2")
    first, second = (shorten(printable(name)) for name in pair)
    drawn_days = evenly_spaced(len(names), MAX_DAYS).tolist()
    rows = [
        {"day": names[i], "mean": cell(columns[0][i]), "low": cell(columns[1][i]), "high": cell(columns[2][i])}
        for i in drawn_days
    ]
    order = [row["day"] for row in rows]
    x = alt.X("day:O").title(None).sort(None).scale(domain=order).axis(labelAngle=-60, labelOverlap=True)
    title = "difference, up to the day"
    tooltip = [
        alt.Tooltip("day:N", title="day"),
        *(alt.Tooltip(f"{name}:Q", title=name, format=".4f") for name in ("mean", "low", "high")),
    ]
    base = alt.Chart(inline(rows))
    band = base.mark_bar(aria=False, color=BLUE, opacity=0.3, width=6).encode(
        x=x, y=alt.Y("low:Q").title(title), y2=alt.Y2("high:Q"), tooltip=tooltip
    )
    points = base.mark_point(aria=False, filled=True, size=45, opacity=1, color=BLUE).encode(
        x=x, y=alt.Y("mean:Q").title(title), tooltip=tooltip
    )
    zero = (
        alt.Chart(inline([{"zero": 0}])).mark_rule(aria=False, color=style.ink).encode(y=alt.Y("zero:Q").title(title))
    )
    description = (
        f"Difference of {first} and {second} after {len(names)} days: {number(columns[0][-1])}, interval "
        f"{number(columns[1][-1])} to {number(columns[2][-1])}."
    )
    below = [f"Above 0: {first} is preferred. The interval holds on all days at once."]
    return finish(
        alt.layer(zero, band, points),
        title=f"{first} against {second}, day by day",
        subtitle=below,
        description=description,
        style=style,
        height=HEIGHT,
    )
