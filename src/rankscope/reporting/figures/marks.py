"""Marks that several figures share: lines, coloured cells, labelled points, an axis of levels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.errors import ParameterError
from rankscope.reporting.figures.inputs import (
    cell,
    inline,
    number,
    shorten,
)
from rankscope.reporting.figures.style import (
    SERIES,
    Style,
    name_labels,
)
from rankscope.stats.inputs import check_share
from rankscope.typing import Floats

__all__ = [
    "HEIGHT",
    "LABEL_OFFSETS",
    "LINE",
    "LINE_END_OFFSETS",
    "MAX_LINES",
    "cycle_looks",
    "draw_lines",
    "evenly_spaced",
    "height_of",
    "label_places",
    "labelled_points",
    "overlaps",
    "sorted_levels",
    "square_axes",
    "text_width",
    "with_levels",
]


#: More lines could not be told apart.
MAX_LINES = 16
#: At most so many points of a line are drawn, and so many symbols on it.
MAX_POINTS, SYMBOLS = 200, 12
#: The numbers of colours, dashes and symbols differ, so that each line has its own look in grey print too.
DASHES = ([1, 0], [8, 3], [2, 2], [8, 3, 2, 3], [4, 2, 4, 6])
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right")
LINE_HEIGHT = 300


def evenly_spaced(count: int, limit: int) -> npt.NDArray[np.int64]:
    """At most `limit` of `count` places, evenly spaced, with the first and the last."""
    if count <= limit:
        return np.arange(count)
    return np.unique(np.linspace(0, count - 1, limit).round().astype(np.int64))


def cycle_looks(looks: Sequence[Any], count: int) -> list[Any]:
    """`count` looks, repeated from the first where there are fewer."""
    return [looks[i % len(looks)] for i in range(count)]


def draw_lines(
    alt: Any, names: list[str], x_values: Floats, table: Floats, x: Any, y: Any, style: Style, texts: dict[str, Any]
) -> Any:
    """One line for each name, with its own colour, dash and symbol; NaN is a gap.

    Parameters
    ----------
    alt
        The module Altair.
    names
        Names of the lines.
    x_values
        Positions of the values, shared by all lines or one row per line.
    table
        Values, (lines, positions).
    x, y
        Encodings of the fields `x` and `y`.
    style
        Width and ground of the figure.
    texts
        Titles of `name` and `x` for the tooltip, and `of`, the label of each position (one list, or one per line);
        optionally `value`, the title of the values, and their `format`.
    """
    shown_index = evenly_spaced(table.shape[1], MAX_POINTS)
    symbol_index = set(shown_index[evenly_spaced(shown_index.size, SYMBOLS)].tolist())
    x_of_line = np.broadcast_to(x_values, table.shape)
    x_labels = texts["of"] if x_values.ndim == 2 else [texts["of"]] * len(names)
    rows = [
        {
            "name": name,
            "x": cell(x_of_line[k, i]),
            "y": cell(row[i]),
            "of": x_labels[k][i],
            "symbol": int(i) in symbol_index,
        }
        for k, (name, row) in enumerate(zip(names, table, strict=True))
        for i in shown_index
    ]
    count = len(names)
    columns = 2 if style.narrowest < 560 else 3
    legend = alt.Legend(title=None, columns=columns, labelExpr=name_labels(style), symbolSize=120, symbolStrokeWidth=0)
    name_domain = {"domain": names}
    colour = alt.Color("name:N").sort(None).legend(legend).scale(**name_domain, range=cycle_looks(SERIES, count))
    dash = alt.StrokeDash("name:N").sort(None).legend(legend).scale(**name_domain, range=cycle_looks(DASHES, count))
    shape = alt.Shape("name:N").sort(None).legend(legend).scale(**name_domain, range=cycle_looks(SHAPES, count))
    tooltip = [
        alt.Tooltip("name:N", title=texts["name"]),
        alt.Tooltip("of:N", title=texts["x"]),
        alt.Tooltip("y:Q", title=texts.get("value", "value"), format=texts.get("format", ".4f")),
    ]
    base = alt.Chart(inline(rows))
    points = alt.Chart(inline([row for row in rows if row["symbol"]]))
    return alt.layer(
        base.mark_line(aria=False, strokeWidth=1.8).encode(x=x, y=y, color=colour, strokeDash=dash),
        points.mark_point(aria=False, filled=True, size=45, opacity=1).encode(
            x=x, y=y, color=colour, shape=shape, tooltip=tooltip
        ),
    )


def describe_ends(names: list[str], x_values: Floats, table: Floats, x_name: str) -> str:
    """The first and last values of the first lines, in words."""
    if not x_values.size:
        return ""
    line_ends = (f"{name}: {number(row[0])} to {number(row[-1])}" for name, row in zip(names[:5], table, strict=False))
    others = " and others" if len(names) > 5 else ""
    return f"From {x_name} {x_values[0]:g} to {x_values[-1]:g}, {'; '.join(line_ends)}{others}."


#: Height of a cell, in pixels.
ROW_HEIGHT = 26
MAX_ROWS = 40
#: Pixels that the names beside a table take, and that a number of two digits takes.
NAMES_WIDTH, DIGITS_WIDTH = 130, 24


def square_axes(alt: Any, rows: list[str], columns: list[str], style: Style, titles: tuple[str, str] = ("", "")) -> Any:
    """The two axes of a table: the first row on top, the names of columns below, tilted where they are long."""
    axis_options = {"domain": False, "ticks": False, "grid": False, "labelExpr": name_labels(style)}
    cell_width = (style.narrowest - NAMES_WIDTH) / len(columns)
    label_options: dict[str, Any] = {"labelAngle": 0}
    if cell_width < 17:
        label_options = {"labelAngle": -90, "labelFontSize": 10, "labelOverlap": True}
    elif any(len(name) * 6.3 > cell_width for name in columns):
        label_options = {"labelAngle": -45, "labelAlign": "right"}
    y = alt.Y("row:N").title(titles[0] or None).scale(domain=rows).sort(None).axis(**axis_options)
    x = (
        alt.X("column:N")
        .title(titles[1] or None)
        .scale(domain=columns)
        .sort(None)
        .axis(**axis_options, **label_options)
    )
    return y, x


def height_of(count: int) -> int:
    """The height of a table of `count` rows in pixels; rows are lower where there are many."""
    return count * (ROW_HEIGHT if count <= 20 else 18)


def draw_cells(
    alt: Any, rows: list[dict[str, Any]], axes: tuple[Any, Any], fill: Any, tooltip: list[Any], text: bool
) -> Any:
    """Cells; where `text`, with the field `text` in the colour of the field `ink`."""
    y, x = axes
    data = alt.Chart(inline(rows))
    boxes = data.mark_rect(aria=False, stroke="#767676", strokeOpacity=0.25)
    layers = [boxes.encode(y=y, x=x, fill=fill, tooltip=tooltip)]
    if text:
        ink = alt.Color("ink:N").scale(None).legend(None)
        layers.append(
            data.mark_text(aria=False, fontSize=11).encode(
                y=y, x=x, text=alt.Text("text:N"), color=ink, tooltip=tooltip
            )
        )
    return alt.layer(*layers)


#: The height of a line of text in pixels, at 12 px.
LINE = 15.0
#: Letters of about half the usual width, and of one and a half.
NARROW_LETTERS, WIDE_LETTERS = frozenset(" !'(),.:;I[]`fijlrt|"), frozenset("%@MWmw")
#: Half the width of a point with a margin, in pixels.
POINT_RADIUS = 7.0
#: Candidate places of a name: lines up or down and pixels aside, those next to its point first.
LINE_STEPS = sorted(range(-10, 11), key=abs)
SIDE_STEPS = (0, 25, 50, 80, 120)
#: The cost of covering a pixel of a name or a point, of covering a pixel of a bar, and of a pixel of distance.
OVERLAP_COST, BAR_COST, DISTANCE_COST = 4.0, 0.3, 0.8
#: The cost of touching a name or a point at all, and of being nearer to another point than to the own one.
TOUCH_COST, AMBIGUITY_COST = 40.0, 25.0
#: How often all names are placed.
PASSES = 3


def text_width(text: str) -> float:
    """The approximate width of a text at 12 px, in pixels.

    >>> text_width("AP"), text_width("mmm")
    (14.0, 31.5)
    """
    return sum(
        4.0 if c in NARROW_LETTERS else 10.5 if c in WIDE_LETTERS else 7.0 if ord(c) < 0x1100 else 12.0 for c in text
    )


def overlaps(boxes: Floats, other_boxes: Floats) -> Floats:
    """(boxes, other boxes) the area of each overlap, in square pixels; a box is left, top, right, bottom.

    >>> overlaps(np.array([[0.0, 0, 4, 4]]), np.array([[3.0, 2, 9, 9], [4, 4, 5, 5]])).tolist()
    [[2.0, 0.0]]
    """
    low = np.maximum(boxes[:, None, :2], other_boxes[None, :, :2])
    high = np.minimum(boxes[:, None, 2:], other_boxes[None, :, 2:])
    return np.asarray(np.clip(high - low, 0, None).prod(axis=2))


def offsets(width: float) -> Floats:
    """(candidates, 2) shifts from a point to the middle of its name: beside it, above, below, then farther away."""
    beside = width / 2 + POINT_RADIUS
    shifts = [
        (side * (beside - (POINT_RADIUS / 2 if step and not aside else 0) + aside), step * LINE * 0.9)
        for aside in SIDE_STEPS
        for step in LINE_STEPS
        for side in (1, -1)
    ]
    shifts += [(x_shift, step * LINE * 1.05) for x_shift in (0.0, width / 4, -width / 4) for step in LINE_STEPS[1:]]
    return np.array(shifts)


def boxes_at(middle: Floats, width: float) -> Floats:
    """(positions, 4) left, top, right and bottom of a name of this width around each middle."""
    half = np.array([width / 2, LINE / 2])
    return np.concatenate([middle - half, middle + half], axis=1)


def label_places(points: Floats, widths: Sequence[float], sizes: Sequence[tuple[float, float]], bars: Floats) -> Floats:
    """Pixels from each point to the middle of its name, (points, 2).

    Parameters
    ----------
    points
        Positions in [0, 1] from the left and from the top, (points, 2).
    widths
        Widths of the names in pixels.
    sizes
        Width and height of the plot, several if it may be drawn in several sizes; the places suit all of them.
    bars
        Boxes in [0, 1] that names should not cross, left, top, right, bottom, (bars, 4).

    Notes
    -----
    Vega has a transform that places labels; charts of Vega-Lite, as Altair makes them, cannot use it. Names are placed
    one after the other, those in crowded places first, each where it costs least; then again, with all others placed.

    Examples
    --------
    >>> label_places(np.array([[0.5, 0.5]]), [20.0], [(400, 300)], np.zeros((0, 4))).tolist()
    [[17.0, 0.0]]
    """
    count = len(widths)
    shifts = np.zeros((count, 2))
    if not count:
        return shifts
    distances = np.hypot(*((points[:, None] - points[None]) * np.array(sizes[0])).transpose(2, 0, 1))
    order = np.argsort(-np.exp(-distances / 60).sum(axis=1), kind="stable").tolist()
    placed_names: list[int] = []
    for i in order * PASSES:
        candidates = offsets(widths[i])
        placed_others = [j for j in placed_names if j != i]
        middles = shifts[placed_others]
        half_sizes = np.array([[widths[j] / 2, LINE / 2] for j in placed_others]).reshape(-1, 2)
        name_boxes = np.concatenate([middles - half_sizes, middles + half_sizes], axis=1)
        cost = sum(
            costs(i, candidates, widths[i], points * np.array(size), name_boxes, placed_others, bars, size)
            for size in sizes
        )
        shifts[i] = candidates[int(np.argmin(cost))]
        placed_names = [*placed_others, i]
    return shifts


def costs(
    i: int,
    candidates: Floats,
    width: float,
    point_pixels: Floats,
    name_boxes: Floats,
    placed_others: list[int],
    bars: Floats,
    size: tuple[float, float],
) -> Floats:
    """The cost of each candidate place of a name. name_boxes: of `placed_others`, relative to their points."""
    boxes = boxes_at(point_pixels[i] + candidates, width)
    point_boxes = np.concatenate([point_pixels - POINT_RADIUS, point_pixels + POINT_RADIUS], axis=1)
    point_boxes[i] = [
        *(point_pixels[i] - POINT_RADIUS / 2),
        *(point_pixels[i] + POINT_RADIUS / 2),
    ]  # the own point may be near
    placed_boxes = name_boxes + np.tile(point_pixels[placed_others], 2)
    bar_boxes = bars * np.array([*size, *size]) + np.array([-1, -1, 1, 1])
    outside = np.clip(-boxes[:, :2], 0, None) + np.clip(boxes[:, 2:] - np.array(size), 0, None)
    overlap = overlaps(boxes, np.concatenate([point_boxes, placed_boxes]))
    cost = (OVERLAP_COST * overlap + TOUCH_COST * (overlap > 0)).sum(axis=1)
    cost = cost + BAR_COST * overlaps(boxes, bar_boxes).sum(axis=1) + 1000 * outside.sum(axis=1)
    # The distance of the name's edge from every point: the own point should be the nearest.
    gaps = np.maximum(np.maximum(boxes[:, None, :2] - point_pixels, point_pixels - boxes[:, None, 2:]), 0)
    distances = np.hypot(gaps[..., 0], gaps[..., 1])
    nearer_to_other = (np.delete(distances, i, axis=1) < distances[:, [i]]).any(axis=1)
    crosses_point = line_passes_points(
        np.clip(point_pixels[i], boxes[:, :2], boxes[:, 2:]) - point_pixels[i],
        np.delete(point_pixels, i, axis=0) - point_pixels[i],
    )
    cost = cost + DISTANCE_COST * (distances[:, i] + 0.2 * np.abs(candidates[:, 1]))  # prefers places beside the point
    return np.asarray(cost + AMBIGUITY_COST * (nearer_to_other * 1.0 + crosses_point))


def line_passes_points(ends: Floats, points: Floats) -> npt.NDArray[np.bool_]:
    """(ends) whether a line from the origin to each end passes near one of the points, and so seems to belong to it."""
    squared_lengths = np.maximum((ends**2).sum(axis=1), 1e-9)
    fractions = np.clip(ends @ points.T / squared_lengths[:, None], 0, 1)
    gaps = points[None] - fractions[..., None] * ends[:, None]
    return np.asarray((np.hypot(gaps[..., 0], gaps[..., 1]) < POINT_RADIUS).any(axis=1))


#: Height of the plot, and the width of the axis at the left, in pixels.
HEIGHT, MARGIN = 340, 66
#: A name farther away than this is tied to its point by a line.
MAX_UNTIED_DISTANCE = 8.0
#: Offsets of names, and of the ends of their lines, as Vega expressions over the rows of `labelled_points`.
LABEL_OFFSETS = {name: {"expr": f"datum.{name}"} for name in ("dx", "dy", "align")}
LINE_END_OFFSETS = {"x2Offset": {"expr": "datum.end_x"}, "y2Offset": {"expr": "datum.end_y"}}


def labelled_points(names: Sequence[str], points: Floats, bars: Floats, style: Style) -> list[dict[str, Any]]:
    """One row for each point: its shortened name, the name's offset in pixels and its alignment, and its line.

    Parameters
    ----------
    names
        Names.
    points, bars
        As for `label_places`.
    style
        Width and ground of the figure.

    Returns
    -------
    list of dict
        Also whether the name is tied to the point by a line, and the offset of the line's end.
    """
    letters = 34 if style.narrowest >= 560 else 18
    texts = [shorten(name, letters) for name in names]
    widths = [text_width(text) for text in texts]
    plot_widths = (style.narrowest - MARGIN,) if style.width else (style.narrowest - MARGIN, 640)
    shifts = label_places(points, widths, [(width, HEIGHT) for width in plot_widths], bars)
    rows = []
    for text, width, (dx, dy) in zip(texts, widths, shifts, strict=True):
        half = width / 2
        # The line ends at the nearest edge of the name.
        line_end = float(np.clip(0, dx - half, dx + half)), float(np.clip(0, dy - LINE / 2, dy + LINE / 2))
        # A name grows away from its point, so that a font of other widths leaves no gap.
        align = "left" if dx >= half else "right" if dx <= -half else "center"
        anchor = {"left": dx - half, "right": dx + half, "center": dx}[align]
        row = {"text": text, "dx": cell(anchor), "dy": cell(dy), "align": align}
        rows.append(
            row
            | {
                "tied": bool(np.hypot(*line_end) > MAX_UNTIED_DISTANCE),
                "end_x": cell(line_end[0]),
                "end_y": cell(line_end[1]),
            }
        )
    return rows


def sorted_levels(alpha: float | Sequence[float], limit: int | None = None) -> list[float]:
    """The significance levels, rising.

    Parameters
    ----------
    alpha
        One level or several, in (0, 1).
    limit
        Largest number of levels.

    Raises
    ------
    ParameterError
        A level is out of range or occurs twice, or there are too many.

    Examples
    --------
    >>> sorted_levels([0.05, 0.01])
    [0.01, 0.05]
    """
    levels = [alpha] if isinstance(alpha, int | float) else list(alpha)
    for level in levels:
        check_share("alpha", level)
    if len(set(levels)) < len(levels):
        raise ParameterError("alpha has one level twice; give each once")
    if limit is not None and len(levels) > limit:
        raise ParameterError(f"alpha has {len(levels)} levels, expected at most {limit}, which can be told apart")
    return sorted(float(level) for level in levels)


def with_levels(alt: Any, chart: Any, levels: Sequence[float], top: float, percent: bool) -> Any:
    """The chart with a dashed line at each level, and the level at a second axis.

    Parameters
    ----------
    alt
        The module Altair.
    chart
        The chart.
    levels
        Levels. Those beyond `top` are skipped, and labels that would overlap.
    top
        End of the chart's axis, which begins at 0.
    percent
        Whether the axis is in percent.
    """
    positions = [100 * level if percent else level for level in levels]
    positions = [float(f"{position:.12g}") for position in positions if position <= top]
    if not positions:
        return chart
    label_expression = f"format(datum.value, '.6~f') + '{'%' if percent else ''}'"
    axis = alt.Axis(
        orient="right",
        values=positions,
        labelExpr=label_expression,
        labelOverlap="greedy",
        domain=False,
        ticks=False,
        grid=True,
        gridDash=[4, 3],
        gridOpacity=0.6,
    )
    y = alt.Y("level:Q").title(None).axis(axis).scale(domain=[0, top], nice=False)
    level_marks = (
        alt.Chart(inline([{"level": position} for position in positions])).mark_point(opacity=0, aria=False).encode(y=y)
    )
    return alt.layer(chart, level_marks).resolve_scale(y="independent")
