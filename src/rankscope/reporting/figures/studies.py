"""Many measures over many experiments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.errors import ParameterError
from rankscope.kernels.ties import order_of
from rankscope.reporting.figures.curves import LINE_HEIGHT, MOST_LINES, draw_lines
from rankscope.reporting.figures.extra import altair
from rankscope.reporting.figures.inputs import as_names, as_table, printable, row_names, shorten, truncation_note
from rankscope.reporting.figures.registry import figure
from rankscope.reporting.figures.style import Style, finish

__all__ = ["measure_lines"]


def measures_example(names: Sequence[str], queries: int, rng: np.random.Generator) -> dict[str, Any]:
    experiments = [f"run {i}" for i in range(queries)]
    values = rng.random((len(names), queries))
    return {"experiments": experiments, "measures": names, "values": values, "order_by": names[-1]}


@figure(measures_example)
def measure_lines(
    *,
    experiments: Sequence[str],
    measures: Sequence[str],
    values: npt.ArrayLike,
    order_by: str,
    falling: bool = False,
    style: Style | None = None,
) -> Any:
    """A line a measure over experiments, which are ordered by one of the measures: where others fall, they disagree.

    values: (measures, experiments). order_by: one of the measures; experiments rise by it (or fall), those without
    a value last. Of more than 200 experiments evenly spaced ones are shown; the first 16 measures are, `order_by`
    among them. Raises ParameterError for data that do not fit.
    """
    alt, style = altair(), style or Style()
    names = as_names(measures, "measures")
    labels = row_names(experiments)
    table = as_table(values, (len(names), len(labels)), "values")
    chosen = printable(order_by)
    if chosen not in names:
        raise ParameterError(f"order_by is {shorten(chosen)!r}, expected one of the measures")
    if not labels:
        raise ParameterError("experiments is empty, expected at least 1 name")
    first = names.index(chosen)
    order = order_of(-table[first] if falling else table[first])
    # The measure that orders comes first, and so has the plain line.
    kept = [first, *(i for i in range(len(names)) if i != first)][:MOST_LINES]
    texts = {"name": "measure", "x": "experiment", "of": [labels[i] for i in order]}
    count = f"{len(labels):,} {'experiment' if len(labels) == 1 else 'experiments'}"
    x = alt.X("x:Q").title(f"{count}, in the order of {shorten(chosen)}").scale(zero=False, nice=False)
    x = x.axis(tickMinStep=1, format=",d", grid=False)
    y = alt.Y("y:Q").title("value")
    places = np.arange(1, len(labels) + 1, dtype=np.float64)
    shown_names = [names[i] for i in kept]
    return finish(
        draw_lines(alt, shown_names, places, table[kept][:, order], x, y, style, texts),
        title=f"Measures over experiments, ordered by {shorten(chosen)}",
        subtitle=[
            f"Where a line {'rises' if falling else 'falls'}, its measure orders two experiments the other way round.",
            truncation_note(len(names), MOST_LINES, "measures"),
        ],
        description=f"{len(kept)} measures over {count}, ordered by {chosen}: {', '.join(shown_names)}.",
        style=style,
        height=LINE_HEIGHT,
    )
