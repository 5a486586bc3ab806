"""Top lists: the first documents of each list of a run, judged or not, with their ids."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.data.qrels import Qrels
from rankscope.data.rows import Rows, pack_strings, string_contents
from rankscope.data.tie_breaking import rank_rows, sorting_order
from rankscope.kernels.order import ranges
from rankscope.kernels.segments import group_of
from rankscope.kernels.text import Fields
from rankscope.typing import Floats, Indices, Ints, Words

__all__ = [
    "TopLists",
    "TopRows",
    "concatenate_fields",
    "first_rows",
    "top_rows",
]


class TopRows(NamedTuple):
    """The first documents of some lists; ids are packed, so that what they were read from can be freed.

    Attributes
    ----------
    query
        Index of the query among those of the judgments, (documents).
    rank
        Ranks from 1; with ties="average" the mean rank of those with the same score.
    judgment
        Index of the judgment; -1 for a document without one.
    docs, hashes
        Ids, and their hashes.
    """

    query: Ints
    rank: Floats
    judgment: Ints
    docs: Fields
    hashes: Words

    def select(self, index: Indices) -> TopRows:
        """Some of the documents, by their indices."""
        return TopRows(
            self.query[index], self.rank[index], self.judgment[index], self.docs.take(index), self.hashes[index]
        )

    @classmethod
    def concat(cls, blocks: Sequence[TopRows]) -> TopRows:
        """The documents of all blocks, one block after the other; none without a block."""
        return cls(
            query=np.concatenate([np.empty(0, np.int64), *(block.query for block in blocks)]),
            rank=np.concatenate([np.empty(0), *(block.rank for block in blocks)]),
            judgment=np.concatenate([np.empty(0, np.int64), *(block.judgment for block in blocks)]),
            docs=concatenate_fields([pack_strings([(b"", np.empty(0, np.int64))]), *(block.docs for block in blocks)]),
            hashes=np.concatenate([np.empty(0, np.uint64), *(block.hashes for block in blocks)]),
        )


class TopLists(NamedTuple):
    """The first documents of each list of a run, ordered by query, then rank.

    Attributes
    ----------
    depth
        How many documents of each list.
    rows
        The documents.
    qrels
        The judgments.
    """

    depth: int
    rows: TopRows
    qrels: Qrels

    @classmethod
    def of(cls, depth: int, blocks: Sequence[TopRows], qrels: Qrels) -> TopLists:
        """The lists of all blocks, which hold each list as a whole."""
        rows = TopRows.concat(blocks)
        return cls(depth, rows.select(np.lexsort((rows.rank, rows.query))), qrels)


def top_rows(
    rows: Rows,
    scores: npt.NDArray[np.float64],
    codes: Ints,
    judgment: Ints,
    depth: int,
    ties: str,
) -> TopRows:
    """The first documents of each list.

    Parameters
    ----------
    rows
        Lists.
    scores
        Their scores, in the precision in which they are compared.
    codes
        Index of each list's query among those of the judgments, (lists).
    judgment
        Index of each row's judgment, -1 for none.
    depth
        How many documents of each list; with ties="average" and those that share the score of the last.
    ties
        Tie rule. "error" is "doc_id_desc": whether a judged document is tied, the join knows.
    """
    candidates = first_rows(scores, rows.offsets, depth)
    offsets = np.searchsorted(candidates, rows.offsets)
    group = group_of(offsets)
    docs = rows.docs.take(candidates)
    rule = "doc_id_desc" if ties == "error" else ties
    ranks = rank_rows(scores[candidates], offsets, np.arange(candidates.size), group, rule, docs.take, str)
    rank: Floats = ranks.rank.astype(np.float64)
    if ties == "average":
        rank = (ranks.first + ranks.last) / 2
    top_places = np.flatnonzero((ranks.first if ties == "average" else ranks.rank) <= depth)
    taken = candidates[top_places]
    return TopRows(
        codes[group[top_places]],
        rank[top_places],
        judgment[taken],
        pack_strings([string_contents(docs.take(top_places))]),
        rows.hashes[taken],
    )


def first_rows(scores: npt.NDArray[np.float64], offsets: Ints, depth: int) -> Indices:
    """The rows of the first `depth` of each list, with ties of the last of them."""
    lengths = np.diff(offsets)
    if not (lengths > depth).any():
        return np.arange(scores.size)
    order = sorting_order(scores, offsets, stable=False)
    cut_rows = np.where(lengths > 0, offsets[:-1] + np.minimum(lengths, depth) - 1, 0)
    cut_scores = (scores if order is None else scores[order])[cut_rows]
    if order is not None:
        return np.flatnonzero(scores >= np.repeat(cut_scores, lengths))
    # Lists in order: only rows right after the cut can share its score.
    ends = offsets[:-1] + np.minimum(lengths, depth)
    open_lists = np.flatnonzero(lengths > depth)
    while (open_lists := open_lists[scores[ends[open_lists]] == cut_scores[open_lists]]).size:
        ends[open_lists] += 1
        open_lists = open_lists[ends[open_lists] < offsets[open_lists + 1]]
    return ranges(offsets[:-1], ends - offsets[:-1])


def concatenate_fields(blocks: Sequence[Fields]) -> Fields:
    """The strings of all blocks, one block after the other, in one buffer."""
    sizes = np.array([block.buffer.size for block in blocks], np.int64)
    shifts = np.cumsum(sizes) - sizes
    starts = np.concatenate([block.starts + shift for block, shift in zip(blocks, shifts, strict=True)])
    lengths = np.concatenate([block.lengths for block in blocks])
    return Fields(np.concatenate([block.buffer for block in blocks]), starts, lengths)
