"""Files of other programs, told by their first bytes: what they are, and what to do with them."""

from __future__ import annotations

import re

from rankscope.errors import InputError

__all__ = ["binary_file_error", "refuse_binary_kinds"]

PLAIN = "expected plain text, gzip or Zstandard; unpack it first"
TABLE = "expected text; save it as CSV, or as Parquet"
PICKLE = "a pickle of Python, which could run code and is not read; save the data as JSON or CSV"
PDF = "a PDF, expected data; name another file"
#: How a file begins -> what it is, and what was expected. None of these can be the beginning of a text.
PROGRAMS = {
    b"\xfd7zXZ": f"compressed with xz, {PLAIN}",
    b"7z\xbc\xaf": f"compressed with 7-Zip, {PLAIN}",
    b"Rar!\x1a\x07": f"compressed with RAR, {PLAIN}",
    b"\xd0\xcf\x11\xe0": f"a workbook or document of Office, {TABLE}",
    b"\x80\x02": PICKLE,
    b"\x80\x03": PICKLE,
    b"\x80\x04\x95": PICKLE,
    b"\x80\x05\x95": PICKLE,
    b"\x93NUMPY": f"an array of NumPy (.npy), {TABLE}",
    b"\x89HDF": f"an HDF5 file, {TABLE}",
    b"ARROW1\0\0": f"an Arrow file (Feather), {TABLE}",
    b"SQLite format 3\0": f"a database of SQLite, {TABLE}",
    b"%PDF-1.": PDF,
    b"%PDF-2.": PDF,
    b"version https://git-lfs": "only the pointer of Git LFS to a file, expected the file; fetch it with git lfs pull",
}
ZIP = b"PK\x03\x04"
#: A block of bzip2, or the end of none.
BZIP2 = re.compile(rb"BZh[1-9](1AY|\x17rE)")
#: Where a tar archive says that it is one, behind names and numbers that NUL bytes fill up.
TAR = slice(257, 262)
#: So many bytes tell whether a text is UTF-16.
LEAST = 8


def refuse_binary_kinds(start: bytes, name: str) -> None:
    """Raise InputError for a file that begins as one of another program does."""
    found = program_of(start)
    if found is not None:
        raise InputError(f"{name}: {found}")


def program_of(start: bytes) -> str | None:
    if start.startswith(ZIP):
        first = start[30 : 30 + int.from_bytes(start[26:28], "little")]
        if first.startswith((b"[Content_Types]", b"_rels/", b"docProps/", b"xl/", b"mimetype")):
            return f"a workbook (.xlsx, .ods), {TABLE}"
        if first.endswith(b".npy"):
            return f"arrays of NumPy (.npz), {TABLE}"
        return f"compressed with zip, {PLAIN}"
    if BZIP2.match(start):
        return f"compressed with bzip2, {PLAIN}"
    if start[TAR] == b"ustar" and b"\0" in start[: TAR.start]:
        return "an archive (tar) of several files, expected one; unpack it first"
    return next((what for magic, what in PROGRAMS.items() if start.startswith(magic)), None)


def binary_file_error(start: bytes, name: str) -> InputError:
    """What to say of a text with NUL bytes in it."""
    halves = start[: len(start) // 2 * 2]
    if len(halves) >= LEAST and (not any(halves[1::2]) or not any(halves[::2])):
        return InputError(f"{name}: the text looks like UTF-16, expected UTF-8; convert it, for example with iconv")
    return InputError(f"{name}: a binary file (it holds NUL bytes), expected text in UTF-8; convert it first")
