"""NeuralNDCG: nDCG of a list sorted by NeuralSort's matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.errors import ParameterError
from rankscope.learning.losses.approx_ndcg import CELLS, PaddedLists, pad_lists
from rankscope.learning.losses.finite import finite_loss
from rankscope.learning.losses.gains import ideal_shares
from rankscope.stats.inputs import check_positive
from rankscope.typing import Floats, Ints, Reals

__all__ = [
    "neuralndcg",
]


#: The least sum of a row or column, so that nothing is divided by 0.
MIN_SUM = 1e-10
#: The longest list: some matrices of its documents must fit in memory.
MAX_LIST_LENGTH = 2000
#: About how many matrices are in memory at once.
N_MATRICES = 8


@finite_loss
def neuralndcg(
    scores: Reals,
    relevance: npt.NDArray[Any],
    offsets: Ints,
    *,
    temperature: float = 1.0,
    rounds: int = 10,
) -> tuple[float, Reals]:
    """NeuralNDCG: 1 - nDCG (gain 2 ** grade - 1) of the list sorted by NeuralSort; at least 0, lower is better.

    Parameters
    ----------
    scores, relevance
        The score and the grade of each document.
    offsets
        (lists + 1) where each list begins.
    temperature
        The lower it is, the closer the sorting matrix is to a permutation.
    rounds
        How often the columns and rows of the sorting matrix are scaled to sum to 1 (Sinkhorn).

    Returns
    -------
    tuple
        The mean over lists, and its gradient by the scores.

    Raises
    ------
    ParameterError
        The temperature is not above 0, rounds is below 0, or a list has more than 2,000 documents, whose matrices need
        too much memory.

    Notes
    -----
    Row r of the sorting matrix is softmax(((n + 1 - 2 r) s - sum over j of |s - s_j|) / temperature): which document is
    at rank r. A list without a document of a grade above 0 has the value 1 and no gradient.

    References
    ----------
    Pobrotyn and Bialobrzeski (2021), "NeuralNDCG"; NeuralSort: Grover et al. (2019), equation 5.

    Examples
    --------
    >>> value, _ = neuralndcg(np.array([5.0, -5.0]), np.array([1, 0]), np.array([0, 2]), temperature=0.1)
    >>> round(value, 6)
    0.0
    """
    check_positive("temperature", temperature)
    if not isinstance(rounds, (int, np.integer)) or rounds < 0:
        raise ParameterError(f"rounds is {rounds!r}, expected a whole number of at least 0")
    longest = int(np.diff(offsets).max())
    if longest > MAX_LIST_LENGTH:
        raise ParameterError(
            f"a list has {longest} documents, and neuralndcg sorts at most {MAX_LIST_LENGTH}; cut the lists, or choose "
            "approxndcg, which takes lists of any length"
        )
    shares = ideal_shares(relevance, offsets)
    total, gradient = 0.0, np.zeros(scores.size)
    for block in pad_lists(offsets, CELLS // N_MATRICES):
        padded_shares = np.where(block.mask, shares[block.rows], 0.0)
        value, block_gradient = neural_sort_value(
            scores[block.rows].astype(np.float64), padded_shares, block, temperature, rounds
        )
        total += value
        gradient[block.rows[block.mask]] = block_gradient[block.mask]
    n_lists = offsets.size - 1
    return 1.0 - total / n_lists, (gradient / n_lists).astype(scores.dtype)


def neural_sort_value(
    padded_scores: Floats, padded_shares: Floats, block: PaddedLists, temperature: float, rounds: int
) -> tuple[float, Floats]:
    """The sum of nDCG over the lists, and the gradient of its negative by the scores."""
    lengths = block.mask.sum(axis=1)
    ranks = np.arange(block.mask.shape[1]) + 1.0
    factors = np.where(block.mask, lengths[:, None] + 1 - 2 * ranks, 0.0)  # (lists, ranks)
    pair_mask = block.mask[:, :, None] & block.mask[:, None, :]
    distance_sums = np.einsum("bij,bij->bi", np.abs(padded_scores[:, :, None] - padded_scores[:, None, :]), pair_mask)
    row_softmax = factors[:, :, None] * padded_scores[:, None, :]  # first the logits
    row_softmax -= distance_sums[:, None, :]
    row_softmax /= temperature
    row_softmax[~pair_mask] = -np.inf
    greatest = np.max(row_softmax, axis=2, keepdims=True)
    row_softmax -= np.where(np.isneginf(greatest), 0.0, greatest)  # of rows behind the end of a list
    np.exp(row_softmax, out=row_softmax)
    row_softmax /= np.maximum(row_softmax.sum(axis=2, keepdims=True), MIN_SUM)
    scalings, matrix = [], row_softmax.copy()
    for step in range(2 * rounds):  # columns, rows, columns, ...
        axis = 1 if step % 2 == 0 else 2
        sums = np.maximum(matrix.sum(axis=axis, keepdims=True), MIN_SUM)
        matrix /= sums
        scalings.append((sums, axis))
    discount = np.where(block.mask, 1.0 / np.log2(ranks + 1.0), 0.0)
    value = float(np.einsum("br,brc,bc->", discount, matrix, padded_shares))
    slope = -discount[:, :, None] * padded_shares[:, None, :]
    for sums, axis in reversed(scalings):
        # A sum that was raised to MIN_SUM has no gradient.
        slope -= np.einsum("bij,bij->bj" if axis == 1 else "bij,bij->bi", slope, matrix).reshape(sums.shape) * (
            sums > MIN_SUM
        )
        slope /= sums
        matrix *= sums  # restores the matrix of the step before
    del matrix
    slope -= np.einsum("bij,bij->bi", slope, row_softmax)[:, :, None]
    slope *= row_softmax
    slope /= temperature
    distance_gradient = -slope.sum(axis=1)  # by each document's sum of distances
    signs = np.sign(padded_scores[:, :, None] - padded_scores[:, None, :])
    signs *= pair_mask
    return value, np.asarray(
        np.einsum("brc,br->bc", slope, factors)
        + distance_gradient * signs.sum(axis=2)
        + np.einsum("bij,bj->bi", signs, distance_gradient)
    )
