"""The formats json and lz4: dicts of other tools, `{query: {document: number}}`, by subtopic
`{query: {subtopic: {document: relevance}}}`.

ranx's `.lz4` files hold the same in CBOR; the packages lz4 and cbor2 are imported only for such files.
"""

from __future__ import annotations

import importlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from rankscope.data.row_input import (
    DICT_SHAPE,
    all_integers,
    are_by_subtopic,
    is_mapping_of_lists,
    rows_from_dicts,
)
from rankscope.data.row_tables import DOC_ID, LISTS, QUERY_ID, has_lists, query_of_lists
from rankscope.data.rows import Interner, Rows, decode_ids
from rankscope.data.tables import find_column, shorten_value
from rankscope.data.text import json_value
from rankscope.errors import InputError, ParameterError
from rankscope.io.core import (
    ALLOWED_BYTES,
    MAX_RATIO,
    VALUES,
    FileContent,
    FileHead,
    Format,
    ReadRequest,
    refuse_bomb,
    refuse_not_utf8,
)
from rankscope.kernels.segments import group_of
from rankscope.kernels.text import Fields, decode

if TYPE_CHECKING:
    from rankscope.io.core import Source

__all__ = [
    "JSON",
    "LZ4",
    "holds_records",
    "json_shape",
    "lines_of",
    "pack_lz4",
    "parse_json",
]


#: The first bytes of an LZ4 frame.
FRAME = b"\x04\x22\x4d\x18"
#: How many times ranx compresses.
N_COMPRESSIONS = 2
#: Advice for tables in JSON.
AS_LINES = 'write one object per line (pandas: to_json(path, orient="records", lines=True))'
#: An object whose first value is an object.
OBJECTS = re.compile(rb'\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\{')
#: An object whose first value is a list, and the name of that value.
FIRST_LIST = re.compile(rb'\{\s*"((?:[^"\\]|\\.)*)"\s*:\s*\[')
#: Names of a list of ids, and such a name at the beginning of a file.
LIST_NAMES = {name for column in LISTS.values() for name in column.names} - set(DOC_ID.names)
NAMED_LIST = re.compile(rf'"(?:{"|".join(sorted(LIST_NAMES))})"\s*:\s*\['.encode(), re.IGNORECASE)
#: A list of lists, objects or texts; a query's id hardly looks like this.
LIST = re.compile(rb'\[\s*[\[{"]')


# Detecting


def json_shape(head: FileHead) -> str | None:
    """The format of a text, None if it is not JSON: "lists" for lists of ids, "json" for objects in an object (or a
    list), "jsonl" for one object per line.

    The text and its first line may be cut off.
    """
    text, line = head.text, head.line
    if looks_like_lists(head):
        return "lists"
    if not line.startswith(b"{"):
        return "json" if LIST.match(text) else None
    try:
        record = json.loads(line)
        object_keys = {key for key, value in record.items() if isinstance(value, dict)}
        query_column = find_column(list(record.keys() - object_keys), QUERY_ID.names)
        return "json" if not record or (object_keys and not query_column) else "jsonl"
    except (ValueError, RecursionError):
        if OBJECTS.match(text) or line == b"{":
            return "json"
        return "jsonl" if line.startswith(b'{"') and not line.endswith(b"}") else None


def looks_like_lists(head: FileHead) -> bool:
    """Whether this is an object whose first value is a list, or whose record holds a named list of ids."""
    text = head.text.removeprefix(b"[").lstrip()
    if not text.startswith(b"{"):
        return False
    record_end = text.find(b"\n{")
    record = text if record_end < 0 else text[:record_end]
    column_names = [head.columns.get(column.name) for column in LISTS.values()]
    if any(name and f'"{name}"'.encode() in record for name in column_names):
        return True
    if NAMED_LIST.search(record) or holds_records(text, head.columns):
        return True
    first = FIRST_LIST.match(text)
    return first is not None and query_of_lists([first[1].decode("utf-8", "replace")]) is None


def holds_records(content: bytes, columns: Mapping[str, str]) -> bool:
    """Whether the content is one object a line, or a list of objects, and not one object of lists.

    columns: what the user calls columns.
    """
    line = next(lines_of(content), b"").lstrip()
    if line.startswith(b"["):
        return True
    record = json_value(line)
    if record is None:
        return False
    if isinstance(record, dict) and any(columns.get(column.name) in record for column in LISTS.values()):
        return True
    return any(has_lists(record, value) for value in VALUES.values()) and not is_mapping_of_lists(record)


