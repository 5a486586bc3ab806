"""The function `agree_measures`: correlations of measures, over systems or over queries."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.comparison.common_queries import check_systems
from rankscope.data.columns import column, columns_of, digits, table_of
from rankscope.data.result import Result
from rankscope.data.scores import Scores
from rankscope.data.section import Figure, Section, Table
from rankscope.data.text import format_p_cell, format_percent, join_names, pluralise, pluralise_queries
from rankscope.errors import ParameterError
from rankscope.kernels.means import nan_mean
from rankscope.kernels.resample import draw
from rankscope.kernels.rounding_ties import best_places, join_ties
from rankscope.settings import Settings, choice, confidence_field, resamples_field, seed_field
from rankscope.stats.correlation import (
    FAR,
    FEW,
    INTERVALS,
    bca_ends,
    bootstrap_values,
    correlation_test,
    leave_one_out,
    weighted_correlation,
)
from rankscope.stats.correlation_values import STATISTICS
from rankscope.stats.inputs import as_generator, seed_of
from rankscope.typing import Floats

__all__ = [
    "MeasureAgreement",
    "MeasureAgreementSettings",
    "agree_measures",
    "correlate_measures",
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
BY = ("systems", "queries")


@dataclass(frozen=True, kw_only=True)
class MeasureAgreementSettings(Settings):
    """How measures are correlated; see `agree_measures`. seed: of the bootstrap, so that all pairs share resamples."""

    FUNCTIONS = ("rankscope:agree_measures",)
    COMMANDS = ("agree measures",)

    statistic: str = choice("kendall_b", STATISTICS, help="Correlation coefficient.")
    by: str = choice(
        "systems",
        BY,
        help="Correlate over systems (do the measures order them alike?) or over queries (do they find the same ones "
        "hard?).",
    )
    confidence_level: float = confidence_field()
    interval: str | None = choice(
        None,
        INTERVALS,
        help="Confidence interval: Fisher's z, or a BCa bootstrap of the systems or queries.",
        unset="fisher over systems, bootstrap over queries",
    )
    # Over queries, each resample costs as much as all pairs of queries, for each system and pair of measures.
    n_resamples: int = resamples_field(1_000, "Number of resamples of the bootstrap.")
    seed: int = seed_field()

    @property
    def interval_method(self) -> str:
        """The interval that is computed."""
        return self.interval or ("bootstrap" if self.by == "queries" else "fisher")

    @property
    def test_options(self) -> dict[str, Any]:
        """The settings as arguments of `correlation_test`."""
        return {
            "statistic": self.statistic,
            "confidence_level": self.confidence_level,
            "interval": self.interval_method,
            "n_resamples": self.n_resamples,
            "rng": self.seed,
        }


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MeasureAgreement(Result):
    """How alike the measures of some scores are, for each pair of them; arrays of shape (pairs).

    Attributes
    ----------
    scores
        The scores whose measures are correlated.
    settings
        How they are correlated.
    first, second
        The indices of the measures of each pair.
    value
        The correlation, in [-1, 1], above 0 where the measures agree; over queries, the mean over systems. NaN where a
        measure has a single value.
    low, high
        The confidence interval; NaN where there is none.
    pvalue
        The probability of a correlation at least as far from 0 if the measures were independent; NaN over queries of
        several systems.
    n
        How many systems or queries are correlated.
    n_systems
        How many systems are in the mean, over queries.
    """

    COLUMNS = ("measure_a", "measure_b", "by", "statistic", "value", "low", "high", "pvalue", "n")

    scores: Scores
    settings: MeasureAgreementSettings
    first: npt.NDArray[np.intp]
    second: npt.NDArray[np.intp]
    value: Floats
    low: Floats
    high: Floats
    pvalue: Floats
    n: npt.NDArray[np.int64]
    n_systems: npt.NDArray[np.int64]

    @property
    def measures(self) -> tuple[str, ...]:
        """The names of the measures."""
        return self.scores.measure_names

    @cached_property
    def matrix(self) -> Floats:
        """(measures, measures) the correlations; 1 on the diagonal, NaN of a measure without any correlation."""
        n_measures = len(self.measures)
        matrix = np.full((n_measures, n_measures), np.nan)
        matrix[self.first, self.second] = matrix[self.second, self.first] = self.value
        np.fill_diagonal(matrix, np.where(np.isnan(matrix).all(axis=1), np.nan, 1.0))
        return matrix

    def records(self) -> Iterator[tuple[Any, ...]]:
        """The rows of the tidy table, one for each pair of measures."""
        columns = (
            column.tolist()
            for column in (self.first, self.second, self.value, self.low, self.high, self.pvalue, self.n)
        )
        for a, b, *numbers in zip(*columns, strict=True):
            yield self.measures[a], self.measures[b], self.settings.by, self.settings.statistic, *numbers

    @property
    def notes(self) -> tuple[str, ...]:
        """What to know of the scores; what to know of the correlations is in the sections."""
        return tuple(self.scores.notes)

    def signature_parts(self) -> list[str]:
        """The settings that change the numbers."""
        settings = self.settings
        is_resampled = settings.interval_method == "bootstrap"
        resamples_text = f",{settings.n_resamples}" if is_resampled else ""
        return [
            *self.scores.signature_parts(),
            f"systems:{len(self.scores.systems)}",
            *settings.parts("statistic", "by"),
            f"interval:{settings.interval_method}{resamples_text},{settings.confidence_level:g}",
            *([f"rng:{settings.seed}"] if is_resampled else []),
        ]

    def sections(self) -> tuple[Section, ...]:
        """What a report shows: all correlations as a table that reads both ways, and each with its interval."""
        figure = {
            "measures": self.measures,
            "values": tuple(tuple(row) for row in self.matrix.tolist()),
            "statistic": NAMES[self.settings.statistic],
        }
        return (
            Section(
                title=f"Agreement of measures on {self.settings.by}",
                sentence=sentence_of(self),
                table=table_of(
                    column("measure", self.measures, name=True), *columns_of(self.measures, self.matrix, digits())
                ),
                figure=Figure("correlation_matrix", figure),
                notes=notes_of(self),
            ),
            Section(title="Each pair of measures", table=pairs_table(self), folded=self.value.size > ROWS_UNFOLDED),
        )

    def contents(self) -> str:
        """What it holds, in a few words."""
        return f"{self.settings.statistic} of {pluralise(len(self.measures), 'measure')} by {self.settings.by}"


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
    if result.settings.interval_method == "bootstrap" and n < FEW:
        notes.append(f"fewer than {FEW} {by}: bootstrap intervals are too narrow")
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
        notes.append(f"intervals treat the {by} as a random sample")
    has_pvalue = ~np.isnan(result.pvalue)
    if has_pvalue.sum() > 1:
        notes.append("p-values are not corrected for multiple comparisons")
    elif not has_pvalue.any() and by == "queries" and len(result.scores.systems) > 1:
        notes.append("means over systems have no p-value; see their intervals")
    strongest, weakest = best_places(result.value, 1.0).argmax(), best_places(-result.value, 1.0).argmax()
    if result.low[strongest] <= result.high[weakest] and strongest != weakest:
        notes.append(
            f"the intervals of the pairs with the highest and the lowest agreement overlap: other {by} could reverse "
            "them"
        )
    return notes


def agree_measures(
    scores: Scores,
    *,
    statistic: str = "kendall_b",
    by: str = "systems",
    confidence_level: float = 0.95,
    interval: str | None = None,
    n_resamples: int = 1_000,
    rng: Any = None,
    progress: Callable[[int], Any] | None = None,
) -> MeasureAgreement:
    """The correlation of every two measures of these scores; in [-1, 1], higher is more alike.

    Parameters
    ----------
    scores
        Scores by at least two measures.
    statistic
        Correlation coefficient. One of 'pearson', 'spearman', 'kendall_a', 'kendall_b', 'kendall_c'. Default:
        'kendall_b'.
    by
        Correlate over systems (do the measures order them alike?) or over queries (do they find the same ones hard?).
        One of 'systems', 'queries'. Default: 'systems'.
    confidence_level
        Confidence level: the long-run share of such intervals that contain the true value. Default: 0.95.
    interval
        Confidence interval: Fisher's z, or a BCa bootstrap of the systems or queries. One of 'fisher', 'bootstrap'.
        Default: fisher over systems, bootstrap over queries.
    n_resamples
        Number of resamples of the bootstrap. Default: 1000.
    rng
        Seed or `numpy.random.Generator`; None draws a new seed. The same seed gives the same results.
    progress
        Called with the number of pairs just correlated, over queries.

    Returns
    -------
    MeasureAgreement
        The correlation of each pair of measures, with confidence interval and p-value.

    Raises
    ------
    ParameterError
        A setting is out of range, there are fewer than two measures, systems or queries, or Fisher's interval is asked
        for a mean over systems.

    Notes
    -----
    Over queries, each system gives one correlation, and the value is their mean over systems; it has no interval but
    the bootstrap's, and no p-value. Values of measures where lower is better are negated, so that a correlation above 0
    always means agreement; a note names them. A system (or query) is skipped for a pair if one of the two measures has
    no value for it (over queries: for any system). Values that agree to twelve digits are tied. A measure with a single
    value has no correlation: NaN, and a note. Each correlation agrees with scipy.stats.

    References
    ----------
    Kendall (1945), "The treatment of ties in ranking problems"; Bonett and Wright (2000), "Sample size requirements for
    estimating Pearson, Kendall and Spearman correlations"; Efron (1987), "Better bootstrap confidence intervals".

    Examples
    --------
    >>> import rankscope as rs
    >>> qrels = {"q": {"1": 2, "2": 1}}
    >>> runs = [rs.Run({"q": {d: -i for i, d in enumerate(run)}}, name=run) for run in ("12", "21", "x1")]
    >>> result = agree_measures(rs.evaluate(qrels, runs, ["nDCG@2", "RR"]))
    >>> result.value.round(4).tolist(), result.n.tolist()  # RR ties two of three systems: 2 / sqrt(3 2)
    ([0.8165], [3])
    """
    settings = MeasureAgreementSettings(
        statistic=statistic,
        by=by,
        confidence_level=confidence_level,
        interval=interval,
        n_resamples=n_resamples,
        seed=seed_of(rng),
    )
    return correlate_measures(scores, settings, progress=progress)


def correlate_measures(
    scores: Scores, settings: MeasureAgreementSettings, *, progress: Callable[[int], Any] | None = None
) -> MeasureAgreement:
    """As `agree_measures`, with its settings as one object."""
    check_systems(scores, None, minimum=1)
    values = oriented_values(scores)
    if len(values) < 2:
        raise ParameterError(f"1 measure ({scores.measure_names[0]}), expected at least 2 to correlate; add another")
    by_systems = settings.by == "systems"
    values_by_group = values
    if by_systems:
        values_by_group = np.array([scores.summary(name) for name in scores.measure_names])[:, None] * signs_of(scores)
    n_items = values_by_group.shape[2]
    if n_items < 2:
        problem, remedy = pluralise_queries(n_items), "correlate by systems (--by systems, by='systems')"
        if by_systems:
            problem = pluralise(n_items, "system")
            remedy = "add runs, or correlate by queries (--by queries, by='queries')"
        raise ParameterError(f"{problem}, expected at least 2 for a correlation by {settings.by}; {remedy}")
    if values_by_group.shape[1] > 1 and settings.interval == "fisher":
        raise ParameterError(
            "interval 'fisher' by queries: a mean over systems has none; choose --interval bootstrap "
            "(interval='bootstrap')"
        )
    first, second = np.triu_indices(len(values_by_group), 1)
    value, low, high, pvalue, n, counted = correlate(values_by_group, first, second, settings, progress)
    return MeasureAgreement(
        scores=scores,
        settings=settings,
        first=first,
        second=second,
        value=value,
        low=low,
        high=high,
        pvalue=pvalue,
        n=n.astype(np.int64),
        n_systems=counted.astype(np.int64),
    )


def signs_of(scores: Scores) -> Floats:
    """(measures, 1, 1) -1 for measures where lower is better, else 1."""
    return np.array([float(scores.sign(measure) or 1) for measure in scores.measures])[:, None, None]


def oriented_values(scores: Scores) -> Floats:
    """(measures, systems, queries) the values with signs such that higher is better."""
    return np.asarray(scores.values.swapaxes(0, 1) * signs_of(scores))


def correlate(
    values: Floats,
    first: npt.NDArray[np.intp],
    second: npt.NDArray[np.intp],
    settings: MeasureAgreementSettings,
    progress: Callable[[int], Any] | None,
) -> Floats:
    """(6, pairs) value, low, high, p-value, items, and how many groups have a value.

    values: (measures, groups, items); the value is a mean over the groups. Pairs that lack the same items are computed
    together.
    """
    present = np.asarray(~np.isnan(values).any(axis=1), np.bool_)
    masks, mask_of_pair = np.unique(present[first] & present[second], axis=0, return_inverse=True)
    results = np.full((6, first.size), np.nan)
    results[5] = 0
    for mask_index, mask in enumerate(masks):
        pair_indices = np.flatnonzero(mask_of_pair.reshape(-1) == mask_index)
        results[4, pair_indices] = mask.sum()
        if mask.sum() < 2:
            continue
        if values.shape[1] == 1:
            x, y = (snap_ties(values[measure_index[pair_indices], 0][:, mask]) for measure_index in (first, second))
            results[[0, 1, 2, 3, 5], pair_indices[:, None]] = correlate_group(x, y, settings).T
            continue
        for pair_index in pair_indices:  # not at once: each pair has all systems and resamples, most of the work
            x, y = (snap_ties(values[measure_index[pair_index]][:, mask]) for measure_index in (first, second))
            results[[0, 1, 2, 5], pair_index] = mean_correlation(x, y, settings)
            if progress is not None:
                progress(1)
    return results


def snap_ties(rows: Floats) -> Floats:
    """Make values equal that agree to twelve digits: the order of a summation must not order systems."""
    return join_ties(np.ascontiguousarray(rows))


def correlate_group(x: Floats, y: Floats, settings: MeasureAgreementSettings) -> Floats:
    """(5, pairs) of one group; x, y: (pairs, items)."""
    test = correlation_test(x, y, **settings.test_options)
    return np.array([test.value, test.low, test.high, test.pvalue, ~np.isnan(test.value)])


def mean_correlation(x: Floats, y: Floats, settings: MeasureAgreementSettings) -> tuple[float, float, float, int]:
    """Value, low, high of one pair, and how many groups have a correlation; the value is their mean.

    x, y: (groups, items).
    """
    statistic, n = settings.statistic, x.shape[1]
    values = correlation_test(x, y, statistic=statistic).value
    defined = np.flatnonzero(~np.isnan(values))
    value, low, high = float(nan_mean(values)), np.nan, np.nan
    if n > 2 and defined.size:
        draws = draw(as_generator(settings.seed), settings.n_resamples)  # the same for every pair
        correlations = [weighted_correlation(statistic, x[group], y[group]) for group in defined]
        samples, jackknife = (
            nan_mean(bootstrap_values(correlations, n, draws)),
            nan_mean(leave_one_out(correlations, n)),
        )
        low, high = bca_ends(value, samples, jackknife, settings.confidence_level)
    return value, low, high, defined.size
