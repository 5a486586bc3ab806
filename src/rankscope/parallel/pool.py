"""A pool of worker processes that starts safely, always ends with its block, and says why it broke.

`concurrent.futures.ProcessPoolExecutor` does the work. Here is what it lacks: the choice of how processes start, an
environment for spawned ones, an end in bounded time, and messages. Each function says what would happen without it.
"""

from __future__ import annotations

import copy
import os
import pickle
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import connection, get_context
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess
from typing import Any

from rankscope.errors import ParameterError, RankscopeError
from rankscope.parallel.threads import ONE_THREAD, is_single_threaded
from rankscope.parallel.unit import UNSET
from rankscope.parallel.worker import STARTING, SharedFile, call_in_worker, start_worker

__all__ = [
    "WorkerPool",
    "start_method",
    "start_pool",
]


#: The maximum number of processes that Windows can wait for.
MAX_ON_WINDOWS = 61
#: Units submitted per worker: one runs, one waits.
AHEAD = 2
#: Seconds between looks whether a worker was lost, and for the executor to notice by itself.
LOOK_INTERVAL = 1.0
#: The first version of Python whose executor itself ends the writing of a unit that no worker will read. There a second
#: thread that does it could close the same file twice.
CLOSES_UNITS = (3, 11, 5)
#: Seconds in which workers without work end by themselves.
PATIENCE = 60.0


class WorkerPool:
    """Worker processes that call one function."""

    def __init__(
        self,
        function: Callable[..., Any],
        executor: ProcessPoolExecutor,
        processes: list[BaseProcess],
        spawns: bool,
        workers: int,
    ) -> None:
        self.function, self.executor, self.processes = function, executor, processes
        self.spawns, self.workers, self.capacity = spawns, workers, AHEAD * workers

    def submit(self, unit: Any) -> Future[Any]:
        """Any submission may start a worker, not only the first."""
        with spawn_environment(self.spawns), refuse_missing_processes(self.workers):
            return self.executor.submit(call_in_worker, self.function, unit)

    def result(self, future: Future[Any]) -> Any:
        """The result of a unit, or a FailedUnit. Raises BrokenProcessPool where a worker was lost.

        The executor waits for ever for the remainder of a result whose worker was killed in the middle of sending it.
        """
        while not future.done():
            try:
                return future.result(LOOK_INTERVAL)
            except TimeoutError:
                if self.has_lost_worker() and not wait([future], LOOK_INTERVAL).done:
                    raise BrokenProcessPool from None
        return future.result()

    def has_lost_worker(self) -> bool:
        return bool(connection.wait([process.sentinel for process in self.processes if process.pid], 0))

    def close(self, finished: bool) -> None:
        """Wait until all workers have ended, so that none stays as a zombie. finished: else units may be running.

        Otherwise workers are killed: the executor would wait for the units that they run. It may be in the middle of
        reading a result, which is over only when no process can write any more of it; or of writing a unit, which is
        over only when no process can read it.
        """
        if not finished:
            self.kill_workers()
            self.close_end("_result_queue", "_writer")
            if sys.version_info < CLOSES_UNITS:
                self.close_end("_call_queue", "_reader")
        # A worker that is lost now may take the lock of the queue with it, for which the others would wait for ever.
        timer = threading.Timer(PATIENCE, self.kill_workers)
        timer.daemon = True
        timer.start()
        try:
            self.executor.shutdown(wait=True, cancel_futures=not finished)
        finally:
            timer.cancel()
            timer.join()
        for process in self.processes:  # the executor forgets those that began before one that could not
            if process.pid:
                process.join()

    def close_end(self, queue_name: str, end_name: str) -> None:
        """Close this process's end of a queue of the executor."""
        queue = getattr(self.executor, queue_name, None)
        if queue is not None:
            getattr(queue, end_name).close()

    def kill_workers(self) -> None:
        for process in self.processes:
            if process.pid:
                process.kill()


@contextmanager
def start_pool(function: Callable[..., Any], workers: int, shared: Any) -> Iterator[WorkerPool]:
    """A pool for the duration of the block. shared: sent to each worker once.

    An exception in the block ends all running units.
    """
    method = start_method()
    if method == "spawn":
        check_importable(function, workers)
    context, processes = recording_context(method)
    n_processes = min(workers, MAX_ON_WINDOWS) if sys.platform == "win32" else workers
    with shared_for_workers(shared, method) as passed:
        reader, started = context.Pipe(duplex=False)
        with refuse_missing_processes(workers):
            executor = ProcessPoolExecutor(
                n_processes, mp_context=context, initializer=start_worker, initargs=(started, passed)
            )
        pool = WorkerPool(function, executor, processes, method == "spawn", workers)
        finished = False
        try:
            yield pool
            finished = True
        except BrokenProcessPool as error:
            raise broken_pool_error(method == "spawn" and not reader.poll(0), workers) from error
        finally:
            pool.close(finished)
            reader.close()
            started.close()


