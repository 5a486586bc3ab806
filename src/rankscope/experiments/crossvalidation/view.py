"""View of a cross-validation and of its blend: sentences, tables and figures."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankscope.data.columns import column, columns_of, digits, interval, percent, table_of, thousands
from rankscope.data.section import Figure, Section
from rankscope.data.text import (
    format_number,
    format_p_cell,
    format_percent,
    join_names,
    pluralise,
    pluralise_queries,
)
from rankscope.experiments.crossvalidation.blends import BLEND_NAME
from rankscope.experiments.crossvalidation.fold_values import RANK_RANGES
from rankscope.experiments.crossvalidation.result import (
    Noise,
    noise_of_pairs,
    value_label,
    within_noise,
)
from rankscope.kernels.means import nan_mean
from rankscope.kernels.rounding_ties import best_places
from rankscope.learning.training import epoch_curves
from rankscope.stats.intervals import t_interval
from rankscope.typing import Floats

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
        clauses.append(
            f"its lead over {join_names(weak)} is significant if only the queries are random, but not if the training "
            "seeds are random as well"
        )
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
        size_text, pair_text = f"{low:.4f} to {high:.4f}", ", depending on the ranker,"
    reason = f"by the choice of queries: {format_range(noise.queries[with_best])}"
    if np.isnan(noise.seeds[with_best]).any():
        is_mean = result.test.kinds[0] == "mean"
        unknown_reason = "there is only one" if is_mean else f"{comparison.measure} is not a mean over queries"
        reason += f"; how much seeds add is unknown, since {unknown_reason}"
    elif (noise.seeds[with_best] > 0).any():
        seeds_text = pluralise(result.seeds, "seed")
        seeds_alone = stated_seed_noise(noise)[with_best]
        reason = f"by the choice of queries alone: {format_range(noise.queries[with_best])}; " + (
            f"{seeds_text} are too few to tell how much seeds alone cause"
            if np.isnan(seeds_alone).any()
            else f"by that of {seeds_text} alone: {format_range(seeds_alone)}"
        )
    rival_text = "" if len(result.models) == 2 else f" from {result.models[best]}"
    return (
        f"A difference{rival_text} in mean {comparison.measure_values.label} below {size_text}{pair_text} is within "
        f"chance at level {comparison.alpha:g}: two equally good rankers differ by that much or more in "
        f"{format_percent(comparison.alpha)} of such experiments ({reason})."
    )


def stated_seed_noise(noise: Noise) -> Floats:
    """(pairs) the noise of seeds; NaN where it exceeds that of seeds and queries together.

    A part cannot exceed the sum. Where it seems to, the variance of so few seeds is hardly known, and t, not the
    variance, is large.
    """
    return np.where(noise.seeds > noise.both, np.nan, noise.seeds)


def format_range(values: np.ndarray[Any, np.dtype[np.float64]]) -> str:
    """One number, or the range from the lowest to the highest."""
    low, high = f"{values.min():.4f}", f"{values.max():.4f}"
    return low if low == high else f"{low} to {high}"


def blend_section(result: CrossValidation, comparison: Comparison) -> Section:
    """A row a measure and part: both values, their difference and its test, where the part was compared."""
    blend = result.models.index(BLEND_NAME)
    rows = [
        part_row(result, measure_comparison, blend, m)
        for measure_comparison in comparison.comparisons
        for m in result.order
        if m != blend
    ]
    return Section(
        title=f"The blend against its {len(result.models) - 1} parts" if len(result.models) > 2 else "The blend",
        sentence=blend_sentence(result, comparison.comparisons[0], blend),
        table=table_of(
            column("measure", [row.measure for row in rows], name=True),
            column("part", [row.part for row in rows], name=True),
            column("part alone", [row.part_value for row in rows], digits()),
            column("blend", [row.blend_value for row in rows], digits()),
            column("difference", [row.difference for row in rows], digits()),
            column(
                f"{format_percent(1 - comparison.settings.alpha)} interval",
                [(row.low, row.high) for row in rows],
                interval(),
            ),
            column("p", [row.pvalue for row in rows], format_p_cell),
            column("weight", [row.weight for row in rows], digits(2)),
        ),
        notes=(
            "weight: total weight of all rankers with this loss, mean over folds; p: corrected for the number of "
            "compared pairs",
        ),
    )


class PartRow(NamedTuple):
    """A part of a blend beside the blend, by one measure; NaN where the two were not compared."""

    measure: str
    part: str
    part_value: float
    blend_value: float
    weight: float
    difference: float = math.nan
    low: float = math.nan
    high: float = math.nan
    pvalue: float = math.nan


def part_row(result: CrossValidation, comparison: MeasureComparison, blend: int, model: int) -> PartRow:
    """The row of one part and measure; the difference is the blend's value less that of the part."""
    assert result.blend is not None
    part_columns = [i for i, (name, _) in enumerate(result.blend.parts) if name == result.models[model]]
    weight = float(result.blend.weights[:, part_columns].sum(axis=1).mean())
    measure = result.test.scores.place_of(comparison.measure)
    row = PartRow(
        comparison.measure,
        result.models[model],
        float(result.test.overall[model, measure]),
        float(result.test.overall[blend, measure]),
        weight,
    )
    pair_index = np.flatnonzero(
        ((comparison.first == blend) & (comparison.second == model))
        | ((comparison.first == model) & (comparison.second == blend))
    )
    if not pair_index.size:  # the baseline is another ranker
        return row
    i = int(pair_index[0])
    sign = 1.0 if comparison.first[i] == blend else -1.0
    low, high = sorted((sign * float(comparison.low[i]), sign * float(comparison.high[i])))
    return row._replace(
        difference=sign * float(comparison.difference[i]),
        low=low,
        high=high,
        pvalue=float(comparison.pvalue_corrected[i]),
    )


