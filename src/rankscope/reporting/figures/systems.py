"""Figures of systems side by side: leaderboard, distribution of scores by query, intervals of ranks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.errors import ParameterError
from rankscope.kernels.rounding_ties import order_of
from rankscope.reporting.figures.inputs import (
    as_names,
    as_table,
    cell,
    inline,
    number,
    printable,
    shorten,
    truncation_note,
)
from rankscope.reporting.figures.registry import figure
from rankscope.reporting.figures.style import BLUE, VERMILLION, Style, altair, finish, name_labels
from rankscope.typing import Floats

__all__ = [
    "MAX_ROWS",
    "distribution",
    "leaderboard",
    "rank_intervals",
]


#: At most so many rows are drawn.
MAX_ROWS = 50
#: The height of a row in pixels.
BAR_HEIGHT = 22


@figure
def leaderboard(
    *,
    systems: Sequence[str],
    means: npt.ArrayLike,
    measure: str,
    low: npt.ArrayLike | None = None,
    high: npt.ArrayLike | None = None,
    letters: Sequence[str] | None = None,
    baseline: str | None = None,
    higher_is_better: bool | None = True,
    interval: str = "95% interval",
    note: str = "",
    dot: str = "mean over queries",
    digits: int = 4,
    style: Style | None = None,
) -> Any:
    """Means of systems as dots with their intervals, the best on top; the mean and the letters on the right.

    Parameters
    ----------
    systems
        Names; the best 50 systems are shown.
    means
        Means, (systems); a system with NaN is last.
    measure
        Name of the measure.
    low, high
        Ends of the intervals.
    letters
        Text after each mean, as letters of significance.
    baseline
        System that is shown as a square with a dashed line.
    higher_is_better
        Direction of the measure.
    interval
        What the interval is.
    note
        What the letters mean.
    dot
        What the dots are.
    digits
        Decimals of the means.
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
    values = as_table(means, (len(names),), "means")
    interval_ends = [
        values if end is None else as_table(end, values.shape, argument)
        for end, argument in ((low, "low"), (high, "high"))
    ]
    letter_texts = [""] * len(names) if letters is None else [printable(text) for text in letters]
    if len(letter_texts) != len(names):
        raise ParameterError(f"letters has {len(letter_texts)} texts, expected {len(names)}, to fit the names")
    baseline_name = None if baseline is None else printable(baseline)
    if baseline_name is not None and baseline_name not in names:
        raise ParameterError(f"the baseline {shorten(baseline_name)!r} is not among the systems")
    order = [int(i) for i in order_of(values if higher_is_better is False else -values)]
    rows = [
        {
            "system": names[i],
            "mean": cell(values[i]),
            "low": cell(interval_ends[0][i]),
            "high": cell(interval_ends[1][i]),
            "is": "baseline" if names[i] == baseline_name else "system",
            # Two rows may have the same text, but keys of a scale must differ.
            "text": f"{position}|{number(values[i], digits)} {letter_texts[i]}".rstrip(),
        }
        for position, i in enumerate(order[:MAX_ROWS])
    ]
    baseline_mean = None if baseline_name is None else cell(values[names.index(baseline_name)])
    has_intervals = low is not None or high is not None
    summary = ", ".join(f"{names[i]} {number(values[i], digits)}" for i in order[:5])
    dot_note = f"Dot: {printable(dot)}."
    return finish(
        dots(alt, rows, has_intervals, baseline_mean, printable(measure), style, f".{digits}f"),
        title=f"Systems by {printable(measure)}",
        subtitle=[
            f"{dot_note} Line: {printable(interval)}." if has_intervals else dot_note,
            "" if baseline_name is None else f"Square and dashed line: the baseline {shorten(baseline_name)}.",
            printable(note),
            truncation_note(len(names), MAX_ROWS, "systems").replace("first", "best"),
        ],
        description=f"Systems by {printable(measure)}: {summary}{' and others' if len(order) > 5 else ''}.",
        style=style,
        height=BAR_HEIGHT * len(rows),
    )


