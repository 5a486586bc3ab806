"""Figures of curves: precision at levels of recall, a measure by cutoff, power by the number of queries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.errors import ParameterError
from rankscope.reporting.figures.inputs import as_names, as_table, cell, inline, printable, truncation_note
from rankscope.reporting.figures.marks import (
    LINE_HEIGHT,
    MAX_LINES,
    MAX_POINTS,
    describe_ends,
    draw_lines,
    evenly_spaced,
)
from rankscope.reporting.figures.registry import figure
from rankscope.reporting.figures.style import BLUE, VERMILLION, Style, altair, finish
from rankscope.stats.inputs import check_count, check_share

__all__ = [
    "gain_curve",
    "power_curve",
    "precision_recall",
]


@figure
def precision_recall(
    *,
    systems: Sequence[str],
    levels: npt.ArrayLike,
    precision: npt.ArrayLike,
    measure: str = "interpolated precision",
    style: Style | None = None,
) -> Any:
    """Precision at levels of recall, one line per system.

    Parameters
    ----------
    systems
        Names; the first 16 systems are shown.
    levels
        Levels of recall, in [0, 1].
    precision
        Precisions in [0, 1], (systems, levels).
    measure
        Title of the axis.
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
    names = as_names(systems, "systems")
    recall_levels = as_table(levels, (int(np.size(levels)),), "levels")
    table = as_table(precision, (len(names), recall_levels.size), "precision")
    shown_names = names[:MAX_LINES]
    texts = {"name": "system", "x": "recall", "of": [f"{level:g}" for level in recall_levels]}
    x = alt.X("x:Q").title("recall").scale(domain=[0, 1])
    y = alt.Y("y:Q").title(printable(measure)).scale(domain=[0, 1])
    return finish(
        draw_lines(alt, shown_names, recall_levels, table[: len(shown_names)], x, y, style, texts),
        title="Precision at levels of recall",
        subtitle=[truncation_note(len(names), MAX_LINES, "systems")],
        description=f"Precision at levels of recall. {describe_ends(shown_names, recall_levels, table, 'recall')}",
        style=style,
        height=LINE_HEIGHT,
    )


@figure
def gain_curve(
    *,
    systems: Sequence[str],
    ranks: npt.ArrayLike,
    gain: npt.ArrayLike,
    measure: str = "gain",
    style: Style | None = None,
) -> Any:
    """A measure by cutoff, as DCG or nDCG at each rank, one line per system.

    Parameters
    ----------
    systems
        Names; the first 16 systems are shown.
    ranks
        Ranks, rising.
    gain
        Values, (systems, ranks).
    measure
        Name of the measure.
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
    names = as_names(systems, "systems")
    rank_values = as_table(ranks, (int(np.size(ranks)),), "ranks")
    table = as_table(gain, (len(names), rank_values.size), "gain")
    shown_names = names[:MAX_LINES]
    texts = {"name": "system", "x": "rank", "of": [f"{rank:g}" for rank in rank_values]}
    x = alt.X("x:Q").title("rank").scale(zero=False, nice=False).axis(tickMinStep=1, format="~s")
    y = alt.Y("y:Q").title(printable(measure))
    return finish(
        draw_lines(alt, shown_names, rank_values, table[: len(shown_names)], x, y, style, texts),
        title=f"{printable(measure)} by rank",
        subtitle=[truncation_note(len(names), MAX_LINES, "systems")],
        description=f"{printable(measure)} by rank. {describe_ends(shown_names, rank_values, table, 'rank')}",
        style=style,
        height=LINE_HEIGHT,
    )


@figure
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
    """Statistical power by number of queries, with the number at hand, the number needed, and the target.

    Parameters
    ----------
    measure
        Name of the measure.
    n
        Numbers of queries, rising.
    power
        Power at each, in [0, 1].
    n_now, n_needed
        Numbers to mark; their power is read off the curve.
    target
        Power to be reached.
    difference
        True difference to be detected.
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
    check_share("target", target)
    n_queries = as_table(n, (int(np.size(n)),), "n")
    values = as_table(power, n_queries.shape, "power")
    if n_queries.size < 2 or not (np.diff(n_queries) > 0).all():
        raise ParameterError("n does not rise, expected at least 2 numbers of queries in rising order")
    rows = [{"n": cell(n_queries[i]), "power": cell(values[i])} for i in evenly_spaced(n_queries.size, MAX_POINTS)]
    marks: list[dict[str, Any]] = []
    for name, count in (("now", n_now), ("needed", n_needed)):
        if count is not None:
            check_count(f"n_{name}", count)
            power_at_count = float(np.interp(count, n_queries, values))
            marks.append({"is": name, "n": int(count), "power": cell(power_at_count), "text": f"{name}: {count:,}"})
    max_queries = max([float(n_queries[-1]), *(mark["n"] for mark in marks)])
    place_texts(marks, max_queries)
    x = alt.X("n:Q").title("queries").scale(domain=[0, max_queries], nice=True).axis(tickMinStep=1, format=",d")
    y = alt.Y("power:Q").title("power: probability of finding it").scale(domain=[0, 1])
    difference_text = f"a true difference of {difference:.4g} in" if difference is not None else "the difference in"
    now_sentences = [
        f"With {mark['n']:,} queries it would be found in {floor_percent(mark['power'])} of experiments."
        for mark in marks
        if mark["is"] == "now"
    ]
    needed_sentences = [
        f"{mark['n']:,} queries are needed for {target:.0%}." for mark in marks if mark["is"] == "needed"
    ]
    return finish(
        alt.layer(*layers(alt, rows, marks, (target, max_queries), x, y, style)),
        title=f"Probability of finding {difference_text} {printable(measure)}",
        subtitle=[" ".join([*now_sentences, *needed_sentences])],
        description=" ".join(
            [
                f"Power for {difference_text} {printable(measure)} by number of queries.",
                *now_sentences,
                *needed_sentences,
            ]
        ),
        style=style,
        height=260,
    )


