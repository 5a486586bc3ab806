"""JSON as `{query: {document: number}}`, judgments by subtopic as `{query: {subtopic: {document: relevance}}}`.

ranx's `.lz4` files hold the same in CBOR; the packages lz4 and cbor2 are loaded where such a file turns up.
"""

from __future__ import annotations

import importlib
import json
from array import array
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import chain
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from rankscope.data.rows import Rows, bad_ids
from rankscope.errors import InputError, ParameterError
from rankscope.kernels.segments import bounds
from rankscope.kernels.text import encode, hashes

__all__ = ["LZ4", "all_whole", "by_subtopic", "dict_rows", "load_dicts", "lz4_libraries", "pack_lz4", "read_json"]

#: How an LZ4 frame begins.
LZ4 = b"\x04\x22\x4d\x18"
SHAPE = "{query: {document: number}}"
EXPECTED = {"relevance": "a whole number", "score": "a finite number"}

Dicts = Mapping[str, Mapping[str, Any]]
Numbers = npt.NDArray[np.int64] | npt.NDArray[np.float64]


def read_json(content: bytes, name: str, value: str) -> tuple[Rows, int]:
    """Rows of a JSON file, or of ranx's `.lz4`; no query of a dict is apart. value: "relevance" or "score".

    Raises InputError for what is no JSON, has another shape, holds a name twice or a value that is no number.
    """
    return dict_rows(load_dicts(content, name), name, value), 0


def load_dicts(content: bytes, name: str) -> dict[str, dict[str, Any]]:
    """What the file holds: dicts by query. What is in them is checked by `dict_rows`."""
    data = from_ranx(content, name) if content.startswith(LZ4) else from_json(content, name)
    if not isinstance(data, dict):
        raise InputError(f"{name}: JSON that is no object, expected {SHAPE}; check the file")
    for query, docs in data.items():
        if not isinstance(docs, dict):
            raise InputError(
                f"{name}: {shown(query)} has {shown(docs)}, expected {SHAPE}; correct it, or "
                "name the format that this file has"
            )
    return data


