"""View of the experiment: sentences, tables and figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from rankscope.data.columns import column, digits, is_best, table_of
from rankscope.data.section import Figure, Section, Table
from rankscope.data.text import format_number, format_p_cell, format_p_value, join_names, pluralise
from rankscope.kernels.rounding_ties import order_of
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
    """Which model agrees most with people, beside the best published value."""
    taus = result.results[name].segments
    trained_names = [model.name for model in result.models]
    ranked_names = [
        trained_names[i]
        for i in order_of(-np.array([result.average(name, metric) for metric in trained_names])).tolist()
    ]
    has_several_pairs = len(taus.pairs) > 1
    scope_text = (
        f" on average over {pluralise(len(taus.pairs), 'language pair')}"
        if has_several_pairs
        else f" ({taus.pairs[0]})"
    )
    best = ranked_names[0]
    tau = {metric: format_number(result.average(name, metric), 3) for metric in (best, *taus.metrics)}
    untrained_texts = [f"{metric} {tau[metric]}" for metric in taus.metrics if metric not in trained_names]
    clauses = [f"{best} agrees most with people{scope_text}, with a tau of {tau[best]}"]
    if untrained_texts:
        clauses.append(f"untrained: {join_names(untrained_texts)}")
    published_averages = [
        cell for cell in published_cells() if cell.table == direction.segments and cell.pair == AVERAGE
    ]
    published_values = {cell.metric: cell.value for cell in published_averages if cell.value == cell.value}
    highest = max(published_values.values())
    if result.is_wmt12 and len(taus.pairs) == 4:
        names = [metric for metric, value in published_values.items() if value == highest]
        clauses.append(f"the best published average is {highest:.2f} ({join_names(names)})")
    return "; ".join(clauses) + "."


def losses_sentence(result: TranslationExperiment, name: str, direction: Direction) -> str:
    """The tests between listwise, pairwise and pointwise losses on the paper's features."""
    feature_sets = list(dict.fromkeys(model.features for model in result.models))
    clauses = []
    for features in feature_sets[:1]:
        model_of_loss = {model.name.split()[0]: model.name for model in result.models if model.features == features}
        for first, second in (*((loss, PAIRWISE) for loss in LISTWISE), (PAIRWISE, POINTWISE)):
            test = find_test(result.tests, name, model_of_loss.get(first), model_of_loss.get(second))
            if test is not None:
                clauses.append(clause_of_test(test))
    if not clauses:
        return ""
    return f"{direction.description[0].upper()}{direction.description[1:]}: {'; '.join(clauses)}."


def find_test(tests: tuple[PairTest, ...], direction: str, first: str | None, second: str | None) -> PairTest | None:
    return next(
        (test for test in tests if (test.direction, test.first, test.second) == (direction, first, second)), None
    )


def clause_of_test(test: PairTest) -> str:
    """The result of a test in words."""
    if np.isnan(test.difference):
        return f"{test.first} and {test.second} cannot be compared"
    difference, low, high = (format_number(value, 3, signed=True) for value in (test.difference, test.low, test.high))
    estimate = f"{difference} [{low}, {high}], p {format_p_value(test.pvalue_corrected)}"
    if test.pvalue_corrected > LEVEL:
        return f"no difference between {test.first} and {test.second} was found ({estimate})"
    word = "better" if test.difference > 0 else "worse"
    return f"{test.first} is {word} than {test.second} ({estimate})"


#: Marks the published value of a metric that was not run.
MARK = "p"
KEY = "our value (published value); p: as published, not run here; the interval is for our average"


def experiment_sections(result: TranslationExperiment) -> Sequence[Section]:
    directions = [(name, direction) for name, direction in DIRECTIONS.items() if name in result.results]
    sections = [overview(result)]
    sections += [segments_section(result, name, direction) for name, direction in directions]
    sections += [section for name, direction in directions for section in systems_section(result, name, direction)]
    if result.tests:
        sections.append(tests_section(result))
    sections.append(seeds_section(result))
    sections.append(models_section(result))
    return sections


