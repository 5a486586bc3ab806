"""PERM-BOTH (Deutsch, Dror and Roth, 2021): the difference of two metrics after random swaps of their scores.

Pairs of systems. With bits x and y of a pair's two systems, a permuted metric compares scores 00 (both its own), 10, 01
or 11. The pair counts t00 + x (t10 - t00) + y (t01 - t00) + x y (t11 - t10 - t01 + t00), for each segment a quadratic
form in the bits. The other permuted metric has the complement, 11 where this one has 00. Where both count pairs by the
same rule (and every pair counts by itself), the products of bits cancel in the difference of the two metrics, and the
difference is linear.

Kendall's tau over all cells. A cell is a point (gold, score), and each metric has one for it. K is the number of
concordant less discordant pairs among the points of a permuted metric. The other permuted metric has all other points.
So the product terms are equal in both K, and their difference is linear in the swaps: with z = 1 for a cell that was
not swapped and -1 for a swapped one, K less the other's K is the sum over cells of z (s_1 - s_2) / 2, where s_1 and s_2
are concordant less discordant pairs of the cell's two points with all points of both metrics. These are counted once.

Ties make the two divisors differ a little; then the sum of both K matters as well, which is not linear. It is at most
the sum of the divisors; only resamples that this bound leaves undecided are counted exactly.

The same holds for lists of other systems each: an item of a list has the bit of its translation.

acc_eq at its best epsilon. A pair of systems on a segment is one of four (`CELLS`) after a swap. All four differences
of all pairs are sorted once, and cut into blocks. For a resample, the gains of its pairs by becoming ties are summed by
block: this gives the sums at the ends of blocks, and a bound on how much higher a sum within a block can be. Only
blocks that could hold the greatest sum are examined pair by pair.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.agreement.statistics import (
    BY_SIGNS,
    CLOSE,
    AgreementStatistic,
    AlignedScores,
    KendallConvention,
    calibrate,
    divide_or_nan,
    mean_and_count,
    mean_over_segments,
    pair_indices,
    pair_weights,
    system_means,
    values_of_means,
    values_of_stack,
)
from rankscope.kernels.pairs import sort_pairs
from rankscope.kernels.resample import Draws
from rankscope.kernels.subset_pairs import prepare_subset_pairs, subset_surplus
from rankscope.kernels.swaps import form_values, grouped_bits, linear_values, swap_bits
from rankscope.stats.correlation_values import rank_rows, surplus_by_row
from rankscope.typing import Bools, Bytes, Floats, Floats32, Ints

__all__ = [
    "ZERO_SQUARES",
    "Swaps",
    "best_accuracy_differences",
    "cell_differences",
    "convention_differences",
    "differences_by_matrix",
    "flat_tau_differences",
    "forms_of",
    "gold_signs",
    "list_weights",
    "mean_differences",
    "pearson_differences",
    "permuted_differences",
    "signs_of",
    "tau_differences",
    "weighted_sums",
]


#: Sums of squares this small, in units of the greatest, are 0 up to rounding.
ZERO_SQUARES = 1e-14


class Swaps(NamedTuple):
    """The random swaps of two metrics' scores; each loop over it gives the same.

    Attributes
    ----------
    scores
        The scores of people, and where they stand.
    draws
        The resamples.
    unit
        What is swapped at once: cells (all scores of one translation), systems or segments.
    """

    scores: AlignedScores
    draws: Draws
    unit: str

    def bits(self) -> Iterator[Bytes]:
        """(resamples, lists, items), chunk by chunk: 1 where the two scores change places."""
        scores = self.scores
        for bits in swap_bits(self.draws, (len(scores.systems), len(scores.segments)), self.unit):
            yield bits if scores.is_grid else bits[:, scores.segment[:, None], scores.system]


def by_group(matrices: Floats, grouping: str) -> Floats:
    """Matrices (..., systems, segments) as (groups, ..., cells of a group), in the order of `grouped_bits`."""
    if grouping == "none":
        return matrices.swapaxes(-1, -2).reshape(1, *matrices.shape[:-2], -1)
    return np.moveaxis(matrices, -1 if grouping == "segment" else -2, 0)


def pearson_differences(gold: Floats, pair: Floats, grouping: str, swaps: Swaps) -> Iterator[Floats]:
    """Differences of the mean over groups of Pearson's correlation, first permuted metric minus second, in chunks.

    A swapped cell changes a group's sums of scores, squares and products with gold by the differences of the two
    metrics, so each sum is linear in the bits.

    Parameters
    ----------
    gold
        Human scores, (items, lists); NaN where a metric has no score.
    pair
        Scores of the two metrics, (2, items, lists); NaN at the same cells.
    grouping
        As in `metric_values`.
    swaps
        The random swaps.
    """
    gold_groups, first, second = (by_group(matrix, grouping) for matrix in (gold, *pair))
    present = ~np.isnan(gold_groups)
    n = np.count_nonzero(present, axis=1)
    gold_groups = centre_and_scale(
        gold_groups, np.nanmean(np.where(present, gold_groups, 0.0), axis=1, keepdims=True, where=present), present
    )
    # One shift and one unit for both metrics, so that a swap changes neither.
    centre = np.nanmean(np.where(present, (first + second) / 2, 0.0), axis=1, keepdims=True, where=present)
    scale = greatest(np.maximum(np.abs(first - centre), np.abs(second - centre)), present)
    first, second = (np.where(present, (scores - centre) / scale, 0.0) for scores in (first, second))
    terms = [np.stack((scores, scores * scores, scores * gold_groups), axis=-1) for scores in (first, second)]
    first_sums, second_sums = (metric_terms.sum(axis=1)[:, None] for metric_terms in terms)
    change = terms[1] - terms[0]
    gold_squares = (gold_groups * gold_groups).sum(axis=1)
    for bits in swaps.bits():
        swap_changes = linear_values(grouped_bits(bits, grouping), change)
        values = [
            correlations(sums, n, gold_squares) for sums in (first_sums + swap_changes, second_sums - swap_changes)
        ]
        first_values, second_values = (
            mean_over_segments(swaps.scores, by_list.T) if grouping == "segment" else mean_and_count(by_list.T)[0]
            for by_list in values
        )
        yield first_values - second_values


def greatest(values: Floats, present: Bools) -> Floats:
    """(groups, 1) the greatest value of each group, 1 where it is 0."""
    maximum = np.max(values, axis=1, keepdims=True, initial=0.0, where=present)
    return np.where(maximum > 0, maximum, 1.0)


def centre_and_scale(values: Floats, mean: Floats, present: Bools) -> Floats:
    """Deviations from the mean, the greatest of them 1; 0 where there is no value, and for constants."""
    centred = values - mean
    max_deviation, max_value = (
        np.max(np.abs(v), axis=1, keepdims=True, initial=0.0, where=present) for v in (centred, values)
    )
    constant = max_deviation <= 1e-10 * max_value  # a constant equals its mean up to rounding
    return np.where(present & ~constant, centred / np.where(constant, 1.0, max_deviation), 0.0)


def correlations(sums: Floats, n: npt.NDArray[np.int_], gold_squares: Floats) -> Floats:
    """(groups, resamples) from sums (groups, resamples, 3) of the metric, its squares, its products with gold."""
    total, squares, products = np.moveaxis(sums, -1, 0)
    centred_squares = squares - total * total / n[:, None]
    denominator = np.sqrt(
        np.where(centred_squares > ZERO_SQUARES * n[:, None], centred_squares, 0.0) * gold_squares[:, None]
    )
    return np.asarray(np.clip(divide_or_nan(products, denominator), -1.0, 1.0))


def mean_differences(gold: Floats, pair: Floats, statistic: str, swaps: Swaps) -> Iterator[Floats]:
    """(resamples), chunk by chunk: a statistic of the systems' means, first metric less second."""
    gold_means = system_means(gold[None])
    n_segments = np.count_nonzero(~np.isnan(gold), axis=1)
    first, second = np.nan_to_num(pair)
    change = by_group((second - first) / n_segments[:, None], "system")[..., None]
    first_means, second_means = (scores.sum(axis=1) / n_segments for scores in (first, second))
    for bits in swaps.bits():
        swap_changes = linear_values(grouped_bits(bits, "system"), change)[:, :, 0].T
        values = [
            values_of_means(gold_means, means, statistic)
            for means in (first_means + swap_changes, second_means - swap_changes)
        ]
        yield values[0] - values[1]


