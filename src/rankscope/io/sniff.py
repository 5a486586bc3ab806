"""Which format a file has, told by its first bytes and not by its name."""

from __future__ import annotations

import re

from rankscope.errors import InputError
from rankscope.io.blocks import BOM
from rankscope.io.formats import FORMATS, FileHead, get_format

__all__ = ["NUMBER", "looks_like_trec", "refuse_foreign", "sniff"]

UTF16 = (b"\xff\xfe", b"\xfe\xff")
NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
HTML = re.compile(rb"<(!doctype html|html|head|body)\b", re.IGNORECASE)


def sniff(start: bytes, name: str) -> str:
    """The format that these first bytes are in. Raises InputError for what is none of ours."""
    refuse_foreign(start, name)
    head = parse_head(start)
    if looks_like_trec(head.line):  # as most files are: the others need not be loaded
        return "trec"
    for form, entry in FORMATS.items():
        if entry.by_content:
            tells = get_format(form).sniff
            if tells is not None and tells(head):
                return form
    return "trec"


def parse_head(start: bytes) -> FileHead:
    text = start.removeprefix(BOM)
    for raw in text.splitlines():
        line = raw.strip()
        if line and not line.startswith(b"#"):
            return FileHead(start, text[text.index(raw) :].lstrip(), line)
    return FileHead(start, b"", b"")


def looks_like_trec(line: bytes) -> bool:
    """Whether a line has the number of judgments or of a run in its place, and is no JSON."""
    fields = line.split(None, 5)
    numbers = fields[3:4] if len(fields) == 4 else fields[4:5]
    return bool(numbers) and not line.startswith((b"{", b"[")) and NUMBER.fullmatch(numbers[0]) is not None


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
