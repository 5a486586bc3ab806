"""A worker process: how it starts, how it calls units, and that it ends with its parent."""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rankscope.parallel.threads import use_one_thread
from rankscope.parallel.unit import UNSET, call_unit

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

__all__ = [
    "STARTING",
    "SharedFile",
    "call_in_worker",
    "in_worker",
    "leave_if_starting",
    "start_worker",
]


#: The environment variable that is set in a spawned worker until it has started.
STARTING = "RANKSCOPE_WORKER_STARTS"


@dataclass(frozen=True)
class SharedFile:
    """A file with what units share, for workers that are not forked."""

    path: str

    def load(self) -> Any:
        with open(self.path, "rb") as stream:
            return pickle.load(stream)


class WorkerState:
    """Whether this process is a worker, and what its units share."""

    def __init__(self) -> None:
        self.is_worker = False
        self.shared: Any = UNSET


STATE = WorkerState()


def in_worker() -> bool:
    return STATE.is_worker


def leave_if_starting() -> None:
    """End a worker that reaches this while it imports the main script: the script is not guarded.

    It would start workers of its own. The parent notices that no worker has started and says what to do; a traceback
    of every worker would only hide that.
    """
    if os.environ.get(STARTING) and not STATE.is_worker:
        sys.exit(1)


def start_worker(started: Connection, shared: Any) -> None:
    """The first function that a worker runs.

    started: a byte written to it tells the parent that a worker has started. shared: passed to all its units, or the
    file that holds it.
    """
    STATE.is_worker = True
    STATE.shared = shared.load() if isinstance(shared, SharedFile) else shared
    os.environ.pop(STARTING, None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # a handler of the parent is meant for the parent
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    use_one_thread()
    started.send_bytes(b".")
    threading.Thread(target=end_with_parent, daemon=True).start()


def end_with_parent() -> None:
    """End this process, in the middle of a unit too, when the parent has ended without a word.

    The executor has nothing for this: a worker whose parent was killed would wait for its next unit for ever.
    """
    from multiprocessing import parent_process

    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def call_in_worker(function: Callable[..., Any], unit: Any) -> Any:
    """Call the function for a unit, with what the units of this worker share."""
    return call_unit(function, STATE.shared, unit)
