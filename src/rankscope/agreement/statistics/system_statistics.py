"""Scores of systems as ratios of sums over segments, so that a bootstrap over segments is one matrix product, and the
statistics on systems.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.data.preferences import Preferences
from rankscope.data.rankings import Rankings
from rankscope.data.segment_scores import PairScores
from rankscope.errors import InputError
from rankscope.kernels.resample import Draws, bootstrap_counts
from rankscope.kernels.ties import join_ties
from rankscope.stats.correlation_values import pairs_of
from rankscope.typing import Bools, Floats

__all__ = [
    "ACCURACY",
    "OUTLIER_CUTOFF",
    "RULES",
    "SOFT",
    "SYSTEM_CORRELATIONS",
    "SYSTEM_STATISTICS",
    "SystemSums",
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

    values: (systems). segments: names. above, below: (segments, systems, columns), no columns where the scores were
    given. drawn: (resamples, systems) where another model drew them.
    """

    values: Floats
    segments: tuple[str, ...] = ()
    above: Floats | None = None
    below: Floats | None = None
    drawn: Floats | None = None

    def counted_segments(self) -> int:
        """How many segments say something of a system."""
        return len(self.segments) if self.below is None else int(np.count_nonzero((self.below > 0).any(axis=(1, 2))))


def ratios(above: Floats, below: Floats) -> Floats:
    """(...) the mean over the last axis of above / below, over columns where there is something below; else NaN."""
    there = below > 0
    shares = np.divide(above, below, out=np.zeros(np.broadcast_shapes(above.shape, below.shape)), where=there)
    many = there.sum(axis=-1)
    return np.asarray(np.divide(shares.sum(axis=-1), many, out=np.full(many.shape, np.nan), where=many > 0))


def sums_from_tables(segments: Sequence[str], above: Floats, below: Floats) -> SystemSums:
    return SystemSums(ratios(above.sum(axis=0), below.sum(axis=0)), tuple(segments), above, below)


def fixed_sums(scores: Sequence[float]) -> SystemSums:
    """Scores that were given: nothing can be drawn of them."""
    return SystemSums(np.array(scores, np.float64))


def mean_sums(scores: PairScores, systems: Sequence[str], over: str) -> SystemSums:
    """Means over segments. over: "common", those in which all of the systems have a score, or "own".

    Raises InputError where no segment is common to all.

    >>> scores = PairScores.of({"A": [1, 2, None], "B": [0, None, 3]})
    >>> mean_sums(scores, ("A", "B"), "common").values.tolist(), mean_sums(scores, ("A", "B"), "own").values.tolist()
    ([1.0, 0.0], [1.5, 1.5])
    """
    values = rows_of(scores, systems)
    there = ~np.isnan(values)
    if over == "common":
        there &= there.all(axis=0)
        if not there.any():
            raise InputError(
                "there is no segment of which all systems have a score, so no mean over common segments; take the mean "
                "of each over its own (--over own)"
            )
    return sums_from_tables(
        scores.segments, np.where(there, values, 0.0).T[:, :, None], there.T[:, :, None].astype(np.float64)
    )


def share_sums(scores: PairScores, systems: Sequence[str], *, higher: bool = True) -> SystemSums:
    """In how many of the comparisons with each other system's output of the same segment its own is better or equal.

    In [0, 1], higher is better. higher: whether a higher score is the better one. A segment without a score of one of
    two systems compares nothing of these.

    Source: Li, Jiang and Wang (2013), after Callison-Burch et al. (2012).

    >>> share_sums(PairScores.of({"A": [3, 1], "B": [2, 1], "C": [1, None]}), "ABC").values.round(4).tolist()
    [1.0, 0.6667, 0.0]
    """
    values = rows_of(scores, systems).T if higher else -rows_of(scores, systems).T  # (segments, systems)
    there = ~np.isnan(values)
    above = np.zeros(values.shape)
    below = there * (there.sum(axis=1, keepdims=True) - 1.0)
    for other in range(len(systems)):  # a step a system keeps memory to one table
        both = there & there[:, [other]]
        both[:, other] = False
        above += both & (np.where(both, values, 0.0) >= np.where(both, values[:, [other]], 0.0))
    return sums_from_tables(scores.segments, above[:, :, None], np.maximum(below, 0.0)[:, :, None])


