"""An open file and its format, which its first bytes tell."""

from __future__ import annotations

import os
from collections.abc import Iterator
from io import BufferedReader, UnsupportedOperation
from pathlib import Path
from typing import Any

from rankscope.data.rows import RowBatch, Rows, complete_queries, decode_id
from rankscope.data.text import pluralise_queries
from rankscope.errors import InputError, ParameterError
from rankscope.io.core.blocks import (
    BLOCK,
    BOM,
    looks_like_trec,
)
from rankscope.io.core.formats import (
    FORMATS,
    KINDS,
    FileContent,
    Progress,
    ReadRequest,
    get_format,
    parse_head,
    sniff,
    split_format,
)
from rankscope.io.core.paths import columns_of, source_name
from rankscope.io.core.streams import empty_file_error
from rankscope.io.core.urls import RemoteFile, unescape_local
from rankscope.typing import PathLike

__all__ = [
    "Source",
    "file_stem",
    "first_fields",
    "open_source",
    "ungrouped_note",
]


HEAD = 1 << 16
#: Bytes at the end of a file that are kept while it is read, for the tag of the last line.
TAIL = 1 << 12
#: Suffixes that do not belong to a run's name, beside those of the formats.
SUFFIXES = (".gz", ".zst", ".res", ".out")


class Source:
    """An open file whose first bytes were read ahead and are delivered again.

    has_named_format: whether the caller named its format, which is detected from the content otherwise. detail: what
    was named with it, as in "elasticsearch:queries.tsv".
    """

    def __init__(self, stream: Any, path: PathLike, format_name: str | None) -> None:
        self.stream, self.path, self.name = stream, path, source_name(path)
        #: What the user calls the columns of a table.
        self.columns = columns_of(path)
        #: What a reader should know of what was read.
        self.notes: list[str] = []
        self.head: bytes = b""
        self.tail: bytes = b""
        self.read_ahead(HEAD)
        self.has_named_format = format_name is not None
        self.format, self.detail = (
            (sniff(self.head, self.name, self.columns), "") if format_name is None else split_format(format_name)
        )
        if self.columns and self.format == "trec" and not looks_like_trec(parse_head(self.head).line):
            self.format = format_of_suffix(self.name) or "trec"  # its reader says which of the columns it lacks

    def read_ahead(self, n_bytes: int) -> None:
        """Read ahead this many bytes, or all; only before anything is read."""
        while len(self.head) < n_bytes and (chunk := self.stream.read(n_bytes - len(self.head))):
            self.head += chunk
        self.unread = memoryview(self.head)

    def readinto(self, buffer: memoryview, /) -> int | None:
        if self.unread:
            n_bytes = min(len(self.unread), len(buffer))
            buffer[:n_bytes], self.unread = self.unread[:n_bytes], self.unread[n_bytes:]
        else:
            self.head = self.head[:HEAD]
            n_bytes = self.stream.readinto(buffer)  # any binary stream
        if n_bytes:
            self.tail = (self.tail + bytes(buffer[max(n_bytes - TAIL, 0) : n_bytes]))[-TAIL:]
        return n_bytes

    @property
    def size(self) -> int:
        """The size in bytes; 0 if it is not known."""
        try:
            if not isinstance(self.stream, BufferedReader):
                return 0
            if isinstance(self.stream.raw, RemoteFile):
                return self.stream.raw.size
            return os.fstat(self.stream.fileno()).st_size
        except (OSError, UnsupportedOperation):
            return 0

    @property
    def is_large(self) -> bool:
        """Whether it is large and has a format that can be read batch by batch."""
        file_format = get_format(self.format)
        if file_format.row_batches is None or 0 < self.size <= file_format.small_size:
            return False
        if not self.size:
            self.read_ahead(file_format.small_size + 1)
        return max(self.size, len(self.head)) > file_format.small_size and self.can_stream

    @property
    def can_stream(self) -> bool:
        """Whether its rows can be read batch by batch."""
        return get_format(self.format).streams(self)

    def read_bytes(self) -> bytes:
        """All bytes, for readers that need the whole file. Raises InputError where it is empty."""
        content = self.head + bytes(self.stream.read())
        if not content or content.isspace():
            raise empty_file_error(self.name)
        return content

    def read(self, request: ReadRequest) -> FileContent:
        """The content of the file. Raises InputError, and ParameterError for a file that needs a second one."""
        file_format = get_format(self.format)
        if file_format.alternative and not request.keep_all:
            raise ParameterError(
                f"{self.name}: input={self.format!r} (--input {self.format}) is {file_format.alternative}"
            )
        content = file_format.read(self, request)
        if not request.keep_all and request.kind != (kind := content.rows.kind):
            raise InputError(f"{self.name}: {self.format} holds {KINDS[kind]}, expected {KINDS[request.kind or '']}")
        return content._replace(notes=(*content.notes, *self.notes)) if self.notes else content

    def stream_rows(self, size: int = BLOCK, progress: Progress | None = None) -> Iterator[Rows]:
        """The rows of a run, query by query while it is read. Raises Ungrouped. size: of a block of TREC's lines."""
        rows = get_format(self.format).query_rows
        if rows is not None:
            return rows(self, size, progress)
        return complete_queries(self.row_batches(progress), self.row_name)

    def row_batches(self, progress: Progress | None = None) -> Iterator[RowBatch]:
        """The rows of a run in the order of the file, batch by batch, for formats that have batches."""
        file_format = get_format(self.format)
        assert file_format.row_batches is not None
        return file_format.row_batches(self, progress)

    def row_name(self, number: int) -> str:
        """How messages name the row with this number in `row_batches`."""
        return get_format(self.format).row_template.format(self.name, number)

    @property
    def first_line_fields(self) -> list[bytes]:
        """The fields of the first line with data, in TREC's format."""
        end = len(self.head)
        if end >= HEAD:  # the last line may be cut
            end = self.head.rfind(b"\n") + 1
        return first_fields(self.head, len(BOM) if self.head.startswith(BOM) else 0, end)

    @property
    def tag(self) -> str | None:
        """The tag in the first line of a run in TREC's format."""
        fields = self.first_line_fields
        return decode_id(fields[5].strip()) if len(fields) == 6 else None

    @property
    def last_tag(self) -> str | None:
        """The first word of the tag in the last line of a run in TREC's format, of which all was read."""
        lines = self.tail.split(b"\n")[len(self.tail) == TAIL :]  # the first line may be cut
        content = (
            line.split(None, 6) for line in reversed(lines) if line.strip() and not line.lstrip().startswith(b"#")
        )
        fields = next(content, [])
        return decode_id(fields[5]) if len(fields) > 5 else None

    @property
    def run_tag(self) -> str | None:
        """The run's name in the first bytes of the file, if there is one."""
        return self.tag if self.format == "trec" else None

    @property
    def run_name(self) -> str:
        """The run's name as far as the first bytes tell it, else the stem of the path."""
        return self.run_tag or file_stem(self.path)