@contextmanager
def shared_for_workers(shared: Any, method: str) -> Iterator[Any]:
    """What to pass to workers that start: `shared` to a fork, which has it already, else a file with it.

    A spawned worker would get it through a pipe, and this process would wait for ever for one that ends before it has
    read it all, as it does where the main script is not guarded.
    """
    if method == "fork" or shared is UNSET:
        yield shared
        return
    path = write_shared(shared)
    try:
        yield SharedFile(path)
    finally:
        os.unlink(path)


def write_shared(shared: Any) -> str:
    """The path of a new temporary file with `shared`, which only this user may read. Raises RankscopeError."""
    path = None
    try:
        file, path = tempfile.mkstemp(prefix="rankscope-")
        with os.fdopen(file, "wb") as stream:
            pickle.dump(shared, stream, protocol=5)
    except BaseException as error:
        if path is not None:
            os.unlink(path)
        if not isinstance(error, OSError):
            raise
        raise RankscopeError(
            f"{tempfile.gettempdir()}: cannot write what the workers are to share ({error.strerror}); set TMPDIR to a "
            "folder with space, or give workers=1"
        ) from None
    return path


def recording_context(method: str) -> tuple[BaseContext, list[BaseProcess]]:
    """A context of `multiprocessing`, and the processes that it starts, which the executor keeps to itself."""
    context = copy.copy(get_context(method))
    begin: Callable[..., BaseProcess] = context.Process  # type: ignore[attr-defined]
    processes: list[BaseProcess] = []

    def record(*args: Any, **kwargs: Any) -> BaseProcess:
        processes.append(begin(*args, **kwargs))
        return processes[-1]

    context.Process = record  # type: ignore[attr-defined]
    return context, processes


@contextmanager
def refuse_missing_processes(workers: int) -> Iterator[None]:
    """Raise RankscopeError where the system cannot start processes, or lacks locks between them."""
    try:
        yield
    except (OSError, ImportError) as error:  # ImportError: no locks between processes
        reason = getattr(error, "strerror", None) or error
        raise RankscopeError(
            f"workers is {workers}, but no more processes can be started ({reason}); give fewer, or 1"
        ) from None


def start_method() -> str:
    """How workers are started: fork where it is safe, else spawn.

    A fork starts in milliseconds, has every module loaded, and does not run the user's script again, which fails
    without `if __name__ == "__main__"`. But it copies only the thread that forks: a lock held by another thread stays
    locked, a pool of threads (polars') stays empty, and the worker hangs when it needs them. So Python warns from 3.12
    on, and no longer forks by default from 3.14 on. Therefore fork only where no other threads run, except those of
    OpenBLAS, which ends them before a fork and restarts them after. Not on macOS, whose own libraries break after a
    fork. A fork server would be as safe as spawn, but runs the script again too.
    """
    return "fork" if sys.platform == "linux" and is_single_threaded() else "spawn"


def check_importable(function: Callable[[Any], Any], workers: int) -> None:
    """Raise ParameterError for a function of a main module without a file: a spawned worker cannot import it."""
    main = sys.modules["__main__"]
    function = getattr(function, "func", function)  # of a functools.partial
    if getattr(function, "__module__", None) == "__main__" and not getattr(main, "__file__", None):
        name = getattr(function, "__name__", "the function")
        raise ParameterError(
            f"workers is {workers}, but a new worker process cannot import {name} from what was typed in, expected a "
            "function of a module; save it in a file and import it, or give workers=1"
        )


@contextmanager
def spawn_environment(spawns: bool) -> Iterator[None]:
    """The environment of processes started within the block: Ctrl-C blocked, and one thread for linear algebra.

    Ctrl-C reaches all processes of a terminal. This process handles it; a worker would print a traceback if it came
    before `start_worker`. Here it is only delayed until the end of the block. The variables must be set before NumPy is
    loaded, which in a spawned worker may be before any code of this package; after a fork they would be too late.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        with environment(spawns):
            yield
        return
    previous_mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        with environment(spawns):
            yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, previous_mask)


@contextmanager
def environment(spawns: bool) -> Iterator[None]:
    if not spawns:
        yield
        return
    variables = {**ONE_THREAD, STARTING: "1"}
    previous = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in previous.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def broken_pool_error(never_began: bool, workers: int) -> RankscopeError:
    if never_began:
        return ParameterError(
            f"workers is {workers}, but the worker processes could not start: each runs the main script anew, and it "
            'ended before its work; put what the script does under if __name__ == "__main__": or give workers=1'
        )
    return RankscopeError(
        f"one of {workers} worker processes ended unexpectedly, perhaps for lack of memory, so the results are "
        "incomplete; try fewer workers"
    )
