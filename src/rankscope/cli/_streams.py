"""Standard output and error that may fail, and signals that end a command."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, NoReturn

from rankscope.errors import OutputError

__all__ = [
    "ReaderLeft",
    "Terminated",
    "guarded_streams",
    "ignore_interrupts",
    "signals_raised",
]


#: Signals that ask a process to end, and would end it without a word and without removing what it was writing.
ENDING_SIGNALS = ("SIGTERM", "SIGHUP")


class ReaderLeft(Exception):
    """Who read standard output has seen enough, as `head` does; no error, and no OSError that others would handle."""


class Terminated(KeyboardInterrupt):
    """A signal asked this process to end: whatever is done at Ctrl-C is done here, too."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = int(number)
        self.name = signal.Signals(number).name


class GuardedStream:
    """A standard stream of which an error is told apart from errors elsewhere.

    Once one has come, all that follows fails alike: click tries whether a stream can be written to, and keeps to itself
    what it finds.

    Of standard output ReaderLeft is raised, or OutputError where it cannot be written. Of standard error nothing is:
    where it cannot be written nobody can be told, and the exit code has to do. whole: the stream that this is part of.
    """

    def __init__(self, stream: Any, *, heard: bool = True, whole: GuardedStream | None = None) -> None:
        self._stream, self._heard = stream, heard
        self._whole = self if whole is None else whole
        self._failed: OSError | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    @property
    def buffer(self) -> GuardedStream:
        return GuardedStream(self._stream.buffer, heard=self._heard, whole=self._whole)

    def write(self, text: Any) -> Any:
        return self._call(self._stream.write, text)

    def writelines(self, texts: Any) -> None:
        self._call(self._stream.writelines, texts)

    def flush(self) -> None:
        self._call(self._stream.flush)

    def _call(self, method: Callable[..., Any], *texts: Any) -> Any:
        whole = self._whole
        if whole._failed is None:
            try:
                return method(*texts)
            except OSError as error:
                whole._failed = error
                silence(whole._stream)
        if not self._heard:
            return None
        if isinstance(whole._failed, BrokenPipeError):
            raise ReaderLeft
        why = whole._failed.strerror or whole._failed
        raise OutputError(f"standard output cannot be written ({why}); free some space or write elsewhere")


class ClosedStream:
    """Standard output that was closed before we began, as `>&-` does. Raises OutputError once something is written."""

    encoding, errors = "utf-8", "surrogateescape"

    def __init__(self) -> None:
        self._asked = False

    @property
    def buffer(self) -> ClosedStream:
        return self

    def isatty(self) -> bool:
        return False

    def write(self, text: Any) -> None:
        self._asked = self._asked or bool(text)
        self.flush()

    def writelines(self, texts: Any) -> None:
        self.write(list(texts))

    def flush(self) -> None:
        if self._asked:  # also by what kept the error to itself, as argparse does
            raise OutputError("standard output is closed; name a file to write to")


def silence(stream: Any) -> None:
    """Nothing more can be written: keep Python from trying again when it ends."""
    with suppress(OSError, ValueError):  # it may be no stream of the system
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


@contextmanager
def guarded_streams() -> Iterator[None]:
    """Both streams guarded within the block, and names that are no UTF-8 printed as they came.

    Where they are so already, by a call around this one or in another thread, nothing is done: two that end in another
    order than they began would leave them guarded.
    """
    before = sys.stdout, sys.stderr
    if any(isinstance(stream, (GuardedStream, ClosedStream)) for stream in before):
        yield
        return
    for stream in before:
        if stream is not None and hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="surrogateescape")
    open_null_devices()
    out: Any = ClosedStream() if sys.stdout is None else GuardedStream(sys.stdout)
    err: Any = None if sys.stderr is None else GuardedStream(sys.stderr, heard=False)
    sys.stdout, sys.stderr = out, err
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def open_null_devices() -> None:
    """Closed streams get the null device: else the next file that is opened would be taken for one of them.

    To be read only: what is written to it, as by `-o /dev/stdout`, would be lost without a word.
    """
    for place in range(3):
        try:
            os.fstat(place)
        except OSError:
            os.open(os.devnull, os.O_RDONLY)  # takes the lowest place that is free


@contextmanager
def signals_raised() -> Iterator[None]:
    """Within the block signals that ask to end raise Terminated, where nobody has said otherwise (as `nohup` does)."""
    handled = []
    if threading.current_thread() is threading.main_thread():
        numbers = [getattr(signal, name) for name in ENDING_SIGNALS if hasattr(signal, name)]
        handled = [number for number in numbers if signal.getsignal(number) == signal.SIG_DFL]
    for number in handled:
        signal.signal(number, terminated)
    try:
        yield
    finally:
        for number in handled:
            signal.signal(number, signal.SIG_DFL)


def ignore_interrupts() -> None:
    """All has been done and said, and Python is about to end: an interrupt would only show where it was."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def terminated(number: int, frame: object) -> NoReturn:
    raise Terminated(number)
