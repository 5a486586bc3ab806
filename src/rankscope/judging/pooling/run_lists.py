"""Lists of runs: the first documents of many runs with common numbers, which make up a pool."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from rankscope.data.qrels import Qrels
from rankscope.data.rows import Rows, Ungrouped, combined_keys, decode_ids, pack_strings, string_contents
from rankscope.data.run import Run
from rankscope.data.text import pluralise_queries
from rankscope.data.tie_breaking import rank_rows
from rankscope.data.top_lists import concatenate_fields, first_rows
from rankscope.errors import InputError, ParameterError
from rankscope.evaluation.joining import run_size
from rankscope.evaluation.scoring import name_systems
from rankscope.io.core import check_single_stdin, file_stem, is_file, is_path, open_binary, open_source
from rankscope.io.read import read_run
from rankscope.kernels.order import stable_order
from rankscope.kernels.segments import bounds, group_of
from rankscope.kernels.text import Fields, equal, hashes, order_descending
from rankscope.typing import Grades, Ints, PathLike, Words

__all__ = [
    "RunLists",
    "TopDocuments",
    "grades_of",
    "judgments_of",
    "read_lists",
    "top_k_of_run",
]


Progress = Callable[[int], Any]


class TopDocuments(NamedTuple):
    """The first documents of one run's lists; ids are packed, so that the file's bytes can be freed.

    Attributes
    ----------
    name
        Name of the run.
    path
        Its file, if it is one.
    notes
        What a reader should know of the run.
    query_ids
        Ids of the queries.
    lengths
        (queries) how many documents each list has here.
    rank
        (entries) ranks from 1.
    docs, hashes
        (entries) ids of the documents, and their hashes.
    """

    name: str
    path: PathLike | None
    notes: tuple[str, ...]
    query_ids: list[bytes]
    lengths: Ints
    rank: Ints
    docs: Fields
    hashes: Words


class TopDocumentsBlock(NamedTuple):
    """Some queries of a run: the last five fields of `TopDocuments`."""

    query_ids: list[bytes]
    lengths: Ints
    rank: Ints
    docs: Fields
    hashes: Words


def top_k_of_run(
    run: Run | PathLike | Any, depth: int, input_: str | None, progress: Progress | None = None
) -> TopDocuments:
    """The first documents of each list, by falling score, ties by falling id."""
    if is_path(run):
        top_documents = top_k_of_stream(run, depth, input_, progress)
        if top_documents is not None:
            return top_documents
        size = run_size(run)
        loaded_run = read_run(run, input=input_)
        if progress is not None:
            progress(size)
    else:
        loaded_run = run if isinstance(run, Run) else Run(run)
    top_k = top_k_of_rows(loaded_run.rows(), depth)
    return TopDocuments(loaded_run.name, run if is_path(run) else None, loaded_run.notes, *top_k)


def top_k_of_stream(path: PathLike, depth: int, input_: str | None, progress: Progress | None) -> TopDocuments | None:
    """The first documents of a file in TREC's format, cut while it is read; None for a file that must be read whole."""
    if not is_file(path):  # could not be read again if queries are not grouped
        return None
    with open_binary(path) as stream:
        source = open_source(stream, path, input_)
        if source.format != "trec":
            return None
        try:
            parts = [top_k_of_rows(rows, depth) for rows in source.stream_rows(progress=progress)]
        except Ungrouped:
            return None
        return TopDocuments(source.tag or file_stem(path), path, (), *join_parts(parts))


def join_parts(parts: Sequence[TopDocumentsBlock]) -> TopDocumentsBlock:
    query_ids = [id_ for part in parts for id_ in part.query_ids]
    lengths, rank, hashes = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("lengths", "rank", "hashes")
    )
    return TopDocumentsBlock(query_ids, lengths, rank, concatenate_fields([part.docs for part in parts]), hashes)


