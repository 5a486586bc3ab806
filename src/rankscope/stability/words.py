"""Which measures can be trusted, in two sentences."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from rankscope.data.wording import counted, listed, percent
from rankscope.stability.pooled import RELIABILITY, TARGET

if TYPE_CHECKING:
    from rankscope.stability.result import StabilityStudy

__all__ = ["STABLE", "main_condition", "main_level", "set_of", "verdict"]

#: A measure is stable where a set orders two systems wrongly in at most this percentage of comparisons.
STABLE = 5.0
#: A measure that tells fewer pairs apart (in percent) finds next to nothing.
LITTLE = 10.0
NEEDED = RELIABILITY.index("needed_relative")


def main_condition(study: StabilityStudy) -> int:
    """The place of the condition that sentences are about: with most systems, then most entities, then the first.

    One that draws all entities every time comes last: its sets differ by how entities are grouped alone.
    """
    drawn = [c.entities < study.n_items or study.what == "queries" for c in study.conditions]
    size = [
        (c.systems, fewer, c.entities, -i) for i, (c, fewer) in enumerate(zip(study.conditions, drawn, strict=True))
    ]
    return size.index(max(size))


def main_level(study: StabilityStudy) -> int:
    """The place of the level nearest to .05."""
    return int(np.argmin(np.abs(np.array(study.asked.levels) - 0.05)))


def set_of(study: StabilityStudy, place: int) -> str:
    """What a set of queries is under a condition: "a random set of 25 queries"."""
    condition = study.conditions[place]
    if study.what == "entities":
        return f"{condition.splits} random groups of about {round(condition.entities / condition.splits)} entities"
    return f"a random set of {condition.size} queries"


def verdict(study: StabilityStudy) -> str:
    """Which measures are stable and sensitive enough, and from how many queries on."""
    parts = [stable_sentence(study)] if study.error_tie else []
    return " ".join([*parts, sensitive_sentence(study), *caution(study)])


def caution(study: StabilityStudy) -> list[str]:
    """What the sentences do not say where every draw holds all entities."""
    condition = study.conditions[main_condition(study)]
    if study.what != "entities" or condition.entities < study.n_items or not study.error_tie:
        return []
    return [
        f"Every draw holds all {study.n_items} entities, only grouped otherwise: for how stable the measures are with "
        f"others, draw fewer, as --entities {study.n_items // 2}."
    ]


def rate(value: float) -> str:
    return f"{value:.1f} %"


def stable_sentence(study: StabilityStudy) -> str:
    place = main_condition(study)
    errors = study.outcomes[place].error[:, 0]
    there = [m for m in np.argsort(errors, kind="stable").tolist() if not math.isnan(errors[m])]
    sets = set_of(study, place)
    one = "orders" if sets.startswith("a ") else "order"
    if not there:
        return f"No measure has values to be compared on {sets}."
    good = [m for m in there if errors[m] <= STABLE]
    bad = [m for m in there if errors[m] > STABLE]
    whole = f"{STABLE:g} % of comparisons"
    if not good:
        nearest = f"{study.names[bad[0]]} comes nearest ({rate(errors[bad[0]])})"
        who = f"{study.names[bad[0]]} is not stable" if len(there) == 1 else f"None of {len(there)} measures is stable"
        return f"{who}: {sets} {one} two systems wrongly in more than {whole} ({nearest})."
    names = listed(f"{study.names[m]} ({rate(errors[m])})" for m in good)
    text = f"{names} {'is' if len(good) == 1 else 'are'} stable: {sets} {one} two systems wrongly in at most {whole}"
    return f"{text}; {listed(f'{study.names[m]} ({rate(errors[m])})' for m in bad)} not." if bad else f"{text}."


def sensitive_sentence(study: StabilityStudy) -> str:
    place, k = main_condition(study), main_level(study)
    outcome = study.outcomes[place]
    asl, level = outcome.asl_rate[:, k], study.asked.levels[k]
    stable = [m for m in range(len(asl)) if study.error_tie and outcome.error[m, 0] <= STABLE]
    among = [m for m in stable or range(len(asl)) if not math.isnan(asl[m])]
    if not among:
        return "No measure has values to be tested."
    best = max(among, key=lambda m: asl[m])
    of = "stable ones" if stable and len(stable) < len(asl) else "measures" if len(asl) > 1 else ""
    found = f"{study.names[best]} is the most sensitive of the {of}" if of else f"Of {study.names[best]}"
    link = ": its tests tell" if of else ", tests tell"
    ties = f", and it ties {rate(outcome.tie[best, 0])} of comparisons" if study.error_tie else ""
    pairs = counted(len(study.systems) * (len(study.systems) - 1) // 2, "pair")
    text = f"{found}{link} {rate(asl[best])} of {pairs} of systems apart at the level {level:g}{ties}"
    if asl[best] < LITTLE:
        text += ", so on these data next to nothing is found to differ by any of them"
    return f"{text}; {reliable(study, place, best)}."


def reliable(study: StabilityStudy, place: int, best: int) -> str:
    """From how many queries on the order of systems can be relied on."""
    needed = float(study.outcomes[place].reliability[best, NEEDED])
    if math.isnan(needed):
        return "how many queries it takes to rely on its order of systems cannot be said"
    if math.isinf(needed):
        return "no number of queries would make its order of systems one to rely on: by it they do not differ"
    condition = study.conditions[place]
    of = (
        f"groups of about {round(condition.entities / condition.splits)} entities"
        if study.what == "entities"
        else "queries"
    )
    return f"its order of systems can be relied on from about {needed:,.0f} {of} on (reliability {percent(TARGET)})"
