"""How a cross-validation and a blend are shown: sentences, tables and figures."""

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
from rankscope.kernels.ties import best_places
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


#: Thresholds of pairs that differ by more than this share are told as a range.
RANGE_FROM = 0.1


def verdict(result: CrossValidation) -> str:
    """By the first measure: which is best, whom that was not shown of, and how large a difference is noise."""
    measure = result.measures[0]
    best = result.order[0]
    value = f"{result.test.overall[best, 0]:.4f}"
    called = value_label(result)
    where = f"on {pluralise_queries(len(result.test.scores.query_ids))} of {pluralise(len(result.folds), 'fold')}"
    if result.comparison is None:
        return f"{result.models[best]} has a {called} of {value} {where}{single_ranker_interval(result)}."
    part = result.comparison[measure]
    word = "highest" if part.matched.sign > 0 else "lowest"
    said = f"{result.models[best]} has the {word} {called}, {value} {where}"
    rivals = [m for m in result.order[1:] if (m, best) in compared_pairs(part) or (best, m) in compared_pairs(part)]
    noise = noise_of_pairs(result, part)
    clear: list[str] = []
    weak: list[str] = []
    for m in rivals:
        if part.beats[best, m]:
            (weak if within_noise(noise, part)[part.pair(best, m)] else clear).append(result.models[m])
    open_ = [result.models[m] for m in rivals if not part.beats[best, m]]
    parts = [said]
    if clear:
        parts.append(f"it is better than {join_names(clear)}")
    if weak:
        made = "by no more than queries and seeds may make together"
        parts.append(f"it is better than {join_names(weak)} on these queries, but {made}")
    if open_:
        parts.append(f"from {join_names(open_)} it cannot be told apart")
    return "; ".join(parts) + ". " + noise_sentence(result, part, best)


def compared_pairs(part: MeasureComparison) -> set[tuple[int, int]]:
    return set(zip(part.first.tolist(), part.second.tolist(), strict=True))


def single_ranker_interval(result: CrossValidation) -> str:
    """The interval of the mean of the only ranker."""
    values = result.test.scores.values[0, 0]
    found = t_interval(values[~np.isnan(values)])
    if bool(found.degenerate) or result.test.kinds[0] != "mean":
        return ""
    return f" (95 % interval {float(found.low):.4f} to {float(found.high):.4f})"


def noise_sentence(result: CrossValidation, part: MeasureComparison, best: int) -> str:
    """How large a difference from the best ranker has to be, from these data."""
    noise = noise_of_pairs(result, part)
    there = ((part.first == best) | (part.second == best)) & ~np.isnan(noise.both)
    if not there.any():
        return "How large a difference is noise cannot be told from these values."
    low, high = float(noise.both[there].min()), float(noise.both[there].max())
    size, by_pair = f"about {low:.4f}", ""
    if high - low > RANGE_FROM * low:
        size, by_pair = f"{low:.4f} to {high:.4f}", ", depending on the ranker"
    why = f"which queries are asked ({format_range(noise.queries[there])})"
    if np.isnan(noise.seeds[there]).any():
        unknown = "there was one" if result.test.kinds[0] == "mean" else f"{part.measure} is no mean over queries"
        why += f"; how much seeds add is not known, since {unknown}"
    elif (noise.seeds[there] > 0).any():
        why += f" and which {pluralise(result.seeds, 'seed')} are taken ({format_range(noise.seeds[there])})"
    if len(result.models) == 2:
        which = f"Two means of {part.matched.label} that are less than {size} apart"
    else:
        which = f"Means of {part.matched.label} that are less than {size} from that of {result.models[best]}{by_pair},"
        which = which if by_pair else which[:-1]
    return (
        f"{which} may well differ by chance: in {format_percent(part.level)} of such experiments two equally good "
        f"rankers come out that far apart, just by {why}."
    )


def format_range(values: np.ndarray[Any, np.dtype[np.float64]]) -> str:
    """One number, or from the lowest to the highest."""
    low, high = f"{values.min():.4f}", f"{values.max():.4f}"
    return low if low == high else f"{low} to {high}"


