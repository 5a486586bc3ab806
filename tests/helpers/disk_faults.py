"""The n-th thing that is asked of the disk fails: files below one folder only, and only what may change something."""

from __future__ import annotations

import builtins
import errno
import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

#: What is passed on to the system and may be refused there: the functions of `os`, and which of them need room.
FUNCTIONS = {"mkdir": True, "rename": True, "replace": True, "link": True, "chmod": False, "fsync": True}
REMOVING = ("unlink", "remove", "rmdir")


class Faults:
    """Counts what is asked of the disk, and fails from a given place on.

    code: of the error. at: the place, from 0; None fails never. lasting: whether all that follows fails, too, as on a
    full disk, or only that one thing. stuck: whether nothing can be removed then, either, as on a disk that has become
    read-only.
    """

    def __init__(self, folder: Path, code: int, at: int | None, *, lasting: bool = True, stuck: bool = False) -> None:
        self.folder = os.path.realpath(folder)
        self.code, self.at, self.lasting, self.stuck = code, at, lasting, stuck
        self.asked: list[str] = []
        self.opened: list[str] = []

    @property
    def struck(self) -> bool:
        return self.at is not None and len(self.asked) > self.at

    def ask(self, what: str, path: Any = None) -> None:
        """Count it, and raise where its turn has come."""
        before = self.struck
        self.asked.append(what)
        if self.struck and (self.lasting or not before):
            raise OSError(self.code, os.strerror(self.code), *([] if path is None else [os.fspath(path)]))

    def concerns(self, path: Any) -> bool:
        if isinstance(path, int):
            return False
        return os.path.realpath(os.path.dirname(os.fspath(path)) or ".").startswith(self.folder)


class Raw(io.FileIO):
    """A file of which a write is cut off in the middle when its turn has come: half of it is there."""

    faults: Faults

    def write(self, content: Any) -> int:
        try:
            self.faults.ask("write", self.name)
        except OSError:
            super().write(memoryview(content).cast("B")[: memoryview(content).nbytes // 2])
            raise
        return super().write(content)

    def close(self) -> None:
        if not self.closed:
            super().close()
            self.faults.ask("close", self.name)


@contextmanager
def failing(faults: Faults) -> Iterator[Faults]:
    """Within the block the disk fails as `faults` says."""
    with pytest.MonkeyPatch.context() as patch:
        opened = io.open

        def open_(file: Any, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
            if not set(mode) & set("wxa+") or not faults.concerns(file):
                return opened(file, mode, *args, **kwargs)
            assert "b" in mode, f"{file} is written as text, which no writer here does"
            faults.ask("open", file)
            faults.opened.append(os.path.relpath(os.path.abspath(os.fspath(file)), faults.folder))
            raw = Raw(file, mode.replace("b", ""))
            raw.faults = faults
            return io.BufferedWriter(raw)

        patch.setattr(builtins, "open", open_)
        patch.setattr(io, "open", open_)
        for name in (*FUNCTIONS, *REMOVING):
            patch.setattr(os, name, asked(faults, name, getattr(os, name)))
        yield faults


def asked(faults: Faults, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def call(path: Any, *args: Any, **kwargs: Any) -> Any:
        if name in REMOVING:
            if faults.stuck and faults.struck and faults.concerns(path):
                raise OSError(errno.EROFS, os.strerror(errno.EROFS), os.fspath(path))
        elif isinstance(path, int) or faults.concerns(path):
            faults.ask(name, None if isinstance(path, int) else path)
        return function(path, *args, **kwargs)

    return call
