"""PERM-BOTH (Deutsch, Dror and Roth, 2021): the difference of two metrics after random swaps of their scores.

With bits x and y of a pair's two systems, a permuted metric compares scores 00 (both its own), 10, 01 or 11. What the
pair counts is t00 + x (t10 - t00) + y (t01 - t00) + x y (t11 - t10 - t01 + t00), for each segment a form in the bits.
The other metric has what is left, 11 where this has 00. Where both count alike (and every pair counts by itself), the
products of bits cancel in the difference of the two, and what remains is linear.

A cell is a point (gold, score), and each metric has one for it. K is concordant less discordant pairs of the points
that a permuted metric has got. The other one has got all the rest, so what two points of different cells count
together is in both K or in neither, but for what is linear in the swaps: with z = 1 for a cell that was left alone and
-1 for a swapped one, K less the other's is the sum over cells of z (s_1 - s_2) / 2, where s_1 and s_2 are concordant
less discordant pairs of the cell's two points with all points of both metrics. These are counted once.

Ties make the two divisors differ a little; then the sum of both K matters as well, which no such sum gives. It is at
most the sum of the divisors; only resamples that this leaves undecided are counted out.

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

from rankscope.agreement.statistics import (
    CLOSE,
    CONVENTIONS,
    calibrate,
    divide_or_nan,
    mean_and_count,
    pair_places,
    system_means,
    values_of_means,
    values_of_stack,
)
from rankscope.kernels.pairs import arrange
from rankscope.kernels.resample import Draws
from rankscope.kernels.subset_pairs import prepare_subset_pairs, subset_surplus
from rankscope.kernels.swaps import form_values, grouped_bits, linear_values, swap_bits
from rankscope.stats.correlation_values import rank_rows, surplus_by_row
from rankscope.typing import Bools, Bytes, Floats, Floats32, Ints

__all__ = [
    "FLAT",
    "accuracy_differences",
    "best_accuracy_differences",
    "differences",
    "flat_tau_differences",
    "forms_of",
    "gold_signs",
    "mean_differences",
    "pair_weights",
    "pearson_differences",
    "permuted_differences",
    "plain_differences",
    "signs_of",
    "tau_differences",
    "weighed",
]


#: Sums of squares this small, in units of the greatest, are 0 but for rounding.
FLAT = 1e-14


def by_group(matrices: Floats, grouping: str) -> Floats:
    """(groups, ..., cells of a group) of (..., systems, segments), in the order of `grouped_bits`."""
    if grouping == "none":
        return matrices.swapaxes(-1, -2).reshape(1, *matrices.shape[:-2], -1)
    return np.moveaxis(matrices, -1 if grouping == "segment" else -2, 0)


def pearson_differences(gold: Floats, pair: Floats, grouping: str, draws: Draws, swap: str) -> Iterator[Floats]:
    """(resamples), chunk by chunk: the mean over groups of Pearson's correlation, first metric less second.

    A swapped cell changes a group's sums of scores, squares and products with gold by what the two metrics differ in;
    so each sum is linear in the bits. gold: (systems, segments), pair: (2, systems, segments), NaN alike.
    """
    people, first, second = (by_group(side, grouping) for side in (gold, *pair))
    there = ~np.isnan(people)
    n = np.count_nonzero(there, axis=1)
    people = centre_and_scale(
        people, np.nanmean(np.where(there, people, 0.0), axis=1, keepdims=True, where=there), there
    )
    # One shift and one unit for both metrics, so that a swap changes neither.
    middle = np.nanmean(np.where(there, (first + second) / 2, 0.0), axis=1, keepdims=True, where=there)
    most = greatest(np.maximum(np.abs(first - middle), np.abs(second - middle)), there)
    first, second = (np.where(there, (side - middle) / most, 0.0) for side in (first, second))
    terms = [np.stack((side, side * side, side * people), axis=-1) for side in (first, second)]
    start, other = (side.sum(axis=1)[:, None] for side in terms)
    change = terms[1] - terms[0]
    spread = (people * people).sum(axis=1)
    for bits in swap_bits(draws, (gold.shape[0], gold.shape[1]), swap):
        moved = linear_values(grouped_bits(bits, grouping), change)
        values = [correlations(sums, n, spread) for sums in (start + moved, other - moved)]
        yield mean_and_count(values[0].T)[0] - mean_and_count(values[1].T)[0]


def greatest(values: Floats, there: Bools) -> Floats:
    """(groups, 1) of each group, 1 where it is 0."""
    most = np.max(values, axis=1, keepdims=True, initial=0.0, where=there)
    return np.where(most > 0, most, 1.0)


def centre_and_scale(values: Floats, middle: Floats, there: Bools) -> Floats:
    """About their mean, the greatest 1 from it; 0 where there is none."""
    centred = values - middle
    reach, most = (np.max(np.abs(v), axis=1, keepdims=True, initial=0.0, where=there) for v in (centred, values))
    flat = reach <= 1e-10 * most  # a constant is its mean, but for rounding
    return np.where(there & ~flat, centred / np.where(flat, 1.0, reach), 0.0)


def correlations(sums: Floats, n: npt.NDArray[np.int_], spread: Floats) -> Floats:
    """(groups, resamples) from sums (groups, resamples, 3) of the metric, its squares, its products with gold."""
    total, square, product = np.moveaxis(sums, -1, 0)
    own = square - total * total / n[:, None]
    below = np.sqrt(np.where(own > FLAT * n[:, None], own, 0.0) * spread[:, None])
    found = np.divide(product, below, out=np.full(product.shape, np.nan), where=below > 0)
    return np.asarray(np.clip(found, -1.0, 1.0))


def mean_differences(gold: Floats, pair: Floats, statistic: str, draws: Draws, swap: str) -> Iterator[Floats]:
    """(resamples), chunk by chunk: a statistic of the systems' means, first metric less second."""
    people = system_means(gold[None])
    many = np.count_nonzero(~np.isnan(gold), axis=1)
    first, second = np.nan_to_num(pair)
    change = by_group((second - first) / many[:, None], "system")[..., None]
    start, other = (side.sum(axis=1) / many for side in (first, second))
    for bits in swap_bits(draws, (gold.shape[0], gold.shape[1]), swap):
        moved = linear_values(grouped_bits(bits, "system"), change)[:, :, 0].T
        values = [values_of_means(people, means, statistic) for means in (start + moved, other - moved)]
        yield values[0] - values[1]


