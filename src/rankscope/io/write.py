"""Writing results whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from rankscope.errors import OutputError

__all__ = ["check_writable", "write_text"]


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise OutputError now rather than after long work."""
    target = Path(path)
    if target.is_dir():
        raise OutputError(f"{target}: is a directory, expected a file name to write to")
    folder = target.parent
    if not folder.is_dir():
        raise OutputError(f"{target}: the folder {folder} does not exist; create it first")
    if not os.access(folder, os.W_OK) or (target.exists() and not os.access(target, os.W_OK)):
        raise OutputError(f"{target}: no permission to write there; choose another place")


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write beside the target, then rename: whoever looks sees the old file or the new one, never half."""
    check_writable(path)
    target = Path(path)
    if target.exists() and not target.is_file():  # /dev/stdout and the like cannot be renamed over
        target.write_text(text, encoding="utf-8", errors="surrogateescape")
        return
    temporary: str | None = None
    try:
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        with open(handle, "w", encoding="utf-8", errors="surrogateescape", newline="") as file:
            file.write(text)
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(temporary, 0o666 & ~umask)
        os.replace(temporary, target)
        temporary = None
    except OSError as error:
        raise OutputError(f"{target}: cannot be written ({error.strerror or error}); choose another place") from None
    finally:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)