def blend_sentence(result: CrossValidation, comparison: MeasureComparison, blend: int) -> str:
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
            sections.append(blend_section(result, result.comparison))
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
    is_best = []
    for k, measure in enumerate(result.measures):
        sign = result.test.scores.sign(measure)
        best = int(best_places(sign * test[:, k]).argmax()) if not np.isnan(test[:, k]).all() else -1
        is_best += [m == best for m in result.order]
    rows = [(k, m) for k in range(len(result.measures)) for m in result.order]
    seeds = pluralise(result.seeds, "seed")
    return Section(
        title=f"{pluralise(len(result.models), 'ranker')} on {pluralise(len(result.folds), 'fold')}, {seeds}",
        sentence=verdict(result),
        table=table_of(
            column("measure", [result.measures[k] for k, _ in rows], name=True),
            column("ranker", [result.models[m] for _, m in rows], name=True),
            column("test", [test[m, k] for k, m in rows], digits(), bold=is_best),
            column("sd over seeds", [math.nan if result.fixed[m] else deviation[m, k] for k, m in rows], digits()),
            column("validation", [valid[m, k] for k, m in rows], digits()),
            column("best epoch", [result.best_epochs[:, m].mean() for _, m in rows], digits(0)),
        ),
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
    models = list(result.order)
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
        table=table_of(
            column("ranker", [result.models[m] for m in models], name=True),
            *columns_of(result.folds, values[:, models].T, digits()),
            column("mean of folds", nan_mean(values)[models], digits()),
        ),
        figure=Figure("condition_lines", data) if len(result.folds) > 1 else None,
        notes=(f"folds of {sizes}",),
        folded=measure > 0,
    )


def noise_section(result: CrossValidation) -> Section:
    """The difference of each pair and measure beside its noise."""
    comparison = result.comparison
    assert comparison is not None  # there are several rankers
    by_measure = [(part, noise_of_pairs(result, part)) for part in comparison.comparisons]
    rows = [(part, noise, i) for part, noise in by_measure for i in range(part.first.size)]
    level = comparison.settings.alpha
    seeds_alone = [float(stated_seed_noise(noise)[i]) for _, noise, i in rows]
    is_hidden = any(
        math.isnan(value) and not math.isnan(noise.seeds[i])
        for value, (_, noise, i) in zip(seeds_alone, rows, strict=True)
    )
    return Section(
        title="How large a difference must be to exceed noise",
        sentence=(
            "The difference of two means, and the difference that chance alone can cause by the choice of queries, by "
            f"the choice of seeds, and by both together (at level {level:g}, each pair by itself)."
        ),
        table=table_of(
            column("measure", [part.measure for part, _, _ in rows], name=True),
            column("ranker", [part.systems[part.first[i]] for part, _, i in rows], name=True),
            column("and", [part.systems[part.second[i]] for part, _, i in rows], name=True),
            column("difference", [abs(part.difference[i]) for part, _, i in rows], digits()),
            column("queries", [noise.queries[i] for _, noise, i in rows], digits()),
            column("seeds", seeds_alone, digits()),
            column("together", [noise.both[i] for _, noise, i in rows], digits()),
        ),
        notes=(f"seeds, -: {pluralise(result.seeds, 'seed')} are too few to tell",) if is_hidden else (),
        folded=True,
    )


def rank_confusion_section(result: CrossValidation, model: int) -> Section:
    """The shares of the documents of each grade by range of ranks."""
    counts = result.rank_counts[model][::-1]  # the highest grade on top
    grades = [f"from {grade:g}" if result.grades_are_bins else str(grade) for grade in result.grades[::-1]]
    sums = counts.sum(axis=1, keepdims=True)
    shares = counts / sums
    name = result.models[model]
    top = float(shares[0, :4].sum())
    noun = "grades" if result.grades_are_bins else "grade"
    return Section(
        title=f"{name}: ranks of documents by grade",
        sentence=f"Of the documents of {noun} {grades[0]}, {100 * top:.0f} % are in the top ten of their lists.",
        table=table_of(
            column("grade", grades, name=True),
            column("documents", sums[:, 0], thousands),
            *columns_of([f"rank {span}" for span in RANK_RANGES], shares, percent(1)),
        ),
        figure=Figure(
            "grade_places",
            {"grades": grades, "ranges": list(RANK_RANGES), "shares": shares, "of": name},
        ),
        folded=model != result.order[0],
    )
