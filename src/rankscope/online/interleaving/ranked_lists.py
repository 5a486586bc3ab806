"""The lists that are interleaved: the first documents of every run for every query, as arrays of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rankscope.data.rows import Interner, Rows, decode_id
from rankscope.data.run import Run
from rankscope.data.text import first_names, pluralise_queries
from rankscope.data.tie_breaking import rank_rows
from rankscope.errors import InputError, ParameterError
from rankscope.io.core import check_single_stdin, is_path
from rankscope.io.read import load_run
from rankscope.kernels.segments import group_of
from rankscope.typing import Ints

__all__ = [
    "NO_DOCUMENT",
    "RankedLists",
    "load_lists",
    "rank_runs",
    "ranks_in",
]


#: Stands in an array of documents where a list has ended.
NO_DOCUMENT = -1


@dataclass(frozen=True, eq=False, kw_only=True)
class RankedLists:
    """The lists of several runs.

    Attributes
    ----------
    systems
        Names of the runs.
    query_ids
        The queries, in the order in which the runs have them.
    doc_ids
        The documents by their numbers.
    lists
        (runs, queries, depth) numbers of documents, the best first; `NO_DOCUMENT` behind the end.
    notes
        What a reader should know.
    """

    systems: tuple[str, ...]
    query_ids: tuple[str, ...]
    doc_ids: tuple[str, ...]
    lists: Ints
    notes: tuple[str, ...]


def load_lists(runs: Sequence[Any], depth: int | None, *, input: str | None = None) -> RankedLists:
    """Read runs and rank them, documents of one score by id, bytes falling.

    Parameters
    ----------
    runs
        Runs, files, or anything that `Run` takes.
    depth
        How many documents of each list count; None for all.
    input
        Format of the files.

    Raises
    ------
    InputError
        A run cannot be read, two have one name, or no query is in all of them.
    ParameterError
        There are fewer than two runs.
    """
    if is_path(runs) or not isinstance(runs, Sequence) or len(runs) < 2:
        raise ParameterError("runs holds fewer than two, expected a list of two or more to interleave")
    ranked = rank_runs(runs, depth, input=input)
    return replace(ranked, notes=(*ranked.notes, *missing_query_notes(ranked.lists, ranked.query_ids)))


def rank_runs(runs: Sequence[Any], depth: int | None, *, input: str | None = None) -> RankedLists:
    """As `load_lists`, for any number of runs, whether they have a query in common or not."""
    check_single_stdin(runs)
    loaded = [load_run(run, input) for run in runs]
    systems = [run.name for run in loaded]
    if len(set(systems)) < len(systems):
        same = next(name for name in systems if systems.count(name) > 1)
        raise InputError(
            f"two runs are called {same!r}, expected a name each; give each file once, and name runs in memory with "
            "Run(..., name=...)"
        )
    query_numbers: dict[bytes, int] = {}
    documents = Interner()
    tables = [ranked_table(run, name, query_numbers, documents) for run, name in zip(loaded, systems, strict=True)]
    longest = max((int(rank.max(initial=0)) for _, rank, _ in tables), default=0)
    lists = np.full((len(runs), len(query_numbers), min(longest, depth or longest)), NO_DOCUMENT)
    for table, (query, rank, document) in zip(lists, tables, strict=True):
        is_within = rank <= table.shape[1]
        table[query[is_within], rank[is_within] - 1] = document[is_within]
    return RankedLists(
        systems=tuple(systems),
        query_ids=tuple(map(decode_id, query_numbers)),
        doc_ids=tuple(map(decode_id, documents.ids)),
        lists=lists,
        notes=tuple(dict.fromkeys(note for run in loaded for note in run.notes)),
    )


def ranked_table(run: Run, name: str, query_numbers: dict[bytes, int], documents: Interner) -> tuple[Ints, Ints, Ints]:
    """(rows) query, rank and document of each row of a run. Raises InputError as `load_lists`."""
    rows: Rows = run.rows(name=name)
    if not np.isfinite(rows.values).all():
        row = int(np.flatnonzero(~np.isfinite(rows.values))[0])
        location = rows.where(int(rows.docs.starts[row]))
        raise InputError(f"{location}: a score is {rows.values[row]}, expected a finite number; correct it")
    rows.refuse_duplicates(rows.keys(np.arange(len(rows.query_ids))))
    group = group_of(rows.offsets)
    scores = rows.values.astype(np.float64, copy=False)
    ranks = rank_rows(scores, rows.offsets, np.arange(scores.size), group, "doc_id_desc", rows.docs.take, str)
    numbers = np.array([query_numbers.setdefault(id_, len(query_numbers)) for id_ in rows.query_ids], np.int64)
    return numbers[group], ranks.rank, documents.codes(rows.docs)


def missing_query_notes(lists: Ints, query_ids: Sequence[str]) -> list[str]:
    """A note on queries that some runs lack. Raises InputError where no query is in all of them."""
    in_all = (lists != NO_DOCUMENT).any(axis=2).all(axis=0)
    if not in_all.any():
        raise InputError(
            f"no query is in all of the {len(lists)} runs ({pluralise_queries(len(query_ids))} in all); check that "
            "their queries are written alike"
        )
    missing = [query for query, is_in in zip(query_ids, in_all.tolist(), strict=True) if not is_in]
    if not missing:
        return []
    return [
        f"{len(missing):,} of {pluralise_queries(len(query_ids))} not in every run ({first_names(missing)}): no system "
        "gets credit there"
    ]


def ranks_in(lists: Ints, documents: Ints) -> Ints:
    """The rank of documents in every list, from 1; 0 where a list does not hold it.

    Parameters
    ----------
    lists
        (runs, queries, depth)
    documents
        (queries, length)

    Returns
    -------
    array
        (queries, length, runs)
    """
    ranks = np.zeros((*documents.shape, len(lists)), np.int64)
    for place, document in enumerate(documents.T):
        same = (lists == document[:, None]) & (document[:, None] != NO_DOCUMENT)
        ranks[:, place] = np.where(same.any(axis=2), same.argmax(axis=2) + 1, 0).T
    return ranks
