"""How often each system wins against each other: a table of shares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.errors import ParameterError
from rankscope.reporting.figures.colours import DIVERGING, between, ink_on
from rankscope.reporting.figures.extra import altair
from rankscope.reporting.figures.heat import draw_cells, height_of, square_axes
from rankscope.reporting.figures.inputs import as_names, as_table, cell, printable, truncation_note
from rankscope.reporting.figures.registry import figure
from rankscope.reporting.figures.style import Style, finish

__all__ = ["win_matrix"]

MOST = 40
#: Pixels that the names beside a table leave for it, and that a number of two digits takes.
NAMES, DIGITS = 130, 24


def win_example(names: Sequence[str], queries: int, rng: np.random.Generator) -> dict[str, Any]:
    ability = rng.normal(size=len(names))
    rates = 1 / (1 + np.exp(ability[None, :] - ability[:, None]))
    np.fill_diagonal(rates, np.nan)
    return {"systems": names, "rates": rates, "counts": np.full(rates.shape, queries)}


@figure(win_example)
def win_matrix(
    *,
    systems: Sequence[str],
    rates: npt.ArrayLike,
    counts: npt.ArrayLike | None = None,
    note: str = "",
    style: Style | None = None,
) -> Any:
    """How often the system of a row wins against that of a column, coloured around one half, with the percentages.

    rates: (systems, systems) in [0, 1], NaN where there is none, as on the diagonal. counts: (systems, systems) how
    many comparisons there were, for the pointer. Numbers that would run into each other are left to the pointer. The
    first 40 systems are shown. Raises ParameterError for data that do not fit.
    """
    alt, style = altair(), style or Style()
    names = as_names(systems, "systems")
    kept, shape = names[:MOST], (len(names), len(names))
    table = as_table(rates, shape, "rates")
    if ((table < 0) | (table > 1)).any():
        raise ParameterError("rates has a share beyond [0, 1], expected shares of comparisons won")
    n = None if counts is None else as_table(counts, shape, "counts")
    rows = []
    for i, row in enumerate(kept):
        for j, column in enumerate(kept):
            share = table[i, j]
            colour = style.paper if np.isnan(share) else between(DIVERGING, share)
            text = "–" if np.isnan(share) else f"{100 * share:.0f}"
            made = {"row": row, "column": column, "value": cell(share), "text": text, "ink": ink_on(colour)}
            rows.append(made if n is None else {**made, "count": cell(n[i, j])})
    fill = alt.Fill("value:Q").legend(alt.Legend(title="wins", format=".0%"))
    fill = fill.scale(domain=[0, 0.5, 1], range=list(DIVERGING), interpolate="rgb")
    tooltip = [
        alt.Tooltip("row:N", title="system"),
        alt.Tooltip("column:N", title="against"),
        alt.Tooltip("value:Q", title="wins", format=".1%"),
        *([] if n is None else [alt.Tooltip("count:Q", title="comparisons", format=",")]),
    ]
    room = (style.narrowest - NAMES) / len(kept) >= DIGITS
    return finish(
        draw_cells(alt, rows, square_axes(alt, kept, kept, style), fill, tooltip, room),
        title="Who wins against whom",
        subtitle=[
            "Of 100 comparisons with a column's system, a row's system wins so many; a tie is half a win.",
            printable(note),
            truncation_note(len(names), MOST, "systems"),
        ],
        description=f"Shares of comparisons that each of {len(kept)} systems wins against each other.",
        style=style,
        height=height_of(len(kept)),
    )
