"""View of a cross-validation and of its blend: sentences, tables and figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rankscope.data.section import Cell, Figure, Marked, Section, Table
from rankscope.data.text import (
    format_interval,
    format_number,
    format_p_cell,
    format_percent,
    join_names,
    pluralise,
    pluralise_queries,
)
from rankscope.experiments.crossvalidation.blends import BLEND_NAME, BlendComposition
from rankscope.experiments.crossvalidation.fold_values import RANK_RANGES
from rankscope.experiments.crossvalidation.result import (
    noise_of_pairs,
    value_label,
    within_noise,
)
from rankscope.kernels.rounding_ties import best_places
from rankscope.learning.training import epoch_curves
from rankscope.stats.intervals import t_interval

if TYPE_CHECKING:
    from rankscope.comparison.compare import Comparison, MeasureComparison
    from rankscope.experiments.crossvalidation.result import CrossValidation

__all__ = [
    "blend_notes",
    "blend_section",
    "crossvalidation_sections",
    "verdict",
]


#: Noise of pairs that differs by more than this share is printed as a range.
RANGE_FROM = 0.1


def verdict(result: CrossValidation) -> str:
    """By the first measure: the best ranker, the rankers it does not differ from, and the size of noise."""
    measure = result.measures[0]
    best = result.order[0]
    value = f"{result.test.overall[best, 0]:.4f}"
    value_name = value_label(result)
    data_text = f"on {pluralise_queries(len(result.test.scores.query_ids))} of {pluralise(len(result.folds), 'fold')}"
    if result.comparison is None:
        return f"{result.models[best]} has a {value_name} of {value} {data_text}{single_ranker_interval(result)}."
    comparison = result.comparison[measure]
    word = "highest" if comparison.measure_values.sign > 0 else "lowest"
    best_clause = f"{result.models[best]} has the {word} {value_name}, {value} {data_text}"
    rivals = [
        m
        for m in result.order[1:]
        if (m, best) in compared_pairs(comparison) or (best, m) in compared_pairs(comparison)
    ]
    noise = noise_of_pairs(result, comparison)
    clear: list[str] = []
    weak: list[str] = []
    for m in rivals:
        if comparison.beats[best, m]:
            (weak if within_noise(noise, comparison)[comparison.pair_index(best, m)] else clear).append(
                result.models[m]
            )
    undecided = [result.models[m] for m in rivals if not comparison.beats[best, m]]
    clauses = [best_clause]
    if clear:
        clauses.append(f"it is significantly better than {join_names(clear)}")
    if weak:
        reservation = "by no more than chance can cause by queries and seeds together"
        clauses.append(f"it is significantly better than {join_names(weak)} on these queries, but {reservation}")
    if undecided:
        clauses.append(f"no significant difference from {join_names(undecided)} was found")
    return "; ".join(clauses) + ". " + noise_sentence(result, comparison, best)


def compared_pairs(comparison: MeasureComparison) -> set[tuple[int, int]]:
    return set(zip(comparison.first.tolist(), comparison.second.tolist(), strict=True))


def single_ranker_interval(result: CrossValidation) -> str:
    """The interval of the mean of the only ranker."""
    values = result.test.scores.values[0, 0]
    interval = t_interval(values[~np.isnan(values)])
    if bool(interval.degenerate) or result.test.kinds[0] != "mean":
        return ""
    return f" (95 % interval {float(interval.low):.4f} to {float(interval.high):.4f})"


def noise_sentence(result: CrossValidation, comparison: MeasureComparison, best: int) -> str:
    """The size of a difference from the best ranker that chance can make."""
    noise = noise_of_pairs(result, comparison)
    with_best = ((comparison.first == best) | (comparison.second == best)) & ~np.isnan(noise.both)
    if not with_best.any():
        return "These values do not show how large a difference can be noise."
    low, high = float(noise.both[with_best].min()), float(noise.both[with_best].max())
    size_text, pair_text = f"about {low:.4f}", ""
    if high - low > RANGE_FROM * low:
        size_text, pair_text = f"{low:.4f} to {high:.4f}", ", depending on the ranker"
    reason = f"the choice of queries ({format_range(noise.queries[with_best])})"
    if np.isnan(noise.seeds[with_best]).any():
        is_mean = result.test.kinds[0] == "mean"
        unknown_reason = "there is only one" if is_mean else f"{comparison.measure} is not a mean over queries"
        reason += f"; how much seeds add is unknown, since {unknown_reason}"
    elif (noise.seeds[with_best] > 0).any():
        reason += f" and of {pluralise(result.seeds, 'seed')} ({format_range(noise.seeds[with_best])})"
    if len(result.models) == 2:
        subject = f"Two means of {comparison.measure_values.label} that are less than {size_text} apart"
    else:
        label = comparison.measure_values.label
        subject = f"Means of {label} that are less than {size_text} from that of {result.models[best]}"
        subject += f"{pair_text}," if pair_text else ""
    return (
        f"{subject} may well differ by chance: in {format_percent(comparison.alpha)} of such experiments two equally "
        f"good rankers differ by that much, just because of {reason}."
    )


def format_range(values: np.ndarray[Any, np.dtype[np.float64]]) -> str:
    """One number, or the range from the lowest to the highest."""
    low, high = f"{values.min():.4f}", f"{values.max():.4f}"
    return low if low == high else f"{low} to {high}"


def blend_section(result: CrossValidation, blended: BlendComposition, comparison: Comparison) -> Section:
    """A row a measure and part: both values, their difference and its test, where the part was compared."""
    blend = result.models.index(BLEND_NAME)
    rows: list[tuple[Cell, ...]] = []
    for measure_comparison in comparison.comparisons:
        rows += [part_row(result, measure_comparison, blend, m) for m in result.order if m != blend]
    columns = ("measure", "part", "part alone", "blend", "difference", "95 % interval", "p", "weight")
    return Section(
        title=f"The blend against its {len(result.models) - 1} parts" if len(result.models) > 2 else "The blend",
        sentence=blend_sentence(result, blended, comparison.comparisons[0], blend),
        table=Table(columns=columns_at_level(columns, comparison), rows=tuple(rows), n_name_columns=2),
        notes=(
            "weight: total weight of all rankers with this loss, mean over folds; p: corrected for the number of "
            "compared pairs",
        ),
    )


def columns_at_level(columns: tuple[str, ...], comparison: Comparison) -> tuple[str, ...]:
    level = 100 * (1 - comparison.settings.alpha)
    return tuple(name.replace("95", f"{level:g}") for name in columns)


def part_row(result: CrossValidation, comparison: MeasureComparison, blend: int, model: int) -> tuple[Cell, ...]:
    """The row of one part and measure; the difference is the blend's value less that of the part."""
    assert result.blend is not None
    part_columns = [i for i, (name, _) in enumerate(result.blend.parts) if name == result.models[model]]
    weight = format_number(float(result.blend.weights[:, part_columns].sum(axis=1).mean()), 2)
    measure = result.test.scores.place_of(comparison.measure)
    values = (format_number(result.test.overall[model, measure]), format_number(result.test.overall[blend, measure]))
    pair_index = np.flatnonzero(
        ((comparison.first == blend) & (comparison.second == model))
        | ((comparison.first == model) & (comparison.second == blend))
    )
    if not pair_index.size:  # the baseline is another ranker
        return (comparison.measure, result.models[model], *values, "-", "-", "-", weight)
    i = int(pair_index[0])
    sign = 1.0 if comparison.first[i] == blend else -1.0
    low, high = sorted((sign * float(comparison.low[i]), sign * float(comparison.high[i])))
    cells = (
        format_number(sign * float(comparison.difference[i])),
        format_interval(low, high),
        format_p_cell(float(comparison.pvalue_corrected[i])),
    )
    return (comparison.measure, result.models[model], *values, *cells, weight)


