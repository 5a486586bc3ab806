"""All set measures of RankEval's paper on one table of rankings, each with its interval."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rankscope.agreement.best_predicted import RankCounts, count_ranks, gold_of_best
from rankscope.agreement.rank_hits import dcg, err, farr, ndcg
from rankscope.agreement.rank_table import PairedRanks
from rankscope.agreement.rank_taus import TauCounts, count_pairs, tau_counts
from rankscope.agreement.tau_permutations import permutation_pvalue
from rankscope.agreement.tau_pvalues import (
    combine_by_fisher,
    combine_by_stouffer,
    erfc,
    segment_statistics,
    tau_pvalues,
)
from rankscope.kernels.resample import bootstrap_counts, draw
from rankscope.stats.inputs import as_generator
from rankscope.stats.intervals import percentile_ends
from rankscope.typing import Floats, Ints

__all__ = ["RankSettings", "SetMeasures", "IntervalStatistic", "measure_lists"]


#: Of the arrays that a bootstrap may hold, this part is enough: it is no faster with more.
AT_ONCE = 8


class RankSettings(NamedTuple):
    """What `ranks` was asked for, checked."""

    exclude_gold_ties: bool = True
    penalise_predicted_ties: bool = True
    normalise: str = "ceiling"
    invert: bool = False
    cutoff: int | None = None
    missing: str = "error"
    confidence_level: float = 0.95
    n_resamples: int = 1_000
    seed: int = 0

    @property
    def at(self) -> str:
        """What stands behind the names of DCG, nDCG and ERR."""
        return "" if self.cutoff is None else f"@{self.cutoff}"


class IntervalStatistic(NamedTuple):
    """A value of all lists. low, high: its interval, NaN where there is none. n: the lists that it is of."""

    name: str
    value: float
    low: float
    high: float
    n: int


@dataclass(frozen=True, eq=False)
class SetMeasures:
    """What was found. of_list: (lists) by measure, NaN where a list has no value."""

    statistics: tuple[IntervalStatistic, ...]
    taus: TauCounts
    best: RankCounts
    of_list: dict[str, Floats]

    def __getitem__(self, name: str) -> float:
        return next(one.value for one in self.statistics if one.name == name)


def measure_lists(
    table: PairedRanks, segments: Ints, asked: RankSettings, progress: Callable[[float], Any] | None = None
) -> SetMeasures:
    """All of it. segments: (lists) which are of one segment: drawn and dealt together, and of one p-value."""
    pairs = count_pairs(table)
    options = {
        "exclude_gold_ties": asked.exclude_gold_ties,
        "penalise_predicted_ties": asked.penalise_predicted_ties,
    }
    taus, original = tau_counts(pairs, **options), tau_counts(pairs, penalise_predicted_ties=False)
    best = gold_of_best(table, asked.normalise)
    of_list = {
        "tau": taus.tau,
        "tau_original": original.tau,
        "pvalue": tau_pvalues(taus.tau, table.lengths),
        "FARR": farr(table, asked.normalise),
        f"DCG{asked.at}": dcg(table, asked.cutoff),
        f"nDCG{asked.at}": ndcg(table, asked.cutoff),
        f"ERR{asked.at}": err(table, asked.cutoff),
        "best_predicted": best,
    }
    # Each statistic is a sum over lists divided by another one, so that one draw of segments serves all.
    ratios = {
        "tau": (taus.concordant - taus.discordant, taus.valid),
        "tau_macro": mean_as_ratio(taus.tau),
        "tau_original": (original.concordant - original.discordant, original.valid),
        "tau_original_macro": mean_as_ratio(original.tau),
        "MRR": mean_as_ratio(of_list["FARR"]),
        f"DCG{asked.at}": mean_as_ratio(of_list[f"DCG{asked.at}"]),
        f"nDCG{asked.at}": mean_as_ratio(of_list[f"nDCG{asked.at}"]),
        f"ERR{asked.at}": mean_as_ratio(of_list[f"ERR{asked.at}"]),
        "average_predicted": mean_as_ratio(best),
    }
    rng = np.random.default_rng(asked.seed)
    statistics = with_intervals(ratios, segments, asked, rng)
    z, n = segment_statistics(taus, table.lengths, segments), int(np.count_nonzero(taus.valid))
    permuted = permutation_pvalue(table, segments, **options, n_resamples=asked.n_resamples, rng=rng, progress=progress)
    for name, p in (
        ("pvalue_permutation", permuted),
        ("pvalue_fisher", combine_by_fisher(erfc(np.abs(z) / math.sqrt(2.0)))),
        ("pvalue_stouffer", combine_by_stouffer(z)),
    ):
        statistics.append(IntervalStatistic(name, p, np.nan, np.nan, n))
    for name, count in (
        ("concordant", taus.concordant),
        ("discordant", taus.discordant),
        ("pairs", taus.pairs),
        ("gold_ties", taus.gold_ties),
        ("predicted_ties", taus.predicted_ties),
    ):
        statistics.append(IntervalStatistic(name, int(count.sum()), np.nan, np.nan, len(table)))
    return SetMeasures(tuple(statistics), taus, count_ranks(best), of_list)


def mean_as_ratio(values: Floats) -> tuple[Floats, Floats]:
    """A mean as a sum over a number: of the lists that have a value."""
    return np.nan_to_num(values), (~np.isnan(values)).astype(np.float64)


def with_intervals(
    ratios: dict[str, tuple[Any, Any]], segments: Ints, asked: RankSettings, rng: np.random.Generator
) -> list[IntervalStatistic]:
    """Each statistic with a percentile interval from a bootstrap of whole segments; none for a single segment.

    ratios: taken out one by one, so that memory stays small.
    """
    groups = np.unique(segments, return_inverse=True)[1]
    k, names = int(groups.max(initial=-1)) + 1, list(ratios)
    lists = [int(np.count_nonzero(below)) for _, below in ratios.values()]
    above, below = np.empty((2, len(names), k))  # (statistics, segments)
    for i, name in enumerate(names):  # one is forgotten as the next is made
        a, b = ratios.pop(name)
        above[i], below[i] = np.bincount(groups, a, k), np.bincount(groups, b, k)
    drawn = np.full((len(names), asked.n_resamples), np.nan)
    if k > 1:
        done = 0
        for counts in bootstrap_counts(draw(as_generator(rng), asked.n_resamples), k, AT_ONCE * k):
            size = len(counts)
            np.divide(
                above @ counts.T,
                below @ counts.T,
                out=drawn[:, done : done + size],
                where=np.asarray(below @ counts.T > 0),
            )
            done += size
    found = []
    for name, a, b, values, n in zip(names, above.sum(axis=1), below.sum(axis=1), drawn, lists, strict=True):
        low, high = (float(end) for end in percentile_ends(values, asked.confidence_level))
        found.append(IntervalStatistic(name, float(a / b) if b else np.nan, low, high, n))
    return found