Signs = npt.NDArray[np.int8]
#: The cells 00, 10, 01, 11: the metric from which each of the pair's two systems has its score.
CELLS = ((0, 0), (1, 0), (0, 1), (1, 1))


def signs_of(score_differences: Floats, epsilon: float) -> Signs:
    """The signs of differences: 0 for differences of at most epsilon, and for NaN."""
    signs = np.sign(np.nan_to_num(score_differences)).astype(np.int8)
    if epsilon > 0:
        signs[np.abs(score_differences) <= epsilon * (1 + CLOSE)] = 0
    return signs


def cell_differences(pair: Floats) -> Floats:
    """(4, segments, pairs) the four differences of each pair of systems; pair: (2, systems, segments)."""
    first, second = pair_indices(pair.shape[1])
    by_segment = pair.swapaxes(1, 2)
    return np.stack([by_segment[a][:, first] - by_segment[b][:, second] for a, b in CELLS])


def gold_signs(gold: Floats, least: float = 0.0) -> tuple[Signs, Bools]:
    """(lists, pairs) the signs of gold's differences, and whether both items have a score; least: pairs with a smaller
    difference are none.
    """
    first, second = pair_indices(len(gold))
    score_differences = gold.T[:, first] - gold.T[:, second]
    paired = ~np.isnan(score_differences)
    if least > 0:
        paired &= np.abs(score_differences) >= least * (1 - CLOSE)
    return np.sign(np.nan_to_num(score_differences)).astype(np.int8), paired


