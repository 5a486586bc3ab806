"""Figures of learned rankers: the worth of features, and the ranks of documents of each grade."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

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
from rankscope.reporting.figures.marks import draw_cells, height_of, square_axes
from rankscope.reporting.figures.registry import figure
from rankscope.reporting.figures.style import BLUE, SEQUENTIAL, Style, altair, between, finish, ink_on, name_labels

__all__ = [
    "feature_bars",
    "grade_places",
]


#: At most so many rows are drawn; the height of a row in pixels.
MAX_FEATURES, ROW_HEIGHT = 50, 18


@figure
def feature_bars(
    *,
    features: Sequence[str],
    worth: npt.ArrayLike,
    deviation: npt.ArrayLike,
    measure: str,
    of: str,
    left_out_before: int = 0,
    style: Style | None = None,
) -> Any:
    """Bars of what a measure loses without each feature, with a line of one standard deviation to either side.

    Parameters
    ----------
    features
        Names; those of the 50 highest losses are shown.
    worth, deviation
        Losses and their standard deviations, (features), NaN if there is none.
    measure
        Name of the measure.
    of
        Name of the ranker.
    left_out_before
        Number of less important features that were not given.
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
    names = as_names(features, "features")
    values, deviations = as_table(worth, (len(names),), "worth"), as_table(deviation, (len(names),), "deviation")
    order = order_of(-values).tolist()
    rows = [
        {
            "feature": names[i],
            "worth": cell(values[i]),
            "low": cell(values[i] - deviations[i]),
            "high": cell(values[i] + deviations[i]),
        }
        for i in order[:MAX_FEATURES]
    ]
    shown_names = [row["feature"] for row in rows]
    y = (
        alt.Y("feature:N")
        .title(None)
        .scale(domain=shown_names)
        .sort(None)
        .axis(labelExpr=name_labels(style), ticks=False)
    )
    title = f"{printable(measure)} lost when the feature is shuffled"
    x = alt.X("worth:Q").title(title)
    tooltip = [alt.Tooltip("feature:N", title="feature"), alt.Tooltip("worth:Q", title="worth", format=".4f")]
    chart = alt.Chart(inline(rows))
    bars = chart.mark_bar(aria=False, color=BLUE, height=ROW_HEIGHT - 6).encode(y=y, x=x, tooltip=tooltip)
    deviation_lines = chart.mark_rule(aria=False, strokeWidth=2, color=style.ink)
    summary = ", ".join(f"{names[i]} {number(values[i])}" for i in order[:5])
    total = len(names) + left_out_before
    return finish(
        alt.layer(bars, deviation_lines.encode(y=y, x=alt.X("low:Q").title(title), x2=alt.X2("high:Q"))),
        title=f"What features are worth to {shorten(printable(of))}",
        subtitle=["Line: one standard deviation over folds and seeds.", truncation_note(total, len(rows), "features")],
        description=(
            f"What {len(shown_names)} features are worth to {printable(of)}, by {printable(measure)}: {summary}."
        ),
        style=style,
        height=ROW_HEIGHT * len(rows),
    )


#: More grades could not be read.
MAX_GRADES = 30


@figure
def grade_places(
    *,
    grades: Sequence[str],
    ranges: Sequence[str],
    shares: npt.ArrayLike,
    of: str,
    style: Style | None = None,
) -> Any:
    """One row per grade, one column per range of ranks; darker if more documents of the grade are there.

    Parameters
    ----------
    grades
        Names; the first 30 grades are shown.
    ranges
        Ranges of ranks.
    shares
        Shares of the documents of the row, in [0, 1], (grades, ranges).
    of
        Name of the ranker.
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
    names, range_names = as_names(grades, "grades"), as_names(ranges, "ranges")
    table = as_table(shares, (len(names), len(range_names)), "shares")
    if not ((table >= 0) & (table <= 1 + 1e-9)).all():
        raise ParameterError("shares has numbers beyond 0 and 1, expected shares of each row")
    shown_grades, data = names[:MAX_GRADES], []
    max_share = float(table.max()) or 1.0
    for i, grade in enumerate(shown_grades):
        for j, range_name in enumerate(range_names):
            colour = between(SEQUENTIAL, table[i, j] / max_share)
            text = f"{table[i, j]:.0%}"
            data.append(
                {"row": grade, "column": range_name, "share": cell(table[i, j]), "text": text, "fill": colour,
                 "ink": ink_on(colour)}
            )  # fmt: skip
    tooltip = [
        alt.Tooltip("row:N", title="grade"),
        alt.Tooltip("column:N", title="rank"),
        alt.Tooltip("share:Q", title="share of the grade", format=".1%"),
    ]
    axes = square_axes(alt, shown_grades, range_names, style, ("grade", "rank"))
    summary = f"{printable(range_names[0])}: " + ", ".join(
        f"{table[i, 0]:.0%} of {name}" for i, name in enumerate(shown_grades[:5])
    )
    return finish(
        draw_cells(alt, data, axes, alt.Fill("fill:N").scale(None).legend(None), tooltip, len(range_names) <= 12),
        title=f"Where {shorten(printable(of))} puts documents of each grade",
        subtitle=["Percentages: of the row.", truncation_note(len(names), MAX_GRADES, "grades")],
        description=f"Shares of the documents of {len(shown_grades)} grades by ranks. At rank {summary}.",
        style=style,
        height=max(height_of(len(shown_grades)), min(44 * len(shown_grades), 160)),
    )
