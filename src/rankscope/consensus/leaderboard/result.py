"""The result of a leaderboard: the order of systems with intervals and clusters, and the consistency of repeats."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.consensus.leaderboard.settings import LeaderboardSettings
from rankscope.consensus.voter_agreement import VoterAgreement
from rankscope.data.preferences import Preferences
from rankscope.data.result import Result
from rankscope.data.text import pluralise
from rankscope.kernels.rounding_ties import SOLVED, join_ties
from rankscope.typing import Floats, Ints

__all__ = [
    "Effect",
    "Leaderboard",
    "LeaderboardRow",
    "RepeatConsistency",
    "consistency_of_repeats",
    "share_upheld",
]


class RepeatConsistency(NamedTuple):
    """Repeated comparisons of the same two systems.

    Attributes
    ----------
    pairs, alike
        Number of pairs of comparisons of the same two systems, and of those that agree: the same winner, or both ties.
    pairs_within_clusters, alike_within_clusters
        The same for comparisons of one cluster; 0 if there are none.
    """

    pairs: int
    alike: int
    pairs_within_clusters: int
    alike_within_clusters: int


def consistency_of_repeats(preferences: Preferences) -> RepeatConsistency:
    """Count the repeated comparisons of the same two systems that agree; weights do not matter.

    >>> consistency_of_repeats(Preferences.of([("A", "B", "A"), ("B", "A", "A"), ("A", "B", "tie")]))
    RepeatConsistency(pairs=3, alike=1, pairs_within_clusters=0, alike_within_clusters=0)
    """
    n = len(preferences.systems)
    swapped = preferences.left > preferences.right
    first = np.where(swapped, preferences.right, preferences.left)
    second = np.where(swapped, preferences.left, preferences.right)
    outcome = 1 + np.where(swapped, -preferences.outcome, preferences.outcome)
    pair = first * n + second
    counts = count_pairs(pair, outcome)
    if preferences.cluster is None:
        return RepeatConsistency(*counts, 0, 0)
    return RepeatConsistency(*counts, *count_pairs(preferences.cluster.codes * n**2 + pair, outcome))


def count_pairs(group: Ints, outcome: Ints) -> tuple[int, int]:
    """Pairs within groups, and those of one outcome. group: (comparisons); outcome: 0, 1 or 2."""
    all_sizes = np.unique(group, return_counts=True)[1]
    same_sizes = np.unique(3 * group + outcome, return_counts=True)[1]
    return int((all_sizes * (all_sizes - 1) // 2).sum()), int((same_sizes * (same_sizes - 1) // 2).sum())


def share_upheld(preferences: Preferences, abilities: Floats) -> float:
    """The weighted share of decided comparisons won by the system with the higher rating, in [0, 1].

    Two systems with the same rating share the win. NaN if all comparisons are ties.

    >>> preferences = Preferences.of([("A", "B", "A"), ("A", "B", "A"), ("A", "B", "B")])
    >>> round(share_upheld(preferences, np.array([1.0, 0.0])), 4)
    0.6667
    """
    decided = preferences.outcome != 0
    weight = preferences.weight[decided]
    if not weight.size:
        return float("nan")
    joined_abilities = join_ties(abilities, max(float(np.ptp(abilities)), 1.0), SOLVED)
    expected = np.sign(joined_abilities[preferences.left] - joined_abilities[preferences.right])[decided]
    return float(weight @ (1 + expected * preferences.outcome[decided]) / 2 / weight.sum())


class LeaderboardRow(NamedTuple):
    """A row of the tidy table.

    Attributes
    ----------
    system
        The name.
    rating, low, high
        The rating with its interval.
    rank, rank_low, rank_high
        The rank, and the best and worst possible rank.
    cluster
        The number of the cluster, from 1.
    """

    system: str
    rating: float
    low: float
    high: float
    rank: int
    rank_low: int
    rank_high: int
    cluster: int


class Effect(NamedTuple):
    """An effect on the outcome besides the systems.

    Attributes
    ----------
    name
        The covariate, or "position".
    value, low, high
        Change of the log-odds of the left system for each unit of the covariate, with its interval.
    step
        The largest power of ten within two standard deviations of the covariate, the unit of sentences.
    """

    name: str
    value: float
    low: float
    high: float
    step: float = 1.0


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Leaderboard(Result):
    """Systems rated by preferences, the best first; the result of `leaderboard`.

    In all shares of wins a tie counts as half a win.

    Attributes
    ----------
    systems
        Names, the best first. The arrays below have the same order.
    rating, low, high
        (systems) ratings on the scale of the settings, with their intervals; higher is better.
    rank
        (systems) from 1; tied systems share the first of their ranks.
    rank_low, rank_high
        (systems) best and worst possible rank: after the systems that are significantly better, and before those that
        are significantly worse.
    cluster
        (systems) from 1; every system of a cluster is significantly better than every system of the next one.
    apart
        (systems, systems) whether the difference of two systems is significant.
    abilities
        (systems) logarithms of odds, with mean 0.
    wins
        (systems) share of comparisons won if all other systems are met equally often.
    win_rates
        (systems, systems) share of comparisons that the row wins against the column, as predicted by the model.
    observed
        (systems, systems) the observed share; NaN if the two never met.
    met
        (systems, systems) total weight of the comparisons of two systems.
    effects
        Effects of the covariates and of "position".
    tie
        Davidson's parameter with its interval, None for other models: two equal systems tie in tie / (2 + tie) of
        comparisons.
    consistency
        How often repeated comparisons agree; None for votes.
    voters
        How much voters who ranked all systems agree; otherwise None.
    upheld
        Share of decided comparisons won by the system with the higher rating; NaN if there are none.
    fit
        Sentences on how well the model fits.
    n, n_ties
        Number of comparisons, and of ties among them; for votes, number of votes, and 0.
    n_clusters
        Number of clusters that the comparisons or votes belong to; None without clusters.
    n_lost
        Number of resamples without a solution, which were skipped.
    pairs
        Language pairs of rankings that are combined.
    settings
        The model and its settings, with the column or measure that was used.
    notes
        Warnings about the data and the model.

    Examples
    --------
    >>> import rankscope as rs
    >>> board = rs.leaderboard(rs.Preferences.of([("A", "B", "A")] * 9 + [("A", "B", "B")]), rng=1)
    >>> board.systems, board.wins.round(2).tolist()
    (('A', 'B'), [0.9, 0.1])
    """

    VIEW = "rankscope.consensus.leaderboard.view:leaderboard_sections"
    COLUMNS = LeaderboardRow._fields

    systems: tuple[str, ...]
    rating: Floats
    low: Floats
    high: Floats
    rank: Ints
    rank_low: Ints
    rank_high: Ints
    cluster: Ints
    apart: npt.NDArray[np.bool_]
    abilities: Floats
    wins: Floats
    win_rates: Floats
    observed: Floats
    met: Floats
    effects: tuple[Effect, ...]
    tie: Effect | None
    consistency: RepeatConsistency | None
    voters: VoterAgreement | None
    upheld: float
    fit: tuple[str, ...]
    n: int
    n_ties: int
    n_clusters: int | None
    n_lost: int
    pairs: tuple[str, ...]
    settings: LeaderboardSettings
    notes: tuple[str, ...]

    def records(self) -> Iterator[LeaderboardRow]:
        """A row a system, the best first."""
        numbers = (self.rating, self.low, self.high, self.rank, self.rank_low, self.rank_high, self.cluster)
        for row in zip(self.systems, *(column.tolist() for column in numbers), strict=True):
            yield LeaderboardRow(*row)

    def signature_parts(self) -> list[str]:
        """The settings that change the numbers, and the size of the data."""
        settings = self.settings
        interval = [settings.interval, f"{settings.n_resamples}"]
        if settings.interval == "bootstrap":
            interval.append(self.data_name if self.n_clusters is None else "clusters")
        return [
            "leaderboard",
            f"model:{settings.model}",
            *([f"unranked:{settings.unranked}"] if settings.is_of_votes else []),
            *([f"covariates:{','.join(settings.covariates)}"] if settings.covariates else []),
            *(["position:yes"] if settings.position else []),
            f"prior:{settings.prior:g}",
            f"scale:{settings.scale}",
            f"interval:{','.join(interval)}",
            f"confidence:{settings.confidence_level:g}",
            f"rng:{settings.seed}",
            *settings.parts(*(name for name in ("column", "pair", "measure") if settings.is_changed(name))),
            f"systems:{len(self.systems)}",
            f"{self.data_name}:{self.n}",
        ]

    @property
    def data_name(self) -> str:
        """What `n` counts."""
        return "votes" if self.settings.is_of_votes else "comparisons"

    def contents(self) -> str:
        """What it holds, in a few words."""
        count_text = pluralise(self.n, self.data_name.removesuffix("s"))
        return f"{pluralise(len(self.systems), 'system')}, {count_text}, {self.settings.model}"


def format_wins(share: float) -> str:
    """A share as a percentage, for a table; only a share of 1 is 100, and only a share of 0 is 0."""
    if np.isnan(share):
        return "-"
    if 0 < share < 0.005:
        return "<1"
    return ">99" if 0.995 <= share < 1 else f"{100 * share:.0f}"


def format_wins_in_words(share: float) -> str:
    """The same in a sentence."""
    return format_wins(share).replace(">", "more than ").replace("<", "less than ")