def top_k_of_rows(rows: Rows, depth: int) -> TopDocumentsBlock:
    """The first documents of each list. Raises InputError for a score that is not finite and a duplicate document."""
    scores = rows.values.astype(np.float64, copy=False)
    if not np.isfinite(scores).all():
        row = int(np.flatnonzero(~np.isfinite(scores))[0])
        location = rows.where(int(rows.docs.starts[row]))
        raise InputError(f"{location}: a score is {scores[row]}, expected a finite number; correct it")
    candidate_rows = first_rows(scores, rows.offsets, depth)
    offsets = np.searchsorted(candidate_rows, rows.offsets)
    docs = rows.docs.take(candidate_rows)
    group = group_of(offsets)
    ranks = rank_rows(
        scores[candidate_rows], offsets, np.arange(candidate_rows.size), group, "doc_id_desc", docs.take, str
    ).rank
    selected = np.flatnonzero(ranks <= depth)
    lengths = np.bincount(group[selected], minlength=len(rows.query_ids))
    top_rows = Rows(
        rows.query_ids,
        bounds(lengths),
        docs.take(selected),
        rows.hashes[candidate_rows[selected]],
        scores[candidate_rows[selected]],
        rows.where,
    )
    top_rows.refuse_duplicates(top_rows.keys(np.arange(len(top_rows.query_ids))))
    return TopDocumentsBlock(
        top_rows.query_ids, lengths, ranks[selected], pack_strings([string_contents(top_rows.docs)]), top_rows.hashes
    )


#: Number of seeds of hashes to try where two ids share a hash.
SEEDS = 8


