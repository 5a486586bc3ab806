"""Marks of several figures: lines by name, coloured cells, labelled points, an axis of levels."""

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
    "AT",
    "HEIGHT",
    "LINE",
    "MOST_LINES",
    "TIE",
    "as_levels",
    "cycle_looks",
    "draw_lines",
    "height_of",
    "label_places",
    "labelled_points",
    "overlaps",
    "square_axes",
    "text_width",
    "thinned",
    "with_levels",
]


#: More lines than these cannot be told apart.
MOST_LINES = 16
#: More points of a line than these cannot be seen; and so many of them carry a symbol.
MOST_POINTS, SYMBOLS = 200, 12
#: With the colours, dashes and symbols of these lengths give each of the lines its own look in grey print too.
DASHES = ([1, 0], [8, 3], [2, 2], [8, 3, 2, 3], [4, 2, 4, 6])
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right")
LINE_HEIGHT = 300


def thinned(count: int, most: int) -> npt.NDArray[np.int64]:
    """At most so many of `count` places, evenly spaced, the first and the last among them."""
    if count <= most:
        return np.arange(count)
    return np.unique(np.linspace(0, count - 1, most).round().astype(np.int64))


def cycle_looks(looks: Sequence[Any], count: int) -> list[Any]:
    """So many looks, from the first again where they end."""
    return [looks[i % len(looks)] for i in range(count)]


def draw_lines(
    alt: Any, names: list[str], across: Floats, table: Floats, x: Any, y: Any, style: Style, texts: dict[str, Any]
) -> Any:
    """A line a name, each with its own colour, dash and symbol; a NaN is a gap.

    across: where the values stand, shared by all lines or one row a line. x, y: encodings of the fields `x` and `y`.
    texts: what `name` and `x` are for the pointer, and `of`, what stands at each place across (one list, or one a
    line); where wished, `value`, what is up, and its `format`.
    """
    places = thinned(table.shape[1], MOST_POINTS)
    symbols = set(places[thinned(places.size, SYMBOLS)].tolist())
    own = np.broadcast_to(across, table.shape)
    of = texts["of"] if across.ndim == 2 else [texts["of"]] * len(names)
    rows = [
        {"name": name, "x": cell(own[k, i]), "y": cell(row[i]), "of": of[k][i], "symbol": int(i) in symbols}
        for k, (name, row) in enumerate(zip(names, table, strict=True))
        for i in places
    ]
    count = len(names)
    columns = 2 if style.narrowest < 560 else 3
    legend = alt.Legend(title=None, columns=columns, labelExpr=name_labels(style), symbolSize=120, symbolStrokeWidth=0)
    given = {"domain": names}
    colour = alt.Color("name:N").sort(None).legend(legend).scale(**given, range=cycle_looks(SERIES, count))
    dash = alt.StrokeDash("name:N").sort(None).legend(legend).scale(**given, range=cycle_looks(DASHES, count))
    shape = alt.Shape("name:N").sort(None).legend(legend).scale(**given, range=cycle_looks(SHAPES, count))
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


def describe_ends(names: list[str], across: Floats, table: Floats, what: str) -> str:
    """Where the first lines begin and end, in words."""
    if not across.size:
        return ""
    some = (f"{name}: {number(row[0])} to {number(row[-1])}" for name, row in zip(names[:5], table, strict=False))
    return f"From {what} {across[0]:g} to {across[-1]:g}, {'; '.join(some)}{' and others' if len(names) > 5 else ''}."


#: Height of a cell, in pixels.
ROW = 26
MOST = 40
#: Pixels that the names beside a table leave for it, and that a number of two digits takes.
NAMES, DIGITS = 130, 24


