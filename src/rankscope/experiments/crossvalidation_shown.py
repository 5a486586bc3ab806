"""The tables and figures of a cross-validation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankscope.data.cells import format_number
from rankscope.data.sections import Cell, Figure, Marked, Section, Table
from rankscope.data.wording import pluralise, pluralise_queries
from rankscope.experiments.blended_shown import blend_notes, blend_section
from rankscope.experiments.crossvalidation_words import noise_of_pairs, verdict
from rankscope.experiments.placing import RANK_RANGES
from rankscope.kernels.ties import best_places
from rankscope.learning.learned import epoch_curves

if TYPE_CHECKING:
    from rankscope.experiments.crossvalidated import CrossValidation

__all__ = ["crossvalidation_sections"]


def crossvalidation_sections(result: CrossValidation) -> list[Section]:
    """Means, then folds, tests between rankers, what features are worth, where documents are put, how training went."""
    found = [means_section(result), *(fold_section(result, m) for m in range(len(result.measures)))]
    if result.comparison is not None:
        if result.blended is not None:
            found.append(blend_section(result, result.blended, result.comparison))
        found += [noise_section(result), *result.comparison.sections()]
    worth = result.feature_importance
    if worth is not None:
        found += worth.sections()
    found += [rank_confusion_section(result, m) for m in result.order]
    for m in result.order:
        title = f"{result.models[m]}: validation by epoch"
        found += epoch_curves(list(result.folds), list(result.courses[m]), result.stop_on[m], title)
    return found


def means_section(result: CrossValidation) -> Section:
    """A row a ranker and measure: test, how much seeds matter, validation, and how long it learned."""
    test, valid, deviation = result.test.overall, result.valid.overall, result.test.deviation
    rows: list[tuple[Cell, ...]] = []
    for k, measure in enumerate(result.measures):
        sign = result.test.scores.sign(measure)
        best = int(best_places(sign * test[:, k]).argmax()) if not np.isnan(test[:, k]).all() else -1
        for m in result.order:
            spread = "-" if result.fixed[m] else format_number(deviation[m, k])
            cells: list[Cell] = [measure, result.models[m], Marked(format_number(test[m, k]), bold=m == best), spread]
            cells += [format_number(valid[m, k]), format_number(float(result.best_epochs[:, m].mean()), 0)]
            rows.append(tuple(cells))
    seeds = pluralise(result.seeds, "seed")
    columns = ("measure", "ranker", "test", "sd over seeds", "validation", "best epoch")
    return Section(
        title=f"{pluralise(len(result.models), 'ranker')} on {pluralise(len(result.folds), 'fold')}, {seeds}",
        sentence=verdict(result),
        table=Table(columns=columns, rows=tuple(rows), left=2),
        notes=(
            "test, validation: the mean over the queries of all folds, of each query the mean over seeds; training was "
            "stopped by the validation lists, so that their values are too high",
            *blend_notes(result),
        ),
    )


def fold_section(result: CrossValidation, measure: int) -> Section:
    """A row a ranker, a column a fold."""
    values = np.array([result.test.of_fold(k)[:, measure] for k in range(len(result.folds))])  # (folds, models)
    name = result.measures[measure]
    rows = [
        (result.models[m], *map(format_number, values[:, m].tolist()), format_number(float(np.nanmean(values[:, m]))
         if not np.isnan(values[:, m]).all() else float("nan")))
        for m in result.order
    ]  # fmt: skip
    counts = [int(n) for n in np.bincount(result.test.fold, minlength=len(result.folds))]
    sizes = (
        pluralise_queries(counts[0]) + " each"
        if len(set(counts)) == 1
        else f"{min(counts):,} to {pluralise_queries(max(counts))} each"
    )
    data = {
        "x": list(result.folds),
        "x_title": "fold",
        "measures": [result.models[m] for m in result.order],
        "values": values[:, list(result.order)].T,
        "y_title": name,
    }
    return Section(
        title=f"{name} on the test lists, fold by fold",
        table=Table(columns=("ranker", *result.folds, "mean of folds"), rows=tuple(rows)),
        figure=Figure("condition_lines", data) if len(result.folds) > 1 else None,
        notes=(f"folds of {sizes}",),
        folded=measure > 0,
    )


def noise_section(result: CrossValidation) -> Section:
    """Of each pair and measure, the difference beside what chance makes."""
    comparison = result.comparison
    assert comparison is not None  # of several rankers
    rows: list[tuple[Cell, ...]] = []
    for part in comparison.parts:
        found = noise_of_pairs(result, part)
        for i, (a, b) in enumerate(zip(part.first.tolist(), part.second.tolist(), strict=True)):
            cells = [format_number(found.queries[i]), format_number(found.seeds[i]), format_number(found.both[i])]
            rows.append(
                (part.measure, part.systems[a], part.systems[b], format_number(abs(float(part.difference[i]))), *cells)
            )
    columns = ("measure", "ranker", "and", "difference", "queries", "seeds", "together")
    level = comparison.settings.level
    return Section(
        title="How large a difference is more than noise",
        sentence=(
            "How far two means are apart, and how far chance alone would take them: the queries that were asked, the "
            f"seeds that were drawn, and both together (at level {level:g}, each pair by itself)."
        ),
        table=Table(columns=columns, rows=tuple(rows), left=3),
        folded=True,
    )


def rank_confusion_section(result: CrossValidation, model: int) -> Section:
    """Of the documents of each grade, which share was put where."""
    counts = result.places[model][::-1]  # the highest grade on top
    grades = result.grades[::-1]
    sums = counts.sum(axis=1, keepdims=True)
    shares = counts / sums
    name = result.models[model]
    rows = tuple(
        (f"{grade}", f"{total:,.0f}", *(f"{100 * share:.1f} %" for share in row))
        for grade, total, row in zip(grades, sums[:, 0].tolist(), shares.tolist(), strict=True)
    )
    top = float(shares[0, :4].sum())
    return Section(
        title=f"{name}: where documents of each grade are put",
        sentence=f"Of the documents of grade {grades[0]}, {100 * top:.0f} % are among the first ten of their lists.",
        table=Table(columns=("grade", "documents", *(f"rank {span}" for span in RANK_RANGES)), rows=rows),
        figure=Figure(
            "grade_places",
            {"grades": [str(grade) for grade in grades], "ranges": list(RANK_RANGES), "shares": shares, "of": name},
        ),
        folded=model != result.order[0],
    )
