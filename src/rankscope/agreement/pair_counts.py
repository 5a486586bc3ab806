"""Pairs of the translations of one judgment: how people and a metric order each, counted by judgment and by item."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from rankscope.kernels.pairs import PairCounts, count_pairs_by_row
from rankscope.typing import Floats, Ints

__all__ = [
    "ABSENT",
    "CLOSE",
    "KINDS",
    "count_by_item",
    "count_by_judgment",
    "kinds_of",
    "count_unscored_pairs",
    "pair_places",
]

Kinds = npt.NDArray[np.int8]

#: The kinds of a pair, in the order of `PairCounts`; people are x, the metric is y.
KINDS = ("concordant", "discordant", "tied_human", "tied_metric", "tied_both")
#: The kind of a pair that has no value on one side, or whose human scores are too close.
ABSENT = len(KINDS)
#: By the product of the two signs, and where it is 0 by which sign is: see `kinds_of`.
BY_SIGNS = np.array([[0, 3, 1], [2, 4, 2], [1, 3, 0]], np.int8)
#: Pairs that are compared at once: few arrays of 8 MB.
PAIRS = 1 << 20
#: Differences this close to a threshold, as a share of it, are at it: .8 - .7 is not quite .1.
CLOSE = 1e-9


def pair_places(items: int) -> tuple[Ints, Ints]:
    """The places of the first and the second item of every pair of a list."""
    first, second = np.triu_indices(items, 1)
    return first.astype(np.int64), second.astype(np.int64)


def kinds_of(gold: Floats, metric: Floats, *, epsilon: float = 0.0, least: float = 0.0) -> Kinds:
    """(judgments, pairs) the place in KINDS of each pair of `pair_places`, else ABSENT.

    gold, metric: (judgments, items), lower is better, NaN where there is no value. epsilon: the metric ties two items
    whose values differ by at most so much. least: pairs that people put closer, ties included, are absent. What is but
    rounding away from either (a billionth of it) is at it.
    """
    first, second = pair_places(gold.shape[1])
    with np.errstate(over="ignore"):  # beyond all numbers is far apart
        people, machine = gold[:, first] - gold[:, second], metric[:, first] - metric[:, second]
    absent = np.isnan(people) | np.isnan(machine)
    if least > 0:
        absent |= ~(np.abs(people) >= least * (1 - CLOSE))
    signs = [np.sign(np.where(absent, 0.0, values)).astype(np.int8) for values in (people, machine)]
    if epsilon > 0:
        signs[1][np.abs(machine) <= epsilon * (1 + CLOSE)] = 0
    kinds = BY_SIGNS[signs[0] + 1, signs[1] + 1]
    kinds[absent] = ABSENT
    return kinds


def judgment_chunks(gold: Floats) -> Iterator[slice]:
    """Judgments that are compared at once."""
    items = gold.shape[1]
    step = max(1, PAIRS // max(1, items * (items - 1) // 2))
    for start in range(0, len(gold), step):
        yield slice(start, start + step)


def count_by_judgment(gold: Floats, metric: Floats, *, epsilon: float = 0.0, least: float = 0.0) -> PairCounts:
    """The kinds of pairs in each judgment, whole numbers of shape (judgments); arguments as for `kinds_of`.

    >>> gold, metric = np.array([[1.0, 2.0, 2.0]]), np.array([[0.3, 0.1, 0.1]])
    >>> count_by_judgment(gold, metric)
    PairCounts(concordant=array([0]), discordant=array([2]), tied_x=array([0]), tied_y=array([0]), tied_both=array([1]))
    """
    if epsilon <= 0 and least <= 0:
        return count_pairs_by_row(gold, metric)
    counts = np.zeros((len(KINDS), len(gold)), np.int64)
    for part in judgment_chunks(gold):
        kinds = kinds_of(gold[part], metric[part], epsilon=epsilon, least=least)
        for kind, row in enumerate(counts):
            row[part] = np.count_nonzero(kinds == kind, axis=1)
    return PairCounts(*counts)


def count_by_item(gold: Floats, metric: Floats, *, epsilon: float = 0.0, least: float = 0.0) -> PairCounts:
    """The kinds of pairs that each item is in, of shape (judgments, items); arguments as for `kinds_of`.

    Every pair is counted for both its items, so sums over items are twice those of `count_by_judgment`.
    """
    items = gold.shape[1]
    first, second = pair_places(items)
    of_item = np.zeros((first.size, items), np.float32)
    of_item[np.arange(first.size), first] = of_item[np.arange(first.size), second] = 1
    counts = np.zeros((len(KINDS), *gold.shape), np.int64)
    for part in judgment_chunks(gold):
        kinds = kinds_of(gold[part], metric[part], epsilon=epsilon, least=least)
        for kind, table in enumerate(counts):
            table[part] = np.rint((kinds == kind).astype(np.float32) @ of_item)
    return PairCounts(*counts)


def count_unscored_pairs(gold: Floats, metric: Floats) -> int:
    """How many pairs that people judged have no score of the metric on at least one side.

    >>> count_unscored_pairs(np.array([[1.0, 2.0, 3.0, np.nan]]), np.array([[0.5, np.nan, 0.1, 0.2]]))  # A and B, B and C
    2
    """
    judged = ~np.isnan(gold)
    both = judged & ~np.isnan(metric)
    all_pairs, kept = (np.count_nonzero(there, axis=1).astype(np.int64) for there in (judged, both))
    return int((all_pairs * (all_pairs - 1) // 2 - kept * (kept - 1) // 2).sum())
