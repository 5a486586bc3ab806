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
    Criterion,
    Evidence,
    formula_pvalues,
    scale_to_unit,
    skewness_of,
    verdict_codes,
)
from rankscope.kernels.rounding_ties import NOISE, order_of
from rankscope.stats.cluster_sums import ClusterSums, cluster_sums
from rankscope.stats.rare_losses import losing
from rankscope.typing import Bools, Floats, Ints

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
    differences: Floats, verdict: str, criterion: Criterion, sample: Mapping[str, Any] = PLAIN
) -> VerdictChange | None:
    """The queries to remove, in order, until the test by t (of outcomes Tango's) gives another verdict.

    Parameters
    ----------
    differences
        The differences by query, (queries).
    verdict
        The verdict on all queries.
    criterion
        What they have to show.
    sample
        Clusters and weights of the queries.

    Returns
    -------
    VerdictChange or None
        None if the verdict stays, or only changes where queries are removed that the new system does not help (or
        hurt) at all.

    Notes
    -----
    For "pass" the query that the new system helps most goes first, then the next; for "worse" the one that it hurts
    most. "undecided" can turn either way: both ends are tried, and the one with fewer queries is taken. The last two
    queries stay. Another choice of queries might need fewer. Clusters of queries are removed as a whole, by the sum of
    their differences; with weights, it is differences times weights that are ordered.
    """
    differences, criterion, _ = scale_to_unit(differences, criterion)
    sides = {PASS: (True,), WORSE: (False,), UNDECIDED: (False, True)}[verdict]
    turns = [find_change_from(differences, verdict, criterion, sample, helped=helped) for helped in sides]
    return min((turn for turn in turns if turn is not None), key=lambda turn: turn.queries.size, default=None)


