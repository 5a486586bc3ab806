"""Joining a run with its judgments: rows or mappings in, Hits out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain, repeat
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.data.hits import Hits
from rankscope.data.qrels import Qrels
from rankscope.data.ranking import check_tie_rule, rank_rows
from rankscope.data.rows import Ints, Rows, name_of
from rankscope.data.run import Run
from rankscope.errors import InputError, ParameterError
from rankscope.kernels.order import stable_order
from rankscope.kernels.text import Fields, as_fields, decode

__all__ = ["Convention", "Joiner", "join"]

PRECISIONS = ("float64", "float32")


@dataclass(frozen=True, kw_only=True)
class Convention:
    """How lists are ranked and what counts as relevant.

    ties: see `rankscope.data.ranking.TIE_RULES`. precision: in which scores are compared; "float32"
    is what trec_eval 9 does. rel: least relevance that counts.
    """

    ties: str = "doc_id_desc"
    precision: str = "float64"
    rel: int = 1

    def __post_init__(self) -> None:
        check_tie_rule(self.ties)
        if self.precision not in PRECISIONS:
            raise ParameterError(f"precision {self.precision!r}, expected one of {', '.join(PRECISIONS)}")
        if self.rel < 1:
            raise ParameterError(f"rel is {self.rel}, expected at least 1: the least relevance that counts")


class Found(NamedTuple):
    """Hits of some queries, not yet in order: per hit the query's place, the ranks, the judgment's number."""

    query: Ints
    rank: Ints
    first: Ints
    last: Ints
    judgment: Ints


class Joiner:
    """Collects the hits of one run, block by block; holds nothing of the run itself."""

    def __init__(self, qrels: Qrels, convention: Convention, name: str) -> None:
        self.qrels, self.convention, self.name = qrels, convention, name
        self.parts: list[Found] = []
        n = len(qrels.query_ids)
        self.grades = qrels.grades  # now, while there is memory to sort them in
        self.retrieved = np.zeros(n, np.int64)
        self.missing = np.ones(n, np.bool_)
        self.unknown: list[str] = []  # queries of the run that have no judgments

    def add(self, rows: Rows) -> None:
        """Join these queries. Each query of the run is added once, whole."""
        for chunk in rows.chunks():
            self._add_chunk(chunk)

    def _add_chunk(self, rows: Rows) -> None:
        codes = self._codes(rows.query_ids)
        keys = rows.keys(codes, self.qrels.lookup.seed)
        rows.refuse_duplicates(keys)
        found, judged = self.qrels.lookup.find(keys, rows.docs)
        group = np.searchsorted(rows.offsets, found, side="right") - 1
        lengths = np.diff(rows.offsets)
        ours = np.flatnonzero(codes < len(self.qrels.query_ids))
        self.retrieved[codes[ours]] = lengths[ours]
        self.missing[codes[ours]] = False
        if not np.isfinite(rows.values).all():
            row = int(np.argmin(np.isfinite(rows.values)))
            where = rows.where(int(rows.docs.starts[row]))
            raise InputError(f"{where}: score {rows.values[row]}, expected a finite number; correct this row")
        self._rank(rows.values, rows.offsets, codes, found, group, judged, rows.docs)

    def add_mapping(self, run: Mapping[str, Mapping[str, float]]) -> None:
        """Join a run held as `{query_id: {document_id: score}}`."""
        known = self.qrels._lookup
        places = self.qrels.places
        listed: list[Mapping[str, float]] = []
        codes = []
        for query, docs in run.items():
            place = places.get(query)
            if place is None:
                if not isinstance(query, str):
                    raise InputError(f"run {self.name!r}: the query id {query!r} is no string; use str(...)")
                self.unknown.append(query)
            else:
                codes.append(place)
                listed.append(docs)
        lengths = np.fromiter(map(len, listed), np.int64, len(listed))
        n = int(lengths.sum())
        offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths)))
        scores = self._scores(listed, n)
        judged_in_query = np.fromiter(
            chain.from_iterable(map(known[q].get, docs, repeat(-1)) for q, docs in zip(codes, listed, strict=True)),
            np.int64,
            n,
        )
        code_array = np.array(codes, np.int64)
        found = np.flatnonzero(judged_in_query >= 0)
        group = np.searchsorted(offsets, found, side="right") - 1
        judged = judged_in_query[found] + self.qrels.offsets[code_array[group]]
        self.retrieved[code_array] = lengths
        self.missing[code_array] = False
        self._rank(scores, offsets, code_array, found, group, judged, listed)

    def _scores(self, listed: list[Mapping[str, float]], n: int) -> npt.NDArray[np.float64]:
        try:
            scores = np.fromiter(chain.from_iterable(docs.values() for docs in listed), np.float64, n)
        except (TypeError, ValueError):
            scores = None
        if scores is None or not np.isfinite(scores).all():
            for docs in listed:
                for doc, score in docs.items():
                    try:
                        good = bool(np.isfinite(float(score))) and not isinstance(score, str)
                    except (TypeError, ValueError):
                        good = False
                    if not good:
                        raise InputError(
                            f"run {self.name!r}: the score of document {doc!r} is {score!r}, "
                            "expected a finite number; correct it or leave the document out"
                        )
        assert scores is not None
        return scores

    def _codes(self, query_ids: list[bytes]) -> Ints:
        """The place of each query among the qrels'; numbers beyond them for queries without judgments."""
        known = self.qrels.codes
        codes = np.empty(len(query_ids), np.int64)
        beyond = len(self.qrels.query_ids) + len(self.unknown)
        codes[:] = [known.get(id_, -1) for id_ in query_ids]
        strangers = np.flatnonzero(codes < 0)
        if strangers.size:
            codes[strangers] = beyond + np.arange(strangers.size)
            self.unknown += [name_of(query_ids[i]) for i in strangers]
        return codes

    def _rank(
        self,
        scores: npt.NDArray[np.float64],
        offsets: Ints,
        codes: Ints,
        found: npt.NDArray[np.intp],
        group: npt.NDArray[np.intp],
        judged: Ints,
        source: Fields | list[Mapping[str, float]],
    ) -> None:
        if self.convention.precision == "float32":
            with np.errstate(over="ignore"):  # beyond float32 all are infinite, and tied
                scores = scores.astype(np.float32).astype(np.float64)

        def docs(rows: npt.NDArray[np.intp]) -> Fields:
            if isinstance(source, Fields):
                return source.take(rows)
            names = list(chain.from_iterable(source))
            return as_fields([names[i].encode("utf-8", "surrogateescape") for i in rows.tolist()])

        def say(row: int) -> str:
            query = self.qrels.query_ids[codes[int(np.searchsorted(offsets, row, side="right")) - 1]]
            doc = name_of(decode(docs(np.array([row])))[0])
            return f"run {self.name!r}: document {doc!r} of query {query!r}"

        ranks = rank_rows(scores, offsets, found, group, self.convention.ties, docs, say)
        columns = [codes[group], *ranks, judged]
        if ((ranks.rank[1:] < ranks.rank[:-1]) & (group[1:] == group[:-1])).any():
            order = np.lexsort((ranks.rank, group))
            columns = [c[order] for c in columns]
        if max(scores.size, len(self.qrels)) < 1 << 31:
            columns = [c.astype(np.int32) for c in columns]  # half the memory until all are there
        self.parts.append(Found(*columns))

    def finish(self) -> Hits:
        """The hits of all that was added."""
        qrels = self.qrels
        if self.missing.all():
            ours, theirs = ", ".join(qrels.query_ids[:3]), ", ".join(self.unknown[:3])
            raise InputError(
                f"run {self.name!r} and the qrels have no query in common (qrels: {ours}, ...; "
                f"run: {theirs or 'none'}{', ...' if theirs else ''}); check that they belong together"
            )
        query, rank, first, last, judgment = (
            columns[0] if len(columns) == 1 else np.concatenate(columns) for columns in zip(*self.parts, strict=True)
        )
        self.parts.clear()
        if (query[1:] < query[:-1]).any():  # within a query they are in order
            order = stable_order(query)
            query, rank, first, last, judgment = (c[order] for c in (query, rank, first, last, judgment))
        return Hits(
            query_ids=qrels.query_ids,
            offsets=np.searchsorted(query, np.arange(len(qrels.query_ids) + 1)).astype(np.int64),
            rank=rank.astype(np.float64),
            first=first.astype(np.float64),
            last=last.astype(np.float64),
            relevance=qrels.relevance[judgment],
            judged=judgment - qrels.offsets[query],  # int64 again
            retrieved=self.retrieved,
            missing=self.missing,
            grades=self.grades,
            grade_offsets=qrels.offsets,
            max_grade=qrels.max_grade,
            rel=self.convention.rel,
            ties=self.convention.ties,
            precision=self.convention.precision,
            _pool_memory=qrels.memory,
        )


def join(qrels: Qrels, run: Run, convention: Convention | None = None) -> Hits:
    """The hits of a run: every judged document that it retrieved, with its rank.

    Raises InputError for a document that a query holds twice, a score that is not finite, no
    query in common with the judgments, and for ties where the convention refuses them.
    """
    joiner = Joiner(qrels, convention or Convention(), run.name)
    if run._mapping is not None:
        joiner.add_mapping(run._mapping)
    elif run._rows is not None:
        joiner.add(run._rows)
    return joiner.finish()
