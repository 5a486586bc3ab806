"""How often two sets of queries order two systems in two ways, by how far one set put them apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.data.wording import join_names
from rankscope.errors import ParameterError
from rankscope.reporting.figures.curves import LINE_HEIGHT, MOST_LINES, draw_lines
from rankscope.reporting.figures.error_tie import as_rates
from rankscope.reporting.figures.extra import altair
from rankscope.reporting.figures.inputs import as_names, as_table, number, truncation_note
from rankscope.reporting.figures.level_axis import as_levels, with_levels
from rankscope.reporting.figures.registry import figure
from rankscope.reporting.figures.style import Style, finish
from rankscope.typing import Floats

__all__ = ["swap_curve"]


def swap_example(names: Sequence[str], queries: int, rng: np.random.Generator) -> dict[str, Any]:
    edges = np.linspace(0, 0.19, 20)
    rates = 50 * np.exp(-edges * rng.uniform(15, 40, (len(names), 1)))
    return {"measures": names, "edges": edges, "rates": rates, "levels": [0.05]}


@figure(swap_example)
def swap_curve(
    *,
    measures: Sequence[str],
    edges: npt.ArrayLike,
    rates: npt.ArrayLike,
    levels: Sequence[float] = (),
    ranges: npt.ArrayLike | None = None,
    style: Style | None = None,
) -> Any:
    """Swap rate by the difference of two systems, a line a measure, with a dashed line at each level.

    edges: lower edges of the bins of differences, (bins,) or (measures, bins). rates: (measures, bins) in percent; NaN:
    no difference fell in the bin, a gap. levels: in (0, 1). ranges: (measures,) how wide each measure's scale is; where
    these differ, differences are drawn in percent of them, since those of a mean rank and of AP have no common axis;
    the pointer reads the difference itself. Bins beyond the last swap of any measure are cut off. The first 16
    measures are shown. Raises ParameterError for data that do not fit.
    """
    alt, style = altair(), style or Style()
    names = as_names(measures, "measures")
    if np.ndim(rates) != 2:
        raise ParameterError(f"rates has shape {np.shape(rates)}, expected (measures, bins)")
    shape = (len(names), np.shape(rates)[1])
    table = as_rates(rates, shape, "rates")
    starts = as_table(edges, shape if np.ndim(edges) == 2 else shape[1:], "edges")
    starts = np.broadcast_to(starts, shape)[:MOST_LINES]
    kept, table = names[:MOST_LINES], table[:MOST_LINES]
    across, relative = scaled(starts, ranges, len(names))
    stop, cut = last_bin(table)
    texts = {
        "name": "measure",
        "x": "difference from",
        "of": [[f"{edge:.4g}" for edge in row[:stop]] for row in starts],
        "value": "swap rate (%)",
        "format": ".2f",
    }
    top = max([1.0, *(100 * level for level in as_levels(levels)), float(np.nanmax(table, initial=0.0))]) * 1.04
    title = "difference, percent of the measure's range" if relative else "difference of two systems"
    x = alt.X("x:Q").title(title).scale(zero=True, nice=False)
    y = alt.Y("y:Q").title("swap rate (%)").scale(domain=[0, top], nice=False)
    said = join_names(f"{name} {number(rate, 1)}%" for name, rate in zip(kept, first_rates(table), strict=True))
    return finish(
        with_levels(
            alt,
            draw_lines(alt, kept, across[:, :stop], table[:, :stop], x, y, style, texts),
            as_levels(levels),
            top,
            True,
        ),
        title="How often a second sample turns a difference round",
        subtitle=[
            f"Lower is better.{' Dashed: levels.' if levels else ''}"
            + (" No larger difference was turned round." if cut else ""),
            truncation_note(len(names), MOST_LINES, "measures"),
        ],
        description=f"Swap rate by the difference of two systems; for the smallest differences: {said}.",
        style=style,
        height=LINE_HEIGHT,
    )


def scaled(starts: Floats, ranges: npt.ArrayLike | None, count: int) -> tuple[Floats, bool]:
    """Where the bins stand, and whether in percent of each measure's range."""
    if ranges is None:
        widths = np.ones(count)
    else:
        widths = as_table(ranges, (count,), "ranges")
        if not (widths > 0).all():
            raise ParameterError("ranges has a number that is not above 0, expected how wide each measure's scale is")
    widths = widths[: len(starts), None]
    if np.ptp(widths) == 0:
        return starts, False
    return 100 * starts / widths, True


def last_bin(table: Floats) -> tuple[int, bool]:
    """How many bins are drawn: up to the first one after the last swap; and whether any that have a value are not."""
    there = np.flatnonzero(~np.isnan(table).all(axis=0))
    swapped = np.flatnonzero((np.nan_to_num(table) > 0).any(axis=0))
    if not there.size:
        return table.shape[1], False
    last = int(swapped[-1]) if swapped.size else int(there[0])
    after = there[there > last]
    stop = int(after[0] if after.size else there[-1]) + 1
    return stop, bool(after.size > 1)


def first_rates(table: Floats) -> list[float]:
    """The rate of each measure's first bin that has one."""
    there = ~np.isnan(table)
    first = np.argmax(there, axis=1) if table.shape[1] else np.zeros(len(table), np.int64)
    return [float(row[i]) if row.size else float("nan") for row, i in zip(table, first, strict=True)]
