"""`read_qrels`, `read_run`, and the streaming of a run past its judgments."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from io import BufferedReader, UnsupportedOperation
from pathlib import Path
from typing import Any

from rankscope.data.qrels import Qrels
from rankscope.data.rows import Rows
from rankscope.data.run import Run
from rankscope.errors import InputError
from rankscope.io.blocks import BLOCK
from rankscope.io.json_dicts import read_json
from rankscope.io.sniff import check_format, sniff
from rankscope.io.streams import open_binary, source_name
from rankscope.io.tables import read_table
from rankscope.io.trec import QRELS, RUN, SUBTOPIC_QRELS, Grammar, read_rows, stream_rows, tag_of

__all__ = ["Source", "file_stem", "open_source", "read_qrels", "read_run"]

PathLike = str | os.PathLike[str]
HEAD = 1 << 16
SUFFIXES = {
    *(".gz", ".zst", ".lz4", ".run", ".txt", ".trec", ".res", ".out"),
    *(".csv", ".tsv", ".jsonl", ".json", ".parquet"),
}


class Source:
    """An open file whose first bytes have been looked at and are read again."""

    def __init__(self, stream: Any, name: str, input_: str | None) -> None:
        self.stream, self.name = stream, name
        self.head: bytes = b""
        while len(self.head) < HEAD and (more := stream.read(HEAD - len(self.head))):
            self.head += more
        self.left = memoryview(self.head)
        if input_ is not None:
            check_format(input_)
        self.format = input_ or sniff(self.head, name)

    def readinto(self, buffer: memoryview, /) -> int | None:
        if self.left:
            n = min(len(self.left), len(buffer))
            buffer[:n], self.left = self.left[:n], self.left[n:]
            return n
        return self.stream.readinto(buffer)  # type: ignore[no-any-return]  # any binary stream

    @property
    def size(self) -> int:
        """How many bytes there are, where that is known; 0 where not."""
        try:
            plain = isinstance(self.stream, BufferedReader)
            return os.fstat(self.stream.fileno()).st_size if plain else 0
        except (OSError, UnsupportedOperation):
            return 0

    def rest(self) -> bytes:
        """All bytes, for readers that need the whole file."""
        return self.head + bytes(self.stream.read())

    def stream_rows(self, size: int = BLOCK, progress: Callable[[int], Any] | None = None) -> Iterator[Rows]:
        """The rows of a run in TREC's format while it is read. Raises Ungrouped."""
        return stream_rows(self, self.name, RUN, size, progress)

    @property
    def tag(self) -> str | None:
        """The tag of a run's first line."""
        end = len(self.head)
        if end == HEAD:  # the last line may be cut
            end = self.head.rfind(b"\n") + 1
        return tag_of(self.head, 3 if self.head.startswith(b"\xef\xbb\xbf") else 0, end)


def open_source(stream: Any, path: PathLike, input_: str | None) -> Source:
    return Source(stream, source_name(path), input_)


def all_rows(source: Source, grammar: Grammar) -> tuple[Rows, int]:
    if source.format == "trec":
        return read_rows(source, source.name, grammar, source.size)
    content = source.rest()
    if not content.strip():
        raise InputError(f"{source.name}: the file is empty, expected at least one line")
    if source.format == "json":
        return read_json(content, source.name, grammar.value)
    return read_table(content, source.name, source.format, grammar.value)


def read_qrels(path: PathLike, *, input: str | None = None, subtopics: bool = False) -> Qrels:
    """Judgments from a file; "-" is standard input. gzip and Zstandard are told by content.

    Formats, told by content unless `input` names one: TREC (`query 0 document relevance`), CSV, TSV and
    JSONL with the columns query_id, doc_id, relevance, Parquet, JSON `{query: {document: relevance}}`. subtopics:
    whether the judgments are by subtopic: TREC's `query subtopic document relevance`; a column subtopic, or JSON
    `{query: {subtopic: {document: relevance}}}`, in the others (where it is seen by itself).

    Raises InputError, naming file and line, for whatever cannot be read, and for subtopics that are not there.
    """
    with open_binary(path) as stream:
        source = open_source(stream, path, input)
        rows, _ = all_rows(source, SUBTOPIC_QRELS if subtopics else QRELS)
        if subtopics and rows.subtopics is None:
            raise InputError(f"{source.name}: no column 'subtopic', expected judgments by subtopic; add it")
        return Qrels.from_rows(rows)


def read_run(path: PathLike, *, name: str | None = None, input: str | None = None) -> Run:
    """One system's ranked lists from a file; "-" is standard input. gzip and Zstandard are told by content.

    Formats, told by content unless `input` names one: TREC (`query Q0 document rank score tag`), CSV, TSV and
    JSONL with the columns query_id, doc_id, score, Parquet, JSON `{query: {document: score}}`. name: the system's
    name; by default the tag of the first line, else the file's name without suffix. Lines of a query that are not
    together are merged, with a note.

    Raises InputError, naming file and line, for whatever cannot be read. To evaluate a large file,
    hand the path to `evaluate`: it reads it in blocks and keeps only what was judged.
    """
    with open_binary(path) as stream:
        source = open_source(stream, path, input)
        tag = source.tag if source.format == "trec" else None
        rows, apart = all_rows(source, RUN)
    notes = (apart_note(source.name, apart),) if apart else ()
    return Run.from_rows(rows, name=name or tag or file_stem(path), notes=notes)


def apart_note(name: str, apart: int) -> str:
    many = "1 query" if apart == 1 else f"{apart} queries"
    return f"{name}: the lines of {many} were not together; they have been merged"


def file_stem(path: PathLike) -> str:
    """The name of a file without folders and suffixes of format and compression."""
    name = source_name(path)
    if name == "<stdin>":
        return "stdin"
    stem = Path(name).name
    while (suffix := Path(stem).suffix).lower() in SUFFIXES:
        stem = stem.removesuffix(suffix)
    return stem
