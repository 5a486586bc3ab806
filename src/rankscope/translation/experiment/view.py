"""How the experiment is shown: sentences, tables and figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from rankscope.data.section import Cell, Figure, Marked, Section, Table, best_in_bold
from rankscope.data.text import format_number, format_p_cell, format_p_value, join_names, pluralise
from rankscope.kernels.ties import order_of
from rankscope.translation.experiment.human_agreement import SYSTEM_RULES, PairTest
from rankscope.translation.experiment.published import AVERAGE, published_cells
from rankscope.translation.experiment.result import (
    DIRECTIONS,
    Direction,
    DirectionResult,
    PublishedRow,
    TranslationExperiment,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "best_sentence",
    "experiment_sections",
    "losses_sentence",
]


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


#: Behind a value that stands here as it was published, of a metric that was not run.
MARK = "p"
KEY = "found (published); p: as published, not run here; the interval is that of the average found"


def experiment_sections(result: TranslationExperiment) -> Sequence[Section]:
    there = [(name, direction) for name, direction in DIRECTIONS.items() if name in result.found]
    found = [overview(result)]
    found += [segments_section(result, name, direction) for name, direction in there]
    found += [one for name, direction in there for one in systems_section(result, name, direction)]
    if result.tests:
        found.append(tests_section(result))
    found.append(seeds_section(result))
    found.append(models_section(result))
    return found


def overview(result: TranslationExperiment) -> Section:
    """The average segment tau of each model, losses beside each other; below them the metrics that are not trained."""
    losses = list(dict.fromkeys(model.name.split()[0] for model in result.models))
    sets = list(dict.fromkeys(model.features for model in result.models))
    named = {(model.features, model.name.split()[0]): model.name for model in result.models}
    rows: list[tuple[Cell, ...]] = []
    for name, direction in DIRECTIONS.items():
        if name not in result.found:
            continue
        for features in sets:
            values = [result.average(name, named.get((features, loss), "")) for loss in losses]
            rows.append((direction.said, features, *best_in_bold(values, 3)))
        trained = {model.name for model in result.models}
        for metric in (one for one in result.found[name].segments.metrics if one not in trained):
            value = best_in_bold([result.average(name, metric)], 3)
            rows.append((direction.said, f"{metric} alone", *value, *[""] * (len(losses) - 1)))
    pairs = pluralise(len(result.pairs), "language pair")
    return Section(
        title="Metrics of translations learned from people's rankings",
        sentence=f"{result.said[0].upper()}{result.said[1:]}: the segment tau with people, averaged over the language "
        f"pairs of each direction ({pairs} in all). 1: every pair of translations as people order it; 0: as many right "
        "as wrong.",
        table=Table(columns=("direction", "features", *losses), rows=tuple(rows), left=2),
    )


def segments_section(result: TranslationExperiment, name: str, direction: Direction) -> Section:
    """One of the tables 2 and 3."""
    return Section(
        title=f"Segments, {direction.said} (table {direction.segments})",
        sentence=best_sentence(result, name, direction),
        table=metrics_by_pairs(result, direction.segments, result.found[name].segments.pairs, 3),
        figure=averages_section(result, name, direction),
        notes=(KEY,) if result.real else (),
    )


def systems_section(result: TranslationExperiment, name: str, direction: Direction) -> Iterator[Section]:
    """Tables 4 and 5: by the paper's rule, and folded by means."""
    found: DirectionResult = result.found[name]
    if found.systems is None:
        return
    for rule in SYSTEM_RULES:
        first = rule == SYSTEM_RULES[0]
        table = direction.systems if first else f"{direction.systems} ({rule})"
        said = "the share of comparisons in which its translation is better or equal" if first else "the mean"
        yield Section(
            title=f"Systems, {direction.said} (table {table})",
            sentence=f"Spearman's correlation with people's wins / (wins + losses); a metric's score of a system is "
            f"{said}. Averages are without signs.",
            table=metrics_by_pairs(result, table, found.segments.pairs, 2),
            notes=(KEY,) if first and result.real else (),
            folded=not first,
        )


