"""One run's lists, cut: the first documents of each query, while the file is read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.data.dicts import rows_from_dicts
from rankscope.data.ranking import rank_rows, sorting_order
from rankscope.data.rows import Rows
from rankscope.data.run import Run
from rankscope.data.stretches import pack_strings, string_contents
from rankscope.errors import InputError
from rankscope.evaluation.sources import run_size
from rankscope.io.read import file_stem, open_source, read_run
from rankscope.io.streams import is_file, is_path, open_binary
from rankscope.io.trec import Ungrouped
from rankscope.kernels.order import ranges
from rankscope.kernels.segments import bounds, group_of
from rankscope.kernels.text import Fields
from rankscope.typing import Ints, PathLike, Words

__all__ = ["TopDocuments", "top_k_of_run", "concatenate_fields"]

Progress = Callable[[int], Any]


class TopDocuments(NamedTuple):
    """The first documents of one run's lists: ids packed, so that the file's bytes can go."""

    name: str
    path: PathLike | None
    notes: tuple[str, ...]
    query_ids: list[bytes]
    lengths: Ints
    rank: Ints
    docs: Fields
    hashes: Words


class TopDocumentsPart(NamedTuple):
    """Some of its queries: the last five of `TopDocuments`."""

    query_ids: list[bytes]
    lengths: Ints
    rank: Ints
    docs: Fields
    hashes: Words


def top_k_of_run(
    run: Run | PathLike | Any, depth: int, input_: str | None, progress: Progress | None = None
) -> TopDocuments:
    """The first documents of each list, by falling score, those of one score by falling id."""
    if is_path(run):
        found = top_k_of_stream(run, depth, input_, progress)
        if found is not None:
            return found
        size = run_size(run)
        read = read_run(run, input=input_)
        if progress is not None:
            progress(size)
    else:
        read = run if isinstance(run, Run) else Run(run)
    rows = read._rows if read._rows is not None else rows_from_dicts(read._mapping or {}, f"run {read.name!r}", "score")
    return TopDocuments(read.name, run if is_path(run) else None, read.notes, *top_k_of_rows(rows, depth))


def top_k_of_stream(path: PathLike, depth: int, input_: str | None, progress: Progress | None) -> TopDocuments | None:
    """A file in TREC's format cut while it is read, so that no more of it is kept; None for one that is read whole."""
    if not is_file(path):  # cannot be read again where queries are mixed
        return None
    with open_binary(path) as stream:
        source = open_source(stream, path, input_)
        if source.format != "trec":
            return None
        try:
            pieces = [top_k_of_rows(rows, depth) for rows in source.stream_rows(progress=progress)]
        except Ungrouped:
            return None
        return TopDocuments(source.tag or file_stem(path), path, (), *join_parts(pieces))


def join_parts(pieces: Sequence[TopDocumentsPart]) -> TopDocumentsPart:
    query_ids = [id_ for piece in pieces for id_ in piece.query_ids]
    lengths, rank, hashes = (
        np.concatenate([getattr(piece, name) for piece in pieces]) for name in ("lengths", "rank", "hashes")
    )
    return TopDocumentsPart(query_ids, lengths, rank, concatenate_fields([piece.docs for piece in pieces]), hashes)


def top_k_of_rows(rows: Rows, depth: int) -> TopDocumentsPart:
    """The first documents of each list. Raises InputError for a score that is not finite, a document twice."""
    scores = rows.values.astype(np.float64, copy=False)
    if not np.isfinite(scores).all():
        row = int(np.flatnonzero(~np.isfinite(scores))[0])
        where = rows.where(int(rows.docs.starts[row]))
        raise InputError(f"{where}: a score is {scores[row]}, expected a finite number; correct it")
    near = first_rows(scores, rows.offsets, depth)
    offsets = np.searchsorted(near, rows.offsets)
    docs = rows.docs.take(near)
    group = group_of(offsets)
    ranks = rank_rows(scores[near], offsets, np.arange(near.size), group, "doc_id_desc", docs.take, str).rank
    kept = np.flatnonzero(ranks <= depth)
    lengths = np.bincount(group[kept], minlength=len(rows.query_ids))
    cut = Rows(
        rows.query_ids, bounds(lengths), docs.take(kept), rows.hashes[near[kept]], scores[near[kept]], rows.where
    )
    cut.refuse_duplicates(cut.keys(np.arange(len(cut.query_ids))))
    return TopDocumentsPart(cut.query_ids, lengths, ranks[kept], pack_strings([string_contents(cut.docs)]), cut.hashes)


def first_rows(scores: npt.NDArray[np.float64], offsets: Ints, depth: int) -> npt.NDArray[np.intp]:
    """Rows of which the first `depth` of each list are, with those that share the score of the last of them."""
    lengths = np.diff(offsets)
    if not (lengths > depth).any():
        return np.arange(scores.size)
    order = sorting_order(scores, offsets, stable=False)
    last = np.where(lengths > 0, offsets[:-1] + np.minimum(lengths, depth) - 1, 0)
    least = (scores if order is None else scores[order])[last]
    if order is not None:
        return np.flatnonzero(scores >= np.repeat(least, lengths))
    # In order: only what stands right behind the cut can share its score.
    ends = offsets[:-1] + np.minimum(lengths, depth)
    behind = np.flatnonzero(lengths > depth)
    while (behind := behind[scores[ends[behind]] == least[behind]]).size:
        ends[behind] += 1
        behind = behind[ends[behind] < offsets[behind + 1]]
    return ranges(offsets[:-1], ends - offsets[:-1])


def concatenate_fields(parts: Sequence[Fields]) -> Fields:
    """The parts' strings, one part after the other, in one buffer."""
    shifts = bounds(np.array([part.buffer.size for part in parts], np.int64))[:-1]
    starts = np.concatenate([part.starts + shift for part, shift in zip(parts, shifts, strict=True)])
    lengths = np.concatenate([part.lengths for part in parts])
    return Fields(np.concatenate([part.buffer for part in parts]), starts, lengths)
