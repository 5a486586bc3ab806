"""A comparison summarised in two or three sentences."""

from __future__ import annotations

import math

from rankscope.comparison.compare import (
    Comparison,
    MeasureComparison,
    certainty_sentence,
    comparison_sentence,
    headline,
    is_untested,
    leading_systems,
    withheld_sentence,
)
from rankscope.comparison.plan import MeasurePlan, detectable_sentence, plan
from rankscope.data.text import format_p_value
from rankscope.kernels.rounding_ties import signs_of

__all__ = [
    "n_tests_of",
    "short_verdict",
    "verdict",
]


#: The power for which queries are counted.
POWER = 0.8


def verdict(result: Comparison) -> list[str]:
    """By the first measure: the winner and its lead; how sure that is; what so many queries can show."""
    comparison = result.comparisons[0]
    if comparison.withheld.all():
        return [comparison_sentence(result, comparison)]
    is_one_pair = comparison.first.size == 1
    if is_untested(comparison) or (is_one_pair and comparison.equal[0]):
        return [comparison_sentence(result, comparison), *detectable_sentences(result, comparison)]
    sentences = [headline(result, comparison, n_digits=3), certainty_sentence(result, comparison)]
    if comparison.withheld.any():
        sentences.insert(1, withheld_sentence(comparison))
    return [*sentences, *detectable_sentences(result, comparison)]


def detectable_sentences(result: Comparison, comparison: MeasureComparison) -> list[str]:
    """The smallest difference that the queries can show; nothing for Bayesian tests, which have no power."""
    if result.settings.is_bayesian:
        return []
    measure_plan = plan_of(result, comparison)
    if math.isnan(measure_plan.row("t detectable").difference):
        return []
    n_tests = n_tests_of(result)
    shared = f" ({n_tests} tests share the level)" if n_tests > 1 else ""
    return [f"{detectable_sentence(measure_plan, POWER)[:-1]}{shared}."]


def short_verdict(result: Comparison) -> str:
    """In two sentences: "B beats A by 0.0410 in AP (p = 0.0030).", and which differences so many queries detect."""
    comparison = result.comparisons[0]
    if comparison.withheld.all():
        return comparison_sentence(result, comparison)
    a, b = leading_systems(result, comparison)
    i = comparison.pair_index(a, b)
    if (
        signs_of(
            comparison.measure_values.sign * (comparison.means[a] - comparison.means[b]),
            comparison.measure_values.scale,
        )
        < 0
    ):
        a, b = b, a
    gap, p = abs(float(comparison.difference[i])), float(comparison.pvalue_corrected[i])
    verb, doubt = ("beats", "") if comparison.decisions[i] else ("is ahead of", "which may be chance ")
    lead_text = f"{comparison.systems[a]} {verb} {comparison.systems[b]} by {gap:.4f} in {comparison.measure}"
    lead_text += f", {doubt}(p {format_p_value(p)})." if doubt else f" (p {format_p_value(p)})."
    return " ".join([lead_text, *detectable_sentences(result, comparison)])


def plan_of(result: Comparison, comparison: MeasureComparison) -> MeasurePlan:
    """The plan for this comparison, with as many tests as share the level."""
    query_plan = plan(
        result.scores,
        comparison.measure,
        baseline=result.baseline,
        power=POWER,
        alpha=comparison.alpha,
        tests=n_tests_of(result),
        alternative=result.settings.alternative,
    )
    return query_plan.plans[0]


def n_tests_of(result: Comparison) -> int:
    """How many tests share the level: those of a family if p-values are corrected for their number, else 1."""
    settings = result.settings
    return result.family_size if settings.controls_any_claim and not settings.is_bayesian else 1
