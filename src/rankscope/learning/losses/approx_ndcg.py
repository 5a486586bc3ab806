"""ApproxNDCG and ApproxMRR: measures that are smooth by approximate ranks, on lists padded to a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.data.grades import refuse_fractions
from rankscope.learning.losses.finite import finite_loss
from rankscope.learning.losses.gains import ideal_shares
from rankscope.stats.inputs import check_positive
from rankscope.typing import Bools, Floats, Ints, Reals

__all__ = [
    "CELLS",
    "PaddedLists",
    "approxmrr",
    "approxndcg",
    "pad_lists",
]


#: Cells of one array (lists, positions, positions): 32 MB as float64.
CELLS = 1 << 22


class PaddedLists(NamedTuple):
    """lists: (lists) indices. rows: (lists, longest) indices of documents. mask: (lists, longest) False for padding."""

    list_index: Ints
    rows: Ints
    mask: Bools


def pad_lists(offsets: Ints, cells: int = CELLS, power: int = 2) -> Iterator[PaddedLists]:
    """Blocks of lists by length, with lists x longest ** power at most `cells`, or of one list.

    >>> [block.rows.tolist() for block in pad_lists(np.array([0, 2, 3, 5]), cells=8)]
    [[[2, 2], [0, 1]], [[3, 4]]]
    """
    lengths = np.diff(offsets)
    order = np.argsort(lengths, kind="stable")
    start = 0
    while start < order.size:
        stop = start + 1
        while stop < order.size and (stop + 1 - start) * int(lengths[order[stop]]) ** power <= cells:
            stop += 1
        lists = order[start:stop]
        positions = np.arange(int(lengths[lists[-1]]))
        mask = positions < lengths[lists, None]
        yield PaddedLists(lists, np.where(mask, offsets[lists, None] + positions, offsets[lists, None]), mask)
        start = stop


#: From approximate ranks to their discounts and the derivatives of these.
RankDiscount = Callable[[Floats], tuple[Floats, Floats]]


@finite_loss
def approxndcg(
    scores: Reals, relevance: npt.NDArray[Any], offsets: Ints, *, temperature: float = 0.1
) -> tuple[float, Reals]:
    """ApproxNDCG: 1 - nDCG (gain 2 ** grade - 1) with smooth ranks; in [0, 1], lower is better.

    Parameters
    ----------
    scores, relevance
        The score and the grade of each document.
    offsets
        (lists + 1) where each list begins.
    temperature
        The lower it is, the closer the smooth ranks are to the true ranks.

    Returns
    -------
    tuple
        The mean over lists, and its gradient by the scores.

    Raises
    ------
    ParameterError
        The temperature is not above 0.

    Notes
    -----
    The rank of i is 1 + the sum over the others of 1 / (1 + exp((s_i - s_j) / temperature)). A list without a document
    of a grade above 0 has the value 1 and no gradient.

    References
    ----------
    Qin, Liu and Li (2010), "A general approximation framework for direct optimization of information retrieval
    measures"; temperature .1: Bruch et al. (2019).

    Examples
    --------
    >>> value, _ = approxndcg(np.array([0.0, 0.0]), np.array([1, 0]), np.array([0, 2]))
    >>> round(value, 6)  # both ranks are 1.5: 1 - 1 / log2(2.5)
    0.243529
    """
    shares = ideal_shares(relevance, offsets)

    def discount_and_slope(ranks: Floats) -> tuple[Floats, Floats]:
        logs = np.log2(1.0 + ranks)
        return 1.0 / logs, -1.0 / (logs**2 * np.log(2.0) * (1.0 + ranks))

    return smooth_measure(scores, shares, offsets, temperature, discount_and_slope)


@finite_loss
def approxmrr(
    scores: Reals, relevance: npt.NDArray[Any], offsets: Ints, *, temperature: float = 0.1
) -> tuple[float, Reals]:
    """ApproxMRR: 1 - the mean over relevant documents of 1 / their smooth rank; in [0, 1], lower is better.

    Parameters
    ----------
    scores, relevance
        The score and the grade of each document.
    offsets
        (lists + 1) where each list begins.
    temperature
        The lower it is, the closer the smooth ranks are to the true ranks.

    Returns
    -------
    tuple
        The mean over lists, and its gradient by the scores.

    Raises
    ------
    ParameterError
        The temperature is not above 0.
    InputError
        A grade is a fraction.

    Notes
    -----
    With one relevant document per list this is 1 - its smooth reciprocal rank. Ranks are those of `approxndcg`; a
    document is relevant from grade 1 on. A list without one has the value 1 and no gradient.

    References
    ----------
    The smooth ranks of Qin et al. (2010) for the reciprocal rank, as in TensorFlow Ranking's approx_mrr_loss.

    Examples
    --------
    >>> value, _ = approxmrr(np.array([0.0, 0.0]), np.array([1, 0]), np.array([0, 2]))
    >>> round(value, 6)  # 1 - 1 / 1.5
    0.333333
    """
    refuse_fractions(relevance, "relevance", "approxmrr", "choose approxndcg, or round the grades")
    is_relevant = (relevance >= 1).astype(np.float64)
    n_relevant = np.add.reduceat(is_relevant, offsets[:-1])
    shares = np.divide(
        is_relevant, np.repeat(n_relevant, np.diff(offsets)), out=np.zeros(is_relevant.size), where=is_relevant > 0
    )
    return smooth_measure(scores, shares, offsets, temperature, lambda ranks: (1.0 / ranks, -1.0 / ranks**2))


def smooth_measure(
    scores: Reals, shares: Floats, offsets: Ints, temperature: float, rank_discount: RankDiscount
) -> tuple[float, Reals]:
    """1 - the sum over documents of their share times the discount of their smooth rank; a mean over lists."""
    check_positive("temperature", temperature)
    n_lists = offsets.size - 1
    total, gradient = 0.0, np.zeros(scores.size)
    for block in pad_lists(offsets):
        padded_scores, padded_shares = (
            scores[block.rows].astype(np.float64),
            np.where(block.mask, shares[block.rows], 0.0),
        )
        ranks = np.concatenate(
            [approximate_ranks(padded_scores, block, rows, temperature) for rows in row_slices(block)], axis=1
        )
        discount, slope = rank_discount(ranks)
        total += float((padded_shares * discount).sum())
        rank_gradient = np.where(block.mask, -padded_shares * slope, 0.0)  # the gradient of the loss by each rank
        score_gradient = np.concatenate(
            [gradient_by_scores(padded_scores, rank_gradient, block, rows, temperature) for rows in row_slices(block)],
            axis=1,
        )
        gradient[block.rows[block.mask]] = score_gradient[block.mask]
    return 1.0 - total / n_lists, (gradient / n_lists).astype(scores.dtype)


def row_slices(block: PaddedLists) -> list[slice]:
    """Slices of positions, so short that the pairs with all positions fit in `CELLS`."""
    n_lists, longest = block.mask.shape
    rows_per_slice = max(CELLS // (n_lists * longest), 1)
    return [slice(start, start + rows_per_slice) for start in range(0, longest, rows_per_slice)]


def sigmoids(padded_scores: Floats, block: PaddedLists, rows: slice, temperature: float) -> Floats:
    """(lists, some positions, positions) how far the document of each column is ahead of that of the row: 0 to 1."""
    differences = (padded_scores[:, rows, None] - padded_scores[:, None, :]) / temperature
    exp_minus_abs = np.exp(-np.abs(differences))
    sigmoid = np.where(differences >= 0, exp_minus_abs, 1.0) / (1.0 + exp_minus_abs)
    sigmoid *= block.mask[:, None, :]
    return np.asarray(sigmoid)


def approximate_ranks(padded_scores: Floats, block: PaddedLists, rows: slice, temperature: float) -> Floats:
    """(lists, some positions) smooth ranks; a document is half ahead of itself, which is subtracted."""
    return np.asarray(0.5 + sigmoids(padded_scores, block, rows, temperature).sum(axis=2))


def gradient_by_scores(
    padded_scores: Floats, rank_gradient: Floats, block: PaddedLists, rows: slice, temperature: float
) -> Floats:
    """(lists, some positions) the gradient by scores from the gradient by ranks."""
    sigmoid = sigmoids(padded_scores, block, rows, temperature)
    slope = sigmoid * (1.0 - sigmoid) / temperature  # the same for both orders of a pair
    slope *= block.mask[:, None, :]
    return np.asarray(np.einsum("brc,bc->br", slope, rank_gradient) - rank_gradient[:, rows] * slope.sum(axis=2))
