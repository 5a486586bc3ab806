"""The view of the agreement of measures: a table that reads both ways, and each pair with its interval."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rankscope.comparison.measure_agreement import MeasureAgreement
from rankscope.data.columns import column, columns_of, digits, table_of
from rankscope.data.section import Figure, Section, Table
from rankscope.data.text import format_p_cell, format_percent, join_names, pluralise
from rankscope.kernels.rounding_ties import best_places, join_ties
from rankscope.stats.correlation import FAR, FEW
from rankscope.typing import Floats

__all__ = [
    "measure_agreement_sections",
]


#: Names of the statistics in sentences.
NAMES = {
    "pearson": "Pearson's r",
    "spearman": "Spearman's rho",
    "kendall_a": "Kendall's tau-a",
    "kendall_b": "Kendall's tau-b",
    "kendall_c": "Kendall's tau-c",
}
#: Correlations of fewer items come with a warning.
FEW_ITEMS = 20
#: A table of more pairs is folded.
ROWS_UNFOLDED = 10


def measure_agreement_sections(result: MeasureAgreement) -> tuple[Section, ...]:
    """What a report shows: all correlations as a table that reads both ways, and each with its interval."""
    figure = {
        "measures": result.measures,
        "values": tuple(tuple(row) for row in result.matrix.tolist()),
        "statistic": NAMES[result.settings.statistic],
    }
    return (
        Section(
            title=f"Agreement of measures on {result.settings.by}",
            sentence=sentence_of(result),
            table=table_of(
                column("measure", result.measures, name=True), *columns_of(result.measures, result.matrix, digits())
            ),
            figure=Figure("correlation_matrix", figure),
            notes=notes_of(result),
        ),
        Section(title="Each pair of measures", table=pairs_table(result), folded=result.value.size > ROWS_UNFOLDED),
    )


def pairs_table(result: MeasureAgreement) -> Table:
    return table_of(
        column("measure", [result.measures[measure] for measure in result.first], name=True),
        column("and", [result.measures[measure] for measure in result.second], name=True),
        column(NAMES[result.settings.statistic], result.value, digits()),
        column(f"{format_percent(result.settings.confidence_level)} from", result.low, digits()),
        column("to", result.high, digits()),
        column("p", result.pvalue, format_p_cell),
        column(result.settings.by, result.n),
    )


def sentence_of(result: MeasureAgreement) -> str:
    """Which measures agree most and which least, and what the number means."""
    defined = np.flatnonzero(~np.isnan(result.value))
    if not defined.size:
        return f"No two of these measures can be correlated over {result.settings.by}."
    values = join_ties(result.value[defined], 1.0)
    highest_value, lowest_value = float(values.max()), float(values.min())
    systems = pluralise(len(result.scores.systems), "system")
    name = NAMES[result.settings.statistic]
    over_text = (
        f", the mean over {systems}" if result.settings.by == "queries" and len(result.scores.systems) > 1 else ""
    )
    # "order the 6 systems most alike", "agree most on which queries are easy or hard"
    over_systems = result.settings.by == "systems"
    verb = ("rate" if result.settings.statistic == "pearson" else "order") if over_systems else "agree"
    object_text = f" the {systems}" if over_systems else ""
    ending = " alike" if over_systems else " on which queries are easy or hard"
    most_pair = pair_of(result, defined, values, highest_value)
    if defined.size == 1:
        text = (
            f"How far {most_pair} {verb}{object_text}{ending}: {name} {format_correlation(highest_value)}{over_text}."
        )
    elif highest_value == lowest_value:
        text = (
            f"All pairs of these measures {verb}{object_text} equally{ending}: {name} "
            f"{format_correlation(highest_value)}{over_text}."
        )
    else:
        least_pair = pair_of(result, defined, values, lowest_value)
        highest, lowest = format_correlation(highest_value), format_correlation(lowest_value)
        text = (
            f"{most_pair} {verb}{object_text} most{ending} ({name} {highest}{over_text}); {least_pair} least "
            f"({lowest})."
        )
    if result.settings.statistic == "pearson":
        return f"{text} 1 means an increasing linear relation, 0 none, -1 a decreasing one."
    return f"{text} 1 means the same order, 0 no association, -1 the opposite order."


def format_correlation(value: float) -> str:
    """Two decimal places; a value below 1 is never written as 1.00."""
    text = f"{value:.2f}"
    if abs(value) < 1 and text.endswith("1.00"):
        return "above 0.99" if value > 0 else "below -0.99"
    return text


def pair_of(result: MeasureAgreement, defined: npt.NDArray[np.intp], values: Floats, value: float) -> str:
    """The first pair with this value, and how many other pairs share it."""
    matching = defined[values == value]
    a, b = result.measures[result.first[matching[0]]], result.measures[result.second[matching[0]]]
    others_text = f", like {pluralise(matching.size - 1, 'other pair')}," if 1 < matching.size < defined.size else ""
    return f"{a} and {b}{others_text}"


def notes_of(result: MeasureAgreement) -> tuple[str, ...]:
    """All notes on the correlations."""
    return (*orientation_notes(result), *missing_notes(result), *interval_notes(result))


def orientation_notes(result: MeasureAgreement) -> list[str]:
    lower = [name for name in result.measures if result.scores.sign(name) < 0]
    neither = [name for name in result.measures if result.scores.sign(name) == 0]
    notes = []
    if lower:
        notes.append(
            f"{join_names(lower)}: lower is better; the values are negated, so that a correlation above 0 always means "
            "agreement"
        )
    if neither:
        notes.append(
            f"{join_names(neither)}: neither higher nor lower is better; above 0 means that both increase together"
        )
    return notes


def missing_notes(result: MeasureAgreement) -> list[str]:
    """Notes on measures without correlation, and on skipped items and systems."""
    by = result.settings.by
    notes = []
    undefined = np.isnan(result.value)
    if undefined.any():
        undefined_measures = [
            name for name, row in zip(result.measures, result.matrix, strict=True) if np.isnan(row).all()
        ]
        names_text = f" ({join_names(undefined_measures)})" if undefined_measures else ""
        notes.append(
            f"{int(undefined.sum())} of {undefined.size} pairs have no correlation: a measure has one value for all "
            f"{by}, or none{names_text}"
        )
    n_items = len(result.scores.systems) if by == "systems" else len(result.scores.query_ids)
    is_incomplete = result.n < n_items
    if is_incomplete.any():
        notes.append(
            f"{int(is_incomplete.sum())} of {is_incomplete.size} pairs skip {by} for which a measure has no "
            f"value (down to {int(result.n.min())} of {n_items})"
        )
    n_systems = len(result.scores.systems)
    if by == "queries" and (result.n_systems[~undefined] < n_systems).any():
        notes.append(
            f"some means are over fewer than {pluralise(n_systems, 'system')}: for the others, a measure has the "
            "same value on all queries"
        )
    return notes


def interval_notes(result: MeasureAgreement) -> list[str]:
    """Notes on how far intervals and p-values can be trusted."""
    by = result.settings.by
    defined = ~np.isnan(result.value)
    if not defined.any():
        return []
    n, notes = int(result.n[defined].min()), []
    if n == 2:
        notes.append(f"2 {by}: a correlation of two items is always 1 or -1")
    elif n < FEW_ITEMS:
        notes.append(f"{n} {by}: with so few, chance has a large influence on correlations")
    units, n_units = (by, n) if result.clusters is None else ("clusters", np.unique(result.clusters).size)
    if result.settings.interval_method == "bootstrap" and n_units < FEW:
        notes.append(f"fewer than {FEW} {units}: bootstrap intervals are too narrow")
    lacks_interval = np.isnan(result.low) & defined
    if lacks_interval.any():
        notes.append(
            f"{int(lacks_interval.sum())} of {lacks_interval.size} pairs have no interval: full agreement (or "
            f"disagreement), which says nothing about other {by}, or too few {by}"
        )
    is_extreme = (np.abs(result.value) > FAR) & ~np.isnan(result.low)
    if result.settings.interval_method == "fisher" and result.settings.statistic != "pearson" and is_extreme.any():
        notes.append(
            f"{int(is_extreme.sum())} of {is_extreme.size} pairs are beyond {FAR}, where Fisher's intervals are rough"
        )
    if (~np.isnan(result.low)).any():
        notes.append(f"intervals treat the {units} as a random sample")
    has_pvalue = ~np.isnan(result.pvalue)
    if has_pvalue.sum() > 1:
        notes.append("p-values are not corrected for multiple comparisons")
    elif not has_pvalue.any() and by == "queries" and len(result.scores.systems) > 1:
        notes.append("means over systems have no p-value; see their intervals")
    elif result.clusters is not None:
        notes.append("p-values would take all queries as independent, so there are none; see the intervals")
    strongest, weakest = best_places(result.value, 1.0).argmax(), best_places(-result.value, 1.0).argmax()
    if result.low[strongest] <= result.high[weakest] and strongest != weakest:
        notes.append(
            f"the intervals of the pairs with the highest and the lowest agreement overlap: other {by} could reverse "
            "them"
        )
    return notes
