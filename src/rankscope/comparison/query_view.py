"""Query by query: where one system helps, where it hurts, and how much hangs on few queries."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankscope.data.sections import Cell, Figure, Section, Table
from rankscope.data.wording import queries

if TYPE_CHECKING:
    from rankscope.comparison.comparison import Comparison, MeasureComparison

__all__ = ["query_section", "systems_of"]

#: Queries shown on either side.
SHOWN = 5
#: Unanswered queries named.
NAMED = 20


def query_section(result: Comparison, part: MeasureComparison, *, folded: bool = True) -> Section:
    """The two systems that matter most: the pair; the best one and the baseline; or the best two."""
    a, b = systems_of(result, part)
    names = part.systems[a], part.systems[b]
    values = part.matched.values
    ids = [result.scores.query_ids[q] for q in part.matched.queries.tolist()]
    differences = values[a] - values[b]
    gain = part.matched.sign * differences  # above 0 where the first is better
    order = np.argsort(-gain, kind="stable")
    helped = [q for q in order[:SHOWN].tolist() if gain[q] > 0]
    hurt = [q for q in order[-SHOWN:].tolist() if gain[q] < 0 and q not in helped]
    rows: list[tuple[Cell, ...]] = []
    for word, found in (("helped", helped), ("hurt", hurt)):
        for q in found:
            cells = [f"{values[s, q]:.4f}" for s in (a, b)]
            rows.append((word, ids[q], *cells, f"{differences[q]:+.4f}"))
    return Section(
        title=f"{part.measure}, query by query: {names[0]} and {names[1]}",
        sentence=" ".join([counts(names, gain), *hangs_on(names, gain, order)]),
        table=Table(columns=("most", "query", *names, "difference"), rows=tuple(rows), left=2) if rows else None,
        figure=Figure(
            "query_differences",
            {
                "measure": part.measure,
                "system_a": names[0],
                "system_b": names[1],
                "query_ids": tuple(ids),
                "differences": tuple(differences.tolist()),
                "values_a": tuple(values[a].tolist()),
                "values_b": tuple(values[b].tolist()),
                "higher_is_better": part.matched.sign > 0,
            },
        ),
        notes=unanswered(part, ids),
        folded=folded,
    )


def systems_of(result: Comparison, part: MeasureComparison) -> tuple[int, int]:
    """The better one first, unless the other is the baseline."""
    first, second = part.order[:2].tolist()
    if result.baseline is None:
        return first, second
    base = int(part.second[0])
    return (first if first != base else second), base


def counts(names: tuple[str, str], gain: np.ndarray) -> str:
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
    n = int(np.argmax(left <= 1e-12 * np.abs(gain).sum())) + 1
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
    named = ", ".join(ids[q] for q in none[:NAMED]) + (", ..." if len(none) > NAMED else "")
    are = "is" if len(none) == 1 else "are"
    return (f"{queries(len(none))} {are} unanswered, 0 for every system: {named}",)
