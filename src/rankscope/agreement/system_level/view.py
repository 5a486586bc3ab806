"""The view of agreement on systems: metrics by language pairs, each value, the scores, figures, sentences."""

from __future__ import annotations

import numpy as np

from rankscope.agreement.direction import direction_notes
from rankscope.agreement.segment_level import AVERAGE, ROWS_UNFOLDED
from rankscope.agreement.statistics import ACCURACY, OUTLIER_CUTOFF, SOFT, SYSTEM_CORRELATIONS
from rankscope.agreement.system_level.agreement import ALL, SystemAgreement
from rankscope.data.columns import column, digits, is_best, table_of, thousands
from rankscope.data.section import Figure, Section, Table
from rankscope.data.text import format_number, format_percent, join_names, pluralise
from rankscope.kernels.rounding_ties import order_of
from rankscope.typing import Floats

__all__ = [
    "sections_of",
]


#: The meaning of each statistic's values.
MEANING = {
    ACCURACY: "1: all pairs of systems ordered as by people; 0.5: half of them, as by chance",
    SOFT: "1: as certain as people which of two systems is better; 0: certain of the opposite",
    "pearson": "1: scores rise linearly with those of people; 0: no linear relation; -1: they fall",
    "spearman": "1: systems ordered as by people; 0: no relation; -1: the opposite order",
    "kendall_b": "1: all pairs of systems ordered as by people; 0: as many right as wrong; -1: all wrong",
}
#: The heading of the column of human scores, by rule.
RULE_NAMES = {
    "wins": "wins",
    "expected_wins": "expected wins",
    "better_or_equal": "better or equal",
    "bradley_terry": "strength",
}


def sections_of(result: SystemAgreement) -> tuple[Section, ...]:
    rows = list(result.records())
    sections = [
        Section(
            title="Agreement with people on systems",
            sentence=sentence_of(result),
            table=main_table(result),
            notes=notes_of(result),
        ),
        Section(title="Each metric and language pair", table=value_table(result), folded=len(rows) > ROWS_UNFOLDED),
    ]
    if not result.settings.without_outliers and not np.isnan(result.without).all():
        sections.append(outlier_section(result))
    for p, pair in enumerate(result.pairs):
        sections.append(
            Section(
                title=f"Systems of {pair}" if pair else "Systems",
                table=scores_table(result, p),
                figure=figure_of(result, 0, p),
                folded=result.several_pairs,
            )
        )
        sections += [
            Section(
                title=f"People and {metric}{f', {pair}' if pair else ''}",
                sentence=f"Each system's human score and {metric} score.",
                figure=figure_of(result, m, p),
                folded=True,
            )
            for m, metric in enumerate(result.metrics[1:], 1)
        ]
    return tuple(sections)


def name_of(result: SystemAgreement) -> str:
    """The name of the statistic in plain text."""
    name = result.settings.statistic.replace("_", " ")
    return f"|{name}|" if result.settings.absolute else name


def main_table(result: SystemAgreement) -> Table:
    """Metrics by language pairs with the average; the best of each column in bold."""
    titled_values = [(pair or name_of(result), result.value[:, p]) for p, pair in enumerate(result.pairs)]
    if result.several_pairs:
        titled_values.append((AVERAGE, result.average))
        if result.settings.statistic == ACCURACY:
            titled_values.append((ALL, result.pooled))
    return table_of(
        column("metric", result.metrics, name=True),
        *(column(title, values, digits(), bold=is_best(values)) for title, values in titled_values),
    )


def shows_pairs(result: SystemAgreement) -> bool:
    """Whether tables have a column of language pairs."""
    return result.several_pairs or bool(result.pairs[0])


def value_table(result: SystemAgreement) -> Table:
    """Each value with its interval, and the number of systems or of pairs of systems."""
    metrics, pairs, _, values, lows, highs, counts = zip(*result.records(), strict=True)
    shown_counts = (
        None if result.several_pairs and pair == AVERAGE else n for pair, n in zip(pairs, counts, strict=True)
    )
    return table_of(
        column("metric", metrics, name=True),
        column("pair", pairs, name=True) if shows_pairs(result) else None,
        column(name_of(result), values, digits()),
        column(f"{format_percent(result.settings.confidence_level)} from", lows, digits()),
        column("to", highs, digits()),
        column(
            "systems" if result.settings.statistic in SYSTEM_CORRELATIONS else "pairs of systems",
            shown_counts,
            thousands,
        ),
    )


def outlier_section(result: SystemAgreement) -> Section:
    """The statistic without the outliers among the systems."""
    cells = [(m, p) for m in range(len(result.metrics)) for p, names in enumerate(result.outliers) if names]
    return Section(
        title="Without outliers",
        sentence=(
            "A system that people find far better or far worse than all others is easy to tell apart, and alone can "
            "make "
            f"{'a correlation' if result.settings.statistic in SYSTEM_CORRELATIONS else 'the agreement'} look high."
        ),
        table=table_of(
            column("metric", (result.metrics[m] for m, _ in cells), name=True),
            column("pair", (result.pairs[p] for _, p in cells), name=True) if shows_pairs(result) else None,
            column("outliers", (result.outliers[p] for _, p in cells), join_names, name=True),
            column(name_of(result), (result.value[cell] for cell in cells), digits()),
            column("without", (result.without[cell] for cell in cells), digits()),
        ),
    )


def human_name(result: SystemAgreement) -> str:
    return RULE_NAMES.get(result.rule, result.gold)


def scores_table(result: SystemAgreement, p: int) -> Table:
    """The systems of one language pair with all scores, by falling human score."""
    human = result.human[p]
    higher = result.rule in RULE_NAMES or result.gold in result.higher
    order = order_of(-human if higher else human).tolist()
    return table_of(
        column("system", (result.systems[p][i] for i in order), name=True),
        column(human_name(result), human[order], digits()),
        *(
            column(metric, scores[order], digits())
            for metric, scores in zip(result.metrics, result.scores[p], strict=True)
        ),
    )


