"""What correlations of measures found, in numbers, sentences and tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rankscope._version import __version__
from rankscope.data.cells import format_value
from rankscope.data.scores import Scores
from rankscope.data.sections import Figure, Section, Table, as_text, tidy_frame
from rankscope.data.wording import format_p_cell, format_percent, join_names, pluralise
from rankscope.kernels.ties import best_places, join_ties
from rankscope.stats.correlation_intervals import FAR, FEW
from rankscope.typing import Floats

if TYPE_CHECKING:
    import polars as pl

__all__ = ["COLUMNS", "MeasureAgreement"]

COLUMNS = ("measure_a", "measure_b", "by", "statistic", "value", "low", "high", "pvalue", "n")
#: What the statistics are called.
NAMES = {
    "pearson": "Pearson's r",
    "spearman": "Spearman's rho",
    "kendall_a": "Kendall's tau-a",
    "kendall_b": "Kendall's tau-b",
    "kendall_c": "Kendall's tau-c",
}
#: Correlations of fewer items come with a warning.
FEW_ITEMS = 20
#: More pairs are shown only when asked for.
ROWS_UNFOLDED = 10


@dataclass(frozen=True, eq=False, kw_only=True)
class MeasureAgreement:
    """How alike the measures of some scores are, for each pair of them; arrays of shape (pairs).

    first, second: places of the measures. value: the correlation, in [-1, 1], above 0 where the measures agree; NaN
    where one has a single value. by: "systems", or "queries" (the mean over systems). low, high: its interval at
    `confidence_level`, NaN where there is none. pvalue: how often measures without any connection would be as far from
    0; NaN by queries of several systems. n: systems or queries. counted: systems in the mean, by queries.
    """

    scores: Scores
    statistic: str
    by: str
    first: npt.NDArray[np.intp]
    second: npt.NDArray[np.intp]
    value: Floats
    low: Floats
    high: Floats
    pvalue: Floats
    n: npt.NDArray[np.int64]
    counted: npt.NDArray[np.int64]
    confidence_level: float
    interval: str
    n_resamples: int
    seed: int | None

    @property
    def measures(self) -> tuple[str, ...]:
        """The names of the measures."""
        return self.scores.measure_names

    @cached_property
    def matrix(self) -> Floats:
        """(measures, measures) the correlations; 1 on the diagonal, NaN of a measure without any correlation."""
        k = len(self.measures)
        matrix = np.full((k, k), np.nan)
        matrix[self.first, self.second] = matrix[self.second, self.first] = self.value
        np.fill_diagonal(matrix, np.where(np.isnan(matrix).all(axis=1), np.nan, 1.0))
        return matrix

    @property
    def columns(self) -> tuple[str, ...]:
        """Those of the tidy table."""
        return COLUMNS

    def records(self) -> Iterator[tuple[Any, ...]]:
        """A row a pair of measures."""
        numbers = (a.tolist() for a in (self.first, self.second, self.value, self.low, self.high, self.pvalue, self.n))
        for a, b, *found in zip(*numbers, strict=True):
            yield self.measures[a], self.measures[b], self.by, self.statistic, *found

    def frame(self) -> pl.DataFrame:
        """The tidy table as a polars frame, null where there is no value."""
        return tidy_frame(self)

    @property
    def notes(self) -> tuple[str, ...]:
        """What to know of the scores; what to know of the correlations is in the sections."""
        return tuple(self.scores.notes)

    def signature(self) -> str:
        """Every setting that changes the numbers, in one line."""
        head = self.scores.signature().rpartition(" | rankscope ")[0]
        drawn = f",{self.n_resamples}" if self.n_resamples else ""
        parts = [
            f"systems:{len(self.scores.systems)}",
            f"statistic:{self.statistic}",
            f"by:{self.by}",
            f"interval:{self.interval}{drawn},{self.confidence_level:g}",
        ]
        if self.n_resamples and self.seed is not None:
            parts.append(f"rng:{self.seed}")
        return " | ".join([head, *parts, f"rankscope {__version__}"])

    def sections(self) -> tuple[Section, ...]:
        """What a report shows: all correlations as a table that reads both ways, and each with its interval."""
        over_systems = self.by == "systems"
        cells = [[format_value(value, "mean") for value in row] for row in self.matrix.tolist()]
        figure = {
            "measures": self.measures,
            "values": tuple(tuple(row) for row in self.matrix.tolist()),
            "statistic": NAMES[self.statistic],
        }
        return (
            Section(
                title=f"How far the measures agree on {'systems' if over_systems else 'queries'}",
                sentence=sentence_of(self),
                table=Table(
                    columns=("measure", *self.measures),
                    rows=tuple((name, *row) for name, row in zip(self.measures, cells, strict=True)),
                ),
                figure=Figure("correlation_matrix", figure),
                notes=notes_of(self),
            ),
            Section(title="Each pair of measures", table=pairs_table(self), folded=self.value.size > ROWS_UNFOLDED),
        )

    def __str__(self) -> str:
        return as_text(self)

    def __repr__(self) -> str:
        return f"MeasureAgreement({self.statistic} of {pluralise(len(self.measures), 'measure')} by {self.by})"


def pairs_table(result: MeasureAgreement) -> Table:
    rows = []
    for a, b, _, _, value, low, high, pvalue, n in result.records():
        cells = [format_value(x, "mean") for x in (value, low, high)]
        rows.append((a, b, *cells, format_p_cell(pvalue), str(n)))
    columns = (
        "measure",
        "and",
        NAMES[result.statistic],
        f"{format_percent(result.confidence_level)} from",
        "to",
        "p",
        result.by,
    )
    return Table(columns=columns, rows=tuple(rows), left=2)


def sentence_of(result: MeasureAgreement) -> str:
    """Which measures agree most and which least, and what the number means."""
    there = np.flatnonzero(~np.isnan(result.value))
    if not there.size:
        return f"No two of these measures can be correlated over {result.by}."
    values = join_ties(result.value[there], 1.0)
    most, least = float(values.max()), float(values.min())
    systems = pluralise(len(result.scores.systems), "system")
    name = NAMES[result.statistic]
    over = f", the mean over {systems}" if result.by == "queries" and len(result.scores.systems) > 1 else ""
    # "order the 6 systems most alike", "agree most on which queries are easy or hard"
    over_systems = result.by == "systems"
    verb = ("rate" if result.statistic == "pearson" else "order") if over_systems else "agree"
    what = f" the {systems}" if over_systems else ""
    end = " alike" if over_systems else " on which queries are easy or hard"
    most_pair = pair_of(result, there, values, most)
    if there.size == 1:
        text = f"How far {most_pair} {verb}{what}{end}: {name} {format_correlation(most)}{over}."
    elif most == least:
        text = f"Every two of these measures {verb}{what} equally{end}: {name} {format_correlation(most)}{over}."
    else:
        least_pair = pair_of(result, there, values, least)
        text = f"{most_pair} {verb}{what} most{end} ({name} {format_correlation(most)}{over}); {least_pair} least ({format_correlation(least)})."
    if result.statistic == "pearson":
        return f"{text} 1 would be values that rise together along a line, 0 no such connection, -1 the opposite."
    return f"{text} 1 would be the same order, 0 no connection, -1 the opposite order."


def format_correlation(value: float) -> str:
    """Two digits; what is nearly 1 does not look like it."""
    text = f"{value:.2f}"
    if abs(value) < 1 and text.endswith("1.00"):
        return "above 0.99" if value > 0 else "below -0.99"
    return text


def pair_of(result: MeasureAgreement, there: npt.NDArray[np.intp], values: Floats, value: float) -> str:
    """The first pair with this value, and how many others share it."""
    of = there[values == value]
    a, b = result.measures[result.first[of[0]]], result.measures[result.second[of[0]]]
    others = f", like {pluralise(of.size - 1, 'other pair')}," if 1 < of.size < there.size else ""
    return f"{a} and {b}{others}"


def notes_of(result: MeasureAgreement) -> tuple[str, ...]:
    """What a careful reader wants to know."""
    return (*orientation_notes(result), *missing_notes(result), *interval_notes(result))


def orientation_notes(result: MeasureAgreement) -> list[str]:
    lower = [name for name in result.measures if result.scores.sign(name) < 0]
    neither = [name for name in result.measures if result.scores.sign(name) == 0]
    notes = []
    if lower:
        notes.append(f"{join_names(lower)}: lower is better; turned round here, so that above 0 is always agreement")
    if neither:
        notes.append(
            f"{join_names(neither)}: neither higher nor lower is better; above 0 means that both rise together"
        )
    return notes


def missing_notes(result: MeasureAgreement) -> list[str]:
    """Measures without correlation, items and systems left out."""
    notes = []
    undefined = np.isnan(result.value)
    if undefined.any():
        lost = [name for name, row in zip(result.measures, result.matrix, strict=True) if np.isnan(row).all()]
        whose = f" ({join_names(lost)})" if lost else ""
        notes.append(
            f"{int(undefined.sum())} of {undefined.size} pairs have no correlation: a measure has one value for all "
            f"{result.by}, or none{whose}"
        )
    everything = len(result.scores.systems) if result.by == "systems" else len(result.scores.query_ids)
    fewer = result.n < everything
    if fewer.any():
        notes.append(
            f"{int(fewer.sum())} of {fewer.size} pairs leave out {result.by} for which a measure has no value "
            f"(down to {int(result.n.min())} of {everything})"
        )
    groups = len(result.scores.systems)
    if result.by == "queries" and (result.counted[~undefined] < groups).any():
        notes.append(
            f"some means are over fewer than {pluralise(groups, 'system')}: of the others a measure has one value on all "
            "queries"
        )
    return notes


def interval_notes(result: MeasureAgreement) -> list[str]:
    """How far intervals and p-values can be trusted."""
    defined = ~np.isnan(result.value)
    if not defined.any():
        return []
    n, notes = int(result.n[defined].min()), []
    if n == 2:
        notes.append(f"2 {result.by}: a correlation of two is 1 or -1 whatever they are")
    elif n < FEW_ITEMS:
        notes.append(f"{n} {result.by}: with so few, chance can make measures look alike or unlike")
    if result.interval == "bootstrap" and n < FEW:
        notes.append(f"fewer than {FEW} {result.by}: bootstrap intervals are too narrow")
    none = np.isnan(result.low) & defined
    if none.any():
        notes.append(
            f"{int(none.sum())} of {none.size} pairs have no interval: full agreement (or disagreement), which does "
            f"not say how far other {result.by} would differ, or too few {result.by}"
        )
    far = (np.abs(result.value) > FAR) & ~np.isnan(result.low)
    if result.interval == "fisher" and result.statistic != "pearson" and far.any():
        notes.append(f"{int(far.sum())} of {far.size} pairs are beyond {FAR}, where Fisher's intervals are rough")
    if (~np.isnan(result.low)).any():
        notes.append(f"intervals treat the {result.by} as drawn at random from many such {result.by}")
    there = ~np.isnan(result.pvalue)
    if there.sum() > 1:
        notes.append("p-values are of each pair alone, not corrected for the number of pairs")
    elif not there.any() and result.by == "queries" and len(result.scores.systems) > 1:
        notes.append("a mean over systems has no p-value here; see its interval")
    most, least = best_places(result.value, 1.0).argmax(), best_places(-result.value, 1.0).argmax()
    if result.low[most] <= result.high[least] and most != least:
        notes.append(f"the intervals of the most and the least alike pair overlap: other {result.by} could turn them")
    return notes
