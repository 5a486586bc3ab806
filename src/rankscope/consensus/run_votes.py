"""Runs as votes: for each query, the runs are voters and the retrieved documents are the items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from rankscope.data.rows import Interner, Rows, decode_id, decode_ids
from rankscope.data.run import Run
from rankscope.data.text import pluralise, pluralise_queries
from rankscope.data.tie_breaking import check_tie_rule, rank_rows
from rankscope.data.votes import Votes
from rankscope.errors import InputError, ParameterError
from rankscope.evaluation.scoring import name_systems
from rankscope.io.core import check_single_stdin, is_path
from rankscope.io.read import load_run
from rankscope.kernels.segments import group_of
from rankscope.kernels.text import decode
from rankscope.typing import Floats, Ints, PathLike

__all__ = [
    "RunVotes",
    "votes_of_runs",
]


class SourceRun(NamedTuple):
    """The name of a run, and the file that it came from."""

    name: str
    path: PathLike | None


class RankedRun(NamedTuple):
    """A run whose lists are ranked.

    Attributes
    ----------
    documents
        (rows) indices of the documents among those of all runs.
    rank
        (rows) the rank of each.
    offsets
        Where each query begins.
    query_index
        The index of each query.
    """

    documents: Ints
    rank: Floats
    offsets: Ints
    query_index: dict[str, int]


class RunVotes(Mapping[str, Votes]):
    """The votes of runs on each query, as a mapping; the votes of a query are made when it is looked up.

    Attributes
    ----------
    voters
        The names of the runs.
    ties
        How documents with equal scores were ranked.
    notes
        Which queries are skipped.

    Parameters
    ----------
    ranked
        The ranked documents of each run.
    documents
        The ids of all documents.
    """

    def __init__(
        self,
        voters: tuple[str, ...],
        ranked: Sequence[RankedRun],
        documents: list[bytes],
        ties: str,
        notes: Sequence[str],
    ) -> None:
        self.voters, self.ties, self.notes = voters, ties, tuple(notes)
        self._ranked, self._documents = ranked, documents
        query_ids = dict.fromkeys(query for run in ranked for query in run.query_index)
        self._voters = {query: self._voters_of(query) for query in query_ids}
        single_run = [query for query, voters in self._voters.items() if len(voters) < 2]
        single_document = [query for query in query_ids if query not in set(single_run) and self._single(query)]
        for query in (*single_run, *single_document):
            del self._voters[query]
        for n_skipped, reason in (
            (len(single_run), "documents of one run only"),
            (len(single_document), "one document only"),
        ):
            if n_skipped:
                verb, be = ("has", "is") if n_skipped == 1 else ("have", "are")
                self.notes += (
                    f"{pluralise_queries(n_skipped)} of {len(query_ids):,} {verb} {reason} and {be} skipped",
                )
        if not self._voters:
            raise InputError(
                f"no query has lists of two runs and two documents ({pluralise(len(ranked), 'run')}, "
                f"{pluralise_queries(len(query_ids))}); check that their queries are written alike"
            )

    def _voters_of(self, query: str) -> list[int]:
        """The runs with a list for a query that is not empty."""
        query_indices = ((voter, run.query_index.get(query)) for voter, run in enumerate(self._ranked))
        return [
            voter
            for voter, query_index in query_indices
            if query_index is not None
            and self._ranked[voter].offsets[query_index + 1] > self._ranked[voter].offsets[query_index]
        ]

    def _rows(self, voter: int, query: str) -> slice:
        run = self._ranked[voter]
        query_index = run.query_index[query]
        return slice(int(run.offsets[query_index]), int(run.offsets[query_index + 1]))

    def _single(self, query: str) -> bool:
        """Whether all lists of a query hold only one document, the same one."""
        document_lists = [self._ranked[v].documents[self._rows(v, query)] for v in self._voters[query]]
        return all(documents.size == 1 and documents[0] == document_lists[0][0] for documents in document_lists)

    def __getitem__(self, query: str) -> Votes:
        """The votes on a query; items in the order of the first run's list, then of the next one's."""
        query_voters = self._voters[query]
        row_slices = [self._rows(voter, query) for voter in query_voters]
        documents = np.concatenate(
            [self._ranked[v].documents[rows] for v, rows in zip(query_voters, row_slices, strict=True)]
        )
        ranks = np.concatenate([self._ranked[v].rank[rows] for v, rows in zip(query_voters, row_slices, strict=True)])
        voter = np.repeat(np.arange(len(query_voters)), [rows.stop - rows.start for rows in row_slices])
        list_order = np.lexsort((ranks, voter))
        distinct, first_position, inverse = np.unique(documents[list_order], return_index=True, return_inverse=True)
        order = np.argsort(first_position)
        item_index = np.empty(order.size, np.int64)
        item_index[order] = np.arange(order.size)
        table = np.full((len(query_voters), distinct.size), np.nan)
        table[voter[list_order], item_index[inverse]] = ranks[list_order]
        items = decode_ids([self._documents[i] for i in distinct[order].tolist()])
        return Votes(ranks=table, items=tuple(items), voters=tuple(self.voters[v] for v in query_voters))

    def __iter__(self) -> Iterator[str]:
        return iter(self._voters)

    def __len__(self) -> int:
        return len(self._voters)

    def __repr__(self) -> str:
        return f"RunVotes({pluralise_queries(len(self))}, {pluralise(len(self.voters), 'run')})"


def votes_of_runs(
    runs: Sequence[Run | PathLike | Any], *, ties: str = "doc_id_desc", input: str | None = None
) -> RunVotes:
    """Turn several runs into votes on the documents of each query.

    Parameters
    ----------
    runs
        At least two runs, files, or other arguments of `Run`.
    ties
        How documents with equal scores are ranked, as in `evaluate`; "average" leaves them tied.
    input
        Format of the files; detected by default.

    Returns
    -------
    RunVotes
        The votes by query, in the order of the queries of the first run. A run does not rank the documents that it did
        not retrieve. Queries with documents of fewer than two runs, or with a single document, are skipped and counted
        in `notes`.

    Raises
    ------
    InputError
        There are fewer than two runs, two runs have the same name, a list has a document twice, a score is not finite,
        or no query has documents of two runs.
    UnknownName
        The rule for ties does not exist.

    Examples
    --------
    >>> found = votes_of_runs([{"q": {"a": 3.0, "b": 1.0}}, Run({"q": {"b": 9.0, "c": 2.0}}, name="dense")])
    >>> votes = found["q"]
    >>> votes.voters, votes.items, votes.ranks.tolist()
    (('run', 'dense'), ('a', 'b', 'c'), [[1.0, 2.0, nan], [nan, 1.0, 2.0]])
    """
    check_tie_rule(ties)
    if is_path(runs) or isinstance(runs, (Run, Mapping)):
        raise ParameterError("runs is one run, expected a list of at least two")
    run_list = list(runs)
    if len(run_list) < 2:
        raise InputError(f"{pluralise(len(run_list), 'run')}, expected at least two; there is nothing to merge")
    check_single_stdin(run_list)
    loaded_runs = [load_run(run, input) for run in run_list]
    paths = [run if is_path(run) else None for run in run_list]
    names, notes = name_systems([SourceRun(run.name, path) for run, path in zip(loaded_runs, paths, strict=True)])
    interner = Interner()
    ranked = [rank_run(run, name, ties, interner) for run, name in zip(loaded_runs, names, strict=True)]
    return RunVotes(
        tuple(names), ranked, list(interner.ids), ties, [*(note for run in loaded_runs for note in run.notes), *notes]
    )


def rank_run(run: Run, name: str, ties: str, interner: Interner) -> RankedRun:
    """Rank the lists of a run."""
    rows = run.rows(name=name)
    rows.refuse_duplicates(rows.keys(np.arange(len(rows.query_ids))))
    all_rows = np.arange(rows.values.size)
    ranking = rank_rows(
        rows.values,
        rows.offsets,
        all_rows,
        group_of(rows.offsets),
        ties,
        rows.docs.take,
        lambda row: describe_row(rows, row, name),
    )
    rank = (ranking.first + ranking.last) / 2 if ties == "average" else ranking.rank.astype(np.float64)
    query_index = {query: i for i, query in enumerate(decode_ids(rows.query_ids))}
    return RankedRun(interner.codes(rows.docs), rank, rows.offsets, query_index)


def describe_row(rows: Rows, row: int, name: str) -> str:
    """The description of a row for an error message."""
    query = rows.query_ids[int(np.searchsorted(rows.offsets, row, side="right")) - 1]
    document = decode_id(decode(rows.docs.take(np.array([row])))[0])
    return f"run {name!r}: document {document!r} of query {decode_id(query)!r}"
