"""Standard streams that fail with clear errors, and signals that end a command."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from rankscope.errors import OutputError

__all__ = [
    "ReaderLeft",
    "Terminated",
    "guarded_streams",
    "signals_raised",
]


#: Signals that by default end a process without a message and without removing unfinished files.
ENDING_SIGNALS = ("SIGTERM", "SIGHUP")
#: Seconds in which no second signal ends the cleaning up after the first.
CLEANING_SECONDS = 10.0


class ReaderLeft(Exception):
    """The reader of standard output has closed it, as `head` does.

    This is no failure, and no OSError, since others would handle that.
    """


class Terminated(KeyboardInterrupt):
    """A signal asked this process to end; handled as Ctrl-C is."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = int(number)
        self.name = signal.Signals(number).name


class GuardedStream:
    """A standard stream whose errors can be told from errors elsewhere.

    After the first error all calls fail in the same way, since click tries whether a stream can be written to and
    hides the error.

    Standard output raises ReaderLeft, or OutputError if it cannot be written. Standard error raises nothing
    (raise_errors is False): there is nowhere to print a message, so the exit code has to do. parent: the stream whose
    buffer this is.
    """

    def __init__(self, stream: Any, *, raise_errors: bool = True, parent: GuardedStream | None = None) -> None:
        self._stream, self._raise_errors = stream, raise_errors
        self._root = self if parent is None else parent
        self._error: OSError | None = None
        #: Whether something was written.
        self.has_output = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    @property
    def buffer(self) -> GuardedStream:
        return GuardedStream(self._stream.buffer, raise_errors=self._raise_errors, parent=self._root)

    def write(self, text: Any) -> Any:
        return self._call(self._stream.write, text)

    def writelines(self, texts: Any) -> None:
        self._call(self._stream.writelines, texts)

    def flush(self) -> None:
        self._call(self._stream.flush)

    def _call(self, method: Callable[..., Any], *texts: Any) -> Any:
        parent = self._root
        if parent._error is None:
            parent.has_output |= any(texts)
            try:
                return method(*texts)
            except OSError as error:
                parent._error = error
                silence(parent._stream)
        if not self._raise_errors:
            return None
        if isinstance(parent._error, BrokenPipeError):
            raise ReaderLeft
        reason = parent._error.strerror or parent._error
        raise OutputError(f"standard output cannot be written ({reason}); free some space or write elsewhere")


class ClosedStream:
    """Standard output that was closed before the start, as `>&-` does. Raises OutputError once something is written."""

    encoding, errors = "utf-8", "surrogateescape"

    def __init__(self) -> None:
        self._has_output = False

    @property
    def buffer(self) -> ClosedStream:
        return self

    def isatty(self) -> bool:
        return False

    def write(self, text: Any) -> None:
        self._has_output = self._has_output or bool(text)
        self.flush()

    def writelines(self, texts: Any) -> None:
        self.write(list(texts))

    def flush(self) -> None:
        if self._has_output:  # also after a write whose error was hidden, as argparse does
            raise OutputError("standard output is closed; name a file to write to")


def silence(stream: Any) -> None:
    """Send a broken stream to the null device, so that Python does not try to write to it again when it ends."""
    with suppress(OSError, ValueError):  # it may have no file descriptor
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


@contextmanager
def guarded_streams() -> Iterator[None]:
    """Guard both streams within the block, and print names that are no UTF-8 as they are.

    Nothing happens if they are guarded already, by an outer call or another thread: two blocks that end in another
    order than they began would leave them guarded.
    """
    original_streams = sys.stdout, sys.stderr
    if any(isinstance(stream, (GuardedStream, ClosedStream)) for stream in original_streams):
        yield
        return
    for stream in original_streams:
        if stream is not None and hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="surrogateescape")
    open_null_devices()
    out: Any = ClosedStream() if sys.stdout is None else GuardedStream(sys.stdout)
    err: Any = None if sys.stderr is None else GuardedStream(sys.stderr, raise_errors=False)
    sys.stdout, sys.stderr = out, err
    try:
        yield
    finally:
        sys.stdout, sys.stderr = original_streams


def open_null_devices() -> None:
    """Open the null device for closed streams: else the next file that is opened would get their descriptor.

    It is opened for reading only: text written to it, as by `-o /dev/stdout`, would be lost silently.
    """
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDONLY)  # takes the lowest free descriptor


class SignalHandler:
    """Raises an exception for a signal, except while the exception of an earlier one is handled.

    Unfinished files are removed then, and one press of Ctrl-C may come as two interrupts: polars raises one as soon as
    it sees the signal, and Python another one for the same signal.

    Attributes
    ----------
    is_over
        Whether the work is done, or its end reported: then signals are ignored.
    """

    def __init__(self) -> None:
        self._cleaning_since: float | None = None
        self.is_over = False

    def __call__(self, number: int, frame: object) -> None:
        if self.is_over:
            return
        if is_ending(sys.exception()):
            if self._cleaning_since is None:
                self._cleaning_since = time.monotonic()
            if time.monotonic() - self._cleaning_since < CLEANING_SECONDS:
                return
        if number == signal.SIGINT:
            raise KeyboardInterrupt
        raise Terminated(number)


def is_ending(error: BaseException | None) -> bool:
    """Whether an exception is handled that ends the process: an interrupt, also one that polars made a panic of.

    error: the exception that is handled; others may have come while it was.
    """
    while error is not None:
        if not isinstance(error, (Exception, GeneratorExit)):
            return True
        error = error.__context__
    return False


@contextmanager
def signals_raised(ends_process: bool = False) -> Iterator[SignalHandler]:
    """Within the block ENDING_SIGNALS raise Terminated, and Ctrl-C raises once, by the handler that is given.

    Signals that are handled or ignored already (as by `nohup`) stay so. ends_process: whether Python ends after the
    block. Ctrl-C is ignored from there on: all output is complete, and an interrupt would only print a traceback.
    """
    handled: dict[int, Any] = {}
    if threading.current_thread() is threading.main_thread():
        numbers = [getattr(signal, name) for name in ENDING_SIGNALS if hasattr(signal, name)]
        handled = {number: signal.SIG_DFL for number in numbers if signal.getsignal(number) == signal.SIG_DFL}
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            handled[signal.SIGINT] = signal.default_int_handler
    handler = SignalHandler()
    for number in handled:
        signal.signal(number, handler)
    try:
        yield handler
    finally:
        handler.is_over = True
        for number, default in handled.items():
            signal.signal(number, signal.SIG_IGN if ends_process and number == signal.SIGINT else default)
