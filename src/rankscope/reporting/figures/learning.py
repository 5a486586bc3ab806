"""Learned rankers: what features are worth, and where documents of each grade are ranked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.errors import ParameterError
from rankscope.kernels.ties import order_of
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


#: More rows than these are no figure any more; height of one, in pixels.
MOST_FEATURES, ROW = 50, 18


def features_example(names: Sequence[str], queries: int, rng: np.random.Generator) -> dict[str, Any]:
    worth = np.sort(rng.uniform(-0.01, 0.1, len(names)))[::-1]
    return {"features": names, "worth": worth, "deviation": worth * 0 + 0.01, "measure": "nDCG@10", "of": "listnet"}


@figure(features_example)
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

    worth, deviation: (features), NaN where there is none; shown by falling worth, the first 50. of: the ranker.
    left_out_before: how many features of less worth were not given. Raises ParameterError for data that do not fit.
    """
    alt, style = altair(), style or Style()
    names = as_names(features, "features")
    values, spread = as_table(worth, (len(names),), "worth"), as_table(deviation, (len(names),), "deviation")
    order = order_of(-values).tolist()
    rows = [
        {
            "feature": names[i],
            "worth": cell(values[i]),
            "low": cell(values[i] - spread[i]),
            "high": cell(values[i] + spread[i]),
        }
        for i in order[:MOST_FEATURES]
    ]
    kept = [row["feature"] for row in rows]
    y = alt.Y("feature:N").title(None).scale(domain=kept).sort(None).axis(labelExpr=name_labels(style), ticks=False)
    title = f"{printable(measure)} lost when the feature is shuffled"
    x = alt.X("worth:Q").title(title)
    tooltip = [alt.Tooltip("feature:N", title="feature"), alt.Tooltip("worth:Q", title="worth", format=".4f")]
    chart = alt.Chart(inline(rows))
    bars = chart.mark_bar(aria=False, color=BLUE, height=ROW - 6).encode(y=y, x=x, tooltip=tooltip)
    lines = chart.mark_rule(aria=False, strokeWidth=2, color=style.ink)
    said = ", ".join(f"{names[i]} {number(values[i])}" for i in order[:5])
    total = len(names) + left_out_before
    return finish(
        alt.layer(bars, lines.encode(y=y, x=alt.X("low:Q").title(title), x2="high:Q")),
        title=f"What features are worth to {shorten(printable(of))}",
        subtitle=["Line: one standard deviation over folds and seeds.", truncation_note(total, len(rows), "features")],
        description=f"What {len(kept)} features are worth to {printable(of)}, by {printable(measure)}: {said}.",
        style=style,
        height=ROW * len(rows),
    )


#: More grades than these cannot be read.
MOST_RANKS = 30


def grades_example(names: Sequence[str], queries: int, rng: np.random.Generator) -> dict[str, Any]:
    ranges = ["1", "2-3", "4-5"]
    return {"grades": names, "ranges": ranges, "shares": rng.dirichlet([1.0] * 3, len(names)), "of": "listnet"}


@figure(grades_example)
def grade_places(
    *,
    grades: Sequence[str],
    ranges: Sequence[str],
    shares: npt.ArrayLike,
    of: str,
    style: Style | None = None,
) -> Any:
    """A row a grade, a column a range of ranks; darker where more of the grade's documents are put.

    shares: (grades, ranges), each in [0, 1], of the documents of the row. of: the ranker. The first 30 grades are
    shown. Raises ParameterError for data that do not fit.
    """
    alt, style = altair(), style or Style()
    names, spans = as_names(grades, "grades"), as_names(ranges, "ranges")
    table = as_table(shares, (len(names), len(spans)), "shares")
    if not ((table >= 0) & (table <= 1 + 1e-9)).all():
        raise ParameterError("shares has numbers beyond 0 and 1, expected shares of each row")
    kept, data = names[:MOST_RANKS], []
    top = float(table.max()) or 1.0
    for i, grade in enumerate(kept):
        for j, span in enumerate(spans):
            colour = between(SEQUENTIAL, table[i, j] / top)
            text = f"{table[i, j]:.0%}"
            data.append(
                {"row": grade, "column": span, "share": cell(table[i, j]), "text": text, "fill": colour,
                 "ink": ink_on(colour)}
            )  # fmt: skip
    tooltip = [
        alt.Tooltip("row:N", title="grade"),
        alt.Tooltip("column:N", title="rank"),
        alt.Tooltip("share:Q", title="share of the grade", format=".1%"),
    ]
    axes = square_axes(alt, kept, spans, style, ("grade", "rank"))
    said = f"{printable(spans[0])}: " + ", ".join(f"{table[i, 0]:.0%} of {name}" for i, name in enumerate(kept[:5]))
    return finish(
        draw_cells(alt, data, axes, alt.Fill("fill:N").scale(None).legend(None), tooltip, len(spans) <= 12),
        title=f"Where {shorten(printable(of))} puts documents of each grade",
        subtitle=["Percentages: of the row.", truncation_note(len(names), MOST_RANKS, "grades")],
        description=f"Shares of the documents of {len(kept)} grades by ranks. At rank {said}.",
        style=style,
        height=max(height_of(len(kept)), min(44 * len(kept), 160)),
    )
