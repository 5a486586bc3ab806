"""A comparison in sentences that need no statistics to be understood, and claim no more than was found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankscope.data.wording import format_chance, format_p_value, format_percent, join_names, pluralise_queries

if TYPE_CHECKING:
    from rankscope.comparison.comparison import Comparison, MeasureComparison

__all__ = ["comparison_sentence"]

#: Means that agree to this share of the greatest are one.
ROUNDING = 1e-12


def comparison_sentence(result: Comparison, part: MeasureComparison) -> str:
    """What one measure says, in one to three sentences."""
    if part.first.size == 1:
        return of_pair(result, part)
    return against_baseline(result, part) if result.baseline is not None else of_all(result, part)


def of_pair(result: Comparison, part: MeasureComparison) -> str:
    """The better one first, how much better, and how easily that comes about by chance."""
    sign = part.matched.sign
    swap = sign * part.difference[0] < 0
    a, b = int(part.first[0]), int(part.second[0])
    a, b = (b, a) if swap else (a, b)
    first, second = part.systems[a], part.systems[b]
    if part.equal[0]:
        return (
            f"{first} and {second} have the same {part.measure} on every one of {pluralise_queries(part.n)}: between them there "
            f"is no difference to test{' (p = 1)' if part.tested.posterior is None else ''}."
        )
    ends = (-part.high[0], -part.low[0]) if swap else (part.low[0], part.high[0])
    size = abs(part.difference[0])
    ends = ends if sign > 0 else (-ends[1], -ends[0])
    within = ""
    if not np.isnan(ends[0]):
        within = f" ({format_percent(1 - part.level)} interval {ends[0]:.4f} to {ends[1]:.4f})"
    facts = (
        f"its mean {part.matched.label} on {pluralise_queries(part.n)} is {part.means[a]:.4f} against {part.means[b]:.4f}, "
        f"{'higher' if sign > 0 else 'lower'} by {size:.4f}{within}"
    )
    if size <= ROUNDING * np.abs(part.means).max():
        return (
            f"{first} and {second} have the same mean {part.matched.label}, {part.means[a]:.4f} on "
            f"{pluralise_queries(part.n)}{within}. That they differ was not shown; nor are they shown to be equal."
        )
    if part.tested.posterior is not None and not np.isnan(part.tested.posterior).any():
        return by_probability(result, part, first, second, facts, swap)
    p = float(part.pvalue[0] if not np.isnan(part.pvalue[0]) else part.pvalue_corrected[0])
    if np.isnan(p):
        return f"{first} is ahead of {second}: {facts}. How sure that is cannot be told from these values."
    chance = by_chance(result, part, p)
    if part.found[0]:
        return f"On queries like these, {first} is better than {second}: {facts}. {chance}"
    asked = f"{first} and {second} differ"
    if result.settings.alternative != "two-sided":
        word = "higher" if result.settings.alternative == "greater" else "lower"
        asked = f"{part.systems[part.first[0]]} has {word} values than {part.systems[part.second[0]]}"
    return (
        f"It was not shown that {asked}. {first} is ahead: {facts}. {chance} That does not show them to be equal "
        "either."
    )


def by_chance(result: Comparison, part: MeasureComparison, p: float) -> str:
    """What p means; of one-sided tests, for differences in the direction asked for."""
    what = "a difference as large"
    if result.settings.alternative != "two-sided":
        word = "high" if result.settings.alternative == "greater" else "low"
        what = f"values of {part.systems[part.first[0]]} as {word} beside those of {part.systems[part.second[0]]}"
    corrected = float(part.pvalue_corrected[0])
    family = f", {corrected:.4f} corrected for the number of tests" if abs(corrected - p) > 5e-5 else ""
    return (
        f"Were both equally good, {what} would still come about by chance {format_chance(p)} such comparisons "
        f"(p {format_p_value(p)}{family}, {result.settings.test})."
    )


def by_probability(result: Comparison, part: MeasureComparison, first: str, second: str, facts: str, swap: bool) -> str:
    assert part.tested.posterior is not None  # of Bayesian tests only
    worse, equal, better = part.tested.posterior[:, 0].tolist()
    worse, better = (better, worse) if swap else (worse, better)
    rope = result.settings.rope
    same = f", that they are within {rope:g} of each other {equal:.3f}," if rope else ""
    return (
        f"{first} is ahead of {second}: {facts}. The probability that it is better is {better:.3f}{same} and that it "
        f"is worse {worse:.3f}."
    )


def of_all(result: Comparison, part: MeasureComparison) -> str:
    """Who leads, by how much over the next and how sure that is; whom it beats, and how many pairs differ."""
    best = int(part.order[0])
    beaten = int(part.beats[best].sum())
    others = len(part.systems) - 1
    word = "highest" if part.matched.sign > 0 else "lowest"
    mean = f"{part.systems[best]} has the {word} mean {part.matched.label}: {part.means[best]:.4f} on {pluralise_queries(part.n)}"
    open_ = [part.systems[s] for s in part.order.tolist() if s != best and not part.beats[best, s]]
    if beaten == others:
        said = f"it is better than each of the {others} other systems"
    elif beaten:
        said = (
            f"it is better than {beaten} of the {others} other systems; that it is better than {join_names(open_)} was "
            "not shown"
        )
    else:
        said = f"that it is better than any of the {others} others was not shown"
    differ = int(np.count_nonzero(part.found))
    return (
        f"{mean}, {lead(part)}. On queries like these, {said}; {differ:,} of all {part.first.size:,} pairs "
        f"{'was' if differ == 1 else 'were'} shown to differ{how(result)}."
    )


def lead(part: MeasureComparison) -> str:
    """How far the best system is ahead of the next, and how sure that is."""
    best, second = part.order[:2].tolist()
    i = part.pair(best, second)
    size = abs(float(part.difference[i]))
    if size <= ROUNDING * np.abs(part.means).max():
        return f"as has {part.systems[second]}"
    p = float(part.pvalue_corrected[i])
    sure = "" if np.isnan(p) else f" (p {format_p_value(p)})"
    if part.tested.posterior is not None and not np.isnan(part.tested.posterior[:, i]).any():
        better = float(part.tested.posterior[2 if part.first[i] == best else 0, i])
        sure = f" (better with a probability of {better:.3f})"
    return f"{size:.4f} {'above' if part.matched.sign > 0 else 'below'} that of {part.systems[second]}, the next{sure}"


def against_baseline(result: Comparison, part: MeasureComparison) -> str:
    """Who is better than the baseline, who worse, and of whom neither was shown."""
    base = int(part.second[0])
    found = dict(zip(part.first.tolist(), part.found.tolist(), strict=True))
    better, worse, neither = (
        [part.systems[s] for s in part.order.tolist() if s != base and found[s] == sign] for sign in (1, -1, 0)
    )
    said = []
    if better:
        said.append(f"{join_names(better)} {'is' if len(better) == 1 else 'are'} better")
    if worse:
        said.append(f"{join_names(worse)} {'is' if len(worse) == 1 else 'are'} worse")
    if neither:
        said.append(f"of {join_names(neither)} neither was shown")
    return (
        f"Against {result.baseline}, with a mean {part.matched.label} of {part.means[base]:.4f} on "
        f"{pluralise_queries(part.n)}: on queries like these, {'; '.join(said)}{how(result)}."
    )


def how(result: Comparison) -> str:
    """Which test, in brackets."""
    settings = result.settings
    if settings.bayesian:
        return f" (probability of at least {1 - settings.level:g})"
    by = f", {settings.correction}" if not settings.of_all and settings.correction != "none" else ""
    return f" (test {settings.test}{by}, level {settings.level:g})"
