"""Query by query: where one system helps, where it hurts, and how much hangs on few queries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from rankscope.comparison.matched import MeasureValues
from rankscope.data.cells import format_number
from rankscope.data.sections import Cell, Figure, Section, Table
from rankscope.data.wording import first_names, pluralise_queries
from rankscope.kernels.ties import NOISE, order_of
from rankscope.typing import Floats

if TYPE_CHECKING:
    from rankscope.comparison.comparison import Comparison, MeasureComparison

__all__ = ["differences_figure", "extreme_queries", "extremes_table", "gains_of", "query_section", "leading_systems"]

#: Queries shown on either side.
MOST_EXTREME = 5
#: Unanswered queries named.
MOST_IN_NOTE = 20


def query_section(result: Comparison, part: MeasureComparison, *, folded: bool = True) -> Section:
    """The two systems that matter most: the pair; the best one and the baseline; or the best two."""
    a, b = leading_systems(result, part)
    names = part.systems[a], part.systems[b]
    ids = [result.scores.query_ids[q] for q in part.matched.queries.tolist()]
    gain = gains_of(part.matched, a, b)
    order = order_of(-gain)
    return Section(
        title=f"{part.measure}, query by query: {names[0]} and {names[1]}",
        sentence=" ".join([win_counts(names, gain), *hangs_on(names, gain, order)]),
        table=extremes_table(part.matched, ids, a, b),
        figure=differences_figure(part.matched, ids, a, b),
        notes=unanswered(part, ids),
        folded=folded,
    )


def gains_of(matched: MeasureValues, a: int, b: int) -> Floats:
    """(n) differences of two systems, above 0 where the first is better; what only rounding tells apart is equal.

    Values that should be one can differ in their last bits, as of two versions; so can differences that should.
    """
    first, second = matched.values[a], matched.values[b]
    gain = matched.sign * (first - second)
    noise = NOISE * np.maximum(np.abs(first), np.abs(second))
    gain = np.where(np.abs(gain) <= noise, 0.0, gain)
    one = (gain - noise).max() <= (gain + noise).min()  # there is a difference that all of them may be
    return np.full(gain.size, gain.mean()) if one and gain.any() else gain


def extreme_queries(gain: Floats) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Places of the queries that are helped most, and of those that are hurt most; the most extreme first."""
    best, worst = (order_of(values)[:MOST_EXTREME] for values in (-gain, gain))
    return best[gain[best] > 0], worst[gain[worst] < 0]


def extremes_table(matched: MeasureValues, ids: Sequence[str], a: int, b: int) -> Table | None:
    """The queries that system a helps most against b, then those that it hurts most; None where all are equal."""
    gain = gains_of(matched, a, b)
    rows: list[tuple[Cell, ...]] = []
    for word, found in zip(("helped", "hurt"), extreme_queries(gain), strict=True):
        for q in found.tolist():
            cells = [f"{matched.values[s, q]:.4f}" for s in (a, b)]
            rows.append((word, ids[q], *cells, format_number(matched.sign * gain[q], signed=True)))
    columns = ("most", "query", matched.systems[a], matched.systems[b], "difference")
    return Table(columns=columns, rows=tuple(rows), left=2) if rows else None


def differences_figure(matched: MeasureValues, ids: Sequence[str], a: int, b: int) -> Figure:
    """Two systems query by query. ids: of the n queries."""
    return Figure(
        "query_differences",
        {
            "measure": matched.label,
            "system_a": matched.systems[a],
            "system_b": matched.systems[b],
            "query_ids": tuple(ids),
            "differences": tuple((matched.sign * gains_of(matched, a, b)).tolist()),
            "values_a": tuple(matched.values[a].tolist()),
            "values_b": tuple(matched.values[b].tolist()),
            "higher_is_better": matched.sign > 0,
        },
    )


def leading_systems(result: Comparison, part: MeasureComparison) -> tuple[int, int]:
    """The better one first, unless the other is the baseline."""
    first, second = part.order[:2].tolist()
    if result.baseline is None:
        return first, second
    base = int(part.second[0])
    return (first if first != base else second), base


def win_counts(names: tuple[str, str], gain: np.ndarray) -> str:
    wins, losses = int((gain > 0).sum()), int((gain < 0).sum())
    ties = gain.size - wins - losses
    equal = f", and on {ties} both are equal" if ties else ""
    return f"Of {gain.size:,} queries, {names[0]} is better on {wins:,} and {names[1]} on {losses:,}{equal}."


def hangs_on(names: tuple[str, str], gain: np.ndarray, order: np.ndarray) -> list[str]:
    """How few queries the lead hangs on: without so many of those that help the leader most, the other leads."""
    total = float(gain.sum())
    if total == 0 or gain.size < 2:
        return []
    leader, rival = names if total > 0 else names[::-1]
    falling = gain[order] if total > 0 else -gain[order[::-1]]
    left = abs(total) - np.cumsum(falling)
    n = int(np.argmax(left <= NOISE * np.abs(gain).sum())) + 1
    if n >= gain.size:
        return []
    which = "the query that helps" if n == 1 else f"the {n:,} queries that help"
    return [f"Without {which} {leader} most, it would not be ahead of {rival}."]


def unanswered(part: MeasureComparison, ids: list[str]) -> tuple[str, ...]:
    """Queries on which every system has the worst value that there is, 0."""
    if part.matched.sign < 0:
        return ()
    values = part.matched.values
    none = np.flatnonzero((values.max(axis=0) <= 0) & (values.min(axis=0) >= 0)).tolist()
    if not none:
        return ()
    named = first_names((ids[q] for q in none), MOST_IN_NOTE)
    are = "is" if len(none) == 1 else "are"
    return (f"{pluralise_queries(len(none))} {are} unanswered, 0 for every system: {named}",)
