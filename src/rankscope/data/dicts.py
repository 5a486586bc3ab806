"""Mappings to rows: `{query: {document: number}}`, by subtopic `{query: {subtopic: {document: relevance}}}`."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import chain
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from rankscope.data.rows import Rows, invalid_ids
from rankscope.errors import InputError
from rankscope.kernels.segments import bounds
from rankscope.kernels.text import encode, hashes
from rankscope.typing import Ints

__all__ = [
    "DICT_SHAPE",
    "all_integers",
    "are_by_subtopic",
    "rows_from_dicts",
    "refuse_bad_ids",
    "refuse_values",
    "shorten_value",
    "to_numbers",
]

DICT_SHAPE = "{query: {document: number}}"
#: What a value must be, and what to do where it is not.
EXPECTED = {
    "relevance": "a whole number (below 2^53); round it or map grades to whole numbers",
    "score": "a finite number; correct it or leave the document out",
}

Dicts = Mapping[str, Mapping[str, Any]]
Numbers = npt.NDArray[np.int64] | npt.NDArray[np.float64]


def are_by_subtopic(data: Dicts) -> bool:
    """Whether it is `{query: {subtopic: {document: relevance}}}`: told by the first value of each query."""
    return any(isinstance(next(iter(docs.values()), None), Mapping) for docs in data.values())


def rows_from_dicts(data: Dicts, name: str, value: str, *, truths: bool = True) -> Rows:
    """The mappings as rows, in their order; a query without documents stays one. name: what messages call the input.

    value: "relevance" or "score". truths: whether True and False are numbers.
    Raises InputError for a bad id or value, naming query and document.
    """
    queries = list(data)
    refuse_bad_ids(queries, name, "query")
    if value == "relevance" and are_by_subtopic(data):
        return subtopic_rows(data, name, truths)
    lists = [data[query] for query in queries]
    docs = list(chain.from_iterable(lists))
    values = to_numbers(list(chain.from_iterable(docs.values() for docs in lists)), value, truths)
    if values is None:
        refuse_values(((f"query {query!r}", docs) for query, docs in data.items()), name, value, truths)
    return make_rows(queries, np.fromiter(map(len, lists), np.int64, len(lists)), docs, values, name, None)


def subtopic_rows(data: Dicts, name: str, truths: bool) -> Rows:
    parts: list[tuple[str, str, Mapping[str, Any]]] = []
    lengths = []
    for query, subtopics in data.items():
        if all(isinstance(docs, Mapping) and not docs for docs in subtopics.values()):
            raise InputError(f"{name}: query {query!r} has no judgments; expected at least one, or leave the query out")
        for subtopic, docs in subtopics.items():
            if not isinstance(docs, Mapping) or not docs:
                raise InputError(
                    f"{name}: {shorten_value(subtopic)} of query {query!r} has {shorten_value(docs)}, expected {{document: relevance}} "
                    "as the other subtopics; judge all queries by subtopic or none"
                )
            parts.append((query, subtopic, docs))
        lengths.append(sum(map(len, subtopics.values())))
    names = [subtopic for _, subtopic, _ in parts]
    refuse_bad_ids(names, name, "subtopic")
    docs = list(chain.from_iterable(docs for *_, docs in parts))
    values = to_numbers(list(chain.from_iterable(docs.values() for *_, docs in parts)), "relevance", truths)
    if values is None:
        refuse_values(((f"subtopic {s!r} of query {q!r}", docs) for q, s, docs in parts), name, "relevance", truths)
    subtopics_ = np.repeat(np.array(names, object), [len(docs) for *_, docs in parts]).tolist()
    return make_rows(list(data), np.array(lengths, np.int64), docs, values, name, subtopics_)


def make_rows(
    queries: list[str], lengths: Ints, docs: list[str], values: Numbers, name: str, subtopics: list[str] | None
) -> Rows:
    if not docs:
        raise InputError(f"{name}: no documents, expected at least one: {DICT_SHAPE}")
    refuse_bad_ids(docs, name, "document")
    fields, offsets = encode(docs), bounds(lengths)
    ids = [query.encode("utf-8", "surrogateescape") for query in queries]
    where = query_locator(queries, offsets, fields.starts, name)
    return Rows(ids, offsets, fields, hashes(fields), values, where, None if subtopics is None else encode(subtopics))


def query_locator(queries: list[str], offsets: Ints, starts: Ints, name: str) -> Callable[[int], str]:
    """What says of a byte of the documents' ids whose it is: mappings have no lines worth naming."""
    return lambda place: (
        f"{name}: query {queries[int(np.searchsorted(offsets, np.searchsorted(starts, place), side='right')) - 1]!r}"
    )


def to_numbers(values: list[Any], value: str, truths: bool = True) -> Numbers | None:
    """The values, float64 or (relevances) int64; None where one is no number that can be taken."""
    try:
        numbers = np.array(array("d", values))  # takes numbers only, no text that looks like one
    except (TypeError, ValueError, OverflowError):
        return None
    if not truths and bool in set(map(type, values)):
        return None
    if value == "score":
        return numbers if np.isfinite(numbers).all() else None
    return numbers.astype(np.int64) if all_integers(numbers) else None


def all_integers(numbers: Numbers) -> bool:
    """Whether all are whole numbers that float64 holds exactly."""
    return bool((np.abs(numbers) < 2.0**53).all() and (numbers == np.floor(numbers)).all())


def refuse_values(
    lists: Iterable[tuple[str, Mapping[str, Any]]], name: str, value: str, truths: bool = True
) -> NoReturn:
    """Raise for the first value that cannot be taken. lists: what has them, in words, and what it has."""
    for whose, docs in lists:
        for doc, found in docs.items():
            if to_numbers([found], value, truths) is None:
                raise InputError(
                    f"{name}: the {value} of document {shorten_value(doc)} of {whose} is {shorten_value(found)}, "
                    f"expected {EXPECTED[value]}"
                )
    raise AssertionError("the fault is gone: the data changed while it was read")


def refuse_bad_ids(ids: Collection[Any], name: str, what: str) -> None:
    """Raise InputError for an id that is no string, empty, or no valid Unicode. what: of what kind the ids are."""
    for id_ in invalid_ids(ids)[:1]:
        raise InputError(
            f"{name}: the {what} id {shorten_value(id_)} is no string, empty or no valid Unicode; expected text, as str(...) "
            "makes it; correct it"
        )


def shorten_value(value: object) -> str:
    """A value in a message, cut where it is long."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
