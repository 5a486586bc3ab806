"""What a file held, as a short text: for those who want to know later whether it was the same one."""

from __future__ import annotations

import hashlib
import os

from rankscope.errors import InputError
from rankscope.typing import PathLike

__all__ = ["file_digest"]


def file_digest(path: PathLike) -> str:
    """SHA-256 of a file's bytes, in hexadecimal; empty for standard input, a pipe, or a file that is gone.

    Raises InputError where it cannot be read.
    """
    if not os.path.isfile(path):
        return ""
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"{os.fspath(path)}: cannot be read ({error.strerror or error})") from None
