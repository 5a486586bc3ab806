"""Parquet and JSON lines as polars frames, and what to refuse before polars reads it; separators; codes of names."""

from __future__ import annotations

import io
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from rankscope.data.sparse import CELLS_PER_VALUE, FREE_CELLS, refuse_sparse
from rankscope.errors import InputError
from rankscope.io.core import refuse_bomb
from rankscope.io.tables.parquet_pages import refuse_false_pages
from rankscope.typing import Ints

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "SEPARATORS",
    "checked_row_count",
    "find_invalid_object",
    "first_record",
    "has_short_lines",
    "name_codes",
    "order_columns",
    "polars_errors",
    "read_json_lines",
    "read_mixed_lines",
    "read_parquet",
    "records_to_lines",
    "refuse_long_texts",
    "refuse_repeated_keys",
    "refuse_short_lines",
    "report_polars_errors",
    "separator_of",
]


SEPARATORS = {"csv": ",", "tsv": "\t"}
#: Separators of text tables that are read, not written.
READ_SEPARATORS = {**SEPARATORS, "semicolons": ";"}
#: Advice for Parquet that is implausibly large when unpacked: it cannot be unpacked by hand.
AS_TEXT = "save it as CSV"
#: The maximum number of columns of a text table, and bytes for one more: polars takes 5 kB for each column.
MAX_COLUMNS, COLUMN = 25_000, 250
#: Bytes that are compared at a time.
PIECE = 1 << 20
#: How deeply lists and objects in a line of JSON may nest.
MAX_DEPTH = 100
OPENING, CLOSING = (np.frombuffer(brackets, np.uint8) for brackets in (b"[{", b"]}"))


def read_parquet(content: bytes, name: str) -> pl.DataFrame:
    """A table in Parquet. Raises InputError."""
    import polars as pl

    with report_polars_errors(name, "parquet"):
        refuse_false_pages(content, name)
        checked_row_count(pl.scan_parquet(io.BytesIO(content)), len(content), name)
        frame = pl.read_parquet(io.BytesIO(content))
        refuse_long_texts(frame, len(content), name)
        return frame


def read_json_lines(content: bytes, name: str) -> pl.DataFrame | None:
    """A table in JSON lines, None where polars cannot read it. Raises InputError."""
    import polars as pl

    refuse_deep_lines(content, name)
    try:
        return pl.read_ndjson(io.BytesIO(content), schema=schema_of_lines(content, name))
    except InputError:
        raise
    except polars_errors():
        return None


def read_mixed_lines(content: bytes, name: str) -> pl.DataFrame:
    """Valid JSON lines by Python's reader: values of several kinds under one key, which polars refuses, become texts.

    true and false beside numbers are 1 and 0. Raises InputError where each line has its own keys.
    """
    import polars as pl

    records = list(map(json.loads, filter(bytes.strip, io.BytesIO(content))))
    keys = list(dict.fromkeys(key for record in records for key in record))
    refuse_sparse((len(records), len(keys)), sum(map(len, records)), name, "lines and keys")
    columns = {key: column_of_values([record.get(key) for record in records]) for key in keys}
    return pl.DataFrame(columns)


def column_of_values(values: Sequence[Any]) -> pl.Series:
    """A column of values of JSON, null where there is none."""
    import polars as pl

    kinds = {type(value) for value in values if value is not None}
    if kinds <= {bool} or kinds <= {str}:
        return pl.Series(values)
    if kinds <= {bool, int, float} and (float in kinds or bool in kinds):
        return pl.Series(values, dtype=pl.Float64, strict=False)
    if len(kinds) == 1:  # whole numbers, lists or objects
        with suppress(OverflowError, TypeError, *polars_errors()):
            return pl.Series(values, dtype=pl.Int64 if kinds == {int} else None)
    texts = [value if value is None or isinstance(value, str) else json.dumps(value) for value in values]
    return pl.Series(texts, dtype=pl.String)


def first_record(head: bytes) -> dict[str, object]:
    """The first object of JSON lines, or of a list of objects; empty where there is none. The text may be cut off."""
    text = head.decode("utf-8", "replace").lstrip()
    try:
        record, _ = json.JSONDecoder().raw_decode(text.removeprefix("[").lstrip())
    except (ValueError, RecursionError):
        return {}
    return record if isinstance(record, dict) else {}


def records_to_lines(content: bytes, name: str) -> bytes:
    """A JSON list of objects as JSON lines. Raises InputError for another list."""
    try:
        rows = json.loads(content)
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 1)
        raise InputError(f"{name}:{line}: not valid JSON ({getattr(error, 'msg', error)}); correct it") from None
    if not all(isinstance(row, dict) for row in rows):
        raise InputError(f"{name}: a list that does not only hold objects, expected one object per row; correct it")
    for key in rows[0] if rows else ():
        if content.count(f'"{key}"'.encode()) > sum(key in row for row in rows):
            refuse_repeated_keys_of(content, key, name)
    return "\n".join(map(json.dumps, rows)).encode()