@dataclass(frozen=True, eq=False)
class RunLists:
    """The first documents of all runs' lists, numbered together.

    Attributes
    ----------
    systems
        Names of the runs, in rising order.
    query_ids
        Ids of the queries, in rising order.
    offsets
        (queries + 1) where each query's documents begin.
    docs
        (documents) their ids, falling within a query, so that the first of several is the first by the tie rule.
    run, query, rank, doc
        (entries) an entry is a document in a run's list: the run, the query, the rank from 1, the document's
        number.
    depth
        The length to which lists are cut.
    n_runs
        (queries) how many runs have a list.
    notes
        What a reader should know of the runs.
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
    n_runs: Ints
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
    """The first documents of each list of all runs, which are read one after the other to save memory.

    Parameters
    ----------
    runs
        Runs, or their files.
    depth
        How many documents of each list.
    input
        Format of the files. Default: detected from their content.
    progress
        Called with the number of bytes just read.

    Raises
    ------
    InputError
        The runs have no query in common, one of these documents is a duplicate, or a score is not finite.
    ParameterError
        There is no run.
    """
    if is_path(runs) or isinstance(runs, (Run, Mapping)) or not isinstance(runs, Sequence):
        raise ParameterError("runs is not a list, expected a list of runs")
    if not runs:
        raise ParameterError("no runs given, expected at least one")
    check_single_stdin(runs)
    run_tops = [top_k_of_run(run, depth, input, progress) for run in runs]
    names, notes = name_systems(run_tops)
    order = sorted(range(len(run_tops)), key=names.__getitem__)
    lists = number_lists_together([run_tops[i] for i in order], tuple(names[i] for i in order), depth)
    all_notes = [
        *dict.fromkeys(note for run_top in run_tops for note in run_top.notes),
        *notes,
        *incomplete_query_notes(lists),
    ]
    return replace(lists, notes=tuple(all_notes))


def number_lists_together(run_tops: Sequence[TopDocuments], systems: tuple[str, ...], depth: int) -> RunLists:
    """The lists of all runs, with one number for each document of each query."""
    ids = sorted({id_ for run_top in run_tops for id_ in run_top.query_ids})
    query_index = {id_: i for i, id_ in enumerate(ids)}
    codes = [np.array([query_index[id_] for id_ in run_top.query_ids], np.int64) for run_top in run_tops]
    n_runs = np.bincount(np.concatenate(codes), minlength=len(ids))
    query = np.concatenate([np.repeat(code, run_top.lengths) for code, run_top in zip(codes, run_tops, strict=True)])
    run = np.repeat(np.arange(len(run_tops)), [run_top.rank.size for run_top in run_tops])
    rank = np.concatenate([run_top.rank for run_top in run_tops])
    docs = concatenate_fields([run_top.docs for run_top in run_tops])
    query_order = stable_order(query)
    entry_hashes = np.concatenate([run_top.hashes for run_top in run_tops])[query_order]
    entries = Rows(
        ids, bounds(np.bincount(query, minlength=len(ids))), docs.take(query_order), entry_hashes, query_order, str
    )
    doc = np.empty(query.size, np.int64)
    first_entries, sizes, n_before = [], [], 0
    for block in entries.blocks():  # some queries at a time, which fit into the cache
        number, first, counts = numbered_documents(block)
        doc[block.values] = n_before + number
        first_entries.append(block.values[first])
        sizes.append(counts)
        n_before += first.size
    offsets = bounds(np.concatenate(sizes))
    return RunLists(
        systems, ids, offsets, docs.take(np.concatenate(first_entries)), run, query, rank, doc, depth, n_runs, ()
    )


def numbered_documents(entries: Rows) -> tuple[Ints, Ints, Ints]:
    """For each entry the number of its document, where documents are ordered by query, then by falling id; for each
    document its first entry; and the number of documents of each query.
    """
    query, codes = group_of(entries.offsets), np.arange(len(entries.query_ids))
    for seed in range(SEEDS):
        _, first, number = np.unique(entries.keys(codes, seed), return_index=True, return_inverse=True)
        representative = first[number]
        same_query = (query == query[representative]).all()
        if same_query and equal(entries.docs, entries.docs.take(representative)).all():
            break
    else:
        raise InputError("two documents of a query cannot be distinguished; report this")
    query_order = stable_order(query[first])
    order = query_order[order_descending(query[first[query_order]], entries.docs.take(first[query_order]))]
    new_number = np.empty(first.size, np.int64)
    new_number[order] = np.arange(first.size)
    return new_number[number], first[order], np.bincount(query[first], minlength=codes.size)


def incomplete_query_notes(lists: RunLists) -> list[str]:
    """A note on queries that some runs lack. Raises InputError where no two runs have a query in common."""
    runs = len(lists.systems)
    if not lists.size:
        raise InputError("the runs hold no documents; expected at least one list")
    if runs > 1 and int(lists.n_runs.max(initial=0)) < 2:
        raise InputError(
            f"no query is in two of the {runs} runs ({pluralise_queries(lists.n_runs.size)} in all); check that their "
            "queries are written alike"
        )
    n_incomplete = int((lists.n_runs < runs).sum())
    if not n_incomplete:
        return []
    verb, object_ = ("is", "it") if n_incomplete == 1 else ("are", "them")
    return [
        f"{n_incomplete:,} of {pluralise_queries(lists.n_runs.size)} {verb} not in every run: pooled from the runs "
        f"that have {object_}"
    ]


def judgments_of(lists: RunLists, qrels: Qrels) -> Ints:
    """(documents) the index of its judgment, -1 for none.

    Raises InputError where the judgments name none of the queries.
    """
    codes = np.array([qrels.codes.get(id_, -1) for id_ in lists.query_ids], np.int64)
    if (codes < 0).all():
        raise InputError(
            f"the judgments name none of the {pluralise_queries(codes.size)} of the runs; check that both "
            "use the same query ids"
        )
    is_unknown = codes < 0
    codes[is_unknown] = len(qrels.query_ids) + np.arange(int(is_unknown.sum()))
    keys = combined_keys(hashes(lists.docs, qrels.lookup.seed), lists.offsets, codes)
    rows, judgment_rows = qrels.lookup.find(keys, lists.docs)
    judgment_index = np.full(lists.size, -1)
    judgment_index[rows] = judgment_rows
    return judgment_index


def grades_of(lists: RunLists, qrels: Qrels | None) -> Grades:
    """(documents) the grade of each; -1 where it has none, or one below 0."""
    grades = np.full(lists.size, -1, np.int64 if qrels is None else qrels.relevance.dtype)
    if qrels is not None:
        judgment_index = judgments_of(lists, qrels)
        present = np.flatnonzero(judgment_index >= 0)
        relevance = qrels.relevance[judgment_index[present]]
        grades[present] = np.where(relevance < 0, -1, relevance)
    return grades
