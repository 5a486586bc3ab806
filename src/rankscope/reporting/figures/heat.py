"""Tables of numbers as coloured cells: how measures correlate, and what was taken for what."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.errors import ParameterError
from rankscope.reporting.figures.colours import DIVERGING, SEQUENTIAL, between, ink_on
from rankscope.reporting.figures.extra import altair
from rankscope.reporting.figures.inputs import MINUS, as_names, as_table, cell, inline, printable, truncation_note
from rankscope.reporting.figures.registry import figure
from rankscope.reporting.figures.style import Style, finish, name_labels
from rankscope.stats.inputs import check_choice
from rankscope.typing import Floats

__all__ = ["confusion_matrix", "correlation_matrix", "height_of", "square_axes"]

#: Height of a cell, in pixels.
ROW = 26
MOST = 40
#: Pixels that the names beside a table leave for it, and that a number of two digits takes.
NAMES, DIGITS = 130, 24
#: What the shares are of, by the way of normalising.
OF = {"row": "the row", "column": "the column", "all": "all"}


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


def correlations_example(names: Sequence[str], queries: int, rng: np.random.Generator) -> dict[str, Any]:
    values = np.corrcoef(rng.normal(size=(len(names), 30))).reshape(len(names), len(names))
    return {"measures": names, "values": values, "statistic": "Kendall's tau"}


@figure(correlations_example)
def correlation_matrix(
    *, measures: Sequence[str], values: npt.ArrayLike, statistic: str, style: Style | None = None
) -> Any:
    """How alike measures order the systems: a table of correlations, coloured from -1 to 1, with the numbers.

    values: (measures, measures), in [-1, 1], NaN where there is none. statistic: its name. Numbers that would run into
    each other are left to the pointer. The first 40 measures are shown. Raises ParameterError for data that do not fit.
    """
    alt, style = altair(), style or Style()
    names = as_names(measures, "measures")
    kept = names[:MOST]
    table = as_table(values, (len(names), len(names)), "values")[: len(kept), : len(kept)]
    if (np.abs(table) > 1 + 1e-9).any():
        raise ParameterError("values has correlations beyond 1, expected numbers in [-1, 1]")
    rows = []
    for i, row in enumerate(kept):
        for j, column in enumerate(kept):
            colour = style.paper if np.isnan(table[i, j]) else between(DIVERGING, (table[i, j] + 1) / 2)
            value = cell(table[i, j])
            rows.append(
                {"row": row, "column": column, "value": value, "text": brief(table[i, j]), "ink": ink_on(colour)}
            )
    fill = alt.Fill("value:Q").legend(alt.Legend(title=printable(statistic)))
    fill = fill.scale(domain=[-1, 0, 1], range=list(DIVERGING), interpolate="rgb")
    tooltip = [
        alt.Tooltip("row:N", title="measure"),
        alt.Tooltip("column:N", title="and"),
        alt.Tooltip("value:Q", title="correlation", format=".3f"),
    ]
    room = (style.narrowest - NAMES) / len(kept) >= DIGITS
    others = table[~np.eye(len(kept), dtype=bool)]
    others = others[~np.isnan(others)]
    said = f" between {others.min():.2f} and {others.max():.2f}".replace("-", MINUS) if others.size else ""
    return finish(
        draw_cells(alt, rows, square_axes(alt, kept, kept, style), fill, tooltip, room),
        title="How far measures agree",
        subtitle=[
            f"{printable(statistic)}; 1: the same order, {MINUS}1: the opposite.",
            truncation_note(len(names), MOST, "measures"),
        ],
        description=f"{printable(statistic)} of {len(kept)} measures with each other{said}.",
        style=style,
        height=height_of(len(kept)),
    )


def brief(value: float) -> str:
    """Two digits and no leading zero, as tables of correlations have it."""
    if np.isnan(value):
        return "–"
    return f"{value:.2f}".replace("-0.00", "0.00").replace("0.", ".").replace("-", MINUS).replace("1.00", "1")


def confusion_example(names: Sequence[str], queries: int, rng: np.random.Generator) -> dict[str, Any]:
    return {"labels": names, "counts": rng.integers(0, 99, (len(names), len(names))), "normalise": "row"}


@figure(confusion_example)
def confusion_matrix(
    *,
    labels: Sequence[object],
    counts: npt.ArrayLike,
    rows: str = "true",
    columns: str = "predicted",
    normalise: str | None = None,
    style: Style | None = None,
) -> Any:
    """Counts of what was taken for what, darker where there are more.

    counts: (labels, labels). rows, columns: what they are. normalise: "row", "column" or "all": the colours, and the
    percentages then shown with the counts, are shares of a row, a column or everything; a row without any has none.
    The first 40 labels are shown. Raises ParameterError for data that do not fit, negative counts.
    """
    alt, style = altair(), style or Style()
    if normalise is not None:
        check_choice("normalise", normalise, tuple(OF))
    names = as_names(labels, "labels")
    table = as_table(counts, (len(names), len(names)), "counts")
    if not (table >= 0).all():
        raise ParameterError("counts has a negative number or NaN, expected counts of at least 0")
    kept = names[:MOST]
    sums = {"row": table.sum(axis=1, keepdims=True), "column": table.sum(axis=0, keepdims=True)}
    whole = sums.get(normalise or "", table.sum(keepdims=True))
    shares = np.divide(table, whole, out=np.full(table.shape, np.nan), where=whole > 0)
    top = 1.0 if normalise else float(np.nanmax(shares, initial=0)) or 1.0
    data, words = count_rows(kept, table, shares, top, (style.narrowest - NAMES) / len(kept), normalise is not None)
    tooltip = [
        # Names of columns that come from outside are not taken for titles here: some mean more than text to Vega.
        alt.Tooltip("row:N", title="row"),
        alt.Tooltip("column:N", title="column"),
        alt.Tooltip("count:Q", title="count", format=","),
        alt.Tooltip("share:Q", title=f"share of {OF[normalise or 'all']}", format=".1%"),
    ]
    axes = square_axes(alt, kept, kept, style, (printable(rows), printable(columns)))
    right = float(np.trace(table) / table.sum()) if table.sum() else float("nan")
    said = "" if np.isnan(right) else f"{np.trace(table):,.0f} of {table.sum():,.0f} ({right:.1%}) lie on the diagonal."
    about = f"{words}: of {OF[normalise or 'all']}." if words and normalise else ""
    return finish(
        draw_cells(alt, data, axes, alt.Fill("fill:N").scale(None).legend(None), tooltip, bool(words)),
        title=f"Confusion matrix: {printable(rows)} against {printable(columns)}",
        subtitle=[said, about, truncation_note(len(names), MOST, "labels")],
        description=f"Confusion matrix of {len(names)} labels, {printable(rows)} by {printable(columns)}. {said}".rstrip(),
        style=style,
        height=max(height_of(len(kept)), min(44 * len(kept), 220)),
    )


def count_rows(
    names: list[str], table: Floats, shares: Floats, top: float, room: float, normalised: bool
) -> tuple[list[dict[str, Any]], str]:
    """A row a cell, and what its text is: as much as there is room for, in pixels, the same in each."""
    data: list[dict[str, Any]] = []
    for i, row in enumerate(names):
        for j, column in enumerate(names):
            share = shares[i, j]
            colour = between(SEQUENTIAL, 0 if np.isnan(share) else share / top)
            count, percent = f"{table[i, j]:,.0f}", "–" if np.isnan(share) else f"{share:.0%}"
            values = {"count": cell(table[i, j]), "share": cell(share), "fill": colour, "ink": ink_on(colour)}
            texts = [f"{count} ({percent})", percent] if normalised else [count]
            data.append({"row": row, "column": column, "texts": texts, **values})
    kinds = ["Counts; percentages", "Percentages"] if normalised else ["Counts"]
    fits = [k for k in range(len(kinds)) if max(len(made["texts"][k]) for made in data) * 6.2 + 4 <= room]
    for made in data:
        made["text"] = made.pop("texts")[fits[0] if fits else 0]
    return data, kinds[fits[0]] if fits else ""
