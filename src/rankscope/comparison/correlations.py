"""agree_measures: how alike measures order systems, or find queries easy and hard."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.comparison.matched import check_systems
from rankscope.comparison.measure_agreement import MeasureAgreement
from rankscope.comparison.methods import seed_of
from rankscope.data.scores import Scores
from rankscope.data.wording import pluralise as so_many
from rankscope.data.wording import pluralise_queries
from rankscope.errors import ParameterError
from rankscope.kernels.means import mean_of
from rankscope.kernels.resample import draw
from rankscope.kernels.ties import join_ties
from rankscope.stats.correlation import INTERVALS, correlation_test
from rankscope.stats.correlation_intervals import bca_ends
from rankscope.stats.correlation_resamples import bootstrap_values, leave_one_out, weighted_correlation
from rankscope.stats.correlation_values import STATISTICS
from rankscope.stats.inputs import as_generator, check_choice, check_count, check_share
from rankscope.typing import Floats

__all__ = ["BY", "N_RESAMPLES", "agree_measures", "check_agreement"]

BY = ("systems", "queries")
#: Of the bootstrap. Over many queries each costs as much as all pairs of queries, for each system and pair of measures.
N_RESAMPLES = 1_000


def agree_measures(
    scores: Scores,
    *,
    statistic: str = "kendall_b",
    by: str = "systems",
    confidence_level: float = 0.95,
    interval: str | None = None,
    n_resamples: int = N_RESAMPLES,
    rng: Any = None,
    progress: Callable[[int], Any] | None = None,
) -> MeasureAgreement:
    """The correlation of every two measures of these scores; in [-1, 1], higher is more alike.

    by: "systems", of their values over all queries, one a system: do they order the systems alike? "queries", of their
    values on the queries, one correlation a system, and the mean of these over systems: do they find the same queries
    hard? statistic: "kendall_b" (default), "kendall_a", "kendall_c", "spearman", "pearson". Values of a measure where
    lower is better are turned round, so that above 0 is always agreement; a note says which.

    interval: "fisher" or "bootstrap" (BCa over systems, or over queries with all systems' values); by default Fisher's
    over systems, and the bootstrap over queries, since a mean over systems has no other; it has no p-value either.
    n_resamples, rng: of the bootstrap, the same samples for all pairs. progress: called with the number of pairs just
    done, by queries.

    A system, or a query, is left out of a pair where one of the two measures has no value for it (of queries: for any
    system). Values that agree to twelve digits are tied. A measure of one value has no correlation: NaN, and a note.
    Raises ParameterError for arguments out of range, fewer than two measures, systems (or queries), and for Fisher's
    interval of a mean over systems.

    Source: Kendall (1945), Bonett and Wright (2000), Efron (1987); each correlation agrees with scipy.stats.

    >>> import rankscope as rs
    >>> qrels = {"q": {"1": 2, "2": 1}}
    >>> runs = [rs.Run({"q": {d: -i for i, d in enumerate(run)}}, name=run) for run in ("12", "21", "x1")]
    >>> found = agree_measures(rs.evaluate(qrels, runs, ["nDCG@2", "RR"]))
    >>> found.value.round(4).tolist(), found.n.tolist()  # RR ties two of three systems: 2 / sqrt(3 2)
    ([0.8165], [3])
    """
    check_agreement(statistic, by, confidence_level, interval, n_resamples)
    check_systems(scores, None, least=1)
    values = oriented(scores)
    if len(values) < 2:
        raise ParameterError(f"1 measure ({scores.measure_names[0]}), expected at least 2 to correlate; add another")
    data = np.array([scores.summary(name) for name in scores.measure_names])[:, None] * signs_of(scores)
    data = data if by == "systems" else values
    items = data.shape[2]
    if items < 2:
        found, other = pluralise_queries(items), "correlate by systems (--by systems, by='systems')"
        if by == "systems":
            found, other = so_many(items, "system"), "add runs, or correlate by queries (--by queries, by='queries')"
        raise ParameterError(f"{found}, expected at least 2 for a correlation by {by}; {other}")
    if data.shape[1] > 1 and interval == "fisher":
        raise ParameterError(
            "interval 'fisher' by queries: a mean over systems has none; choose --interval bootstrap "
            "(interval='bootstrap')"
        )
    interval = interval or ("bootstrap" if by == "queries" else "fisher")
    seed = seed_of(rng)
    options: dict[str, Any] = {
        "statistic": statistic,
        "confidence_level": confidence_level,
        "interval": interval,
        "n_resamples": n_resamples,
        "rng": seed,
    }
    first, second = np.triu_indices(len(data), 1)
    value, low, high, pvalue, n, counted = correlate(data, first, second, options, progress)
    return MeasureAgreement(
        scores=scores,
        statistic=statistic,
        by=by,
        first=first,
        second=second,
        value=value,
        low=low,
        high=high,
        pvalue=pvalue,
        n=n.astype(np.int64),
        counted=counted.astype(np.int64),
        confidence_level=confidence_level,
        interval=interval,
        n_resamples=n_resamples if interval == "bootstrap" else 0,
        seed=None if rng is None else seed,
    )


def check_agreement(statistic: str, by: str, confidence_level: float, interval: str | None, n_resamples: int) -> None:
    """Raise for what cannot be asked for, before anything is computed."""
    check_choice("statistic", statistic, STATISTICS)
    check_choice("by", by, BY)
    check_share("confidence_level", confidence_level)
    if interval is not None:
        check_choice("interval", interval, INTERVALS)
    check_count("n_resamples", n_resamples)


def signs_of(scores: Scores) -> Floats:
    """(measures, 1, 1) -1 where lower is better."""
    return np.array([float(scores.sign(measure) or 1) for measure in scores.measures])[:, None, None]


def oriented(scores: Scores) -> Floats:
    """(measures, systems, queries) of which higher is better."""
    return np.asarray(scores.values.swapaxes(0, 1) * signs_of(scores))


def correlate(
    data: Floats,
    first: npt.NDArray[np.intp],
    second: npt.NDArray[np.intp],
    options: dict[str, Any],
    progress: Callable[[int], Any] | None,
) -> Floats:
    """(6, pairs) value, low, high, p-value, items, and how many groups have a value.

    data: (measures, groups, items): values are means over the groups. Pairs that lack the same items are done at once.
    """
    there = np.asarray(~np.isnan(data).any(axis=1), np.bool_)
    masks, of_pair = np.unique(there[first] & there[second], axis=0, return_inverse=True)
    found = np.full((6, first.size), np.nan)
    found[5] = 0
    for m, mask in enumerate(masks):
        which = np.flatnonzero(of_pair.reshape(-1) == m)
        found[4, which] = mask.sum()
        if mask.sum() < 2:
            continue
        if data.shape[1] == 1:
            x, y = (snap_ties(data[side[which], 0][:, mask]) for side in (first, second))
            found[[0, 1, 2, 3, 5], which[:, None]] = correlate_group(x, y, options).T
            continue
        for pair in which:  # each with all systems and resamples: the work is in there
            x, y = (snap_ties(data[side[pair]][:, mask]) for side in (first, second))
            found[[0, 1, 2, 5], pair] = mean_correlation(x, y, options)
            if progress is not None:
                progress(1)
    return found


def snap_ties(rows: Floats) -> Floats:
    """Values that agree to twelve digits made equal: the order in which a mean was summed up makes no better system."""
    return join_ties(np.ascontiguousarray(rows))


def correlate_group(x: Floats, y: Floats, options: dict[str, Any]) -> Floats:
    """(5, pairs) of one group; x, y: (pairs, items)."""
    one = correlation_test(x, y, **options)
    return np.array([one.value, one.low, one.high, one.pvalue, ~np.isnan(one.value)])


def mean_correlation(x: Floats, y: Floats, options: dict[str, Any]) -> tuple[float, float, float, int]:
    """Value, low, high of one pair, and how many groups have a correlation: the mean is theirs. x, y: (groups, n)."""
    statistic, n = options["statistic"], x.shape[1]
    values = correlation_test(x, y, statistic=statistic).value
    there = np.flatnonzero(~np.isnan(values))
    value, low, high = float(mean_of(values)), np.nan, np.nan
    if n > 2 and there.size:
        draws = draw(as_generator(options["rng"]), options["n_resamples"])  # the same for every pair
        ways = [weighted_correlation(statistic, x[g], y[g]) for g in there]
        samples, jackknife = mean_of(bootstrap_values(ways, n, draws)), mean_of(leave_one_out(ways, n))
        low, high = bca_ends(value, samples, jackknife, options["confidence_level"])
    return value, low, high, there.size
