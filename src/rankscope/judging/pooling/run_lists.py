"""The first documents of many runs, side by side: what a pool consists of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.data.qrels import Qrels
from rankscope.data.ranking import rank_rows, sorting_order
from rankscope.data.row_input import rows_from_dicts
from rankscope.data.rows import Rows, Ungrouped, combined_keys, decode_ids, pack_strings, string_contents
from rankscope.data.run import Run
from rankscope.data.text import pluralise_queries
from rankscope.errors import InputError, ParameterError
from rankscope.evaluation.joining import run_size
from rankscope.evaluation.scoring import name_systems
from rankscope.io.core import check_single_stdin, file_stem, is_file, is_path, open_binary, open_source
from rankscope.io.read import read_run
from rankscope.kernels.order import ranges, stable_order
from rankscope.kernels.segments import bounds, group_of
from rankscope.kernels.text import Fields, equal, hashes, order_descending
from rankscope.typing import Ints, PathLike, Words

__all__ = [
    "RunLists",
    "TopDocuments",
    "concatenate_fields",
    "grades_of",
    "judgments_of",
    "read_lists",
    "top_k_of_run",
]


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


#: How often other hashes are taken where two ids share one.
SEEDS = 8


@dataclass(frozen=True, eq=False)
class RunLists:
    """Lists of runs, cut, and the documents that they hold.

    systems: names of the runs, rising. query_ids: rising. offsets: (queries + 1) where each query's documents begin.
    docs: (documents) their ids, falling within a query, so that the first of several is the first by the tie rule.
    run, query, rank, doc: (entries) a document in a run's list: ranks from 1, doc among all documents. depth: where
    lists were cut. had: (queries) how many runs have a list.
    """

    systems: tuple[str, ...]
    query_ids: list[bytes]
    offsets: Ints
    docs: Fields
    run: Ints
    query: Ints
    rank: Ints
    doc: Ints
    depth: int
    had: Ints
    notes: tuple[str, ...]

    @property
    def size(self) -> int:
        """How many documents there are, over all queries."""
        return int(self.offsets[-1])

    @property
    def sizes(self) -> Ints:
        """(queries) how many documents each has."""
        return np.diff(self.offsets)

    @property
    def names(self) -> tuple[str, ...]:
        """The queries' ids as text."""
        return tuple(decode_ids(self.query_ids))

    @cached_property
    def query_of(self) -> Ints:
        """(documents) the query of each."""
        return group_of(self.offsets)

    def best_rank(self) -> Ints:
        """(documents) the best rank that a run gives it."""
        best = np.full(self.size, np.iinfo(np.int64).max)
        np.minimum.at(best, self.doc, self.rank)
        return best

    def runs_with(self) -> Ints:
        """(documents) how many runs have it."""
        return np.bincount(self.doc, minlength=self.size)


def read_lists(
    runs: Sequence[Run | PathLike | Any], depth: int, *, input: str | None = None, progress: Progress | None = None
) -> RunLists:
    """The first `depth` documents of each list, one run after the other, so that one is in memory at a time.

    Raises InputError for runs without a common query, a document twice among those, a score that is not finite;
    ParameterError for no run.
    """
    if is_path(runs) or isinstance(runs, (Run, Mapping)) or not isinstance(runs, Sequence):
        raise ParameterError("runs is no list, expected a list of runs")
    if not runs:
        raise ParameterError("no runs given, expected at least one")
    check_single_stdin(runs)
    cuts = [top_k_of_run(run, depth, input, progress) for run in runs]
    names, notes = name_systems(cuts)
    order = sorted(range(len(cuts)), key=names.__getitem__)
    found = side_by_side([cuts[i] for i in order], tuple(names[i] for i in order), depth)
    said = [*dict.fromkeys(note for cut in cuts for note in cut.notes), *notes, *lacking_queries_notes(found)]
    return replace(found, notes=tuple(said))


