"""Who leads, by how much, and how sure that is: the finding of a comparison, the winner first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankscope.comparison.common_queries import unjudged_reason
from rankscope.data.text import format_percent, join_names

if TYPE_CHECKING:
    from rankscope.comparison.compare.result import Comparison, MeasureComparison

__all__ = [
    "ROUNDING",
    "headline",
    "interval_phrase",
    "is_untested",
    "judged_order",
    "leading_systems",
    "others_sentence",
    "untested_sentence",
    "withheld_sentence",
]


#: Means are equal if they differ by at most this share of the largest.
ROUNDING = 1e-12
#: More systems are not named in an option.
MAX_NAMED = 8
#: The tie rule of tables of ranks of entities.
TIES_OF_RANKS = "given"
#: A difference below this has more digits than the headline of a page has otherwise.
SMALL_DIFFERENCE = 0.01


def withheld_sentence(comparison: MeasureComparison) -> str:
    """Why there is no verdict on some systems, and what to do."""
    unjudged = [comparison.systems[system] for system in comparison.measure_values.unjudged]
    return f"No verdict on {join_names(unjudged)}: {unjudged_reason(unjudged, comparison.measure)}."


def judged_order(comparison: MeasureComparison) -> list[int]:
    """The systems on which there is a verdict, best first."""
    return [system for system in comparison.order.tolist() if system not in comparison.measure_values.unjudged]


def leading_systems(result: Comparison, comparison: MeasureComparison) -> tuple[int, int]:
    """The two systems that matter most: the best two; with a baseline, the best of the others and the baseline."""
    candidates = comparison.order.tolist() if comparison.withheld.all() else judged_order(comparison)
    first, second = candidates[:2]
    if result.baseline is None:
        return first, second
    baseline_index = int(comparison.second[0])
    return (first if first != baseline_index else second), baseline_index


def is_untested(comparison: MeasureComparison) -> bool:
    """Whether no pair was tested, as with a single query or cluster, so that nothing can be said of chance."""
    posterior = comparison.test_results.posterior
    if comparison.measure_values.n_clusters < 2:
        return True
    numbers = [comparison.pvalue, comparison.pvalue_corrected, *([] if posterior is None else [posterior.sum(axis=0)])]
    return bool(np.isnan(numbers)[:, ~comparison.withheld].all())


def untested_sentence(result: Comparison, comparison: MeasureComparison) -> str:
    """That the values allow no test, and which would."""
    values = comparison.measure_values
    if values.n_clusters > 1:
        return "These values do not allow a test."
    unit = "query" if values.clusters is None else "cluster"
    reason = f"One {unit} allows no test: how much differences vary is unknown."
    if result.scores.settings.get("ties") != TIES_OF_RANKS:
        return reason
    systems = ",".join(comparison.systems) if len(comparison.systems) <= MAX_NAMED else "NAME,..."
    return (
        f"{reason} To test mean ranks, take each entity as a query: compare the same table without --input, with -m "
        f"MeanRank --systems {systems}."
    )


def headline(result: Comparison, comparison: MeasureComparison, n_digits: int = 4) -> str:
    """The finding in a sentence: the winner, its mean, that of the system it is compared with, and the difference.

    There is a verdict on at least two systems. n_digits: of the numbers; small differences have a digit more.
    """
    if result.baseline is None:
        return leader_headline(result, comparison, n_digits)
    baseline = int(comparison.second[0])
    first = leading_systems(result, comparison)[0]
    name, best_other = comparison.systems[baseline], comparison.systems[first]
    signs = comparison.against_baseline
    winners = [system for system in judged_order(comparison) if signs[system] > 0]
    if winners:
        facts = facts_text(comparison, winners[0], baseline, n_digits)
        return f"{verb_phrase(result, comparison, winners[0], baseline)} the baseline {name}: {facts}."
    is_only_one = len(comparison.systems) == 2
    if signs[first] < 0:
        facts = facts_text(comparison, baseline, first, n_digits)
        rank_text = "" if is_only_one else ", the best of the others"
        return f"The baseline {verb_phrase(result, comparison, baseline, first)} {best_other}{rank_text}: {facts}."
    facts = facts_text(comparison, first, baseline, n_digits)
    if is_untested(comparison):
        untested = untested_sentence(result, comparison)
        if is_only_one:
            return f"{best_other} was not tested against the baseline {name}: {facts}. {untested}"
        opening = f"No system was tested against the baseline {name}"
        return f"{opening}. The best of the others is {best_other}: {facts}. {untested}"
    claim = f"{'' if result.settings.is_bayesian else 'significantly '}better than the baseline {name}"
    if is_only_one:
        return f"{best_other} is not {claim}: {facts}."
    return f"No system is {claim}. The best of the others is {best_other}: {facts}."


def leader_headline(result: Comparison, comparison: MeasureComparison, n_digits: int) -> str:
    """The best system and the next one."""
    best, second = leading_systems(result, comparison)
    name, next_name = comparison.systems[best], comparison.systems[second]
    facts = facts_text(comparison, best, second, n_digits)
    if abs(comparison.means[best] - comparison.means[second]) <= ROUNDING * np.abs(comparison.means).max():
        return f"{name} and {next_name} have the same mean: {facts}."
    if comparison.beats[best, second]:
        return f"{verb_phrase(result, comparison, best, second)} {next_name}: {facts}."
    claim = "better" if result.settings.is_bayesian else "significantly better"
    return f"{name} leads, but is not {claim} than {next_name}: {facts}."


def verb_phrase(result: Comparison, comparison: MeasureComparison, a: int, b: int) -> str:
    """That a system beats another one; of a Bayesian test, how probable that is."""
    posterior = comparison.test_results.posterior
    if not result.settings.is_bayesian or posterior is None:
        return f"{comparison.systems[a]} beats"
    pair = comparison.pair_index(a, b)
    probability = float(posterior[2 if comparison.first[pair] == a else 0, pair])
    return f"{comparison.systems[a]} is, with a probability of {probability:.3f}, better than"


def facts_text(comparison: MeasureComparison, a: int, b: int, n_digits: int) -> str:
    """The means of two systems, their difference and its interval, if there is one."""
    pair = comparison.pair_index(a, b)
    is_swapped = comparison.first[pair] != a
    difference, low, high = (float(values[pair]) for values in (comparison.difference, comparison.low, comparison.high))
    if is_swapped:
        difference, low, high = -difference, -high, -low
    digits = n_digits + (n_digits < 4 and abs(difference) < SMALL_DIFFERENCE)
    interval_text = ""
    if not np.isnan(low):
        interval_text = f", {interval_phrase(comparison, low, high, digits)}"
    lower_text = "" if comparison.measure_values.sign > 0 else "; lower is better"
    mean_a, mean_b = (rounded(float(comparison.means[system]), digits) for system in (a, b))
    return (
        f"{comparison.measure_values.label} {mean_a} against {mean_b} "
        f"({rounded(difference, digits, signed=True)}{interval_text}{lower_text})"
    )


def interval_phrase(comparison: MeasureComparison, low: float, high: float, digits: int = 4) -> str:
    """The interval of a difference, as "95 % interval 0.01 to 0.03"; of a one-sided test its bound."""
    level = format_percent(1 - comparison.alpha)
    if np.isinf(low):
        return f"at most {rounded(high, digits)} with {level} confidence"
    if np.isinf(high):
        return f"at least {rounded(low, digits)} with {level} confidence"
    return f"{level} interval {rounded(low, digits)} to {rounded(high, digits)}"


def rounded(value: float, digits: int, *, signed: bool = False) -> str:
    """A value with so many digits; zeros have no sign."""
    rounded_value = round(value, digits) + 0.0
    return f"{rounded_value:{'+' if signed and rounded_value else ''}.{digits}f}"


def others_sentence(result: Comparison, comparison: MeasureComparison) -> str:
    """Which further systems are better than the baseline, which worse, and which do not differ significantly."""
    baseline = int(comparison.second[0])
    others = [system for system in judged_order(comparison) if system != baseline]
    signs = comparison.against_baseline
    better, worse, neither = ([system for system in others if signs[system] == sign] for sign in (1, -1, 0))
    first = leading_systems(result, comparison)[0]
    adjective = "" if result.settings.is_bayesian else "significant "
    groups = {
        "Also better": better[1:],
        f"No {adjective}difference": [system for system in neither if better or len(neither) > 1 or system != first],
        "Worse": [system for system in worse if len(comparison.systems) > 2 or system != first],
    }
    return " ".join(
        f"{title}: {join_names([comparison.systems[system] for system in systems])}."
        for title, systems in groups.items()
        if systems
    )
