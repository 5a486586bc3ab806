"""What a file held, as a short text: for those who want to know later whether it was the same one."""

from __future__ import annotations

import hashlib
from pathlib import Path

from rankscope.io.read import PathLike

__all__ = ["file_digest"]


def file_digest(path: PathLike) -> str:
    """SHA-256 of a file's bytes, in hexadecimal; empty for standard input, a pipe, or a file that is gone."""
    if not Path(path).is_file():
        return ""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
