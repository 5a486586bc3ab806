"""`interleave`: several runs as one list for each query, with the record by which clicks are credited."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rankscope.data.result import Result
from rankscope.data.rows import Rows
from rankscope.data.run import Run
from rankscope.data.text import pluralise, pluralise_queries
from rankscope.errors import ParameterError
from rankscope.io.core import compress, split_compression_suffix, write_chunks, write_stdout
from rankscope.kernels.segments import bounds
from rankscope.kernels.text import encode, hashes
from rankscope.online.interleaving.draft import Draft
from rankscope.online.interleaving.ranked_lists import NO_DOCUMENT, RankedLists, load_lists
from rankscope.online.interleaving.settings import METHODS, InterleavingSettings
from rankscope.stats.inputs import as_generator, seed_of
from rankscope.typing import Bools, PathLike

__all__ = [
    "Interleaving",
    "interleave",
    "interleave_runs",
]


#: Cells of the table of runs, queries and documents that are handled at a time.
CELLS = 1 << 21
#: Digits of credit in a record.
DIGITS = 6


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Interleaving(Result):
    """Interleaved lists; the result of `interleave`.

    `frame()` is the tidy table: query, rank, document, system, credit (what a click gives the system; null for balanced
    interleaving), system_rank (of the document in the list of the system; null if it is not there, or not needed).

    Attributes
    ----------
    ranked
        The lists of the runs.
    draft
        The interleaved lists.
    settings
        The settings of the method.
    notes
        What a reader should know.
    """

    VIEW = "rankscope.online.interleaving.view:interleaving_sections"
    COLUMNS = ("query", "rank", "document", "system", "credit", "system_rank")

    ranked: RankedLists
    draft: Draft
    settings: InterleavingSettings
    notes: tuple[str, ...]

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the runs."""
        return self.ranked.systems

    @property
    def query_ids(self) -> tuple[str, ...]:
        """The queries."""
        return self.ranked.query_ids

    @cached_property
    def same_lists(self) -> Bools:
        """(queries) whether all runs have the same first documents, down to the length of the list."""
        lists = self.ranked.lists[:, :, : self.settings.length]
        return np.asarray((lists == lists[0]).all(axis=(0, 2)))

    def run(self, name: str | None = None) -> Run:
        """The interleaved lists as a run, whose scores fall by 1 from the length of the list.

        Parameters
        ----------
        name
            Name of the run. Default: the method with the names of the systems.
        """
        documents = self.draft.documents
        is_there = documents != NO_DOCUMENT
        scores = np.broadcast_to(np.arange(documents.shape[1], 0, -1.0), documents.shape)[is_there]
        docs = encode([self.ranked.doc_ids[number] for number in documents[is_there].tolist()])
        queries = [query.encode("utf-8", "surrogateescape") for query in self.query_ids]
        rows = Rows(queries, bounds(is_there.sum(axis=1)), docs, hashes(docs), scores, lambda _: "the interleaved run")
        return Run.from_rows(rows, name=name or f"{self.settings.method}({','.join(self.systems)})", notes=self.notes)

    def credit_records(self) -> Iterator[dict[str, Any]]:
        """The credit record: for each query the documents and what a click on each of them says.

        Yields
        ------
        dict
            query, method, systems, documents; and by document the team (null for none), the ranks in the list of each
            system (null if it is not there), or the credit of each system.
        """
        for row, query in enumerate(self.query_ids):
            numbers = [number for number in self.draft.documents[row].tolist() if number != NO_DOCUMENT]
            record = {
                "query": query,
                "method": self.settings.method,
                "systems": list(self.systems),
                "documents": [self.ranked.doc_ids[number] for number in numbers],
            }
            credit = self.draft.credit[row, : len(numbers)]
            if self.draft.ranks is not None:
                ranks = self.draft.ranks[row, : len(numbers)].tolist()
                record["ranks"] = [[rank or None for rank in of_document] for of_document in ranks]
            elif self.settings.method == "team-draft":
                names = (*self.systems, None)
                record["team"] = [
                    names[team] for team in np.where(credit.any(axis=1), credit.argmax(axis=1), -1).tolist()
                ]
            else:
                record["credit"] = (np.round(credit, DIGITS) + 0.0).tolist()  # without negative zeros
            yield record

    def write_record(self, path: PathLike) -> None:
        """Write the credit record as JSON lines (atomically).

        Parameters
        ----------
        path
            The file; a suffix .gz or .zst compresses, "-" prints.

        Raises
        ------
        OutputError
            The file cannot be written.
        """
        lines = ((json.dumps(record) + "\n").encode() for record in self.credit_records())
        if os.fspath(path) == "-":
            write_stdout(lines)
        else:
            write_chunks(path, compress(lines, split_compression_suffix(path)[1]))

    def records(self) -> Iterator[tuple[Any, ...]]:
        """A row for each document and system."""
        credit, ranks = self.draft.credit, self.draft.ranks
        for row, query in enumerate(self.query_ids):
            for place, number in enumerate(self.draft.documents[row].tolist()):
                if number == NO_DOCUMENT:
                    continue
                for system, name in enumerate(self.systems):
                    rank = None if ranks is None else int(ranks[row, place, system]) or None
                    value = float(credit[row, place, system]) if ranks is None else np.nan
                    yield query, place + 1, self.ranked.doc_ids[number], name, value, rank

    def signature_parts(self) -> list[str]:
        """The settings that change the lists, and the size of the data."""
        settings = self.settings
        return [
            *settings.parts("method", "length"),
            *(settings.parts(*(name for name in ("depth", "tau") if settings.is_changed(name)))),
            f"rng:{settings.seed}",
            f"systems:{len(self.systems)}",
            f"queries:{len(self.query_ids)}",
        ]

    def contents(self) -> str:
        """What it holds, in a few words."""
        n_systems = pluralise(len(self.systems), "system")
        return f"{n_systems}, {pluralise_queries(len(self.query_ids))}, {self.settings.method}"


