"""The function `agree_measures`: correlations of measures, over systems or over queries."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.comparison.common_queries import check_systems
from rankscope.data.result import Result
from rankscope.data.scores import Scores
from rankscope.data.text import pluralise, pluralise_queries
from rankscope.errors import ParameterError
from rankscope.evaluation.cluster_notes import cluster_notes
from rankscope.kernels.means import nan_mean
from rankscope.kernels.resample import draw
from rankscope.kernels.rounding_ties import join_ties
from rankscope.settings import Settings, choice, confidence_field, resamples_field, seed_field
from rankscope.stats.correlation import (
    INTERVALS,
    bca_ends,
    bootstrap_values,
    correlation_test,
    leave_one_out,
    weighted_correlation,
)
from rankscope.stats.correlation_values import STATISTICS
from rankscope.stats.inputs import as_generator, seed_of
from rankscope.typing import Floats, Ints

__all__ = [
    "MeasureAgreement",
    "MeasureAgreementSettings",
    "agree_measures",
    "correlate_measures",
]


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
        several systems, and over queries in clusters.
    n
        How many systems or queries are correlated.
    n_systems
        How many systems are in the mean, over queries.
    """

    VIEW = "rankscope.comparison.measure_agreement_view:measure_agreement_sections"
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

    @property
    def clusters(self) -> Ints | None:
        """(queries) the cluster of each query, if correlations are over queries in clusters; else None."""
        return self.scores.queries.cluster_codes if self.settings.by == "queries" else None

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
        if self.settings.by == "systems":
            return tuple(self.scores.notes)
        return (
            *self.scores.notes,
            *cluster_notes(self.clusters, np.nan),
            *self.scores.queries.clustering_notes(),
        )

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

    def contents(self) -> str:
        """What it holds, in a few words."""
        return f"{self.settings.statistic} of {pluralise(len(self.measures), 'measure')} by {self.settings.by}"


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
        A setting is out of range, there are fewer than two measures, systems or queries, Fisher's interval is asked
        for a mean over systems or for queries in clusters, or correlations over queries for queries with weights.

    Notes
    -----
    Over queries, each system gives one correlation, and the value is their mean over systems; it has no interval but
    the bootstrap's, and no p-value. Where queries have clusters, the bootstrap draws whole clusters, and there is no
    p-value. Over systems, means are weighted where queries have weights. Values of measures where lower is better are
    negated, so that a correlation above 0 always means agreement; a note names them. A system (or query) is skipped for
    a pair if one of the two measures has no value for it (over queries: for any system). Values that agree to twelve
    digits are tied. A measure with a single value has no correlation: NaN, and a note. Each correlation agrees with
    scipy.stats.

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
    clusters = None if by_systems else scores.queries.cluster_codes
    if settings.interval == "fisher" and (values_by_group.shape[1] > 1 or clusters is not None):
        reason = "a mean over systems has none" if values_by_group.shape[1] > 1 else "it takes them as independent"
        raise ParameterError(
            f"interval 'fisher' by queries: {reason}; choose --interval bootstrap (interval='bootstrap')"
        )
    if not by_systems and scores.queries.weight is not None:
        raise ParameterError(
            "queries have weights, and a correlation over queries counts all the same; correlate by systems "
            "(--by systems, by='systems'), or leave the weights out (--weight, or the column weight)"
        )
    first, second = np.triu_indices(len(values_by_group), 1)
    value, low, high, pvalue, n, counted = correlate(values_by_group, first, second, settings, progress, clusters)
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
    clusters: Ints | None = None,
) -> Floats:
    """(6, pairs) value, low, high, p-value, items, and how many groups have a value.

    values: (measures, groups, items); the value is a mean over the groups. clusters: (items). Pairs that lack the same
    items are computed together.
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
        codes = None if clusters is None else np.unique(clusters[mask], return_inverse=True)[1]
        if values.shape[1] == 1:
            x, y = (snap_ties(values[measure_index[pair_indices], 0][:, mask]) for measure_index in (first, second))
            results[[0, 1, 2, 3, 5], pair_indices[:, None]] = correlate_group(x, y, settings, codes).T
            continue
        for pair_index in pair_indices:  # not at once: each pair has all systems and resamples, most of the work
            x, y = (snap_ties(values[measure_index[pair_index]][:, mask]) for measure_index in (first, second))
            results[[0, 1, 2, 5], pair_index] = mean_correlation(x, y, settings, codes)
            if progress is not None:
                progress(1)
    return results


def snap_ties(rows: Floats) -> Floats:
    """Make values equal that agree to twelve digits: the order of a summation must not order systems."""
    return join_ties(np.ascontiguousarray(rows))


def correlate_group(x: Floats, y: Floats, settings: MeasureAgreementSettings, clusters: Ints | None) -> Floats:
    """(5, pairs) of one group; x, y: (pairs, items)."""
    test = correlation_test(x, y, **settings.test_options, clusters=clusters)
    return np.array([test.value, test.low, test.high, test.pvalue, ~np.isnan(test.value)])


def mean_correlation(
    x: Floats, y: Floats, settings: MeasureAgreementSettings, clusters: Ints | None
) -> tuple[float, float, float, int]:
    """Value, low, high of one pair, and how many groups have a correlation; the value is their mean.

    x, y: (groups, items). clusters: (items) the cluster of each, from 0; whole clusters are drawn.
    """
    statistic, n = settings.statistic, x.shape[1]
    values = correlation_test(x, y, statistic=statistic).value
    defined = np.flatnonzero(~np.isnan(values))
    value, low, high = float(nan_mean(values)), np.nan, np.nan
    if n > 2 and defined.size:
        draws = draw(as_generator(settings.seed), settings.n_resamples)  # the same for every pair
        correlations = [weighted_correlation(statistic, x[group], y[group]) for group in defined]
        samples, jackknife = (
            nan_mean(bootstrap_values(correlations, n, draws, clusters)),
            nan_mean(leave_one_out(correlations, n, clusters)),
        )
        low, high = bca_ends(value, samples, jackknife, settings.confidence_level)
    return value, low, high, defined.size
