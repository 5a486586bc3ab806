"""Which measures can be trusted, in two sentences."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from rankscope.data.wording import format_percent, join_names, pluralise
from rankscope.kernels.ties import order_of
from rankscope.stability.outcome import lowest_level
from rankscope.stability.pooled import RELIABILITY, TARGET
from rankscope.typing import Floats

if TYPE_CHECKING:
    from rankscope.stability.result import StabilityStudy

__all__ = ["STABLE", "main_condition", "main_level", "set_of", "verdict"]


#: A measure is stable where a set orders two systems otherwise than most do in at most this percentage of comparisons.
STABLE = 5.0
#: A measure that ties systems in more comparisons (in percent) mostly does not order them.
TYING = 50.0
#: A measure that tells fewer pairs apart (in percent) finds next to nothing.
LITTLE = 10.0
NEEDED = RELIABILITY.index("needed_relative")


def main_condition(study: StabilityStudy) -> int:
    """The place of the condition that sentences are about: with most systems, then the largest sets, then the first.

    One whose every set holds all that there is comes last: its sets differ by how entities are grouped alone, or not.
    """
    queries = study.what == "queries"
    drawn = [c.size if queries else c.entities for c in study.conditions]
    size = [(c.systems, n < study.n_items, n, -i) for i, (c, n) in enumerate(zip(study.conditions, drawn, strict=True))]
    return size.index(max(size))


def main_level(study: StabilityStudy) -> int:
    """The place of the level nearest to .05, of those that a test can reach where there is one."""
    far = np.abs(np.array(study.asked.levels) - 0.05)
    reached = [~np.isnan(study.outcomes[main_condition(study)].asl_rate[:, k]).all() for k in range(far.size)]
    return int(np.argmin(np.where(reached, far, far + 1.0)))


def set_of(study: StabilityStudy, place: int) -> str:
    """What a set of queries is under a condition: "a random set of 25 queries"."""
    condition = study.conditions[place]
    if study.what == "entities":
        size = pluralise(round(condition.entities / condition.splits), "entity", "entities")
        return f"{condition.splits} random groups of about {size}"
    return f"a random set of {condition.size} queries"


def verdict(study: StabilityStudy) -> str:
    """Which measures are stable and sensitive enough, and from how many queries on."""
    parts = stable_sentences(study) if study.error_tie else []
    return " ".join([*parts, sensitive_sentence(study), *caution(study)])


def caution(study: StabilityStudy) -> list[str]:
    """What the sentences do not say: that there is one pair only, that every draw holds all entities."""
    if len(study.systems) == 2:
        return ["These are two systems only: with others the measures may do otherwise."]
    if study.what != "entities" or not draws_everything(study) or not study.error_tie:
        return []
    fewer, splits = study.n_items // 2, study.conditions[main_condition(study)].splits
    if fewer < 2 * splits:
        return ["Every draw holds all entities, only grouped otherwise, and there are too few to draw only some."]
    return [
        f"Every draw holds all {study.n_items} entities, only grouped otherwise, so how stable the measures are with "
        f"others cannot be told: draw fewer (--entities {fewer}, entities={fewer})."
    ]


def draws_everything(study: StabilityStudy) -> bool:
    """Whether no draw leaves an entity out, or a query of a set."""
    condition = study.conditions[main_condition(study)]
    return (condition.entities if study.what == "entities" else condition.size) >= study.n_items


def least_level(study: StabilityStudy, place: int) -> float:
    """Below which no test of a set can come under a condition."""
    condition = study.conditions[place]
    return lowest_level(condition.splits if study.what == "entities" else condition.size, study.asked)


def rate(value: float) -> str:
    return f"{value:.1f} %"


def tying_measures(study: StabilityStudy) -> list[int]:
    """The measures that order two systems so seldom that their errors say little."""
    return [m for m, value in enumerate(study.outcomes[main_condition(study)].tie[:, 0]) if value > TYING]


def stable_sentences(study: StabilityStudy) -> list[str]:
    """Which measures order two systems alike on one set and another; nobody knows which order is the right one."""
    place = main_condition(study)
    if draws_everything(study):
        if study.what == "entities":
            return []  # `caution` says it
        return [f"Every set holds all {study.n_items} queries, so how stable measures are cannot be told."]
    errors, ties = (table[:, 0] for table in (study.outcomes[place].error, study.outcomes[place].tie))
    there = [m for m in order_of(errors).tolist() if not math.isnan(errors[m])]
    if not there:
        return [f"No measure has values to be compared on {set_of(study, place)}."]
    idle = [m for m in there if m in tying_measures(study)]
    judged = [m for m in there if m not in idle]
    found = [stable_sentence(study, errors, judged)] if judged else []
    if idle:
        names = join_names(f"{study.names[m]} ({rate(ties[m])})" for m in idle)
        who = "ties" if len(idle) == 1 else "tie"
        found.append(f"{names} {who} two systems in most comparisons, so few errors are no merit there.")
    return found


def stable_sentence(study: StabilityStudy, errors: Floats, judged: list[int]) -> str:
    """judged: places of measures, those with fewest errors first."""
    sets, does, most = comparing(study)
    named = {m: f"{study.names[m]} ({rate(errors[m])})" for m in judged}
    good = [m for m in judged if errors[m] <= STABLE]
    bad = [named[m] for m in judged if errors[m] > STABLE]
    often = f"{sets} {does} two systems otherwise than {most} in"
    if not good:
        first = study.names[judged[0]]
        if len(errors) == 1:
            return f"{first} is not stable: {often} {rate(errors[judged[0]])} of comparisons."
        return f"No measure is stable: {often} more than {STABLE:g} % of comparisons, by {join_names(bad)}."
    names = join_names(named[m] for m in good)
    text = f"{names} {'is' if len(good) == 1 else 'are'} stable: {often} at most {STABLE:g} % of comparisons"
    return f"{text}; {join_names(bad)} {'is' if len(bad) == 1 else 'are'} not." if bad else f"{text}."


def comparing(study: StabilityStudy) -> tuple[str, str, str]:
    """What orders two systems: a set, or as coded by Dunaiski's tool each query alone; and than what otherwise."""
    sets = set_of(study, main_condition(study))
    if not study.asked.coded:
        return sets, "orders" if study.what == "queries" else "order", "most draws do"
    return (
        ("a single query", "orders", "most of its set do")
        if study.what == "queries"
        else (f"one of {sets}", "orders", "most of them do")
    )


