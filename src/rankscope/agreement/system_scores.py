"""Scores of systems for people and metrics: means over segments, shares of comparisons, wins, given scores.

They are ratios of sums over segments, so that a bootstrap over segments is one matrix product.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rankscope.agreement.match import MatchedScores, has_segments, refuse_constant, score_table, weights_of_segments
from rankscope.agreement.settings import SystemSettings
from rankscope.agreement.statistics import AlignedScores, divide_or_nan, from_matrices
from rankscope.data.metric_scores import PairScores
from rankscope.data.preferences import Preferences
from rankscope.data.rankings import Rankings
from rankscope.data.text import join_names, pluralise
from rankscope.errors import InputError
from rankscope.kernels.resample import Draws, bootstrap_counts
from rankscope.typing import Bools, Floats

__all__ = [
    "SystemScores",
    "SystemSums",
    "bootstrap_systems",
    "fixed_sums",
    "mean_sums",
    "on_common_segments",
    "score_systems",
    "scored_by_all",
    "segments_of_systems",
    "share_sums",
    "win_sums",
]


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
    return divide_or_nan(shares.sum(axis=-1), n_columns)


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
    >>> for rule in ("wins", "expected_wins", "better_or_equal", "bradley_terry"):
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
    if preferences.cluster is None:  # not from rankings: each comparison is a segment
        return tuple(map(str, range(len(preferences)))), np.arange(len(preferences))
    present_codes, codes = np.unique(preferences.cluster.codes, return_inverse=True)
    return tuple(preferences.cluster.names[code] for code in present_codes.tolist()), codes


def strengths(preferences: Preferences, systems: Sequence[str], prior: float, n_resamples: int, rng: Any) -> SystemSums:
    """Scores of Bradley and Terry's model, and (resamples, systems) those on segments drawn with replacement."""
    from rankscope.consensus.models import fit_preferences

    fitted = fit_preferences(preferences, prior=prior, n_resamples=n_resamples, rng=rng)
    positions = {name: i for i, name in enumerate(fitted.systems)}
    ratings = fitted.ratings[:, [positions[name] for name in systems]]
    resampled = np.full((n_resamples, len(systems)), np.nan)
    resampled[: len(ratings) - 1] = ratings[1:]
    return SystemSums(ratings[0], segments_of(preferences)[0], resampled=resampled)


def segments_of_systems(sums: Sequence[SystemSums]) -> tuple[str, ...]:
    """The names of the segments of all of them, in the order in which `bootstrap_systems` draws them."""
    return tuple(dict.fromkeys(segment for system_sums in sums for segment in system_sums.segments))


def bootstrap_systems(sums: Sequence[SystemSums], draws: Draws) -> list[Floats]:
    """(resamples, systems) the scores of each on segments drawn with replacement, the same segments for all of them.

    Segments of one name are one. Scores that were given stay as they are.
    """
    positions = {segment: i for i, segment in enumerate(segments_of_systems(sums))}
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


class SystemScores(NamedTuple):
    """The scores of the same systems, from people and from each metric, for one language pair.

    Attributes
    ----------
    pair
        The language pair.
    systems
        The systems, in the order of all scores.
    people
        The human scores.
    metrics
        The scores of each metric.
    higher
        For people and each metric, whether higher is better.
    """

    pair: str
    systems: tuple[str, ...]
    people: SystemSums
    metrics: list[SystemSums]
    higher: tuple[bool, ...]

    @property
    def sums(self) -> tuple[SystemSums, ...]:
        """Those of people, then of each metric."""
        return (self.people, *self.metrics)

    @property
    def signs(self) -> Floats:
        """(1 + metrics) 1 where higher is better, else -1."""
        return np.where(self.higher, 1.0, -1.0)

    def oriented(self) -> Floats:
        """(1 + metrics, systems) the scores, higher is better in all; people's first."""
        scores: Floats = np.array([sums.values for sums in self.sums]) * self.signs[:, None]
        return scores

    def aligned(self) -> AlignedScores:
        """The scores as a grid with one segment, higher is better."""
        scores = self.oriented()[:, :, None]
        return from_matrices(scores[0], scores[1:], systems=self.systems)

    def tables(self, m: int) -> tuple[Floats, Floats]:
        """(systems, segments) the scores of people and of metric `m`, higher is better, NaN where either is missing.

        Both must be means over segments.
        """
        metric_segments = set(self.metrics[m].segments)
        segments = [name for name in self.people.segments if name in metric_segments]
        matrices = []
        for sums, higher in ((self.people, self.higher[0]), (self.metrics[m], self.higher[1 + m])):
            assert sums.numerators is not None
            assert sums.denominators is not None
            positions = {name: i for i, name in enumerate(sums.segments)}
            rows = [positions[name] for name in segments]
            numerators, denominators = sums.numerators[rows, :, 0].T, sums.denominators[rows, :, 0].T
            matrices.append(np.where(denominators > 0, numerators if higher else -numerators, np.nan))
        present = ~(np.isnan(matrices[0]) | np.isnan(matrices[1]))
        return np.where(present, matrices[0], np.nan), np.where(present, matrices[1], np.nan)


