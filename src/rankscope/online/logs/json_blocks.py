"""Logs of JSON lines in blocks: each becomes a frame, and a line that does not fit is named."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, cast

from rankscope.errors import InputError
from rankscope.io.core import BlockReader, Progress, Readable, open_binary, source_name
from rankscope.io.tables import lines_of_objects
from rankscope.typing import PathLike

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "JsonBlock",
    "json_blocks",
]


#: Bytes that are parsed at a time.
BLOCK = 4 << 20
#: Lines by which the types of columns are guessed.
SAMPLE = 1000
#: Characters of a value in a message.
MAX_SHOWN = 60
#: What the columns of a schema hold, for messages, by the text of their type.
EXPECTED = {
    "String": "a text or a number",
    "Int64": "a whole number",
    "Float64": "a number",
    "List(Int64)": "a list of whole numbers",
    "List(Float64)": "a list of numbers",
    "List(String)": "a list of texts",
    "List(List(Float64))": "a list of lists of numbers, one for each document",
    "List(List(Int64))": "a list of lists of whole numbers, one for each document",
}


@dataclass(frozen=True)
class JsonBlock:
    """Complete lines.

    Attributes
    ----------
    content
        The lines.
    first_line
        Number of the first one.
    name
        Name of the file.
    """

    content: bytes
    first_line: int
    name: str

    def where(self, row: int) -> str:
        """File and line of an object, counted without blank lines."""
        return f"{self.name}:{self.first_line - 1 + next(islice(lines_of_objects(self.content), row, None))}"

    def guess_schema(self) -> dict[str, pl.DataType]:
        """The columns of the first lines, with their types. Raises InputError for lines that are no objects."""
        import polars as pl

        head = b"".join(islice(io.BytesIO(self.content), SAMPLE))
        try:
            return dict(pl.read_ndjson(io.BytesIO(head), infer_schema_length=SAMPLE).schema)
        except pl.exceptions.PolarsError:
            pass
        for number, line in enumerate(head.splitlines(), self.first_line):
            if line.strip():
                parse_object(line, f"{self.name}:{number}")
        raise InputError(
            f"{self.name}:{self.first_line}: the values of a column have different types in the first lines, expected "
            "one type a column"
        )

    def frame(self, schema: Mapping[str, Any]) -> pl.DataFrame:
        """The lines as a frame of these columns; null where a line lacks one. Raises InputError that names the line."""
        import polars as pl

        try:
            return pl.read_ndjson(io.BytesIO(self.content), schema=schema)
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
            raise self.wrong_line(schema) from None

    def wrong_line(self, schema: Mapping[str, Any]) -> InputError:
        """The error for the first line that does not fit; halves of the lines are tried until it is left."""
        lines = self.content.splitlines(keepends=True)
        start, stop = 0, len(lines)
        while stop - start > 1:
            middle = (start + stop) // 2
            start, stop = (middle, stop) if fits(b"".join(lines[start:middle]), schema) else (start, middle)
        where = f"{self.name}:{self.first_line + start}"
        try:
            record = parse_object(lines[start], where)
        except InputError as error:
            return error
        for column, type_ in schema.items():
            if column in record and not fits(json.dumps({column: record[column]}).encode(), {column: type_}):
                value = json.dumps(record[column])
                shortened = value if len(value) <= MAX_SHOWN else value[:MAX_SHOWN] + "..."
                return InputError(
                    f"{where}: {column} is {shortened}, expected {EXPECTED.get(str(type_), f'values of {type_}')}; "
                    "correct it"
                )
        return InputError(f"{where}: this line cannot be read; write one JSON object a line")


def parse_object(line: bytes, where: str) -> dict[str, Any]:
    """A line as an object. Raises InputError for anything else."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        reason = getattr(error, "msg", "") or "it cannot be read"
        raise InputError(f"{where}: not valid JSON ({reason}), expected one object a line; correct it") from None
    if not isinstance(record, dict):
        raise InputError(f"{where}: {line.decode('utf-8', 'replace').strip()[:MAX_SHOWN]!r}, expected a JSON object")
    return record


def fits(content: bytes, schema: Mapping[str, Any]) -> bool:
    """Whether these lines can be read by the schema."""
    import polars as pl

    try:
        pl.read_ndjson(io.BytesIO(content), schema=schema)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return False
    return True


def json_blocks(path: PathLike, progress: Progress | None = None) -> Iterator[JsonBlock]:
    """The lines of a file, block by block, however it is compressed. Raises InputError for an empty file.

    progress: called with the number of bytes just read.
    """
    name = source_name(path)
    with open_binary(path) as stream:
        reader = BlockReader(cast("Readable", stream), name, BLOCK, progress)
        block = reader.next()
        while block is not None:
            yield JsonBlock(bytes(block.buffer[block.begin : block.end]), block.first_line, name)
            block = None if block.is_last else reader.next(block.end)