def interleave(
    runs: Sequence[Any],
    *,
    method: str = "team-draft",
    length: int = 10,
    depth: int | None = None,
    tau: float | None = None,
    rng: Any = None,
    input: str | None = None,
) -> Interleaving:
    """Interleave runs: one list for each query, whose clicks say which run users prefer.

    Parameters
    ----------
    runs
        List of two or more runs, files, or anything that `Run` takes.
    method
        Method of interleaving: team draft, balanced (two runs), probabilistic, or optimised. One of 'team-draft',
        'balanced', 'probabilistic', 'optimised'. Default: 'team-draft'.
    length
        Documents of each interleaved list. Default: 10.
    depth
        Documents of each run that are considered. Default: those of the length; all for probabilistic.
    tau
        For probabilistic: a document at rank r is drawn in proportion to 1 / r^tau. Default: 3.
    rng
        Seed or `numpy.random.Generator`; None draws a new seed. The same seed gives the same results.
    input
        Format of the files. Default: detected from their content.

    Returns
    -------
    Interleaving
        The lists as a run, and the credit record.

    Raises
    ------
    InputError
        A run cannot be read, two have one name, or no query is in all of them.
    ParameterError
        There are fewer than two runs, more than the method takes, or a setting is out of range.

    Notes
    -----
    Documents of one score are ordered by document id, descending by bytes. Where a run has no document left, the list
    is filled up from the other runs, without credit: otherwise a click by chance would favour the run with the longer
    list.

    References
    ----------
    Of each method in its module: `rankscope.online.interleaving`.

    Examples
    --------
    >>> import rankscope as rs
    >>> lists = rs.Run({"q": ["a", "b", "c"]}, name="one"), rs.Run({"q": ["b", "d", "a"]}, name="two")
    >>> result = rs.online.interleave(lists, length=3, rng=1)
    >>> next(result.credit_records())["documents"], next(result.credit_records())["team"]
    (['a', 'b', 'c'], ['one', 'two', 'one'])
    """
    settings = InterleavingSettings(method=method, length=length, depth=depth, tau=tau, seed=seed_of(rng))
    return interleave_runs(runs, settings, input=input)


def interleave_runs(runs: Sequence[Any], settings: InterleavingSettings, *, input: str | None = None) -> Interleaving:
    """As `interleave`, with its settings as one object."""
    most_runs = METHODS[settings.method].most_runs
    if most_runs is not None and len(runs) > most_runs:
        raise ParameterError(
            f"method {settings.method!r} takes {most_runs} runs, and there are {len(runs)}; choose another method, or "
            "interleave two"
        )
    ranked = load_lists(runs, settings.considered, input=input)
    return Interleaving(ranked=ranked, draft=draft_in_blocks(ranked, settings), settings=settings, notes=ranked.notes)


def draft_in_blocks(ranked: RankedLists, settings: InterleavingSettings) -> Draft:
    """The interleaved lists, of some queries after the other."""
    lists = ranked.lists
    n_runs, n_queries, depth = lists.shape
    rng = as_generator(settings.seed)
    step = max(1, CELLS // max(1, n_runs * depth))
    drafts = [settings.draft(lists[:, start : start + step], rng) for start in range(0, n_queries, step)]
    joined: dict[str, Any] = {
        name: np.concatenate([getattr(draft, name) for draft in drafts]) for name in ("documents", "credit")
    }
    ranks = [draft.ranks for draft in drafts if draft.ranks is not None]
    return Draft(**joined, ranks=np.concatenate(ranks) if ranks else None)
