"""The values that LETOR's scripts compute, as arrays.

They take what rankscope refuses elsewhere (repeated documents, scores that are no numbers) and measure at every rank of
every list: one table of ranks for lists of similar length. Numbers are added in the scripts' order, since LETOR 3.0
prints 15 digits.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rankscope.compat.letor.documents import ScoredDocuments, read_documents
from rankscope.compat.letor.perl import perl_number
from rankscope.compat.letor.scripts import UNKNOWN_LABEL, VERSIONS, Script
from rankscope.data.rows import decode_ids
from rankscope.errors import UnknownName
from rankscope.kernels.order import order_in_groups, stable_order
from rankscope.kernels.segments import bounds
from rankscope.typing import Floats, Ints, PathLike

__all__ = [
    "LetorValues",
    "first_columns",
    "letor_values",
]


#: Cells of one table of lists.
CELLS = 1 << 18


@dataclass(frozen=True, eq=False, kw_only=True)
class LetorValues:
    """The values that a script computes for q queries, in its order: by their ids as numbers.

    Attributes
    ----------
    query_ids
        The queries.
    lengths
        Number of documents listed, (q).
    precision, ndcg
        Values at 1, 2, ..., (q, positions). Beyond a list nDCG is 0 (undefined there), and precision is that of a list
        padded with irrelevant documents.
    average_precision, mean_ndcg
        Values over the listed documents, (q).
    """

    query_ids: tuple[str, ...]
    lengths: Ints
    precision: Floats
    average_precision: Floats
    ndcg: Floats
    mean_ndcg: Floats


def letor_values(test: PathLike, predictions: PathLike, *, preset: str = "letor4", ranks: bool = False) -> LetorValues:
    """What `letor_score` and `letor_rank` write, as arrays. Raises as they do."""
    if preset not in VERSIONS:
        raise UnknownName("version of LETOR's scripts", preset, VERSIONS)
    script = VERSIONS[preset]
    documents = read_documents(test, predictions, script)
    scores = -documents.scores if ranks else documents.scores
    # By number, then by first occurrence in the file; perl leaves the order of equal numbers to its hash.
    query_order = np.argsort(np.array([perl_number(id_) for id_ in documents.ids]), kind="stable")
    row_of_query = np.empty(query_order.size, np.int64)
    row_of_query[query_order] = np.arange(query_order.size)
    row_of_document = row_of_query[documents.query]
    order = order_in_groups(row_of_document, scores)  # equal scores in file order, NaN last
    return compute_values(documents, order, row_of_document, query_order, script)


def compute_values(
    documents: ScoredDocuments, order: Ints, row_of_document: Ints, query_order: Ints, script: Script
) -> LetorValues:
    """The values, computed for blocks of lists of similar length."""
    lengths = np.bincount(row_of_document, minlength=query_order.size)
    offsets = bounds(lengths)
    positions = min(script.positions, int(lengths.max())) if script.to_the_end else script.positions
    labels = documents.label[order]
    gains = np.zeros(UNKNOWN_LABEL + 1)
    gains[: len(script.gains)] = script.gains
    is_relevant = (gains > 0) & (np.arange(gains.size) >= script.relevant)
    precision, ndcg = np.empty((2, query_order.size, positions))
    average_precision, mean_ndcg = np.empty((2, query_order.size))
    divisors = logarithms(int(lengths.max()))
    for rows in slices_by_length(lengths):
        longest = int(lengths[rows].max())
        present = np.arange(longest) < lengths[rows, None]
        indices = np.minimum(offsets[rows, None] + np.arange(longest), labels.size - 1)
        table = np.where(present, labels[indices], UNKNOWN_LABEL)
        precision[rows], average_precision[rows] = precisions(is_relevant[table], positions)
        ndcg_table = ndcgs(gains[table], divisors[:longest])
        ndcg_table[~present] = 0.0
        ndcg[rows] = first_columns(ndcg_table, positions)
        mean_ndcg[rows] = np.cumsum(ndcg_table, axis=1)[:, -1] / lengths[rows]
    ids = decode_ids([documents.ids[i] for i in query_order.tolist()])
    return LetorValues(
        query_ids=tuple(ids),
        lengths=lengths,
        precision=precision,
        average_precision=average_precision,
        ndcg=ndcg,
        mean_ndcg=mean_ndcg,
    )


def slices_by_length(lengths: Ints) -> Iterator[Ints]:
    """Blocks of lists from the shortest to the longest, of at most `CELLS` cells as a table, or of one list."""
    order = stable_order(lengths)
    begin = 0
    while begin < order.size:
        # Each list of the block takes as many cells as the last one, which is the longest.
        cells = lengths[order[begin:]] * np.arange(1, order.size - begin + 1)
        end = begin + max(int(np.searchsorted(cells, CELLS, side="right")), 1)
        yield order[begin:end]
        begin = end


def precisions(is_relevant: npt.NDArray[np.bool_], positions: int) -> tuple[Floats, Floats]:
    """(lists, positions) precision, and (lists) the mean precision at the relevant documents' ranks; 0 without one."""
    relevant_counts = np.cumsum(is_relevant, axis=1)
    n_relevant = relevant_counts[:, -1]
    at_rank = relevant_counts / np.arange(1.0, relevant_counts.shape[1] + 1)
    precision_sums = np.cumsum(np.where(is_relevant, at_rank, 0.0), axis=1)[:, -1]
    counts = first_columns(relevant_counts, positions)
    counts[:, relevant_counts.shape[1] :] = n_relevant[:, None]
    return counts / np.arange(1.0, positions + 1), precision_sums / np.maximum(n_relevant, 1)


def ndcgs(gains: Floats, divisors: Floats) -> Floats:
    """(lists, ranks) DCG divided by the ideal DCG of the same documents, at every rank; 0 where that is 0."""
    ideal = dcgs(-np.sort(-gains, axis=1), divisors)
    return np.where(ideal > 0, dcgs(gains, divisors) / np.where(ideal > 0, ideal, 1.0), 0.0)


def dcgs(gains: Floats, divisors: Floats) -> Floats:
    """(lists, ranks) sums of gains up to each rank; from rank 3 on gain * log(2) / log(rank)."""
    discounted_gains = gains.copy()
    discounted_gains[:, 2:] = gains[:, 2:] * math.log(2.0) / divisors[2:]
    return np.cumsum(discounted_gains, axis=1)


def logarithms(n: int) -> Floats:
    """The logarithms of 1 to n by the C library, as in perl; NumPy's differ in the last bit."""
    return np.fromiter(map(math.log, range(1, n + 1)), np.float64, n)


def first_columns(table: npt.NDArray[np.generic], n: int) -> Floats:
    """The first n columns; 0 beyond the last."""
    padded = np.zeros((table.shape[0], n))
    width = min(n, table.shape[1])
    padded[:, :width] = table[:, :width]
    return padded
