"""Scores of systems as ratios of sums over segments, so that a bootstrap over segments is one matrix product; and
statistics of agreement on systems.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.data.metric_scores import PairScores
from rankscope.data.preferences import Preferences
from rankscope.data.rankings import Rankings
from rankscope.errors import InputError
from rankscope.kernels.resample import Draws, bootstrap_counts
from rankscope.kernels.rounding_ties import join_ties
from rankscope.stats.correlation_values import ap_above_groups, make_list_pairs, rank_rows
from rankscope.typing import Bools, Floats, Ints

__all__ = [
    "ACCURACY",
    "OUTLIER_CUTOFF",
    "RULES",
    "SOFT",
    "SYSTEM_CORRELATIONS",
    "SYSTEM_STATISTICS",
    "TAU_AP",
    "SystemSums",
    "ap_correlations",
    "best_systems",
    "bootstrap_systems",
    "count_concordant_pairs",
    "fixed_sums",
    "mean_sums",
    "outlying_systems",
    "share_sums",
    "system_statistic",
    "win_sums",
]


#: How rankings become scores of systems.
RULES = ("wins", "expected_wins", "better_or_equal", "bradley_terry")


@dataclass(frozen=True, eq=False)
class SystemSums:
    """The scores of the systems of one language pair: means over columns of ratios of sums over segments.

    Attributes
    ----------
    values
        The scores, (systems).
    segments
        Names of the segments.
    numerators, denominators
        The sums, (segments, systems, columns); None for scores of systems.
    resampled
        Resampled scores, (resamples, systems), if a model draws its own resamples.
    """

    values: Floats
    segments: tuple[str, ...] = ()
    numerators: Floats | None = None
    denominators: Floats | None = None
    resampled: Floats | None = None

    def counted_segments(self) -> int:
        """How many segments say something of a system."""
        return (
            len(self.segments)
            if self.denominators is None
            else int(np.count_nonzero((self.denominators > 0).any(axis=(1, 2))))
        )


def ratios(numerator: Floats, denominator: Floats) -> Floats:
    """(...) the mean over the last axis of numerator / denominator, where the denominator is above 0; else NaN."""
    defined = denominator > 0
    shares = np.divide(
        numerator, denominator, out=np.zeros(np.broadcast_shapes(numerator.shape, denominator.shape)), where=defined
    )
    n_columns = defined.sum(axis=-1)
    return np.asarray(
        np.divide(shares.sum(axis=-1), n_columns, out=np.full(n_columns.shape, np.nan), where=n_columns > 0)
    )


def sums_from_tables(segments: Sequence[str], numerators: Floats, denominators: Floats) -> SystemSums:
    return SystemSums(
        ratios(numerators.sum(axis=0), denominators.sum(axis=0)), tuple(segments), numerators, denominators
    )


def fixed_sums(scores: PairScores, systems: Sequence[str]) -> SystemSums:
    """Given scores of systems, without sums over segments: they cannot be resampled."""
    return SystemSums(rows_of(scores, systems)[:, 0].copy())


def mean_sums(scores: PairScores, systems: Sequence[str], over: str) -> SystemSums:
    """Means over segments, weighted if segments have weights.

    Parameters
    ----------
    scores
        Scores of segments.
    systems
        The systems that are compared.
    over
        "common": the segments in which all systems have a score. "own": those in which the system has one.

    Raises
    ------
    InputError
        No segment is common to all systems.

    Notes
    -----
    With weights of segments, a mean is the sum of weight x score / the sum of weights.

    Examples
    --------
    >>> scores = PairScores.of({"A": [1, 2, None], "B": [0, None, 3]})
    >>> mean_sums(scores, ("A", "B"), "common").values.tolist(), mean_sums(scores, ("A", "B"), "own").values.tolist()
    ([1.0, 0.0], [1.5, 1.5])
    >>> weighted = PairScores(scores.systems, scores.segments, scores.values, np.array([3.0, 1.0, 1.0]))
    >>> mean_sums(weighted, ("A", "B"), "own").values.tolist()  # (3 + 2) / 4, 3 / 4
    [1.25, 0.75]
    """
    values = rows_of(scores, systems)
    present = ~np.isnan(values)
    if over == "common":
        present &= present.all(axis=0)
        if not present.any():
            raise InputError(
                "no segment has scores of all systems; use --over own for means over each system's own segments"
            )
    numerators, denominators = np.where(present, values, 0.0).T, present.T.astype(np.float64)
    if scores.weights is not None:
        weights = scores.weights[:, None]
        numerators, denominators = numerators * weights, denominators * weights
    return sums_from_tables(scores.segments, numerators[:, :, None], denominators[:, :, None])


def share_sums(scores: PairScores, systems: Sequence[str], *, higher: bool = True) -> SystemSums:
    """Share of comparisons in which a system's output is better than, or equal to, another system's for the segment.

    Parameters
    ----------
    scores
        Scores of segments.
    systems
        The systems that are compared.
    higher
        Whether higher scores are better.

    Returns
    -------
    SystemSums
        The shares, in [0, 1]; higher is better. Two systems are compared only on segments in which both have a score.

    Notes
    -----
    With weights of segments, all comparisons of a segment count so many times.

    References
    ----------
    Li, Jiang and Wang (2013), after Callison-Burch et al. (2012).

    Examples
    --------
    >>> share_sums(PairScores.of({"A": [3, 1], "B": [2, 1], "C": [1, None]}), "ABC").values.round(4).tolist()
    [1.0, 0.6667, 0.0]
    """
    values = rows_of(scores, systems).T if higher else -rows_of(scores, systems).T  # (segments, systems)
    present = ~np.isnan(values)
    numerators = np.zeros(values.shape)
    denominators = present * (present.sum(axis=1, keepdims=True) - 1.0)
    for opponent in range(len(systems)):  # one system at a time keeps memory to one table
        compared = present & present[:, [opponent]]
        compared[:, opponent] = False
        numerators += compared & (np.where(compared, values, 0.0) >= np.where(compared, values[:, [opponent]], 0.0))
    denominators = np.maximum(denominators, 0.0)
    if scores.weights is not None:
        weights = scores.weights[:, None]
        numerators, denominators = numerators * weights, denominators * weights
    return sums_from_tables(scores.segments, numerators[:, :, None], denominators[:, :, None])


def rows_of(scores: PairScores, systems: Sequence[str]) -> Floats:
    positions = {name: i for i, name in enumerate(scores.systems)}
    return scores.values[[positions[name] for name in systems]]


def win_sums(
    rankings: Rankings,
    column: str,
    systems: Sequence[str],
    rule: str,
    *,
    prior: float = 0.0,
    n_resamples: int = 0,
    rng: Any = None,
) -> SystemSums:
    """Scores of systems from the rankings of one language pair; higher is better.

    All comparisons of these systems count, including those with other systems.

    Parameters
    ----------
    rankings
        The judgments; items that people did not rank must be NaN.
    column
        The human column.
    systems
        The systems to score.
    rule
        "wins": wins / (wins + losses). "expected_wins": its mean over opponents. "better_or_equal": (wins + ties) /
        all. These are in [0, 1]. "bradley_terry": log-odds with mean 0 over all systems that were compared.
    prior
        For bradley_terry: wins and losses to add for each system, against an imagined opponent.
    n_resamples
        For bradley_terry: number of resamples of the segments, which are drawn at once.
    rng
        Random seed or generator for them.

    Returns
    -------
    SystemSums
        The scores; NaN for a system without a comparison that counts.

    Raises
    ------
    InputError
        There are no comparisons; or wins do not connect all systems and there is no prior.

    Notes
    -----
    With weights of judgments, all comparisons of a judgment count so many times.

    References
    ----------
    Callison-Burch et al. (2012) for the shares; Koehn (2012) for expected wins; Bradley and Terry (1952).

    Examples
    --------
    >>> judged = Rankings.of([{"A": 1, "B": 2}, {"A": 1, "B": 1}, {"A": 2, "B": 1}, {"A": 1, "B": 3}])
    >>> for rule in RULES:
    ...     print(rule, win_sums(judged, "rank", ("A", "B"), rule).values.round(4).tolist())
    wins [0.6667, 0.3333]
    expected_wins [0.6667, 0.3333]
    better_or_equal [0.75, 0.5]
    bradley_terry [0.2554, -0.2554]
    """
    preferences = Preferences.from_rankings(rankings, column)
    positions = {name: i for i, name in enumerate(preferences.systems)}
    indices = np.array([positions.get(name, -1) for name in systems], np.int64)
    if rule == "bradley_terry":
        return strengths(preferences, systems, prior, n_resamples, rng)
    names, segment = segments_of(preferences)
    left, right = preferences.left, preferences.right
    won, tied = preferences.outcome == 1, preferences.outcome == 0
    winner, loser = np.where(won, left, right), np.where(won, right, left)
    n_systems, decided = len(preferences.systems), ~tied

    def table(mask: Any, system: Any, opponent: Any | None = None) -> Floats:
        """The weights of the comparisons in the mask, (segments, systems, opponents or 1)."""
        width = 1 if opponent is None else n_systems
        cell = (segment[mask] * n_systems + system[mask]) * width + (0 if opponent is None else opponent[mask])
        counts = np.bincount(cell, preferences.weight[mask], len(names) * n_systems * width)
        return np.asarray(counts.reshape(len(names), n_systems, width)[:, indices], np.float64)

    if rule == "expected_wins":
        wins = table(decided, winner, loser)
        return sums_from_tables(names, wins, wins + table(decided, loser, winner))
    wins = table(decided, winner)
    games = wins + table(decided, loser)
    if rule == "better_or_equal":
        ties = table(tied, left) + table(tied, right)
        wins, games = wins + ties, games + ties
    return sums_from_tables(names, wins, games)


def segments_of(preferences: Preferences) -> tuple[tuple[str, ...], Any]:
    """The names of the segments, and (comparisons) the code of the segment of each."""
    if preferences.unit is None:  # not from rankings: each comparison is a segment
        return tuple(map(str, range(len(preferences)))), np.arange(len(preferences))
    present_codes, codes = np.unique(preferences.unit.codes, return_inverse=True)
    return tuple(preferences.unit.names[code] for code in present_codes.tolist()), codes


def strengths(preferences: Preferences, systems: Sequence[str], prior: float, n_resamples: int, rng: Any) -> SystemSums:
    """Scores of Bradley and Terry's model, and (resamples, systems) those on segments drawn with replacement."""
    from rankscope.consensus.models import fit_preferences

    fitted = fit_preferences(preferences, prior=prior, n_resamples=n_resamples, rng=rng)
    positions = {name: i for i, name in enumerate(fitted.systems)}
    ratings = fitted.ratings[:, [positions[name] for name in systems]]
    resampled = np.full((n_resamples, len(systems)), np.nan)
    resampled[: len(ratings) - 1] = ratings[1:]
    return SystemSums(ratings[0], segments_of(preferences)[0], resampled=resampled)