def lines_of(content: bytes) -> Iterator[bytes]:
    """The lines, one after the other, without a copy of the others."""
    start = 0
    while start < len(content):
        end = content.find(b"\n", start) + 1 or len(content)
        yield content[start:end]
        start = end


# Reading


def read_dicts(source: Source, request: ReadRequest) -> FileContent:
    """Read judgments or a run: subtopics mean judgments, fractions mean a run.

    Raises InputError for invalid JSON, another shape, a repeated name, and a value that is not a number.
    """
    data, kind = load_dicts(source.read_bytes(), source.name), request.kind
    if kind != "qrels" and are_by_subtopic(data):
        if kind == "run":
            description = f"{shorten_value(next(iter(data)))} holds objects of objects"
            raise InputError(f"{source.name}: {description}, expected {DICT_SHAPE}; write what that holds alone")
        kind = "qrels"
    if kind is None:
        rows = rows_from_dicts(data, source.name, "score", allow_bool=False)
        if not all_integers(rows.values):
            return FileContent(rows)
        kind = request.resolved_kind(source.name, "whole numbers only, which may be judgments or scores")
    return FileContent(rows_from_dicts(data, source.name, VALUES[kind], allow_bool=False))


def load_dicts(content: bytes, name: str) -> dict[str, dict[str, Any]]:
    """The dicts of a file by query; `rows_from_dicts` checks their content."""
    data = parse_ranx(content, name) if content.startswith(FRAME) else parse_json(content, name)
    if not isinstance(data, dict):
        raise InputError(
            f"{name}: JSON that is not an object, expected {DICT_SHAPE}, or one object per line with query_id, doc_id "
            f"and score or relevance; {AS_LINES if isinstance(data, list) else 'convert it'}"
        )
    if are_columns(data):
        raise InputError(f"{name}: the columns of a table, expected {DICT_SHAPE}, or one object per line; {AS_LINES}")
    for query, docs in data.items():
        if not isinstance(docs, dict):
            raise InputError(
                f"{name}: {shorten_value(query)} has {shorten_value(docs)}, expected {DICT_SHAPE}; correct it, or "
                "name the format that this file has"
            )
    return data


def are_columns(data: dict[str, Any]) -> bool:
    """Whether these are columns of a table, and not queries with such names: rows are numbered, or lists."""
    column_names = [find_column(list(data), column.names) for column in (QUERY_ID, DOC_ID)]
    columns = [data[name] for name in column_names if name is not None]
    return len(columns) == len(column_names) and all(
        not isinstance(cells, dict) or list(cells) == [str(row) for row in range(len(cells))] for cells in columns
    )


