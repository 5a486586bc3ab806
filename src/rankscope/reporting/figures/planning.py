"""How probably a difference is found, by the number of queries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.errors import ParameterError
from rankscope.reporting.figures.colours import BLUE, VERMILLION
from rankscope.reporting.figures.curves import MOST_POINTS, thinned
from rankscope.reporting.figures.extra import altair
from rankscope.reporting.figures.inputs import as_table, cell, inline, printable
from rankscope.reporting.figures.registry import figure
from rankscope.reporting.figures.style import Style, finish
from rankscope.stats.inputs import check_count, check_share

__all__ = ["power_curve"]


def example(names: Sequence[str], queries: int, rng: np.random.Generator) -> dict[str, Any]:
    n = np.arange(2, 100)
    return {"measure": names[0], "n": n, "power": 1 - 0.98**n, "n_now": max(queries, 1), "n_needed": 80}


@figure(example)
def power_curve(
    *,
    measure: str,
    n: npt.ArrayLike,
    power: npt.ArrayLike,
    n_now: int | None = None,
    n_needed: int | None = None,
    target: float = 0.8,
    difference: float | None = None,
    style: Style | None = None,
) -> Any:
    """Power by number of queries, with the number there is, the number needed, and the power that is wanted.

    n: rising numbers of queries. power: at each, in [0, 1]. n_now, n_needed: shown where they are given; their power is
    read off the curve. difference: the true difference that is to be found. Raises ParameterError for data that do not
    fit.
    """
    alt, style = altair(), style or Style()
    check_share("target", target)
    counts = as_table(n, (int(np.size(n)),), "n")
    values = as_table(power, counts.shape, "power")
    if counts.size < 2 or not (np.diff(counts) > 0).all():
        raise ParameterError("n does not rise, expected at least 2 numbers of queries in rising order")
    rows = [{"n": cell(counts[i]), "power": cell(values[i])} for i in thinned(counts.size, MOST_POINTS)]
    marks: list[dict[str, Any]] = []
    for name, count in (("now", n_now), ("needed", n_needed)):
        if count is not None:
            check_count(f"n_{name}", count)
            at = float(np.interp(count, counts, values))
            marks.append({"is": name, "n": int(count), "power": cell(at), "text": f"{name}: {count:,}"})
    most = max([float(counts[-1]), *(mark["n"] for mark in marks)])
    place_texts(marks, most)
    x = alt.X("n:Q").title("queries").scale(domain=[0, most], nice=True).axis(tickMinStep=1, format=",d")
    y = alt.Y("power:Q").title("power: chance to find it").scale(domain=[0, 1])
    found = f"a true difference of {difference:.4g} in" if difference is not None else "the difference in"
    now = [
        f"With {m['n']:,} queries it would be found in {floored(m['power'])} of experiments."
        for m in marks
        if m["is"] == "now"
    ]
    needed = [f"{m['n']:,} queries are needed for {target:.0%}." for m in marks if m["is"] == "needed"]
    return finish(
        alt.layer(*layers(alt, rows, marks, (target, most), x, y, style)),
        title=f"How probably {found} {printable(measure)} is found",
        subtitle=[" ".join([*now, *needed])],
        description=" ".join([f"Power for {found} {printable(measure)} by number of queries.", *now, *needed]),
        style=style,
        height=260,
    )


def floored(power: float) -> str:
    """A chance in whole percent, never more than it is, as sentences say it."""
    return f"{int(100 * power + 1e-9)}%"


def place_texts(marks: list[dict[str, Any]], most: float) -> None:
    """Where the text of a mark stands: a curve that rises ever less leaves room right below it, and left above it."""
    low = min((mark["n"] for mark in marks), default=0)
    for mark in marks:
        only_right = mark["n"] <= 0.7 * most
        below = mark["n"] == low and (len(marks) == 2 or only_right)
        mark["place"] = ("right below" if only_right else "left below") if below else "left above"


PLACES: dict[str, dict[str, Any]] = {
    "right below": {"align": "left", "dx": 10, "dy": 14},
    "left below": {"align": "right", "dx": 4, "dy": 20},
    "left above": {"align": "right", "dx": -8, "dy": -12},
}


def layers(
    alt: Any, rows: Any, marks: list[dict[str, Any]], lines: tuple[float, float], x: Any, y: Any, style: Style
) -> list[Any]:
    """lines: the power that is wanted, the end of the axis of queries."""
    target, most = lines
    tooltip = [alt.Tooltip("n:Q", title="queries", format=","), alt.Tooltip("power:Q", title="power", format=".3f")]
    kinds = ["now", "needed"]
    fill = alt.Fill("is:N").legend(None).scale(domain=kinds, range=[VERMILLION, BLUE])
    shape = alt.Shape("is:N").legend(None).scale(domain=kinds, range=["circle", "diamond"])
    dashed = alt.Chart(inline([{"power": target, "text": f"wanted: {target:g}"}]))
    points = alt.Chart(inline(marks))
    # What is wanted is written above its line at the left, or below it at the right where the left is taken.
    free: dict[str, Any] = {"x": 0, "look": {"align": "left", "baseline": "bottom", "dx": 4, "dy": -3}}
    if any(mark["is"] == "needed" and mark["place"] == "left above" and mark["n"] < 0.55 * most for mark in marks):
        free = {"x": {"expr": "width"}, "look": {"align": "right", "baseline": "top", "dx": -4, "dy": 4}}
    drawn = [
        dashed.mark_rule(aria=False, strokeDash=[4, 3], opacity=0.7).encode(y=y),
        dashed.mark_text(aria=False, **free["look"]).encode(x=alt.value(free["x"]), y=y, text="text:N"),
        alt.Chart(inline(rows)).mark_line(aria=False, strokeWidth=2, color=BLUE).encode(x=x, y=y),
        points.mark_point(filled=True, size=110, opacity=1, stroke=style.paper, strokeWidth=1).encode(
            x=x, y=y, fill=fill, shape=shape, tooltip=tooltip
        ),
    ]
    for place, look in PLACES.items():
        some = [mark for mark in marks if mark["place"] == place]
        if some:
            drawn.append(alt.Chart(inline(some)).mark_text(aria=False, **look).encode(x=x, y=y, text="text:N"))
    return drawn