def sensitive_sentence(study: StabilityStudy) -> str:
    place, k = main_condition(study), main_level(study)
    outcome = study.outcomes[place]
    asl, level = outcome.asl_rate[:, k], study.asked.levels[k]
    tested = [m for m in range(len(asl)) if not math.isnan(asl[m])]
    if not tested:
        least = least_level(study, place)
        if max(study.asked.levels) < least:
            return (
                f"No bootstrap test of {set_of(study, place)} with {study.asked.n_resamples} resamples can reach a "
                f"level below {least:.2g}, so whether measures are sensitive cannot be told: take larger sets, or more "
                "resamples."
            )
        return "No measure has values to be tested."
    at = f"at the level {level:g}"
    if not max(asl[tested]):
        return f"No test tells two systems apart {at} in any draw: on these data no measure is sensitive."
    choose = study.error_tie and not draws_everything(study)
    stable = [m for m in tested if choose and outcome.error[m, 0] <= STABLE and m not in tying_measures(study)]
    among = stable or tested
    best = max(among, key=lambda m: asl[m])
    rivals = [study.names[m] for m in among if rate(asl[m]) == rate(asl[best]) and m != best]
    of = "stable measures" if len(among) < len(tested) else "measures"
    found = study.names[best] if len(among) == 1 else f"Of the {of} {study.names[best]} is the most sensitive"
    if rivals:
        found = f"Of the {of} {join_names([study.names[best], *rivals])} are the most sensitive"
    text = f"{found}{'' if len(among) == 1 else ': it'} tells {pairs_text(study, float(asl[best]))} {at}"
    if rivals:
        text = text.replace(": it tells", ": each tells")
    if study.error_tie:
        text += f"{', and ' + study.names[best] if rivals else ', and it' if len(among) > 1 else ' and'} ties "
        text += f"{rate(outcome.tie[best, 0])} of comparisons"
    if asl[best] < LITTLE:
        text += ", so that next to nothing is found to differ"
    return f"{text}. {reliability_sentence(study, place, best)}."


def pairs_text(study: StabilityStudy, value: float) -> str:
    """What a test tells apart: the two systems in so many draws, or so many of all pairs."""
    n = study.conditions[main_condition(study)].systems
    if len(study.systems) == 2:
        return f"the two systems apart in {rate(value)} of draws"
    pairs = pluralise(n * (n - 1) // 2, "pair") if n == len(study.systems) else "pairs"
    return f"{rate(value)} of {pairs} of systems apart"


def reliability_sentence(study: StabilityStudy, place: int, best: int) -> str:
    """From how many queries on the order of systems can be relied on."""
    needed, low, high = study.outcomes[place].reliability[best, NEEDED : NEEDED + 3].tolist()
    order = f"the order of systems by {study.names[best]}"
    if math.isnan(needed):
        return f"How many queries it takes to rely on {order} cannot be said"
    if math.isinf(needed):
        return f"From these data no number of queries can be named from which on {order} can be relied on"
    condition = study.conditions[place]
    one, of = "query", "queries"
    if study.what == "entities":
        size = pluralise(round(condition.entities / condition.splits), "entity", "entities")
        one, of = (f"{n} of about {size}" for n in ("group", "groups"))
    text = f"{order[0].upper()}{order[1:]} can be relied on from about {pluralise(round(needed), one, of)} on"
    if math.isnan(low) or math.isnan(high):
        return f"{text} (reliability {format_percent(TARGET)})"
    ends = f"{low:,.0f} or far more" if math.isinf(high) else f"{low:,.0f} to {high:,.0f}"
    return f"{text} ({ends}, so far as these data tell; reliability {format_percent(TARGET)})"