def parse_json(
    content: bytes,
    name: str,
    *,
    shape: str = DICT_SHAPE,
    holder: str = "document",
    first_line: int = 1,
    unique: bool = True,
) -> Any:
    """Parse JSON; raises InputError, by default also for a name that occurs twice in an object.

    Parameters
    ----------
    content
        The bytes.
    name
        Name of the file, for messages.
    shape, holder
        Expected shape and owner of the numbers, for messages.
    first_line
        Number of the first line of the content in its file.
    unique
        Whether a name that occurs twice is refused, which takes time for every object.
    """

    def unique_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        as_dict = dict(pairs)
        if len(as_dict) < len(pairs):  # one of the two would be lost
            duplicate, _ = Counter(key for key, _ in pairs).most_common(1)[0]
            raise InputError(f"{name}: {shorten_value(duplicate)} occurs twice in one object; remove one of the two")
        return as_dict

    def refuse_constant(word: str) -> NoReturn:
        raise InputError(f"{name}: the value {word}, expected a finite number; correct it or leave the {holder} out")

    try:
        text = content.decode("utf-8-sig")
        return json.loads(text, object_pairs_hook=unique_object if unique else None, parse_constant=refuse_constant)
    except json.JSONDecodeError as error:
        line = error.lineno + first_line - 1
        raise InputError(f"{name}:{line}: not valid JSON ({error.msg}); correct it") from None
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + first_line
        raise InputError(f"{name}:{line}: the text is not UTF-8, as JSON must be; convert it") from None
    except (RecursionError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{name}: cannot be read as JSON ({error}); expected {shape}") from None


def parse_ranx(content: bytes, name: str) -> Any:
    """Parse a file saved by ranx: CBOR, compressed twice."""
    frame, cbor = lz4_libraries(name)
    try:
        max_size = max(ALLOWED_BYTES, MAX_RATIO * len(content))
        packed_size = len(content)
        for _ in range(N_COMPRESSIONS):
            if content.startswith(FRAME):
                content = frame.LZ4FrameDecompressor().decompress(content, max_length=max_size + 1)
                refuse_bomb(len(content), packed_size, name)
        if content.lstrip().startswith(b"{"):  # no dict in CBOR begins so
            return parse_json(content, name)
        data = cbor.loads(content)
        refuse_repeated_dicts(data, content, name)
        return data
    except InputError:
        raise
    except Exception as error:  # the libraries raise errors of many types for damaged data
        reason = str(error) or type(error).__name__
        raise InputError(
            f"{name}: cannot be read as ranx's .lz4 ({reason}); fetch it again or save it as JSON"
        ) from None


def refuse_repeated_dicts(data: Any, content: bytes, name: str) -> None:
    """Raise InputError where the data are larger than their bytes: CBOR may refer to one dict repeatedly."""
    dicts = data.values() if isinstance(data, dict) else ()
    if sum(len(docs) for docs in dicts if isinstance(docs, dict)) > len(content):
        raise InputError(
            f"{name}: one list of documents is shared by many queries, expected one list per query; save as JSON"
        )


def require_lz4(target: str) -> None:
    lz4_libraries(target)


def lz4_libraries(name: str) -> tuple[Any, Any]:
    """The modules lz4.frame and cbor2. Raises ParameterError that says what to install. name: of the file."""
    modules = []
    for module, package in (("lz4.frame", "lz4"), ("cbor2", "cbor2")):
        try:
            modules.append(importlib.import_module(module))
        except ImportError:
            raise ParameterError(
                f"{name}: ranx's .lz4 needs the packages lz4 and cbor2, and {package} is not installed; "
                f"install it (pip install {package}), or use JSON"
            ) from None
    return modules[0], modules[1]


# Writing


def dicts_by_query(rows: Rows) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each query with its documents, by subtopic if there are subtopics."""
    if rows.subtopics is not None:
        yield from subtopic_dicts(rows, rows.subtopics)
        return
    for block in rows.blocks():
        docs, values = decode_ids(decode(block.docs)), block.values.tolist()
        groups = zip(decode_ids(block.query_ids), pairwise(block.offsets.tolist()), strict=True)
        for query, (start, end) in groups:
            yield query, dict(zip(docs[start:end], values[start:end], strict=True))


def subtopic_dicts(rows: Rows, subtopics: Fields) -> Iterator[tuple[str, dict[str, Any]]]:
    interner = Interner()
    subtopic_index, query_index = interner.codes(subtopics), group_of(rows.offsets)
    order = np.lexsort((subtopic_index, query_index))
    subtopic_index, query_index = subtopic_index[order], query_index[order]
    starts = np.flatnonzero(
        np.r_[True, (subtopic_index[1:] != subtopic_index[:-1]) | (query_index[1:] != query_index[:-1])]
    )
    docs, values = decode_ids(decode(rows.docs.take(order))), rows.values[order].tolist()
    names = decode_ids(list(interner.ids))
    dicts: list[dict[str, Any]] = [{} for _ in rows.query_ids]
    bounds = pairwise([*starts.tolist(), order.size])
    for query, subtopic, (start, end) in zip(
        query_index[starts].tolist(), subtopic_index[starts].tolist(), bounds, strict=True
    ):
        dicts[query][names[subtopic]] = dict(zip(docs[start:end], values[start:end], strict=True))
    yield from zip(decode_ids(rows.query_ids), dicts, strict=True)


def write_json(rows: Rows, name: str) -> Iterator[bytes]:
    """The rows as one JSON object with a query per line."""
    del name
    prefix = "{\n"
    for query, docs in dicts_by_query(rows):
        yield f"{prefix}{json.dumps(query, ensure_ascii=False)}: {json.dumps(docs, ensure_ascii=False)}".encode()
        prefix = ",\n"
    yield b"\n}\n"


def write_lz4(rows: Rows, name: str) -> Iterator[bytes]:
    del name
    yield pack_lz4(dict(dicts_by_query(rows)), "the output")


def pack_lz4(dicts: dict[str, Any], name: str) -> bytes:
    """The dicts as ranx saves them."""
    frame, cbor = lz4_libraries(name)
    packed: bytes = frame.compress(frame.compress(cbor.dumps(dicts)))
    return packed


JSON = Format(
    sniff=lambda head: json_shape(head) == "json",
    read=read_dicts,
    write=write_json,
    refuse=refuse_not_utf8,
    keeps_empty=True,
)
LZ4 = Format(
    sniff=lambda head: head.start.startswith(FRAME),
    read=read_dicts,
    write=write_lz4,
    refuse=refuse_not_utf8,
    keeps_empty=True,
    prepare=require_lz4,
)
