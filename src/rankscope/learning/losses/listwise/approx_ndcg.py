"""ApproxNDCG and ApproxMRR: measures made smooth by approximate ranks, on lists padded to a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

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


#: Cells of (lists, places, places) that are held at once: 32 MB as float64.
CELLS = 1 << 22


class PaddedLists(NamedTuple):
    """lists: (lists) which. rows: (lists, longest) the documents. mask: (lists, longest) whether there is one."""

    lists: Ints
    rows: Ints
    mask: Bools


def pad_lists(offsets: Ints, cells: int = CELLS, power: int = 2) -> Iterator[PaddedLists]:
    """All lists by length, together as long as lists x longest ** power stay within `cells`, at least one at a time.

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
        places = np.arange(int(lengths[lists[-1]]))
        mask = places < lengths[lists, None]
        yield PaddedLists(lists, np.where(mask, offsets[lists, None] + places, offsets[lists, None]), mask)
        start = stop


#: Approximate ranks to what they are worth, and its derivative.
RankDiscount = Callable[[Floats], tuple[Floats, Floats]]


def approxndcg(
    scores: Reals, relevance: npt.NDArray[Any], offsets: Ints, *, temperature: float = 0.1
) -> tuple[float, Reals]:
    """ApproxNDCG: 1 - nDCG (gain 2 ** grade - 1) with smooth ranks; in [0, 1], lower is better.

    The rank of i is 1 + the sum over the others of 1 / (1 + exp((s_i - s_j) / temperature)): the lower the temperature,
    the nearer to true ranks. A list without a document of grade 1 or more counts as 1 and has no gradient.

    Raises ParameterError for a temperature not above 0.

    Source: Qin, Liu and Li (2010), "A general approximation framework for direct optimization of information retrieval
    measures"; temperature .1: Bruch et al. (2019).

    >>> value, _ = approxndcg(np.array([0.0, 0.0]), np.array([1, 0]), np.array([0, 2]))
    >>> round(value, 6)  # both ranks are 1.5: 1 - 1 / log2(2.5)
    0.243529
    """
    share = ideal_shares(relevance, offsets)

    def worth(ranks: Floats) -> tuple[Floats, Floats]:
        logs = np.log2(1.0 + ranks)
        return 1.0 / logs, -1.0 / (logs**2 * np.log(2.0) * (1.0 + ranks))

    return smooth_measure(scores, share, offsets, temperature, worth)


def approxmrr(
    scores: Reals, relevance: npt.NDArray[Any], offsets: Ints, *, temperature: float = 0.1
) -> tuple[float, Reals]:
    """ApproxMRR: 1 - the mean over relevant documents of 1 / their smooth rank; in [0, 1], lower is better.

    With one relevant document a list, this is 1 - its smooth reciprocal rank. Ranks as in `approxndcg`; a document is
    relevant from grade 1 on. A list without one counts as 1 and has no gradient.

    Raises ParameterError for a temperature not above 0.

    Source: the smooth ranks of Qin et al. (2010) for the reciprocal rank, as in TensorFlow Ranking's approx_mrr_loss.

    >>> value, _ = approxmrr(np.array([0.0, 0.0]), np.array([1, 0]), np.array([0, 2]))
    >>> round(value, 6)  # 1 - 1 / 1.5
    0.333333
    """
    relevant = (relevance >= 1).astype(np.float64)
    n = np.add.reduceat(relevant, offsets[:-1])
    share = np.divide(relevant, np.repeat(n, np.diff(offsets)), out=np.zeros(relevant.size), where=relevant > 0)
    return smooth_measure(scores, share, offsets, temperature, lambda ranks: (1.0 / ranks, -1.0 / ranks**2))


def smooth_measure(
    scores: Reals, share: Floats, offsets: Ints, temperature: float, worth: RankDiscount
) -> tuple[float, Reals]:
    """1 - the sum over documents of their share times what their smooth rank is worth; a mean over lists."""
    check_positive("temperature", temperature)
    lists = offsets.size - 1
    total, gradient = 0.0, np.zeros(scores.size)
    for block in pad_lists(offsets):
        given, part = scores[block.rows].astype(np.float64), np.where(block.mask, share[block.rows], 0.0)
        ranks = np.concatenate(
            [approximate_ranks(given, block, rows, temperature) for rows in row_parts(block)], axis=1
        )
        value, slope = worth(ranks)
        total += float((part * value).sum())
        pull = np.where(block.mask, -part * slope, 0.0)  # of the loss by each rank
        found = np.concatenate(
            [gradient_by_scores(given, pull, block, rows, temperature) for rows in row_parts(block)], axis=1
        )
        gradient[block.rows[block.mask]] = found[block.mask]
    return 1.0 - total / lists, (gradient / lists).astype(scores.dtype)


def row_parts(block: PaddedLists) -> list[slice]:
    """Places, so many at a time that the pairs of a long list with them fit."""
    lists, longest = block.mask.shape
    step = max(CELLS // (lists * longest), 1)
    return [slice(start, start + step) for start in range(0, longest, step)]


def sigmoids(given: Floats, block: PaddedLists, rows: slice, temperature: float) -> Floats:
    """(lists, some places, places) how far the document of each column is ahead of that of the row: 0 to 1."""
    apart = (given[:, rows, None] - given[:, None, :]) / temperature
    small = np.exp(-np.abs(apart))
    found = np.where(apart >= 0, small, 1.0) / (1.0 + small)
    found *= block.mask[:, None, :]
    return np.asarray(found)


def approximate_ranks(given: Floats, block: PaddedLists, rows: slice, temperature: float) -> Floats:
    """(lists, some places) smooth ranks: a document is half ahead of itself, and that is taken away."""
    return np.asarray(0.5 + sigmoids(given, block, rows, temperature).sum(axis=2))


def gradient_by_scores(given: Floats, pull: Floats, block: PaddedLists, rows: slice, temperature: float) -> Floats:
    """(lists, some places) the gradient by scores of what pulls at ranks."""
    found = sigmoids(given, block, rows, temperature)
    slope = found * (1.0 - found) / temperature  # the same for a pair seen from either side
    slope *= block.mask[:, None, :]
    return np.asarray(np.einsum("brc,bc->br", slope, pull) - pull[:, rows] * slope.sum(axis=2))
