"""The leaderboard: means of systems, the best on top."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.errors import ParameterError
from rankscope.kernels.ties import order_of
from rankscope.reporting.figures.colours import BLUE, VERMILLION
from rankscope.reporting.figures.extra import altair
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
from rankscope.reporting.figures.registry import figure
from rankscope.reporting.figures.style import Style, finish, name_labels

__all__ = ["MOST", "leaderboard"]

#: More rows than these are no figure any more.
MOST = 50
#: Room of a row, in pixels.
BAR_HEIGHT = 22


def means_example(names: Sequence[str], queries: int, rng: np.random.Generator) -> dict[str, Any]:
    means = rng.uniform(0.2, 0.8, len(names))
    return {
        "systems": names,
        "means": means,
        "low": means - 0.1,
        "high": means + 0.1,
        "measure": "nDCG@10",
        "letters": ["a"] * len(names),
        "baseline": names[0],
    }


@figure(means_example)
def leaderboard(
    *,
    systems: Sequence[str],
    means: npt.ArrayLike,
    measure: str,
    low: npt.ArrayLike | None = None,
    high: npt.ArrayLike | None = None,
    letters: Sequence[str] | None = None,
    baseline: str | None = None,
    higher_is_better: bool | None = True,
    interval: str = "95% interval",
    note: str = "",
    dot: str = "mean over queries",
    digits: int = 4,
    style: Style | None = None,
) -> Any:
    """Means of systems as dots with their intervals, the best on top; the mean and the letters at the right.

    low, high: ends of the intervals. letters: what stands behind a mean, as letters of significance; `note` says what
    they mean. baseline: a system, shown as a square with a dashed line. NaN: a system without a value, last. The best
    50 are shown. Raises ParameterError for data that do not fit.
    """
    alt, style = altair(), style or Style()
    names = as_names(systems, "systems")
    values = as_table(means, (len(names),), "means")
    ends = [
        values if end is None else as_table(end, values.shape, what) for end, what in ((low, "low"), (high, "high"))
    ]
    behind = [""] * len(names) if letters is None else [printable(text) for text in letters]
    if len(behind) != len(names):
        raise ParameterError(f"letters has {len(behind)} texts, expected {len(names)}, to fit the names")
    base = None if baseline is None else printable(baseline)
    if base is not None and base not in names:
        raise ParameterError(f"the baseline {shorten(base)!r} is not among the systems")
    order = [int(i) for i in order_of(values if higher_is_better is False else -values)]
    rows = [
        {
            "system": names[i],
            "mean": cell(values[i]),
            "low": cell(ends[0][i]),
            "high": cell(ends[1][i]),
            "is": "baseline" if names[i] == base else "system",
            # Texts of two rows may be alike, but keys of a scale may not.
            "text": f"{place}|{number(values[i], digits)} {behind[i]}".rstrip(),
        }
        for place, i in enumerate(order[:MOST])
    ]
    line = None if base is None else cell(values[names.index(base)])
    intervals = low is not None or high is not None
    said = ", ".join(f"{names[i]} {number(values[i], digits)}" for i in order[:5])
    what = f"Dot: {printable(dot)}."
    return finish(
        dots(alt, rows, intervals, line, printable(measure), style, f".{digits}f"),
        title=f"Systems by {printable(measure)}",
        subtitle=[
            f"{what} Line: {printable(interval)}." if intervals else what,
            "" if base is None else f"Square and dashed line: the baseline {shorten(base)}.",
            printable(note),
            truncation_note(len(names), MOST, "systems").replace("first", "best"),
        ],
        description=f"Systems by {printable(measure)}: {said}{' and others' if len(order) > 5 else ''}.",
        style=style,
        height=BAR_HEIGHT * len(rows),
    )


def dots(
    alt: Any, rows: list[Any], intervals: bool, line: float | None, measure: str, style: Style, digits: str
) -> Any:
    """A row a system. line: the mean of the baseline, where there is one. digits: how the pointer shows numbers."""
    kept = [row["system"] for row in rows]
    y = alt.Y("system:N").title(None).scale(domain=kept).sort(None).axis(labelExpr=name_labels(style), ticks=False)
    scale = alt.Scale(zero=False, nice=True)
    x = alt.X("mean:Q").title(measure).scale(scale)
    tooltip = [alt.Tooltip("system:N", title="system"), alt.Tooltip("mean:Q", title="mean", format=digits)]
    layers = []
    if intervals:
        tooltip += [alt.Tooltip(f"{end}:Q", title=end, format=digits) for end in ("low", "high")]
        rules = alt.Chart().mark_rule(aria=False, strokeWidth=2, color=BLUE)
        layers.append(rules.encode(y=y, x=alt.X("low:Q").title(measure).scale(scale), x2="high:Q"))
    if line is not None:
        dashes = alt.Chart(inline([{"mean": line}])).mark_rule(aria=False, strokeDash=[4, 3], opacity=0.7)
        layers.append(dashes.encode(x=x))
    kinds = ["system", "baseline"]
    shape = alt.Shape("is:N").scale(domain=kinds, range=["circle", "square"]).legend(None)
    fill = alt.Fill("is:N").scale(domain=kinds, range=[BLUE, VERMILLION]).legend(None)
    points = alt.Chart().mark_point(filled=True, size=75, opacity=1, stroke=style.paper, strokeWidth=1)
    layers.append(points.encode(y=y, x=x, shape=shape, fill=fill, tooltip=tooltip))
    # The numbers at the right are the labels of a second axis, which finds its own room at any width.
    text = "slice(datum.label, indexof(datum.label, '|') + 1)"
    right = alt.Axis(orient="right", labelExpr=text, ticks=False, domain=False, grid=False)
    texts = alt.Y("text:N").title(None).scale(domain=[row["text"] for row in rows]).sort(None).axis(right)
    numbers = alt.Chart().mark_point(opacity=0, aria=False).encode(y=texts)
    return alt.layer(alt.layer(*layers), numbers, data=inline(rows)).resolve_scale(y="independent")