def forms_of(table: npt.NDArray[np.int8], n_systems: int) -> Floats32:
    """Quadratic forms (segments, systems, systems) of a table (4, segments, pairs) of the counts of each cell of CELLS.

    Linear terms are on the diagonal, products above it.
    """
    first, second = pair_indices(n_systems)
    value_00, value_10, value_01, value_11 = table.astype(np.float32)
    forms = np.zeros((table.shape[1], n_systems, n_systems), np.float32)
    forms[:, first, second] = value_11 - value_10 - value_01 + value_00
    is_first, is_second = np.zeros((2, first.size, n_systems), np.float32)
    is_first[np.arange(first.size), first] = is_second[np.arange(first.size), second] = 1
    diagonal = np.arange(n_systems)
    forms[:, diagonal, diagonal] = (value_10 - value_00) @ is_first + (value_01 - value_00) @ is_second
    return forms


def weighted_sums(forms: Floats32, constant: Floats, weights: Floats, swaps: Swaps) -> Iterator[Floats]:
    """(resamples), chunk by chunk: the sum over lists of weight x (constant + form of the bits); NaN where all weights
    are 0.
    """
    n_systems = forms.shape[1]
    diagonal = np.arange(n_systems)
    linear = forms[:, diagonal, diagonal] * weights[:, None]
    is_linear = not np.triu(forms, 1).any()
    for bits in swaps.bits():
        if is_linear:
            sums = linear_values(grouped_bits(bits, "none"), linear.reshape(1, -1, 1))[0, :, 0]
        else:
            sums = weights @ form_values(grouped_bits(bits, "segment"), forms)
        yield sums + (float(weights @ constant) if weights.any() else np.nan)


def list_weights(paired: Bools, grouping: str, scores: AlignedScores) -> Floats:
    """(lists) the weight of a pair: with grouping "segment" all segments weigh the same, with "none" all pairs."""
    n_pairs = np.count_nonzero(paired, axis=1)
    if grouping == "none":
        return np.full(len(n_pairs), 1 / n_pairs.sum() if n_pairs.any() else 0.0)
    return pair_weights(paired, scores.segment)


def divide_or_0(numerator: Floats, denominator: npt.NDArray[np.generic]) -> Floats:
    return np.nan_to_num(divide_or_nan(numerator, denominator))


#: Coefficients that the quadratic forms count exactly: whole numbers up to this.
MAX_COEFFICIENT = 31


