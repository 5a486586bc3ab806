"""A measure of which only values are known: computed by another tool, or defined elsewhere."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from rankscope.errors import RankscopeError
from rankscope.measures.base import Measure
from rankscope.measures.names import parse_measures

__all__ = [
    "ForeignMeasure",
    "foreign_measure",
    "measure_of_name",
]


@dataclass(frozen=True, kw_only=True)
class ForeignMeasure:
    """A measure that is known by name only.

    Its values can be looked at, summed up and compared, but it measures nothing anew.

    Attributes
    ----------
    name
        Its name.
    summary
        How values of queries become one: "mean", "sum", "geometric" or "none".
    higher_is_better
        The direction; None if neither is better.
    range
        The lowest and highest value.
    """

    name: str
    summary: str = "mean"
    higher_is_better: bool | None = True
    range: tuple[float, float] = (-math.inf, math.inf)

    def __str__(self) -> str:
        return self.name


def measure_of_name(name: str) -> Measure | None:
    """The measure of rankscope with this name, also one of trec_eval's names; None if there is none."""
    try:
        parsed = parse_measures([name])
    except (RankscopeError, ValueError):
        return None
    return parsed[0] if len(parsed) == 1 else None


def foreign_measure(name: str, own_measure: Measure | None, *, lower: bool = False) -> ForeignMeasure:
    """A measure of which another tool computed the values.

    Parameters
    ----------
    name
        The tool's name of the measure.
    own_measure
        rankscope's measure of this name, None if there is none. Only its direction and its summary are taken: another
        tool may mean something else by AP, or count it in percent.
    lower
        Whether lower values are better, whatever `own_measure` says.
    """
    measure = ForeignMeasure(name=name)
    if own_measure is not None:
        measure = replace(measure, summary=own_measure.summary, higher_is_better=own_measure.higher_is_better)
    return replace(measure, higher_is_better=False) if lower else measure
