"""The view of agreement on segments: the table as papers print it, each value with its interval, sentences."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankscope.agreement.segment_level import AVERAGE, ROWS_UNFOLDED, SegmentAgreement
from rankscope.agreement.statistics import CONVENTIONS
from rankscope.data.columns import column, digits, is_best, table_of, thousands
from rankscope.data.section import Section, Table
from rankscope.data.text import format_number, format_percent, join_names, pluralise

__all__ = [
    "sections_of",
]


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
    if len(result.pairs) == 1:
        titled_values = [(result.pairs[0] or result.settings.statistic_name, result.value[:, 0])]
    else:
        titled_values = [(pair or "value", result.value[:, p]) for p, pair in enumerate(result.pairs)]
        titled_values.append((AVERAGE, result.average))
    return table_of(
        column("metric", result.metrics, name=True),
        *(column(title, values, digits(), bold=is_best(values)) for title, values in titled_values),
    )


def value_table(result: SegmentAgreement) -> Table:
    """Each value with its interval, and the number of pairs."""
    shows_pairs = len(result.pairs) > 1 or bool(result.pairs[0])
    metrics, pairs, _, values, lows, highs, counts = zip(*result.records(), strict=True)
    is_average = [len(result.pairs) > 1 and pair == AVERAGE for pair in pairs]
    epsilons = [
        np.nan if averaged else result.epsilon[result.metrics.index(metric), result.pairs.index(pair)]
        for metric, pair, averaged in zip(metrics, pairs, is_average, strict=True)
    ]
    shown_counts = (None if averaged else n for n, averaged in zip(counts, is_average, strict=True))
    return table_of(
        column("metric", metrics, name=True),
        column("pair", pairs, name=True) if shows_pairs else None,
        column(result.settings.statistic_name, values, digits()),
        column(f"{format_percent(result.settings.confidence_level)} from", lows, digits()),
        column("to", highs, digits()),
        column(what_n_is(result), shown_counts, thousands),
        column("epsilon", epsilons, format_threshold) if result.settings.is_calibrated else None,
    )


def format_threshold(epsilon: float) -> str:
    """A threshold of ties with four significant digits; a dash for NaN."""
    return "-" if np.isnan(epsilon) else f"{epsilon:.4g}"


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
    highest = f"{result.settings.statistic_name} {format_number(rounded.max())}"
    if with_value.size == 1:
        return f"{best[0]} against people{scope}: {highest}. {meaning}."
    if len(best) > 1:
        return f"{join_names(best)} agree most with people{scope} ({highest}). {meaning}."
    worst = result.metrics[with_value[int(rounded.argmin())]]
    lowest = format_number(rounded.min())
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