def bootstrap_systems(sums: Sequence[SystemSums], draws: Draws) -> list[Floats]:
    """(resamples, systems) the scores of each on segments drawn with replacement, the same segments for all of them.

    Segments of one name are one. Scores that were given stay as they are.
    """
    positions = {
        segment: i
        for i, segment in enumerate(dict.fromkeys(segment for system_sums in sums for segment in system_sums.segments))
    }
    segment_indices = [
        np.array([positions[segment] for segment in system_sums.segments], np.int64) for system_sums in sums
    ]
    scores = [
        system_sums.resampled
        if system_sums.resampled is not None
        else np.tile(system_sums.values, (draws.n_resamples, 1))
        for system_sums in sums
    ]
    resampled = [i for i, system_sums in enumerate(sums) if system_sums.numerators is not None]
    width = max(
        (
            system_sums.values.size * system_sums.numerators.shape[2]
            for system_sums in sums
            if system_sums.numerators is not None
        ),
        default=0,
    )
    start = 0
    for counts in bootstrap_counts(draws, len(positions), width) if resampled else ():
        for i in resampled:
            numerators, denominators = sums[i].numerators, sums[i].denominators
            if numerators is None or denominators is None:
                continue
            segment_counts = counts[:, segment_indices[i]]
            resampled_sums = [
                (segment_counts @ table.reshape(len(table), -1)).reshape(len(segment_counts), *table.shape[1:])
                for table in (numerators, denominators)
            ]
            scores[i][start : start + len(segment_counts)] = ratios(*resampled_sums)
        start += len(counts)
    return scores