def overview(result: TranslationExperiment) -> Section:
    """The average segment tau of each model, a column a loss; below them the untrained metrics."""
    losses = list(dict.fromkeys(model.name.split()[0] for model in result.models))
    feature_sets = list(dict.fromkeys(model.features for model in result.models))
    model_names = {(model.features, model.name.split()[0]): model.name for model in result.models}
    rows: list[tuple[str, str, list[float]]] = []
    for name, direction in DIRECTIONS.items():
        if name not in result.results:
            continue
        for features in feature_sets:
            values = [result.average(name, model_names.get((features, loss), "")) for loss in losses]
            rows.append((direction.description, features, values))
        trained_names = {model.name for model in result.models}
        rows += [
            (direction.description, f"{metric} alone", [result.average(name, metric)])
            for metric in result.results[name].segments.metrics
            if metric not in trained_names
        ]
    pairs = pluralise(len(result.pairs), "language pair")
    return Section(
        title="Translation metrics trained on people's rankings",
        sentence=f"{result.description[0].upper()}{result.description[1:]}: the segment tau with people, averaged "
        "over the language "
        f"pairs of each direction ({pairs} in all). 1 means that all pairs of translations are ordered as people order "
        "them, 0 that as many are right as wrong.",
        table=table_of(
            column("direction", (description for description, _, _ in rows), name=True),
            column("features", (features for _, features, _ in rows), name=True),
            *(
                column(
                    loss,
                    (values[i] if i < len(values) else None for _, _, values in rows),
                    lambda value: "" if value is None else format_number(value, 3),
                    bold=[i < len(values) and is_best(values, 3)[i] for _, _, values in rows],
                )
                for i, loss in enumerate(losses)
            ),
        ),
    )


def segments_section(result: TranslationExperiment, name: str, direction: Direction) -> Section:
    """One of the tables 2 and 3."""
    return Section(
        title=f"Segments, {direction.description} (table {direction.segments})",
        sentence=best_sentence(result, name, direction),
        table=metrics_by_pairs(result, direction.segments, result.results[name].segments.pairs, 3),
        figure=averages_section(result, name, direction),
        notes=(KEY,) if result.is_wmt12 else (),
    )


def systems_section(result: TranslationExperiment, name: str, direction: Direction) -> Iterator[Section]:
    """Tables 4 and 5: by the paper's rule, and folded by means."""
    direction_result: DirectionResult = result.results[name]
    if direction_result.systems is None:
        return
    for rule in SYSTEM_RULES:
        is_paper_rule = rule == SYSTEM_RULES[0]
        table = direction.systems if is_paper_rule else f"{direction.systems} ({rule})"
        score_text = (
            "the share of comparisons in which its translation is better or equal" if is_paper_rule else "the mean"
        )
        yield Section(
            title=f"Systems, {direction.description} (table {table})",
            sentence=f"Spearman's correlation with people's wins / (wins + losses); a metric scores a system by "
            f"{score_text}. Averages ignore the sign.",
            table=metrics_by_pairs(result, table, direction_result.segments.pairs, 2),
            notes=(KEY,) if is_paper_rule and result.is_wmt12 else (),
            folded=not is_paper_rule,
        )


def metrics_by_pairs(result: TranslationExperiment, table: str, pairs: Sequence[str], n_digits: int) -> Table:
    """Metrics by language pairs; the best average first."""
    rows: dict[str, dict[str, PublishedRow]] = {}
    for row in result.table(table):
        rows.setdefault(row.metric, {})[row.pair] = row
    columns = [*pairs, AVERAGE] if len(pairs) > 1 else list(pairs)
    last_column = columns[-1]
    empty = PublishedRow(table, "", "", *(float("nan"),) * 4)

    def sort_value(metric: str) -> float:
        row = rows[metric].get(last_column, empty)
        value = row.published if np.isnan(row.found) else row.found
        return -np.inf if np.isnan(value) else abs(value)

    names = [list(rows)[i] for i in order_of(-np.array([sort_value(name) for name in rows])).tolist()]
    cells_by_column = {pair: [rows[name].get(pair, empty) for name in names] for pair in columns}
    return table_of(
        column("metric", names, name=True),
        *(
            column(
                pair,
                cells,
                lambda row: format_beside_published(row, n_digits),
                raised=[MARK if is_published_only(row) else "" for row in cells],
            )
            for pair, cells in cells_by_column.items()
        ),
        column("95 % from", (row.low for row in cells_by_column[last_column]), digits(n_digits)),
        column("to", (row.high for row in cells_by_column[last_column]), digits(n_digits)),
    )