def has_exact_forms(convention: KendallConvention) -> bool:
    """Whether the same pairs count whatever the metric says, and their coefficients are small whole numbers."""
    coefficients = convention.numerator
    return convention.keeps_pairs and bool(
        ((coefficients == np.rint(coefficients)) & (np.abs(coefficients) <= MAX_COEFFICIENT)).all()
    )


def convention_differences(
    gold: Floats, pair: Floats, convention: KendallConvention, epsilons: Floats, grouping: str, swaps: Swaps
) -> Iterator[Floats]:
    """The value of a convention that keeps its pairs: the first permuted metric less the second, each with its own
    epsilon after any swaps.
    """
    human_signs, paired = gold_signs(gold, convention.min_difference)
    paired &= np.where(human_signs == 0, convention.denominator[2], convention.denominator[0]) > 0
    score_differences = cell_differences(pair)
    coefficients = convention.numerator.astype(np.int8)
    counts = [
        coefficients[BY_SIGNS[human_signs + 1, signs_of(score_differences, float(epsilon)) + 1]] * paired
        for epsilon in epsilons
    ]
    table = counts[0] - counts[1][::-1]
    constant = table[0].sum(axis=1).astype(np.float64)
    yield from weighted_sums(forms_of(table, len(gold)), constant, list_weights(paired, grouping, swaps.scores), swaps)


def tau_differences(gold: Floats, pair: Floats, swaps: Swaps) -> Iterator[Floats]:
    """Kendall's tau-b of each list, and the mean of those that have one: first metric less second."""
    human_signs, paired = gold_signs(gold)
    metric_signs = signs_of(cell_differences(pair), 0.0)
    sign_products = metric_signs * human_signs
    n_untied_gold = np.count_nonzero(human_signs, axis=1)
    if not (metric_signs == 0)[:, paired].any():  # no ties: the denominator never changes
        n_pairs = np.count_nonzero(paired, axis=1)
        weights = divide_or_0(np.ones(len(n_untied_gold)), np.sqrt(n_untied_gold * n_pairs))
        weights *= pair_weights(n_untied_gold[:, None] > 0, swaps.scores.segment)
        table = sign_products - sign_products[::-1]
        yield from weighted_sums(forms_of(table, len(gold)), table[0].sum(axis=1).astype(np.float64), weights, swaps)
        return
    untied = ((metric_signs != 0) & paired).astype(np.int8)
    forms_and_constants = [
        (forms_of(table, len(gold)), table[0].sum(axis=1)[:, None])
        for table in (sign_products, untied, sign_products[::-1], untied[::-1])
    ]
    for bits in swaps.bits():
        segment_bits = grouped_bits(bits, "segment")
        first_surplus, first_untied, second_surplus, second_untied = (
            form_values(segment_bits, form) + constant for form, constant in forms_and_constants
        )
        taus = [
            divide_or_nan(surplus.astype(np.float64), np.sqrt(n_untied_gold[:, None] * untied.astype(np.float64)))
            for surplus, untied in ((first_surplus, first_untied), (second_surplus, second_untied))
        ]
        yield mean_over_segments(swaps.scores, taus[0].T) - mean_over_segments(swaps.scores, taus[1].T)


#: Values this close to the observed one are computed exactly, too.
TAU_TOLERANCE = 1e-9
#: How many numbers the lists hold that are counted exactly at once.
CHUNK_NUMBERS = 1 << 20
#: The most cells for which the structure for fast counting (`SubsetPairs`) is built: it takes 400 MB.
MAX_PREPARED_CELLS = 100_000


