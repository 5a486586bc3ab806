"""The first documents of many runs, side by side: what a pool is made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from rankscope.data.qrels import Qrels
from rankscope.data.rows import Rows, combined_keys, decode_ids
from rankscope.data.run import Run
from rankscope.data.wording import pluralise_queries
from rankscope.errors import InputError, ParameterError
from rankscope.evaluation.engine import name_systems
from rankscope.io.streams import check_single_stdin, is_path
from rankscope.judging.cut import TopDocuments, concatenate_fields, top_k_of_run
from rankscope.kernels.order import stable_order
from rankscope.kernels.segments import bounds, group_of
from rankscope.kernels.text import Fields, equal, hashes, order_descending
from rankscope.typing import Ints, PathLike

__all__ = ["RunLists", "grades_of", "judgments_of", "read_lists"]

Progress = Callable[[int], Any]

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
            f"no query is in two of the {runs} runs ({pluralise_queries(lists.had.size)} in all); check that their queries are "
            "written alike"
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
