"""Joining a run with its judgments: rows or mappings in, Hits out."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate, chain, pairwise, repeat
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.data.hits import Hits, freeze
from rankscope.data.qrels import Qrels
from rankscope.data.ranking import Ranks, check_tie_rule, rank_rows
from rankscope.data.rows import CHUNK, Rows, are_valid_ids, decode_id
from rankscope.data.run import Run
from rankscope.data.text import first_names
from rankscope.errors import InputError, ParameterError
from rankscope.kernels.order import stable_order
from rankscope.kernels.text import Fields, decode, encode
from rankscope.typing import Ints

__all__ = [
    "Convention",
    "JoinedPortion",
    "Joiner",
    "join",
]


PRECISIONS = ("float64", "float32")


@dataclass(frozen=True, kw_only=True)
class Convention:
    """How lists are ranked and what counts as relevant.

    ties: see `rankscope.data.ranking.TIE_RULES`. precision: in which scores are compared; "float32"
    is what trec_eval 9 does. rel: least relevance that counts. Raises UnknownName for another tie rule, ParameterError
    for another precision, and for a rel below 1.

    >>> import rankscope as rs
    >>> judged, tied = {"q": {"a": 1}}, {"q": {"a": 1.0, "b": 1.0}}
    >>> [rs.hits_of(judged, tied, Convention(ties=ties)).rank.item() for ties in ("doc_id_desc", "file", "average")]
    [2.0, 1.0, 1.5]
    """

    ties: str = "doc_id_desc"
    precision: str = "float64"
    rel: int = 1

    def __post_init__(self) -> None:
        check_tie_rule(self.ties)
        if self.precision not in PRECISIONS:
            raise ParameterError(f"precision {self.precision!r}, expected one of {', '.join(PRECISIONS)}")
        if not isinstance(self.rel, (int, np.integer)) or isinstance(self.rel, bool) or self.rel < 1:
            raise ParameterError(
                f"rel is {self.rel!r}, expected a whole number of at least 1: the least relevance that counts"
            )


class JoinedPortion(NamedTuple):
    """What a Joiner found in some of the queries of a run: all that another, of the same judgments, needs of them.

    hits: (5, hits) as in `Joiner.parts`. queries: those with judgments, by their places among the qrels', and how many
    documents were retrieved for each. unknown: the ids of those without.
    """

    hits: npt.NDArray[Any]
    queries: Ints
    retrieved: Ints
    unknown: list[str]


class Joiner:
    """Collects the hits of one run, block by block; holds nothing of the run itself."""

    def __init__(self, qrels: Qrels, convention: Convention, name: str) -> None:
        self.qrels, self.convention, self.name = qrels, convention, name
        # Rows query, rank, first, last, judgment; a column a hit, in order within each query.
        self.parts: list[npt.NDArray[Any]] = []
        n = len(qrels.query_ids)
        self.grades = qrels.grades  # now, while there is memory to sort them in
        self.retrieved = np.zeros(n, np.int64)
        self.missing = np.ones(n, np.bool_)
        self.answered = False  # whether any query of the qrels has a list
        self.unknown: list[str] = []  # queries of the run that have no judgments
        self.advice = "remove one of the two"  # where a query holds a document twice

    def add(self, rows: Rows) -> None:
        """Join these queries. Each query of the run is added once, whole."""
        for chunk in rows.chunks():
            self._add_chunk(chunk)

    def _add_chunk(self, rows: Rows) -> None:
        codes = self._codes(rows.query_ids)
        keys = rows.keys(codes, self.qrels.lookup.seed)
        rows.refuse_duplicates(keys, self.advice)
        found, judged = self.qrels.lookup.find(keys, rows.docs)
        group = np.searchsorted(rows.offsets, found, side="right") - 1
        lengths = np.diff(rows.offsets)
        ours = np.flatnonzero(codes < len(self.qrels.query_ids))
        self.retrieved[codes[ours]] = lengths[ours]
        self.missing[codes[ours]] = False
        self.answered |= bool(ours.size)
        self._rank(rows.values, rows.offsets, codes, found, group, judged, rows.docs)

    def add_mapping(self, run: Mapping[str, Mapping[str, float]]) -> None:
        """Join a run held as `{query_id: {document_id: score}}`."""
        places = self.qrels.places
        listed: list[Mapping[str, float]] = []
        strange: list[Mapping[str, float]] = []  # of queries without judgments: checked all the same
        codes = []
        for query, docs in run.items():
            place = places.get(query)
            if place is not None:
                codes.append(place)
                listed.append(docs)
            elif isinstance(query, str) and query:
                self.unknown.append(query)
                strange.append(docs)
            else:
                raise InputError(f"run {self.name!r}: the query id {query!r} is no string or empty; use str(...)")
        if strange:
            self._scores(strange)
        for a, b in chunk_bounds(listed):
            self._add_lists(codes[a:b], listed[a:b])

    def _add_lists(self, codes: list[int], listed: list[Mapping[str, float]]) -> None:
        """Join the lists of these queries, by their places among the qrels'."""
        known = self.qrels._lookup
        offsets = np.array([0, *accumulate(map(len, listed))])
        scores = self._scores(listed)
        judged_in_query = np.fromiter(
            chain.from_iterable(map(known[q].get, docs, repeat(-1)) for q, docs in zip(codes, listed, strict=True)),
            np.int64,
            scores.size,
        )
        code_array = np.array(codes, np.int64)
        found = (judged_in_query >= 0).nonzero()[0]
        group = offsets.searchsorted(found, side="right") - 1 if len(listed) > 1 else np.zeros(found.size, np.int64)
        judged = judged_in_query[found] + self.qrels.offsets[code_array[group]]
        self.retrieved[code_array] = offsets[1:] - offsets[:-1]
        self.missing[code_array] = False
        self.answered = True
        self._rank(scores, offsets, code_array, found, group, judged, listed)

    def _scores(self, listed: list[Mapping[str, float]]) -> npt.NDArray[np.float64]:
        """The scores of all documents, one list after the other; ids and scores checked."""
        numbers = array("d")  # takes numbers only: no text that looks like one
        try:
            for docs in listed:
                numbers.fromlist(list(docs.values()))
            scores = np.frombuffer(numbers) if numbers else np.empty(0)
            if np.isfinite(scores).all() and all(map(are_valid_ids, listed)):
                return scores
        except (TypeError, ValueError, OverflowError):
            pass
        raise InputError(f"run {self.name!r}: {self._fault(listed)}; correct it or leave the document out")

    def _fault(self, listed: list[Mapping[str, float]]) -> str:
        """What is wrong with the first document that cannot be taken."""
        for docs in listed:
            for doc, score in docs.items():
                try:
                    if not doc or not isinstance(doc, str) or not doc.encode("utf-8", "surrogateescape"):
                        return f"the document id {doc!r} is no string or empty, expected an id"
                    if isinstance(score, Mapping):
                        return "this looks like several runs by name, expected one; pass a list of Run(..., name=...)"
                    if isinstance(score, str) or not np.isfinite(float(score)):
                        raise ValueError
                except UnicodeEncodeError:
                    return f"the document id {doc!r} is no valid Unicode, expected an id"
                except (TypeError, ValueError, OverflowError):
                    return f"the score of document {doc!r} is {score!r}, expected a finite number"
        raise AssertionError("the fault is gone: the run changed while it was read")

    def _codes(self, query_ids: list[bytes]) -> Ints:
        """The place of each query among the qrels'; numbers beyond them for queries without judgments."""
        known = self.qrels.codes
        codes = np.empty(len(query_ids), np.int64)
        beyond = len(self.qrels.query_ids) + len(self.unknown)
        codes[:] = [known.get(id_, -1) for id_ in query_ids]
        strangers = np.flatnonzero(codes < 0)
        if strangers.size:
            codes[strangers] = beyond + np.arange(strangers.size)
            self.unknown += [decode_id(query_ids[i]) for i in strangers]
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
            names: list[str] = []
            groups = offsets.searchsorted(rows, side="right") - 1  # not falling
            cuts = np.flatnonzero(groups[1:] != groups[:-1]) + 1
            for a, b in pairwise([0, *cuts.tolist(), rows.size]):
                g = int(groups[a])
                names += map(list(source[g]).__getitem__, (rows[a:b] - offsets[g]).tolist())
            return encode(names)

        def say(row: int) -> str:
            query = self.qrels.query_ids[codes[int(np.searchsorted(offsets, row, side="right")) - 1]]
            doc = decode_id(decode(docs(np.array([row])))[0])
            return f"run {self.name!r}: document {doc!r} of query {query!r}"

        ranks = rank_rows(scores, offsets, found, group, self.convention.ties, docs, say)
        small = max(scores.size, len(self.qrels)) < 1 << 31  # half the memory until all are there
        part: npt.NDArray[Any] = np.array([codes[group], *ranks[:3], judged], np.int32 if small else np.int64)
        if not ranks.in_order:
            part = part[:, self._order(ranks, group, judged, alone=offsets.size == 2)]
        self.parts.append(part)

    def _order(self, ranks: Ranks, group: Ints, judged: Ints, alone: bool) -> npt.NDArray[np.intp]:
        """The order of hits by query, then rank. alone: they are of one query."""
        if self.convention.ties == "average":  # tied ones by falling grade, whatever their order in the input
            return np.lexsort((-self.qrels.relevance[judged], ranks.first, group))
        return ranks.rank.argsort() if alone else np.lexsort((ranks.rank, group))

    def portion(self) -> JoinedPortion:
        """What was found so far, to be merged elsewhere."""
        queries = np.flatnonzero(~self.missing)
        return JoinedPortion(self._hits(), queries, self.retrieved[queries], self.unknown)

    def merge(self, portion: JoinedPortion) -> None:
        """Add what was found in queries none of which were added here before; portions in the order of the input."""
        self.parts.append(portion.hits)
        self.retrieved[portion.queries] = portion.retrieved
        self.missing[portion.queries] = False
        self.answered |= bool(portion.queries.size)
        self.unknown += portion.unknown

    def _hits(self) -> npt.NDArray[Any]:
        if not self.parts:  # queries without judgments only
            return np.empty((5, 0), np.int32)
        return np.concatenate(self.parts, axis=1) if len(self.parts) > 1 else self.parts[0]

    def finish(self) -> Hits:
        """The hits of all that was added."""
        qrels = self.qrels
        if not self.answered:
            raise InputError(
                f"run {self.name!r} and the qrels have no query in common (qrels: {first_names(qrels.query_ids)}; "
                f"run: {first_names(self.unknown)}); check that they belong together"
            )
        found = self._hits()
        self.parts.clear()
        if (found[0, 1:] < found[0, :-1]).any():
            found = found[:, stable_order(found[0])]
        query, judgment = found[0].astype(np.int64), found[4]
        rank, first, last = found[1:4].astype(np.float64)
        if self.convention.ties == "average":
            rank = (first + last) / 2
        hits = Hits(
            query_ids=qrels.query_ids,
            offsets=query.searchsorted(np.arange(len(qrels.query_ids) + 1, dtype=query.dtype)),
            rank=rank,
            first=first,
            last=last,
            relevance=qrels.relevance[judgment],
            judged=judgment - qrels.offsets[query],  # int64 again
            retrieved=self.retrieved,
            missing=self.missing,
            grades=self.grades,
            grade_offsets=qrels.offsets,
            max_grade=qrels.max_grade,
            subtopics=qrels.subtopics,
            rel=self.convention.rel,
            ties=self.convention.ties,
            precision=self.convention.precision,
            _pool_memory=qrels.memory,
        )
        hits.__dict__["query"] = freeze(query)  # known here; it would be made again from the offsets
        return hits


def chunk_bounds(listed: list[Mapping[str, float]]) -> Iterator[tuple[int, int]]:
    """Where to cut the lists, so that none of the pieces is much longer than `CHUNK`."""
    begin = size = 0
    for i, docs in enumerate(listed):
        size += len(docs)
        if size > CHUNK:
            yield begin, i + 1
            begin, size = i + 1, 0
    if begin < len(listed):
        yield begin, len(listed)


def join(qrels: Qrels, run: Run, convention: Convention | None = None) -> Hits:
    """The hits of a run: every judged document that it retrieved, with its rank.

    Raises InputError for a document that a query holds twice, a score that is not finite, no
    query in common with the judgments, and for ties where the convention refuses them.
    """
    joiner = Joiner(qrels, convention or Convention(), run.name)
    if run._mapping is not None:
        joiner.add_mapping(run._mapping)
    else:
        for rows in run._whole_queries():
            joiner.add(rows)
    return joiner.finish()
