"""The view of agreement on segments: the table as papers print it, each value with its interval, sentences."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankscope.agreement.segment_level.agreement import AVERAGE, SegmentAgreement
from rankscope.agreement.statistics import CONVENTIONS
from rankscope.data.section import Section, Table, best_in_bold
from rankscope.data.text import format_percent, format_value, join_names, pluralise

__all__ = [
    "sections_of",
]


#: A table with more rows is folded.
ROWS_UNFOLDED = 24
#: The meaning of the greatest value, of 0 and of the lowest value, by range.
MEANING = {
    (-1.0, 1.0): "1: all pairs ordered as by people; 0: as many right as wrong; -1: all wrong",
    (0.0, 1.0): "1: all pairs judged as by people, ties included; 0: none",
}
CORRELATED = "1: its scores rise with those of people; 0: no correlation; -1: they fall"


def sections_of(result: SegmentAgreement) -> tuple[Section, ...]:
    rows = list(result.records())
    return (
        Section(
            title="Agreement with people on segments",
            sentence=sentence_of(result),
            table=main_table(result),
            notes=notes_of(result),
        ),
        Section(title="Each metric and language pair", table=value_table(result), folded=len(rows) > ROWS_UNFOLDED),
    )


def main_table(result: SegmentAgreement) -> Table:
    """Metrics by language pairs with the average; the best of each column in bold."""
    columns = [result.value[:, p] for p in range(len(result.pairs))]
    names = [pair or "value" for pair in result.pairs]
    if len(result.pairs) > 1:
        columns.append(result.average)
        names.append(AVERAGE)
    if not result.pairs[0] and len(result.pairs) == 1:
        names = [result.settings.statistic_name]
    cells = [best_in_bold(column) for column in columns]
    rows = tuple((metric, *(column[m] for column in cells)) for m, metric in enumerate(result.metrics))
    return Table(columns=("metric", *names), rows=rows)


def value_table(result: SegmentAgreement) -> Table:
    """Each value with its interval, and the number of pairs."""
    calibrated = result.settings.is_calibrated
    shows_pairs = len(result.pairs) > 1 or bool(result.pairs[0])
    rows = []
    for metric, pair, _, value, low, high, n in result.records():
        is_pair = len(result.pairs) == 1 or pair != AVERAGE
        count = f"{n:,}" if is_pair else "-"
        cells = [
            metric,
            *([pair] if shows_pairs else []),
            *(format_value(x, "mean") for x in (value, low, high)),
            count,
        ]
        if calibrated:
            epsilon = result.epsilon[result.metrics.index(metric), result.pairs.index(pair)] if is_pair else np.nan
            cells.append("-" if np.isnan(epsilon) else f"{epsilon:.4g}")
        rows.append(tuple(cells))
    columns = [
        "metric",
        *(["pair"] if shows_pairs else []),
        result.settings.statistic_name,
        f"{format_percent(result.settings.confidence_level)} from",
        "to",
        what_n_is(result),
        *(["epsilon"] if calibrated else []),
    ]
    return Table(columns=tuple(columns), rows=tuple(rows), n_name_columns=2 if shows_pairs else 1)


def what_n_is(result: SegmentAgreement) -> str:
    if result.settings.grouping != "none":
        return f"{result.settings.grouping}s"
    return "translations" if result.settings.convention is None else "pairs"


def sentence_of(result: SegmentAgreement) -> str:
    """The sentence on which metric agrees most, and what the number means."""
    several_pairs = len(result.pairs) > 1
    values = result.average if several_pairs else result.value[:, 0]
    with_value = np.flatnonzero(~np.isnan(values))
    scope = f" on average over {pluralise(len(result.pairs), 'language pair')}" if several_pairs else ""
    if not with_value.size:
        return f"No metric has a value{scope.replace('on average over', 'for all')}; see the notes."
    rounded = np.round(values[with_value], 4)
    best = [result.metrics[with_value[i]] for i in np.flatnonzero(rounded == rounded.max())]
    meaning = meaning_of(result)
    highest = f"{result.settings.statistic_name} {format_value(float(rounded.max()), 'mean')}"
    if with_value.size == 1:
        return f"{best[0]} against people{scope}: {highest}. {meaning}."
    if len(best) > 1:
        return f"{join_names(best)} agree most with people{scope} ({highest}). {meaning}."
    worst = result.metrics[with_value[int(rounded.argmin())]]
    lowest = format_value(float(rounded.min()), "mean")
    return (
        f"{best[0]} agrees most with people{scope} ({highest}), {worst} least ({lowest}). {meaning}. Whether metrics "
        "differ significantly is not tested here; rankscope agree metrics tests that."
    )


def meaning_of(result: SegmentAgreement) -> str:
    convention = result.settings.convention
    if convention is None:
        return CORRELATED
    low, high = convention.range
    plain = f"the higher the better, from {low:g} to {high:g}"
    return MEANING.get((low, high), plain) if convention.name in CONVENTIONS else plain


def notes_of(result: SegmentAgreement) -> tuple[str, ...]:
    """Notes on skipped pairs, on calibration, and on missing intervals and values."""
    notes = []
    settings = result.settings
    for m, metric in enumerate(result.metrics):
        if result.lost[m].any():
            lost = int(result.lost[m].sum())
            notes.append(
                f"{metric}: {pairs_of_translations(lost)} skipped because a score is missing{lost_by_pair(result, m)}"
            )
    if settings.is_calibrated:
        notes.append(
            "epsilon was calibrated for each metric and language pair on these same data, so values are slightly too "
            "high; intervals do not account for that choice"
        )
    if settings.convention is None and settings.grouping == "segment":
        notes.append(
            "values are means over segments; the value of a segment is the mean over its judgments with at least two "
            "translations that differ on both sides"
        )
    without_interval = np.isnan(result.low) & ~np.isnan(result.value)
    if without_interval.all():
        notes.append(f"{settings.statistic_name} with grouping {settings.grouping} has no confidence interval")
    without_value = np.isnan(result.value)
    if without_value.any():
        names = [
            f"{result.metrics[m]} ({result.pairs[p]})" if result.pairs[p] else result.metrics[m]
            for m, p in np.argwhere(without_value)
        ]
        notes.append(f"no value because no pair counts or scores do not differ: {join_names(names)}")
    return tuple(notes)


def pairs_of_translations(n: int) -> str:
    return f"{pluralise(n, 'pair')} of judged translations {'is' if n == 1 else 'are'}"


def lost_by_pair(result: SegmentAgreement, metric: int) -> str:
    """The numbers of skipped pairs by language pair, where there are several."""
    if len(result.pairs) == 1:
        return ""
    lost: Sequence[int] = result.lost[metric].tolist()
    return f" ({join_names(f'{pair} {n:,}' for pair, n in zip(result.pairs, lost, strict=True) if n)})"