def rows_of(scores: PairScores, systems: Sequence[str]) -> Floats:
    place = {name: i for i, name in enumerate(scores.systems)}
    return scores.values[[place[name] for name in systems]]


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
    """Scores of systems from one language pair's rankings, over all comparisons, of these systems with any.

    rule: "wins", wins / (wins + losses); "expected_wins", the mean over opponents of that; "better_or_equal", (wins +
    ties) / all; all in [0, 1]; "bradley_terry", logarithms of odds, mean 0 over all that were compared; higher is
    better. What people did not rank must be NaN. prior, n_resamples, rng: of Bradley and Terry's model, whose resamples
    are drawn at once, by segments. A system without a comparison that counts has NaN.
    Raises InputError where nothing is compared, and for wins that do not connect all systems, without a prior.

    Source: Callison-Burch et al. (2012) for the shares; Koehn (2012) for expected wins; Bradley and Terry (1952).

    >>> judged = Rankings.of([{"A": 1, "B": 2}, {"A": 1, "B": 1}, {"A": 2, "B": 1}, {"A": 1, "B": 3}])
    >>> for rule in RULES:
    ...     print(rule, win_sums(judged, "rank", ("A", "B"), rule).values.round(4).tolist())
    wins [0.6667, 0.3333]
    expected_wins [0.6667, 0.3333]
    better_or_equal [0.75, 0.5]
    bradley_terry [0.2554, -0.2554]
    """
    compared = Preferences.from_rankings(rankings, column)
    place = {name: i for i, name in enumerate(compared.systems)}
    kept = np.array([place.get(name, -1) for name in systems], np.int64)
    if rule == "bradley_terry":
        return strengths(compared, systems, prior, n_resamples, rng)
    names, segment = segments_of(compared)
    left, right = compared.left, compared.right
    won, tied = compared.outcome == 1, compared.outcome == 0
    winner, loser = np.where(won, left, right), np.where(won, right, left)
    m, decided = len(compared.systems), ~tied

    def table(at: Any, who: Any, against: Any | None = None) -> Floats:
        """How often, (segments, systems, opponents or 1)."""
        width = 1 if against is None else m
        cell = (segment[at] * m + who[at]) * width + (0 if against is None else against[at])
        counts = np.bincount(cell, compared.weight[at], len(names) * m * width)
        return np.asarray(counts.reshape(len(names), m, width)[:, kept], np.float64)

    if rule == "expected_wins":
        above = table(decided, winner, loser)
        return sums_from_tables(names, above, above + table(decided, loser, winner))
    above = table(decided, winner)
    below = above + table(decided, loser)
    if rule == "better_or_equal":
        ties = table(tied, left) + table(tied, right)
        above, below = above + ties, below + ties
    return sums_from_tables(names, above, below)


def segments_of(compared: Preferences) -> tuple[tuple[str, ...], Any]:
    """The names of the segments that comparisons are of, and (comparisons) which."""
    if compared.unit is None:  # from other data than rankings: each stands for itself
        return tuple(map(str, range(len(compared)))), np.arange(len(compared))
    there, codes = np.unique(compared.unit.codes, return_inverse=True)
    return tuple(compared.unit.names[code] for code in there.tolist()), codes


def strengths(compared: Preferences, systems: Sequence[str], prior: float, n_resamples: int, rng: Any) -> SystemSums:
    """Those of Bradley and Terry's model, and (resamples, systems) on segments drawn with replacement."""
    from rankscope.consensus.models import fit_preferences

    fitted = fit_preferences(compared, prior=prior, n_resamples=n_resamples, rng=rng)
    place = {name: i for i, name in enumerate(fitted.systems)}
    kept = fitted.ratings[:, [place[name] for name in systems]]
    drawn = np.full((n_resamples, len(systems)), np.nan)
    drawn[: len(kept) - 1] = kept[1:]
    return SystemSums(kept[0], segments_of(compared)[0], drawn=drawn)


