"""The formats of judgments and runs, and how their first bytes tell them apart.

`FORMATS` is the table. A new format is a module that defines it and a line in this table.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

from rankscope.data.rows import RowBatch, Rows
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.io.core.blocks import BOM, looks_like_trec
from rankscope.registry import resolve

__all__ = [
    "FORMATS",
    "KINDS",
    "PARQUET_MAGIC",
    "VALUES",
    "FileContent",
    "FileHead",
    "Format",
    "FormatEntry",
    "Progress",
    "ReadRequest",
    "check_format",
    "get_format",
    "refuse_foreign",
    "sniff",
    "split_format",
    "writable_formats",
]


#: Called with the number of bytes just read.
Progress = Callable[[int], Any]
#: How files of Parquet begin and end.
PARQUET_MAGIC = b"PAR1"
KINDS = {"qrels": "judgments", "run": "a run"}
VALUES = {"qrels": "relevance", "run": "score"}


class FileHead(NamedTuple):
    """The beginning of a file.

    Attributes
    ----------
    start
        Its first bytes.
    text
        The first bytes from `line` on.
    line
        The first line that is neither blank nor a comment, stripped.
    columns
        What the user calls the columns of a table.
    """

    start: bytes
    text: bytes
    line: bytes
    columns: Mapping[str, str] = MappingProxyType({})


class ReadRequest(NamedTuple):
    """What to read from a file.

    Attributes
    ----------
    kind
        "qrels", "run", or None to detect it from the content.
    subtopics
        Read judgments by subtopic.
    keep_all
        Keep everything: subtopics, if there are any, and notes on what was skipped.
    hint
        Kind to assume if the content does not tell.
    labels
        Label file that belongs to a file of predictions.
    """

    kind: str | None
    subtopics: bool = False
    keep_all: bool = False
    hint: str | None = None
    labels: str | os.PathLike[str] | None = None

    def resolved_kind(self, name: str, reason: str) -> str:
        """The kind of a file whose content does not tell. Raises ParameterError without `kind` and `hint`."""
        if self.kind is None and self.hint is None:
            raise ParameterError(f"{name}: {reason}; choose one with --kind qrels or --kind run")
        return self.kind or self.hint or ""


class FileContent(NamedTuple):
    """The content of a file.

    Attributes
    ----------
    rows
        The rows. Its `kind` tells judgments from a run.
    n_ungrouped
        Number of queries whose rows were not together.
    name
        Name of the run, if any.
    notes
        What a reader should know.
    """

    rows: Rows
    n_ungrouped: int = 0
    name: str | None = None
    notes: tuple[str, ...] = ()


def accept_everything(*_: object) -> None:
    """Refuses nothing."""


@dataclass(frozen=True, kw_only=True)
class Format:
    """How to detect, read and write files of one format. Only `read` is required.

    Attributes
    ----------
    read
        The content of a file, for a request; raises InputError that names file and line.
    sniff
        Whether a file with this head has the format.
    write
        Rows, and the run's name, as chunks of a file.
    refuse
        Raises InputError if `write` cannot hold the rows; called with (rows, run's name, name of the input).
    loss_notes
        Notes on what `write` drops, apart from the run's name and queries without documents.
    keeps_name, keeps_empty
        Whether `write` keeps those.
    prepare
        Raises before long work if a package is missing; called with the name of the target.
    alternative
        The function to call for files that are neither judgments nor a run by themselves.
    takes_labels
        Whether a label file may be named, whose lines the file follows.
    detail
        What `--input NAME:DETAIL` names for this format, in words; empty if nothing.
    row_batches
        The rows of a run in the order of the file, batch by batch, for files of more than `small_size` bytes; each
        batch is valid until the next is requested.
    query_rows
        The same query by query, from blocks of a number of bytes; raises Ungrouped.
    small_size
        Files up to this size are read at once.
    streams
        Whether the rows of a source can be read batch by batch.
    row_template
        How messages name a row, from the name of the file and the number of the row in the batches.

    Notes
    -----
    Files are read from a `Source`, which is in a module above this one.
    """

    read: Callable[[Any, ReadRequest], FileContent]
    sniff: Callable[[FileHead], bool] | None = None
    write: Callable[[Rows, str], Iterator[bytes]] | None = None
    refuse: Callable[[Rows, str, str], None] = accept_everything
    loss_notes: Callable[[Rows], list[str]] = lambda _: []
    keeps_name: bool = False
    keeps_empty: bool = False
    prepare: Callable[[str], None] = accept_everything
    alternative: str = ""
    takes_labels: bool = False
    detail: str = ""
    row_batches: Callable[[Any, Progress | None], Iterator[RowBatch]] | None = None
    query_rows: Callable[[Any, int, Progress | None], Iterator[Rows]] | None = None
    small_size: int = 0
    streams: Callable[[Any], bool] = lambda _: True
    row_template: str = "{}:{}"


class FormatEntry(NamedTuple):
    """A line of the table of formats.

    Attributes
    ----------
    definition
        Where the format is defined, as for `rankscope.registry.resolve`; or the format itself.
    suffixes
        Suffixes of files in this format; a suffix that is a kind (`.run`) also says what they hold.
    by_content
        Whether `Format.sniff` detects it; other formats must be named.
    begins
        For the format of one tool, which is tried before the general ones: the bytes that such a file may begin with.
    """

    definition: str | Format
    suffixes: tuple[str, ...] = ()
    by_content: bool = True
    begins: bytes = b""


#: Every format as `--input` and `--to` name it. Its module is loaded when the format is first used.
FORMATS: dict[str, FormatEntry] = {
    "trec": FormatEntry(
        "rankscope.io.trec.format:TREC", (".qrels", ".run", ".trec", ".txt"), by_content=False
    ),  # the default if no other format matches
    "csv": FormatEntry("rankscope.io.tables.formats:CSV", (".csv",)),
    "tsv": FormatEntry("rankscope.io.tables.formats:TSV", (".tsv",)),
    "lists": FormatEntry("rankscope.io.id_lists:ID_LISTS"),
    "jsonl": FormatEntry("rankscope.io.tables.formats:JSONL", (".jsonl",)),
    "json": FormatEntry("rankscope.io.json_dicts:JSON", (".json",)),
    "parquet": FormatEntry("rankscope.io.tables.formats:PARQUET", (".parquet",)),
    "lz4": FormatEntry("rankscope.io.json_dicts:LZ4", (".lz4",)),
    "msmarco": FormatEntry("rankscope.io.trec.msmarco:MSMARCO"),
    "letor": FormatEntry("rankscope.io.letor.formats:LETOR", by_content=False),
    "letor-ranks": FormatEntry("rankscope.io.letor.formats:LETOR_RANKS", by_content=False),
    "entity-ranks": FormatEntry("rankscope.io.tables.entity_ranks:ENTITY_RANKS", by_content=False),
    "rank-eval": FormatEntry("rankscope.io.other_tools.rank_eval:RANK_EVAL", begins=b"{"),
    "search-relevance": FormatEntry("rankscope.io.other_tools.rating_lists:SEARCH_RELEVANCE", begins=b"{"),
    "rre": FormatEntry("rankscope.io.other_tools.rating_lists:RRE", begins=b"{"),
    "elasticsearch": FormatEntry("rankscope.io.other_tools.elasticsearch:ELASTICSEARCH", begins=b"{["),
    "quepid": FormatEntry("rankscope.io.tables.quepid:QUEPID", begins=b'qQdDrR"'),
    "mteb": FormatEntry("rankscope.io.other_tools.mteb:MTEB", begins=b"{"),
    "llama-index": FormatEntry("rankscope.io.other_tools.llama_index:LLAMA_INDEX", begins=b"{"),
}


def check_format(name: str) -> None:
    """Raise UnknownName."""
    if name not in FORMATS:
        raise UnknownName("input format", str(name), FORMATS)


def split_format(name: str) -> tuple[str, str]:
    """The format that `--input` names, and its detail: a file of queries, as elasticsearch:queries.tsv.

    Raises UnknownName, and ParameterError for a detail of a format that takes none.
    """
    format_name, colon, detail = name.partition(":")
    check_format(format_name)
    described = get_format(format_name).detail if colon else ""
    if colon and not described:
        raise ParameterError(f"{name}: the format {format_name} takes nothing after a colon; write {format_name}")
    if colon and not detail:
        raise ParameterError(f"{name}: nothing after the colon, expected {described}")
    return format_name, detail


def get_format(name: str) -> Format:
    """Raises UnknownName."""
    check_format(name)
    home = FORMATS[name].definition
    if isinstance(home, Format):
        return home
    loaded_format: Format = resolve(home)
    return loaded_format


def writable_formats() -> list[str]:
    """The formats that can be written."""
    return [name for name in FORMATS if get_format(name).write is not None]


UTF16 = (b"\xff\xfe", b"\xfe\xff")
HTML = re.compile(rb"<(!doctype html|html|head|body)\b", re.IGNORECASE)


def sniff(start: bytes, name: str, columns: Mapping[str, str] = MappingProxyType({})) -> str:
    """The format of a file with these first bytes. Raises InputError for files of other programs.

    columns: what the user calls the columns of a table.
    """
    refuse_foreign(start, name)
    head = parse_head(start)._replace(columns=columns)
    if looks_like_trec(head.line):  # most files: the other formats need not be loaded
        return "trec"
    special = [name for name, entry in FORMATS.items() if head.text[:1] and head.text[:1] in entry.begins]
    general = [name for name, entry in FORMATS.items() if entry.by_content and not entry.begins]
    for format_name in (*special, *general):
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
    """Raise for files that are not UTF-8 text, or are a web page."""
    if start.startswith(UTF16):
        raise InputError(f"{name}: the text is UTF-16, expected UTF-8; convert it, for example with iconv")
    if start[8:9] == b"{" and start[4:8] == bytes(4):  # the length of a header, and its first byte
        raise InputError(f"{name}: these are tensors (safetensors), as of a model, expected data; name another file")
    if start.startswith(b"rankscope features "):
        raise InputError(f"{name}: this is a cache of features, expected data; name the file that it was made from")
    if HTML.match(start.removeprefix(BOM).lstrip()):
        raise InputError(f"{name}: this is an HTML page, expected data; download the file itself")