Signs = npt.NDArray[np.int8]
#: The cells 00, 10, 01, 11: which metric each of the pair's two systems has its score of.
CELLS = ((0, 0), (1, 0), (0, 1), (1, 1))


def signs_of(apart: Floats, epsilon: float) -> Signs:
    """Signs of differences, 0 up to epsilon; NaN is 0."""
    found = np.sign(np.nan_to_num(apart)).astype(np.int8)
    if epsilon > 0:
        found[np.abs(apart) <= epsilon * (1 + CLOSE)] = 0
    return found


def differences(pair: Floats) -> Floats:
    """(4, segments, pairs) the four differences of each pair of systems; pair: (2, systems, segments)."""
    first, second = pair_places(pair.shape[1])
    turned = pair.swapaxes(1, 2)
    return np.stack([turned[a][:, first] - turned[b][:, second] for a, b in CELLS])


def gold_signs(gold: Floats) -> tuple[Signs, Bools]:
    """(segments, pairs) the sign of gold, and whether both systems are there."""
    first, second = pair_places(len(gold))
    apart = gold.T[:, first] - gold.T[:, second]
    return np.sign(np.nan_to_num(apart)).astype(np.int8), ~np.isnan(apart)


def forms_of(table: npt.NDArray[np.int8], systems: int) -> Floats32:
    """(segments, systems, systems) of a table (4, segments, pairs): linear on the diagonal, products above it."""
    first, second = pair_places(systems)
    of_00, of_10, of_01, of_11 = table.astype(np.float32)
    forms = np.zeros((table.shape[1], systems, systems), np.float32)
    forms[:, first, second] = of_11 - of_10 - of_01 + of_00
    of_first, of_second = np.zeros((2, first.size, systems), np.float32)
    of_first[np.arange(first.size), first] = of_second[np.arange(first.size), second] = 1
    at = np.arange(systems)
    forms[:, at, at] = (of_10 - of_00) @ of_first + (of_01 - of_00) @ of_second
    return forms


def weighed(forms: Floats32, start: Floats, weights: Floats, draws: Draws, swap: str) -> Iterator[Floats]:
    """(resamples), chunk by chunk: the sum over segments of weight x (start + form of the bits); NaN of none."""
    segments, systems, _ = forms.shape
    at = np.arange(systems)
    linear = forms[:, at, at] * weights[:, None]
    straight = not np.triu(forms, 1).any()
    for bits in swap_bits(draws, (systems, segments), swap):
        if straight:
            found = linear_values(grouped_bits(bits, "none"), linear.reshape(1, -1, 1))[0, :, 0]
        else:
            found = weights @ form_values(grouped_bits(bits, "segment"), forms)
        yield found + (float(weights @ start) if weights.any() else np.nan)


def pair_weights(there: Bools, grouping: str) -> Floats:
    """(segments) what a pair weighs: with grouping "segment" all segments alike, with "none" all pairs."""
    many = np.count_nonzero(there, axis=1)
    if grouping == "none":
        return np.full(len(many), 1 / many.sum() if many.any() else 0.0)
    return divided_or_0(np.ones(len(many)), many * max(1, int(np.count_nonzero(many))))


def divided_or_0(above: Floats, below: npt.NDArray[np.generic]) -> Floats:
    return np.nan_to_num(divide_or_nan(above, below))


