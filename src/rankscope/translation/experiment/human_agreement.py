"""Agreement of metrics with people: segment tau, correlation on systems, tests of pairs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.agreement.segment_level import agreement_on_pair
from rankscope.agreement.settings import SegmentSettings, validate_segment_settings
from rankscope.agreement.statistics import count_by_judgment, system_statistic, tables_by_metric
from rankscope.agreement.system_level import SystemAgreement, systems
from rankscope.data.rankings import Rankings
from rankscope.data.segment_scores import PairScores, SegmentScores, SystemScores, attach_scores
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
#: What becomes of segment scores where systems are compared: the paper's rule, and the mean.
SYSTEM_RULES = ("share", "mean")


@dataclass(frozen=True, eq=False, kw_only=True)
class SegmentTaus:
    """The segment tau of each metric; arrays (metrics, pairs), the averages (metrics), drawn (metrics, resamples).

    low, high: ends of the 95 % interval of a bootstrap over segments. drawn: the average on resampled segments, the
    same for all metrics. n: (pairs) pairs of translations that people ordered.
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
    drawn: Floats


@dataclass(frozen=True, eq=False, kw_only=True)
class SystemCorrelations:
    """Spearman's correlation with people's wins / (wins + losses), by rule; averages are without the sign."""

    by_rule: Mapping[str, SystemAgreement]

    def rows(self, rule: str) -> Iterator[tuple[str, str, float, float, float]]:
        """Metric, language pair or "average", value and the ends of its interval; pairs with their sign."""
        found = self.by_rule[rule]
        signs = {
            (metric, pair): float(np.sign(value))
            for pair, people, scores in zip(found.pairs, found.human, found.scores, strict=True)
            for metric, value in zip(
                found.metrics, system_statistic(np.broadcast_to(people, scores.shape), scores, SPEARMAN), strict=True
            )
        }
        for metric, pair, _, value, low, high, _ in found.records():
            if signs.get((metric, pair), 1.0) < 0:
                value, low, high = -value, -high, -low
            yield metric, pair, value, low, high


class PlannedComparison(NamedTuple):
    """A comparison that is to be made: does `first` agree better than `second`?"""

    first: str
    second: str


class PairTest(NamedTuple):
    """The average tau of `first` less that of `second`, its interval, p (two-sided) and p corrected for the number of
    tests of its family (Holm).
    """

    direction: str
    first: str
    second: str
    difference: float
    low: float
    high: float
    pvalue: float
    adjusted: float


def with_metric_columns(one: JudgedPair, tables: Mapping[str, Floats]) -> Rankings:
    """The judgments with a column a metric; tables: (systems, lines) by metric."""
    found = one.rankings
    segments = tuple(map(str, range(1, len(one.texts) + 1)))
    for name, values in tables.items():
        found = attach_scores(found, SegmentScores(name, {one.pair: PairScores(one.systems, segments, values)}))
    return found


def segment_taus(
    judged: Sequence[JudgedPair], tables: Mapping[str, Mapping[str, Floats]], *, n_resamples: int, seed: int
) -> SegmentTaus:
    """The segment tau of each metric. tables: by language pair and metric, (systems, lines)."""
    asked = validate_segment_settings(STATISTIC, "none", None, n_resamples, CONFIDENCE, seed)
    metrics = tuple(tables[judged[0].pair])
    found, drawn = [], []
    for one in judged:
        cells, resampled = agreement_on_pair(
            tables_by_metric(with_metric_columns(one, tables[one.pair]), RANK, metrics), asked, one.pair
        )
        found.append(cells)
        drawn.append(resampled)
    value = np.array([cells.value for cells in found]).T
    stacked = np.stack(drawn, axis=1)
    low, high = percentile_ends(stacked, CONFIDENCE)
    averages = stacked.mean(axis=1)
    average_low, average_high = percentile_ends(averages, CONFIDENCE)
    return SegmentTaus(
        metrics=metrics,
        pairs=tuple(one.pair for one in judged),
        value=value,
        low=low,
        high=high,
        n=np.array([max(cells.n) for cells in found]),
        average=value.mean(axis=1),
        average_low=average_low,
        average_high=average_high,
        drawn=averages,
    )


def segment_tau(one: JudgedPair, values: Floats) -> float:
    """The segment tau of (systems, lines) scores, without more."""
    asked: SegmentSettings = validate_segment_settings(STATISTIC, "none", None, 1, CONFIDENCE, 0)
    (lists,) = tables_by_metric(with_metric_columns(one, {"metric": values}), RANK, ("metric",))
    above, below = asked.convention.sums(count_by_judgment(lists.gold, lists.metric)) if asked.convention else (0, 1)
    total = float(np.sum(below))
    return float(np.sum(above)) / total if total else float("nan")


def system_correlations(
    judged: Sequence[JudgedPair],
    tables: Mapping[str, Mapping[str, Floats]],
    whole: Sequence[SystemScores],
    *,
    n_resamples: int,
    seed: int,
) -> SystemCorrelations:
    """Whole systems, by the paper's rule and by means. whole: metrics of systems, beside those of segments."""
    names = [one.pair for one in judged]
    metrics = [
        SegmentScores(
            name,
            {
                one.pair: PairScores(
                    compared_systems(one),
                    tuple(map(str, range(1, len(one.texts) + 1))),
                    tables[one.pair][name][has_ranked_outputs(one)],
                )
                for one in judged
            },
        )
        for name in tables[names[0]]
    ]
    given = [SystemScores(one.metric, {pair: one.pairs[pair] for pair in names}) for one in whole]
    return SystemCorrelations(
        by_rule={
            rule: systems(
                judged[0].whole,
                [*metrics, *given],
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


def has_ranked_outputs(one: JudgedPair) -> Bools:
    """(systems) of which people ranked an output."""
    found = np.zeros(len(one.systems), np.bool_)
    found[one.place[~np.isnan(one.rankings.column(RANK))]] = True
    return found


def compared_systems(one: JudgedPair) -> tuple[str, ...]:
    return tuple(name for name, there in zip(one.systems, has_ranked_outputs(one), strict=True) if there)


def pair_tests(direction: str, found: SegmentTaus, wanted: Sequence[PlannedComparison]) -> list[PairTest]:
    """Each comparison on the same resampled segments: a paired bootstrap, p corrected for their number.

    p = 2 (1 + the resamples in which the better one is not better) / (1 + all), at most 1: as in
    `rankscope.agreement.compare_metrics`. Metrics of the same value on all resamples have p = 1.
    """
    if not wanted:
        return []
    rows = []
    place = {name: m for m, name in enumerate(found.metrics)}
    for first, second in wanted:
        a, b = place[first], place[second]
        difference = float(found.average[a] - found.average[b])
        drawn = found.drawn[a] - found.drawn[b]
        low, high = percentile_ends(drawn[None, :], CONFIDENCE)
        wrong = min(np.count_nonzero(drawn <= 0), np.count_nonzero(drawn >= 0))
        pvalue = min(1.0, 2 * (1 + wrong) / (1 + drawn.size))
        rows.append((first, second, difference, float(low[0]), float(high[0]), pvalue))
    adjusted = adjust_pvalues([row[-1] for row in rows]).pvalue
    return [PairTest(direction, *row, float(p)) for row, p in zip(rows, adjusted, strict=True)]
