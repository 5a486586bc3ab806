"""Writing results whole or not at all."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterable
from pathlib import Path

from rankscope.errors import OutputError, ParameterError

__all__ = ["check_writable", "refuse_overwriting", "write_text"]

PathLike = str | os.PathLike[str]


def check_writable(path: PathLike) -> None:
    """Raise OutputError now rather than after long work."""
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise OutputError(f"{path}: is a directory, expected a file name to write to")
    if is_special(target):
        return
    folder = target.parent
    if not folder.is_dir():
        raise OutputError(f"{path}: the folder {Path(path).parent} does not exist; create it first")
    if not os.access(folder, os.W_OK) or (target.exists() and not os.access(target, os.W_OK)):
        raise OutputError(f"{path}: no permission to write there; choose another place")


def refuse_overwriting(output: PathLike, inputs: Iterable[PathLike]) -> None:
    """Raise ParameterError where the output is one of the files that are read."""
    for path in inputs:
        if os.path.exists(path) and os.path.exists(output) and os.path.samefile(path, output):
            raise ParameterError(f"{output}: is read here and would be overwritten; write to another file")


def is_special(target: Path) -> bool:
    """Whether it is a device, a pipe or a descriptor: written to directly, since it cannot be renamed over."""
    return (target.exists() and not target.is_file()) or bool({"dev", "proc"} & set(target.parts[:2]))


def write_text(path: PathLike, text: str) -> None:
    """Write beside the target, then rename: whoever looks sees the old file or the new one, never half.

    A link is followed; a file that is there keeps its permissions. Raises OutputError.
    """
    check_writable(path)
    target = Path(os.path.realpath(path))
    temporary: str | None = None
    try:
        if is_special(target):
            target.write_text(text, encoding="utf-8", errors="surrogateescape")
            return
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=".rankscope-")
        with open(handle, "w", encoding="utf-8", errors="surrogateescape", newline="") as file:
            file.write(text)
        os.chmod(temporary, mode_for(target))
        os.replace(temporary, target)
        temporary = None
    except OSError as error:
        raise OutputError(f"{path}: cannot be written ({error.strerror or error}); choose another place") from None
    finally:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)


def mode_for(target: Path) -> int:
    """The permissions that the file has, or that a new one would get."""
    if target.exists():
        return stat.S_IMODE(target.stat().st_mode)
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask
