"""Scores of systems by people against those of a metric: a named point a system."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.data.wording import join_names, pluralise
from rankscope.errors import ParameterError
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
from rankscope.reporting.figures.named_points import AT, HEIGHT, TIE, labelled_points
from rankscope.reporting.figures.registry import figure
from rankscope.reporting.figures.style import Style, finish
from rankscope.typing import Floats

__all__ = ["human_against_metric"]

#: More names than these find no room beside their points.
MOST_SYSTEMS = 30
KINDS = ["near", "far"]
#: What is free beyond the points, where names go, as a share of what they take.
ROOM = 0.15


def scores_example(names: Sequence[str], queries: int, rng: np.random.Generator) -> dict[str, Any]:
    human = rng.uniform(0.3, 0.7, len(names))
    return {
        "systems": names,
        "human": human,
        "scores": 20 + 20 * human + rng.normal(0, 1, len(names)),
        "metric": "BLEU",
        "outliers": names[:1],
    }


@figure(scores_example)
def human_against_metric(
    *,
    systems: Sequence[str],
    human: npt.ArrayLike,
    scores: npt.ArrayLike,
    metric: str,
    human_name: str = "people",
    outliers: Sequence[str] = (),
    lower: Sequence[str] = (),
    style: Style | None = None,
) -> Any:
    """A named point a system: what people say of it, to the right, and what a metric says, upward.

    human, scores: (systems,); NaN: the system is not drawn, and the text says so. outliers: systems that people find
    far from the rest, as squares. lower: of "human" and "metric" those of which lower is better; their axes run
    backwards, so that upper right is always better. A name that finds no room beside its point is tied to it by a
    line. The first 30 systems are shown. Raises ParameterError for data that do not fit.
    """
    alt, style = altair(), style or Style()
    names = as_names(systems, "systems")
    shape = (len(names),)
    table = np.stack([as_table(human, shape, "human"), as_table(scores, shape, "scores")])
    far = {printable(name) for name in outliers}
    if unknown := sorted(far - set(names)):
        raise ParameterError(f"outliers has {shorten(unknown[0])!r}, which is not among the systems")
    if unfit := [name for name in lower if name not in ("human", "metric")]:
        raise ParameterError(f"lower has {unfit[0]!r}, expected 'human', 'metric' or both")
    there = [i for i in range(len(names[:MOST_SYSTEMS])) if not np.isnan(table[:, i]).any()]
    without = [name for i, name in enumerate(names[:MOST_SYSTEMS]) if i not in there]
    kept = [names[i] for i in there]
    values = table[:, there]
    domains = [domain(row) for row in values]
    turned = ("human" in lower, "metric" in lower)
    rows = point_rows(kept, values, domains, turned, far, style)
    titles = (printable(human_name), printable(metric))
    said = join_names(f"{names[i]} {number(table[0, i], 3)} and {number(table[1, i], 3)}" for i in there)
    squares = [name for name in kept if name in far]
    return finish(
        alt.layer(*score_layers(alt, rows, domains, turned, titles, style)),
        title=f"Systems by people and by {shorten(titles[1])}",
        subtitle=[
            "A point a system; the farther right, the better by people, the higher up, by the metric.",
            f"Squares: far from the rest, by people: {join_names(shorten(name) for name in squares)}."
            if squares
            else "",
            f"Not drawn, since a score is missing: {join_names(shorten(name) for name in without)}." if without else "",
            truncation_note(len(names), MOST_SYSTEMS, "systems"),
        ],
        description=f"Scores by people and by {titles[1]} of {pluralise(len(kept), 'system')}: {said or 'none'}.",
        style=style,
        height=HEIGHT,
    )


def domain(values: Floats) -> tuple[float, float]:
    """The ends of an axis, with some room beyond the points."""
    if not values.size:
        return 0.0, 1.0
    low, high = float(values.min()), float(values.max())
    room = ROOM * (high - low) or 0.1 * abs(high) or 1.0
    return low - room, high + room


def point_rows(
    names: list[str],
    values: Floats,
    domains: list[tuple[float, float]],
    turned: tuple[bool, bool],
    far: set[str],
    style: Style,
) -> list[dict[str, Any]]:
    """A row a system: its point, its name and where that stands."""
    lows, highs = np.array(domains).T[:, :, None]
    along = (values - lows) / (highs - lows)
    # Pixels count from the left and from the top; an axis that runs backwards turns its side round.
    x, y = np.abs(np.array([[float(turned[0])], [float(not turned[1])]]) - along)
    return [
        {
            "system": name,
            "text": placed["text"],
            "human": cell(human),
            "metric": cell(metric),
            "kind": KINDS[name in far],
            **placed,
        }
        for name, placed, human, metric in zip(
            names, labelled_points(names, np.stack([x, y], axis=1), np.zeros((0, 4)), style), *values, strict=True
        )
    ]


def score_layers(
    alt: Any,
    rows: list[dict[str, Any]],
    domains: list[tuple[float, float]],
    turned: tuple[bool, bool],
    titles: tuple[str, str],
    style: Style,
) -> list[Any]:
    scales = [
        alt.Scale(domain=list(ends), nice=False, zero=False, reverse=back)
        for ends, back in zip(domains, turned, strict=True)
    ]
    names = [f"{title}{', lower is better' if back else ''}" for title, back in zip(titles, turned, strict=True)]
    x, y = alt.X("human:Q").title(names[0]).scale(scales[0]), alt.Y("metric:Q").title(names[1]).scale(scales[1])
    tooltip = [
        alt.Tooltip("system:N", title="system"),
        alt.Tooltip("human:Q", title=names[0], format=".4f"),
        alt.Tooltip("metric:Q", title=names[1], format=".4f"),
    ]
    base, tied = alt.Chart(inline(rows)), alt.Chart(inline([row for row in rows if row["tied"]]))
    tie = tied.mark_rule(aria=False, strokeWidth=0.8, **TIE)
    shape = alt.Shape("kind:N").scale(domain=KINDS, range=["circle", "square"]).legend(None)
    fill = alt.Fill("kind:N").scale(domain=KINDS, range=[BLUE, VERMILLION]).legend(None)
    dots = base.mark_point(filled=True, size=70, opacity=1, stroke=style.paper, strokeWidth=1)
    return [
        tie.encode(x=x, y=y, x2="human:Q", y2="metric:Q"),
        dots.encode(x=x, y=y, shape=shape, fill=fill, tooltip=tooltip),
        base.mark_text(aria=False, baseline="middle", **AT).encode(x=x, y=y, text="text:N", tooltip=tooltip),
    ]
