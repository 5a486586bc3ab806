"""Writing results whole or not at all."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from rankscope.errors import OutputError, ParameterError
from rankscope.io.streams import zstd_module

__all__ = ["check_writable", "compressed", "refuse_overwriting", "write_chunks", "write_stdout", "write_text"]

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
    """Write a text as `write_chunks` does."""
    write_chunks(path, [text.encode("utf-8", "surrogateescape")])


def write_chunks(path: PathLike, chunks: Iterable[bytes]) -> None:
    """Write beside the target, then rename: whoever looks sees the old file or the new one, never half.

    A link is followed; a file that is there keeps its permissions. Raises OutputError. What goes
    wrong while the chunks are being made leaves nothing behind either.
    """
    check_writable(path)
    target = Path(os.path.realpath(path))
    temporary: str | None = None
    try:
        if is_special(target):
            with open(target, "wb") as file:
                file.writelines(chunks)
            return
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=".rankscope-")
        with open(handle, "wb") as file:
            file.writelines(chunks)
        os.chmod(temporary, mode_for(target))
        os.replace(temporary, target)
        temporary = None
    except OSError as error:
        raise OutputError(f"{path}: cannot be written ({error.strerror or error}); choose another place") from None
    finally:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)


def write_stdout(chunks: Iterable[bytes]) -> None:
    """Write to standard output. Raises OutputError where there is none."""
    if sys.stdout is None:
        raise OutputError("standard output is closed; name a file to write to")
    sys.stdout.flush()
    sys.stdout.buffer.writelines(chunks)
    sys.stdout.buffer.flush()


def compressed(chunks: Iterable[bytes], suffix: str) -> Iterator[bytes]:
    """The chunks as gzip (`.gz`) or Zstandard (`.zst`); as they are for any other suffix. Nothing tells the time."""
    if suffix == ".gz":
        packer: Any = zlib.compressobj(wbits=31)
    elif suffix == ".zst":
        packer = zstd_module().ZstdCompressor()
    else:
        yield from chunks
        return
    for chunk in chunks:
        yield packer.compress(chunk)
    yield packer.flush()


def mode_for(target: Path) -> int:
    """The permissions that the file has, or that a new one would get."""
    if target.exists():
        return stat.S_IMODE(target.stat().st_mode)
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask
