"""How alike comparisons of the same two systems come out: what any order of the systems has to live with."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankscope.data.preferences import Preferences
from rankscope.kernels.ties import SOLVED, join_ties
from rankscope.typing import Floats, Ints

__all__ = ["RepeatConsistency", "consistency_of_repeats", "share_upheld"]


class RepeatConsistency(NamedTuple):
    """Pairs of comparisons of the same two systems, and how many came out alike: the same winner, or both a tie.

    within, alike_within: the same of comparisons of one unit. All 0 where there is none.
    """

    pairs: int
    alike: int
    within: int
    alike_within: int


def consistency_of_repeats(preferences: Preferences) -> RepeatConsistency:
    """How many comparisons of the same two systems came out alike; weights do not count.

    >>> consistency_of_repeats(Preferences.of([("A", "B", "A"), ("B", "A", "A"), ("A", "B", "tie")]))
    RepeatConsistency(pairs=3, alike=1, within=0, alike_within=0)
    """
    n = len(preferences.systems)
    swapped = preferences.left > preferences.right
    first = np.where(swapped, preferences.right, preferences.left)
    second = np.where(swapped, preferences.left, preferences.right)
    outcome = 1 + np.where(swapped, -preferences.outcome, preferences.outcome)
    pair = first * n + second
    found = count_pairs(pair, outcome)
    if preferences.unit is None:
        return RepeatConsistency(*found, 0, 0)
    return RepeatConsistency(*found, *count_pairs(preferences.unit.codes * n**2 + pair, outcome))


def count_pairs(group: Ints, outcome: Ints) -> tuple[int, int]:
    """Pairs within groups, and those of one outcome. group: (comparisons); outcome: 0, 1 or 2."""
    all_sizes = np.unique(group, return_counts=True)[1]
    same_sizes = np.unique(3 * group + outcome, return_counts=True)[1]
    return int((all_sizes * (all_sizes - 1) // 2).sum()), int((same_sizes * (same_sizes - 1) // 2).sum())


def share_upheld(preferences: Preferences, abilities: Floats) -> float:
    """The share of decided comparisons, by weight, that the better rated of the two won; in [0, 1], higher is better.

    Two of one rating share the win. NaN where all comparisons are ties.

    >>> share_upheld(Preferences.of([("A", "B", "A"), ("A", "B", "A"), ("A", "B", "B")]), np.array([1.0, 0.0])).__round__(4)
    0.6667
    """
    decided = preferences.outcome != 0
    weight = preferences.weight[decided]
    if not weight.size:
        return float("nan")
    rated = join_ties(abilities, max(float(np.ptp(abilities)), 1.0), SOLVED)
    expected = np.sign(rated[preferences.left] - rated[preferences.right])[decided]
    return float(weight @ (1 + expected * preferences.outcome[decided]) / 2 / weight.sum())