def is_published_only(row: PublishedRow) -> bool:
    return bool(np.isnan(row.found) and not np.isnan(row.published))


def format_beside_published(row: PublishedRow, n_digits: int) -> str:
    """The value with the published one in parentheses; or the published one alone."""
    if np.isnan(row.found):
        return format_number(row.published, 2)
    published_text = "" if np.isnan(row.published) else f" ({format_number(row.published, 2)})"
    return f"{format_number(row.found, n_digits)}{published_text}"


def averages_section(result: TranslationExperiment, name: str, direction: Direction) -> Figure:
    """Each metric's average tau with its interval."""
    taus = result.results[name].segments
    return Figure(
        "leaderboard",
        {
            "systems": taus.metrics,
            "means": taus.average,
            "low": taus.average_low,
            "high": taus.average_high,
            "measure": f"segment tau, {direction.description}",
            "dot": f"mean over {pluralise(len(taus.pairs), 'language pair')}",
            "digits": 3,
        },
    )


def tests_section(result: TranslationExperiment) -> Section:
    """All tests, and a sentence on those between losses."""
    sentences = [
        losses_sentence(result, name, direction) for name, direction in DIRECTIONS.items() if name in result.results
    ]
    return Section(
        title="Models against each other",
        sentence=" ".join(sentence for sentence in sentences if sentence),
        table=table_of(
            column("direction", (DIRECTIONS[test.direction].description for test in result.tests), name=True),
            column("first", (test.first for test in result.tests), name=True),
            column("second", (test.second for test in result.tests), name=True),
            column("difference", (test.difference for test in result.tests), digits(3, signed=True)),
            column("95 % from", (test.low for test in result.tests), digits(3, signed=True)),
            column("to", (test.high for test in result.tests), digits(3, signed=True)),
            column("p", (test.pvalue for test in result.tests), format_p_cell),
            column("p corrected", (test.pvalue_corrected for test in result.tests), format_p_cell),
        ),
        notes=(
            "differences of average segment taus, with a bootstrap over segments; p-values are two-sided and corrected "
            "for the tests of a direction and set of features (Holm). The bootstrap resamples "
            "segments, not training data or years: "
            "another training set would change the models, too",
        ),
    )


def seeds_section(result: TranslationExperiment) -> Section:
    """The variation of each model between seeds."""
    columns = []
    for direction, pair_indices in directions_places(result).items():
        by_seed = [result.by_seed[m, pair_indices].mean(axis=0) for m in range(len(result.models))]
        columns.append(column(f"{direction}, lowest", (values.min() for values in by_seed), digits()))
        columns.append(column(f"{direction}, highest", (values.max() for values in by_seed), digits()))
    return Section(
        title="Seeds",
        sentence=f"The average segment tau of each of {pluralise(result.seeds, 'seed')} by itself; the tables above "
        "use scores averaged over seeds."
        if result.seeds > 1
        else "One seed: none of these models depends on it, or only one was requested.",
        table=table_of(column("model", (model.name for model in result.models), name=True), *columns),
        folded=True,
    )


def directions_places(result: TranslationExperiment) -> dict[str, list[int]]:
    """The indices of the language pairs of each direction."""
    return {
        direction.description: [result.pairs.index(pair) for pair in result.results[name].segments.pairs]
        for name, direction in DIRECTIONS.items()
        if name in result.results
    }


def models_section(result: TranslationExperiment) -> Section:
    """The loss and features of each model."""
    return Section(
        title="Models",
        sentence=f"{result.description[0].upper()}{result.description[1:]}.",
        table=table_of(
            column("model", (model.name for model in result.models), name=True),
            column("loss", (model.loss for model in result.models), name=True),
            column(
                "features",
                (join_names(model.columns, len(model.columns)) for model in result.models),
                name=True,
            ),
        ),
        folded=True,
    )