def bootstrap_systems(sums: Sequence[SystemSums], draws: Draws) -> list[Floats]:
    """(resamples, systems) the scores of each on segments drawn with replacement, the same segments for all of them.

    Segments of one name are one. Scores that were given stay as they are.
    """
    names = {name: i for i, name in enumerate(dict.fromkeys(name for one in sums for name in one.segments))}
    places = [np.array([names[name] for name in one.segments], np.int64) for one in sums]
    found = [one.drawn if one.drawn is not None else np.tile(one.values, (draws.n_resamples, 1)) for one in sums]
    moving = [i for i, one in enumerate(sums) if one.above is not None]
    width = max((one.values.size * one.above.shape[2] for one in sums if one.above is not None), default=0)
    done = 0
    for counts in bootstrap_counts(draws, len(names), width) if moving else ():
        for i in moving:
            above, below = sums[i].above, sums[i].below
            if above is None or below is None:
                continue
            own = counts[:, places[i]]
            parts = [(own @ part.reshape(len(part), -1)).reshape(len(own), *part.shape[1:]) for part in (above, below)]
            found[i][done : done + len(own)] = ratios(*parts)
        done += len(counts)
    return found


SYSTEM_CORRELATIONS = ("pearson", "spearman", "kendall_b")
ACCURACY, SOFT = "pairwise_accuracy", "soft_pairwise_accuracy"
SYSTEM_STATISTICS = (*SYSTEM_CORRELATIONS, ACCURACY, SOFT)
#: Deviations from the median, in units of its absolute deviation as a normal standard deviation, that are far.
OUTLIER_CUTOFF, NORMAL = 2.5, 1.483
#: Of fewer systems, none is far from the rest.
LEAST = 5


def system_statistic(people: Floats, metric: Floats, statistic: str) -> Floats:
    """(lists) how far two lists of scores of systems agree; higher is better.

    people, metric: (lists, systems). Correlations in [-1, 1], "pairwise_accuracy" in [0, 1]. NaN where a list holds one
    value only (of a correlation) or a score is missing.
    """
    found = np.full(len(people), np.nan)
    there = ~(np.isnan(people) | np.isnan(metric)).any(axis=1)
    if not there.any() or people.shape[1] < 2:
        return found
    # Means that differ by rounding only are tied.
    x, y = join_ties(people[there]), join_ties(metric[there])
    if statistic == ACCURACY:
        n = x.shape[1]
        found[there] = count_concordant_pairs(x, y) / (n * (n - 1) / 2)
    else:
        found[there] = pairs_of(x, y, statistic).value
    return found


def count_concordant_pairs(people: Floats, metric: Floats) -> Floats:
    """(lists) how many pairs of systems both order alike, ties included: a tie is right only where both tie.

    Source: Kocmi et al. (2021): accuracy is the share of pairs of systems of which both differences have
    the same sign.

    >>> count_concordant_pairs(np.array([[3.0, 2.0, 1.0]]), np.array([[3.0, 1.0, 2.0]])).tolist()
    [2.0]
    """
    n = people.shape[1]
    first, second = np.triu_indices(n, 1)
    found = np.empty(len(people))
    at_once = max(1, (1 << 21) // max(first.size, 1))
    for start in range(0, len(people), at_once):  # so many lists that memory stays small
        x, y = people[start : start + at_once], metric[start : start + at_once]
        alike = np.sign(x[:, first] - x[:, second]) == np.sign(y[:, first] - y[:, second])
        found[start : start + at_once] = alike.sum(axis=1)
    return found


def outlying_systems(values: Floats, cutoff: float = OUTLIER_CUTOFF) -> Bools:
    """(systems) whose score is more than the cutoff from the median, in units of 1.483 median absolute deviations.

    None is where half of the scores or more are one, nor among fewer than five systems, whose median says little.

    Source: Mathur, Baldwin and Cohn (2020), with their cutoff of 2.5.

    >>> outlying_systems(np.array([1.0, 2.0, 3.0, 4.0, 30.0])).tolist()  # |30 - 3| / (1.483 * 1) = 18.2
    [False, False, False, False, True]
    """
    off = np.abs(values - np.median(values))
    spread = NORMAL * float(np.median(off))
    if values.size < LEAST or not spread > 0:
        return np.zeros(values.shape, np.bool_)
    found: npt.NDArray[np.bool_] = off / spread > cutoff
    return found
