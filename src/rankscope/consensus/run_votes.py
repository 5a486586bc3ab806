"""Runs as votes: for each query the runs are voters, and what they retrieved are the items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from rankscope.data.ranking import check_tie_rule, rank_rows
from rankscope.data.row_input import rows_from_dicts
from rankscope.data.rows import Interner, Rows, decode_id, decode_ids
from rankscope.data.run import Run
from rankscope.data.text import pluralise, pluralise_queries
from rankscope.data.votes import Votes
from rankscope.errors import InputError, ParameterError
from rankscope.evaluation.scoring import name_systems
from rankscope.io.core import check_single_stdin, is_path
from rankscope.io.read import read_run
from rankscope.kernels.segments import group_of
from rankscope.kernels.text import decode
from rankscope.typing import Floats, Ints, PathLike

__all__ = [
    "RunVotes",
    "votes_of_runs",
]


class SourceRun(NamedTuple):
    """A run as it was given. path: the file it came from."""

    name: str
    run: Run
    path: PathLike | None


class RankedRun(NamedTuple):
    """A run whose lists are ranked. documents: (rows) the number of each among all runs; rank: (rows); place: the group
    of rows of each query.
    """

    documents: Ints
    rank: Floats
    offsets: Ints
    place: dict[str, int]


class RunVotes(Mapping[str, Votes]):
    """The votes on each query, made when they are asked for; `items()` gives pairs of a query's id and its votes.

    voters: the names of the runs. ties: the rule by which they were ranked. notes: what a reader should know.
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
        found = dict.fromkeys(query for run in ranked for query in run.place)
        self._voters = {query: self._voters_of(query) for query in found}
        few = [query for query, voters in self._voters.items() if len(voters) < 2]
        alone = [query for query in found if query not in set(few) and self._single(query)]
        for query in (*few, *alone):
            del self._voters[query]
        for number, why in ((len(few), "a list of one run only"), (len(alone), "one document only")):
            if number:
                verb = "has" if number == 1 else "have"
                self.notes += (f"{pluralise_queries(number)} of {len(found):,} {verb} {why}; nothing is merged there",)
        if not self._voters:
            raise InputError(
                f"no query has lists of two runs and two documents ({pluralise(len(ranked), 'run')}, "
                f"{pluralise_queries(len(found))}); check that their queries are written alike"
            )

    def _voters_of(self, query: str) -> list[int]:
        """The runs with a list for a query, that is not empty."""
        found = ((i, run.place.get(query)) for i, run in enumerate(self._ranked))
        return [
            i
            for i, place in found
            if place is not None and self._ranked[i].offsets[place + 1] > self._ranked[i].offsets[place]
        ]

    def _rows(self, voter: int, query: str) -> slice:
        run = self._ranked[voter]
        place = run.place[query]
        return slice(int(run.offsets[place]), int(run.offsets[place + 1]))

    def _single(self, query: str) -> bool:
        """Whether all lists of a query hold one document and no other."""
        lists = [self._ranked[v].documents[self._rows(v, query)] for v in self._voters[query]]
        return all(found.size == 1 and found[0] == lists[0][0] for found in lists)

    def __getitem__(self, query: str) -> Votes:
        """The votes on a query; items in the order of the first run's list, then of the next one's."""
        chosen = self._voters[query]
        rows = [self._rows(voter, query) for voter in chosen]
        documents = np.concatenate([self._ranked[v].documents[r] for v, r in zip(chosen, rows, strict=True)])
        ranks = np.concatenate([self._ranked[v].rank[r] for v, r in zip(chosen, rows, strict=True)])
        voter = np.repeat(np.arange(len(chosen)), [r.stop - r.start for r in rows])
        by_list = np.lexsort((ranks, voter))
        unique, first, inverse = np.unique(documents[by_list], return_index=True, return_inverse=True)
        order = np.argsort(first)
        item = np.empty(order.size, np.int64)
        item[order] = np.arange(order.size)
        table = np.full((len(chosen), unique.size), np.nan)
        table[voter[by_list], item[inverse]] = ranks[by_list]
        items = decode_ids([self._documents[i] for i in unique[order].tolist()])
        return Votes(ranks=table, items=tuple(items), voters=tuple(self.voters[v] for v in chosen))

    def __iter__(self) -> Iterator[str]:
        return iter(self._voters)

    def __len__(self) -> int:
        return len(self._voters)

    def __repr__(self) -> str:
        return f"RunVotes({pluralise_queries(len(self))}, {pluralise(len(self.voters), 'run')})"


