"""What happens to a unit on a worker of a Dask cluster. Nothing here needs Dask to be imported."""

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


#: Of a thread, since a worker may have several and may live in the process that sends the units.
STATE = threading.local()
#: Free bytes that a worker keeps between units, which others share its machine with.
KEPT = 1 << 28


@dataclass(frozen=True)
class FailedUnit:
    """What a unit raised."""

    error: BaseException | UnpicklableError


def in_unit() -> bool:
    """Whether this thread is at work on a unit."""
    return getattr(STATE, "busy", False)


def run_unit(version: str, pickled: bytes, shared: Any) -> bytes:
    """The result of a unit, or Failed, pickled. packed: the function and the unit, pickled.

    Pickled here, so that nothing looks into it on its way, and arrays arrive as they left. shared: NOTHING, or what
    goes before the unit.
    """
    STATE.busy = True
    try:
        if version != __version__:  # it came after the others had been asked
            raise ParameterError(
                f"worker {worker_address()} has rankscope {__version__}, expected {version}; install it there"
            )
        keep_memory(KEPT)
        function, unit = pickle.loads(pickled)
        with one_thread():
            return pickle.dumps(function(unit) if shared is UNSET else function(shared, unit), protocol=5)
    except Exception as error:
        return pickle.dumps(FailedUnit(sendable(with_worker_address(error))), protocol=5)
    finally:
        STATE.busy = False


def with_worker_address(error: Exception) -> Exception:
    """With the worker's address where that says more: of a file that is not there, and of what is no user's error."""
    if isinstance(error, RankscopeError):
        return invisible_file_error(str(error), error.__context__) or error
    error.add_note(f"in a unit on worker {worker_address()}:\n{traceback.format_exc()}")
    return error


def invisible_file_error(what: str, error: BaseException | None) -> InputError | None:
    """What is said of a file that this worker cannot see, where that is the error. what: the file."""
    if isinstance(error, RankscopeError):
        error = error.__context__
    if not isinstance(error, (FileNotFoundError, PermissionError)):
        return None
    return InputError(
        f"{what}: worker {worker_address()} cannot see the file, expected the same path on all workers; name one in a "
        "folder that they share, or a URL"
    )


def worker_address() -> str:
    """Of the worker that this is."""
    from distributed import get_worker

    return str(get_worker().address)


def memory_limit(dask_worker: Any) -> int:
    """In bytes; 0 where there is none. dask_worker: Dask fills it in."""
    return int(dask_worker.memory_manager.memory_limit or 0)
