"""Agreement of metrics with people: segment tau, correlation on systems, tests of pairs of metrics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.agreement.match import attach_scores
from rankscope.agreement.segment_level import agreement_on_pair
from rankscope.agreement.settings import SegmentSettings
from rankscope.agreement.statistics import count_by_judgment, from_rankings, system_statistic
from rankscope.agreement.system_level import SystemAgreement, systems
from rankscope.data.metric_scores import MetricScores, PairScores
from rankscope.data.rankings import Rankings
from rankscope.stats.intervals import percentile_ends
from rankscope.stats.multiple_comparisons import adjust_pvalues
from rankscope.translation.experiment.wmt_campaigns import RANK, JudgedPair
from rankscope.typing import Bools, Floats

__all__ = [
    "PairTest",
    "PlannedComparison",
    "SegmentTaus",
    "SystemCorrelations",
    "pair_tests",
    "segment_tau",
    "segment_taus",
    "system_correlations",
]


#: Metric ties count as wrong, human ties not at all.
STATISTIC, SPEARMAN = "wmt12", "spearman"
CONFIDENCE = 0.95
#: How segment scores become scores of systems: the paper's rule, and the mean.
SYSTEM_RULES = ("share", "mean")


@dataclass(frozen=True, eq=False, kw_only=True)
class SegmentTaus:
    """The segment tau of each metric.

    Attributes
    ----------
    metrics, pairs
        Names.
    value
        Taus, (metrics, pairs).
    low, high
        Ends of the 95 % intervals of a bootstrap over segments, (metrics, pairs).
    n
        Number of pairs of translations that people ordered, (pairs).
    average, average_low, average_high
        Average over the language pairs, and its interval, (metrics).
    average_resamples
        The average on resampled segments, the same ones for all metrics, (metrics, resamples).
    """

    metrics: tuple[str, ...]
    pairs: tuple[str, ...]
    value: Floats
    low: Floats
    high: Floats
    n: npt.NDArray[np.int64]
    average: Floats
    average_low: Floats
    average_high: Floats
    average_resamples: Floats


@dataclass(frozen=True, eq=False, kw_only=True)
class SystemCorrelations:
    """Spearman's correlation with people's wins / (wins + losses).

    Attributes
    ----------
    by_rule
        By rule of the systems' scores; averages ignore the sign.
    """

    by_rule: Mapping[str, SystemAgreement]

    def rows(self, rule: str) -> Iterator[tuple[str, str, float, float, float]]:
        """Metric, language pair or "average", value and the ends of its interval; pairs with their sign."""
        agreement = self.by_rule[rule]
        signs = {
            (metric, pair): float(np.sign(value))
            for pair, human_scores, scores in zip(agreement.pairs, agreement.human, agreement.scores, strict=True)
            for metric, value in zip(
                agreement.metrics,
                system_statistic(np.broadcast_to(human_scores, scores.shape), scores, SPEARMAN),
                strict=True,
            )
        }
        for metric, pair, _, value, low, high, _ in agreement.records():
            if signs.get((metric, pair), 1.0) < 0:
                value, low, high = -value, -high, -low
            yield metric, pair, value, low, high


class PlannedComparison(NamedTuple):
    """A planned comparison: does `first` agree better than `second`?

    Attributes
    ----------
    first, second
        Names of metrics.
    """

    first: str
    second: str


class PairTest(NamedTuple):
    """A test of two metrics on the same segments.

    Attributes
    ----------
    direction
        "into" or "out" of English.
    first, second
        The metrics.
    difference
        The average tau of `first` less that of `second`.
    low, high
        Ends of its 95 % interval.
    pvalue
        Two-sided p-value.
    pvalue_corrected
        Corrected for the number of tests of its family (Holm).
    """

    direction: str
    first: str
    second: str
    difference: float
    low: float
    high: float
    pvalue: float
    pvalue_corrected: float


def with_metric_columns(judged_pair: JudgedPair, tables: Mapping[str, Floats]) -> Rankings:
    """The judgments with a column a metric; tables: (systems, lines) by metric."""
    rankings = judged_pair.rankings
    segments = tuple(map(str, range(1, len(judged_pair.texts) + 1)))
    for name, values in tables.items():
        rankings = attach_scores(
            rankings, MetricScores(name, {judged_pair.pair: PairScores(judged_pair.systems, segments, values)})
        )
    return rankings


def segment_taus(
    judged_pairs: Sequence[JudgedPair], tables: Mapping[str, Mapping[str, Floats]], *, n_resamples: int, seed: int
) -> SegmentTaus:
    """The segment tau of each metric. tables: by language pair and metric, (systems, lines)."""
    settings = SegmentSettings(statistic=STATISTIC, n_resamples=n_resamples, confidence_level=CONFIDENCE, seed=seed)
    metrics = tuple(tables[judged_pairs[0].pair])
    pair_agreements = [
        agreement_on_pair(
            from_rankings(with_metric_columns(judged_pair, tables[judged_pair.pair]), RANK, metrics),
            settings,
            judged_pair.pair,
        )
        for judged_pair in judged_pairs
    ]
    value = np.array([agreement.value for agreement in pair_agreements]).T
    resamples = np.stack([agreement.resampled for agreement in pair_agreements], axis=1)
    low, high = percentile_ends(resamples, CONFIDENCE)
    averages = resamples.mean(axis=1)
    average_low, average_high = percentile_ends(averages, CONFIDENCE)
    return SegmentTaus(
        metrics=metrics,
        pairs=tuple(judged_pair.pair for judged_pair in judged_pairs),
        value=value,
        low=low,
        high=high,
        n=np.array([max(agreement.n) for agreement in pair_agreements]),
        average=value.mean(axis=1),
        average_low=average_low,
        average_high=average_high,
        average_resamples=averages,
    )


def segment_tau(judged_pair: JudgedPair, values: Floats) -> float:
    """The segment tau of (systems, lines) scores, without an interval."""
    settings = SegmentSettings(statistic=STATISTIC)
    scores = from_rankings(with_metric_columns(judged_pair, {"metric": values}), RANK, ("metric",))
    numerators, denominators = (
        settings.convention.sums(count_by_judgment(scores.people, scores.metrics[0])) if settings.convention else (0, 1)
    )
    denominator = float(np.sum(denominators))
    return float(np.sum(numerators)) / denominator if denominator else float("nan")


def system_correlations(
    judged_pairs: Sequence[JudgedPair],
    tables: Mapping[str, Mapping[str, Floats]],
    system_scores: Sequence[MetricScores],
    *,
    n_resamples: int,
    seed: int,
) -> SystemCorrelations:
    """Correlations on systems, by each rule. system_scores: metrics of systems, beside those of segments."""
    names = [judged_pair.pair for judged_pair in judged_pairs]
    metrics = [
        MetricScores(
            name,
            {
                judged_pair.pair: PairScores(
                    compared_systems(judged_pair),
                    tuple(map(str, range(1, len(judged_pair.texts) + 1))),
                    tables[judged_pair.pair][name][has_ranked_outputs(judged_pair)],
                )
                for judged_pair in judged_pairs
            },
        )
        for name in tables[names[0]]
    ]
    extra_metrics = [
        MetricScores(scores.metric, {pair: scores.pairs[pair] for pair in names}) for scores in system_scores
    ]
    return SystemCorrelations(
        by_rule={
            rule: systems(
                judged_pairs[0].all_rankings,
                [*metrics, *extra_metrics],
                statistic=SPEARMAN,
                absolute=True,
                human="wins",
                from_segments=rule,
                over="own",
                pairs=names,
                n_resamples=n_resamples,
                rng=seed,
            )
            for rule in SYSTEM_RULES
        }
    )


def has_ranked_outputs(judged_pair: JudgedPair) -> Bools:
    """(systems) whether people ranked an output of the system."""
    has_ranked = np.zeros(len(judged_pair.systems), np.bool_)
    has_ranked[judged_pair.system_index[~np.isnan(judged_pair.rankings.column(RANK))]] = True
    return has_ranked


def compared_systems(judged_pair: JudgedPair) -> tuple[str, ...]:
    return tuple(
        name
        for name, has_ranked in zip(judged_pair.systems, has_ranked_outputs(judged_pair), strict=True)
        if has_ranked
    )


def pair_tests(direction: str, taus: SegmentTaus, comparisons: Sequence[PlannedComparison]) -> list[PairTest]:
    """Test each comparison by a paired bootstrap over the same resampled segments.

    Parameters
    ----------
    direction
        "into" or "out" of English.
    taus
        Taus with their resamples.
    comparisons
        Planned comparisons, one family.

    Returns
    -------
    list of PairTest
        p = 2 (1 + number of resamples in which the better one is not better) / (1 + n_resamples), at most 1, as in
        `rankscope.agreement.compare_metrics`. Metrics with the same value on all resamples have p = 1.
    """
    if not comparisons:
        return []
    rows = []
    metric_index = {name: i for i, name in enumerate(taus.metrics)}
    for first, second in comparisons:
        a, b = metric_index[first], metric_index[second]
        difference = float(taus.average[a] - taus.average[b])
        differences = taus.average_resamples[a] - taus.average_resamples[b]
        low, high = percentile_ends(differences[None, :], CONFIDENCE)
        n_contrary = min(np.count_nonzero(differences <= 0), np.count_nonzero(differences >= 0))
        pvalue = min(1.0, 2 * (1 + n_contrary) / (1 + differences.size))
        rows.append((first, second, difference, float(low[0]), float(high[0]), pvalue))
    adjusted = adjust_pvalues([row[-1] for row in rows]).pvalue
    return [PairTest(direction, *row, float(p)) for row, p in zip(rows, adjusted, strict=True)]