def blend_section(result: CrossValidation, blended: BlendComposition, comparison: Comparison) -> Section:
    """A row a measure and part: both values, their difference and its test. Parts that were not compared have none."""
    blend = result.models.index(BLEND_NAME)
    rows: list[tuple[Cell, ...]] = []
    for part in comparison.parts:
        rows += [part_row(result, part, blend, m) for m in result.order if m != blend]
    columns = ("measure", "part", "its value", "blend", "difference", "95 % interval", "p", "weight")
    return Section(
        title=f"The blend against its {len(result.models) - 1} parts" if len(result.models) > 2 else "The blend",
        sentence=blend_sentence(result, blended, comparison.parts[0], blend),
        table=Table(columns=columns_at_level(columns, comparison), rows=tuple(rows), left=2),
        notes=(
            "weight: of all rankers with this loss together, the mean over folds; p: corrected for the number of pairs "
            "that were compared",
        ),
    )


def columns_at_level(columns: tuple[str, ...], comparison: Comparison) -> tuple[str, ...]:
    level = 100 * (1 - comparison.settings.level)
    return tuple(name.replace("95", f"{level:g}") for name in columns)


def part_row(result: CrossValidation, part: MeasureComparison, blend: int, model: int) -> tuple[Cell, ...]:
    """One part by one measure; the difference is the blend's value less that of the part."""
    assert result.blended is not None
    mine = [i for i, (name, _) in enumerate(result.blended.parts) if name == result.models[model]]
    weight = format_number(float(result.blended.weights[:, mine].sum(axis=1).mean()), 2)
    measure = result.test.scores.place_of(part.measure)
    values = (format_number(result.test.overall[model, measure]), format_number(result.test.overall[blend, measure]))
    place = np.flatnonzero(
        ((part.first == blend) & (part.second == model)) | ((part.first == model) & (part.second == blend))
    )
    if not place.size:  # another one is the baseline
        return (part.measure, result.models[model], *values, "-", "-", "-", weight)
    i = int(place[0])
    sign = 1.0 if part.first[i] == blend else -1.0
    low, high = sorted((sign * float(part.low[i]), sign * float(part.high[i])))
    cells = (
        format_number(sign * float(part.difference[i])),
        format_interval(low, high),
        format_p_cell(float(part.pvalue_corrected[i])),
    )
    return (part.measure, result.models[model], *values, *cells, weight)


def blend_sentence(result: CrossValidation, blended: BlendComposition, part: MeasureComparison, blend: int) -> str:
    """By the first measure: of which parts the blend was shown to be better, or worse."""
    others = [m for m in range(len(result.models)) if m != blend]
    pairs = set(zip(part.first.tolist(), part.second.tolist(), strict=True))
    tested = [m for m in others if (m, blend) in pairs or (blend, m) in pairs]
    above = [result.models[m] for m in tested if part.beats[blend, m]]
    below = [result.models[m] for m in tested if part.beats[m, blend]]
    open_ = [result.models[m] for m in tested if not part.beats[blend, m] and not part.beats[m, blend]]
    value = format_number(float(result.test.overall[blend, 0]))
    said = [f"The blend has a {value_label(result)} of {value} on the test lists"]
    said += [f"it is better than {join_names(above)}"] if above else []
    said += [f"it is worse than {join_names(below)}"] if below else []
    said += [f"from {join_names(open_)} it cannot be told apart"] if open_ else []
    said += [] if tested else ["it was compared with none of its parts"]
    return "; ".join(said) + "."


def blend_notes(result: CrossValidation) -> list[str]:
    """What the blend is, and why it is not as its parts are; nothing where there is none."""
    blended = result.blended
    if blended is None:
        return []
    how = "equal weights" if blended.how == "average" else "weights learned on the validation lists"
    found = [
        f"{BLEND_NAME}: one ranker made of {pluralise(len(blended.parts), 'ranker')} (all losses, all seeds), with "
        f"{how}; the others stand for a single ranker each, so that part of what it gains is what several seeds gain"
    ]
    if result.seeds > 1 and not result.fixed[-1]:
        found.append(f"{BLEND_NAME}, sd over seeds: of blends of one seed each")
    if blended.how == "stacked":
        found.append(
            f"{BLEND_NAME}: the validation lists were used to stop training and for its weights, so that its value "
            "there is too high twice over"
        )
    return found


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