def square_axes(alt: Any, rows: list[str], columns: list[str], style: Style, titles: tuple[str, str] = ("", "")) -> Any:
    """The two axes of a table: the first row on top, the columns' names below, aslant where they are long."""
    plain = {"domain": False, "ticks": False, "grid": False, "labelExpr": name_labels(style)}
    room = (style.narrowest - NAMES) / len(columns)
    tilt: dict[str, Any] = {"labelAngle": 0}
    if room < 17:
        tilt = {"labelAngle": -90, "labelFontSize": 10, "labelOverlap": True}
    elif any(len(name) * 6.3 > room for name in columns):
        tilt = {"labelAngle": -45, "labelAlign": "right"}
    y = alt.Y("row:N").title(titles[0] or None).scale(domain=rows).sort(None).axis(**plain)
    x = alt.X("column:N").title(titles[1] or None).scale(domain=columns).sort(None).axis(**plain, **tilt)
    return y, x


def height_of(count: int) -> int:
    """The height of a table of so many rows, in pixels; many rows are lower, so that all are seen at once."""
    return count * (ROW if count <= 20 else 18)


def draw_cells(
    alt: Any, rows: list[dict[str, Any]], axes: tuple[Any, Any], fill: Any, tooltip: list[Any], text: bool
) -> Any:
    """Cells, and in them the field `text` in the colour of `ink`."""
    y, x = axes
    data = alt.Chart(inline(rows))
    boxes = data.mark_rect(aria=False, stroke="#767676", strokeOpacity=0.25)
    layers = [boxes.encode(y=y, x=x, fill=fill, tooltip=tooltip)]
    if text:
        ink = alt.Color("ink:N").scale(None).legend(None)
        layers.append(
            data.mark_text(aria=False, fontSize=11).encode(y=y, x=x, text="text:N", color=ink, tooltip=tooltip)
        )
    return alt.layer(*layers)


#: The height of a line in pixels, at 12 px.
LINE = 15.0
#: Letters of about half the usual width, and of one and a half.
NARROW, WIDE = frozenset(" !'(),.:;I[]`fijlrt|"), frozenset("%@MWmw")
#: Half the width of a point with some room around it.
POINT = 7.0
#: Lines up and down at which a name is tried, and pixels aside, those beside its point first.
STEPS = sorted(range(-10, 11), key=abs)
ASIDE = (0, 25, 50, 80, 120)
#: What covering a pixel costs (of a name or a point, of a bar) and what it costs to stand a pixel farther off.
COVER, CROSS, AWAY = 4.0, 0.3, 0.8
#: What it costs to touch a name or a point at all, and to stand nearer to another point than to one's own.
HIT, TAKEN = 40.0, 25.0
#: How often all names are set.
PASSES = 3


def text_width(text: str) -> float:
    """Pixels of a text at 12 px, roughly, since fonts differ.

    >>> text_width("AP"), text_width("mmm")
    (14.0, 31.5)
    """
    return sum(4.0 if c in NARROW else 10.5 if c in WIDE else 7.0 if ord(c) < 0x1100 else 12.0 for c in text)


def overlaps(boxes: Floats, others: Floats) -> Floats:
    """(boxes, others) square pixels that they share; a box is left, top, right, bottom.

    >>> overlaps(np.array([[0.0, 0, 4, 4]]), np.array([[3.0, 2, 9, 9], [4, 4, 5, 5]])).tolist()
    [[2.0, 0.0]]
    """
    low = np.maximum(boxes[:, None, :2], others[None, :, :2])
    high = np.minimum(boxes[:, None, 2:], others[None, :, 2:])
    return np.asarray(np.clip(high - low, 0, None).prod(axis=2))


def offsets(width: float) -> Floats:
    """(places, 2) from a point to the middle of its name: beside it, above, below, and then farther off."""
    beside = width / 2 + POINT
    found = [
        (side * (beside - (POINT / 2 if step and not more else 0) + more), step * LINE * 0.9)
        for more in ASIDE
        for step in STEPS
        for side in (1, -1)
    ]
    found += [(shift, step * LINE * 1.05) for shift in (0.0, width / 4, -width / 4) for step in STEPS[1:]]
    return np.array(found)