def floor_percent(power: float) -> str:
    """A chance in whole percent, rounded down."""
    return f"{int(100 * power + 1e-9)}%"


def place_texts(marks: list[dict[str, Any]], max_queries: float) -> None:
    """Set the place of each mark's text: a concave rising curve leaves room right below it, and left above it."""
    min_queries = min((mark["n"] for mark in marks), default=0)
    for mark in marks:
        has_room_right = mark["n"] <= 0.7 * max_queries
        is_below = mark["n"] == min_queries and (len(marks) == 2 or has_room_right)
        mark["place"] = ("right below" if has_room_right else "left below") if is_below else "left above"


PLACES: dict[str, dict[str, Any]] = {
    "right below": {"align": "left", "dx": 10, "dy": 14},
    "left below": {"align": "right", "dx": 4, "dy": 20},
    "left above": {"align": "right", "dx": -8, "dy": -12},
}


def layers(
    alt: Any, rows: Any, marks: list[dict[str, Any]], limits: tuple[float, float], x: Any, y: Any, style: Style
) -> list[Any]:
    """The curve, its marks and the line of the target power. limits: the target power, the end of the x axis."""
    target, max_queries = limits
    tooltip = [alt.Tooltip("n:Q", title="queries", format=","), alt.Tooltip("power:Q", title="power", format=".3f")]
    kinds = ["now", "needed"]
    fill = alt.Fill("is:N").legend(None).scale(domain=kinds, range=[VERMILLION, BLUE])
    shape = alt.Shape("is:N").legend(None).scale(domain=kinds, range=["circle", "diamond"])
    target_chart = alt.Chart(inline([{"power": target, "text": f"wanted: {target:g}"}]))
    points = alt.Chart(inline(marks))
    # The label of the target is above its line at the left, or below it at the right where a mark is in its way.
    target_label: dict[str, Any] = {"x": 0, "look": {"align": "left", "baseline": "bottom", "dx": 4, "dy": -3}}
    if any(
        mark["is"] == "needed" and mark["place"] == "left above" and mark["n"] < 0.55 * max_queries for mark in marks
    ):
        target_label = {"x": {"expr": "width"}, "look": {"align": "right", "baseline": "top", "dx": -4, "dy": 4}}
    charts = [
        target_chart.mark_rule(aria=False, strokeDash=[4, 3], opacity=0.7).encode(y=y),
        target_chart.mark_text(aria=False, **target_label["look"]).encode(
            x=alt.value(target_label["x"]), y=y, text=alt.Text("text:N")
        ),
        alt.Chart(inline(rows)).mark_line(aria=False, strokeWidth=2, color=BLUE).encode(x=x, y=y),
        points.mark_point(filled=True, size=110, opacity=1, stroke=style.paper, strokeWidth=1).encode(
            x=x, y=y, fill=fill, shape=shape, tooltip=tooltip
        ),
    ]
    for place, look in PLACES.items():
        placed_marks = [mark for mark in marks if mark["place"] == place]
        if placed_marks:
            charts.append(
                alt.Chart(inline(placed_marks)).mark_text(aria=False, **look).encode(x=x, y=y, text=alt.Text("text:N"))
            )
    return charts
