"""Joins a run with its judgments: rows or mappings in, Hits out."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import accumulate, chain, pairwise, repeat
from math import isfinite
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.data.chunks import DUPLICATE_ADVICE, REMOVE_ADVICE, DocumentMap, Merging, as_document_map
from rankscope.data.hits import Hits, freeze
from rankscope.data.list_hashes import list_hashes
from rankscope.data.qrels import Qrels
from rankscope.data.row_input import rows_from_dicts
from rankscope.data.rows import BLOCK_ROWS, Rows, are_valid_ids, decode_id, decode_ids
from rankscope.data.run import Run
from rankscope.data.spelling import spelling_advice
from rankscope.data.text import first_names
from rankscope.data.tie_breaking import Ranks, check_tie_rule, rank_rows
from rankscope.data.top_lists import TopLists, TopRows, top_rows
from rankscope.errors import InputError, ParameterError
from rankscope.kernels.order import stable_order
from rankscope.kernels.text import Fields, decode, encode
from rankscope.settings import plain_number
from rankscope.typing import Floats, Ints, Words

__all__ = [
    "N_FIRST",
    "Convention",
    "Joiner",
    "RunPart",
    "join",
]


PRECISIONS = ("float64", "float32")
#: The most documents of a list that Python ranks faster than NumPy.
SHORT_LIST = 100
#: The documents by which a mark between document and chunk is looked for.
N_FIRST = 50


@dataclass(frozen=True, kw_only=True)
class Convention:
    """How lists are ranked and what counts as relevant.

    Attributes
    ----------
    ties
        Tie rule, see `rankscope.data.tie_breaking.TIE_RULES`.
    precision
        Precision in which scores are compared; "float32" is that of trec_eval 9.
    rel
        Lowest grade that counts as relevant.
    duplicates
        What a document counts that a query of a run holds several times, see `rankscope.data.chunks.DUPLICATES`.
        Default: "max" with `doc_of`, else "error".
    doc_of
        The document of each chunk that a run retrieved: a pattern with one group, or a mapping {chunk: document}.
    may_merge
        Whether users can choose `duplicates`, which the message for a document that a query holds twice then names.
    list_depths
        Depths down to which hashes of the lists are kept, 0 for whole lists; `Hits.lists` then tells equal lists.

    Raises
    ------
    UnknownName
        The tie rule does not exist.
    ParameterError
        The precision or `duplicates` is unknown, rel is not above 0, or the pattern does not have one group.

    Examples
    --------
    >>> import rankscope as rs
    >>> judged, tied = {"q": {"a": 1}}, {"q": {"a": 1.0, "b": 1.0}}
    >>> [rs.hits_of(judged, tied, Convention(ties=ties)).rank.item() for ties in ("doc_id_desc", "file", "average")]
    [2.0, 1.0, 1.5]
    """

    ties: str = "doc_id_desc"
    precision: str = "float64"
    rel: float = 1
    duplicates: str | None = None
    doc_of: DocumentMap | Mapping[str, str] | str | None = None
    may_merge: bool = True
    list_depths: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        check_tie_rule(self.ties)
        merging = Merging.of(self.duplicates, as_document_map(self.doc_of))
        object.__setattr__(self, "duplicates", merging.duplicates)
        object.__setattr__(self, "doc_of", merging.doc_of)
        if self.precision not in PRECISIONS:
            raise ParameterError(f"precision {self.precision!r}, expected one of {', '.join(PRECISIONS)}")
        rel = plain_number(self.rel)
        if not isinstance(rel, (int, float)) or isinstance(rel, bool) or not 0 < rel < np.inf:
            raise ParameterError(f"rel is {self.rel!r}, expected a number above 0: the least relevance that counts")
        object.__setattr__(self, "rel", rel)

    @cached_property
    def merging(self) -> Merging:
        """What becomes of documents that a query of a run holds several times."""
        return Merging.of(self.duplicates, as_document_map(self.doc_of))


class RunPart(NamedTuple):
    """What a Joiner collected of a run, or of a part of one, for another Joiner of the same judgments in any process.

    Attributes
    ----------
    hits
        (3 or 5, hits) as in `Joiner.hit_tables`.
    queries
        Indices of the judged queries among those of the qrels.
    retrieved, listed
        Number of documents retrieved for each of them, and of rows before documents were merged.
    lists
        Hashes of their lists, (queries, depths).
    unjudged_queries, adds_negative, first_docs, tag, n_ungrouped, notes, rank_note, top_rows
        As in the Joiner.
    """

    hits: npt.NDArray[Any]
    queries: Ints
    retrieved: Ints
    listed: Ints
    lists: Words
    unjudged_queries: list[str]
    adds_negative: bool
    first_docs: tuple[str, ...]
    tag: str
    n_ungrouped: int
    notes: tuple[str, ...]
    rank_note: str
    top_rows: tuple[TopRows, ...] = ()


class Joiner:
    """Collects the hits of one run, block by block; holds nothing of the run itself, or the first documents only.

    The code of a query is its index in `qrels.query_ids`; queries without judgments get the numbers after those.

    Attributes
    ----------
    first_docs
        The first ids of documents, or of chunks, for messages.
    tag
        The run's name in its file; empty where there is none.
    last_tag
        The first word of the tag of its last line.
    n_ungrouped
        How many queries did not have their rows together.
    notes
        What the reader of the run says of it.
    rank_note
        A note where scores rise with the ranks in the file.
    top_rows
        The first `depth` documents of each list with judgments; none if it is 0.
    """

    first_docs: tuple[str, ...] = ()
    tag = last_tag = ""
    n_ungrouped = 0
    notes: tuple[str, ...] = ()
    rank_note = ""
    has_one_list = False  # then the hits are in order
    top_rows: tuple[TopRows, ...] = ()

    def __init__(self, qrels: Qrels, convention: Convention, name: str, depth: int = 0) -> None:
        self.qrels, self.convention, self.name, self.depth = qrels, convention, name, depth
        # A column for each hit, in order within each query, and a row for each field: query, judgment, rank; where any
        # hit is tied also first, last.
        self.hit_tables: list[npt.NDArray[Any]] = []
        n = len(qrels.query_ids)
        self.grades = qrels.grades  # sorted now, before the hits need the memory
        self.retrieved = np.zeros(n, np.int64)
        # Rows before documents are merged: the same numbers where nothing is.
        self.listed = np.zeros(n, np.int64) if convention.merging else self.retrieved
        self.lists: Words = np.zeros((n, len(convention.list_depths)), np.uint64)
        self.adds_negative = False  # whether a negative score was added to another
        self.missing = np.empty(n, np.bool_)
        self.missing.fill(True)
        self.has_judged_query = False  # whether any query of the qrels has a list
        self.unjudged_queries: list[str] = []  # queries of the run that have no judgments
        # In the message for a document that a query holds twice.
        self.advice = DUPLICATE_ADVICE if convention.may_merge else REMOVE_ADVICE

    def add(self, rows: Rows) -> None:
        """Join these queries. Each query of the run is added once, whole."""
        n_first = len(self.first_docs)
        if n_first < N_FIRST:
            self.first_docs += tuple(decode_ids(decode(rows.docs.slice(slice(N_FIRST - n_first)))))
            if not n_first and self.first_docs and self.convention.merging.doc_of is not None:
                self._refuse_judged_chunks(self.convention.merging.doc_of)
        for block in rows.blocks():
            codes = self._codes(block.query_ids)
            if self.convention.merging:
                block, keys = self._merge(block, codes)
            else:
                keys = block.keys(codes, self.qrels.lookup.seed)
                block.refuse_duplicates(keys, self.advice)
            judged_rows, judgments = self.qrels.lookup.find(keys, block.docs)
            row_groups = np.searchsorted(block.offsets, judged_rows, side="right") - 1
            lengths = np.diff(block.offsets)
            judged_groups = np.flatnonzero(codes < len(self.qrels.query_ids))
            self.retrieved[codes[judged_groups]] = lengths[judged_groups]
            self.missing[codes[judged_groups]] = False
            self.has_judged_query |= bool(judged_groups.size)
            if self.convention.list_depths:
                self.lists[codes[judged_groups]] = self._list_hashes(block)[judged_groups]
            describe_row = partial(self._describe_row, codes, block.offsets, block.docs.take)
            scores = self._rounded(block.values)
            ranks = rank_rows(
                scores,
                block.offsets,
                judged_rows,
                row_groups,
                self.convention.ties,
                block.docs.take,
                describe_row,
            )
            self._append(ranks, codes, block.offsets, row_groups, judgments)
            if self.depth:
                self._add_top_rows(block, scores, codes, judged_rows, judgments)

    def _add_top_rows(self, block: Rows, scores: Floats, codes: Ints, judged_rows: Ints, judgments: Ints) -> None:
        """Collect the first documents of each list of a judged query."""
        judgment = np.full(scores.size, -1)
        judgment[judged_rows] = judgments
        top = top_rows(block, scores, codes, judgment, self.depth, self.convention.ties)
        judged = np.flatnonzero(top.query < len(self.qrels.query_ids))
        self.top_rows += (top if judged.size == top.query.size else top.select(judged),)

    def _list_hashes(self, rows: Rows) -> Words:
        """A hash of each list, for each depth."""
        convention = self.convention
        return list_hashes(
            rows.hashes, self._rounded(rows.values), rows.offsets, convention.list_depths, ties=convention.ties
        )

    def _merge(self, rows: Rows, codes: Ints) -> tuple[Rows, Words]:
        """The rows with each document once, and their keys."""
        is_judged = codes < len(self.qrels.query_ids)
        self.listed[codes[is_judged]] = np.diff(rows.offsets)[is_judged]
        merged = self.convention.merging.merge(rows, self.advice, codes=codes, seed=self.qrels.lookup.seed)
        self.adds_negative |= merged.adds_negative
        return merged.rows, merged.keys

    def _refuse_judged_chunks(self, doc_of: DocumentMap) -> None:
        """Raise InputError for judged documents that no chunk can belong to."""
        memory, key = self.qrels.memory, ("unreachable", doc_of)
        unreachable = memory[key] if key in memory else memory.setdefault(key, doc_of.unreachable(self.qrels.docs))
        if unreachable.size:
            judged_chunk = decode_id(decode(self.qrels.docs.take(unreachable[:1]))[0])
            raise InputError(
                f"qrels: {unreachable.size:,} of {self.qrels.relevance.size:,} judged ids, such as {judged_chunk!r}, "
                f"are no documents by --doc-of {doc_of.text!r} (doc_of=), which maps what was retrieved only; judge "
                "documents, or leave it out to compare chunks with chunks"
            )

    def _refuse_unmatched_chunks(self, doc_of: DocumentMap) -> None:
        """Raise InputError for a run of which no document is judged."""
        document = decode_id(decode(doc_of.documents_of(encode([self.first_docs[0]])))[0])
        judged = decode_id(decode(self.qrels.docs.slice(slice(1)))[0])
        raise InputError(
            f"run {self.name!r}: none of its {int(self.retrieved.sum()):,} documents is judged: {self.first_docs[0]!r} "
            f"belongs to {document!r} (doc_of:{doc_of.text}), and judged are ids such as {judged!r}; check that "
            "documents are written as the judgments write them"
        )

    def add_mapping(self, run: Mapping[str, Mapping[str, float]]) -> None:
        """Join a run held as `{query_id: {document_id: score}}`."""
        merging, depths = self.convention.merging, self.convention.list_depths
        if merging.doc_of is not None or depths or self.depth:  # which rows have, of chunks of documents, too
            self.add(rows_from_dicts(run, f"run {self.name!r}", "score"))
            return
        codes: list[int] = []
        doc_lists: list[Mapping[str, float]] = []
        self._collect(run, codes, doc_lists)
        if len(doc_lists) == 1 and len(doc_lists[0]) <= SHORT_LIST and self._add_short_list(codes[0], doc_lists[0]):
            return
        for start, stop in block_bounds(doc_lists):
            self._add_lists(codes[start:stop], doc_lists[start:stop])

    def add_mappings(self, runs: Iterable[Mapping[str, Mapping[str, float]]], n_queries: int) -> None:
        """Join several runs, each with the next `n_queries` queries of the qrels, which are copies of each other."""
        codes: list[int] = []
        doc_lists: list[Mapping[str, float]] = []
        for index, run in enumerate(runs):
            n_before = len(codes)
            self._collect(run, codes, doc_lists, index * n_queries)
            if len(codes) == n_before:
                raise no_common_query_error(self.name, self.qrels, list(run))
        for start, stop in block_bounds(doc_lists):
            self._add_lists(codes[start:stop], doc_lists[start:stop])

    def _collect(
        self,
        run: Mapping[str, Mapping[str, float]],
        codes: list[int],
        doc_lists: list[Mapping[str, float]],
        first_code: int = 0,
    ) -> None:
        """Append the lists of judged queries, and the places of these queries; lists of others are only checked."""
        places = self.qrels.places
        unjudged_lists: list[Mapping[str, float]] = []
        for query, docs in run.items():
            code = places.get(query)
            if code is not None:
                codes.append(first_code + code)
                doc_lists.append(docs)
            elif isinstance(query, str) and query:
                self.unjudged_queries.append(query)
                unjudged_lists.append(docs)
            else:
                raise InputError(f"run {self.name!r}: the query id {query!r} is empty or not a string; use str(...)")
        if unjudged_lists:
            self._scores(unjudged_lists)

    def _add_short_list(self, code: int, docs: Mapping[str, float]) -> bool:
        """Join the list of one query, by its place among the qrels', in plain Python: for few documents it is faster.

        False, and nothing is added, for scores that are equal, rounded or wrong, and for wrong ids: see `_add_lists`.
        """
        if self.convention.precision != "float64":
            return False
        try:
            scores = array("d", docs.values()).tolist()
            if not isfinite(sum(scores)) or len(set(scores)) < len(scores) or not are_valid_ids(docs):
                return False
        except (TypeError, ValueError, OverflowError):
            return False
        places, first = self.qrels.document_places[code], int(self.qrels.offsets[code])
        ranks, judgments = [], []
        for rank, (_, doc) in enumerate(sorted(zip(scores, docs, strict=True), reverse=True), 1):
            place = places.get(doc)
            if place is not None:
                ranks.append(rank)
                judgments.append(first + place)
        self.listed[code] = self.retrieved[code] = len(scores)
        self.missing[code] = False
        self.has_judged_query = True
        self.has_one_list = not self.hit_tables
        self.hit_tables.append(np.array([[code] * len(ranks), judgments, ranks], np.int64))
        return True

    def _add_lists(self, codes: list[int], doc_lists: list[Mapping[str, float]]) -> None:
        """Join the lists of these queries, by their places among the qrels'."""
        place_lookups = self.qrels.document_places
        offsets = np.array([0, *accumulate(map(len, doc_lists))])
        scores = self._scores(doc_lists)
        judged_in_query = np.fromiter(
            chain.from_iterable(
                map(place_lookups[q].get, docs, repeat(-1)) for q, docs in zip(codes, doc_lists, strict=True)
            ),
            np.int64,
            scores.size,
        )
        code_array = np.array(codes, np.int64)
        judged_rows = (judged_in_query >= 0).nonzero()[0]
        row_groups = (
            offsets.searchsorted(judged_rows, side="right") - 1
            if len(doc_lists) > 1
            else np.zeros(judged_rows.size, np.int64)
        )
        judgments = judged_in_query[judged_rows] + self.qrels.offsets[code_array[row_groups]]
        self.retrieved[code_array] = offsets[1:] - offsets[:-1]
        if self.listed is not self.retrieved:
            self.listed[code_array] = self.retrieved[code_array]
        self.missing[code_array] = False
        self.has_judged_query = True
        fetch_doc_ids = partial(doc_ids_of_lists, doc_lists, offsets)
        describe_row = partial(self._describe_row, code_array, offsets, fetch_doc_ids)
        ranks = rank_rows(
            self._rounded(scores), offsets, judged_rows, row_groups, self.convention.ties, fetch_doc_ids, describe_row
        )
        self.has_one_list = len(codes) == 1 and not self.hit_tables
        self._append(ranks, code_array, offsets, row_groups, judgments)

    def _scores(self, doc_lists: list[Mapping[str, float]]) -> npt.NDArray[np.float64]:
        """The scores of all documents, one list after the other; ids and scores checked."""
        numbers = array("d")  # takes numbers only: no text that looks like one
        try:
            for docs in doc_lists:
                numbers.fromlist(list(docs.values()))
            scores = np.frombuffer(numbers) if numbers else np.empty(0)
            if np.count_nonzero(np.isfinite(scores)) == scores.size and all(map(are_valid_ids, doc_lists)):
                return scores
        except (TypeError, ValueError, OverflowError):
            pass
        raise InputError(f"run {self.name!r}: {self._first_fault(doc_lists)}; correct it or leave the document out")

    def _first_fault(self, doc_lists: list[Mapping[str, float]]) -> str:
        """What is wrong with the first invalid document."""
        for docs in doc_lists:
            for doc, score in docs.items():
                try:
                    if not doc or not isinstance(doc, str) or not doc.encode("utf-8", "surrogateescape"):
                        return f"the document id {doc!r} is empty or not a string, expected an id"
                    if isinstance(score, Mapping):
                        return "this looks like several runs by name, expected one; pass a list of Run(..., name=...)"
                    if isinstance(score, str) or not np.isfinite(float(score)):
                        raise ValueError
                except UnicodeEncodeError:
                    return f"the document id {doc!r} is not valid Unicode, expected an id"
                except (TypeError, ValueError, OverflowError):
                    return f"the score of document {doc!r} is {score!r}, expected a finite number"
        raise AssertionError("the fault is gone: the run changed while it was read")

    def _codes(self, query_ids: list[bytes]) -> Ints:
        """The place of each query among the qrels'; numbers beyond them for queries without judgments."""
        code_of_query = self.qrels.codes
        codes = np.empty(len(query_ids), np.int64)
        first_new_code = len(self.qrels.query_ids) + len(self.unjudged_queries)
        codes[:] = [code_of_query.get(id_, -1) for id_ in query_ids]
        unjudged = np.flatnonzero(codes < 0)
        if unjudged.size:
            codes[unjudged] = first_new_code + np.arange(unjudged.size)
            self.unjudged_queries += [decode_id(query_ids[i]) for i in unjudged]
        return codes

    def _rounded(self, scores: Floats) -> Floats:
        """The scores in the precision in which they are compared."""
        if self.convention.precision == "float64":
            return scores
        with np.errstate(over="ignore"):  # scores beyond float32 become infinite, and tied
            return scores.astype(np.float32).astype(np.float64)

    def _describe_row(
        self, codes: Ints, offsets: Ints, fetch_doc_ids: Callable[[npt.NDArray[np.intp]], Fields], row: int
    ) -> str:
        """Names a row in a message. codes, offsets: of the queries of these rows."""
        query = self.qrels.query_ids[codes[int(np.searchsorted(offsets, row, side="right")) - 1]]
        doc = decode_id(decode(fetch_doc_ids(np.array([row])))[0])
        return f"run {self.name!r}: document {doc!r} of query {query!r}"

    def _append(self, ranks: Ranks, codes: Ints, offsets: Ints, row_groups: Ints, judgments: Ints) -> None:
        """Collect the hits of ranked rows."""
        # Half the memory until `finish`; the hits of one list are all there is, and are not copied again.
        fits_int32 = not self.has_one_list and max(int(offsets[-1]), len(self.qrels)) < 1 << 31
        columns = [codes[row_groups], judgments, ranks.rank]
        if ranks.first is not ranks.rank:  # they are one array where nothing is tied
            columns += [ranks.first, ranks.last]
        hit_table: npt.NDArray[Any] = np.array(columns, np.int32 if fits_int32 else np.int64)
        if not ranks.in_order:
            hit_table = hit_table[:, self._order(ranks, row_groups, judgments, is_single_query=offsets.size == 2)]
        self.hit_tables.append(hit_table)

    def _order(self, ranks: Ranks, row_groups: Ints, judgments: Ints, is_single_query: bool) -> npt.NDArray[np.intp]:
        """The order of hits by query, then rank. is_single_query: they are of one query."""
        if self.convention.ties == "average":  # tied ones by falling grade, whatever their order in the input
            return np.lexsort((-self.qrels.relevance_of(judgments), ranks.first, row_groups))
        return ranks.rank.argsort() if is_single_query else np.lexsort((ranks.rank, row_groups))

    def part(self) -> RunPart:
        """What was collected so far, to be merged into another Joiner."""
        queries = np.flatnonzero(~self.missing)
        return RunPart(
            self._hits(),
            queries,
            self.retrieved[queries],
            self.listed[queries],
            self.lists[queries],
            self.unjudged_queries,
            self.adds_negative,
            self.first_docs,
            self.tag,
            self.n_ungrouped,
            self.notes,
            self.rank_note,
            self.top_rows,
        )

    def merge(self, part: RunPart) -> None:
        """Add the hits of queries that are new here; parts come in the order of the input."""
        self.hit_tables.append(part.hits)
        self.listed[part.queries] = part.listed
        self.retrieved[part.queries] = part.retrieved
        self.missing[part.queries] = False
        self.lists[part.queries] = part.lists
        self.has_judged_query |= bool(part.queries.size)
        self.unjudged_queries += part.unjudged_queries
        self.adds_negative |= part.adds_negative
        self.first_docs = (*self.first_docs, *part.first_docs)[:N_FIRST]
        self.tag = self.tag or part.tag
        self.n_ungrouped += part.n_ungrouped
        self.notes += tuple(note for note in part.notes if note not in self.notes)
        self.rank_note = self.rank_note or part.rank_note
        self.top_rows += part.top_rows

    def _hits(self) -> npt.NDArray[Any]:
        """All hits in one table."""
        if len(self.hit_tables) == 1:
            return self.hit_tables[0]
        return np.array([self._hit_field(row) for row in range(self._n_fields())])

    def _n_fields(self) -> int:
        """How many fields the hits have: 5, or 3 if none of them is tied."""
        return max(map(len, self.hit_tables), default=3)

    def _hit_field(self, row: int) -> npt.NDArray[Any]:
        """One field of all hits, a row of `hit_tables`: where first and last are not stored, they are the rank."""
        if len(self.hit_tables) == 1:
            return np.asarray(self.hit_tables[0][row])
        if not self.hit_tables:  # queries without judgments only
            return np.empty(0, np.int32)
        return np.concatenate([table[row if row < len(table) else 2] for table in self.hit_tables])

    def _sorted_fields(self) -> list[npt.NDArray[Any]]:
        """Query and judgment of all hits, int64, and ranks, float64, by query; one after the other, to save memory."""
        if self.has_one_list:
            table = self.hit_tables[0]
            return [table[0], table[1], *table[2:].astype(np.float64)]
        query = self._hit_field(0)
        order = stable_order(query) if (query[1:] < query[:-1]).any() else slice(None)
        del query
        types = [np.int64, np.int64, np.float64, np.float64, np.float64][: self._n_fields()]
        return [self._hit_field(row)[order].astype(dtype) for row, dtype in enumerate(types)]

    def merge_notes(self) -> tuple[str, ...]:
        """What became of documents that a query held several times."""
        if not self.convention.merging:
            return ()
        return self.convention.merging.notes(self.name, self.listed, self.retrieved, self.adds_negative)

    def top_lists(self) -> TopLists | None:
        """The first documents of all lists that were added; None without a depth."""
        return TopLists.of(self.depth, self.top_rows, self.qrels) if self.depth else None

    def finish(self) -> Hits:
        """The hits of all that was added."""
        qrels = self.qrels
        if not self.has_judged_query:
            raise no_common_query_error(self.name, qrels, self.unjudged_queries)
        query, judged, *ranks = self._sorted_fields()
        doc_of = self.convention.merging.doc_of
        if doc_of is not None and not query.size and self.retrieved.any():
            self._refuse_unmatched_chunks(doc_of)
        self.hit_tables.clear()
        relevance = qrels.relevance_of(judged)
        judged -= qrels.offsets[query]
        rank, first, last = ranks if len(ranks) == 3 else ranks * 3
        if self.convention.ties == "average" and first is not last:
            rank = (first + last) / 2
        hits = Hits(
            query_ids=qrels.query_ids,
            offsets=query.searchsorted(np.arange(len(qrels.query_ids) + 1, dtype=query.dtype)),
            rank=rank,
            first=first,
            last=last,
            relevance=relevance,
            judged=judged,
            retrieved=self.retrieved,
            missing=self.missing,
            grades=self.grades,
            grade_offsets=qrels.offsets,
            max_grade=qrels.max_grade,
            subtopics=qrels.subtopics,
            rel=self.convention.rel,
            ties=self.convention.ties,
            precision=self.convention.precision,
            lists=self.lists if self.convention.list_depths else None,
            _qrels_memory=qrels.memory,
        )
        hits.__dict__["query"] = freeze(query)  # fills the cached property, which would compute it from the offsets
        return hits