#: The statistics with an interval of Fisher's z.
SYSTEM_CORRELATIONS = ("pearson", "spearman", "kendall_b")
TAU_AP, ACCURACY, SOFT = "tau_ap", "pairwise_accuracy", "soft_pairwise_accuracy"
SYSTEM_STATISTICS = (*SYSTEM_CORRELATIONS, TAU_AP, ACCURACY, SOFT)
#: Deviations from the median beyond this are outliers. Their unit is NORMAL x the median absolute deviation: of a
#: normal distribution, its standard deviation.
OUTLIER_CUTOFF, NORMAL = 2.5, 1.483
#: With fewer systems, none is an outlier.
MIN_SYSTEMS = 5


def system_statistic(people: Floats, metric: Floats, statistic: str) -> Floats:
    """How well two lists of scores of systems agree, (lists); higher is better.

    Parameters
    ----------
    people, metric
        Scores, (lists, systems).
    statistic
        A correlation or "tau_ap", in [-1, 1], or "pairwise_accuracy", in [0, 1].

    Returns
    -------
    array
        (lists) NaN if a score is missing, or if all values of a list are equal and the statistic is a correlation.
    """
    values = np.full(len(people), np.nan)
    complete = ~(np.isnan(people) | np.isnan(metric)).any(axis=1)
    if not complete.any() or people.shape[1] < 2:
        return values
    # Means that differ by rounding only are tied.
    x, y = join_ties(people[complete]), join_ties(metric[complete])
    if statistic == ACCURACY:
        n = x.shape[1]
        values[complete] = count_concordant_pairs(x, y) / (n * (n - 1) / 2)
    elif statistic == TAU_AP:
        values[complete] = ap_correlations(x, y)
    else:
        values[complete] = make_list_pairs(x, y, statistic).value
    return values