def figure_of(result: SystemAgreement, m: int, p: int) -> Figure:
    """People's scores against one metric's, with a named point for each system."""
    data = {
        "systems": result.systems[p],
        "human": result.human[p],
        "scores": result.scores[p][m],
        "metric": result.metrics[m],
        "human_name": f"people: {human_name(result)}",
        "outliers": result.outliers[p],
        "lower": falling(result, m),
    }
    return Figure("human_against_metric", data)


def falling(result: SystemAgreement, m: int) -> tuple[str, ...]:
    """Those of "human" and "metric" for whose scores, as shown, lower is better."""
    shares = result.has_segment_scores[m] and result.settings.from_segments == "share"
    human = result.rule not in RULE_NAMES and result.gold not in result.higher
    metric = result.metrics[m] not in result.higher and not shares
    return tuple(name for name, is_lower in (("human", human), ("metric", metric)) if is_lower)


def sentence_of(result: SystemAgreement) -> str:
    """The sentence on which metric agrees most, and what the number means."""
    several_pairs = result.several_pairs
    pooled = several_pairs and result.settings.statistic == ACCURACY and result.settings.weights is None
    values = result.pooled if pooled else result.average if several_pairs else result.value[:, 0]
    scope = f" over {pluralise(len(result.pairs), 'language pair')}" if several_pairs else ""
    if scope and not pooled:
        scope = f" on {'average' if result.settings.weights is None else 'the weighted average'}{scope}"
    meaning = f"{MEANING[result.settings.statistic]}."
    if result.settings.absolute:
        meaning = f"{meaning} Signs are dropped, as in some papers."
    with_value = np.flatnonzero(~np.isnan(values))
    if not with_value.size:
        return f"No metric has a value{scope}; see the notes."
    rounded = np.round(values[with_value], 4)
    best = [result.metrics[with_value[i]] for i in np.flatnonzero(rounded == rounded.max())]
    highest = f"{name_of(result)} {format_number(rounded.max())}"
    if with_value.size == 1:
        return f"{best[0]} against people on systems{scope}: {highest}. {meaning}"
    if len(best) > 1:
        return f"{join_names(best)} agree most with people on systems{scope} ({highest}). {meaning}"
    worst = result.metrics[with_value[int(rounded.argmin())]]
    return (
        f"{best[0]} agrees most with people on systems{scope} ({highest}), {worst} least "
        f"({format_number(rounded.min())}). "
        f"{meaning} Whether metrics differ significantly is not tested here; rankscope agree metrics tests that."
    )


def notes_of(result: SystemAgreement) -> tuple[str, ...]:
    """Notes on outliers, on intervals, on missing values, and on directions that may be wrong."""
    notes = [*outlier_notes(result)]
    fewest = min(map(len, result.systems))
    if result.interval == "segments":
        system_metrics = [
            name for name, of_segments in zip(result.metrics, result.has_segment_scores, strict=True) if not of_segments
        ]
        fixed = result.metrics if result.rule == "bradley_terry" else system_metrics
        if fixed:
            notes.append(
                f"intervals say how values would vary had people judged other segments; scores of {join_names(fixed)} "
                "are held fixed"
            )
        if not np.isnan(result.low).all():
            notes.append(
                "if differences between systems are small compared with the noise of their means, intervals are too "
                "low, because resampling adds noise"
            )
    elif result.interval == "fisher":
        notes.append(
            "intervals (Fisher's z) are a rough guide: they take the "
            f"{fewest if not result.several_pairs else f'{fewest} or more'} systems as a random sample with normally "
            "distributed scores"
        )
    elif result.rule == "given":
        notes.append("no intervals: human scores are of whole systems, so there are no segments to resample")
    without_interval = np.isnan(result.low) & ~np.isnan(result.value)
    if result.interval != "none" and without_interval.any():
        reason = "too few systems, or perfect agreement"
        if result.interval == "segments":
            reason = "people judged fewer than two segments, or scores do not differ in a resample"
        notes.append(f"no interval for {join_cells(result, without_interval)}: {reason}")
    without_value = np.isnan(result.value)
    if without_value.any():
        notes.append(f"no value for {join_cells(result, without_value)}: without outliers, scores do not differ")
    return (*notes, *notes_on_directions(result))


def notes_on_directions(result: SystemAgreement) -> list[str]:
    """Notes on directions that may be wrong; none for absolute values."""
    if result.settings.absolute:
        return []
    chance = 0.0 if result.settings.statistic in SYSTEM_CORRELATIONS else 0.5
    gold = None if result.rule in RULE_NAMES else result.gold
    return direction_notes(result.metrics, result.higher, result.value, chance=chance, gold=gold)


def join_cells(result: SystemAgreement, cells: Floats | np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> str:
    return join_names(
        f"{result.metrics[m]} ({result.pairs[p]})" if result.pairs[p] else result.metrics[m]
        for m, p in np.argwhere(cells).tolist()
    )


def outlier_notes(result: SystemAgreement) -> list[str]:
    notes = []
    for pair, names in zip(result.pairs, result.outliers, strict=True):
        if names:
            is_are = "is" if len(names) == 1 else "are"
            pronoun = "it" if len(names) == 1 else "them"
            treatment = (
                "skipped" if result.settings.without_outliers else f"still counted (--without-outliers skips {pronoun})"
            )
            notes.append(
                f"{f'{pair}: ' if pair else ''}{join_names(names)} {is_are} more than {OUTLIER_CUTOFF:g} deviations "
                f"from the median human score: {treatment}"
            )
    return notes
