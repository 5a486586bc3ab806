"""The experiment on translations in sentences: who agrees most with people, and is listwise better than pairwise?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankscope.data.cells import format_number
from rankscope.data.wording import format_p_value, join_names, pluralise
from rankscope.experiments.mt_judging import PairTest
from rankscope.experiments.mt_published import AVERAGE, published_cells
from rankscope.kernels.ties import order_of

if TYPE_CHECKING:
    from rankscope.experiments.mt_outcome import Direction, TranslationExperiment

__all__ = ["best_sentence", "losses_sentence"]

LISTWISE, PAIRWISE, POINTWISE = ("ListNet", "ListMLE"), "RankNet", "pointwise"
LEVEL = 0.05


def best_sentence(result: TranslationExperiment, name: str, direction: Direction) -> str:
    """Which model agrees most with people, beside the best of what was published."""
    found = result.found[name].segments
    trained = [model.name for model in result.models]
    order = [trained[i] for i in order_of(-np.array([result.average(name, metric) for metric in trained])).tolist()]
    several = len(found.pairs) > 1
    over = f" on average over {pluralise(len(found.pairs), 'language pair')}" if several else f" ({found.pairs[0]})"
    best = order[0]
    tau = {metric: format_number(result.average(name, metric), 3) for metric in (best, *found.metrics)}
    others = [f"{metric} {tau[metric]}" for metric in found.metrics if metric not in trained]
    parts = [f"{best} agrees most with people{over}, with a tau of {tau[best]}"]
    if others:
        parts.append(f"without training {join_names(others)}")
    published = [cell for cell in published_cells() if cell.table == direction.segments and cell.pair == AVERAGE]
    printed = {cell.metric: cell.value for cell in published if cell.value == cell.value}
    highest = max(printed.values())
    if result.real and len(found.pairs) == 4:
        names = [metric for metric, value in printed.items() if value == highest]
        parts.append(f"the best of what was published is {highest:.2f} ({join_names(names)})")
    return "; ".join(parts) + "."


def losses_sentence(result: TranslationExperiment, name: str, direction: Direction) -> str:
    """What the tests say of listwise, pairwise and pointwise losses on the paper's features."""
    sets = list(dict.fromkeys(model.features for model in result.models))
    said = []
    for features in sets[:1]:
        names = {model.name.split()[0]: model.name for model in result.models if model.features == features}
        for first, second in (*((one, PAIRWISE) for one in LISTWISE), (PAIRWISE, POINTWISE)):
            test = find_test(result.tests, name, names.get(first), names.get(second))
            if test is not None:
                said.append(clause_of_test(test))
    if not said:
        return ""
    return f"{direction.said[0].upper()}{direction.said[1:]}: {'; '.join(said)}."


def find_test(tests: tuple[PairTest, ...], direction: str, first: str | None, second: str | None) -> PairTest | None:
    return next((t for t in tests if (t.direction, t.first, t.second) == (direction, first, second)), None)


def clause_of_test(test: PairTest) -> str:
    """Whether the first is better, as far as the test says."""
    if np.isnan(test.difference):
        return f"{test.first} and {test.second} cannot be compared"
    difference, low, high = (format_number(x, 3, signed=True) for x in (test.difference, test.low, test.high))
    size = f"{difference} [{low}, {high}], p {format_p_value(test.adjusted)}"
    if test.adjusted > LEVEL:
        return f"that {test.first} and {test.second} differ is not shown ({size})"
    word = "better" if test.difference > 0 else "worse"
    return f"{test.first} is {word} than {test.second} ({size})"
