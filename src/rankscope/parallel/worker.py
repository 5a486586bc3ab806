"""The code that runs in a worker process: starting, running units, sending errors, ending with the parent."""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from multiprocessing import parent_process
from multiprocessing.connection import Connection
from typing import Any

from rankscope.parallel.threads import use_one_thread

__all__ = [
    "STARTING",
    "UNSET",
    "UnpicklableError",
    "call_unit",
    "in_worker",
    "leave_if_starting",
    "sendable",
    "start_worker",
]


#: The environment variable that is set in a spawned worker until it has started.
STARTING = "RANKSCOPE_WORKER_STARTS"


class Unset(Enum):
    """The type of UNSET: an enumeration, since unpickling returns the same object."""

    NOTHING = "nothing"


#: The default of `shared`: units share nothing. None is a value that may be shared.
UNSET = Unset.NOTHING


class WorkerState:
    """The state of this process: whether it is a worker, runs a unit, was told to end; and what its units share."""

    def __init__(self) -> None:
        self.is_worker = False
        self.busy = False
        self.ending = False
        self.lock = threading.Lock()
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


def start_worker(parent_end: Connection, worker_end: Connection, shared: Any) -> None:
    """The first function that a worker runs.

    parent_end, worker_end: the ends of the pipe between the parent and all workers. shared: passed to all its units.
    """
    global STATE
    STATE = WorkerState()  # a fork has a copy of the parent's, whose lock may be held
    STATE.is_worker = True
    STATE.shared = shared
    os.environ.pop(STARTING, None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # a handler of the parent is meant for the parent
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    use_one_thread()
    parent_end.close()  # else the pipe would outlive the parent
    worker_end.send_bytes(b".")
    threading.Thread(target=watch_parent, args=(worker_end,), daemon=True).start()


def watch_parent(worker_end: Connection) -> None:
    """End this process when the parent tells it to or has ended.

    In the middle of a unit it ends at once. Otherwise it may be sending a result, and the parent would wait forever for
    the remainder; so it ends when the next unit arrives, or with the parent.
    """
    worker_end.poll(None)
    with STATE.lock:
        STATE.ending = True
        if STATE.busy:
            os._exit(1)
    parent = parent_process()
    if parent is not None:
        parent.join()
    os._exit(1)


def enter_unit() -> None:
    with STATE.lock:
        if STATE.ending:
            os._exit(1)
        STATE.busy = True


def leave_unit() -> None:
    with STATE.lock:
        STATE.busy = False


@dataclass(frozen=True)
class UnpicklableError:
    """An exception that can be pickled but not unpickled: its constructor takes other arguments."""

    type: type[BaseException]
    args: tuple[Any, ...]
    state: dict[str, Any]

    def error(self) -> BaseException:
        error = self.type.__new__(self.type, *self.args)
        error.__dict__.update(self.state)
        return error


def call_unit(function: Callable[..., Any], unit: Any) -> Any:
    """Return function(unit), or function(shared, unit). Errors come back with their type and message."""
    enter_unit()
    try:
        return function(unit) if STATE.shared is UNSET else function(STATE.shared, unit)
    except Exception as error:
        if survives_pickling(error):
            raise
        failure = sendable(error)
    finally:
        leave_unit()
    if isinstance(failure, UnpicklableError):
        return failure
    raise failure  # outside the except clause, so that it has no context that cannot be sent


def sendable(error: Exception) -> Exception | UnpicklableError:
    """The error, or a replacement with the same type and message that can be sent; at worst only its text."""
    if survives_pickling(error):
        return error
    failure = UnpicklableError(type(error), error.args, error.__dict__)
    return failure if survives_pickling(failure) else RuntimeError(f"{type(error).__name__}: {error}")


def survives_pickling(value: object) -> bool:
    try:
        pickle.loads(pickle.dumps(value))
    except Exception:  # whatever a constructor raises
        return False
    return True