def from_json(content: bytes, name: str) -> Any:
    def pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(found)
        if len(made) < len(found):  # one of the two would be lost
            twice, _ = Counter(key for key, _ in found).most_common(1)[0]
            raise InputError(f"{name}: {shown(twice)} stands twice in one object; remove one of the two")
        return made

    def constant(word: str) -> NoReturn:
        raise InputError(f"{name}: the value {word}, expected a finite number; correct it or leave the document out")

    try:
        text = content.decode("utf-8-sig")
        return json.loads(text, object_pairs_hook=pairs, parse_constant=constant)
    except json.JSONDecodeError as error:
        raise InputError(f"{name}:{error.lineno}: this is no JSON ({error.msg}); correct it") from None
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(f"{name}:{line}: the text is not UTF-8, as JSON must be; convert it") from None
    except (RecursionError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{name}: cannot be read as JSON ({error}); expected {SHAPE}") from None


def from_ranx(content: bytes, name: str) -> Any:
    """What ranx saved: CBOR, compressed twice."""
    frame, cbor = lz4_libraries(name)
    try:
        while content.startswith(LZ4):
            content = frame.decompress(content)
        if content.lstrip().startswith(b"{"):  # no way for a dict to begin in CBOR
            return from_json(content, name)
        return cbor.loads(content)
    except InputError:
        raise
    except Exception as error:  # the libraries raise errors of many kinds for damaged data
        what = str(error) or type(error).__name__
        raise InputError(f"{name}: cannot be read as ranx's .lz4 ({what}); fetch it again or save it as JSON") from None


def pack_lz4(dicts: Any, name: str) -> bytes:
    """The dicts as ranx saves them."""
    frame, cbor = lz4_libraries(name)
    packed: bytes = frame.compress(frame.compress(cbor.dumps(dicts)))
    return packed


def lz4_libraries(name: str) -> tuple[Any, Any]:
    """lz4.frame and cbor2. Raises ParameterError, saying what to install. name: of the file that needs them."""
    found = []
    for module, package in (("lz4.frame", "lz4"), ("cbor2", "cbor2")):
        try:
            found.append(importlib.import_module(module))
        except ImportError:
            raise ParameterError(
                f"{name}: ranx's .lz4 needs the packages lz4 and cbor2, and {package} is not installed; "
                f"install it (pip install {package}), or use JSON"
            ) from None
    return found[0], found[1]


def dict_rows(data: Dicts, name: str, value: str) -> Rows:
    """The dicts as rows, in their order; a query without documents stays one. name: of the file, for messages."""
    queries = list(data)
    refuse_bad_ids(queries, name, "query")
    if value == "relevance" and by_subtopic(data):
        return subtopic_rows(data, name)
    lists = [data[query] for query in queries]
    docs = list(chain.from_iterable(lists))
    values = to_numbers(list(chain.from_iterable(docs.values() for docs in lists)), value)
    if values is None:
        refuse_values(data.items(), name, value, "query")
    return make_rows(queries, np.fromiter(map(len, lists), np.int64, len(lists)), docs, values, name, None)


def by_subtopic(data: Dicts) -> bool:
    """Whether it is `{query: {subtopic: {document: relevance}}}`: told by the first value of each query."""
    return any(isinstance(next(iter(docs.values()), None), dict) for docs in data.values())


def subtopic_rows(data: Dicts, name: str) -> Rows:
    parts: list[tuple[str, dict[str, Any]]] = []
    lengths = []
    for query, subtopics in data.items():
        for subtopic, docs in subtopics.items():
            if not isinstance(docs, dict) or not docs:
                raise InputError(
                    f"{name}: {shown(subtopic)} of query {query!r} has {shown(docs)}, expected {{document: relevance}} "
                    "as the other subtopics; judge all queries by subtopic or none"
                )
        parts += subtopics.items()
        lengths.append(sum(map(len, subtopics.values())))
    names = [subtopic for subtopic, _ in parts]
    refuse_bad_ids(names, name, "subtopic")
    docs = list(chain.from_iterable(docs for _, docs in parts))
    values = to_numbers(list(chain.from_iterable(docs.values() for _, docs in parts)), "relevance")
    if values is None:
        refuse_values(parts, name, "relevance", "subtopic")
    sizes = [len(docs) for _, docs in parts]
    subtopics_ = np.repeat(np.array(names, object), sizes).tolist()
    return make_rows(list(data), np.array(lengths, np.int64), docs, values, name, subtopics_)


def make_rows(
    queries: list[str],
    lengths: npt.NDArray[np.int64],
    docs: list[str],
    values: Numbers,
    name: str,
    subtopics: list[str] | None,
) -> Rows:
    if not docs:
        raise InputError(f"{name}: no documents, expected at least one: {SHAPE}")
    refuse_bad_ids(docs, name, "document")
    fields, offsets = encode(docs), bounds(lengths)
    ids = [query.encode("utf-8", "surrogateescape") for query in queries]
    where = query_at(queries, offsets, fields.starts, name)
    return Rows(ids, offsets, fields, hashes(fields), values, where, None if subtopics is None else encode(subtopics))


def query_at(
    queries: list[str], offsets: npt.NDArray[np.int64], starts: npt.NDArray[np.int64], name: str
) -> Callable[[int], str]:
    """What says of a byte of the documents' ids whose it is: JSON has no lines worth naming."""
    return lambda place: (
        f"{name}: query {queries[int(np.searchsorted(offsets, np.searchsorted(starts, place), side='right')) - 1]!r}"
    )


def to_numbers(values: list[Any], value: str) -> Numbers | None:
    """The values, float64 or (relevances) int64; None where one is no number that can be taken."""
    try:
        numbers = np.array(array("d", values))  # takes numbers only, no text that looks like one
    except (TypeError, ValueError, OverflowError):
        return None
    if bool in set(map(type, values)):
        return None
    if value == "score":
        return numbers if np.isfinite(numbers).all() else None
    return numbers.astype(np.int64) if all_whole(numbers) else None


def all_whole(numbers: Numbers) -> bool:
    """Whether all are whole numbers that float64 holds exactly."""
    return bool((np.abs(numbers) < 2.0**53).all() and (numbers == np.floor(numbers)).all())


def refuse_values(lists: Iterable[tuple[str, Mapping[str, Any]]], name: str, value: str, what: str) -> NoReturn:
    """Raise for the first value that cannot be taken."""
    for query, docs in lists:
        for doc, found in docs.items():
            if to_numbers([found], value) is None:
                raise InputError(
                    f"{name}: the {value} of document {shown(doc)} of {what} {shown(query)} is {shown(found)}, "
                    f"expected {EXPECTED[value]}; correct it or leave the document out"
                )
    raise AssertionError("the fault is gone: the data changed while it was read")


def refuse_bad_ids(ids: Collection[str], name: str, what: str) -> None:
    """Raise InputError for an id that is no string, empty, or no valid Unicode."""
    for id_ in bad_ids(ids)[:1]:
        raise InputError(f"{name}: the {what} id {shown(id_)}, expected a string that is not empty; correct it")


def shown(value: object) -> str:
    """A value in a message, cut where it is long."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