def count_concordant_pairs(people: Floats, metric: Floats) -> Floats:
    """The number of pairs of systems that both order alike, (lists); a tie is right only if both tie.

    Parameters
    ----------
    people, metric
        Scores, (lists, systems).

    References
    ----------
    Kocmi et al. (2021): accuracy is the share of pairs of systems for which both differences have the same sign.

    Examples
    --------
    >>> count_concordant_pairs(np.array([[3.0, 2.0, 1.0]]), np.array([[3.0, 1.0, 2.0]])).tolist()
    [2.0]
    """
    n = people.shape[1]
    first, second = np.triu_indices(n, 1)
    n_concordant = np.empty(len(people))
    chunk_size = max(1, (1 << 21) // max(first.size, 1))
    for start in range(0, len(people), chunk_size):  # in chunks, to keep memory small
        x, y = people[start : start + chunk_size], metric[start : start + chunk_size]
        concordant = np.sign(x[:, first] - x[:, second]) == np.sign(y[:, first] - y[:, second])
        n_concordant[start : start + chunk_size] = concordant.sum(axis=1)
    return n_concordant


def ap_correlations(people: Floats, metric: Floats) -> Floats:
    """The AP correlation of two lists of scores of systems, (lists), in [-1, 1]: mistakes among the best weigh more.

    Parameters
    ----------
    people
        The truth, (lists, systems).
    metric
        The estimate, in the same shape.

    Returns
    -------
    array
        (lists) 2 / (n - 1) sum over ranks i = 2, ..., n of C_i / (i - 1), less 1, where C_i counts the systems above
        rank i by the metric that people, too, have above the system there. A pair that people tie counts half, and
        fully if the metric ties it, too. If the metric has ties, the value is the mean over the orders of the tied
        systems. NaN if all scores of a list are equal.

    References
    ----------
    Yilmaz, Aslam and Robertson (2008).

    Examples
    --------
    >>> ap_correlations(np.array([[4.0, 3.0, 2.0, 1.0]]), np.array([[9.0, 7.0, 8.0, 1.0]])).round(4).tolist()
    [0.6667]
    >>> # a tie of the metric: half of 1, and half of the value above
    >>> ap_correlations(np.array([[4.0, 3.0, 2.0, 1.0]]), np.array([[9.0, 7.0, 7.0, 1.0]])).round(4).tolist()
    [0.8333]
    """
    n_lists, n = metric.shape
    truth, estimate = rank_rows(people), rank_rows(metric)
    if (truth.n_distinct == n).all() and (estimate.n_distinct == n).all():
        return ap_above_groups(truth, estimate)
    values = np.empty(n_lists)
    chunk_size = max(1, (1 << 20) // (n * n))
    for start in range(0, n_lists, chunk_size):  # in chunks, to keep memory small
        rows = slice(start, start + chunk_size)
        values[rows] = ap_with_ties(truth.codes[rows], estimate.codes[rows])
    return np.where((truth.n_distinct == 1) | (estimate.n_distinct == 1), np.nan, values)


def ap_with_ties(truth: Ints, estimate: Ints) -> Floats:
    """(lists) the mean of the AP correlation over the orders of ties in the estimate; both arrays: (lists, systems).

    A system of a group of m, with s systems above the group, stands at each of the group's ranks equally often. With k
    of its group above it, a system above the group counts 1 / (s + k), and one of its group that with probability
    k / (m - 1).
    """
    n = truth.shape[1]
    gaps = estimate[:, :, None] - estimate[:, None, :]  # first system less second
    n_above, n_equal = (gaps > 0).sum(axis=1), (gaps == 0).sum(axis=1)
    right = (1 + np.sign(truth[:, :, None] - truth[:, None, :])) / 2
    above = np.where(gaps > 0, right, 0.0).sum(axis=1)
    # A pair tied in the estimate is right in half of its orders; the system itself is no pair.
    within = np.where((gaps == 0) & (right == 0.5), 1.0, np.where(gaps == 0, 0.5, 0.0)).sum(axis=1) - 1
    harmonic = np.concatenate(([0.0], np.cumsum(1 / np.arange(1, n + 1))))
    reciprocals = harmonic[n_above + n_equal - 1] - harmonic[np.maximum(n_above - 1, 0)]  # sum over k of 1 / (s + k)
    shares_within = np.where(n_above > 0, n_equal - n_above * reciprocals, n_equal - 1.0)
    shares = above * np.where(n_above > 0, reciprocals, 0.0) + within * shares_within / np.maximum(n_equal - 1, 1)
    return np.asarray(2 / (n - 1) * (shares / n_equal).sum(axis=1) - 1)


def best_systems(values: Floats, n_best: int) -> Bools:
    """The best systems by these scores, of which higher is better.

    Parameters
    ----------
    values
        Scores of systems, (systems).
    n_best
        How many.

    Returns
    -------
    array
        (systems) True for the best; all systems that are tied with the last of them are among them.

    Examples
    --------
    >>> best_systems(np.array([1.0, 3.0, 2.0, 2.0]), 2).tolist()
    [False, True, True, True]
    """
    joined = join_ties(values)
    return np.asarray(joined >= np.sort(joined)[::-1][min(n_best, joined.size) - 1])


def outlying_systems(values: Floats, cutoff: float = OUTLIER_CUTOFF) -> Bools:
    """The systems whose score is more than the cutoff from the median, in units of 1.483 median absolute deviations.

    Parameters
    ----------
    values
        Scores of systems.
    cutoff
        Largest distance from the median that is not an outlier.

    Returns
    -------
    array
        (systems) True for outliers. There are none if at least half of the scores are equal, nor among fewer than five
        systems, whose median says little.

    References
    ----------
    Mathur, Baldwin and Cohn (2020), with their cutoff of 2.5.

    Examples
    --------
    >>> outlying_systems(np.array([1.0, 2.0, 3.0, 4.0, 30.0])).tolist()  # |30 - 3| / (1.483 * 1) = 18.2
    [False, False, False, False, True]
    """
    deviations = np.abs(values - np.median(values))
    spread = NORMAL * float(np.median(deviations))
    if values.size < MIN_SYSTEMS or not spread > 0:
        return np.zeros(values.shape, np.bool_)
    outlying: npt.NDArray[np.bool_] = deviations / spread > cutoff
    return outlying
