"""The threads of this process: whether there are several, and limiting linear algebra to one."""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

__all__ = [
    "ONE_THREAD",
    "is_single_threaded",
    "one_thread",
    "use_one_thread",
]


#: Environment variables that libraries of linear algebra read when they are loaded.
ONE_THREAD = dict.fromkeys(
    ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"
)
PROCESS_FOLDER = Path("/proc/self")
#: What OpenBLAS says of how it was built: that it begins threads itself.
PTHREADS = 1
#: How often threads are counted while there are too many, and the seconds between.
N_CHECKS, CHECK_INTERVAL = 20, 0.002


class ThreadLimit:
    """The number of blocks of `one_thread` in progress, and how to undo the limit after the last."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.n_blocks = 0
        self.undo: list[tuple[Callable[[int], Any], int]] = []


THREAD_LIMIT = ThreadLimit()


def openblas_libraries() -> tuple[ctypes.CDLL, ...]:
    """Each loaded OpenBLAS; only on Linux, where the libraries of a process are listed.

    That list is long, and a unit of work may be short: it is read again only once more modules are loaded, for an
    OpenBLAS comes with modules. A fork knows what its parent knew.
    """
    return libraries_with_modules(len(sys.modules))


@lru_cache(maxsize=1)
def libraries_with_modules(n_modules: int) -> tuple[ctypes.CDLL, ...]:
    libraries = []
    for path in sorted({line.split(maxsplit=5)[-1] for line in memory_map() if "openblas" in line}):
        with contextlib.suppress(OSError):  # another file with that word in its name
            libraries.append(ctypes.CDLL(path))
    return tuple(libraries)


def memory_map() -> list[str]:
    """The lines of what Linux tells of this process's memory; each that is of a file ends with its path."""
    try:
        return (PROCESS_FOLDER / "maps").read_text("utf-8", "surrogateescape").splitlines()
    except OSError:
        return []


def openblas_functions(function_name: str) -> tuple[Any, ...]:
    """The function openblas_... of each loaded OpenBLAS: NumPy and SciPy each bring one and rename its functions."""
    functions = (openblas_function(library, function_name) for library in openblas_libraries())
    return tuple(function for function in functions if function is not None)


@lru_cache(maxsize=32)
def openblas_function(library: ctypes.CDLL, function_name: str) -> Any:
    """None in a library without it."""
    names = (f"{prefix}openblas_{function_name}{suffix}" for prefix in ("", "scipy_") for suffix in ("", "64_"))
    return next((getattr(library, name) for name in names if hasattr(library, name)), None)


def use_one_thread() -> None:
    """Limit linear algebra in this worker to one thread: the workers already use all cores.

    A library that is already loaded no longer reads its variables, so OpenBLAS is told; libraries loaded later read
    them.
    """
    os.environ.update(ONE_THREAD)
    for library in openblas_libraries():
        get_threads, set_threads, get_parallel = (
            openblas_function(library, name) for name in ("get_num_threads", "set_num_threads", "get_parallel")
        )
        if set_threads is None or (get_threads is not None and get_threads() == 1):
            continue
        # In a fork the function would begin as many threads as the parent had, only to leave them idle. The number
        # that it sets is enough, but where OpenMP keeps another.
        if get_parallel is not None and get_parallel() == PTHREADS:
            with contextlib.suppress(ValueError):  # no such number is in the library
                ctypes.c_int.in_dll(library, "blas_cpu_number").value = 1
        if get_threads is None or get_threads() != 1:
            set_threads(1)


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """Within the block OpenBLAS uses one thread, in the whole process; after it as many as before.

    So this process computes the same as a worker, to the last bit. And on matrices as small as ours the threads mostly
    wait for one another, which costs twice the processor time and saves none.
    """
    with THREAD_LIMIT.lock:
        if not THREAD_LIMIT.n_blocks:
            setters, getters = openblas_functions("set_num_threads"), openblas_functions("get_num_threads")
            thread_counts = [(setter, int(getter())) for setter, getter in zip(setters, getters, strict=True)]
            THREAD_LIMIT.undo = [(setter, n_threads) for setter, n_threads in thread_counts if n_threads > 1]
            for setter, _ in THREAD_LIMIT.undo:
                setter(1)
        THREAD_LIMIT.n_blocks += 1
    try:
        yield
    finally:
        with THREAD_LIMIT.lock:
            THREAD_LIMIT.n_blocks -= 1
            if not THREAD_LIMIT.n_blocks:
                for setter, n_threads in THREAD_LIMIT.undo:
                    setter(n_threads)


def is_single_threaded() -> bool:
    """Whether this process has one thread, not counting those of OpenBLAS, which ends them before a fork. On Linux.

    Threads of other libraries may have no name of their own either, as those of OpenMP, which a fork loses and whose
    library then waits for them for ever. So those of OpenBLAS are counted, not guessed.
    """
    if threading.active_count() > 1:
        return False
    n_allowed = 1 + sum(map(n_threads_begun, openblas_libraries()))
    for _ in range(N_CHECKS):
        names = thread_names()
        if len(set(names)) != 1:
            return False
        if len(names) <= n_allowed:
            return True
        time.sleep(CHECK_INTERVAL)  # a joined thread, as of an earlier pool, still exists for a moment
    return False


def n_threads_begun(library: ctypes.CDLL) -> int:
    """How many threads this OpenBLAS has begun that exist, however few it is limited to.

    After a fork, in the parent too, it has none until it multiplies large matrices.
    """
    try:
        exist, n_threads = (
            ctypes.c_int.in_dll(library, name).value for name in ("blas_server_avail", "blas_num_threads")
        )
    except ValueError:  # no such numbers are in the library: it has as many as it says
        get_threads = openblas_function(library, "get_num_threads")
        limited = dict(THREAD_LIMIT.undo) if THREAD_LIMIT.n_blocks else {}
        set_threads = openblas_function(library, "set_num_threads")
        return max(0, limited.get(set_threads, get_threads() if get_threads is not None else 1) - 1)
    return max(0, n_threads - 1) if exist else 0


def thread_names() -> list[bytes]:
    """The names of this process's threads, the main one first, including those started outside Python.

    Empty where the platform does not list threads. Without a name of their own, threads have that of the process.
    """
    names = []
    with contextlib.suppress(OSError):
        names.append((PROCESS_FOLDER / "comm").read_bytes())
        for task in (PROCESS_FOLDER / "task").iterdir():
            if task.name != str(os.getpid()):
                with contextlib.suppress(OSError):  # it has just ended
                    names.append((task / "comm").read_bytes())
    return names
