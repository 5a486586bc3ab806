"""The formats of judgments and runs, and which of them a file has by its first bytes. `FORMATS` is the table: a new one
is a file that holds it, and its line there.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rankscope.data.rows import RowBatch, Rows
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.io.core.blocks import BOM, looks_like_trec
from rankscope.registry import resolve

__all__ = [
    "FORMATS",
    "KINDS",
    "VALUES",
    "FileContent",
    "FileHead",
    "Format",
    "FormatEntry",
    "Progress",
    "ReadRequest",
    "check_format",
    "get_format",
    "kind_of_rows",
    "refuse_foreign",
    "sniff",
    "writable_formats",
]


#: Told of the number of bytes just read.
Progress = Callable[[int], Any]
KINDS = {"qrels": "judgments", "run": "a run"}
VALUES = {"qrels": "relevance", "run": "score"}


class FileHead(NamedTuple):
    """How a file begins: its first bytes. text: the same from the first line on that is neither blank nor a comment;
    line: that line, without blanks around it.
    """

    start: bytes
    text: bytes
    line: bytes


class ReadRequest(NamedTuple):
    """What somebody wants of a file.

    kind: "qrels", "run", or None: what its content tells. subtopics: whether judgments are wanted by subtopic.
    complete: whether nothing is to be lost: subtopics are kept where there are any, and notes say what was left out.
    hint: the kind to take it for where content does not tell. labels: the other file of a pair of files.
    """

    kind: str | None
    subtopics: bool = False
    complete: bool = False
    hint: str | None = None
    labels: str | os.PathLike[str] | None = None

    def either(self, name: str, reason: str) -> str:
        """The kind of a file whose content does not tell. Raises ParameterError where nobody said it."""
        if self.kind is None and self.hint is None:
            raise ParameterError(f"{name}: {reason}; say which with --kind qrels or --kind run")
        return self.kind or self.hint or ""


class FileContent(NamedTuple):
    """What a file holds. apart: how many queries did not have their rows together. name: the run's, where it says one.

    Relevances are int64 and scores are float64: that tells judgments from a run.
    """

    rows: Rows
    apart: int = 0
    name: str | None = None
    notes: tuple[str, ...] = ()


def kind_of_rows(rows: Rows) -> str:
    return "run" if rows.values.dtype == np.float64 else "qrels"


def accept_everything(*_: object) -> None:
    """Refuses nothing."""


@dataclass(frozen=True, kw_only=True)
class Format:
    """How files of one format are told, read and written. Only `read` is needed.

    read: the rows of a file of which something is wanted; raises InputError that names file and line.
    sniff: whether a file that begins so is one. write: rows as the pieces of a file; name: the run's.
    refuse: raises InputError where `write` could not hold the rows; (rows, name of the run, what to call the input).
    loses: notes on what of the rows `write` leaves out, beside what keeps_name (a run's name) and keeps_empty (queries
    without documents) say. prepare: raises before long work where something is not installed; (name of the target).
    instead: of files that are no judgments and no run by themselves, what to call. takes_labels: whether the label file
    that its lines follow may be named. stretches: the rows of a run in the order of the file, piece by piece, for files
    of more than `small` bytes; each piece is valid until the next is asked for. rows: the same query by query, from
    blocks of so many bytes; raises Ungrouped. row_called: how a row is named, from the name of the file and its number
    in the pieces. What is read is a `Source`, which knows formats and stands above this module.
    """

    read: Callable[[Any, ReadRequest], FileContent]
    sniff: Callable[[FileHead], bool] | None = None
    write: Callable[[Rows, str], Iterator[bytes]] | None = None
    refuse: Callable[[Rows, str, str], None] = accept_everything
    loses: Callable[[Rows], list[str]] = lambda _: []
    keeps_name: bool = False
    keeps_empty: bool = False
    prepare: Callable[[str], None] = accept_everything
    instead: str = ""
    takes_labels: bool = False
    stretches: Callable[[Any, Progress | None], Iterator[RowBatch]] | None = None
    rows: Callable[[Any, int, Progress | None], Iterator[Rows]] | None = None
    small: int = 0
    row_called: str = "{}:{}"


class FormatEntry(NamedTuple):
    """A line of the table.

    home: the place of the format, as `rankscope.registry.resolve` takes it; or the format itself.
    suffixes: of the files that are written in it; one that is called as a kind (`.run`) says what they hold.
    by_content: whether `Format.sniff` may tell it; what cannot be told must be named.
    """

    home: str | Format
    suffixes: tuple[str, ...] = ()
    by_content: bool = True


#: Every format as `--input` and `--to` name it. A file is loaded when its format is first asked for.
FORMATS: dict[str, FormatEntry] = {
    "trec": FormatEntry(
        "rankscope.io.trec.format:TREC", (".qrels", ".run", ".trec", ".txt"), by_content=False
    ),  # what none of the others is
    "csv": FormatEntry("rankscope.io.tables.formats:CSV", (".csv",)),
    "tsv": FormatEntry("rankscope.io.tables.formats:TSV", (".tsv",)),
    "jsonl": FormatEntry("rankscope.io.tables.formats:JSONL", (".jsonl",)),
    "json": FormatEntry("rankscope.io.json_dicts:JSON", (".json",)),
    "parquet": FormatEntry("rankscope.io.tables.formats:PARQUET", (".parquet",)),
    "lz4": FormatEntry("rankscope.io.json_dicts:LZ4", (".lz4",)),
    "msmarco": FormatEntry("rankscope.io.trec.msmarco:MSMARCO"),
    "letor": FormatEntry("rankscope.io.letor.labels:LETOR", by_content=False),
    "letor-ranks": FormatEntry("rankscope.io.letor.labels:LETOR_RANKS", by_content=False),
    "entity-ranks": FormatEntry("rankscope.io.tables.entity_ranks:ENTITY_RANKS", by_content=False),
}


def check_format(name: str) -> None:
    """Raise UnknownName."""
    if name not in FORMATS:
        raise UnknownName("input format", str(name), FORMATS)


def get_format(name: str) -> Format:
    """Raises UnknownName."""
    check_format(name)
    home = FORMATS[name].home
    if isinstance(home, Format):
        return home
    loaded_format: Format = resolve(home)
    return loaded_format


def writable_formats() -> list[str]:
    """The formats that are written."""
    return [name for name in FORMATS if get_format(name).write is not None]


UTF16 = (b"\xff\xfe", b"\xfe\xff")
HTML = re.compile(rb"<(!doctype html|html|head|body)\b", re.IGNORECASE)


def sniff(start: bytes, name: str) -> str:
    """The format that these first bytes are in. Raises InputError for what is none of ours."""
    refuse_foreign(start, name)
    head = parse_head(start)
    if looks_like_trec(head.line):  # as most files are: the others need not be loaded
        return "trec"
    for format_name, entry in FORMATS.items():
        if entry.by_content:
            sniffer = get_format(format_name).sniff
            if sniffer is not None and sniffer(head):
                return format_name
    return "trec"


def parse_head(start: bytes) -> FileHead:
    text = start.removeprefix(BOM)
    for raw_line in text.splitlines():
        line = raw_line.strip()
        if line and not line.startswith(b"#"):
            return FileHead(start, text[text.index(raw_line) :].lstrip(), line)
    return FileHead(start, b"", b"")


def refuse_foreign(start: bytes, name: str) -> None:
    """Raise for a file that is no text, or a page of the web."""
    if start.startswith(UTF16):
        raise InputError(f"{name}: the text is UTF-16, expected UTF-8; convert it, for example with iconv")
    if start[8:9] == b"{" and start[4:8] == bytes(4):  # the length of a header, and its beginning
        raise InputError(f"{name}: these are tensors (safetensors), as of a model, expected data; name another file")
    if start.startswith(b"rankscope features "):
        raise InputError(f"{name}: this is a cache of features, expected data; name the file that it lies beside")
    if HTML.match(start.removeprefix(BOM).lstrip()):
        raise InputError(f"{name}: this is HTML, a page of the web, expected data; download the file that it shows")