def boxes_at(middle: Floats, width: float) -> Floats:
    half = np.array([width / 2, LINE / 2])
    return np.concatenate([middle - half, middle + half], axis=1)


def label_places(points: Floats, widths: Sequence[float], sizes: Sequence[tuple[float, float]], bars: Floats) -> Floats:
    """(points, 2) pixels from each point to the middle of its name.

    points: (points, 2) in [0, 1], from the left and from the top. widths: of the names, in pixels. sizes: width and
    height of the plot, several where it may be drawn at several; the places are good at all of them. bars: (bars, 4) in
    [0, 1], left, top, right, bottom, which a name rather does not cross. Names are set one after the other, those in
    the thick of it first, each where it costs least; then again, now that all others stand.

    >>> label_places(np.array([[0.5, 0.5]]), [20.0], [(400, 300)], np.zeros((0, 4))).tolist()
    [[17.0, 0.0]]
    """
    count = len(widths)
    found = np.zeros((count, 2))
    if not count:
        return found
    apart = np.hypot(*((points[:, None] - points[None]) * np.array(sizes[0])).transpose(2, 0, 1))
    order = np.argsort(-np.exp(-apart / 60).sum(axis=1), kind="stable").tolist()
    done: list[int] = []
    for i in order * PASSES:
        tried = offsets(widths[i])
        others = [j for j in done if j != i]
        middles, halves = found[others], np.array([[widths[j] / 2, LINE / 2] for j in others]).reshape(-1, 2)
        names = np.concatenate([middles - halves, middles + halves], axis=1)
        cost = sum(costs(i, tried, widths[i], points * np.array(size), names, others, bars, size) for size in sizes)
        found[i] = tried[int(np.argmin(cost))]
        done = [*others, i]
    return found


def costs(
    i: int,
    tried: Floats,
    width: float,
    at: Floats,
    names: Floats,
    others: list[int],
    bars: Floats,
    size: tuple[float, float],
) -> Floats:
    """What each place of a name costs. at: points in pixels; names: boxes of the `others`, about their points."""
    box = boxes_at(at[i] + tried, width)
    dots = np.concatenate([at - POINT, at + POINT], axis=1)
    dots[i] = [*(at[i] - POINT / 2), *(at[i] + POINT / 2)]  # its own may be near
    placed = names + np.tile(at[others], 2)
    lines = bars * np.array([*size, *size]) + np.array([-1, -1, 1, 1])
    outside = np.clip(-box[:, :2], 0, None) + np.clip(box[:, 2:] - np.array(size), 0, None)
    shared = overlaps(box, np.concatenate([dots, placed]))
    cost = (COVER * shared + HIT * (shared > 0)).sum(axis=1)
    cost = cost + CROSS * overlaps(box, lines).sum(axis=1) + 1000 * outside.sum(axis=1)
    # How far the name's edge is from every point: its own should be the nearest.
    gaps = np.maximum(np.maximum(box[:, None, :2] - at, at - box[:, None, 2:]), 0)
    far = np.hypot(gaps[..., 0], gaps[..., 1])
    taken = (np.delete(far, i, axis=1) < far[:, [i]]).any(axis=1)
    through = line_passes_points(np.clip(at[i], box[:, :2], box[:, 2:]) - at[i], np.delete(at, i, axis=0) - at[i])
    cost = cost + AWAY * (far[:, i] + 0.2 * np.abs(tried[:, 1]))  # beside, where all is free
    return np.asarray(cost + TAKEN * (taken * 1.0 + through))


def line_passes_points(ends: Floats, points: Floats) -> npt.NDArray[np.bool_]:
    """(ends) whether a line from the origin there comes near one of the points: it would seem to name that one."""
    square = np.maximum((ends**2).sum(axis=1), 1e-9)
    along = np.clip(ends @ points.T / square[:, None], 0, 1)
    aside = points[None] - along[..., None] * ends[:, None]
    return np.asarray((np.hypot(aside[..., 0], aside[..., 1]) < POINT).any(axis=1))


