"""Tests between metrics on plain matrices: does one agree better with people than another?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.agreement.metric_pvalues import PROCEDURES, TESTS, MetricTestSettings, check_has_test
from rankscope.agreement.metric_statistics import (
    CommonCells,
    check_statistic,
    common_cells,
    epsilons_of,
    metric_statistics_of,
)
from rankscope.data.wording import pluralise
from rankscope.errors import ParameterError
from rankscope.kernels.resample import Draws, draw
from rankscope.kernels.swaps import SWAPS
from rankscope.parallel.threads import one_thread
from rankscope.stats.inputs import as_generator, check_choice, check_count
from rankscope.typing import Floats, Ints

__all__ = ["ALTERNATIVES", "MetricTests", "Resamples", "compare_matrices"]


ALTERNATIVES = ("greater", "two-sided")
#: Fewer systems are too few to draw from.
FEW = 6


class Resamples(NamedTuple):
    """What is drawn: of segments, or of what is swapped; of systems; and signs of the soft pairwise accuracy."""

    segments: Draws
    systems: Draws
    soft: Draws


def usual_swap(grouping: str) -> str:
    """What perm_both swaps as one where it is not said: of means whole systems, since a metric that leans to a system
    does so in all of its cells, and cells that swap one by one would hide that.
    """
    return "systems" if grouping == "means" else "cells"


@dataclass(frozen=True, eq=False, kw_only=True)
class MetricTests:
    """Every metric against every other; arrays (metrics) and (metrics, metrics), row against column.

    value: the statistic of each metric, on the cells that gold and all metrics have; higher is better. difference: that
    of the row less that of the column. pvalue: with alternative "greater", how often chance alone would put the row so
    far above the column, were it no better; "two-sided", so far apart; NaN on the diagonal and where there is no value.
    error: the standard error of a p-value from resampling, else 0. epsilon: differences up to which a metric ties, in
    units of its scores; NaN where the statistic has none. n: what a value is over, see `MetricValues`. cells: the
    cells that gold and every metric have; lost: those of gold left out. systems, segments: those with such cells.
    drawn: by (row, column), the row above in number, the differences of all resamples, where they were to be kept.
    notes: what to know before believing it.
    """

    test: str
    statistic: str
    grouping: str
    alternative: str
    swap: str
    value: Floats
    difference: Floats
    pvalue: Floats
    error: Floats
    epsilon: Floats
    n: Ints
    n_resamples: int
    cells: int
    lost: int
    systems: int
    segments: int
    drawn: Mapping[tuple[int, int], Floats]
    notes: tuple[str, ...]


def compare_matrices(
    gold: npt.ArrayLike,
    metrics: npt.ArrayLike,
    *,
    test: str = "perm_both",
    statistic: str = "pearson",
    grouping: str = "segment",
    alternative: str = "greater",
    swap: str | None = None,
    epsilon: float | None = None,
    recalibrate: bool = True,
    n_resamples: int = 1000,
    soft_resamples: int = 1000,
    keep_drawn: bool = False,
    resamples: Resamples | None = None,
    rng: Any = None,
) -> MetricTests:
    """Whether each metric agrees better with people than each other one, or ("two-sided") not equally well.

    gold: (systems, segments); metrics: (metrics, systems, segments), two or more; higher is better on both sides, NaN
    where there is no score. Cells that gold or any of the metrics lacks are left out for all. statistic, grouping,
    epsilon: see `metric_values`; soft_resamples: its `n_resamples`.

    test: "perm_both", each metric's scores are put in units of their spread about their mean; then the two metrics'
    scores change places with probability 1/2, and p = (1 + the resamples whose difference is at least as far) / (1 +
    n_resamples). swap: what changes places as one, "systems" (the default with grouping "means"), "segments" or "cells"
    (else). Cells take errors as independent from cell to cell: where a metric leans to a system, they tell metrics of
    one worth apart far too often, so what they find is of these systems only. "boot_both", systems and segments are
    drawn with replacement, "bootstrap", segments only, for claims about these systems; p = (1 + the resamples in which
    the row is not better) / (1 + n_resamples), two-sided twice the lesser of the two. "pair_swaps", what the two
    metrics say of each pair of systems changes places; for acc_eq and the two pairwise accuracies; it takes pairs as
    independent, which they are not, and so finds differences too often. "williams", by formula; for "pearson" with
    grouping "means" or "none".
    recalibrate: with "perm_both" and acc_eq, epsilon is found anew for each permuted metric, as it was for the
    metric itself; False keeps it, faster and too sure of what was found. A bootstrap keeps it always. keep_drawn: all
    drawn differences are in the result, for tests of several such statistics together. resamples: the draws themselves,
    in the place of n_resamples, soft_resamples and rng.

    All pairs share their resamples; the same `rng` gives the same p on any machine. Equal metrics: p = 1.
    Raises ParameterError as `metric_values`, for fewer than two metrics, a test that the statistic does not have, and
    fewer than four systems with Williams' test.

    Source: Deutsch, Dror and Roth (2021), PERM-BOTH and BOOT-BOTH; Koehn (2004); Williams (1959), Graham and Baldwin
    (2014); Phipson and Smyth (2010) for (1 + c) / (1 + B).

    >>> rng = np.random.default_rng(1)
    >>> gold = rng.normal(size=(6, 40))
    >>> near, far = gold + rng.normal(size=(6, 40)), gold + 3 * rng.normal(size=(6, 40))
    >>> found = compare_matrices(gold, [near, far], n_resamples=99, rng=1)
    >>> float(found.pvalue[0, 1]), float(found.pvalue[1, 0])
    (0.01, 1.0)
    """
    check_statistic(statistic, grouping, epsilon)
    check_choice("test", test, tuple(TESTS))
    check_choice("alternative", alternative, ALTERNATIVES)
    swap = swap or usual_swap(grouping)
    check_choice("swap", swap, SWAPS)
    check_count("n_resamples", n_resamples)
    check_count("soft_resamples", soft_resamples)
    check_has_test(test, statistic, grouping)
    generator = as_generator(rng)
    common = common_cells(gold, metrics)
    if len(common.metrics) < 2:
        raise ParameterError("one metric was given, expected two or more to compare")
    epsilons = epsilons_of(common, statistic, grouping, epsilon)
    draws, others, soft = resamples or draw_resamples(generator, n_resamples, soft_resamples)
    value, n = metric_statistics_of(common, statistic, grouping, epsilons, soft)
    asked = MetricTestSettings(
        statistic, grouping, alternative, swap, epsilon is None and recalibrate, draws, others, soft
    )
    asked = asked._replace(kept={} if keep_drawn else None)
    with one_thread():
        pvalue, error = PROCEDURES[test](common, value, epsilons, asked)
    np.fill_diagonal(pvalue, np.nan)
    np.fill_diagonal(error, 0.0)
    return MetricTests(
        test=test,
        statistic=statistic,
        grouping=grouping,
        alternative=alternative,
        swap=swap if test == "perm_both" else "",
        value=value,
        difference=value[:, None] - value,
        pvalue=pvalue,
        error=error,
        epsilon=epsilons,
        n=n,
        n_resamples=0 if test == "williams" else draws.n_resamples,
        cells=common.cells,
        lost=common.lost,
        systems=common.gold.shape[0],
        segments=common.gold.shape[1],
        drawn=asked.kept or {},
        notes=notes_of(common, value, asked, test, epsilon is None and not recalibrate, pvalue),
    )


def draw_resamples(rng: np.random.Generator, n_resamples: int, soft_resamples: int) -> Resamples:
    soft = draw(rng, soft_resamples)  # first, as in `metric_values`, so that one rng gives one value
    return Resamples(draw(rng, n_resamples), draw(rng, n_resamples), soft)


def notes_of(
    common: CommonCells, value: Floats, asked: MetricTestSettings, test: str, kept: bool, pvalue: Floats
) -> tuple[str, ...]:
    """What to know before believing it."""
    notes = []
    if common.lost:
        cells = pluralise(common.lost, "translation")
        notes.append(f"{cells} that people judged left out for all metrics, as one of them has no score there")
    none = int(np.count_nonzero(np.isnan(value)))
    if none:
        notes.append(f"{none} of {pluralise(value.size, 'metric')} without a value: all scores alike, or too few")
    untold = int(np.count_nonzero(np.isnan(pvalue[np.triu_indices(value.size, 1)])))
    if test == "williams" and untold and not none:
        what = pluralise(untold, "pair of metrics has", "pairs of metrics have")
        notes.append(f"{what} no p-value of Williams' test: their correlations leave nothing to chance")
    notes += reach_of(common, asked, test)
    if test == "pair_swaps":
        notes.append("pair_swaps takes pairs of systems as independent, and so finds differences too often")
    if test == "boot_both" and len(common.gold) < FEW:
        notes.append(f"{pluralise(len(common.gold), 'system')} drawn with replacement: samples repeat few systems")
    if test == "perm_both" and asked.statistic == "acc_eq" and kept:
        notes.append("epsilon was found on these scores and kept for all permuted metrics: p-values are too small")
    return tuple(notes)


def reach_of(common: CommonCells, asked: MetricTestSettings, test: str) -> list[str]:
    """How far the answer goes: with other systems, or with these only; and whether there are enough of them."""
    systems, segments = common.gold.shape
    means = asked.grouping == "means" and segments > 1
    if means and test == "perm_both" and asked.swap == "cells":
        return [
            "swaps of cells make a claim about these systems only: they take a metric's errors as independent from "
            "segment to segment, and where it leans to a system they find differences far too often; swap systems"
        ]
    if means and test == "bootstrap":
        return ["the bootstrap draws segments: its p-values are claims about these systems only"]
    if test == "perm_both" and asked.swap == "systems" and systems < FEW:
        least = 2 / 2**systems if asked.alternative == "two-sided" else 1 / 2**systems
        return [f"{pluralise(systems, 'system')} can swap in {2**systems} ways only: p is about {least:.2g} or more"]
    return []
