"""The queries that decide: those without which the verdict would be another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.comparison.gate.decision import (
    PASS,
    PLAIN,
    UNDECIDED,
    VERDICTS,
    WORSE,
    scale_to_unit,
)
from rankscope.comparison.gate.settings import GateSettings
from rankscope.kernels.rounding_ties import NOISE, at_most, order_of
from rankscope.stats.cluster_sums import ClusterSums, cluster_sums
from rankscope.stats.distributions import t_pvalue
from rankscope.typing import Bools, Floats

__all__ = [
    "VerdictChange",
    "find_verdict_change",
]


#: Numbers in a table of stages and clusters: 8 MB.
AT_ONCE = 1 << 20


class VerdictChange(NamedTuple):
    """Another verdict, and the queries without which it holds.

    Attributes
    ----------
    verdict
        The name of the other verdict.
    queries
        Indices of the queries, in the order of their removal.
    helped
        Whether they are those that the new system helps most; else those that it hurts most.
    """

    verdict: str
    queries: npt.NDArray[np.intp]
    helped: bool


def find_verdict_change(
    differences: Floats, verdict: str, settings: GateSettings, sample: Mapping[str, Any] = PLAIN
) -> VerdictChange | None:
    """The queries to remove, in order, until the t-test gives another verdict; None if it never does.

    Parameters
    ----------
    differences
        The differences by query, (queries).
    verdict
        The verdict on all queries.
    settings
        The settings of the gate.
    sample
        Clusters and weights of the queries.

    Notes
    -----
    For "pass" the query that the new system helps most goes first, then the next; for "worse" the one that it hurts
    most. "undecided" can turn either way: both ends are tried, and the one with fewer queries is taken. The last two
    queries stay. Another choice of queries might need fewer. Clusters of queries are removed as a whole, by the sum of
    their differences; with weights, it is differences times weights that are ordered.
    """
    differences, settings, _ = scale_to_unit(differences, settings)
    sides = {PASS: (True,), WORSE: (False,), UNDECIDED: (False, True)}[verdict]
    if sample["clusters"] is None and sample["weights"] is None:
        turns = [find_verdict_change_from(differences, verdict, settings, helped=helped) for helped in sides]
    else:
        turns = [find_cluster_change_from(differences, verdict, settings, sample, helped=helped) for helped in sides]
    return min((turn for turn in turns if turn is not None), key=lambda turn: turn.queries.size, default=None)


def find_verdict_change_from(
    differences: Floats, verdict: str, settings: GateSettings, *, helped: bool
) -> VerdictChange | None:
    """As `find_verdict_change`, from one end. All stages are computed at once, from sums over the remaining queries."""
    if differences.size < 3:
        return None
    order = order_of(-differences if helped else differences)
    centred = differences[order] - np.median(differences)
    stage_slice = slice(0, differences.size - 1)  # the remaining queries from each index on, at least two
    n = np.arange(differences.size, 1, -1)
    sums, sums_of_squares = (np.cumsum(values[::-1])[::-1][stage_slice] for values in (centred, centred * centred))
    mean = sums / n
    variance = np.maximum(sums_of_squares - sums * mean, 0.0) / (n - 1)
    original = differences[order]
    magnitude = np.maximum(np.abs(original), abs(original[-1]))  # they are sorted
    is_constant = (np.abs(original - original[-1]) <= 100 * NOISE * magnitude)[stage_slice]
    verdicts = verdicts_by_t(mean + np.median(differences), np.sqrt(variance / n), n - 1, is_constant, settings)
    changed_stages = np.flatnonzero(verdicts[1:] != VERDICTS.index(verdict))
    if not changed_stages.size:
        return None
    n_removed = int(changed_stages[0]) + 1
    return VerdictChange(VERDICTS[verdicts[n_removed]], order[:n_removed], helped)


def find_cluster_change_from(
    differences: Floats, verdict: str, settings: GateSettings, sample: Mapping[str, Any], *, helped: bool
) -> VerdictChange | None:
    """As `find_verdict_change`, from one end, with clusters or weights; stages are computed in blocks."""
    codes = (
        np.arange(differences.size)
        if sample["clusters"] is None
        else np.unique(sample["clusters"], return_inverse=True)[1]
    )
    units = cluster_sums(differences[None], codes, sample["weights"])
    order = order_of(-units.sums[0] if helped else units.sums[0])
    ordered = ClusterSums(sums=units.sums[:, order], weights=units.weights[order])
    least, greatest = np.full(units.n, np.inf), np.full(units.n, -np.inf)
    np.minimum.at(least, codes, differences)
    np.maximum.at(greatest, codes, differences)
    step = max(1, AT_ONCE // units.n)
    for start in range(1, units.n - 1, step):
        stages = np.arange(start, min(start + step, units.n - 1))
        verdicts = verdicts_without_first(ordered, least[order], greatest[order], stages, settings)
        changed_stages = np.flatnonzero(verdicts != VERDICTS.index(verdict))
        if changed_stages.size:
            first = changed_stages[0]
            removed = order[: stages[first]]
            queries = np.concatenate([np.flatnonzero(codes == unit) for unit in removed])
            return VerdictChange(VERDICTS[verdicts[first]], queries, helped)
    return None


def verdicts_without_first(
    units: ClusterSums, least: Floats, greatest: Floats, stages: npt.NDArray[np.int64], settings: GateSettings
) -> npt.NDArray[np.int64]:
    """(stages) indices into `VERDICTS` without the first clusters.

    Parameters
    ----------
    units
        The clusters, in the order of their removal.
    least, greatest
        (clusters) the least and the greatest difference in each.
    stages
        How many clusters are removed.
    settings
        The settings of the gate.
    """

    def to_the_end(values: Floats, combine: Any) -> Floats:
        """(stages) what a function makes of all that remains."""
        return np.asarray(combine.accumulate(values[::-1])[::-1][stages])

    sums, weights = units.sums[0], units.weights
    remains = np.arange(units.n) >= stages[:, None]
    total = to_the_end(weights, np.add)
    mean = to_the_end(sums, np.add) / total
    shape = remains.shape
    gaps = np.divide(sums - mean[:, None] * weights, total[:, None] - weights, out=np.zeros(shape), where=remains)
    n = units.n - stages
    error = np.sqrt((n - 1) / n * (gaps * gaps).sum(axis=1))
    df = total**2 / to_the_end(weights * weights, np.add) - 1
    is_constant, is_degenerate = (
        to_the_end(high, np.maximum) - to_the_end(low, np.minimum)
        <= 100 * NOISE * to_the_end(np.maximum(np.abs(low), np.abs(high)), np.maximum)
        for low, high in ((least, greatest), (sums / weights, sums / weights))
    )
    verdicts = verdicts_by_t(mean, error, df, is_constant, settings)
    return np.where(is_degenerate & ~is_constant, VERDICTS.index(UNDECIDED), verdicts)


def verdicts_by_t(
    mean: Floats, error: Floats, df: npt.ArrayLike, is_constant: Bools, settings: GateSettings
) -> npt.NDArray[np.int64]:
    """Indices into `VERDICTS` for samples with these means and standard errors."""
    margin, alpha = settings.margin, settings.alpha
    with np.errstate(divide="ignore", invalid="ignore"):
        is_pass = at_most(t_pvalue((mean + margin) / error, df, "greater"), alpha)
        is_worse = at_most(t_pvalue(mean / error, df, "less"), alpha)
    constant_passes = mean >= -margin - NOISE * np.maximum(np.abs(mean), margin)
    verdicts = np.where(is_pass, 0, np.where(is_worse, 2, 1))
    return np.where(is_constant, np.where(constant_passes, 0, 2), verdicts)
