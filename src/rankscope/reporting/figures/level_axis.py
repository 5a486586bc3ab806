"""Dashed lines at levels of significance, named at the right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rankscope.errors import ParameterError
from rankscope.reporting.figures.inputs import inline
from rankscope.stats.inputs import check_share

__all__ = ["as_levels", "with_levels"]


def as_levels(levels: Sequence[float], most: int | None = None) -> list[float]:
    """The levels, rising. Raises ParameterError for what is no level in (0, 1), for one twice, for more than `most`.

    >>> as_levels([0.05, 0.01])
    [0.01, 0.05]
    """
    for level in levels:
        check_share("level", level)
    found = sorted(float(level) for level in levels)
    if len(set(found)) < len(found):
        raise ParameterError("levels has one twice; give each once")
    if most is not None and len(found) > most:
        raise ParameterError(f"levels has {len(found)}, expected at most {most}, which can be told apart")
    return found


def with_levels(alt: Any, chart: Any, levels: Sequence[float], top: float, percent: bool) -> Any:
    """The chart with a dashed line at each level, and the level at a second axis, which finds its own room.

    top: where the chart's axis, which begins at 0, ends. percent: whether it is in percent. Levels beyond the top are
    left out; of numbers at the axis that would run into each other, some are.
    """
    places = [100 * level if percent else level for level in levels]
    places = [float(f"{place:.12g}") for place in places if place <= top]
    if not places:
        return chart
    text = f"format(datum.value, '.6~f') + '{'%' if percent else ''}'"
    axis = alt.Axis(
        orient="right",
        values=places,
        labelExpr=text,
        labelOverlap="greedy",
        domain=False,
        ticks=False,
        grid=True,
        gridDash=[4, 3],
        gridOpacity=0.6,
    )
    y = alt.Y("level:Q").title(None).axis(axis).scale(domain=[0, top], nice=False)
    rules = alt.Chart(inline([{"level": place} for place in places])).mark_point(opacity=0, aria=False).encode(y=y)
    return alt.layer(chart, rules).resolve_scale(y="independent")
