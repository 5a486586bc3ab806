"""acc_eq of permuted metrics, each with the epsilon that suits it best, found anew after each swap.

A pair of systems on a segment is one of four after a swap, see `swapped_pairs`. All four differences of all pairs are
sorted once, and cut into blocks. Of a resample, what its pairs gain by becoming ties is summed by block: so the sums at
the ends of blocks are known, and how much higher one within a block can be. Only blocks that could hold the greatest
sum are looked at pair by pair.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.agreement.pair_counts import CLOSE, pair_places
from rankscope.agreement.swapped_pairs import differences, forms_of, gold_signs, pair_weights, signs_of, weighed
from rankscope.kernels.resample import Draws
from rankscope.kernels.swaps import swap_bits
from rankscope.typing import Bools, Bytes, Floats, Ints

__all__ = ["best_accuracy_differences"]

Keys = npt.NDArray[np.uint16]

#: Differences of a block, and the most blocks there may be: two keys each fit 16 bits.
SIZE, MOST = 256, 8000
#: Pairs of the resamples that are worked on at once: few enough for the processor's cache.
PAIRS = 1 << 19


class Rising(NamedTuple):
    """The differences that change anything by becoming ties, by size; n of them, in blocks of whole groups of ties.

    keys: (4, pairs, segments) of each of a pair's four differences twice its block, and 1 more where the tie is a gain;
    of what changes nothing, twice the number of blocks. pair, cell: (n) which pair (of pairs x segments), and which of
    its four differences. change: (n) the weight gained, or lost, below 0. last: (n) the last of its group. starts:
    (blocks + 1) where each block begins. many: (blocks) whether it has several groups.
    """

    keys: Keys
    pair: Ints
    cell: Bytes
    change: Floats
    last: Bools
    starts: Ints
    many: Bools


def best_accuracy_differences(gold: Floats, pair: Floats, grouping: str, draws: Draws, swap: str) -> Iterator[Floats]:
    """(resamples), chunk by chunk: acc_eq of the first permuted metric less that of the second, at their best epsilons.

    gold: (systems, segments), pair: (2, systems, segments), NaN alike.
    """
    people, there = gold_signs(gold)
    weights = pair_weights(there, grouping)
    apart = differences(pair)
    right = (signs_of(apart, 0.0) == people) & there
    table = right.astype(np.int8) - right[::-1]
    steady = weighed(forms_of(table, len(gold)), table[0].sum(axis=1).astype(np.float64), weights, draws, swap)
    tied = (people == 0) & there
    if not (tied & (apart != 0)).any():  # nothing to gain: no epsilon is better than 0
        yield from steady
        return
    rising = rising_differences(np.abs(apart), right, tied, weights)
    for bits, base in zip(swap_bits(draws, (len(gold), gold.shape[1]), swap), steady, strict=True):
        step = max(1, PAIRS // (tied.size or 1))
        parts = [best_gains(bits[i : i + step], rising, weights) for i in range(0, len(bits), step)]
        yield base + np.concatenate(parts)


def rising_differences(apart: Floats, right: Bools, tied: Bools, weights: Floats) -> Rising:
    """apart, right: (4, segments, pairs) differences without sign, and whether they are as people say; tied: by people.

    Of those right, the ones that people did not tie are lost; those that people tied are won, but where there is no
    difference to begin with.
    """
    apart, right, tied = apart.transpose(0, 2, 1), right.transpose(0, 2, 1), tied.T
    change = (tied.astype(np.int8) - (right & ~tied)) * (apart > 0)
    kept = np.flatnonzero(change)
    kept = kept[np.argsort(apart.ravel()[kept], kind="stable")]
    sizes = apart.ravel()[kept]
    last = np.append(sizes[1:] > sizes[:-1] * (1 + CLOSE), True)
    begins = np.flatnonzero(np.append(True, last[:-1]))
    lengths = np.diff(np.append(begins, kept.size))
    size = max(SIZE, kept.size // MOST)
    # A group of ties stands in the block where it begins; a long one in one of its own.
    named = begins // size * 2 + (lengths > size)
    of_group = np.cumsum(np.append(False, (named[1:] != named[:-1]) | (lengths[1:] > size)))
    block = np.repeat(of_group, lengths)
    blocks = int(block[-1]) + 1
    keys = np.full(change.size, 2 * blocks, np.uint16)
    keys[kept] = 2 * block + (change.ravel()[kept] > 0)
    pairs = tied.size
    return Rising(
        keys=keys.reshape(change.shape),
        pair=kept % pairs,
        cell=(kept // pairs).astype(np.uint8),
        change=change.ravel()[kept] * weights[kept % tied.shape[1]],
        last=last,
        starts=np.searchsorted(block, np.arange(blocks + 1)),
        many=np.bincount(of_group, minlength=blocks) > 1,
    )


def best_gains(bits: Bytes, rising: Rising, weights: Floats) -> Floats:
    """(resamples) what the best epsilon adds to the first metric, less what it adds to the second."""
    rows, systems = len(bits), bits.shape[2]
    first, second = pair_places(systems)
    by_system = np.ascontiguousarray(bits.transpose(0, 2, 1))
    cells = by_system[:, first] + 2 * by_system[:, second]  # (resamples, pairs, segments), the place in CELLS
    masks = -by_system.astype(np.uint16)  # all bits 1, or none
    x, y = masks[:, first], masks[:, second]
    both = x & y
    equal = bool((weights == weights[0]).all())
    found = []
    for keys, own in ((rising.keys, cells), (rising.keys[::-1], 3 - cells)):
        # One of four keys, chosen by exclusive or.
        chosen = x & (keys[0] ^ keys[1])
        chosen ^= y & (keys[0] ^ keys[2])
        chosen ^= both & (keys[0] ^ keys[1] ^ keys[2] ^ keys[3])
        chosen ^= keys[0]
        width = 2 * rising.many.size + 2
        at = chosen.reshape(rows, -1).astype(np.int64)
        at += (np.arange(rows) * width)[:, None]
        of_pair = None if equal else np.broadcast_to(weights, chosen.shape).ravel()
        counts = np.bincount(at.ravel(), of_pair, rows * width).astype(np.float64)
        sums = counts.reshape(rows, -1, 2)[:, :-1] * (weights[0] if equal else 1.0)
        found.append(greatest_sums(sums, own.reshape(rows, -1), rising))
    return np.asarray(found[0] - found[1])


def greatest_sums(sums: Floats, cells: Bytes, rising: Rising) -> Floats:
    """(resamples) the greatest sum along the rising differences, at least 0.

    sums: (resamples, blocks, 2) what is lost and what is won in each block. cells: (resamples, pairs x segments).
    """
    lost, won = sums[:, :, 0], sums[:, :, 1]
    ends = np.cumsum(won - lost, axis=1)
    best = np.maximum(ends.max(axis=1), 0.0)
    before = ends - won + lost
    row, block = np.nonzero((before + won > best[:, None]) & rising.many)
    if not row.size:
        return np.asarray(best)
    longest = int(np.diff(rising.starts)[rising.many].max())
    at = rising.starts[block][:, None] + np.arange(longest)
    inside = at < rising.starts[block + 1][:, None]
    at = np.minimum(at, rising.last.size - 1)
    there = inside & (cells[row[:, None], rising.pair[at]] == rising.cell[at])
    summed = np.cumsum(np.where(there, rising.change[at], 0.0), axis=1) + before[row, block][:, None]
    np.maximum.at(best, row, np.where(inside & rising.last[at], summed, 0.0).max(axis=1))
    return np.asarray(best)