def find_change_from(
    differences: Floats, verdict: str, criterion: Criterion, sample: Mapping[str, Any], *, helped: bool
) -> VerdictChange | None:
    """As `find_verdict_change`, from one end. Stages are computed together: each without one more query or cluster."""
    is_plain = sample["clusters"] is None and sample["weights"] is None
    codes = (
        np.arange(differences.size)
        if sample["clusters"] is None
        else np.unique(sample["clusters"], return_inverse=True)[1]
    )
    units = cluster_sums(differences[None], codes, sample["weights"])
    order = order_of(-units.sums[0] if helped else units.sums[0])
    sums = units.sums[0][order]
    n_removable = min(units.n - 2, int((sums > 0 if helped else sums < 0).sum()))
    step = max(1, units.n if is_plain else AT_ONCE // units.n)
    for start in range(1, n_removable + 1, step):
        stages = np.arange(start, min(start + step, n_removable + 1))
        evidence = (
            evidence_without_queries(sums, stages, criterion)
            if is_plain
            else evidence_without_clusters(differences, codes, units, order, stages, criterion)
        )
        verdicts = verdict_codes(evidence, criterion, *formula_pvalues(evidence, criterion))[0]
        changed_stages = np.flatnonzero(verdicts != VERDICTS.index(verdict))
        if changed_stages.size:
            first = changed_stages[0]
            removed = order[: stages[first]]
            if not is_plain:
                removed = np.concatenate([np.flatnonzero(codes == unit) for unit in removed])
            return VerdictChange(VERDICTS[verdicts[first]], removed, helped)
    return None


def to_the_end(values: Floats | Ints | Bools, stages: Ints, combine: Any = np.add) -> Any:
    """(stages) what a function makes of all values from each stage on."""
    return combine.accumulate(values[::-1])[::-1][stages]


def evidence_without_queries(ordered: Floats, stages: Ints, criterion: Criterion) -> Evidence:
    """What remains without the first queries, from sums over those that remain.

    Parameters
    ----------
    ordered
        (queries) the differences in the order of their removal.
    stages
        How many queries are removed.
    criterion
        What they have to show.
    """
    middle = np.median(ordered)
    centred = ordered - middle
    n = ordered.size - stages
    first, second, third = (to_the_end(centred**power, stages) / n for power in (1, 2, 3))
    variance = np.maximum(second - first**2, 0.0)
    third_moment = third - 3 * first * second + 2 * first**3
    tiny = np.finfo(np.float64).tiny
    magnitude = np.maximum(np.abs(ordered), abs(ordered[-1]))  # they are sorted
    is_constant = (np.abs(ordered - ordered[-1]) <= 100 * NOISE * magnitude)[stages]
    loses, differs = losing(ordered, np.inf if criterion.largest_loss is None else criterion.largest_loss)
    n_losses = to_the_end(loses.astype(np.int64), stages)
    return Evidence(
        n=n,
        df=(n - 1).astype(np.float64),
        mean=first + middle,
        error=np.sqrt(variance / (n - 1)),
        skewness=np.where(is_constant, 0.0, third_moment / np.maximum(variance**1.5, tiny)),
        n_losses=n_losses,
        n_differing=to_the_end(differs.astype(np.int64), stages),
        n_gains=to_the_end((ordered > 0).astype(np.int64), stages),
        mean_of_others=to_the_end(np.where(loses, 0.0, ordered), stages) / np.maximum(n - n_losses, 1),
        is_constant=is_constant,
        is_degenerate=np.zeros(n.shape, np.bool_),
    )


def evidence_without_clusters(
    differences: Floats,
    codes: Ints,
    units: ClusterSums,
    order: npt.NDArray[np.intp],
    stages: Ints,
    criterion: Criterion,
) -> Evidence:
    """What remains without the first clusters.

    Parameters
    ----------
    differences, codes
        (queries) the differences, and the cluster of each.
    units
        The clusters.
    order
        (clusters) the order of their removal.
    stages
        How many clusters are removed.
    criterion
        What they have to show.
    """
    least, greatest = np.full(units.n, np.inf), np.full(units.n, -np.inf)
    np.minimum.at(least, codes, differences)
    np.maximum.at(greatest, codes, differences)
    least, greatest = least[order], greatest[order]
    sums, weights = units.sums[0][order], units.weights[order]
    unit_means = sums / weights
    remains = np.arange(units.n) >= stages[:, None]
    total = to_the_end(weights, stages)
    mean = to_the_end(sums, stages) / total
    gaps = np.divide(
        sums - mean[:, None] * weights, total[:, None] - weights, out=np.zeros(remains.shape), where=remains
    )
    n = units.n - stages
    is_constant, is_degenerate = (
        to_the_end(high, stages, np.maximum) - to_the_end(low, stages, np.minimum)
        <= 100 * NOISE * to_the_end(np.maximum(np.abs(low), np.abs(high)), stages, np.maximum)
        for low, high in ((least, greatest), (unit_means, unit_means))
    )
    loses, differs = losing(unit_means, np.inf if criterion.largest_loss is None else criterion.largest_loss)
    weight_of_others = to_the_end(np.where(loses, 0.0, weights), stages)
    # Of all clusters, those that are removed with a gap of 0, the moments are n of n - stages times as large.
    return Evidence(
        n=n,
        df=total**2 / to_the_end(weights * weights, stages) - 1,
        mean=mean,
        error=np.sqrt((n - 1) / n * (gaps * gaps).sum(axis=1)),
        skewness=np.where(is_constant, 0.0, skewness_of(gaps) * np.sqrt(n / units.n)),
        n_losses=to_the_end(loses.astype(np.int64), stages),
        n_differing=to_the_end(differs.astype(np.int64), stages),
        n_gains=to_the_end((unit_means > 0).astype(np.int64), stages),
        mean_of_others=np.divide(
            to_the_end(np.where(loses, 0.0, sums), stages),
            weight_of_others,
            out=np.zeros(n.size),
            where=weight_of_others > 0,
        ),
        is_constant=is_constant,
        is_degenerate=is_degenerate & ~is_constant,
    )