def dots(
    alt: Any, rows: list[Any], has_intervals: bool, baseline_mean: float | None, measure: str, style: Style, digits: str
) -> Any:
    """Dots with intervals, one row for each system. digits: format of the numbers in tooltips."""
    shown_names = [row["system"] for row in rows]
    y = (
        alt.Y("system:N")
        .title(None)
        .scale(domain=shown_names)
        .sort(None)
        .axis(labelExpr=name_labels(style), ticks=False)
    )
    scale = alt.Scale(zero=False, nice=True)
    x = alt.X("mean:Q").title(measure).scale(scale)
    tooltip = [alt.Tooltip("system:N", title="system"), alt.Tooltip("mean:Q", title="mean", format=digits)]
    layers = []
    if has_intervals:
        tooltip += [alt.Tooltip(f"{end}:Q", title=end, format=digits) for end in ("low", "high")]
        interval_lines = alt.Chart().mark_rule(aria=False, strokeWidth=2, color=BLUE)
        layers.append(interval_lines.encode(y=y, x=alt.X("low:Q").title(measure).scale(scale), x2=alt.X2("high:Q")))
    if baseline_mean is not None:
        dashes = alt.Chart(inline([{"mean": baseline_mean}])).mark_rule(aria=False, strokeDash=[4, 3], opacity=0.7)
        layers.append(dashes.encode(x=x))
    kinds = ["system", "baseline"]
    shape = alt.Shape("is:N").scale(domain=kinds, range=["circle", "square"]).legend(None)
    fill = alt.Fill("is:N").scale(domain=kinds, range=[BLUE, VERMILLION]).legend(None)
    points = alt.Chart().mark_point(filled=True, size=75, opacity=1, stroke=style.paper, strokeWidth=1)
    layers.append(points.encode(y=y, x=x, shape=shape, fill=fill, tooltip=tooltip))
    # The numbers at the right are the labels of a second axis, which takes the width that it needs.
    label_expression = "slice(datum.label, indexof(datum.label, '|') + 1)"
    right_axis = alt.Axis(orient="right", labelExpr=label_expression, ticks=False, domain=False, grid=False)
    mean_texts = alt.Y("text:N").title(None).scale(domain=[row["text"] for row in rows]).sort(None).axis(right_axis)
    numbers = alt.Chart().mark_point(opacity=0, aria=False).encode(y=mean_texts)
    return alt.layer(alt.layer(*layers), numbers, data=inline(rows)).resolve_scale(y="independent")


#: Heights of a row and of the shape in it, and offsets of the shape and of the marks from the row's middle, in pixels.
STRIP_HEIGHT, SHAPE_HEIGHT, SHAPE_OFFSET, MARKS_OFFSET = 44, 26, 8, 14
#: Fewest and most classes of the histogram.
CLASS_LIMITS = (10, 30)


@figure
def distribution(*, measure: str, systems: Sequence[str], values: npt.ArrayLike, style: Style | None = None) -> Any:
    """How the values of each system are spread over the queries: a shape, and below it middle half, median and mean.

    Parameters
    ----------
    measure
        Name of the measure.
    systems
        Names; the first 50 systems are shown, in the given order.
    values
        Values, (systems, queries), NaN if there is none.
    style
        Width and ground of the figure.

    Returns
    -------
    Chart
        An Altair chart. The shape is a histogram of 10 to 30 equal classes, by the number of queries: nothing is
        smoothed, and a peak at 0 stays one. All shapes have one scale.

    Raises
    ------
    ParameterError
        The data do not fit.
    """
    alt, style = altair(), style or Style()
    names = as_names(systems, "systems")
    shown_names = names[:MAX_ROWS]
    if np.ndim(values) != 2:
        raise ParameterError(f"values has shape {np.shape(values)}, expected (systems, queries)")
    table = as_table(values, (len(names), np.shape(values)[1]), "values")[: len(shown_names)]
    edges = class_edges(table)
    mark_rows = [mark_row(name, system_values) for name, system_values in zip(shown_names, table, strict=True)]
    shapes = [
        row
        for name, system_values in zip(shown_names, table, strict=True)
        for row in shape_rows(name, system_values, edges)
    ]
    y = (
        alt.Y("system:N")
        .title(None)
        .scale(domain=shown_names, padding=0)
        .sort(None)
        .axis(labelExpr=name_labels(style), ticks=False)
    )
    medians = (number(np.nan if mark["median"] is None else mark["median"]) for mark in mark_rows)
    summary = "; ".join(f"{name} median {median}" for name, median in zip(shown_names[:5], medians, strict=False))
    return finish(
        alt.layer(*layers(alt, shapes, mark_rows, y, printable(measure), edges, style)),
        title=f"{printable(measure)} by query",
        subtitle=[
            "Shape: share of the queries. Line: the middle half of them. Tick: median. Diamond: mean.",
            truncation_note(len(names), MAX_ROWS, "systems"),
        ],
        description=f"Distribution of {printable(measure)} over {table.shape[1]} queries: {summary}.",
        style=style,
        height=STRIP_HEIGHT * len(shown_names),
    )


def class_edges(table: Floats) -> Floats:
    """The edges of the histogram's classes: over [0, 1] where all values are in it, else over their range."""
    present = table[~np.isnan(table)]
    low, high = (float(present.min()), float(present.max())) if present.size else (0.0, 1.0)
    if low >= 0 and high <= 1:
        low, high = 0.0, 1.0
    n_classes = int(np.clip(np.sqrt(table.shape[1]), *CLASS_LIMITS))
    return np.linspace(low, high if high > low else low + 1, n_classes + 1)