def no_common_query_error(name: str, qrels: Qrels, queries: list[str]) -> InputError:
    """The error for a run without judged queries."""
    return InputError(
        f"run {name!r} and the qrels have no query in common (qrels: {first_names(qrels.query_ids)}; "
        f"run: {first_names(queries)}); "
        f"{spelling_advice(queries, qrels.query_ids, 'check that they belong together')}"
    )


def doc_ids_of_lists(lists: list[Mapping[str, float]], offsets: Ints, rows: npt.NDArray[np.intp]) -> Fields:
    """The documents of these rows, in order of their lists. offsets: where the lists begin."""
    doc_ids: list[str] = []
    groups = offsets.searchsorted(rows, side="right") - 1
    boundaries = np.flatnonzero(groups[1:] != groups[:-1]) + 1
    for start, stop in pairwise([0, *boundaries.tolist(), rows.size]):
        group = int(groups[start])
        doc_ids += map(list(lists[group]).__getitem__, (rows[start:stop] - offsets[group]).tolist())
    return encode(doc_ids)


def block_bounds(doc_lists: list[Mapping[str, float]]) -> Iterator[tuple[int, int]]:
    """Where to cut the lists, so that none of the pieces is much longer than `BLOCK_ROWS`."""
    start = n_docs = 0
    for i, docs in enumerate(doc_lists):
        n_docs += len(docs)
        if n_docs > BLOCK_ROWS:
            yield start, i + 1
            start, n_docs = i + 1, 0
    if start < len(doc_lists):
        yield start, len(doc_lists)


def join(qrels: Qrels, run: Run, convention: Convention | None = None) -> Hits:
    """The hits of a run: every judged document that it retrieved, with its rank.

    Parameters
    ----------
    qrels
        The judgments.
    run
        The run.
    convention
        How lists are ranked and what counts as relevant.

    Returns
    -------
    Hits
        The hits.

    Raises
    ------
    InputError
        A query holds a document twice, a score is not finite, no query is judged, or there are ties and the convention
        refuses them.
    """
    joiner = Joiner(qrels, convention or Convention(), run.name)
    if run.mapping is not None:
        joiner.add_mapping(run.mapping)
    else:
        for rows in run.row_portions():
            joiner.add(rows)
    return joiner.finish()
