"""Pairwise comparisons: how many voters rank each item above each other one, and which item wins by majority."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.data.votes import Votes
from rankscope.kernels.rounding_ties import SOLVED
from rankscope.stats.inputs import refuse_pairs
from rankscope.typing import Bools, Floats, Ints

__all__ = [
    "comparison_sums",
    "half_ties",
    "majority_wins",
    "place_codes",
    "preference_matrices",
    "preference_matrix",
    "preference_matrix_chunks",
    "refuse_items",
    "strength_levels",
]


Codes = npt.NDArray[Any]
#: Comparisons made at once: few enough for the processor's cache.
AT_ONCE = 1 << 18
#: Numbers in the matrices of a chunk of draws.
MATRIX_NUMBERS = 1 << 23
#: Voters whose comparisons can be counted in a byte.
IN_A_BYTE = 255
#: Whole numbers up to here are exact in float32, which is twice as fast.
EXACT_IN_SINGLE = 1 << 24


def preference_matrix(votes: Votes, unranked: str = "average") -> Floats:
    """(items, items) the weight of the voters who rank the item of the row above that of the column."""
    return np.asarray(preference_matrices(votes, votes.weights[None], unranked)[0])


def preference_matrices(votes: Votes, weights: Floats, unranked: str = "average") -> Floats:
    """(draws, items, items) the preference matrix of each row of weights, (draws, voters). Exact for whole numbers.

    unranked: by "ignore" only voters who ranked both count; else unranked items stand behind ranked ones, tied.
    """
    row_codes, column_codes = place_codes(votes.fill_unranked(unranked))
    return comparison_sums(weights, row_codes, column_codes)


def preference_matrix_chunks(
    votes: Votes, weights: Floats, unranked: str = "average", max_numbers: int = MATRIX_NUMBERS
) -> Iterator[tuple[slice, Floats]]:
    """The preference matrices of the draws in chunks of a few dozen megabytes, each with the slice of its draws."""
    draws_at_once = max(1, max_numbers // len(votes.items) ** 2)
    for start in range(0, len(weights), draws_at_once):
        draws = slice(start, start + draws_at_once)
        yield draws, preference_matrices(votes, weights[draws], unranked)


def place_codes(places: Floats, offset: int = 0) -> tuple[Codes, Codes]:
    """Places as small whole numbers, twice: an item of the first is above one of the second where it is smaller.

    Items without a place, NaN, are the greatest in the first and 0 in the second, so that they are neither above nor
    below any item. offset: added to the second; with 1 an item is also above itself and the items tied with it.
    """
    highest_code = 2 * places.shape[1] + 2
    dtype = (
        np.uint8
        if highest_code <= np.iinfo(np.uint8).max
        else np.uint16
        if highest_code <= np.iinfo(np.uint16).max
        else np.uint32
    )
    ranked = ~np.isnan(places)
    # Whole numbers: the mean of first and last place is a multiple of one half.
    doubled = np.where(ranked, 2 * places, 0)
    return np.where(ranked, doubled, highest_code).astype(dtype), np.where(ranked, doubled + offset, 0).astype(dtype)


def comparison_sums(weights: Floats, row_codes: Codes, column_codes: Codes, shares: Floats | None = None) -> Floats:
    """(draws, items, items) the summed weights of the voters whose row code is below the column code.

    row_codes, column_codes: (voters, items). shares: (voters, items) factors of a voter's weight, one an item of the
    column.
    """
    n = row_codes.shape[1]
    refuse_items(n)
    if shares is None and len(weights) == 1:
        has_weight = weights[0] > 0
        distinct_weights = np.unique(weights[0, has_weight])
        if distinct_weights.size == 1:  # the usual case: voters are counted, in bytes
            return np.asarray(distinct_weights[0] * count_voters(row_codes[has_weight], column_codes[has_weight]))[None]
    integral = shares is None and bool((weights == np.rint(weights)).all())
    dtype = np.float32 if integral and weights.sum(axis=1).max(initial=0) < EXACT_IN_SINGLE else np.float64
    typed_weights: npt.NDArray[Any] = weights.astype(dtype)
    sums = np.zeros((len(weights), n, n))
    for rows, voters in matrix_blocks(*row_codes.shape):
        above: npt.NDArray[Any] = np.less(row_codes[voters, rows, None], column_codes[voters, None, :]).astype(dtype)
        if shares is not None:
            above = above * shares[voters, None, :]
        # One product of matrices serves all draws.
        sums[:, rows] += (typed_weights[:, voters] @ above.reshape(len(above), -1)).reshape(len(weights), -1, n)
    return sums


def refuse_items(n: int) -> None:
    """Raise InputError where all pairs of so many items are too many."""
    refuse_pairs(n, "items", "leave out items, or use rs.consensus.Borda().order(rankings), which compares no pairs")


def count_voters(row_codes: Codes, column_codes: Codes) -> Floats:
    """(items, items) the number of voters whose row code is below the column code."""
    n = row_codes.shape[1]
    counts = np.zeros((n, n), np.int64)
    for rows, voters in matrix_blocks(*row_codes.shape):
        above = np.less(row_codes[voters, rows, None], column_codes[voters, None, :])
        counts[rows] += np.add.reduce(above.view(np.uint8), axis=0, dtype=np.uint8)
    return counts.astype(np.float64)


def matrix_blocks(n_voters: int, n_items: int) -> Iterator[tuple[slice, slice]]:
    """Blocks of a few rows of the matrix and a few voters."""
    voters_at_once = min(n_voters, IN_A_BYTE, max(1, AT_ONCE // n_items))
    rows_at_once = max(1, AT_ONCE // (voters_at_once * n_items))
    for row in range(0, n_items, rows_at_once):
        for voter in range(0, n_voters, voters_at_once):
            yield slice(row, row + rows_at_once), slice(voter, voter + voters_at_once)


def majority_wins(matrices: Floats) -> Bools:
    """(draws, items, items) whether more weight is for the item of the row than for that of the column.

    Weights that differ by less than a billionth of the greatest are equal: sums of 0.1 and 0.2 are not quite 0.3.
    """
    tolerance = SOLVED * matrices.max(axis=(1, 2), keepdims=True, initial=0)
    return np.asarray(matrices > matrices.swapaxes(1, 2) + tolerance)


def half_ties(wins: Bools) -> Floats:
    """(draws, items) how many others each wins against; ties count half."""
    n = wins.shape[1]
    n_won, n_lost = wins.sum(axis=2), wins.sum(axis=1)
    return np.asarray(n_won + (n - 1 - n_won - n_lost) / 2)


def strength_levels(matrices: Floats, strength: str) -> Ints:
    """(draws, items, items) the strength of each majority as a whole number from 1, the weakest; 0 where there is none.

    Callers use only the order of strengths. Strengths that differ by less than a billionth of the greatest are equal.
    """
    wins = majority_wins(matrices)
    values = matrices if strength == "winning" else matrices - matrices.swapaxes(1, 2)
    flat = np.where(wins, values, 0.0).reshape(len(matrices), -1)
    order = np.argsort(flat, axis=1)
    sorted_values = np.take_along_axis(flat, order, axis=1)
    sorted_levels = np.zeros(flat.shape, np.int64)
    # Each row begins with a 0 of the diagonal, so that level 0 is no majority.
    tolerance = SOLVED * matrices.max(axis=(1, 2), initial=0)[:, None]
    sorted_levels[:, 1:] = np.cumsum(np.diff(sorted_values, axis=1) > tolerance, axis=1)
    levels = np.empty_like(sorted_levels)
    np.put_along_axis(levels, order, sorted_levels, axis=1)
    return levels.reshape(matrices.shape)
