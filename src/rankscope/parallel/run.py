"""Running independent units of work: in this process, in several, or on a cluster."""

from __future__ import annotations

import os
import pickle
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from typing import Any, TypeVar

import numpy as np

from rankscope.errors import ParameterError
from rankscope.parallel.cluster import current_cluster
from rankscope.parallel.cluster_unit import in_unit
from rankscope.parallel.pool import start_method, start_pool
from rankscope.parallel.threads import one_thread
from rankscope.parallel.worker import UNSET, in_worker, leave_if_starting

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
#: Units submitted per worker: one runs, one waits.
AHEAD = 2


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
    """function(unit) of each unit, in the order of `units`, each as soon as it and those before it are done.

    workers: a whole number from 1 to 1024. With 1 everything runs in this process; with more, in so many processes. In
    either case a unit has one thread for linear algebra. With more than one worker function, units and results are sent
    between processes, so the function must stand at the top level of a module (or be a functools.partial of such a
    one), and a unit should take some milliseconds. A unit that itself calls run_units in a worker runs its own units
    there, one after another.
    shared: what all units need beside their own, as judgments; given, it is function(shared, unit) that is called, and
    `shared` goes to each worker once, not with each unit. Nothing may change it.
    progress: called with 1 in this process whenever a result is about to be given.
    Where a cluster is in use (`use`), the units go there, and `workers` says nothing.

    Results do not depend on `workers` as long as each unit holds all that it needs, its own seed included (as from
    numpy.random.SeedSequence.spawn), and the function changes nothing outside itself. `units` is read as it is needed,
    at most twice as many as there are workers ahead of the results; without units nothing is given. What a unit raises
    is raised here when its turn comes, whatever later units did. Leaving early (an exception, Ctrl-C, `close()`) ends
    the workers and what they were at.

    Raises ParameterError for other workers and, with more than one, for a function that cannot be sent; ParameterError
    where workers have to start the main script anew and it does not bear that; RankscopeError where a worker ends
    unexpectedly.

    >>> list(run_units(abs, [-3, 1, -2], workers=1))
    [3, 1, 2]
    """
    cluster = current_cluster()
    if cluster is not None:
        from rankscope.parallel.cluster_run import run_in_cluster

        check_sendable(function)
        return run_in_cluster(cluster, function, iter(units), shared, progress)
    check_workers(workers)
    if workers == 1 or in_worker() or in_unit():
        return run_serially(function, iter(units), shared, progress)
    leave_if_starting()
    check_sendable(function)
    return run_in_processes(function, iter(units), int(workers), shared, progress)


def check_workers(workers: object) -> None:
    """Raise ParameterError for an invalid number of workers."""
    if not isinstance(workers, (int, np.integer)) or isinstance(workers, bool) or not 1 <= workers <= MAX_WORKERS:
        raise ParameterError(f"workers is {workers!r}, expected a whole number from 1 to {MAX_WORKERS}")


def workers_for(workers: int | None, worthwhile: bool, *, guarded: bool = False) -> int:
    """The number of workers: the given one; for None all cores if the work is worthwhile, else one.

    worthwhile: whether the work takes long enough for several workers. guarded: whether each worker may run the main
    script again, as is true for our commands. Other scripts may not be guarded; so where workers cannot be forked, None
    means one worker. Raises ParameterError.
    """
    cluster = current_cluster()
    if cluster is not None:
        return max(2, cluster.threads())  # even a single worker is another process
    if workers is not None:
        check_workers(workers)
        return int(workers)
    if not worthwhile or in_worker() or in_unit():
        return 1
    cores = min(all_cores(), MAX_WORKERS)
    return cores if cores > 1 and (guarded or start_method() == "fork") else 1


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
    workers = len(first_units)
    remaining = chain(first_units, units)
    del first_units  # else the first units would stay in memory until the end
    with start_pool(function, workers, shared) as pool:
        futures = deque(pool.submit(unit) for unit in islice(remaining, AHEAD * workers))
        while futures:
            result: Result = pool.result(futures.popleft())
            # Before the result is yielded, so that no worker is idle while the caller uses it.
            futures.extend(pool.submit(unit) for unit in islice(remaining, 1))
            if progress is not None:
                progress(1)
            yield result
