"""Which format a file has, told by its first bytes and not by its name."""

from __future__ import annotations

import json

from rankscope.data.frames import COLUMN_NAMES
from rankscope.errors import InputError, UnknownName

__all__ = ["FORMATS", "check_format", "sniff"]

#: Formats of qrels and runs, as `--input` names them.
FORMATS = {
    "trec": "TREC's whitespace-separated lines",
    "csv": "commas, a header line with column names",
    "tsv": "tabs, a header line with column names",
    "jsonl": "one JSON object a line",
    "parquet": "Apache Parquet",
}
COMPRESSED = {b"BZh": "bzip2", b"\xfd7zXZ": "xz", b"PK\x03\x04": "zip", b"7z\xbc\xaf": "7-Zip"}
UTF16 = (b"\xff\xfe", b"\xfe\xff")


def check_format(name: str) -> None:
    if name not in FORMATS:
        raise UnknownName("input format", name, FORMATS)


def is_object(line: bytes) -> bool:
    """Whether it is a JSON object, or the beginning of one so long that its end is not in sight."""
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return line.startswith(b'{"') and not line.endswith(b"}")


def sniff(head: bytes, name: str) -> str:
    """The format that these first bytes are in. Raises InputError for what is none of ours."""
    if head.startswith(b"PAR1"):
        return "parquet"
    for magic, what in COMPRESSED.items():
        if head.startswith(magic):
            raise InputError(f"{name}: compressed with {what}, expected plain text, gzip or Zstandard; unpack it first")
    if head.startswith(UTF16):
        raise InputError(f"{name}: the text is UTF-16, expected UTF-8; convert it, for example with iconv")
    for raw in head.removeprefix(b"\xef\xbb\xbf").splitlines():
        line = raw.strip()
        if not line or line.startswith(b"#"):
            continue
        if line.startswith(b"{") and is_object(line):
            return "jsonl"
        for separator, format_ in ((b",", "csv"), (b"\t", "tsv")):
            names = {part.strip(b" \"'").lower() for part in line.split(separator)}
            wanted = (COLUMN_NAMES["query_id"], COLUMN_NAMES["doc_id"])
            if all(any(option.encode() in names for option in options) for options in wanted):
                return format_
        return "trec"
    return "trec"
