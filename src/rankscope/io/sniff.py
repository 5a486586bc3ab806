"""Which format a file has, told by its first bytes and not by its name."""

from __future__ import annotations

import json
import re

from rankscope.data.frames import COLUMN_NAMES
from rankscope.errors import InputError, UnknownName
from rankscope.io.json_dicts import LZ4

__all__ = ["FORMATS", "check_format", "sniff"]

#: Formats of qrels and runs, as `--input` names them.
FORMATS = {
    "trec": "TREC's whitespace-separated lines",
    "csv": "commas, a header line with column names",
    "tsv": "tabs, a header line with column names",
    "jsonl": "one JSON object a line",
    "json": "one JSON object of objects: {query: {document: number}}",
    "parquet": "Apache Parquet",
}
COMPRESSED = {b"BZh": "bzip2", b"\xfd7zXZ": "xz", b"PK\x03\x04": "zip", b"7z\xbc\xaf": "7-Zip"}
UTF16 = (b"\xff\xfe", b"\xfe\xff")
#: An object whose first value is an object.
OBJECTS = re.compile(rb'\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\{')


def check_format(name: str) -> None:
    if name not in FORMATS:
        raise UnknownName("input format", str(name), [*FORMATS, "letor", "letor-ranks", "entity-ranks"])


def json_format(line: bytes, text: bytes) -> str | None:
    """What a text that begins with `{` is: objects in an object, an object a line, or neither. line: its first line.

    Both may be cut where the end is not in sight.
    """
    try:
        found = json.loads(line)
        objects = {key for key, value in found.items() if isinstance(value, dict)}
        named = {key for key in found.keys() - objects if key.strip().lower() in COLUMN_NAMES["query_id"]}
        return "json" if not found or (objects and not named) else "jsonl"
    except (ValueError, RecursionError):
        if OBJECTS.match(text) or line == b"{":
            return "json"
        return "jsonl" if line.startswith(b'{"') and not line.endswith(b"}") else None


def sniff(head: bytes, name: str) -> str:
    """The format that these first bytes are in. Raises InputError for what is none of ours."""
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith(LZ4):
        return "json"  # as ranx saves it
    for magic, what in COMPRESSED.items():
        if head.startswith(magic):
            raise InputError(f"{name}: compressed with {what}, expected plain text, gzip or Zstandard; unpack it first")
    if head.startswith(UTF16):
        raise InputError(f"{name}: the text is UTF-16, expected UTF-8; convert it, for example with iconv")
    text = head.removeprefix(b"\xef\xbb\xbf")
    for raw in text.splitlines():
        line = raw.strip()
        if not line or line.startswith(b"#"):
            continue
        if line.startswith(b"{") and (format_ := json_format(line, text[text.index(raw) :].lstrip())):
            return format_
        for separator, format_ in ((b",", "csv"), (b"\t", "tsv")):
            names = {part.strip(b" \"'").lower() for part in line.split(separator)}
            wanted = (COLUMN_NAMES["query_id"], COLUMN_NAMES["doc_id"])
            if all(any(option.encode() in names for option in options) for options in wanted):
                return format_
        return "trec"
    return "trec"
