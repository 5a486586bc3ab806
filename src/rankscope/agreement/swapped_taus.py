"""Kendall's tau-b over all cells at once, of permuted metrics.

A cell is a point (gold, score), and each metric has one for it. K is concordant less discordant pairs of the points
that a permuted metric has got. The other one has got all the rest, so what two points of different cells count
together is in both K or in neither, but for what is linear in the swaps: with z = 1 for a cell that was left alone and
-1 for a swapped one, K less the other's is the sum over cells of z (s_1 - s_2) / 2, where s_1 and s_2 are concordant
less discordant pairs of the cell's two points with all points of both metrics. These are counted once.

Ties make the two divisors differ a little; then the sum of both K matters as well, which no such sum gives. It is at
most the sum of the divisors; only resamples that this leaves undecided are counted out.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rankscope.kernels.chosen_pairs import prepare_subset_pairs, subset_surplus
from rankscope.kernels.pairs import arrange
from rankscope.kernels.resample import Draws
from rankscope.kernels.swaps import swap_bits
from rankscope.stats.rank_rows import rank_rows, surplus_by_row
from rankscope.typing import Bytes, Floats, Ints

__all__ = ["flat_tau_differences"]


#: Values this close to the observed one are counted out, too.
TAU_TOLERANCE = 1e-9
#: Numbers of lists that are counted out at once.
NUMBERS = 1 << 20
#: Cells for whose points all that makes counting fast is held in memory: 400 MB.
MANY = 100_000


def flat_tau_differences(
    gold: Floats, pair: Floats, draws: Draws, swap: str, observed: float | None = None
) -> Iterator[Floats]:
    """(resamples), chunk by chunk: tau-b over all cells, first permuted metric less second.

    gold: (systems, segments), pair: (2, systems, segments), NaN alike. observed: where given, only values that might be
    at or on the wrong side of it, or of its negative, are exact; others are as far on the right side as is certain.
    """
    there = ~np.isnan(gold)
    people, (first, second) = gold.T[there.T], (side.T[there.T] for side in pair)
    n = people.size
    pairs = n * (n - 1) // 2
    untied_gold = pairs - tied_pairs(people)
    surplus = pooled_surplus(people, first, second)
    groups = TiedPoints.of(first, second)
    points = None
    if observed is None and groups.sizes.size and n <= MANY:  # all will be counted out
        points = prepare_subset_pairs(np.concatenate((people, people)), np.concatenate((first, second)))
    for bits in swap_bits(draws, (gold.shape[0], gold.shape[1]), swap):
        swapped = bits[:, there.T]
        apart = (surplus.sum() - 2 * (swapped.astype(np.float64) @ surplus)) / 2
        ties = groups.tied_pairs(swapped)
        below = np.sqrt(untied_gold * (pairs - ties).astype(np.float64))
        good = (below > 0).all(axis=1)
        shares = np.divide(1.0, below, out=np.zeros(below.shape), where=below > 0)
        found = apart * shares.sum(axis=1) / 2
        # Half the sum of both K is at most half the sum of the divisors.
        within = np.abs(shares[:, 0] - shares[:, 1]) * below.sum(axis=1) / 2
        open_ = within > 0
        if observed is not None:
            near = np.minimum(np.abs(found - observed), np.abs(found + observed)) <= within + TAU_TOLERANCE
            open_ &= near
        found[~good] = np.nan
        rows = np.flatnonzero(open_ & good)
        step = max(1, NUMBERS // max(n, 1))
        for i in range(0, rows.size, step):
            part = rows[i : i + step]
            if points is None:
                own = counted_surplus(people, np.where(swapped[part] == 1, second, first))
            else:
                own = subset_surplus(points, np.concatenate((1 - swapped[part], swapped[part]), axis=1))
            other = own - apart[part]
            found[part] = own * shares[part, 0] - other * shares[part, 1]
        yield found


def tied_pairs(values: Floats) -> int:
    many = np.unique(values, return_counts=True)[1]
    return int((many * (many - 1) // 2).sum())


def pooled_surplus(gold: Floats, first: Floats, second: Floats) -> Floats:
    """(cells) of each cell, concordant less discordant pairs of its first point less those of its second, over all."""
    arranged = arrange(np.concatenate((gold, gold)), np.concatenate((first, second)))
    found = np.empty(2 * gold.size)
    found[arranged.order] = arranged.concordant - arranged.discordant_before - arranged.discordant_behind
    return np.asarray(found[: gold.size] - found[gold.size :])


def counted_surplus(gold: Floats, rows: Floats) -> Ints:
    """(rows) concordant less discordant pairs of each row with gold."""
    people = rank_rows(gold[None]).rows(np.zeros(len(rows), np.int64))
    return surplus_by_row(people, rank_rows(rows))


class TiedPoints:
    """Points of one score, of both metrics: how many pairs of them each permuted metric has got.

    cell: (points) the cells of those in a group, group by group. swapped: (points) whether the point is the second
    metric's. starts: (groups) where each begins. sizes: (groups).
    """

    def __init__(self, cell: Ints, of_second: Bytes, starts: Ints, sizes: Ints) -> None:
        self.cell, self.of_second, self.starts, self.sizes = cell, of_second, starts, sizes

    @classmethod
    def of(cls, first: Floats, second: Floats) -> TiedPoints:
        """Of two lists of scores, cell by cell."""
        pooled = np.concatenate((first, second))
        order = np.argsort(pooled, kind="stable")
        rising = pooled[order]
        begins = np.flatnonzero(np.append(True, rising[1:] != rising[:-1]))
        sizes = np.diff(np.append(begins, pooled.size))
        points = order[np.repeat(sizes > 1, sizes)]
        sizes = sizes[sizes > 1]
        n = first.size
        starts = np.cumsum(sizes) - sizes
        return cls(points % n, (points >= n).astype(np.uint8), starts, sizes)

    def tied_pairs(self, swapped: Bytes) -> Ints:
        """(resamples, 2) of the first and of the second permuted metric; swapped: (resamples, cells)."""
        if not self.sizes.size:
            return np.zeros((len(swapped), 2), np.int64)
        own = (swapped[:, self.cell] == self.of_second).view(np.uint8)
        many = np.add.reduceat(own, self.starts, axis=1, dtype=np.int32).astype(np.int64)
        rest = self.sizes - many
        return np.stack([(part * (part - 1) // 2).sum(axis=1) for part in (many, rest)], axis=1)