def refuse_repeated_keys_of(content: bytes, key: str, name: str) -> None:
    """Raise InputError where an object of a JSON list has a key twice."""
    for row, pairs in enumerate(json.loads(content, object_pairs_hook=list), 1):
        if [own_key for own_key, _ in pairs].count(key) > 1:
            raise InputError(f"{name}: row {row}: the key {key!r} occurs twice in one object; remove one of the two")


@contextmanager
def report_polars_errors(name: str, format_name: str) -> Iterator[None]:
    """Turn errors of polars within the block into InputError."""
    try:
        yield
    except InputError:
        raise
    except polars_errors() as error:
        first_line = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(
            f"{name}: cannot be read as {format_name} ({first_line}); check the file or name its format"
        ) from None


def polars_errors() -> tuple[type[BaseException], ...]:
    """The errors that polars raises for invalid files. Its panics are not subclasses of Exception."""
    import polars as pl

    return (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError, RuntimeError, MemoryError)


def checked_row_count(table: pl.LazyFrame, size: int, name: str) -> int:
    """The number of rows in the metadata of a Parquet file. Raises InputError for more than `size` bytes can hold."""
    import polars as pl

    n_rows = int(table.select(pl.len()).collect().item())
    refuse_bomb(8 * n_rows * len(table.collect_schema()), size, name, AS_TEXT)
    return n_rows


def refuse_long_texts(frame: pl.DataFrame, size: int, name: str) -> None:
    """Raise InputError where the texts of a Parquet file of `size` bytes are implausibly long."""
    import polars as pl

    lengths = frame.select(pl.col(pl.String).str.len_bytes().cast(pl.Int64).sum())
    refuse_bomb(sum(lengths.row(0)) if lengths.width else 0, size, name, AS_TEXT)


def refuse_deep_lines(content: bytes, name: str) -> None:
    """Raise InputError for a JSON line whose lists and objects nest too deeply.

    Versions of polars before 2.1 overflow their stack on such a line, which ends the process. Lines with few brackets
    cannot be deep, so that usual files cost two counts of a byte.
    """
    if has_safe_polars():
        return
    n_lines = content.count(b"\n") + 1
    if content.count(b"{") + content.count(b"[") <= n_lines + MAX_DEPTH:
        return
    for number, line in enumerate(content.split(b"\n"), 1):
        if line.count(b"{") + line.count(b"[") > MAX_DEPTH and depth_of(line) > MAX_DEPTH:
            raise InputError(
                f"{name}:{number}: lists and objects nest more than {MAX_DEPTH} deep, expected one flat object per "
                "line; correct it"
            )


def has_safe_polars() -> bool:
    """Whether polars itself refuses lines of JSON that nest too deeply."""
    import polars as pl

    return tuple(map(int, re.findall(r"\d+", pl.__version__)[:2])) >= (2, 1)


def depth_of(line: bytes) -> int:
    """How deeply brackets nest in a JSON line; those within strings do not count."""
    without_strings = re.sub(rb'"(?:[^"\\\\]|\\\\.)*"', b"", line)
    brackets = np.frombuffer(without_strings, np.uint8)
    steps = np.isin(brackets, OPENING).astype(np.int64) - np.isin(brackets, CLOSING)
    return int(np.cumsum(steps).max(initial=0))


def schema_of_lines(content: bytes, name: str) -> dict[str, pl.DataType]:
    """The columns of JSON lines. Raises InputError where each line has its own keys.

    Samples a growing number of lines, since polars takes time quadratic in the number of keys.
    """
    import polars as pl

    n_lines, n_values, n_sampled = content.count(b"\n") + 1, content.count(b":"), 1000
    while True:
        lines = pl.scan_ndjson(io.BytesIO(content), infer_schema_length=n_sampled if n_sampled < n_lines else None)
        schema = lines.collect_schema()
        refuse_sparse((n_lines, len(schema)), n_values, name, "lines and keys")
        if n_sampled >= n_lines:
            return dict(schema)
        n_sampled = n_lines if are_all_keys(schema, content) else 4 * n_sampled


def are_all_keys(keys: Iterable[str], content: bytes) -> bool:
    """Whether JSON lines certainly have no other keys: each colon follows one of these, and nothing is escaped.

    This holds for most files, which then need no larger sample.
    """
    n_key_colons = sum(content.count(f'"{key}":'.encode()) for key in keys)
    return n_key_colons == content.count(b":") and b"\\" not in content


def refuse_short_lines(content: bytes, separator: str, name: str) -> None:
    """Raise InputError where the header has too many columns, or many more than the lines below."""
    end = content.find(b"\n")
    n_columns = content[: end if end >= 0 else None].count(separator.encode()) + 1
    if n_columns <= CELLS_PER_VALUE:  # each line has a value at least
        return
    n_lines = content.count(b"\n") + 1
    max_columns = MAX_COLUMNS + len(content) // COLUMN
    if n_columns > max_columns:
        raise InputError(
            f"{name}:1: {n_columns:,} columns, expected at most {max_columns:,} in {len(content):,} bytes; save it as "
            "Parquet"
        )
    if n_lines * n_columns > FREE_CELLS:
        n_separators = content.count(separator.encode())
        refuse_sparse((n_lines, n_columns), n_separators + n_lines, name, "lines and columns")