def score_systems(
    matched_scores: MatchedScores, rule: str, settings: SystemSettings, n_resamples: int = 0
) -> tuple[SystemScores, list[str]]:
    """The scores of the systems of one language pair, and notes on translations that means skip.

    Parameters
    ----------
    matched_scores
        The scores at level "system".
    rule
        How people's judgments become scores of systems, as in `PeopleAndMetrics`.
    settings
        How agreement on systems is computed.
    n_resamples
        Number of resamples for a model that draws its own.

    Raises
    ------
    InputError
        No segment has scores of all, a system has no score, or all scores are equal.
    """
    matched_scores, notes = on_common_segments(matched_scores, settings)
    metrics = matched_scores.metrics
    shares = [settings.from_segments == "share" and has_segments(scores) for scores in metrics]
    try:
        people_sums = sums_of_people(matched_scores, rule, settings, n_resamples)
        metric_sums = [
            share_sums(scores, matched_scores.systems, higher=higher)
            if is_share
            else table_sums(name, scores, settings)
            for name, scores, higher, is_share in zip(
                matched_scores.names[1:], metrics, matched_scores.higher[1:], shares, strict=True
            )
        ]
    except InputError as error:
        raise InputError(f"{matched_scores.prefix}{error}") from None
    # A share of comparisons that a system wins is higher for a better one, whatever the metric's direction is.
    higher = (matched_scores.higher[0], *(a or b for a, b in zip(matched_scores.higher[1:], shares, strict=True)))
    scores = SystemScores(matched_scores.pair, matched_scores.systems, people_sums, metric_sums, higher)
    check_scores(scores, matched_scores)
    return scores, notes


def sums_of_people(matched_scores: MatchedScores, rule: str, settings: SystemSettings, n_resamples: int) -> SystemSums:
    people, gold = matched_scores.people, matched_scores.names[0]
    if isinstance(people, PairScores):
        return table_sums("", people, settings)
    return win_sums(
        people, gold, matched_scores.systems, rule, prior=settings.prior, n_resamples=n_resamples, rng=settings.seed
    )


def table_sums(metric: str, scores: PairScores, settings: SystemSettings) -> SystemSums:
    """Means over segments, or given scores of whole systems."""
    if scores.of_systems:
        return fixed_sums(scores, scores.systems)
    try:
        return mean_sums(scores, scores.systems, settings.over)
    except InputError as error:
        raise InputError(f"{metric}: {error}" if metric else str(error)) from None


def check_scores(scores: SystemScores, matched_scores: MatchedScores) -> None:
    """Raise InputError for a system without a score, and for scores that are all one."""
    for i, (name, sums) in enumerate(zip(matched_scores.names, scores.sums, strict=True)):
        unscored = [scores.systems[system] for system in np.flatnonzero(np.isnan(sums.values)).tolist()]
        if unscored:
            raise InputError(
                f"{matched_scores.prefix}{name} has no comparison of {join_names(unscored)} that counts (only ties, or "
                "no segment with another system); remove it from the scores and use --common"
            )
        refuse_constant(matched_scores.prefix, name, sums.values, "systems", of_people=i == 0)


def on_common_segments(matched_scores: MatchedScores, settings: SystemSettings) -> tuple[MatchedScores, list[str]]:
    """The scores of all sides on the translations that means are over, NaN elsewhere; and notes.

    If people scored segments, every mean is over the same segments: with "common" those in which all sides have a score
    for all systems, with "own", for each system, those in which all sides have one. Lists change nothing. Shares of
    comparisons are computed within each segment, and need no common ones.
    """
    people = matched_scores.people
    if not has_segments(people):
        return matched_scores, []
    sides = [people, *matched_scores.metrics]
    counted = (
        [0] if settings.from_segments == "share" else [i for i, scores in enumerate(sides) if has_segments(scores)]
    )
    judged = np.flatnonzero((~np.isnan(people.values)).any(axis=0)).tolist()
    segments = matched_scores.segments if len(counted) > 1 else tuple(people.segments[i] for i in judged)
    stack = np.array([score_table(sides[i], segments) for i in counted])
    present, notes = scored_by_all(stack, settings.over, matched_scores.prefix, len(judged))
    used = np.flatnonzero(present.any(axis=0))
    names = tuple(segments[i] for i in used.tolist())
    weights = weights_of_segments(people, names)
    for i, table in zip(counted, stack, strict=True):
        sides[i] = PairScores(matched_scores.systems, names, np.where(present, table, np.nan)[:, used], weights)
    return matched_scores._replace(people=sides[0], metrics=tuple(sides[1:]), segments=names), notes


def scored_by_all(stack: Floats, over: str, prefix: str, n_judged: int) -> tuple[Bools, list[str]]:
    """The mask of the translations that means include, (systems, segments), and a note if some are missing.

    Parameters
    ----------
    stack
        Scores of all sides, (sides, systems, segments), human scores first.
    over
        "common": the segments in which all sides have a score for all systems. "own": the translations for which all
        sides have a score.
    prefix
        Start of the messages.
    n_judged
        How many segments people judged.

    Examples
    --------
    >>> there, notes = scored_by_all(np.array([[[1, 2, np.nan], [3, 4, 5]], [[1, 2, 3], [4, 5, 6]]]), "common", "", 3)
    >>> there.tolist(), notes[0][:33]
    ([[True, True, False], [True, True, False]], 'means are over 2 of the 3 segment')
    """
    present: Bools = np.asarray(~np.isnan(stack).any(axis=0), np.bool_)
    if over == "common":
        present = np.asarray(present & present.all(axis=0), np.bool_)
        if not present.any():
            raise InputError(
                f"{prefix}no segment has scores of all systems from people and all metrics; use --over own for means "
                "over each system's own segments"
            )
        n_common = int(present.any(axis=0).sum())
        if n_common == n_judged:
            return present, []
        return present, [
            f"{prefix}means are over {n_common:,} of the {n_judged:,} segments that people judged: those with "
            "scores of all systems from people and all metrics (--over own takes each system's own segments)"
        ]
    n_unscored = int(np.count_nonzero(~np.isnan(stack[0]) & ~present))
    if not n_unscored:
        return present, []
    return present, [
        f"{prefix}{pluralise(n_unscored, 'judged translation is', 'judged translations are')} skipped in means because "
        "a metric has no score there"
    ]
