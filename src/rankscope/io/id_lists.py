"""The format lists: ids without scores or grades, as logs of retrieval hold them.

A run is `{query: [document, ...]}` with the best document first, judgments are the same with the documents that should
be retrieved. Or there is an object a line (or a list of objects) with the query and one list or both: `{"query_id":
"q1", "retrieved_ids": [...], "relevant_ids": [...]}`. In the place of an id there may be an object with an id and a
number: `{"id": "d1", "grade": 1}`.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.data.row_input import is_mapping_of_lists, rows_from_lists
from rankscope.data.row_tables import (
    DOC_ID,
    KINDS,
    LIST_QUERY_NAMES,
    LISTS,
    NUMBER_LISTS,
    OPENING,
    SCHEMAS,
    has_lists,
    rows_from_table,
    values_of_lists,
)
from rankscope.data.rows import Rows
from rankscope.data.tables import Table, find_column, list_columns, shorten_value
from rankscope.data.text import json_value
from rankscope.errors import InputError
from rankscope.io.core import VALUES, FileContent, Format, ReadRequest, remove_marks
from rankscope.io.json_dicts import holds_records, json_shape, lines_of, parse_json
from rankscope.kernels.order import ranges
from rankscope.kernels.segments import bounds
from rankscope.kernels.text import PADDING, Fields, hashes
from rankscope.typing import Ints

if TYPE_CHECKING:
    import polars as pl

    from rankscope.io.core import Source

__all__ = [
    "ID_LISTS",
    "columns_to_records",
]


#: How many lines tell the keys of all objects.
N_FIRST = 10
#: Bytes of a line with a long list, on average.
LONG = 1000
LIST_SHAPE = "{query: [document, ...]}"


def read_lists(source: Source, request: ReadRequest) -> FileContent:
    """Judgments or a run from lists of ids. Raises InputError with the line or the query."""
    name = source.name
    content = columns_to_records(remove_marks(source.read_bytes()), name)
    if holds_records(content, source.columns):
        return read_records(content, source, request)
    data = parse_json(content, name, shape=LIST_SHAPE)
    if not is_mapping_of_lists(data):
        key, value = next(((k, v) for k, v in data.items() if not isinstance(v, list)), next(iter(data.items())))
        raise InputError(f"{name}: {shorten_value(key)} has {shorten_value(value)}, expected {LIST_SHAPE}")
    kind = request.resolved_kind(name, "lists of ids, which may be a run or judgments")
    return FileContent(rows_from_lists(data, name, VALUES[kind]))


def columns_to_records(content: bytes, name: str, query_names: Sequence[str] = LIST_QUERY_NAMES) -> bytes:
    """A table of columns in JSON, {"question": [...], "retrieved_ids": [[...], ...]}, as a list of its rows.

    query_names: what the column of queries may be called. Other contents are returned as they are. Raises InputError
    where the columns differ in length.
    """
    if not content.lstrip().startswith(b"{") or is_in_lines(content):
        return content
    if re.search(rb'"\s*(?:%s)\s*"\s*:\s*\[' % "|".join(query_names).encode(), content, re.IGNORECASE) is None:
        return content
    data = json_value(content)
    is_table = isinstance(data, dict) and len(data) > 1 and all(isinstance(cells, list) for cells in data.values())
    if not is_table or find_column(list(data), query_names) is None:
        return content
    has_numbers = any(cells and isinstance(cells[0], (int, float)) for cells in data.values())
    if is_mapping_of_lists(data) and not has_numbers:
        return content
    lengths = {column: len(cells) for column, cells in data.items()}
    if len(set(lengths.values())) > 1:
        column, longest = min(lengths, key=lengths.__getitem__), max(lengths, key=lengths.__getitem__)
        raise InputError(
            f"{name}: the column {longest!r} has {lengths[longest]} cells and {column!r} {lengths[column]}, expected "
            "one for each query"
        )
    rows = [dict(zip(data, row, strict=True)) for row in zip(*data.values(), strict=True)]
    return json.dumps(rows, ensure_ascii=False).encode("utf-8", "surrogatepass")


def is_in_lines(content: bytes) -> bool:
    """Whether the first line is a whole object of JSON, and others follow."""
    lines = filter(bytes.strip, lines_of(content))
    return isinstance(json_value(next(lines, b"")), dict) and next(lines, None) is not None


def read_records(content: bytes, source: Source, request: ReadRequest) -> FileContent:
    """Judgments or a run from objects with a query and its list. Raises InputError with the line."""
    from rankscope.io.tables.frames import records_to_lines, refuse_repeated_keys
    from rankscope.io.tables.schema import object_locator

    name, is_list = source.name, content.lstrip().startswith(b"[")
    if is_list:
        content = records_to_lines(content, name)
    keys, records = first_records(content)
    present = [
        kind
        for kind, value in VALUES.items()
        if has_lists(keys, value) or source.columns.get(LISTS[value].name) in keys
    ]
    kind = request.kind or (present[0] if len(present) == 1 else None)
    if kind is None:
        reason = f"the columns {list_columns(keys)} may be those of judgments or of a run"
        kind = request.resolved_kind(name, reason)
    value_field = VALUES[kind]
    names = LISTS[value_field].names
    if kind not in present:
        raise InputError(
            f"{name}: no list of ids for {'judgments' if kind == 'qrels' else 'a run'} among {list_columns(keys)}; "
            f"rename one of them to {names[0]} (also understood: {', '.join(names[1:])}), or say which it is: "
            f"--columns {names[0]}=NAME (in Python columns=)"
        )
    list_name = source.columns.get(LISTS[value_field].name) or find_column(keys, names)
    if list_name is not None and any(
        isinstance(entry, dict) for record in records for entry in as_list(record.get(list_name))
    ):
        content = flatten_objects(content, list_name, value_field, f"{name}: row {{}}" if is_list else f"{name}:{{}}")
        keys, records = first_records(content)
    lists = [key for key in keys if key == list_name or all(isinstance(record.get(key), list) for record in records)]
    columns = SCHEMAS[value_field].bind(keys, source.columns, name, lists)
    locate = object_locator(content, name, is_list=is_list)
    rows = None if is_list else rows_of_long_lists(content, columns, value_field, locate)
    if rows is not None:
        return FileContent(rows)
    frame = frame_of_records(content, name, columns, value_field, is_list)
    refuse_repeated_keys(content, frame, columns.values(), locate)
    table = Table(
        frame=frame,
        name=name,
        schema=SCHEMAS[value_field],
        columns=columns,
        where=name,
        locate=locate,
    )
    return FileContent(*rows_from_table(table, value_field))


def first_records(content: bytes) -> tuple[list[str], list[dict[str, Any]]]:
    """The keys of the first objects, and these objects."""
    first = map(json_value, islice(lines_of(content), N_FIRST))
    records = [record for record in first if isinstance(record, dict)]
    return list(dict.fromkeys(key for record in records for key in record)), records


def as_list(value: object) -> list[Any]:
    """A list as it is, any other value as none."""
    return value if isinstance(value, list) else []


def flatten_objects(content: bytes, list_name: str, value_field: str, where: str) -> bytes:
    """Lines of JSON whose lists hold objects, `[{"id": "d1", "grade": 1}]`, with a list of ids and one of numbers.

    Every object has an id, and all or none of them a number. A line with a key that stands twice stays as it is.

    where: file and line, with a place for the number of the line. Raises InputError with the line.
    """
    lines = list(lines_of(content))
    records = {i: record for i, line in enumerate(lines) if (record := unique_object(line))}
    pairs_of = {
        i: [id_and_number(entry, list_name, value_field, where.format(i + 1)) for entry in as_list(record[list_name])]
        for i, record in records.items()
        if list_name in record
    }
    without = [i for i, pairs in pairs_of.items() if any(number is None for _, number in pairs)]
    has_numbers = any(number is not None for pairs in pairs_of.values() for _, number in pairs)
    if without and has_numbers:
        raise InputError(
            f"{where.format(without[0] + 1)}: {list_name} has an object without a {value_field}, which others have; "
            "write one in each"
        )
    for i, pairs in pairs_of.items():
        ids_and_numbers = {list_name: [id_ for id_, _ in pairs]} if pairs else {}
        if has_numbers:
            ids_and_numbers[NUMBER_LISTS[value_field].name] = [number for _, number in pairs]
        lines[i] = json.dumps({**records[i], **ids_and_numbers}).encode() + b"\n"
    return b"".join(lines)


def unique_object(line: bytes) -> dict[str, Any]:
    """An object of JSON; {} for anything else, and where a key stands twice in it."""
    pairs: list[list[tuple[str, Any]]] = []

    def count(items: list[tuple[str, Any]]) -> dict[str, Any]:
        pairs.append(items)
        return dict(items)

    try:
        value = json.loads(line, object_pairs_hook=count)
    except (ValueError, RecursionError):
        return {}
    is_unique = all(len(dict(items)) == len(items) for items in pairs)
    return value if isinstance(value, dict) and is_unique else {}


def id_and_number(entry: object, list_name: str, value_field: str, where: str) -> tuple[Any, Any]:
    """The id of an object in a list, and its grade or score, None without. Raises InputError for anything else."""
    keys = list(entry) if isinstance(entry, dict) else []
    id_name = find_column(keys, ("id", *DOC_ID.names))
    number_names = SCHEMAS[value_field].column(value_field).names
    if id_name is None or not isinstance(entry, dict) or isinstance(entry[id_name], (list, dict)):
        raise InputError(
            f"{where}: {list_name} holds {shorten_value(entry)}, expected an object with an id, such as "
            f'{{"id": "d1", "{number_names[0]}": 1}}; correct it'
        )
    number_name = find_column(keys, number_names)
    return entry[id_name], None if number_name is None else entry[number_name]


class LongLists(NamedTuple):
    """The lists of all lines.

    Attributes
    ----------
    queries
        Their queries.
    opens, closes
        Where each list opens and closes.
    """

    queries: list[bytes]
    opens: Ints
    closes: Ints


def rows_of_long_lists(
    content: bytes, columns: Mapping[str, str], value_field: str, locate: Callable[[int], str]
) -> Rows | None:
    """The rows of lines with long lists, where these stand in the file; None where anything in it is unusual.

    What is unusual (escapes, other blanks, errors) is left to the reader of all JSON. columns: our names of the query
    and the list, and their own.
    """
    list_field = LISTS[value_field].name
    if content.count(b"\n") * LONG > len(content) or len(columns) != 2 or b"\\" in content:
        return None
    query_field = next(field for field in columns if field != list_field)
    lists = find_long_lists(content, columns[query_field], columns[list_field])
    if lists is None:
        return None
    buffer = np.frombuffer(b"".join((bytes(PADDING), content, bytes(PADDING))), np.uint8)
    ids = ids_of_lists(buffer, lists.opens + PADDING, lists.closes + PADDING)
    if ids is None:
        return None
    docs, lengths = ids
    offsets = bounds(lengths)

    def where(start: int) -> str:
        row = int(np.searchsorted(docs.starts, start))
        return locate(int(np.searchsorted(offsets, row, side="right")) - 1)

    values = values_of_lists(offsets, value_field)
    return Rows(lists.queries, offsets, docs, hashes(docs), values, where, kind=KINDS[value_field])


def find_long_lists(content: bytes, query_name: str, list_name: str) -> LongLists | None:
    """The list of each line and its query; None where a line is no object with both, or names one of them twice."""
    key = json.dumps(list_name, ensure_ascii=False).encode()
    opening = re.compile(re.escape(key) + rb"\s*:\s*\[")
    queries: dict[bytes, None] = {}
    opens, closes = [], []
    n_lines = start = 0
    for line in lines_of(content):
        end = start + len(line)
        match = opening.search(content, start, end)
        if match is not None:
            close = content.find(b"]", match.end(), end)
            without_list = line[: match.end() - start - 1] + b"0" + line[close + 1 - start :]
            pairs = json_pairs(without_list)
            names = [name for name, _ in pairs]
            if close < 0 or names.count(list_name) != 1 or names.count(query_name) != 1:
                return None
            query = dict(pairs)[query_name]
            if not isinstance(query, str) or query[:1] in ("", "{", "["):
                return None
            queries[query.encode("utf-8", "surrogatepass")] = None
            opens.append(match.end() - 1)
            closes.append(close)
        elif line.strip():
            return None
        n_lines, start = n_lines + (match is not None), end
    if len(queries) < n_lines:
        return None
    return LongLists(list(queries), np.array(opens, np.int64), np.array(closes, np.int64))


def json_pairs(text: bytes) -> list[tuple[str, Any]]:
    """The keys and values of an object of JSON; none for any other text."""
    try:
        pairs = json.loads(text, object_pairs_hook=list) if text.lstrip().startswith(b"{") else []
    except (ValueError, RecursionError):
        return []
    return list(pairs)


def ids_of_lists(buffer: npt.NDArray[np.uint8], opens: Ints, closes: Ints) -> tuple[Fields, Ints] | None:
    """The texts in lists of JSON, and how many each list has; None where they hold anything else.

    opens, closes: places of the brackets. Texts have no escapes, so that each quotation mark begins or ends one.
    """
    n_controls = int(np.count_nonzero(buffer[PADDING:-PADDING] < ord(" ")))
    if n_controls != int(np.count_nonzero(buffer == ord("\n"))):
        return None
    marks = np.flatnonzero(buffer == ord('"'))
    first, last = np.searchsorted(marks, opens), np.searchsorted(marks, closes)
    counts = last - first
    lengths = counts // 2
    if (counts % 2).any() or not lengths.any():
        return None
    marks = marks[ranges(first, counts)]
    starts, ends = marks[::2] + 1, marks[1::2]
    is_first = np.zeros(starts.size, np.bool_)
    has_ids = lengths > 0
    is_first[(np.cumsum(lengths) - lengths)[has_ids]] = True
    before = np.empty_like(starts)  # where the byte before the quotation mark belongs: a bracket, or a comma
    before[is_first] = opens[has_ids]
    before[~is_first] = ends[:-1][~is_first[1:]] + 1
    gaps = starts - 2 - before
    is_regular = (gaps == 0) | ((gaps == 1) & (buffer[starts - 2] == ord(" ")))
    is_separated = is_first | (buffer[before] == ord(","))
    last_ends = np.where(has_ids, 0, opens)
    last_ends[has_ids] = ends[np.cumsum(lengths)[has_ids] - 1]
    if not (is_regular & is_separated).all() or (last_ends + 1 != closes).any() or (ends == starts).any():
        return None
    if np.isin(buffer[starts], OPENING).any() or not is_utf8(buffer[PADDING:-PADDING]):
        return None
    return Fields(buffer, starts, ends - starts), lengths


def is_utf8(content: npt.NDArray[np.uint8]) -> bool:
    """Whether bytes are UTF-8."""
    try:
        return bool(content.max(initial=0) < 0x80) or bool(str(content.data, "utf-8"))
    except UnicodeDecodeError:
        return False


def frame_of_records(
    content: bytes, name: str, columns: Mapping[str, str], value_field: str, is_list: bool
) -> pl.DataFrame:
    """The query and its lists from objects; all other values, as texts of documents, are skipped."""
    import polars as pl

    from rankscope.io.tables.frames import polars_errors, refuse_deep_lines

    refuse_deep_lines(content, name)
    types = {LISTS[value_field].name: pl.List(pl.String), NUMBER_LISTS[value_field].name: pl.List(pl.Float64)}
    try:
        return pl.read_ndjson(
            io.BytesIO(content), schema={own_name: types.get(field, pl.String) for field, own_name in columns.items()}
        )
    except polars_errors() as error:
        refuse_bad_records(content, name, {own_name: field in types for field, own_name in columns.items()}, is_list)
        problem = str(error).partition("\n")[0]
        raise InputError(f"{name}: cannot be read as lists of ids ({problem}); check how it was made") from None


def refuse_bad_records(content: bytes, name: str, columns: Mapping[str, bool], is_list: bool) -> None:
    """Raise InputError for the first line that is no object with these columns, and whether each holds lists."""
    for number, line in enumerate(content.splitlines(), 1):
        where = f"{name}: row {number}" if is_list else f"{name}:{number}"
        if not line.strip():
            continue
        record = json_value(line)
        if not isinstance(record, dict):
            raise InputError(f"{where}: no JSON object, expected one a line; correct this line")
        for column, holds_lists in columns.items():
            value = record.get(column)
            entries = value if isinstance(value, list) else [value]
            if holds_lists != isinstance(value, list) or any(isinstance(entry, (list, dict)) for entry in entries):
                expected = "a list of ids" if holds_lists else "the id of a query"
                raise InputError(f"{where}: {column} is {shorten_value(value)}, expected {expected}; correct this line")


ID_LISTS = Format(read=read_lists, sniff=lambda head: json_shape(head) == "lists")