def separator_of(header: bytes) -> tuple[str, str]:
    """The format of a table and its separator, by its header: tabs, or else semicolons if there is no comma."""
    format_name = "tsv" if b"\t" in header else "semicolons" if b";" in header and b"," not in header else "csv"
    return format_name, READ_SEPARATORS[format_name]


def find_invalid_object(content: bytes) -> str | None:
    """The first line that is not an object of JSON with finite numbers, as "17: not a JSON object, ..."."""
    for number, line in enumerate(io.BytesIO(content), 1):
        try:
            is_valid = not line.strip() or isinstance(
                json.loads(line, parse_constant=parse_finite, parse_float=parse_finite), dict
            )
        except OverflowError as error:
            return f"{number}: the value {error}, expected finite numbers"
        except (ValueError, RecursionError):
            is_valid = False
        if not is_valid:
            return f"{number}: not a JSON object, expected one per line"
    return None


def refuse_repeated_keys(
    content: bytes, frame: pl.DataFrame, own_names: Iterable[str], location: Callable[[int], str]
) -> None:
    """Raise InputError for an object of JSON lines that has one of these keys twice: polars takes the first.

    frame: the table in the content. location: file and line of a row.
    """
    import polars as pl

    flat = not any(dtype.is_nested() for dtype in frame.dtypes)
    n_cells = [column.len() - column.null_count() for column in frame]
    n_texts = sum(n for n, dtype in zip(n_cells, frame.dtypes, strict=True) if dtype == pl.String)
    if flat and count_quotes(content) == 2 * (sum(n_cells) + n_texts):  # none twice, and none null
        return
    names = [name for name in dict.fromkeys(own_names) if name in frame.columns]
    suspects = {name for name in names if content.count(f'"{name}"'.encode()) > n_cells[frame.get_column_index(name)]}
    lines = filter(bytes.strip, io.BytesIO(content) if suspects else ())
    for row, line in enumerate(lines):
        keys = [key for key, _ in json.loads(line, object_pairs_hook=list)]
        for key in suspects:
            if keys.count(key) > 1:
                raise InputError(f"{location(row)}: the key {key!r} occurs twice in one object; remove one of the two")


def count_quotes(content: bytes) -> int:
    """The number of quotation marks."""
    bytes_ = np.frombuffer(content, np.uint8)
    starts = range(0, bytes_.size, PIECE)
    return sum(int(np.count_nonzero(bytes_[start : start + PIECE] == ord('"'))) for start in starts)


def parse_finite(text: str) -> float:
    """A number of JSON. Raises OverflowError for NaN and infinity, and for numbers that are too large."""
    value = float(text)
    if not math.isfinite(value):
        raise OverflowError(text)
    return value


def order_columns(frame: pl.DataFrame, content: bytes) -> pl.DataFrame:
    """The columns of JSON lines in the order of the first object, then the others: polars reads them in any order."""
    first_line = next(line for line in io.BytesIO(content) if line.strip())
    names = [*json.loads(first_line), *sorted(frame.columns)]
    return frame[list(dict.fromkeys(name for name in names if name in frame))]


def has_short_lines(content: bytes, separator: str) -> bool:
    """Whether a line may have fewer fields than the first: by the number of separators, unless there are quotes."""
    if b'"' in content:
        return True
    content_bytes = np.frombuffer(content, np.uint8)
    line_ends = np.append(np.flatnonzero(content_bytes == ord("\n")), content_bytes.size)
    n_fields = np.diff(np.searchsorted(np.flatnonzero(content_bytes == ord(separator)), line_ends), prepend=0)
    lengths = np.diff(line_ends, prepend=-1) - 1
    is_blank = (lengths == 0) | ((lengths == 1) & (content_bytes[line_ends - 1] == ord("\r")))
    return bool(((n_fields < n_fields[0]) & ~is_blank).any())


def name_codes(columns: Sequence[pl.Series]) -> tuple[tuple[str, ...], list[Ints]]:
    """The distinct names in columns of text, by first appearance row by row; and the codes of each column."""
    import polars as pl

    firsts = [column.arg_unique().cast(pl.Int64) for column in columns]
    cells = pl.concat(
        pl.DataFrame({"name": column.gather(first), "place": first * len(columns) + i})
        for i, (column, first) in enumerate(zip(columns, firsts, strict=True))
    )
    names = cells.group_by("name").agg(pl.col("place").min()).sort("place")["name"]
    enum = pl.Enum(names)
    return tuple(names.to_list()), [column.cast(enum).to_physical().to_numpy().astype(np.int64) for column in columns]