def votes_of_runs(
    runs: Sequence[Run | PathLike | Any], *, ties: str = "doc_id_desc", input: str | None = None
) -> RunVotes:
    """What several runs make of the documents of each query: votes by query, in the order of the first run's queries.

    runs: runs, files or what `Run` takes. ties: what happens to documents of one score, as in `evaluate`; "average"
    leaves them tied. A document that a run did not retrieve is one that it did not rank. Queries on which fewer than
    two runs have a list, or with one document only, are left out and counted in `notes`.

    Raises InputError for fewer than two runs, two of one name, a document twice in a list, a score that is not finite,
    and where no query has lists of two runs; UnknownName for another tie rule.

    >>> found = votes_of_runs([{"q": {"a": 3.0, "b": 1.0}}, Run({"q": {"b": 9.0, "c": 2.0}}, name="dense")])
    >>> votes = found["q"]
    >>> votes.voters, votes.items, votes.ranks.tolist()
    (('run', 'dense'), ('a', 'b', 'c'), [[1.0, 2.0, nan], [nan, 1.0, 2.0]])
    """
    check_tie_rule(ties)
    if is_path(runs) or isinstance(runs, (Run, Mapping)):
        raise ParameterError("runs is one run, expected a list of at least two")
    given = list(runs)
    if len(given) < 2:
        raise InputError(f"{pluralise(len(given), 'run')}, expected at least two; there is nothing to merge")
    check_single_stdin(given)
    read = [load_run(run, input) for run in given]
    names, notes = name_systems(read)
    interner = Interner()
    ranked = [rank_run(run.run, name, ties, interner) for run, name in zip(read, names, strict=True)]
    return RunVotes(
        tuple(names), ranked, list(interner.ids), ties, [*(note for run in read for note in run.run.notes), *notes]
    )


def load_run(run: Any, input_: str | None) -> SourceRun:
    if is_path(run):
        found = read_run(run, input=input_)
        return SourceRun(found.name, found, run)
    found = run if isinstance(run, Run) else Run(run)
    return SourceRun(found.name, found, None)


def rank_run(run: Run, name: str, ties: str, interner: Interner) -> RankedRun:
    """The lists of a run, ranked."""
    rows = run._rows if run._rows is not None else rows_from_dicts(run._mapping or {}, f"run {name!r}", "score")
    rows.refuse_duplicates(rows.keys(np.arange(len(rows.query_ids))))
    every = np.arange(rows.values.size)
    found = rank_rows(
        rows.values,
        rows.offsets,
        every,
        group_of(rows.offsets),
        ties,
        rows.docs.take,
        lambda row: describe_row(rows, row, name),
    )
    rank = (found.first + found.last) / 2 if ties == "average" else found.rank.astype(np.float64)
    place = {query: i for i, query in enumerate(decode_ids(rows.query_ids))}
    return RankedRun(interner.codes(rows.docs), rank, rows.offsets, place)


def describe_row(rows: Rows, row: int, name: str) -> str:
    """A row, for a message."""
    query = rows.query_ids[int(np.searchsorted(rows.offsets, row, side="right")) - 1]
    document = decode_id(decode(rows.docs.take(np.array([row])))[0])
    return f"run {name!r}: document {document!r} of query {decode_id(query)!r}"