def side_by_side(cuts: Sequence[TopDocuments], systems: tuple[str, ...], depth: int) -> RunLists:
    """One number for each document of each query, whichever runs have it."""
    ids = sorted({id_ for cut in cuts for id_ in cut.query_ids})
    place = {id_: i for i, id_ in enumerate(ids)}
    codes = [np.array([place[id_] for id_ in cut.query_ids], np.int64) for cut in cuts]
    had = np.bincount(np.concatenate(codes), minlength=len(ids))
    query = np.concatenate([np.repeat(code, cut.lengths) for code, cut in zip(codes, cuts, strict=True)])
    run = np.repeat(np.arange(len(cuts)), [cut.rank.size for cut in cuts])
    rank = np.concatenate([cut.rank for cut in cuts])
    docs = concatenate_fields([cut.docs for cut in cuts])
    by_query = stable_order(query)
    hashed = np.concatenate([cut.hashes for cut in cuts])[by_query]
    entries = Rows(ids, bounds(np.bincount(query, minlength=len(ids))), docs.take(by_query), hashed, by_query, str)
    doc = np.empty(query.size, np.int64)
    firsts, sizes, before = [], [], 0
    for part in entries.chunks():  # some queries at a time stay in the processor's cache
        number, first, counts = numbered_documents(part)
        doc[part.values] = before + number
        firsts.append(part.values[first])
        sizes.append(counts)
        before += first.size
    offsets = bounds(np.concatenate(sizes))
    return RunLists(systems, ids, offsets, docs.take(np.concatenate(firsts)), run, query, rank, doc, depth, had, ())


def numbered_documents(entries: Rows) -> tuple[Ints, Ints, Ints]:
    """For each entry the number of its document, documents going by query, then by falling id; for each document its
    first entry; and how many documents each query has.
    """
    query, codes = group_of(entries.offsets), np.arange(len(entries.query_ids))
    for seed in range(SEEDS):
        _, first, number = np.unique(entries.keys(codes, seed), return_index=True, return_inverse=True)
        representative = first[number]
        same = (query == query[representative]).all()
        if same and equal(entries.docs, entries.docs.take(representative)).all():
            break
    else:
        raise InputError("two documents of a query cannot be told apart; report this")
    by_query = stable_order(query[first])
    order = by_query[order_descending(query[first[by_query]], entries.docs.take(first[by_query]))]
    place = np.empty(first.size, np.int64)
    place[order] = np.arange(first.size)
    return place[number], first[order], np.bincount(query[first], minlength=codes.size)


def lacking_queries_notes(lists: RunLists) -> list[str]:
    """A note on queries that some runs lack. Raises InputError where no two runs have a query in common."""
    runs = len(lists.systems)
    if not lists.size:
        raise InputError("the runs hold no documents; expected at least one list")
    if runs > 1 and int(lists.had.max(initial=0)) < 2:
        raise InputError(
            f"no query is in two of the {runs} runs ({pluralise_queries(lists.had.size)} in all); check that their "
            "queries are written alike"
        )
    lacked = int((lists.had < runs).sum())
    if not lacked:
        return []
    verb = "is" if lacked == 1 else "are"
    return [
        f"{lacked:,} of {pluralise_queries(lists.had.size)} {verb} not in every run: pooled from those that have it"
    ]


def judgments_of(lists: RunLists, qrels: Qrels, what: str = "the judgments") -> Ints:
    """(documents) which of the judgments is of it, -1 for none.

    Raises InputError where the judgments name none of the queries.
    """
    codes = np.array([qrels.codes.get(id_, -1) for id_ in lists.query_ids], np.int64)
    if (codes < 0).all():
        raise InputError(
            f"{what} name none of the {pluralise_queries(codes.size)} of the runs; check that queries are written alike"
        )
    strangers = codes < 0
    codes[strangers] = len(qrels.query_ids) + np.arange(int(strangers.sum()))
    keys = combined_keys(hashes(lists.docs, qrels.lookup.seed), lists.offsets, codes)
    rows, judged = qrels.lookup.find(keys, lists.docs)
    found = np.full(lists.size, -1)
    found[rows] = judged
    return found


def grades_of(lists: RunLists, qrels: Qrels | None) -> Ints:
    """(documents) the grade that each was given; -1 where it was given none, as by a judgment below 0."""
    grades = np.full(lists.size, -1)
    if qrels is not None:
        judged = judgments_of(lists, qrels)
        known = np.flatnonzero(judged >= 0)
        grades[known] = np.maximum(qrels.relevance[judged[known]], -1)
    return grades