#: Height of the plot, and what the axis at the left takes of the width, in pixels.
HEIGHT, MARGIN = 340, 66
#: A name that stands farther off than this is tied to its point by a line.
NEAR = 8.0
#: How a mark is told where names stand, and where the lines to them end, by the rows of `labelled_points`.
AT = {name: {"expr": f"datum.{name}"} for name in ("dx", "dy", "align")}
TIE = {"x2Offset": {"expr": "datum.end_x"}, "y2Offset": {"expr": "datum.end_y"}}


def labelled_points(names: Sequence[str], points: Floats, bars: Floats, style: Style) -> list[dict[str, Any]]:
    """A row a point: its name as it is written, its pixels from the point and how it is aligned; whether it is tied to
    the point by a line, and the pixels to where that ends.

    points, bars: as in `label_places`.
    """
    letters = 34 if style.narrowest >= 560 else 18
    texts = [shorten(name, letters) for name in names]
    widths = [text_width(text) for text in texts]
    wide = (style.narrowest - MARGIN,) if style.width else (style.narrowest - MARGIN, 640)
    moves = label_places(points, widths, [(width, HEIGHT) for width in wide], bars)
    rows = []
    for text, width, (dx, dy) in zip(texts, widths, moves, strict=True):
        half = width / 2
        # The line ends where the name begins.
        end = float(np.clip(0, dx - half, dx + half)), float(np.clip(0, dy - LINE / 2, dy + LINE / 2))
        # A name grows away from its point, so that a font of other widths leaves no gap.
        align = "left" if dx >= half else "right" if dx <= -half else "center"
        begin = {"left": dx - half, "right": dx + half, "center": dx}[align]
        row = {"text": text, "dx": cell(begin), "dy": cell(dy), "align": align}
        rows.append(row | {"tied": bool(np.hypot(*end) > NEAR), "end_x": cell(end[0]), "end_y": cell(end[1])})
    return rows


def as_levels(levels: Sequence[float], most: int | None = None) -> list[float]:
    """The levels, rising. Raises ParameterError for what is no level in (0, 1), for one twice, for more than `most`.

    >>> as_levels([0.05, 0.01])
    [0.01, 0.05]
    """
    for level in levels:
        check_share("level", level)
    found = sorted(float(level) for level in levels)
    if len(set(found)) < len(found):
        raise ParameterError("levels has one twice; give each once")
    if most is not None and len(found) > most:
        raise ParameterError(f"levels has {len(found)}, expected at most {most}, which can be told apart")
    return found


def with_levels(alt: Any, chart: Any, levels: Sequence[float], top: float, percent: bool) -> Any:
    """The chart with a dashed line at each level, and the level at a second axis, which finds its own room.

    top: where the chart's axis, which begins at 0, ends. percent: whether it is in percent. Levels beyond the top are
    left out; of numbers at the axis that would run into each other, some are.
    """
    places = [100 * level if percent else level for level in levels]
    places = [float(f"{place:.12g}") for place in places if place <= top]
    if not places:
        return chart
    text = f"format(datum.value, '.6~f') + '{'%' if percent else ''}'"
    axis = alt.Axis(
        orient="right",
        values=places,
        labelExpr=text,
        labelOverlap="greedy",
        domain=False,
        ticks=False,
        grid=True,
        gridDash=[4, 3],
        gridOpacity=0.6,
    )
    y = alt.Y("level:Q").title(None).axis(axis).scale(domain=[0, top], nice=False)
    rules = alt.Chart(inline([{"level": place} for place in places])).mark_point(opacity=0, aria=False).encode(y=y)
    return alt.layer(chart, rules).resolve_scale(y="independent")