def blend_sentence(
    result: CrossValidation, blended: BlendComposition, comparison: MeasureComparison, blend: int
) -> str:
    """By the first measure: the parts that the blend is significantly better or worse than."""
    part_models = [m for m in range(len(result.models)) if m != blend]
    pairs = compared_pairs(comparison)
    compared_models = [m for m in part_models if (m, blend) in pairs or (blend, m) in pairs]
    worse_parts = [result.models[m] for m in compared_models if comparison.beats[blend, m]]
    better_parts = [result.models[m] for m in compared_models if comparison.beats[m, blend]]
    undecided = [
        result.models[m] for m in compared_models if not comparison.beats[blend, m] and not comparison.beats[m, blend]
    ]
    value = format_number(float(result.test.overall[blend, 0]))
    clauses = [f"The blend has a {value_label(result)} of {value} on the test lists"]
    clauses += [f"it is significantly better than {join_names(worse_parts)}"] if worse_parts else []
    clauses += [f"it is significantly worse than {join_names(better_parts)}"] if better_parts else []
    clauses += [f"no significant difference from {join_names(undecided)} was found"] if undecided else []
    clauses += [] if compared_models else ["it was compared with none of its parts"]
    return "; ".join(clauses) + "."


def blend_notes(result: CrossValidation) -> list[str]:
    """Notes on the blend and how it differs from its parts; empty without a blend."""
    blended = result.blend
    if blended is None:
        return []
    weighting = "equal weights" if blended.how == "average" else "weights learned on the validation lists"
    notes = [
        f"{BLEND_NAME}: one ranker made of {pluralise(len(blended.parts), 'ranker')} (all losses, all seeds), with "
        f"{weighting}; the other values are those of single rankers, so part of its gain comes from several seeds"
    ]
    if result.seeds > 1 and not result.fixed[-1]:
        notes.append(f"{BLEND_NAME}, sd over seeds: computed from blends of one seed each")
    if blended.how == "stacked":
        notes.append(
            f"{BLEND_NAME}: the validation lists were used twice, for early stopping and for its weights, so its "
            "validation value is too high"
        )
    return notes


