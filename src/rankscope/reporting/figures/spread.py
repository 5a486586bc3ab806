"""How the values of systems are spread over the queries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.errors import ParameterError
from rankscope.reporting.figures.colours import BLUE, VERMILLION
from rankscope.reporting.figures.extra import altair
from rankscope.reporting.figures.inputs import as_names, as_table, cell, inline, number, printable, truncation_note
from rankscope.reporting.figures.registry import figure
from rankscope.reporting.figures.style import Style, finish, name_labels
from rankscope.reporting.figures.systems import MOST
from rankscope.typing import Floats

__all__ = ["distribution"]

#: Room of a row, in pixels, and of the shape in it; where the shape stands, and the marks, from the row's middle.
STRIP_HEIGHT, SHAPE, FOOT, BELOW = 44, 26, 8, 14
#: Fewest and most classes of a shape.
CLASSES = (10, 30)


def distribution_example(names: Sequence[str], queries: int, rng: np.random.Generator) -> dict[str, Any]:
    return {"measure": "AP", "systems": names, "values": rng.random((len(names), queries))}


@figure(distribution_example)
def distribution(*, measure: str, systems: Sequence[str], values: npt.ArrayLike, style: Style | None = None) -> Any:
    """How the values of each system are spread over the queries: a shape, and below it middle half, median and mean.

    values: (systems, queries), NaN where there is none. The shape is a histogram of 10 to 30 equal classes, by the
    number of queries: nothing is smoothed, and a peak at 0 stays one. All shapes have one scale. The first 50 systems
    are shown, in the order given. Raises ParameterError for data that do not fit.
    """
    alt, style = altair(), style or Style()
    names = as_names(systems, "systems")
    kept = names[:MOST]
    if np.ndim(values) != 2:
        raise ParameterError(f"values has shape {np.shape(values)}, expected (systems, queries)")
    table = as_table(values, (len(names), np.shape(values)[1]), "values")[: len(kept)]
    edges = classes(table)
    marks = [mark_row(name, some) for name, some in zip(kept, table, strict=True)]
    shapes = [row for name, some in zip(kept, table, strict=True) for row in shape_rows(name, some, edges)]
    y = (
        alt.Y("system:N")
        .title(None)
        .scale(domain=kept, padding=0)
        .sort(None)
        .axis(labelExpr=name_labels(style), ticks=False)
    )
    medians = (number(np.nan if mark["median"] is None else mark["median"]) for mark in marks)
    said = "; ".join(f"{name} median {median}" for name, median in zip(kept[:5], medians, strict=False))
    return finish(
        alt.layer(*layers(alt, shapes, marks, y, printable(measure), edges, style)),
        title=f"{printable(measure)} by query",
        subtitle=[
            "Shape: share of the queries. Line: the middle half of them. Tick: median. Diamond: mean.",
            truncation_note(len(names), MOST, "systems"),
        ],
        description=f"Distribution of {printable(measure)} over {table.shape[1]} queries: {said}.",
        style=style,
        height=STRIP_HEIGHT * len(kept),
    )


def classes(table: Floats) -> Floats:
    """The edges of the classes: of [0, 1] where all values are in it, else from the least to the greatest."""
    found = table[~np.isnan(table)]
    low, high = (float(found.min()), float(found.max())) if found.size else (0.0, 1.0)
    if low >= 0 and high <= 1:
        low, high = 0.0, 1.0
    count = int(np.clip(np.sqrt(table.shape[1]), *CLASSES))
    return np.linspace(low, high if high > low else low + 1, count + 1)


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
    most = max((row["share"] for row in shapes), default=1)
    # A rule as thick as its class is high, lifted by half of that, stands on the foot of its row.
    for row in shapes:
        row["high"] = cell(round(SHAPE * row["share"] / most, 2))
    thickness = alt.Size("high:Q").legend(None).scale(None)
    lifted = {"expr": f"{FOOT} - datum.high / 2"}
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
        .mark_rule(aria=False, color=BLUE, opacity=0.6, yOffset=lifted)
        .encode(y=y, x=x, x2="to:Q", size=thickness),
        quarters.mark_rule(aria=False, strokeWidth=1.5, yOffset=BELOW).encode(y=y, x="lower:Q", x2="upper:Q"),
        quarters.mark_tick(aria=False, yOffset=BELOW, **tick).encode(y=y, x="median:Q"),
        quarters.mark_point(yOffset=BELOW, stroke=style.paper, strokeWidth=1, **diamond).encode(
            y=y, x="mean:Q", tooltip=tooltip
        ),
    ]


def shape_rows(name: str, values: Floats, edges: Floats) -> list[dict[str, Any]]:
    found = values[~np.isnan(values)]
    counts, _ = np.histogram(found, edges)
    return [
        {"system": name, "from": cell(edges[i]), "to": cell(edges[i + 1]), "share": cell(counts[i] / found.size)}
        for i in np.flatnonzero(counts)
    ]


def mark_row(name: str, values: Floats) -> dict[str, Any]:
    found = values[~np.isnan(values)]
    lower, median, upper = np.percentile(found, [25, 50, 75]) if found.size else (np.nan,) * 3
    mean = found.mean() if found.size else np.nan
    summary = {"mean": mean, "median": median, "lower": lower, "upper": upper}
    return {"system": name, "queries": int(found.size), **{key: cell(value) for key, value in summary.items()}}
