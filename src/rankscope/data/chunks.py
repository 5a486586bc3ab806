"""Documents that a query holds several times: as they are, or as chunks that belong to one document."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from rankscope.data.row_input import refuse_bad_ids
from rankscope.data.rows import Rows, decode_id
from rankscope.data.tables import shorten_value
from rankscope.data.text import pluralise
from rankscope.errors import InputError, ParameterError
from rankscope.kernels.order import repeated
from rankscope.kernels.segments import group_of
from rankscope.kernels.text import MULTIPLIER, Fields, as_fields, decode, encode, equal, hashes, words
from rankscope.settings import Settings, choice, text
from rankscope.typing import Indices, Ints, Words

__all__ = [
    "DUPLICATES",
    "DUPLICATE_ADVICE",
    "REMOVE_ADVICE",
    "DocumentMap",
    "DocumentPattern",
    "DocumentTable",
    "Merging",
    "MergingSettings",
    "as_document_map",
    "doc_of_field",
    "duplicates_field",
    "pattern_of_chunks",
]


#: What a document counts that a query holds several times.
DUPLICATES = {
    "error": "refused",
    "first": "the score where it first stands",
    "max": "its highest score",
    "sum": "the sum of its scores",
}
#: What a document counts, in notes.
COUNTED = {"first": "the first of each counts", "max": "the best of each counts", "sum": "their scores are added"}
#: What to do about a document that a query holds twice, also where the user can choose what counts.
REMOVE_ADVICE = "remove one of the two"
DUPLICATE_ADVICE = f"{REMOVE_ADVICE}, or choose what counts with --duplicates (duplicates=)"
#: A pattern that cuts at one byte, as ^([^#]+).
CUT = re.compile(r"\^\(\[\^(?:\\(?P<escaped>[^\w\s])|(?P<plain>[^\]\\]))\][+*]\)", re.ASCII)
#: Characters with a meaning of their own in patterns.
SPECIAL = ".^$*+?{}[]\\|()"
#: For `cut_at`: the lowest and the highest bit of each byte.
LOW, HIGH = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)


class DocumentMap:
    """Gives the document of each chunk.

    Attributes
    ----------
    text
        What signatures show.
    """

    text: str

    def documents_of(self, chunks: Fields) -> Fields:
        """The document of each chunk, empty where it has none."""
        raise NotImplementedError

    def missing_text(self) -> str:
        """Why a chunk has no document, and what to do: the end of a sentence."""
        raise NotImplementedError

    def unreachable(self, documents: Fields) -> Indices:
        """Those of these documents that no chunk can have."""
        return np.empty(0, np.intp)


@dataclass(frozen=True)
class DocumentPattern(DocumentMap):
    """A regular expression whose only group is the document in the id of a chunk.

    Attributes
    ----------
    text
        The expression.
    """

    text: str

    def __post_init__(self) -> None:
        try:
            n_groups = re.compile(self.text).groups
        except (re.error, RecursionError, OverflowError) as error:
            raise ParameterError(f"doc_of (--doc-of) {self.text!r} is no pattern ({error}); correct it") from None
        if n_groups != 1:
            advice = f"as '^([^{self.text}]+)'" if len(self.text) == 1 else "as '^([^#]+)', which cuts at the first #"
            raise ParameterError(
                f"doc_of (--doc-of) {self.text!r} is no file, and a pattern with {pluralise(n_groups, 'group')}, "
                f"expected one group that holds the document, {advice}"
            )

    @cached_property
    def mark(self) -> int:
        """The byte at which ids are cut; 0 for any other pattern."""
        match = CUT.fullmatch(self.text)
        mark = (match["escaped"] or match["plain"]) if match else ""
        return ord(mark) if mark and mark.isascii() else 0

    def documents_of(self, chunks: Fields) -> Fields:
        if self.mark:
            return cut_at(chunks, self.mark)
        search = re.compile(self.text).search
        matches = [search(decode_id(chunk)) for chunk in decode(chunks)]
        return encode([(match[1] or "") if match else "" for match in matches])

    def missing_text(self) -> str:
        return f"does not match --doc-of {self.text!r} (doc_of=); write a pattern that matches every document"

    def unreachable(self, documents: Fields) -> Indices:
        if not self.mark:
            return super().unreachable(documents)
        return np.flatnonzero(cut_at(documents, self.mark).lengths < documents.lengths)


def duplicates_field() -> str | None:
    """The setting of what a document counts that a query holds several times."""
    return choice(
        None,
        DUPLICATES,
        help="Documents that a query of a run holds several times: refuse them, or count the first, the highest score, "
        "or the sum of the scores.",
        unset="error, or max for chunks",
    )


def doc_of_field(**options: Any) -> DocumentMap | str | None:
    """The setting of the document of each chunk."""
    value: DocumentMap | str | None = text(
        None,
        help="Document of each chunk that was retrieved: a pattern whose only group is the document in the id, such as "
        "'^([^#]+)', or a file with the columns chunk and document. The best chunk of a document counts.",
        python_help="Document of each chunk that was retrieved: a pattern whose only group is the document in the id, "
        "such as '^([^#]+)', a mapping {chunk: document}, or a table with the columns chunk and document (a path or a "
        "data frame). The best chunk of a document counts.",
        metavar="PATTERN|FILE",
        or_a=DocumentMap,
        **options,
    )
    return value


@dataclass(frozen=True, kw_only=True)
class MergingSettings(Settings):
    """What becomes of documents that a query of a run holds several times."""

    FUNCTIONS = (
        "rankscope:convert",
        "rankscope.fusion:fuse",
        "rankscope.judging:leave_out",
        "rankscope.judging:pool",
        "rankscope.judging:sample",
    )
    COMMANDS = ("convert", "fuse", "pool")

    duplicates: str | None = duplicates_field()
    doc_of: DocumentMap | str | None = doc_of_field()


@dataclass(frozen=True)
class DocumentTable(DocumentMap):
    """A table of chunks and their documents. Two with the same pairs are equal.

    Attributes
    ----------
    text
        "table:" and a digest of the pairs.
    name
        Name of the file or data.
    documents
        The document of each chunk, by their bytes.
    """

    text: str
    name: str = field(compare=False)
    documents: Mapping[bytes, bytes] = field(compare=False, repr=False)

    @classmethod
    def of(cls, chunks: list[str], documents: list[str], name: str) -> DocumentTable:
        """From columns of one length. Each chunk stands once."""
        chunk_fields, document_fields = encode(chunks), encode(documents)
        pairs = hashes(chunk_fields, 1) * hashes(document_fields, 2)
        digest = int(np.add.reduce(pairs, dtype=np.uint64)) if pairs.size else 0
        table = dict(zip(decode(chunk_fields), decode(document_fields), strict=True))
        return cls(f"table:{digest:016x}", name, table)

    def documents_of(self, chunks: Fields) -> Fields:
        get = self.documents.get
        return as_fields([get(chunk, b"") for chunk in decode(chunks)])

    def missing_text(self) -> str:
        return f"is no chunk of {self.name} (doc_of, --doc-of); add it there, a document without chunks as its own"


def pattern_of_chunks(ids: Collection[str], judged: Collection[str]) -> str:
    """The pattern that makes judged documents of the most of these ids, by cutting them at a mark; "" for none."""
    n_judged: dict[str, int] = {}
    for mark in sorted(
        {character for id_ in ids for character in id_ if character.isascii() and not character.isalnum()}
    ):
        literal = f"\\{mark}" if mark in "\\]^" else mark
        firsts, lasts = ([id_.partition(mark)[0] for id_ in ids], [id_.rpartition(mark)[0] for id_ in ids])
        n_judged[f"^([^{literal}]+)"] = sum(map(judged.__contains__, firsts))
        n_judged[f"^(.+)\\{mark}" if mark in SPECIAL else f"^(.+){mark}"] = sum(map(judged.__contains__, lasts))
    best = max(n_judged, key=n_judged.__getitem__, default="")
    return best if n_judged.get(best) else ""


def cut_at(ids: Fields, mark: int) -> Fields:
    """The ids up to the first of these bytes; complete ids where there is none.

    The first equal byte of eight is found by arithmetic: of (x - 1) & ~x & 0x80 in each byte, the lowest bit that is
    set belongs to the first byte that is 0 in x, the word exclusive-or the mark.
    """
    lengths = ids.lengths.astype(np.int64)
    marks = np.uint64(mark) * LOW
    rows = np.arange(lengths.size)
    for j in range((int(lengths.max(initial=0)) + 7) // 8):
        x = words(ids if rows.size == lengths.size else ids.take(rows), j) ^ marks
        bits = (x - LOW) & ~x & HIGH
        cut = np.flatnonzero(bits)
        lowest = bits[cut] & (~bits[cut] + np.uint64(1))
        lengths[rows[cut]] = 8 * j + (np.bitwise_count(lowest - np.uint64(1)) >> 3)
        rows = rows[(bits == 0) & (ids.lengths[rows] > 8 * (j + 1))]
        if not rows.size:
            break
    return Fields(ids.buffer, ids.starts, lengths)


def as_document_map(doc_of: DocumentMap | Mapping[str, str] | str | None) -> DocumentMap | None:
    """The document of each chunk from a pattern or a mapping {chunk: document}.

    Raises ParameterError for a pattern without exactly one group and for anything else, InputError for a wrong id.
    """
    if doc_of is None or isinstance(doc_of, DocumentMap):
        return doc_of
    if isinstance(doc_of, str):
        return DocumentPattern(doc_of)
    if not isinstance(doc_of, Mapping) or not doc_of:
        raise ParameterError(f"doc_of is {shorten_value(doc_of)}, expected a pattern or a mapping {{chunk: document}}")
    chunks, documents = list(doc_of), list(doc_of.values())
    refuse_bad_ids(chunks, "doc_of", "chunk")
    refuse_bad_ids(documents, "doc_of", "document")
    return DocumentTable.of(chunks, documents, "doc_of")


@dataclass(frozen=True, slots=True)
class ChunkLocation:
    """Names the row of a document, given where its id starts in a buffer of documents.

    Attributes
    ----------
    starts
        Where the documents start, rising.
    chunk_starts
        Where the ids of their chunks start.
    where
        Names the row of a chunk.
    """

    starts: Ints
    chunk_starts: Ints
    where: Callable[[int], str]

    def __call__(self, start: int) -> str:
        return self.where(int(self.chunk_starts[np.searchsorted(self.starts, start)]))


class Merged(NamedTuple):
    """Rows in which no query holds a document twice.

    Attributes
    ----------
    rows
        The rows.
    keys
        Their keys, see `Rows.keys`.
    adds_negative
        Whether a negative score was added to another.
    """

    rows: Rows
    keys: Words
    adds_negative: bool = False


@dataclass(frozen=True, kw_only=True)
class Merging:
    """What counts as one document, and what it counts where a query holds it several times.

    Attributes
    ----------
    duplicates
        One of `DUPLICATES`.
    doc_of
        The document of each chunk.
    """

    duplicates: str = "error"
    doc_of: DocumentMap | None = None

    @classmethod
    def of(cls, duplicates: str | None, doc_of: DocumentMap | None) -> Merging:
        """With the default: the best chunk of a document, and no document twice without chunks.

        Raises ParameterError for an unknown name.
        """
        if duplicates is None:
            duplicates = "error" if doc_of is None else "max"
        if duplicates not in DUPLICATES:
            raise ParameterError(f"duplicates {duplicates!r}, expected one of {', '.join(DUPLICATES)}")
        return cls(duplicates=duplicates, doc_of=doc_of)

    def __bool__(self) -> bool:
        return self.duplicates != "error" or self.doc_of is not None

    def settings(self) -> dict[str, str]:
        """The parts of a signature."""
        doc_of = {"doc_of": self.doc_of.text} if self.doc_of is not None else {}
        return {**doc_of, **({"duplicates": self.duplicates} if self else {})}

    def merge(self, rows: Rows, advice: str = DUPLICATE_ADVICE, *, codes: Ints | None = None, seed: int = 0) -> Merged:
        """The rows with each document once, merged by this rule.

        Parameters
        ----------
        rows
            Rows of documents or, with `doc_of`, of chunks.
        advice
            What to do about a document twice, for the message where that is refused.
        codes, seed
            For the keys, see `Rows.keys`.

        Raises
        ------
        InputError
            A chunk has no document, a query holds a document twice where that is refused, or a sum is not finite.
        """
        if self.doc_of is not None:
            rows = map_documents(rows, self.doc_of)
        codes = np.arange(len(rows.query_ids)) if codes is None else codes
        keys = rows.keys(codes, seed)
        if self.duplicates == "error":
            rows.refuse_duplicates(keys, advice)
            return Merged(rows, keys)
        return merge_documents(rows, codes, keys, self.duplicates) if repeated(keys) else Merged(rows, keys)

    def notes(self, name: str, listed: Ints, retrieved: Ints, adds_negative: bool) -> tuple[str, ...]:
        """What became of the rows of a run. listed, retrieved: (queries) rows before and after."""
        n_listed, n_retrieved = int(listed.sum()), int(retrieved.sum())
        if n_listed == n_retrieved:
            return ()
        counted = COUNTED[self.duplicates]
        if self.doc_of is not None:
            before, after = (f"{float(np.median(counts[listed > 0])):g}" for counts in (listed, retrieved))
            note = (
                f"run {name!r}: {n_listed:,} chunks are {pluralise(n_retrieved, 'document')}, {counted}; the median "
                f"list has {after} documents, of {before} chunks (duplicates:{self.duplicates})"
            )
        else:
            n_merged = n_listed - n_retrieved
            note = (
                f"run {name!r}: {n_merged:,} of {n_listed:,} rows {'holds' if n_merged == 1 else 'hold'} a document "
                f"that its query has already; {counted} (duplicates:{self.duplicates})"
            )
        if not adds_negative:
            return (note,)
        return (
            note,
            f"run {name!r}: negative scores are added, which favours documents that stand once; choose --duplicates "
            "max (duplicates=), or make all scores positive",
        )


def map_documents(rows: Rows, doc_of: DocumentMap) -> Rows:
    """The rows with documents in the place of chunks."""
    docs = doc_of.documents_of(rows.docs)
    missing = np.flatnonzero(docs.lengths == 0)
    if missing.size:
        row = missing[:1]
        chunk = decode_id(decode(rows.docs.take(row))[0])
        query = decode_id(rows.query_ids[int(np.searchsorted(rows.offsets, row[0], side="right")) - 1])
        raise InputError(
            f"{rows.where(int(rows.docs.starts[row[0]]))}: {chunk!r} of query {query!r} {doc_of.missing_text()}"
        )
    where = rows.where if docs.buffer is rows.docs.buffer else ChunkLocation(docs.starts, rows.docs.starts, rows.where)
    return replace(rows, docs=docs, hashes=hashes(docs), where=where)


def merge_documents(rows: Rows, codes: Ints, keys: Words, duplicates: str) -> Merged:
    """Each document of a query once, in the order of their first rows. keys: of these codes."""
    first_rows, number = number_documents(rows, codes, keys)
    scores = rows.values
    adds_negative = False
    if duplicates == "first":
        values = scores[first_rows]
    elif duplicates == "max":
        values = np.full(first_rows.size, -np.inf)
        np.maximum.at(values, number, scores)
    else:
        values = np.bincount(number, scores, first_rows.size)  # adds row by row: in the order of the input
        is_added = np.bincount(number, minlength=first_rows.size)[number] > 1
        adds_negative = bool((scores[is_added] < 0).any())
        if not np.isfinite(values).all():
            row = int(first_rows[np.flatnonzero(~np.isfinite(values))[0]])
            raise InputError(
                f"{rows.where(int(rows.docs.starts[row]))}: the sum of the scores of this document is too large for a "
                "number of 64 bits; choose --duplicates max (duplicates=)"
            )
    counts = np.bincount(group_of(rows.offsets)[first_rows], minlength=len(rows.query_ids))
    offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(counts)))
    merged = replace(
        rows, offsets=offsets, docs=rows.docs.take(first_rows), hashes=rows.hashes[first_rows], values=values
    )
    return Merged(merged, keys[first_rows], adds_negative)


def number_documents(rows: Rows, codes: Ints, keys: Words) -> tuple[Indices, Ints]:
    """The first row of each document, rising; and for each row the number of its document."""
    first = first_rows_of_keys(keys)
    later = np.flatnonzero(first < np.arange(first.size))
    seed = 0
    # Rows of one document have one key in one query only, so equal ids are enough.
    while not equal(rows.docs.take(later), rows.docs.take(first[later])).all():
        seed += 1  # two documents share a key
        first = first_rows_of_keys(rows.keys(codes, seed))
        later = np.flatnonzero(first < np.arange(first.size))
    is_first = np.ones(first.size, np.bool_)
    is_first[later] = False
    return np.flatnonzero(is_first), (np.cumsum(is_first) - 1)[first]


def first_rows_of_keys(keys: Words) -> Indices:
    """For each row the first row that has its key.

    Every row writes its number into a table at a place that its key gives, the first row last. A row that reads the
    number of a row with its own key is done; those that share their place with another key try again among themselves.
    """
    first = np.empty(keys.size, np.intp)
    rows = np.arange(keys.size)
    mixed = keys
    while rows.size:
        bits = rows.size.bit_length() + 3
        place = (mixed >> np.uint64(64 - bits)).view(np.int64)
        table = np.empty(1 << bits, np.intp)
        table[place[::-1]] = rows[::-1]
        candidates = table[place]
        first[rows] = candidates
        others = np.flatnonzero(keys[candidates] != keys[rows])
        rows, mixed = rows[others], mixed[others] * MULTIPLIER
    return first
