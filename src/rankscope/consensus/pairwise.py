"""How many voters put each item above each other one, and which wins by majority."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.data.votes import Votes
from rankscope.errors import ParameterError
from rankscope.kernels.ties import SOLVED
from rankscope.stats.inputs import refuse_pairs
from rankscope.typing import Bools, Floats, Ints

__all__ = [
    "STRENGTHS",
    "comparison_sums",
    "half_ties",
    "in_chunks",
    "majority_wins",
    "place_codes",
    "preference_matrices",
    "preference_matrix",
    "refuse_items",
    "strength_levels",
]


Codes = npt.NDArray[Any]
#: Comparisons that are made at once: what stays in the cache of a processor.
AT_ONCE = 1 << 18
#: Numbers in the matrices that a method holds at once.
HELD = 1 << 23
#: Voters whose comparisons can be counted in a byte.
IN_A_BYTE = 255
#: Whole numbers up to here are exact in float32, which is twice as fast.
EXACT_IN_SINGLE = 1 << 24


def preference_matrix(votes: Votes, unranked: str = "average") -> Floats:
    """(items, items) the weight of the voters who put the item of the row above that of the column."""
    return np.asarray(preference_matrices(votes, votes.weights[None], unranked)[0])


def preference_matrices(votes: Votes, weights: Floats, unranked: str = "average") -> Floats:
    """(draws, items, items) the same for each row of weights, (draws, voters). Exact for whole numbers.

    unranked: by "ignore" only voters who ranked both count; else unranked items stand behind ranked ones, tied.
    """
    left, right = place_codes(votes.filled(unranked))
    return comparison_sums(weights, left, right)


def in_chunks(
    votes: Votes, weights: Floats, unranked: str = "average", held: int = HELD
) -> Iterator[tuple[slice, Floats]]:
    """The matrices of some draws at a time, with the place of these draws: a few dozen megabytes at once."""
    size = max(1, held // len(votes.items) ** 2)
    for start in range(0, len(weights), size):
        draws = slice(start, start + size)
        yield draws, preference_matrices(votes, weights[draws], unranked)


def place_codes(places: Floats, reach: int = 0) -> tuple[Codes, Codes]:
    """Places as small whole numbers, twice: an item of the first is above one of the second where it is smaller.

    Items without a place, NaN, are the greatest in the first and 0 in the second, so that they are above none and below
    none. reach: added to the second; with 1 an item is above itself and those it is tied with, too.
    """
    top = 2 * places.shape[1] + 2
    kind = np.uint8 if top <= np.iinfo(np.uint8).max else np.uint16 if top <= np.iinfo(np.uint16).max else np.uint32
    there = ~np.isnan(places)
    doubled = np.where(there, 2 * places, 0)  # whole: the mean of first and last place is a multiple of one half
    return np.where(there, doubled, top).astype(kind), np.where(there, doubled + reach, 0).astype(kind)


def comparison_sums(weights: Floats, left: Codes, right: Codes, shares: Floats | None = None) -> Floats:
    """(draws, items, items) the sums of the weights of the voters by whom left of the row is below right of the column.

    left, right: (voters, items). shares: (voters, items) factors of a voter's weight, one an item of the column.
    """
    n = left.shape[1]
    refuse_items(n)
    if shares is None and len(weights) == 1:
        drawn = weights[0] > 0
        counted = np.unique(weights[0, drawn])
        if counted.size == 1:  # as it mostly is: then voters are counted, in bytes
            return np.asarray(counted[0] * count_voters(left[drawn], right[drawn]))[None]
    whole = shares is None and bool((weights == np.rint(weights)).all())
    kind = np.float32 if whole and weights.sum(axis=1).max(initial=0) < EXACT_IN_SINGLE else np.float64
    typed: npt.NDArray[Any] = weights.astype(kind)
    found = np.zeros((len(weights), n, n))
    for rows, voters in blocks(*left.shape):
        above: npt.NDArray[Any] = np.less(left[voters, rows, None], right[voters, None, :]).astype(kind)
        if shares is not None:
            above = above * shares[voters, None, :]
        # One product of matrices serves all draws.
        found[:, rows] += (typed[:, voters] @ above.reshape(len(above), -1)).reshape(len(weights), -1, n)
    return found


def refuse_items(n: int) -> None:
    """Raise InputError where all pairs of so many items are too many."""
    refuse_pairs(n, "items", "leave items out, or take rs.consensus.borda(rankings), which compares no pairs")


def count_voters(left: Codes, right: Codes) -> Floats:
    """(items, items) the voters by whom left of the row is below right of the column."""
    n = left.shape[1]
    found = np.zeros((n, n), np.int64)
    for rows, voters in blocks(*left.shape):
        above = np.less(left[voters, rows, None], right[voters, None, :])
        found[rows] += np.add.reduce(above.view(np.uint8), axis=0, dtype=np.uint8)
    return found.astype(np.float64)


def blocks(voters: int, items: int) -> Iterator[tuple[slice, slice]]:
    """Rows of the matrix and voters, a few of each at a time."""
    some = min(voters, IN_A_BYTE, max(1, AT_ONCE // items))
    rows = max(1, AT_ONCE // (some * items))
    for row in range(0, items, rows):
        for voter in range(0, voters, some):
            yield slice(row, row + rows), slice(voter, voter + some)


#: How strong a majority is: by the weight of those who are for it, or by that less the weight of those against.
STRENGTHS = ("winning", "margins")


def majority_wins(matrices: Floats) -> Bools:
    """(draws, items, items) whether more weight is for the item of the row than for that of the column.

    Weights that differ by less than a billionth of the greatest are equal: sums of 0.1 and 0.2 are not quite 0.3.
    """
    room = SOLVED * matrices.max(axis=(1, 2), keepdims=True, initial=0)
    return np.asarray(matrices > matrices.swapaxes(1, 2) + room)


def half_ties(wins: Bools) -> Floats:
    """(draws, items) how many others each wins against, half of those counted with which it is tied."""
    n = wins.shape[1]
    won, lost = wins.sum(axis=2), wins.sum(axis=1)
    return np.asarray(won + (n - 1 - won - lost) / 2)


def strength_levels(matrices: Floats, strength: str) -> Ints:
    """(draws, items, items) the strength of each majority as a whole number from 1, the weakest; 0 where there is none.

    Only the order of strengths counts for who calls this. Those that differ by less than a billionth of the greatest
    are equal.
    """
    wins = majority_wins(matrices)
    values = matrices if strength == "winning" else matrices - matrices.swapaxes(1, 2)
    flat = np.where(wins, values, 0.0).reshape(len(matrices), -1)
    order = np.argsort(flat, axis=1)
    rising = np.take_along_axis(flat, order, axis=1)
    levels = np.zeros(flat.shape, np.int64)
    # Each begins with a 0 of the diagonal, so that level 0 is no majority.
    room = SOLVED * matrices.max(axis=(1, 2), initial=0)[:, None]
    levels[:, 1:] = np.cumsum(np.diff(rising, axis=1) > room, axis=1)
    found = np.empty_like(levels)
    np.put_along_axis(found, order, levels, axis=1)
    return found.reshape(matrices.shape)


def check_strength(strength: object) -> None:
    if strength not in STRENGTHS:
        raise ParameterError(f"strength is {strength!r}, expected one of {', '.join(map(repr, STRENGTHS))}")
