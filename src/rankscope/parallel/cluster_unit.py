"""Running a unit on a worker of a Dask cluster. Importing this module does not need Dask."""

from __future__ import annotations

import pickle
import threading
import traceback
from dataclasses import dataclass
from typing import Any

from rankscope._version import __version__
from rankscope.errors import InputError, ParameterError, RankscopeError
from rankscope.parallel.memory import keep_memory
from rankscope.parallel.threads import one_thread
from rankscope.parallel.worker import UNSET, UnpicklableError, sendable

__all__ = [
    "FailedUnit",
    "in_unit",
    "invisible_file_error",
    "memory_limit",
    "run_unit",
]


#: Per thread, since a worker may have several and may run in the process that sends the units.
STATE = threading.local()
#: Free bytes that a worker keeps between units; others share its machine.
KEPT_MEMORY = 1 << 28


@dataclass(frozen=True)
class FailedUnit:
    """The error that a unit raised."""

    error: BaseException | UnpicklableError


def in_unit() -> bool:
    """Whether this thread is at work on a unit."""
    return getattr(STATE, "busy", False)


def run_unit(version: str, pickled: bytes, shared: Any) -> bytes:
    """The pickled result of a unit, or a FailedUnit. pickled: the function and the unit.

    Pickled here, so that Dask does not change it on its way, and arrays arrive unchanged. shared: UNSET, or the first
    argument of the function, before the unit.
    """
    STATE.busy = True
    try:
        if version != __version__:  # the worker came after the others were checked
            raise ParameterError(
                f"worker {worker_address()} has rankscope {__version__}, expected {version}; install it there"
            )
        keep_memory(KEPT_MEMORY)
        function, unit = pickle.loads(pickled)
        with one_thread():
            return pickle.dumps(function(unit) if shared is UNSET else function(shared, unit), protocol=5)
    except Exception as error:
        return pickle.dumps(FailedUnit(sendable(with_worker_address(error))), protocol=5)
    finally:
        STATE.busy = False


def with_worker_address(error: Exception) -> Exception:
    """The error with the worker's address, where this helps: for missing files, and for errors not made by the user."""
    if isinstance(error, RankscopeError):
        return invisible_file_error(str(error), error.__context__) or error
    error.add_note(f"in a unit on worker {worker_address()}:\n{traceback.format_exc()}")
    return error


def invisible_file_error(subject: str, error: BaseException | None) -> InputError | None:
    """The error for a file that this worker cannot see; None for other errors. subject: begins the message."""
    if isinstance(error, RankscopeError):
        error = error.__context__
    if not isinstance(error, (FileNotFoundError, PermissionError)):
        return None
    return InputError(
        f"{subject}: worker {worker_address()} cannot see the file, expected the same path on all workers; name one in "
        "a folder that they share, or a URL"
    )


def worker_address() -> str:
    """The address of this worker."""
    from distributed import get_worker

    return str(get_worker().address)


def memory_limit(dask_worker: Any) -> int:
    """The memory limit of a worker in bytes; 0 if there is none. dask_worker: Dask fills it in."""
    return int(dask_worker.memory_manager.memory_limit or 0)
