"""LETOR's evaluation tools: the scripts of LETOR 3.0 (2008), LETOR 4.0 (2009) and MSLR (2010), line by line.

They accept what is refused elsewhere (repeated documents, scores that are no numbers) and measure at every rank of
every list, so the values are computed from arrays: one table of ranks for lists of much the same length. Each number is
added up in the scripts' order, since LETOR 3.0 prints 15 digits.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rankscope.compat.letor_lines import (
    UNKNOWN_LABEL,
    VERSIONS,
    ScoredDocuments,
    Script,
    Stopped,
    perl_number,
    read_documents,
)
from rankscope.compat.letor_output import show_tables, show_ttest
from rankscope.compat.letor_ttest import letor_ttests
from rankscope.data.rows import decode_ids
from rankscope.errors import UnknownName
from rankscope.kernels.order import order_in_groups, stable_order
from rankscope.kernels.segments import bounds
from rankscope.typing import Floats, Ints, PathLike

__all__ = ["VERSIONS", "LetorValues", "Stopped", "letor_rank", "letor_score", "letor_ttest", "letor_values"]


#: Ranks of all lists that are looked at together.
CELLS = 1 << 18


@dataclass(frozen=True, eq=False, kw_only=True)
class LetorValues:
    """What a script computes of q queries, in its order: by their ids as numbers.

    lengths: (q) documents listed. precision and ndcg: (q, positions) at 1, 2, ...; beyond a list, nDCG is 0 (it is
    undefined there), and precision that of a list filled up with documents that are not relevant. average_precision and
    mean_ndcg: (q), over the listed documents.
    """

    query_ids: tuple[str, ...]
    lengths: Ints
    precision: Floats
    average_precision: Floats
    ndcg: Floats
    mean_ndcg: Floats


def letor_score(test: PathLike, predictions: PathLike, *, preset: str = "letor4", by_query: bool = False) -> str:
    r"""What Eval-Score.pl writes. by_query: its flag, 1 or 0. preset: the script, "letor3", "letor4" or "mslr".

    Raises Stopped (with the script's message and exit code) for what the script refuses; InputError for a file that
    cannot be opened or holds no line.

    Source: the scripts' recorded output; byte for byte.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     test, predicted = Path(folder, "test.txt"), Path(folder, "svm.txt")
    ...     _ = test.write_text("2 qid:10 #docid = A\n0 qid:10 #docid = B\n1 qid:10 #docid = C\n")
    ...     _ = predicted.write_text("0.1\n0.3\n0.2\n")
    ...     text = letor_score(test, predicted, preset="letor3")
    >>> print(text.splitlines()[2].expandtabs())  # (1/2 + 2/3) / 2
    MAP:    0.583333333333333
    """
    return show_tables(letor_values(test, predictions, preset=preset), preset, by_query=by_query)


def letor_rank(test: PathLike, predictions: PathLike, *, preset: str = "letor4", by_query: bool = False) -> str:
    """As `letor_score`, of rank positions, 1 the best; one position twice is a tie, in file order.

    Source: the text that describes LETOR's Eval-Rank.pl; the script itself is not available.
    """
    return show_tables(letor_values(test, predictions, preset=preset, ranks=True), preset, by_query=by_query)


def letor_ttest(a: PathLike, b: PathLike) -> str:
    """Two outputs with lines by query, compared: a line a measure, tab-separated, below a line of names.

    Raises InputError for files that are no such output, and for unequal queries or measures.
    """
    return show_ttest(letor_ttests(a, b))


def letor_values(test: PathLike, predictions: PathLike, *, preset: str = "letor4", ranks: bool = False) -> LetorValues:
    """What `letor_score` and `letor_rank` write, as arrays. Raises as they do."""
    if preset not in VERSIONS:
        raise UnknownName("version of LETOR's scripts", preset, VERSIONS)
    version = VERSIONS[preset]
    listed = read_documents(test, predictions, version)
    scores = -listed.scores if ranks else listed.scores
    # By number, then as the file first names them; perl leaves the order of equal numbers to its hash.
    queries = np.argsort(np.array([perl_number(id_) for id_ in listed.ids]), kind="stable")
    place = np.empty(queries.size, np.int64)
    place[queries] = np.arange(queries.size)
    of_document = place[listed.query]
    order = order_in_groups(of_document, scores)  # equal scores in file order; what is no number comes last
    return compute_values(listed, order, of_document, queries, version)


def compute_values(
    listed: ScoredDocuments, order: Ints, of_document: Ints, queries: Ints, version: Script
) -> LetorValues:
    """The values, of some lists of much the same length at a time."""
    lengths = np.bincount(of_document, minlength=queries.size)
    offsets = bounds(lengths)
    positions = min(version.positions, int(lengths.max())) if version.to_the_end else version.positions
    labels = listed.label[order]
    gains = np.zeros(UNKNOWN_LABEL + 1)
    gains[: len(version.gains)] = version.gains
    relevant = (gains > 0) & (np.arange(gains.size) >= version.relevant)
    precision, ndcg = np.empty((2, queries.size, positions))
    average_precision, mean_ndcg = np.empty((2, queries.size))
    divisors = logarithms(int(lengths.max()))
    for rows in slices_by_length(lengths):
        longest = int(lengths[rows].max())
        inside = np.arange(longest) < lengths[rows, None]
        at = np.minimum(offsets[rows, None] + np.arange(longest), labels.size - 1)
        table = np.where(inside, labels[at], UNKNOWN_LABEL)
        precision[rows], average_precision[rows] = precisions(relevant[table], positions)
        found = ndcgs(gains[table], divisors[:longest])
        found[~inside] = 0.0
        ndcg[rows] = first_columns(found, positions)
        mean_ndcg[rows] = np.cumsum(found, axis=1)[:, -1] / lengths[rows]
    ids = decode_ids([listed.ids[i] for i in queries.tolist()])
    return LetorValues(
        query_ids=tuple(ids),
        lengths=lengths,
        precision=precision,
        average_precision=average_precision,
        ndcg=ndcg,
        mean_ndcg=mean_ndcg,
    )


def slices_by_length(lengths: Ints) -> Iterator[Ints]:
    """The lists from the shortest to the longest, so many at a time that their table stays small."""
    order = stable_order(lengths)
    begin = 0
    while begin < order.size:
        # Each list of the piece takes as many cells as its last, which is the longest.
        cells = lengths[order[begin:]] * np.arange(1, order.size - begin + 1)
        end = begin + max(int(np.searchsorted(cells, CELLS, side="right")), 1)
        yield order[begin:end]
        begin = end


def precisions(relevant: npt.NDArray[np.bool_], positions: int) -> tuple[Floats, Floats]:
    """(lists, positions) precision, and (lists) the mean precision at the relevant documents' ranks; 0 without one."""
    found = np.cumsum(relevant, axis=1)
    total = found[:, -1]
    at_rank = found / np.arange(1.0, found.shape[1] + 1)
    summed = np.cumsum(np.where(relevant, at_rank, 0.0), axis=1)[:, -1]
    counts = first_columns(found, positions)
    counts[:, found.shape[1] :] = total[:, None]
    return counts / np.arange(1.0, positions + 1), summed / np.maximum(total, 1)


def ndcgs(gains: Floats, divisors: Floats) -> Floats:
    """(lists, ranks) DCG over the DCG of the best order of the same documents, at every rank; 0 where that is 0."""
    ideal = dcgs(-np.sort(-gains, axis=1), divisors)
    return np.where(ideal > 0, dcgs(gains, divisors) / np.where(ideal > 0, ideal, 1.0), 0.0)


def dcgs(gains: Floats, divisors: Floats) -> Floats:
    """Gains added up over the ranks; from rank 3 on gain * log(2) / log(rank)."""
    worth = gains.copy()
    worth[:, 2:] = gains[:, 2:] * math.log(2.0) / divisors[2:]
    return np.cumsum(worth, axis=1)


def logarithms(n: int) -> Floats:
    """The logarithms of 1 to n, of the C library as in perl: NumPy's differ in the last bit."""
    return np.fromiter(map(math.log, range(1, n + 1)), np.float64, n)


def first_columns(table: npt.NDArray[np.generic], n: int) -> Floats:
    """The first n columns; 0 beyond the last."""
    found = np.zeros((table.shape[0], n))
    width = min(n, table.shape[1])
    found[:, :width] = table[:, :width]
    return found
