"""A whole comparison in two or three sentences, for those who read no further."""

from __future__ import annotations

from rankscope.comparison.compare import Comparison, MeasureComparison, comparison_sentence, leading_systems
from rankscope.comparison.plan import plan
from rankscope.data.text import format_p_value, pluralise_queries
from rankscope.kernels.ties import signs_of

__all__ = [
    "enough_queries",
    "short_verdict",
    "tests_of",
    "verdict",
]


#: In which share of experiments a difference is to be found when queries are counted.
POWER = 0.8


def verdict(result: Comparison) -> list[str]:
    """What the first measure says, and how many queries that took or would take."""
    part = result.parts[0]
    found = [comparison_sentence(result, part)]
    n = enough_queries(result, part)
    if n is not None:
        a, b = (part.systems[s] for s in leading_systems(result, part))
        it_takes = "would have sufficed" if n <= part.n else "are needed"
        found.append(
            f"To find a difference like the one between {a} and {b} in 4 of 5 such experiments, "
            f"{pluralise_queries(n)} {it_takes}."
        )
    return found


def short_verdict(result: Comparison) -> str:
    """In one line: "B beats A by 0.0410 in AP (p = 0.0030); 38 queries would have sufficed, 4 times in 5"."""
    part = result.parts[0]
    a, b = leading_systems(result, part)
    i = part.pair(a, b)
    if signs_of(part.matched.sign * (part.means[a] - part.means[b]), part.matched.scale) < 0:
        a, b = b, a
    size, p = abs(float(part.difference[i])), float(part.pvalue_corrected[i])
    n = enough_queries(result, part)
    if not part.found[i]:
        more = (
            f"; it would take {pluralise_queries(n)} to show so small a difference"
            if n is not None and n > part.n
            else ""
        )
        ahead = f"{part.systems[a]} is ahead of {part.systems[b]} by {size:.4f} in {part.measure}"
        return f"{ahead}, which may be chance (p {format_p_value(p)}){more}."
    sufficed = f"; {pluralise_queries(n)} would have sufficed, 4 times in 5" if n is not None and n <= part.n else ""
    return (
        f"{part.systems[a]} beats {part.systems[b]} by {size:.4f} in {part.measure} (p {format_p_value(p)}){sufficed}."
    )


def enough_queries(result: Comparison, part: MeasureComparison) -> int | None:
    """How many queries find a difference as large as that of the two systems that matter most, at a power of 0.8.

    As `plan` says, with as many tests sharing the level as are corrected for (`tests_of`). None where no number of
    queries does, as where there is no difference or none that varies; and for Bayesian tests, which have no power.
    """
    settings = result.settings
    a, b = leading_systems(result, part)
    i = part.pair(a, b)
    side = {"two-sided": 0, "greater": 1, "less": -1}[settings.alternative]
    if settings.bayesian or (side and side * part.difference[i] <= 0):
        return None
    found = plan(
        result.scores,
        part.measure,
        baseline=result.baseline,
        power=POWER,
        level=part.level,
        tests=tests_of(result),
        alternative=settings.alternative,
    )
    needed = [row.n_queries for row in found.plans[0].rows if row.method == "t"]
    return needed[0] if needed else None


def tests_of(result: Comparison) -> int:
    """How many tests share the level: those of a family, where p-values are corrected for their number."""
    settings = result.settings
    alone = settings.bayesian or (settings.correction in ("bh", "none") and not settings.of_all)
    return 1 if alone else result.family