def open_source(stream: Any, path: PathLike, format_name: str | None) -> Source:
    return Source(stream, path, format_name)


def ungrouped_note(name: str, n_ungrouped: int) -> str:
    return f"{name}: the lines of {pluralise_queries(n_ungrouped)} were not together; they have been merged"


def format_of_suffix(name: str) -> str | None:
    """The format of tables with this suffix, below suffixes of compression."""
    suffix = next((part for part in reversed(Path(name).suffixes) if part.lower() not in SUFFIXES), "").lower()
    return next((format_ for format_ in ("csv", "tsv") if suffix in FORMATS[format_].suffixes), None)


def file_stem(path: PathLike) -> str:
    """The name of a file without its folder and without suffixes of format and compression."""
    name = source_name(path)
    if name == "<stdin>":
        return "stdin"
    place = Path(unescape_local(name))
    stem = place.name or place.absolute().name
    suffixes = {suffix for entry in FORMATS.values() for suffix in entry.suffixes}.union(SUFFIXES)
    while (suffix := Path(stem).suffix).lower() in suffixes:
        stem = stem.removesuffix(suffix)
    return stem


def first_fields(buffer: bytes | bytearray, begin: int, end: int) -> list[bytes]:
    """The fields of the first line with data, with the whole tag as the sixth; empty if there is no such line."""
    while begin < end:
        line_end = buffer.find(b"\n", begin, end)
        line_end = end if line_end < 0 else line_end
        line = bytes(buffer[begin:line_end])
        fields = line.split(None, 5)
        if fields and not line.startswith(b"#"):
            return fields
        begin = line_end + 1
    return []