def metrics_by_pairs(result: TranslationExperiment, table: str, pairs: Sequence[str], digits: int) -> Table:
    """Metrics by language pairs; the best average first."""
    rows: dict[str, dict[str, PublishedRow]] = {}
    for row in result.table(table):
        rows.setdefault(row.metric, {})[row.pair] = row
    columns = [*pairs, AVERAGE] if len(pairs) > 1 else list(pairs)
    last = columns[-1]
    empty = PublishedRow(table, "", "", *(float("nan"),) * 4)

    def height(metric: str) -> float:
        row = rows[metric].get(last, empty)
        value = row.published if np.isnan(row.found) else row.found
        return -np.inf if np.isnan(value) else abs(value)

    shown = []
    names = list(rows)
    for metric in (names[i] for i in order_of(-np.array([height(name) for name in names])).tolist()):
        whole = rows[metric].get(last, empty)
        cells: list[Cell] = [cell_of(rows[metric].get(pair, empty), digits) for pair in columns]
        ends = [format_number(x, digits) for x in (whole.low, whole.high)]
        shown.append((metric, *cells, *ends))
    return Table(columns=("metric", *columns, "95 % from", "to"), rows=tuple(shown))


def cell_of(row: PublishedRow, digits: int) -> Cell:
    """What was found, with what was published in parentheses; or that alone, marked."""
    if np.isnan(row.found):
        return "-" if np.isnan(row.published) else Marked(f"{row.published:.2f}", raised=MARK)
    behind = "" if np.isnan(row.published) else f" ({row.published:.2f})"
    return f"{row.found:.{digits}f}{behind}"


def averages_section(result: TranslationExperiment, name: str, direction: Direction) -> Figure:
    """Each metric's average tau with its interval."""
    found = result.found[name].segments
    return Figure(
        "leaderboard",
        {
            "systems": found.metrics,
            "means": found.average,
            "low": found.average_low,
            "high": found.average_high,
            "measure": f"segment tau, {direction.said}",
            "dot": f"mean over {pluralise(len(found.pairs), 'language pair')}",
            "digits": 3,
        },
    )


def tests_section(result: TranslationExperiment) -> Section:
    """Every test, and in words those between losses."""
    said = [losses_sentence(result, name, direction) for name, direction in DIRECTIONS.items() if name in result.found]
    rows = tuple(
        (
            DIRECTIONS[test.direction].said,
            test.first,
            test.second,
            *(format_number(x, 3, signed=True) for x in (test.difference, test.low, test.high)),
            format_p_cell(test.pvalue),
            format_p_cell(test.adjusted),
        )
        for test in result.tests
    )
    columns = ("direction", "first", "second", "difference", "95 % from", "to", "p", "p corrected")
    return Section(
        title="Models against each other",
        sentence=" ".join(one for one in said if one),
        table=Table(columns=columns, rows=rows, left=3),
        notes=(
            "difference of average segment taus on the same segments, drawn with replacement; p two-sided, corrected "
            "for the number of tests of a direction and set of features (Holm). The bootstrap draws "
            "segments, not training data or years: "
            "another training set would move models as well",
        ),
    )


def seeds_section(result: TranslationExperiment) -> Section:
    """How far seeds move each model."""
    rows = []
    for m, model in enumerate(result.models):
        of_seeds = [
            [float(np.mean(result.by_seed[m, places, s])) for s in range(result.seeds)]
            for places in directions_places(result).values()
        ]
        cells = [cell for each in of_seeds for cell in (f"{min(each):.4f}", f"{max(each):.4f}")]
        rows.append((model.name, *cells))
    columns = ["model"]
    for name in directions_places(result):
        columns += [f"{name}, least", f"{name}, greatest"]
    return Section(
        title="Seeds",
        sentence=f"The average segment tau of each of {pluralise(result.seeds, 'seed')} alone; the tables above are of "
        "the scores averaged over seeds."
        if result.seeds > 1
        else "One seed: no model of these depends on it, or one was asked for.",
        table=Table(columns=tuple(columns), rows=tuple(rows)),
        folded=True,
    )


def directions_places(result: TranslationExperiment) -> dict[str, list[int]]:
    """The places of the language pairs of each direction."""
    return {
        direction.said: [result.pairs.index(pair) for pair in result.found[name].segments.pairs]
        for name, direction in DIRECTIONS.items()
        if name in result.found
    }


def models_section(result: TranslationExperiment) -> Section:
    """What each model was made of."""
    rows = tuple((model.name, model.loss, join_names(model.columns, len(model.columns))) for model in result.models)
    return Section(
        title="Models",
        sentence=f"What was {result.said}.",
        table=Table(columns=("model", "loss", "features"), rows=rows, left=3),
        folded=True,
    )
