"""p-values of every metric against every other: by permutation, bootstrap, swaps of pairs, and Williams' formula."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import combinations
from typing import NamedTuple

import numpy as np

from rankscope.agreement.conventions import CONVENTIONS
from rankscope.agreement.metric_bootstrap import bootstrap_values
from rankscope.agreement.metric_permutations import permuted_differences
from rankscope.agreement.metric_statistics import CommonCells, system_means
from rankscope.agreement.pair_counts import kinds_of, pair_places
from rankscope.agreement.segment_sums import correlate_rows
from rankscope.agreement.soft_pairs import pair_pvalues
from rankscope.errors import ParameterError
from rankscope.kernels.resample import Draws, flip_sums
from rankscope.kernels.ties import join_ties
from rankscope.stats.resampled import monte_carlo
from rankscope.stats.williams import MIN_ITEMS, williams_test
from rankscope.typing import Floats

__all__ = ["PROCEDURES", "TESTS", "MetricTestSettings", "check_has_test"]


#: Every test, and what its resamples are of: the difference were there none ("null"), or the difference ("values").
TESTS = {"perm_both": "null", "boot_both": "values", "bootstrap": "values", "pair_swaps": "null", "williams": ""}
#: Differences of statistics in [-1, 1] that are this close are equal, but for rounding.
CLOSE = 1e-10
PAIRS_OF_SYSTEMS = ("acc_eq", "pairwise_accuracy", "soft_pairwise_accuracy")


class MetricTestSettings(NamedTuple):
    """What a test needs to know. draws: of swaps, or of segments; others: of systems; soft: of the soft accuracy. kept:
    where the drawn differences of each pair of metrics go, (resamples); None: they are counted, and gone.
    """

    statistic: str
    grouping: str
    alternative: str
    swap: str
    recalibrate: bool
    draws: Draws
    others: Draws
    soft: Draws
    kept: dict[tuple[int, int], Floats] | None = None

    def watch(self, i: int, j: int, chunks: Iterable[Floats]) -> Iterable[Floats]:
        """The same chunks, kept where they are wanted."""
        if self.kept is None:
            return chunks
        self.kept[i, j] = np.concatenate(list(chunks))
        return [self.kept[i, j]]


class ExceedanceCounts:
    """How many resamples are at least as far from 0 as what was observed, in either direction, and in both.

    A resample without a value is as far as any: what cannot be told speaks for no difference.
    """

    def __init__(self, observed: float, chunks: Iterable[Floats]) -> None:
        self.more = self.less = self.far = 0
        for drawn in chunks:
            none = np.isnan(drawn)
            self.more += int(np.count_nonzero(none | (drawn >= observed - CLOSE)))
            self.less += int(np.count_nonzero(none | (drawn <= observed + CLOSE)))
            self.far += int(np.count_nonzero(none | (np.abs(drawn) >= abs(observed) - CLOSE)))


PvaluesAndErrors = tuple[Floats, Floats]


def empty_pvalues(metrics: int) -> PvaluesAndErrors:
    return np.full((metrics, metrics), np.nan), np.zeros((metrics, metrics))


def fill_pvalues(
    metrics: int, asked: MetricTestSettings, counts: Iterable[tuple[int, int, int, int, int]]
) -> PvaluesAndErrors:
    """The matrices from (i, j, more, less, far): counts for i above j, j above i, and i and j apart."""
    pvalue, error = empty_pvalues(metrics)
    for i, j, more, less, far in counts:
        both = (far, far) if asked.alternative == "two-sided" else (more, less)
        found = monte_carlo(np.array(both, np.float64), asked.draws.n_resamples)
        (pvalue[i, j], pvalue[j, i]), (error[i, j], error[j, i]) = found
    return pvalue, error


def check_has_test(test: str, statistic: str, grouping: str) -> None:
    """Raise ParameterError where the statistic has no such test."""
    if test == "williams" and statistic != "pearson":
        raise ParameterError(
            f"Williams' test is for pearson, and for {statistic} its p-values cannot be relied on; take perm_both"
        )
    if test == "williams" and grouping not in ("means", "none"):
        raise ParameterError(
            f"Williams' test is for one correlation over all items (of systems, or with grouping none), and not for a "
            f"mean of them with grouping {grouping}; take perm_both"
        )
    if test == "pair_swaps" and statistic not in PAIRS_OF_SYSTEMS:
        raise ParameterError(
            f"pair_swaps is for {', '.join(PAIRS_OF_SYSTEMS)}, and {statistic} is no mean over pairs; take perm_both"
        )


# Permutation of scores


def standardised(metric: Floats) -> tuple[Floats, float]:
    """In units of the spread about the mean of all cells, and that spread; a constant metric becomes 0."""
    centred = metric - np.nanmean(metric)
    spread = float(np.nanstd(metric))
    if np.nanmax(np.abs(centred)) <= 1e-12 * np.nanmax(np.abs(metric)):
        return np.where(np.isnan(metric), np.nan, 0.0), 1.0
    return centred / spread, spread


def by_permutation(common: CommonCells, value: Floats, epsilons: Floats, asked: MetricTestSettings) -> PvaluesAndErrors:
    scaled = [standardised(metric) for metric in common.metrics]

    def counts() -> Iterator[tuple[int, int, int, int, int]]:
        for i, j in comparable_pairs(value):
            pair = np.stack((scaled[i][0], scaled[j][0]))
            observed = float(value[i] - value[j])
            close = np.array([epsilons[i] / scaled[i][1], epsilons[j] / scaled[j][1]])
            drawn = permuted_differences(
                common.gold,
                pair,
                asked.statistic,
                asked.grouping,
                None if asked.recalibrate and asked.statistic == "acc_eq" else close,
                asked.draws,
                asked.swap,
                asked.soft,
                observed if asked.kept is None else None,
            )
            found = ExceedanceCounts(observed, asked.watch(i, j, drawn))
            yield i, j, found.more, found.less, found.far

    return fill_pvalues(len(value), asked, counts())


def comparable_pairs(value: Floats) -> Iterator[tuple[int, int]]:
    """The pairs of metrics that both have a value."""
    return ((i, j) for i, j in combinations(range(value.size), 2) if not np.isnan(value[i] - value[j]))


# Bootstrap


def by_bootstrap(
    common: CommonCells, value: Floats, epsilons: Floats, asked: MetricTestSettings, systems: bool
) -> PvaluesAndErrors:
    there = np.flatnonzero(~np.isnan(value))
    drawn = np.full((value.size, asked.draws.n_resamples), np.nan)
    if there.size:
        drawn[there] = bootstrap_values(
            common.gold,
            common.metrics[there],
            asked.statistic,
            asked.grouping,
            epsilons[there],
            asked.others if systems else None,
            asked.draws,
            asked.soft,
        )

    def counts() -> Iterator[tuple[int, int, int, int, int]]:
        for i, j in comparable_pairs(value):
            apart = drawn[i] - drawn[j]
            asked.watch(i, j, [apart])
            none = np.isnan(apart)
            not_above = int(np.count_nonzero(none | (apart <= CLOSE)))
            not_below = int(np.count_nonzero(none | (apart >= -CLOSE)))
            # Twice the lesser share, (1 + c) / (1 + B) each, and at most 1.
            far = min(apart.size, 2 * min(not_above, not_below) + 1)
            yield i, j, not_above, not_below, far

    return fill_pvalues(value.size, asked, counts())


# Swaps of pairs


def by_pair_swaps(common: CommonCells, value: Floats, epsilons: Floats, asked: MetricTestSettings) -> PvaluesAndErrors:
    shares = shares_of_pairs(common, epsilons, asked)

    def counts() -> Iterator[tuple[int, int, int, int, int]]:
        for i, j in comparable_pairs(value):
            apart = shares[i] - shares[j]
            apart = apart[np.abs(apart) > 1e-15]
            if not apart.size:
                asked.watch(i, j, [np.zeros(asked.draws.n_resamples)])
                yield i, j, *(asked.draws.n_resamples,) * 3
                continue
            chunks = (sums[:, 0] for sums in flip_sums(apart[None], asked.draws))
            found = ExceedanceCounts(float(apart.sum()), asked.watch(i, j, chunks))
            yield i, j, found.more, found.less, found.far

    return fill_pvalues(value.size, asked, counts())


def shares_of_pairs(common: CommonCells, epsilons: Floats, asked: MetricTestSettings) -> Floats:
    """(metrics, pairs) what each pair adds to the statistic of each metric."""
    first, second = pair_places(len(common.gold))
    if asked.statistic == "soft_pairwise_accuracy":
        people, machine = (pair_pvalues(side, asked.soft) for side in (common.gold[None], common.metrics))
        return np.asarray((1 - np.abs(people - machine)) / first.size)
    if asked.statistic == "pairwise_accuracy":
        means = [join_ties(system_means(side)) for side in (common.gold[None], common.metrics)]
        signs = [np.sign(side[:, first] - side[:, second]) for side in means]
        return np.asarray((signs[0] == signs[1]) / first.size)
    rows = []
    convention = CONVENTIONS["acc_eq"]
    for metric, epsilon in zip(common.metrics, epsilons.tolist(), strict=True):
        kinds = kinds_of(common.gold.T, metric.T, epsilon=epsilon)
        counted = np.append(convention.denominator, 0.0)[kinds]
        many = counted.sum(axis=1, keepdims=True) if asked.grouping == "segment" else counted.sum()
        weight = np.divide(counted, many, out=np.zeros(counted.shape), where=many > 0)
        right = np.append(convention.numerator, 0.0)[kinds] * weight
        rows.append(right.ravel() / (np.count_nonzero(many) if asked.grouping == "segment" else 1))
    return np.array(rows)


# Williams


def by_williams(common: CommonCells, value: Floats, epsilons: Floats, asked: MetricTestSettings) -> PvaluesAndErrors:
    lists = system_means(common.metrics) if asked.grouping == "means" else common.metrics[:, common.there]
    n = lists.shape[1]
    if n < MIN_ITEMS:
        what = "system" if asked.grouping == "means" else "cell"
        raise ParameterError(
            f"Williams' test needs {MIN_ITEMS} {what}s or more, and {n} have scores of people and of every metric; give "
            "more, or take another test"
        )
    pvalue, error = empty_pvalues(value.size)
    pairs = list(comparable_pairs(value))
    if pairs:
        i, j = np.array(pairs).T
        between = correlate_rows(lists[i], lists[j], asked.statistic)
        for one, other in ((i, j), (j, i)):
            found = williams_test(value[one], value[other], between, n=n, alternative=asked.alternative)
            # Metrics that say the same are not told apart.
            pvalue[one, other] = np.where(
                found.degenerate & (np.abs(value[one] - value[other]) <= CLOSE), 1.0, found.pvalue
            )
    return pvalue, error


Procedure = Callable[[CommonCells, Floats, Floats, MetricTestSettings], PvaluesAndErrors]

PROCEDURES: dict[str, Procedure] = {
    "perm_both": by_permutation,
    "boot_both": partial(by_bootstrap, systems=True),
    "bootstrap": partial(by_bootstrap, systems=False),
    "pair_swaps": by_pair_swaps,
    "williams": by_williams,
}
