"""A unit of work where it runs, in a worker process or on a cluster: its result, or the error that it raised."""

from __future__ import annotations

import pickle
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

from rankscope._version import __version__
from rankscope.errors import InputError, ParameterError, RankscopeError
from rankscope.parallel.memory import keep_memory
from rankscope.parallel.threads import one_thread

__all__ = [
    "UNSET",
    "FailedUnit",
    "call_unit",
    "in_cluster_unit",
    "invisible_file_error",
    "run_cluster_unit",
]


class Unset(Enum):
    """The type of UNSET: an enumeration, since unpickling returns the same object."""

    NOTHING = "nothing"


#: The default of `shared`: units share nothing. None is a value that may be shared.
UNSET = Unset.NOTHING
#: Per thread, since a worker of a cluster may have several and may run in the process that sends the units.
STATE = threading.local()
#: Free bytes that a worker of a cluster keeps between units; others share its machine.
KEPT_MEMORY = 1 << 28


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


@dataclass(frozen=True)
class FailedUnit:
    """The error that a unit raised. Sent as a result: what raises in a worker is changed and logged on its way."""

    error: BaseException | UnpicklableError

    def raise_error(self) -> None:
        raise self.error.error() if isinstance(self.error, UnpicklableError) else self.error


def call_unit(function: Callable[..., Any], shared: Any, unit: Any, place: str = "a worker process") -> Any:
    """Return function(unit), or function(shared, unit), or a FailedUnit.

    place: where this is, named by errors that the user did not make.
    """
    try:
        return function(unit) if shared is UNSET else function(shared, unit)
    except Exception as error:
        if not isinstance(error, RankscopeError):
            error.add_note(f"in a unit on {place}:\n{traceback.format_exc()}")
        return FailedUnit(sendable(error))


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


def in_cluster_unit() -> bool:
    """Whether this thread is at work on a unit that was sent to a cluster."""
    return getattr(STATE, "busy", False)


def run_cluster_unit(version: str, pickled: bytes, shared: Any) -> bytes:
    """The pickled result of a unit, or a pickled FailedUnit: Dask leaves bytes as they are.

    Parameters
    ----------
    version
        The version of this package where the unit comes from.
    pickled
        The function and the unit.
    shared
        UNSET, or the first argument of the function, before the unit.
    """
    STATE.busy = True
    try:
        keep_memory(KEPT_MEMORY)
        with one_thread():
            return pickle.dumps(cluster_outcome(version, pickled, shared), protocol=5)
    except Exception as error:  # the result cannot be pickled
        return pickle.dumps(FailedUnit(sendable(error)), protocol=5)
    finally:
        STATE.busy = False


def cluster_outcome(version: str, pickled: bytes, shared: Any) -> Any:
    """The result of a unit, or a FailedUnit that names this worker where this helps."""
    place = f"worker {worker_address()}"
    if version != __version__:  # the worker came after the others were checked
        return FailedUnit(ParameterError(f"{place} has rankscope {__version__}, expected {version}; install it there"))
    function, unit = pickle.loads(pickled)
    outcome = call_unit(function, shared, unit, place)
    error = outcome.error if isinstance(outcome, FailedUnit) else None
    if isinstance(error, RankscopeError):
        return FailedUnit(invisible_file_error(str(error), error.__context__) or error)
    return outcome


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
