"""Scores of systems for people and each metric of one language pair: means over common segments, wins, given scores."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankscope.agreement.match import Matched, has_segments, refuse_constant, score_table, weights_of_segments
from rankscope.agreement.settings import SystemSettings
from rankscope.agreement.statistics import (
    AlignedScores,
    SystemSums,
    fixed_sums,
    from_matrices,
    mean_sums,
    share_sums,
    win_sums,
)
from rankscope.data.metric_scores import PairScores
from rankscope.data.text import join_names, pluralise
from rankscope.errors import InputError
from rankscope.typing import Bools, Floats

__all__ = [
    "SystemScores",
    "on_common_segments",
    "score_systems",
    "scored_by_all",
]


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
    def signs(self) -> Floats:
        """(1 + metrics) 1 where higher is better, else -1."""
        return np.where(self.higher, 1.0, -1.0)

    def oriented(self) -> Floats:
        """(1 + metrics, systems) the scores, higher is better in all; people's first."""
        scores: Floats = np.array([sums.values for sums in (self.people, *self.metrics)]) * self.signs[:, None]
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
    matched: Matched, rule: str, settings: SystemSettings, n_resamples: int = 0
) -> tuple[SystemScores, list[str]]:
    """The scores of the systems of one language pair, and notes on translations that means skip.

    Parameters
    ----------
    matched
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
    matched, notes = on_common_segments(matched, settings)
    metrics = matched.metrics
    shares = [settings.from_segments == "share" and has_segments(scores) for scores in metrics]
    try:
        people_sums = sums_of_people(matched, rule, settings, n_resamples)
        metric_sums = [
            share_sums(scores, matched.systems, higher=higher) if is_share else table_sums(name, scores, settings)
            for name, scores, higher, is_share in zip(
                matched.names[1:], metrics, matched.higher[1:], shares, strict=True
            )
        ]
    except InputError as error:
        raise InputError(f"{matched.prefix}{error}") from None
    # A share of comparisons that a system wins is higher for a better one, whatever the metric's direction is.
    higher = (matched.higher[0], *(a or b for a, b in zip(matched.higher[1:], shares, strict=True)))
    scores = SystemScores(matched.pair, matched.systems, people_sums, metric_sums, higher)
    check_scores(scores, matched)
    return scores, notes


def sums_of_people(matched: Matched, rule: str, settings: SystemSettings, n_resamples: int) -> SystemSums:
    people, gold = matched.people, matched.names[0]
    if isinstance(people, PairScores):
        return table_sums("", people, settings)
    return win_sums(
        people, gold, matched.systems, rule, prior=settings.prior, n_resamples=n_resamples, rng=settings.seed
    )


def table_sums(metric: str, scores: PairScores, settings: SystemSettings) -> SystemSums:
    """Means over segments, or given scores of whole systems."""
    if scores.of_systems:
        return fixed_sums(scores, scores.systems)
    try:
        return mean_sums(scores, scores.systems, settings.over)
    except InputError as error:
        raise InputError(f"{metric}: {error}" if metric else str(error)) from None


def check_scores(scores: SystemScores, matched: Matched) -> None:
    """Raise InputError for a system without a score, and for scores that are all one."""
    for name, sums in zip(matched.names, (scores.people, *scores.metrics), strict=True):
        unscored = [scores.systems[i] for i in np.flatnonzero(np.isnan(sums.values)).tolist()]
        if unscored:
            raise InputError(
                f"{matched.prefix}{name} has no comparison of {join_names(unscored)} that counts (only ties, or no "
                "segment with another system); remove it from the scores and use --common"
            )
        refuse_constant(matched.prefix, name, sums.values, "systems")


def on_common_segments(matched: Matched, settings: SystemSettings) -> tuple[Matched, list[str]]:
    """The scores of all sides on the translations that means are over, NaN elsewhere; and notes.

    If people scored segments, every mean is over the same segments: with "common" those in which all sides have a score
    for all systems, with "own", for each system, those in which all sides have one. Lists change nothing. Shares of
    comparisons are computed within each segment, and need no common ones.
    """
    people = matched.people
    if not has_segments(people):
        return matched, []
    sides = [people, *matched.metrics]
    counted = (
        [0] if settings.from_segments == "share" else [i for i, scores in enumerate(sides) if has_segments(scores)]
    )
    judged = np.flatnonzero((~np.isnan(people.values)).any(axis=0)).tolist()
    segments = matched.segments if len(counted) > 1 else tuple(people.segments[i] for i in judged)
    stack = np.array([score_table(sides[i], segments) for i in counted])
    present, notes = scored_by_all(stack, settings.over, matched.prefix, len(judged))
    used = np.flatnonzero(present.any(axis=0))
    names = tuple(segments[i] for i in used.tolist())
    weights = weights_of_segments(people, names)
    for i, table in zip(counted, stack, strict=True):
        sides[i] = PairScores(matched.systems, names, np.where(present, table, np.nan)[:, used], weights)
    return matched._replace(people=sides[0], metrics=tuple(sides[1:]), segments=names), notes


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
