"""Where a ranker puts documents of each grade: shares of each grade by ranges of ranks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.errors import ParameterError
from rankscope.reporting.figures.colours import SEQUENTIAL, between, ink_on
from rankscope.reporting.figures.extra import altair
from rankscope.reporting.figures.heat import draw_cells, height_of, square_axes
from rankscope.reporting.figures.inputs import as_names, as_table, cell, printable, shorten, truncation_note
from rankscope.reporting.figures.registry import figure
from rankscope.reporting.figures.style import Style, finish

__all__ = ["grade_places"]

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