def layers(
    alt: Any,
    shapes: list[dict[str, Any]],
    marks: list[dict[str, Any]],
    y: Any,
    measure: str,
    edges: Floats,
    style: Style,
) -> list[Any]:
    x = alt.X("from:Q").title(measure).scale(domain=[float(edges[0]), float(edges[-1])], nice=False)
    max_share = max((row["share"] for row in shapes), default=1)
    # A rule as thick as its class is high, lifted by half of that, starts at the foot of its row.
    for row in shapes:
        row["high"] = cell(round(SHAPE_HEIGHT * row["share"] / max_share, 2))
    thickness = alt.Size("high:Q").legend(None).scale(None)
    y_offset = {"expr": f"{SHAPE_OFFSET} - datum.high / 2"}
    tooltip = [
        alt.Tooltip("system:N", title="system"),
        alt.Tooltip("mean:Q", title="mean", format=".4f"),
        alt.Tooltip("median:Q", title="median", format=".4f"),
        alt.Tooltip("lower:Q", title="a quarter is below", format=".4f"),
        alt.Tooltip("upper:Q", title="a quarter is above", format=".4f"),
        alt.Tooltip("queries:Q", title="queries"),
    ]
    quarters = alt.Chart(inline(marks))
    tick = {"thickness": 2.5, "size": 12, "opacity": 1, "color": style.ink}
    diamond = {"filled": True, "shape": "diamond", "size": 70, "opacity": 1, "color": VERMILLION}
    return [
        alt.Chart(inline(shapes))
        .mark_rule(aria=False, color=BLUE, opacity=0.6, yOffset=y_offset)
        .encode(y=y, x=x, x2=alt.X2("to:Q"), size=thickness),
        quarters.mark_rule(aria=False, strokeWidth=1.5, yOffset=MARKS_OFFSET).encode(
            y=y, x=alt.X("lower:Q"), x2=alt.X2("upper:Q")
        ),
        quarters.mark_tick(aria=False, yOffset=MARKS_OFFSET, **tick).encode(y=y, x=alt.X("median:Q")),
        quarters.mark_point(yOffset=MARKS_OFFSET, stroke=style.paper, strokeWidth=1, **diamond).encode(
            y=y, x=alt.X("mean:Q"), tooltip=tooltip
        ),
    ]


def shape_rows(name: str, values: Floats, edges: Floats) -> list[dict[str, Any]]:
    """The shares of values in each bin, for the shape of a distribution."""
    present = values[~np.isnan(values)]
    counts, _ = np.histogram(present, edges)
    return [
        {"system": name, "from": cell(edges[i]), "to": cell(edges[i + 1]), "share": cell(counts[i] / present.size)}
        for i in np.flatnonzero(counts)
    ]


def mark_row(name: str, values: Floats) -> dict[str, Any]:
    """Mean, quartiles and number of values of a system."""
    present = values[~np.isnan(values)]
    lower, median, upper = np.percentile(present, [25, 50, 75]) if present.size else (np.nan,) * 3
    mean = present.mean() if present.size else np.nan
    summary = {"mean": mean, "median": median, "lower": lower, "upper": upper}
    return {"system": name, "queries": int(present.size), **{key: cell(value) for key, value in summary.items()}}


@figure
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

    Parameters
    ----------
    items
        Names; the best 50 items are shown.
    ranks, low, high
        Ranks, 1 the best, and ends of their intervals, (items); NaN if there is none.
    interval
        What the line is.
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
    names = as_names(items, "items")
    columns = {"ranks": ranks, "low": low, "high": high}
    values, lows, highs = (as_table(array, (len(names),), argument) for argument, array in columns.items())
    order = order_of(values).tolist()
    shown_names = [names[i] for i in order[:MAX_ROWS]]
    rows = [
        {"item": names[i], "rank": cell(values[i]), "low": cell(lows[i]), "high": cell(highs[i])}
        for i in order[:MAX_ROWS]
    ]
    y = alt.Y("item:N").title(None).scale(domain=shown_names).sort(None).axis(labelExpr=name_labels(style), ticks=False)
    scale = alt.Scale(zero=False, nice=False, padding=12)
    x = alt.X("rank:Q").title("rank").scale(scale).axis(tickMinStep=1)
    tooltip = [alt.Tooltip("item:N", title="item")]
    tooltip += [alt.Tooltip(f"{name}:Q", title=name, format=".4~g") for name in ("rank", "low", "high")]
    chart = alt.Chart(inline(rows))
    interval_lines = chart.mark_rule(aria=False, strokeWidth=2, color=BLUE)
    dots = chart.mark_point(filled=True, size=75, opacity=1, stroke=style.paper, strokeWidth=1, fill=BLUE)
    summary = ", ".join(names[i] for i in order[:5])
    return finish(
        alt.layer(
            interval_lines.encode(y=y, x=alt.X("low:Q").title("rank").scale(scale), x2=alt.X2("high:Q")),
            dots.encode(y=y, x=x, tooltip=tooltip),
        ),
        title="Ranks of the consensus",
        subtitle=[
            f"Dot: rank. Line: {printable(interval)}.",
            truncation_note(len(names), MAX_ROWS, "items").replace("first", "best"),
        ],
        description=f"Ranks of {len(names)} items, the best first: {summary}{' and others' if len(order) > 5 else ''}.",
        style=style,
        height=BAR_HEIGHT * len(rows),
    )