def crossvalidation_sections(result: CrossValidation) -> list[Section]:
    """Means, folds, tests between rankers, importance of features, ranks of documents by grade, curves of training."""
    sections = [means_section(result), *(fold_section(result, m) for m in range(len(result.measures)))]
    if result.comparison is not None:
        if result.blend is not None:
            sections.append(blend_section(result, result.blend, result.comparison))
        sections += [noise_section(result), *result.comparison.sections()]
    importance = result.feature_importance
    if importance is not None:
        sections += importance.sections()
    sections += [rank_confusion_section(result, m) for m in result.order]
    for m in result.order:
        title = f"{result.models[m]}: validation by epoch"
        sections += epoch_curves(list(result.folds), list(result.curves[m]), result.stop_on[m], title)
    return sections


def means_section(result: CrossValidation) -> Section:
    """A row a ranker and measure: test, deviation over seeds, validation, and best epoch."""
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
        table=Table(columns=columns, rows=tuple(rows), n_name_columns=2),
        notes=(
            "test, validation: mean over the queries of all folds, for each query the mean over seeds; the validation "
            "lists were used for early stopping, so validation values are too high",
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
    """The difference of each pair and measure beside its noise."""
    comparison = result.comparison
    assert comparison is not None  # there are several rankers
    rows: list[tuple[Cell, ...]] = []
    for measure_comparison in comparison.comparisons:
        noise = noise_of_pairs(result, measure_comparison)
        for i, (first, second) in enumerate(
            zip(measure_comparison.first.tolist(), measure_comparison.second.tolist(), strict=True)
        ):
            cells = [format_number(noise.queries[i]), format_number(noise.seeds[i]), format_number(noise.both[i])]
            rows.append(
                (
                    measure_comparison.measure,
                    measure_comparison.systems[first],
                    measure_comparison.systems[second],
                    format_number(abs(float(measure_comparison.difference[i]))),
                    *cells,
                )
            )
    columns = ("measure", "ranker", "and", "difference", "queries", "seeds", "together")
    level = comparison.settings.alpha
    return Section(
        title="How large a difference must be to exceed noise",
        sentence=(
            "The difference of two means, and the difference that chance alone can cause by the choice of queries, by "
            f"the choice of seeds, and by both together (at level {level:g}, each pair by itself)."
        ),
        table=Table(columns=columns, rows=tuple(rows), n_name_columns=3),
        folded=True,
    )


def rank_confusion_section(result: CrossValidation, model: int) -> Section:
    """The shares of the documents of each grade by range of ranks."""
    counts = result.rank_counts[model][::-1]  # the highest grade on top
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
        title=f"{name}: ranks of documents by grade",
        sentence=f"Of the documents of grade {grades[0]}, {100 * top:.0f} % are in the top ten of their lists.",
        table=Table(columns=("grade", "documents", *(f"rank {span}" for span in RANK_RANGES)), rows=rows),
        figure=Figure(
            "grade_places",
            {"grades": [str(grade) for grade in grades], "ranges": list(RANK_RANGES), "shares": shares, "of": name},
        ),
        folded=model != result.order[0],
    )
