"""Running independent units of work: in this process, in several, or on a cluster."""

from __future__ import annotations

import os
import pickle
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from itertools import chain, islice
from typing import Any, Protocol, TypeVar

import numpy as np

from rankscope.errors import ParameterError
from rankscope.parallel.cluster import current_cluster
from rankscope.parallel.threads import one_thread
from rankscope.parallel.unit import UNSET, FailedUnit, in_cluster_unit
from rankscope.parallel.worker import in_worker, leave_if_starting

__all__ = [
    "all_cores",
    "check_workers",
    "run_units",
    "workers_for",
]


Unit = TypeVar("Unit")
Result = TypeVar("Result")
#: No machine has more cores for one program; a typing error must not start a million processes.
MAX_WORKERS = 1024


class Workers(Protocol):
    """What calls units: processes, or a cluster.

    Attributes
    ----------
    capacity
        How many units may be submitted and not fetched.
    """

    capacity: int

    def submit(self, unit: Any) -> Any:
        """Submit a unit. What is returned goes to `result`."""

    def result(self, submitted: Any, /) -> Any:
        """The result of a unit or a FailedUnit, when it is done. Raises RankscopeError where the workers are lost."""


def all_cores() -> int:
    """How many cores this process may use: at least 1, and no more than the machine has.

    Those that it is bound to (taskset, a batch system) where the platform tells, else all of the machine. Never raises.

    >>> all_cores() >= 1
    True
    """
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def run_units(
    function: Callable[..., Result],
    units: Iterable[Unit],
    *,
    workers: int = 1,
    shared: Any = UNSET,
    progress: Callable[[int], Any] | None = None,
) -> Iterator[Result]:
    """Call a function for each unit of work, in several processes, and yield the results in the order of the units.

    Parameters
    ----------
    function
        Called as `function(unit)`, or as `function(shared, unit)` if `shared` is given. With more than one worker, it
        must be defined at the top level of a module (or be a functools.partial of such a function), because function,
        units and results are sent between processes. A call should take at least some milliseconds.
    units
        The units. They are read as needed, at most twice as many as there are workers ahead of the results.
    workers
        Number of processes, from 1 to 1024; 1 runs everything in this process. Each unit has one thread for linear
        algebra. If a cluster is in use (`use`), the units go there and this number is ignored.
    shared
        Data that all units need, such as judgments. It is sent to each worker once, and must not be changed.
    progress
        Called with 1, in this process, before each result is yielded.

    Yields
    ------
    Result
        The result of a unit, as soon as that unit and all before it are done.

    Raises
    ------
    ParameterError
        The number of workers is out of range, the function cannot be sent, or workers have to run the main script again
        and it is not guarded by `if __name__ == "__main__":`.
    RankscopeError
        A worker ends unexpectedly.

    Notes
    -----
    Results do not depend on `workers` if each unit holds all that it needs, including its own seed (as from
    numpy.random.SeedSequence.spawn), and the function changes nothing outside itself. An exception of a unit is raised
    here when it is that unit's turn, whatever later units did. Leaving early (an exception, Ctrl-C, `close()`) stops
    the workers. A unit that calls `run_units` in a worker runs its own units there, one after another.

    Examples
    --------
    >>> list(run_units(abs, [-3, 1, -2], workers=1))
    [3, 1, 2]
    """
    cluster = current_cluster()
    if cluster is not None:
        from rankscope.parallel.cluster_run import start_cluster_workers

        check_sendable(function)
        return run_in_workers(start_cluster_workers(cluster, function, shared), iter(units), progress)
    check_workers(workers)
    if workers == 1 or in_worker() or in_cluster_unit():
        return run_serially(function, iter(units), shared, progress)
    leave_if_starting()
    check_sendable(function)
    return run_in_processes(function, iter(units), int(workers), shared, progress)


def check_workers(workers: object) -> None:
    """Raise ParameterError for an invalid number of workers.

    Parameters
    ----------
    workers
        The number to check.
    """
    if not isinstance(workers, (int, np.integer)) or isinstance(workers, bool) or not 1 <= workers <= MAX_WORKERS:
        raise ParameterError(f"workers is {workers!r}, expected a whole number from 1 to {MAX_WORKERS}")


def workers_for(workers: int | None, worthwhile: bool, *, guarded: bool = False) -> int:
    """The number of processes to use.

    Parameters
    ----------
    workers
        The requested number. None: all cores if the work is worthwhile, else one process.
    worthwhile
        Whether the work takes long enough for several processes.
    guarded
        Whether a worker may run the main script again, as for the commands of rankscope. Other scripts may not be
        guarded; for them None means one process if processes cannot be forked.

    Returns
    -------
    int
        The number of processes.

    Raises
    ------
    ParameterError
        The number is out of range.
    """
    cluster = current_cluster()
    if cluster is not None:
        return max(2, cluster.count_threads())  # even a single worker is another process
    if workers is not None:
        check_workers(workers)
        return int(workers)
    if not worthwhile or in_worker() or in_cluster_unit():
        return 1
    cores = min(all_cores(), MAX_WORKERS)
    if cores == 1 or guarded:
        return cores
    from rankscope.parallel.pool import start_method

    return cores if start_method() == "fork" else 1


def check_sendable(function: Callable[..., Any]) -> None:
    try:
        pickle.dumps(function)
    except Exception:  # pickle raises whatever the object's own methods raise
        name = getattr(function, "__qualname__", None) or repr(function)
        raise ParameterError(
            f"the function {name} cannot be sent to worker processes, expected one at the top level of a module; move "
            "it there or give workers=1"
        ) from None


def run_serially(
    function: Callable[..., Result], units: Iterator[Unit], shared: Any, progress: Callable[[int], Any] | None
) -> Iterator[Result]:
    for unit in units:
        with one_thread():
            result = function(unit) if shared is UNSET else function(shared, unit)
        if progress is not None:
            progress(1)
        yield result


def run_in_processes(
    function: Callable[..., Result],
    units: Iterator[Unit],
    workers: int,
    shared: Any,
    progress: Callable[[int], Any] | None,
) -> Iterator[Result]:
    first_units = list(islice(units, workers))
    if len(first_units) <= 1:  # a single unit gains nothing from a worker
        yield from run_serially(function, chain(first_units, units), shared, progress)
        return
    from rankscope.parallel.pool import start_pool

    workers = len(first_units)
    remaining = chain(first_units, units)
    del first_units  # else the first units would stay in memory until the end
    yield from run_in_workers(start_pool(function, workers, shared), remaining, progress)


def run_in_workers(
    starting: AbstractContextManager[Workers], units: Iterator[Any], progress: Callable[[int], Any] | None
) -> Iterator[Any]:
    """The results of the units in their order. starting: the workers are those of its block."""
    with starting as workers:
        futures = deque(workers.submit(unit) for unit in islice(units, workers.capacity))
        while futures:
            result = workers.result(futures.popleft())
            if isinstance(result, FailedUnit):
                result.raise_error()
            # Before the result is yielded, so that no worker is idle while the caller uses it.
            futures.extend(workers.submit(unit) for unit in islice(units, max(0, workers.capacity - len(futures))))
            if progress is not None:
                progress(1)
            yield result
