"""The view of agreement on systems: metrics by language pairs, each value, the scores, figures, sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rankscope.agreement.direction import direction_notes
from rankscope.agreement.segment_level import AVERAGE, ROWS_UNFOLDED
from rankscope.agreement.statistics import ACCURACY, OUTLIER_CUTOFF, SOFT, SYSTEM_CORRELATIONS, TAU_AP
from rankscope.agreement.system_level import ALL, SIGNED, SystemAgreement, SystemValues
from rankscope.data.columns import Column, column, digits, is_best, table_of, thousands
from rankscope.data.section import Figure, Section, Table
from rankscope.data.text import format_number, format_percent, join_names, pluralise
from rankscope.kernels.rounding_ties import order_of
from rankscope.typing import Bools, Floats

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
    TAU_AP: "1: systems ordered as by people; 0: as by chance; -1: the opposite order. Mistakes at the top weigh more",
}
#: The heading of the column of human scores, by rule.
RULE_NAMES = {
    "wins": "wins",
    "expected_wins": "expected wins",
    "better_or_equal": "better or equal",
    "bradley_terry": "strength",
}


def sections_of(result: SystemAgreement) -> tuple[Section, ...]:
    rows = list(value_rows(result))
    sections = [
        Section(
            title="Agreement with people on systems",
            sentence=sentence_of(result),
            table=main_table(result),
            notes=notes_of(result),
        ),
        Section(title="Each metric and language pair", table=value_table(result), folded=len(rows) > ROWS_UNFOLDED),
    ]
    if result.top:
        sections.append(top_section(result))
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


def name_of(result: SystemAgreement, statistic: str | None = None) -> str:
    """The name of a statistic in plain text, by default of the first."""
    key = result.statistics[0].statistic if statistic is None else statistic
    name = "tau AP" if key == TAU_AP else key.replace("_", " ")
    return f"|{name}|" if result.settings.absolute and key in SIGNED else name


def main_table(result: SystemAgreement) -> Table:
    """Metrics by language pairs with the average, or by statistics; the best of each column in bold."""
    if result.several_statistics and result.several_pairs:
        return pairs_by_statistic(result)
    titled_values = [
        (pair if pair and not result.several_statistics else name_of(result, values.statistic), values.value[:, p])
        for values in result.statistics
        for p, pair in enumerate(result.pairs)
    ]
    if result.several_pairs:
        titled_values.append((AVERAGE, result.average))
        if result.statistics[0].statistic == ACCURACY:
            titled_values.append((ALL, result.pooled))
    return table_of(
        column("metric", result.metrics, name=True),
        *(column(title, values, digits(), bold=is_best(values)) for title, values in titled_values),
    )


def pairs_by_statistic(result: SystemAgreement) -> Table:
    """A row for each statistic and metric, and a column for each language pair and their average."""
    columns = [
        *((pair, [values.value[:, p] for values in result.statistics]) for p, pair in enumerate(result.pairs)),
        (AVERAGE, [values.average for values in result.statistics]),
    ]
    return table_of(
        column("metric", [metric for _ in result.statistics for metric in result.metrics], name=True),
        column(
            "statistic",
            [name_of(result, values.statistic) for values in result.statistics for _ in result.metrics],
            name=True,
        ),
        *(
            column(title, np.concatenate(blocks), digits(), bold=[best for block in blocks for best in is_best(block)])
            for title, blocks in columns
        ),
    )


def shows_pairs(result: SystemAgreement) -> bool:
    """Whether tables have a column of language pairs."""
    return result.several_pairs or bool(result.pairs[0])


class ValueRow(NamedTuple):
    """A value of a metric with its interval."""

    metric: str
    pair: str
    statistic: str
    value: float
    low: float
    high: float
    n: int


def value_rows(result: SystemAgreement, *, top: bool = False) -> list[ValueRow]:
    """The values among all systems, or among the best, by metric, statistic and language pair."""
    return [
        ValueRow(metric, pair, values.statistic, value, low, high, n)
        for m, metric in enumerate(result.metrics)
        for values in (result.top if top else result.statistics)
        for pair, value, low, high, n in values.rows(m, result.pairs)
    ]


def row_columns(result: SystemAgreement, rows: Sequence[ValueRow]) -> list[Column | None]:
    """The columns that say what a row is: metric, language pair, statistic."""
    return [
        column("metric", (row.metric for row in rows), name=True),
        column("pair", (row.pair for row in rows), name=True) if shows_pairs(result) else None,
        column("statistic", (name_of(result, row.statistic) for row in rows), name=True)
        if result.several_statistics
        else None,
    ]


def count_column(result: SystemAgreement, rows: Sequence[ValueRow]) -> Column:
    """How many systems, or pairs of systems, each row is of; nothing for an average."""
    counts = (None if result.several_pairs and row.pair == AVERAGE else row.n for row in rows)
    of_systems = {row.statistic in SIGNED for row in rows}
    unit = "systems" if of_systems == {True} else "pairs of systems" if of_systems == {False} else "systems or pairs"
    return column(unit, counts, thousands)


def value_table(result: SystemAgreement) -> Table:
    """Each value with its interval, and the number of systems or of pairs of systems."""
    rows = value_rows(result)
    return table_of(
        *row_columns(result, rows),
        column("value" if result.several_statistics else name_of(result), (row.value for row in rows), digits()),
        column(f"{format_percent(result.settings.confidence_level)} from", (row.low for row in rows), digits()),
        column("to", (row.high for row in rows), digits()),
        count_column(result, rows),
    )


def top_section(result: SystemAgreement) -> Section:
    """The statistics among the best systems, beside those among all."""
    rows, top_rows = value_rows(result), value_rows(result, top=True)
    level = format_percent(result.settings.confidence_level)
    n_top = result.settings.top
    has_interval = not np.isnan([row.low for row in (*rows, *top_rows)]).all()
    names = "" if result.several_pairs else f" They are {join_names(result.top_systems[0], 20)}."
    holds_all = all(len(best) == len(systems) for best, systems in zip(result.top_systems, result.systems, strict=True))
    caution = (
        "These are all systems, so both columns are the same."
        if holds_all
        else "They differ less than all systems do, so agreement among them is lower, also that of a good metric: "
        "compare metrics, not the two columns."
    )
    return Section(
        title=f"Among the best {n_top} systems",
        sentence=f"The best {n_top} systems by people's scores.{names} {caution}",
        table=table_of(
            *row_columns(result, rows),
            column("all systems", (row.value for row in rows), digits()),
            *(ends_columns(rows, level) if has_interval else ()),
            column(f"best {n_top}", (row.value for row in top_rows), digits()),
            *(ends_columns(top_rows, level) if has_interval else ()),
            count_column(result, top_rows),
        ),
    )


def ends_columns(rows: Sequence[ValueRow], level: str) -> tuple[Column, Column]:
    return (
        column(f"{level} from", (row.low for row in rows), digits()),
        column("to", (row.high for row in rows), digits()),
    )


def outlier_section(result: SystemAgreement) -> Section:
    """The statistic without the outliers among the systems."""
    cells = [(m, p) for m in range(len(result.metrics)) for p, names in enumerate(result.outliers) if names]
    return Section(
        title="Without outliers",
        sentence=(
            "A system that people find far better or far worse than all others is easy to tell apart, and alone can "
            "make "
            f"{'a correlation' if result.statistics[0].statistic in SIGNED else 'the agreement'} look high."
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
    if result.several_statistics:
        return sentence_of_several(result)
    statistic = result.statistics[0].statistic
    several_pairs = result.several_pairs
    pooled = several_pairs and statistic == ACCURACY and result.settings.weights is None
    values = summary_of(result, result.statistics[0])
    scope = f" over {pluralise(len(result.pairs), 'language pair')}" if several_pairs else ""
    if scope and not pooled:
        scope = f" on {'average' if result.settings.weights is None else 'the weighted average'}{scope}"
    meaning = f"{MEANING[statistic]}."
    if result.settings.absolute:
        meaning = f"{meaning} Signs are dropped, as in some papers."
    with_value = np.flatnonzero(~np.isnan(values))
    if not with_value.size:
        return f"No metric has a value{scope}; see the notes."
    rounded = np.round(values[with_value], 4)
    best = best_of(result, values)
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


def summary_of(result: SystemAgreement, values: SystemValues) -> Floats:
    """(metrics) the values of one language pair, their average, or what is pooled."""
    if not result.several_pairs:
        return np.asarray(values.value[:, 0])
    return values.pooled if values.statistic == ACCURACY and result.settings.weights is None else values.average


def best_of(result: SystemAgreement, values: Floats) -> list[str]:
    """The metrics with the highest value, as it is written."""
    rounded = np.round(values, 4)
    return [result.metrics[m] for m in np.flatnonzero(rounded == np.nanmax(rounded)).tolist()]


def sentence_of_several(result: SystemAgreement) -> str:
    """The sentence on which metric agrees most by each of several statistics."""
    with_value = [
        (values, summary_of(result, values))
        for values in result.statistics
        if not np.isnan(summary_of(result, values)).all()
    ]
    if not with_value:
        return "No metric has a value; see the notes."
    parts = [
        f"{join_names(best_of(result, numbers))} by {name_of(result, values.statistic)} "
        f"({format_number(np.nanmax(np.round(numbers, 4)))})"
        for values, numbers in with_value
    ]
    dropped = " Signs are dropped, as in some papers." if result.settings.absolute else ""
    if len(result.metrics) == 1:
        return f"{result.metrics[0]} against people on systems.{dropped}"
    return (
        f"Agrees most with people on systems: {'; '.join(parts)}.{dropped} Whether metrics differ significantly is not "
        "tested here; rankscope agree metrics tests that."
    )


def notes_of(result: SystemAgreement) -> tuple[str, ...]:
    """Notes on outliers, on intervals, on missing values, and on directions that may be wrong."""
    notes = [*outlier_notes(result)]
    if result.several_statistics:
        notes += [f"{name_of(result, statistic)}: {MEANING[statistic]}" for statistic in result.settings.statistics]
    intervals = {values.interval for values in result.statistics}
    fewest = min(map(len, result.systems))
    if "segments" in intervals:
        system_metrics = [
            name for name, of_segments in zip(result.metrics, result.has_segment_scores, strict=True) if not of_segments
        ]
        fixed = result.metrics if result.rule == "bradley_terry" else system_metrics
        if fixed:
            notes.append(
                f"intervals say how values would vary had people judged other segments; scores of {join_names(fixed)} "
                "are held fixed"
            )
        if not all(np.isnan(values.low).all() for values in result.statistics):
            notes.append(
                "if differences between systems are small compared with the noise of their means, intervals are too "
                "low, because resampling adds noise"
            )
    elif "fisher" in intervals:
        notes.append(
            "intervals (Fisher's z) are a rough guide: they take the "
            f"{fewest if not result.several_pairs else f'{fewest} or more'} systems as a random sample with normally "
            "distributed scores"
        )
    elif result.rule == "given":
        notes.append("no intervals: human scores are of whole systems, so there are no segments to resample")
    for values in result.statistics:
        notes += notes_on_missing(result, values, "without outliers, scores do not differ")
    for values in result.top:
        among = f" among the best {result.settings.top}"
        notes += notes_on_missing(result, values, "scores do not differ there", among)
    return (*notes, *notes_on_directions(result))


def notes_on_missing(result: SystemAgreement, values: SystemValues, reason: str, among: str = "") -> list[str]:
    """Notes on values, and on intervals, that there are none of. reason: why there may be no value."""
    notes = []
    of_statistic = f" of {name_of(result, values.statistic)}" if result.several_statistics else ""
    without_interval = np.isnan(values.low) & ~np.isnan(values.value) & ~values.missed
    if missed := missed_names(result, values):
        advice = (
            "; --interval fisher (interval=) takes the systems as a sample"
            if values.statistic in SYSTEM_CORRELATIONS
            else ""
        )
        notes.append(
            f"no interval{of_statistic}{among} for {join_names(missed)}: resampling adds noise, and the interval of "
            f"the resamples does not hold the value{advice}"
        )
    if values.interval != "none" and without_interval.any():
        since = "too few systems, or perfect agreement"
        if values.interval == "segments":
            since = "people judged fewer than two segments, or scores do not differ in a resample"
        notes.append(f"no interval{of_statistic}{among} for {join_cells(result, without_interval)}: {since}")
    without_value = np.isnan(values.value)
    if without_value.any():
        notes.append(f"no value{of_statistic}{among} for {join_cells(result, without_value)}: {reason}")
    return notes


def missed_names(result: SystemAgreement, values: SystemValues) -> list[str]:
    """The metrics and language pairs, or averages, without an interval because it would not hold the value."""
    missed = names_of_cells(result, values.missed)
    if result.several_pairs:
        for name, marks in ((AVERAGE, values.average_missed), (ALL, values.pooled_missed)):
            missed += [f"{result.metrics[m]} ({name})" for m in np.flatnonzero(marks).tolist()]
    return missed


def notes_on_directions(result: SystemAgreement) -> list[str]:
    """Notes on directions that may be wrong; none for absolute values."""
    statistic = result.statistics[0].statistic
    if result.settings.absolute and statistic in SIGNED:
        return []
    chance = 0.0 if statistic in SIGNED else 0.5
    gold = None if result.rule in RULE_NAMES else result.gold
    return direction_notes(result.metrics, result.higher, result.value, chance=chance, gold=gold)


def join_cells(result: SystemAgreement, cells: Bools) -> str:
    return join_names(names_of_cells(result, cells))


def names_of_cells(result: SystemAgreement, cells: Bools) -> list[str]:
    """The metrics, with their language pairs, of the cells (metrics, pairs) that are marked."""
    return [
        f"{result.metrics[m]} ({result.pairs[p]})" if result.pairs[p] else result.metrics[m]
        for m, p in np.argwhere(cells).tolist()
    ]


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
