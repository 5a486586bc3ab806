"""Curves, one a system: precision at levels of recall, gain by rank; and how any set of lines is told apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.reporting.figures.colours import SERIES
from rankscope.reporting.figures.extra import altair
from rankscope.reporting.figures.inputs import as_names, as_table, cell, inline, number, printable, truncation_note
from rankscope.reporting.figures.registry import figure
from rankscope.reporting.figures.style import Style, finish, name_labels
from rankscope.typing import Floats

__all__ = ["MOST_LINES", "cycle_looks", "gain_curve", "draw_lines", "precision_recall", "thinned"]

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


def recall_example(names: Sequence[str], queries: int, rng: np.random.Generator) -> dict[str, Any]:
    levels = np.linspace(0, 1, 11)
    return {"systems": names, "levels": levels, "precision": rng.random((len(names), 1)) * (1 - levels)}


@figure(recall_example)
def precision_recall(
    *,
    systems: Sequence[str],
    levels: npt.ArrayLike,
    precision: npt.ArrayLike,
    measure: str = "interpolated precision",
    style: Style | None = None,
) -> Any:
    """Precision at levels of recall, a line a system.

    levels: of recall, in [0, 1]. precision: (systems, levels), in [0, 1]. measure: what stands at the axis. The first
    16 systems are shown. Raises ParameterError for data that do not fit.
    """
    alt, style = altair(), style or Style()
    names = as_names(systems, "systems")
    across = as_table(levels, (int(np.size(levels)),), "levels")
    table = as_table(precision, (len(names), across.size), "precision")
    kept = names[:MOST_LINES]
    texts = {"name": "system", "x": "recall", "of": [f"{level:g}" for level in across]}
    x = alt.X("x:Q").title("recall").scale(domain=[0, 1])
    y = alt.Y("y:Q").title(printable(measure)).scale(domain=[0, 1])
    return finish(
        draw_lines(alt, kept, across, table[: len(kept)], x, y, style, texts),
        title="Precision at levels of recall",
        subtitle=[truncation_note(len(names), MOST_LINES, "systems")],
        description=f"Precision at levels of recall. {describe_ends(kept, across, table, 'recall')}",
        style=style,
        height=LINE_HEIGHT,
    )


def gain_example(names: Sequence[str], queries: int, rng: np.random.Generator) -> dict[str, Any]:
    gain = rng.random((len(names), 20)).cumsum(axis=1)
    return {"systems": names, "ranks": np.arange(1, 21), "gain": gain, "measure": "DCG"}


@figure(gain_example)
def gain_curve(
    *,
    systems: Sequence[str],
    ranks: npt.ArrayLike,
    gain: npt.ArrayLike,
    measure: str = "gain",
    style: Style | None = None,
) -> Any:
    """A measure by cutoff, a line a system, as DCG or nDCG at each rank.

    ranks: rising. gain: (systems, ranks). measure: its name. The first 16 systems are shown. Raises ParameterError for
    data that do not fit.
    """
    alt, style = altair(), style or Style()
    names = as_names(systems, "systems")
    across = as_table(ranks, (int(np.size(ranks)),), "ranks")
    table = as_table(gain, (len(names), across.size), "gain")
    kept = names[:MOST_LINES]
    texts = {"name": "system", "x": "rank", "of": [f"{rank:g}" for rank in across]}
    x = alt.X("x:Q").title("rank").scale(zero=False, nice=False).axis(tickMinStep=1, format="~s")
    y = alt.Y("y:Q").title(printable(measure))
    return finish(
        draw_lines(alt, kept, across, table[: len(kept)], x, y, style, texts),
        title=f"{printable(measure)} by rank",
        subtitle=[truncation_note(len(names), MOST_LINES, "systems")],
        description=f"{printable(measure)} by rank. {describe_ends(kept, across, table, 'rank')}",
        style=style,
        height=LINE_HEIGHT,
    )


def describe_ends(names: list[str], across: Floats, table: Floats, what: str) -> str:
    """Where the first lines begin and end, in words."""
    if not across.size:
        return ""
    some = (f"{name}: {number(row[0])} to {number(row[-1])}" for name, row in zip(names[:5], table, strict=False))
    return f"From {what} {across[0]:g} to {across[-1]:g}, {'; '.join(some)}{' and others' if len(names) > 5 else ''}."
