"""What becomes of measures as a condition changes: so many queries, so deep a pool, such a cutoff."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.data.wording import pluralise
from rankscope.errors import ParameterError
from rankscope.reporting.figures.colours import SERIES
from rankscope.reporting.figures.curves import LINE_HEIGHT, MOST_LINES, describe_ends, draw_lines
from rankscope.reporting.figures.extra import altair
from rankscope.reporting.figures.inputs import as_names, as_table, cell, inline, printable, truncation_note
from rankscope.reporting.figures.registry import figure
from rankscope.reporting.figures.style import Style, finish
from rankscope.stats.inputs import is_real
from rankscope.typing import Floats

__all__ = ["condition_lines"]

#: More bands than these cover each other; they are then left out.
MOST_BANDS = 6
#: From this ratio of the last to the first on, a range is one of magnitudes.
MAGNITUDES = 20
#: So many conditions at most stand each at the axis.
TICKS = 12


def conditions_example(names: Sequence[str], queries: int, rng: np.random.Generator) -> dict[str, Any]:
    values = 30 / np.sqrt([5, 10, 20, 40]) * rng.uniform(0.8, 1.2, (len(names), 1))
    return {
        "x": [5, 10, 20, 40],
        "x_title": "queries per set",
        "measures": names,
        "values": values,
        "y_title": "error rate (%)",
        "lows": values * 0.9,
        "highs": values * 1.1,
    }


@figure(conditions_example)
def condition_lines(
    *,
    x: Sequence[float] | Sequence[str],
    x_title: str,
    measures: Sequence[str],
    values: npt.ArrayLike,
    y_title: str,
    lows: npt.ArrayLike | None = None,
    highs: npt.ArrayLike | None = None,
    interval: str = "95% interval",
    style: Style | None = None,
) -> Any:
    """A line a measure over a range of conditions, with a band where its ends are given.

    x: numbers, which are put in rising order (a range over magnitudes is drawn logarithmically), or texts, evenly
    spaced as they are given. values, lows, highs: (measures, conditions); NaN: a gap. interval: what the band is. The
    first 16 measures are shown; bands of at most 6 lines, since more cover each other. Raises ParameterError for data
    that do not fit.
    """
    alt, style = altair(), style or Style()
    names = as_names(measures, "measures")
    across, labels, encoding = axis_of(alt, x, printable(x_title))
    shape = (len(names), len(labels))
    order = np.argsort(across, kind="stable")
    table = as_table(values, shape, "values")[:, order]
    kept = names[:MOST_LINES]
    of = [labels[i] for i in order]
    texts = {"name": "measure", "x": printable(x_title), "of": of}
    y = alt.Y("y:Q").title(printable(y_title)).scale(zero=False)
    drawn = draw_lines(alt, kept, across[order], table[: len(kept)], encoding, y, style, texts)
    given = [
        None if end is None else as_table(end, shape, what)[:, order]
        for end, what in ((lows, "lows"), (highs, "highs"))
    ]
    below = ""
    if given[0] is not None and given[1] is not None:
        below = f"Bands, {printable(interval)}, are left out: {len(kept)} of them would cover each other."
        if len(kept) <= MOST_BANDS:
            below = f"Band: {printable(interval)}."
            band = bands(alt, kept, across[order], of, (given[0], given[1]), encoding, y)
            drawn = alt.layer(band, drawn)
    said = (
        describe_ends(kept, across[order], table, printable(x_title))
        if all(map(is_real, x))
        else f"{', '.join(kept[:5])}."
    )
    return finish(
        drawn,
        title=f"{as_title(printable(y_title))} by {printable(x_title)}",
        subtitle=[below, truncation_note(len(names), MOST_LINES, "measures")],
        description=f"{printable(y_title)} by {printable(x_title)} of {pluralise(len(kept), 'measure')}. {said}",
        style=style,
        height=LINE_HEIGHT,
    )


def as_title(text: str) -> str:
    """A text with a capital at its front, but a name as nDCG as it is.

    >>> as_title("error rate"), as_title("nDCG")
    ('Error rate', 'nDCG')
    """
    return text[:1].upper() + text[1:] if text[:2].islower() else text


def axis_of(alt: Any, x: Sequence[Any], title: str) -> tuple[Floats, list[str], Any]:
    """Where the conditions stand, what the pointer reads there, and the axis."""
    if isinstance(x, str) or not len(x):
        raise ParameterError("x has no conditions, expected a list of at least 1 number or text")
    if not all(map(is_real, x)):
        labels = as_names(x, "x")
        axis = alt.Axis(grid=False, labelAngle=-45 if len(" ".join(labels)) > 40 else 0, labelLimit=90)
        encoding = alt.X("of:N").title(title).sort(None).scale(domain=labels).axis(axis)
        return np.arange(len(labels), dtype=np.float64), labels, encoding
    across = as_table(x, (len(x),), "x")
    if np.isnan(across).any() or len(np.unique(across)) < len(across):
        raise ParameterError("x has a number twice or NaN; give each condition once")
    low, high = float(across.min()), float(across.max())
    magnitudes = low > 0 and high >= MAGNITUDES * low
    axis = alt.Axis(format=",~r" if high < 1e6 else "~s", grid=False, labelOverlap="greedy")
    if len(across) <= TICKS:
        axis["values"] = [cell(value) for value in np.sort(across)]
    scale = alt.Scale(zero=False, nice=False, **({"type": "log"} if magnitudes else {}))
    encoding = alt.X("x:Q").title(f"{title}, logarithmic" if magnitudes else title).scale(scale).axis(axis)
    return across, [f"{value:,.6g}" for value in across], encoding


def bands(
    alt: Any, names: list[str], across: Floats, of: list[str], given: tuple[Floats, Floats], x: Any, y: Any
) -> Any:
    """A pale band a line, with a gap where one of its ends is missing."""
    rows = [
        {"name": name, "fill": fill, "x": cell(across[i]), "of": of[i], "low": cell(low[i]), "high": cell(high[i])}
        for name, fill, low, high in zip(names, SERIES, given[0] + 0 * given[1], given[1] + 0 * given[0], strict=False)
        for i in range(across.size)
    ]
    # Not by a scale of its own, whose missing legend would take that of the lines along.
    fill = alt.Fill("fill:N").scale(None).legend(None)
    # One title for both fields, or the axis lists two.
    low = alt.Y("low:Q").title(y.to_dict()["title"]).scale(zero=False)
    return (
        alt.Chart(inline(rows))
        .mark_area(aria=False, opacity=0.16)
        .encode(x=x, y=low, y2="high:Q", fill=fill, detail="name:N")
    )
