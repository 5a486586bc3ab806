"""Which kind of file of judgments or scores this is, by its content."""

from __future__ import annotations

import os
import sys
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from rankscope.errors import InputError
from rankscope.io.core import (
    BOM,
    GZIP,
    HEAD,
    PARQUET_MAGIC,
    ZSTD,
    empty_file_error,
    open_binary,
    refuse_foreign,
    source_name,
    split_compression_suffix,
    zstd_module,
)
from rankscope.io.translation.tables import ITEMS
from rankscope.io.translation.wmt_scores import is_score
from rankscope.typing import PathLike

__all__ = [
    "detect_kind",
    "detect_system_kind",
    "first_bytes",
    "is_system_line",
]


EXPECTED_JUDGMENTS = "judgments (a ranking CSV, a table, JCML, Appraise's XML, better/worse pairs) or segment scores"


def detect_kind(path: PathLike) -> str:
    """What a file holds: "wmt", "table", "jcml", "appraise", "pairs", "seg.scr" or "seg.score"; it can be read after.

    Raises InputError for an empty file, and for what is none of these (a page, a picture).
    """
    name = source_name(path)
    head = first_bytes(path).removeprefix(BOM)
    # XML may be in UTF-16, in which every second byte is 0.
    plain = head.replace(b"\0", b"").removeprefix(b"\xff\xfe").removeprefix(b"\xfe\xff").lstrip()
    if plain == head.lstrip() or not plain.startswith(b"<"):
        refuse_foreign(head, name)
    if not head.strip():
        raise empty_file_error(name, EXPECTED_JUDGMENTS)
    if head.startswith(PARQUET_MAGIC):
        return "table"
    if plain.startswith(b"<"):
        return "jcml" if b"<jcml" in plain.lower() or b"<judgedsentence" in plain.lower() else "appraise"
    return detect_kind_of_line((lines_of(plain) or ["#"])[0].lower())


def lines_of(head: bytes) -> list[str]:
    """The lines that are neither blank nor comments."""
    text = head.decode("utf-8", "replace")
    return [line for line in text.splitlines() if line.strip() and not line.startswith("#")]


def first_bytes(path: PathLike) -> bytes:
    """The first bytes, uncompressed; those of standard input can still be read afterwards.

    Raises InputError for another pipe: its first bytes would be lost, and opening it again would wait for ever.
    """
    if source_name(path) != "<stdin>":
        if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
            raise InputError(
                f"{source_name(path)}: is a pipe or a device, expected a file; save it as one, or read it as -"
            )
        with open_binary(path) as stream:
            return stream.read(HEAD)
    stdin: Any = None if sys.stdin is None else sys.stdin.buffer
    if stdin is None:
        return b""
    head = bytes(stdin.peek(HEAD)[:HEAD])
    try:
        if head.startswith(GZIP):
            return zlib.decompressobj(31).decompress(head)
        if head.startswith(ZSTD):
            return bytes(zstd_module().ZstdDecompressor().decompress(head))
    except Exception:  # damaged: the reader of the whole file raises the error
        return head
    return head


def detect_kind_of_line(line: str) -> str:
    fields = line.split("\t") if "\t" in line else line.split()
    if "srclang" in line:
        return "wmt"
    words = line.split()
    if "," not in line and not line.startswith("{"):
        if len(words) == 5 and words[1] == words[3]:
            return "pairs"
        if "\t" not in line and {"better", "worse"} <= set(words):
            return "pairs"
    # A line of other scripts' blanks only has no field.
    if "," in line or line.startswith("{") or not fields or not is_score(fields[-1].encode()):
        return "table"
    if len(fields) == 2:
        return "seg.score"
    return "seg.scr" if len(fields) > 5 else "table"


def detect_system_kind(path: PathLike, columns: Mapping[str, str]) -> str | None:
    """The kind of a file of scores of whole systems: "sys.scr", "sys.score" or "system table"; None for another file.

    A table is one of systems if it has a column of systems and none of segments; of standard input the first line
    decides. columns: what the columns of a table are called.
    """
    kind = detect_kind(path)
    head = first_bytes(path).removeprefix(BOM)
    lines = lines_of(head)
    if kind == "seg.score" and lines_name_systems(path, lines):
        return "sys.score"
    if kind in ("seg.scr", "table") and lines and is_system_line(lines[0]):
        return "sys.scr"
    if kind != "table":
        return None
    from rankscope.io.tables import column_names, read_content

    header = column_names(read_content(path) if head.startswith(PARQUET_MAGIC) else head)
    bound = ITEMS.match(header, columns)
    return "system table" if "system" in bound and "segment" not in bound else None


def lines_name_systems(path: PathLike, lines: Sequence[str]) -> bool:
    """Whether each line SYSTEM SCORE names another system, or the file's name says that they are of systems."""
    name, _ = split_compression_suffix(source_name(path))
    if name.endswith((".sys.score", ".seg.score")):
        return name.endswith(".sys.score")
    systems = [line.split()[0] for line in lines]
    return len(systems) > 1 and len(set(systems)) == len(systems)


def is_system_line(line: str) -> bool:
    """Whether a line is one of sys.scr: METRIC PAIR TESTSET SYSTEM SCORE, with words behind in some years.

    >>> is_system_line("BLEU de-en newstest2012 A 0.25"), is_system_line("BLEU de-en newstest2012 A 1 0.25")
    (True, False)
    """
    fields = [field.strip().lower() for field in (line.split("\t") if "\t" in line else line.split())]
    end = len(fields)
    scores = [is_score(field.encode()) for field in fields]
    while end > 5 and not scores[end - 1]:
        end -= 1
    return end >= 5 and "-" in fields[1] and scores[end - 1] and (end == 5 or not scores[end - 2])