def flat_tau_differences(gold: Floats, pair: Floats, swaps: Swaps, observed: float | None = None) -> Iterator[Floats]:
    """Differences of tau-b over all cells, first permuted metric minus second, in chunks of (resamples).

    Parameters
    ----------
    gold
        Human scores, (items, lists); NaN where a metric has no score.
    pair
        Scores of the two metrics, (2, items, lists); NaN at the same cells.
    swaps
        The random swaps.
    observed
        If given, only values that may be at least as far from 0 as this one are exact; others are approximate, on the
        correct side.
    """
    present = ~np.isnan(gold)
    gold_scores, (first, second) = gold.T[present.T], (scores.T[present.T] for scores in pair)
    n = gold_scores.size
    n_pairs = n * (n - 1) // 2
    n_untied_gold = n_pairs - tied_pairs(gold_scores)
    cell_surplus = pooled_surplus(gold_scores, first, second)
    tied_points = TiedPoints.of(first, second)
    points = None
    if observed is None and tied_points.sizes.size and n <= MAX_PREPARED_CELLS:  # all will be counted exactly
        points = prepare_subset_pairs(np.concatenate((gold_scores, gold_scores)), np.concatenate((first, second)))
    for bits in swaps.bits():
        swapped = bits[:, present.T]
        surplus_differences = (cell_surplus.sum() - 2 * (swapped.astype(np.float64) @ cell_surplus)) / 2
        n_ties = tied_points.tied_pairs(swapped)
        divisors = np.sqrt(n_untied_gold * (n_pairs - n_ties).astype(np.float64))
        defined = (divisors > 0).all(axis=1)
        reciprocals = np.divide(1.0, divisors, out=np.zeros(divisors.shape), where=divisors > 0)
        values = surplus_differences * reciprocals.sum(axis=1) / 2
        # Half the sum of both K is at most half the sum of the divisors.
        margins = np.abs(reciprocals[:, 0] - reciprocals[:, 1]) * divisors.sum(axis=1) / 2
        undecided = margins > 0
        if observed is not None:
            near = np.minimum(np.abs(values - observed), np.abs(values + observed)) <= margins + TAU_TOLERANCE
            undecided &= near
        values[~defined] = np.nan
        rows = np.flatnonzero(undecided & defined)
        chunk_size = max(1, CHUNK_NUMBERS // max(n, 1))
        for start in range(0, rows.size, chunk_size):
            chunk = rows[start : start + chunk_size]
            if points is None:
                first_surplus = surplus_of_rows(gold_scores, np.where(swapped[chunk] == 1, second, first))
            else:
                first_surplus = subset_surplus(points, np.concatenate((1 - swapped[chunk], swapped[chunk]), axis=1))
            second_surplus = first_surplus - surplus_differences[chunk]
            values[chunk] = first_surplus * reciprocals[chunk, 0] - second_surplus * reciprocals[chunk, 1]
        yield values


def tied_pairs(values: Floats) -> int:
    group_sizes = np.unique(values, return_counts=True)[1]
    return int((group_sizes * (group_sizes - 1) // 2).sum())


def pooled_surplus(gold: Floats, first: Floats, second: Floats) -> Floats:
    """(cells) concordant less discordant pairs, with all points, of the cell's first point less those of its second."""
    arranged = sort_pairs(np.concatenate((gold, gold)), np.concatenate((first, second)))
    surplus = np.empty(2 * gold.size)
    surplus[arranged.order] = arranged.concordant - arranged.discordant_before - arranged.discordant_behind
    return np.asarray(surplus[: gold.size] - surplus[gold.size :])


def surplus_of_rows(gold: Floats, rows: Floats) -> Ints:
    """(rows) concordant less discordant pairs of each row with gold, by sorting each row."""
    gold_ranks = rank_rows(gold[None]).rows(np.zeros(len(rows), np.int64))
    return surplus_by_row(gold_ranks, rank_rows(rows))


class TiedPoints:
    """Groups of points with equal scores, of both metrics: they count how many tied pairs each permuted metric has.

    cell: (points) the cell of each point, group by group. of_second: (points) whether the point is the second metric's.
    starts: (groups) where each group begins. sizes: (groups) how many points it has.
    """

    def __init__(self, cell: Ints, of_second: Bytes, starts: Ints, sizes: Ints) -> None:
        self.cell, self.of_second, self.starts, self.sizes = cell, of_second, starts, sizes

    @classmethod
    def of(cls, first: Floats, second: Floats) -> TiedPoints:
        """The tied points of two metrics' scores, both (cells)."""
        pooled = np.concatenate((first, second))
        order = np.argsort(pooled, kind="stable")
        sorted_scores = pooled[order]
        group_starts = np.flatnonzero(np.append(True, sorted_scores[1:] != sorted_scores[:-1]))
        sizes = np.diff(np.append(group_starts, pooled.size))
        points = order[np.repeat(sizes > 1, sizes)]
        sizes = sizes[sizes > 1]
        n = first.size
        starts = np.cumsum(sizes) - sizes
        return cls(points % n, (points >= n).astype(np.uint8), starts, sizes)

    def tied_pairs(self, swapped: Bytes) -> Ints:
        """(resamples, 2) the tied pairs of the first and of the second permuted metric; swapped: (resamples, cells)."""
        if not self.sizes.size:
            return np.zeros((len(swapped), 2), np.int64)
        in_first = (swapped[:, self.cell] == self.of_second).view(np.uint8)
        n_in_first = np.add.reduceat(in_first, self.starts, axis=1, dtype=np.int32).astype(np.int64)
        n_in_second = self.sizes - n_in_first
        return np.stack(
            [(n_points * (n_points - 1) // 2).sum(axis=1) for n_points in (n_in_first, n_in_second)], axis=1
        )


Keys = npt.NDArray[np.uint16]
#: How many differences a block has, and the greatest number of blocks: two keys per block fit 16 bits.
BLOCK_SIZE, MAX_BLOCKS = 256, 8000
#: How many pairs of resamples are processed at once: few enough for the processor's cache.
CHUNK_PAIRS = 1 << 19


class RisingDifferences(NamedTuple):
    """The n differences that change the statistic by becoming ties, by rising size, in blocks of whole groups of equal
    differences.

    Attributes
    ----------
    keys
        (4, pairs, segments) for each of a pair's four differences twice its block, and 1 more where the tie is a
        gain; for a difference without effect, twice the number of blocks.
    pair, cell
        (n) the pair (of pairs x segments), and which of its four differences.
    change
        (n) the weight gained, or lost, below 0.
    is_last
        (n) whether it is the last of its group.
    block_starts
        (blocks + 1) where each block begins.
    several_groups
        (blocks) whether it has several groups.
    """

    keys: Keys
    pair: Ints
    cell: Bytes
    change: Floats
    is_last: Bools
    block_starts: Ints
    several_groups: Bools


def best_accuracy_differences(gold: Floats, pair: Floats, grouping: str, swaps: Swaps) -> Iterator[Floats]:
    """Differences of acc_eq at the best epsilon of each permuted metric, first minus second, in chunks of (resamples).

    Parameters
    ----------
    gold
        Human scores, (items, lists); NaN where a metric has no score.
    pair
        Scores of the two metrics, (2, items, lists); NaN at the same cells.
    grouping
        As in `metric_values`.
    swaps
        The random swaps.
    """
    human_signs, paired = gold_signs(gold)
    weights = list_weights(paired, grouping, swaps.scores)
    score_differences = cell_differences(pair)
    correct = (signs_of(score_differences, 0.0) == human_signs) & paired
    table = correct.astype(np.int8) - correct[::-1]
    zero_epsilon_values = weighted_sums(
        forms_of(table, len(gold)), table[0].sum(axis=1).astype(np.float64), weights, swaps
    )
    human_ties = (human_signs == 0) & paired
    if not (human_ties & (score_differences != 0)).any():  # nothing to gain: no epsilon is better than 0
        yield from zero_epsilon_values
        return
    rising = rising_differences(np.abs(score_differences), correct, human_ties, weights)
    for bits, zero_epsilon_chunk in zip(swaps.bits(), zero_epsilon_values, strict=True):
        chunk_size = max(1, CHUNK_PAIRS // (human_ties.size or 1))
        gains = [
            best_gains(bits[start : start + chunk_size], rising, weights) for start in range(0, len(bits), chunk_size)
        ]
        yield zero_epsilon_chunk + np.concatenate(gains)


def rising_differences(distances: Floats, correct: Bools, human_ties: Bools, weights: Floats) -> RisingDifferences:
    """Sort the differences that change acc_eq by becoming ties.

    By becoming a tie, a correct pair that people did not tie is lost; one that people tied is won, unless it is a tie
    already.

    Parameters
    ----------
    distances, correct
        (4, segments, pairs) absolute differences, and whether their signs agree with people's.
    human_ties
        (segments, pairs) whether people tied the pair.
    weights
        (segments) the weight of the pairs of each list in the statistic.
    """
    distances, correct, human_ties = distances.transpose(0, 2, 1), correct.transpose(0, 2, 1), human_ties.T
    change = (human_ties.astype(np.int8) - (correct & ~human_ties)) * (distances > 0)
    changing = np.flatnonzero(change)
    changing = changing[np.argsort(distances.ravel()[changing], kind="stable")]
    sorted_distances = distances.ravel()[changing]
    is_last = np.append(sorted_distances[1:] > sorted_distances[:-1] * (1 + CLOSE), True)
    group_starts = np.flatnonzero(np.append(True, is_last[:-1]))
    group_lengths = np.diff(np.append(group_starts, changing.size))
    block_size = max(BLOCK_SIZE, changing.size // MAX_BLOCKS)
    # A group of equal differences is in the block where it begins; a long group has a block of its own.
    block_labels = group_starts // block_size * 2 + (group_lengths > block_size)
    group_blocks = np.cumsum(
        np.append(False, (block_labels[1:] != block_labels[:-1]) | (group_lengths[1:] > block_size))
    )
    block_indices = np.repeat(group_blocks, group_lengths)
    n_blocks = int(block_indices[-1]) + 1
    keys = np.full(change.size, 2 * n_blocks, np.uint16)
    keys[changing] = 2 * block_indices + (change.ravel()[changing] > 0)
    n_pairs = human_ties.size
    return RisingDifferences(
        keys=keys.reshape(change.shape),
        pair=changing % n_pairs,
        cell=(changing // n_pairs).astype(np.uint8),
        change=change.ravel()[changing] * weights[changing % human_ties.shape[1]],
        is_last=is_last,
        block_starts=np.searchsorted(block_indices, np.arange(n_blocks + 1)),
        several_groups=np.bincount(group_blocks, minlength=n_blocks) > 1,
    )


def best_gains(bits: Bytes, rising: RisingDifferences, weights: Floats) -> Floats:
    """(resamples) the gain of the first metric by its best epsilon, less that of the second."""
    n_resamples, n_systems = len(bits), bits.shape[2]
    first, second = pair_indices(n_systems)
    by_system = np.ascontiguousarray(bits.transpose(0, 2, 1))
    cells = by_system[:, first] + 2 * by_system[:, second]  # (resamples, pairs, segments), the index in CELLS
    masks = -by_system.astype(np.uint16)  # all bits 1, or none
    x, y = masks[:, first], masks[:, second]
    both_masks = x & y
    equal_weights = bool((weights == weights[0]).all())
    gains = []
    for keys, metric_cells in ((rising.keys, cells), (rising.keys[::-1], 3 - cells)):
        # The key of the pair's cell, one of four, selected by exclusive or.
        pair_keys = x & (keys[0] ^ keys[1])
        pair_keys ^= y & (keys[0] ^ keys[2])
        pair_keys ^= both_masks & (keys[0] ^ keys[1] ^ keys[2] ^ keys[3])
        pair_keys ^= keys[0]
        n_keys = 2 * rising.several_groups.size + 2
        bins = pair_keys.reshape(n_resamples, -1).astype(np.int64)
        bins += (np.arange(n_resamples) * n_keys)[:, None]
        bin_weights = None if equal_weights else np.broadcast_to(weights, pair_keys.shape).ravel()
        counts = np.bincount(bins.ravel(), bin_weights, n_resamples * n_keys).astype(np.float64)
        block_sums = counts.reshape(n_resamples, -1, 2)[:, :-1] * (weights[0] if equal_weights else 1.0)
        gains.append(greatest_sums(block_sums, metric_cells.reshape(n_resamples, -1), rising))
    return np.asarray(gains[0] - gains[1])


def greatest_sums(sums: Floats, cells: Bytes, rising: RisingDifferences) -> Floats:
    """(resamples) the greatest sum along the rising differences, at least 0.

    sums: (resamples, blocks, 2) what is lost and what is won in each block. cells: (resamples, pairs x segments).
    """
    lost, won = sums[:, :, 0], sums[:, :, 1]
    sums_after = np.cumsum(won - lost, axis=1)
    best = np.maximum(sums_after.max(axis=1), 0.0)
    sums_before = sums_after - won + lost
    row, block = np.nonzero((sums_before + won > best[:, None]) & rising.several_groups)
    if not row.size:
        return np.asarray(best)
    longest = int(np.diff(rising.block_starts)[rising.several_groups].max())
    positions = rising.block_starts[block][:, None] + np.arange(longest)
    inside = positions < rising.block_starts[block + 1][:, None]
    positions = np.minimum(positions, rising.is_last.size - 1)
    matches = inside & (cells[row[:, None], rising.pair[positions]] == rising.cell[positions])
    running_sums = (
        np.cumsum(np.where(matches, rising.change[positions], 0.0), axis=1) + sums_before[row, block][:, None]
    )
    np.maximum.at(best, row, np.where(inside & rising.is_last[positions], running_sums, 0.0).max(axis=1))
    return np.asarray(best)


def permuted_differences(
    scores: AlignedScores,
    pair: Floats,
    statistic: AgreementStatistic,
    grouping: str,
    epsilons: Floats | None,
    draws: Draws,
    swap: str,
    soft: Draws,
    observed: float | None = None,
) -> Iterator[Floats]:
    """Differences of the statistic after the swaps, first metric minus second, in chunks of (resamples).

    Parameters
    ----------
    scores
        The scores of people; NaN where a metric has no score.
    pair
        Scores of the two metrics, (2, lists, items); NaN at the same cells.
    statistic, grouping
        As in `metric_values`.
    epsilons
        The epsilons of both metrics for statistics of pairs, (2); None to calibrate them again for each permuted
        metric.
    draws
        The random swaps.
    swap
        What is swapped at once.
    soft
        Swaps for soft pairwise accuracy.
    observed
        If given, values that are certainly on one side of it may be approximate.
    """
    gold, matrices, swaps = scores.people.T, pair.swapaxes(1, 2), Swaps(scores, draws, swap)
    name, convention = statistic.name, statistic.convention
    if scores.weight is None and convention is not None and grouping != "system":
        if epsilons is None:
            return best_accuracy_differences(gold, matrices, grouping, swaps)
        if has_exact_forms(convention):
            return convention_differences(gold, matrices, convention, epsilons, grouping, swaps)
    if scores.weight is None and convention is None:
        if grouping == "means" and name != "soft_pairwise_accuracy":
            return mean_differences(gold, matrices, name, swaps)
        if name == "pearson" and (grouping != "system" or scores.is_grid):
            return pearson_differences(gold, matrices, grouping, swaps)
        if name == "kendall_b" and grouping == "segment":
            return tau_differences(gold, matrices, swaps)
        if name == "kendall_b" and grouping == "none":
            return flat_tau_differences(gold, matrices, swaps, observed)
    return differences_by_matrix(scores, pair, statistic, grouping, epsilons, draws, swap, soft)


def differences_by_matrix(
    scores: AlignedScores,
    pair: Floats,
    statistic: AgreementStatistic,
    grouping: str,
    epsilons: Floats | None,
    draws: Draws,
    swap: str,
    soft: Draws,
) -> Iterator[Floats]:
    """As `permuted_differences`, by computing the statistic of every permuted matrix: slow, and for all statistics."""
    first, second = pair
    for bits in Swaps(scores, draws, swap).bits():
        swapped = bits.astype(np.bool_)
        values = []
        for k, (if_swapped, if_kept) in enumerate(((second, first), (first, second))):
            stack = np.where(swapped, if_swapped, if_kept)
            if epsilons is None and statistic.convention is not None:
                values.append(best_values(scores, stack, statistic.convention, grouping))
            else:
                epsilon = np.nan if epsilons is None else float(epsilons[k])
                values.append(values_of_stack(scores, stack, statistic, grouping, epsilon, soft))
        yield values[0] - values[1]


def best_values(scores: AlignedScores, stack: Floats, convention: KendallConvention, grouping: str) -> Floats:
    """(matrices) the value of each matrix at its best epsilon."""
    return np.array(
        [
            calibrate(scores.people, matrix, convention=convention, grouping=grouping, segment=scores.segment).value
            for matrix in stack
        ]
    )
