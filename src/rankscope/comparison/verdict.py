"""A whole comparison in two or three sentences, for those who read no further."""

from __future__ import annotations

from rankscope.comparison.comparison import Comparison, MeasureComparison
from rankscope.comparison.query_view import systems_of
from rankscope.comparison.words import sentence_of
from rankscope.data.wording import queries, said_p
from rankscope.errors import ParameterError
from rankscope.stats.power import queries_for_t

__all__ = ["enough_queries", "short_verdict", "verdict"]

#: In which share of experiments a difference is to be found when queries are counted.
POWER = 0.8


def verdict(result: Comparison) -> list[str]:
    """What the first measure says, and how many queries that took or would take."""
    part = result.parts[0]
    found = [sentence_of(result, part)]
    n = enough_queries(result, part)
    if n is not None:
        a, b = (part.systems[s] for s in systems_of(result, part))
        what = f"a difference like the one between {a} and {b}"
        it_takes = "would have sufficed" if n <= part.n else "are needed"
        found.append(f"To find {what} in 4 of 5 such experiments, {queries(n)} {it_takes}.")
    return found


def short_verdict(result: Comparison) -> str:
    """In one line: "B beats A by 0.0410 in AP (p = 0.0030); 38 queries would have sufficed"."""
    part = result.parts[0]
    a, b = systems_of(result, part)
    i = part.pair(a, b)
    if part.matched.sign * (part.means[a] - part.means[b]) < 0:
        a, b = b, a
    size, p = abs(float(part.difference[i])), float(part.pvalue_corrected[i])
    n = enough_queries(result, part)
    if not part.found[i]:
        more = f"; it would take {queries(n)} to show so small a difference" if n is not None and n > part.n else ""
        ahead = f"{part.systems[a]} is ahead of {part.systems[b]} by {size:.4f} in {part.measure}"
        return f"{ahead}, which may be chance (p {said_p(p)}){more}."
    sufficed = f"; {queries(n)} would have sufficed" if n is not None and n <= part.n else ""
    return f"{part.systems[a]} beats {part.systems[b]} by {size:.4f} in {part.measure} (p {said_p(p)}){sufficed}."


def enough_queries(result: Comparison, part: MeasureComparison) -> int | None:
    """How many queries find a difference as large as that of the two systems that matter most, at a power of 0.8.

    None where there is no difference, or none that varies, or no number of queries finds it.
    """
    a, b = systems_of(result, part)
    differences = part.matched.values[a] - part.matched.values[b]
    i = part.pair(a, b)
    mean = abs(float(differences.mean()))
    if part.n < 2 or mean == 0 or part.tested.degenerate[i] or part.equal[i]:
        return None
    try:
        return queries_for_t(mean, float(differences.std(ddof=1)), power=POWER, level=part.level)
    except ParameterError:  # more than anybody has
        return None