def accuracy_differences(
    gold: Floats, pair: Floats, epsilons: Floats, grouping: str, draws: Draws, swap: str
) -> Iterator[Floats]:
    """acc_eq of the first permuted metric less that of the second, each with its own epsilon whatever it has got."""
    people, there = gold_signs(gold)
    apart = differences(pair)
    right = [(signs_of(apart, float(epsilon)) == people) & there for epsilon in epsilons]
    table = right[0].astype(np.int8) - right[1][::-1]
    start = table[0].sum(axis=1).astype(np.float64)
    return weighed(forms_of(table, len(gold)), start, pair_weights(there, grouping), draws, swap)


def tau_differences(gold: Floats, pair: Floats, draws: Draws, swap: str) -> Iterator[Floats]:
    """Kendall's tau-b of each segment, and the mean of those that have one: first metric less second."""
    people, there = gold_signs(gold)
    signs = signs_of(differences(pair), 0.0)
    alike = signs * people
    many = np.count_nonzero(people, axis=1)
    if not (signs == 0)[:, there].any():  # no ties: what stands below the line never changes
        pairs = np.count_nonzero(there, axis=1)
        weights = divided_or_0(np.ones(len(many)), np.sqrt(many * pairs)) / max(1, int(np.count_nonzero(many)))
        table = alike - alike[::-1]
        yield from weighed(forms_of(table, len(gold)), table[0].sum(axis=1).astype(np.float64), weights, draws, swap)
        return
    untied = ((signs != 0) & there).astype(np.int8)
    parts = [
        (forms_of(table, len(gold)), table[0].sum(axis=1)[:, None])
        for table in (alike, untied, alike[::-1], untied[::-1])
    ]
    for bits in swap_bits(draws, (len(gold), gold.shape[1]), swap):
        grouped = grouped_bits(bits, "segment")
        surplus, below, other_surplus, other_below = (form_values(grouped, form) + start for form, start in parts)
        yield mean_tau(surplus, below, many) - mean_tau(other_surplus, other_below, many)


def mean_tau(surplus: Floats32, untied: Floats32, many: npt.NDArray[np.int_]) -> Floats:
    """(resamples) of (segments, resamples)."""
    below = np.sqrt(many[:, None] * untied.astype(np.float64))
    n = np.count_nonzero(below, axis=0)
    return divide_or_nan(divided_or_0(surplus.astype(np.float64), below).sum(axis=0), n)


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


def permuted_differences(
    gold: Floats,
    pair: Floats,
    statistic: str,
    grouping: str,
    epsilons: Floats | None,
    draws: Draws,
    swap: str,
    soft: Draws,
    observed: float | None = None,
) -> Iterator[Floats]:
    """(resamples), chunk by chunk: the statistic of the first metric less that of the second, after the swaps.

    gold: (systems, segments), pair: (2, systems, segments), NaN alike, on one scale. epsilons: (2) those of acc_eq,
    None to find them anew for each permuted metric. observed: where given, values that are certainly on one side of it
    may be rough.
    """
    if statistic == "acc_eq":
        if epsilons is None:
            return best_accuracy_differences(gold, pair, grouping, draws, swap)
        return accuracy_differences(gold, pair, epsilons, grouping, draws, swap)
    if grouping == "means" and statistic != "soft_pairwise_accuracy":
        return mean_differences(gold, pair, statistic, draws, swap)
    if statistic == "pearson":
        return pearson_differences(gold, pair, grouping, draws, swap)
    if statistic == "kendall_b" and grouping == "segment":
        return tau_differences(gold, pair, draws, swap)
    if statistic == "kendall_b" and grouping == "none":
        return flat_tau_differences(gold, pair, draws, swap, observed)
    return plain_differences(gold, pair, statistic, grouping, epsilons, draws, swap, soft)


def plain_differences(
    gold: Floats,
    pair: Floats,
    statistic: str,
    grouping: str,
    epsilons: Floats | None,
    draws: Draws,
    swap: str,
    soft: Draws,
) -> Iterator[Floats]:
    """As above, in the plain way that all have: every permuted matrix is put together, and its statistic taken."""
    first, second = pair
    for bits in swap_bits(draws, gold.shape, swap):
        swapped = bits.swapaxes(1, 2).astype(np.bool_)
        values = []
        for k, (one, other) in enumerate(((second, first), (first, second))):
            stack = np.where(swapped, one, other)
            if statistic == "acc_eq" and epsilons is None:
                values.append(best_values(gold, stack, grouping))
            else:
                epsilon = np.nan if epsilons is None else float(epsilons[k])
                values.append(values_of_stack(gold, stack, statistic, grouping, epsilon, soft)[0])
        yield values[0] - values[1]


def best_values(gold: Floats, stack: Floats, grouping: str) -> Floats:
    """(matrices) acc_eq of each, with the epsilon that suits it best."""
    convention = CONVENTIONS["acc_eq"]
    return np.array([calibrate(gold.T, matrix.T, convention=convention, grouping=grouping).value for matrix in stack])
