"""The threads of this process: whether there are several, and one alone for linear algebra."""

from __future__ import annotations

import contextlib
import ctypes
import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

__all__ = [
    "ONE_THREAD",
    "is_single_threaded",
    "one_thread",
    "use_one_thread",
]


#: What libraries of linear algebra read when they are loaded.
ONE_THREAD = dict.fromkeys(
    ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"
)
OWN = Path("/proc/self")
#: A thread too many is looked for so often, so many seconds apart.
LOOKS, LOOK = 20, 0.002


class ThreadLimit:
    """Who is within `one_thread`, and what undoes it when the last has left."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.inside = 0
        self.undo: list[tuple[Callable[[int], Any], int]] = []


THREAD_LIMIT = ThreadLimit()


def openblas_libraries() -> list[ctypes.CDLL]:
    """Each OpenBLAS that is loaded. Only on Linux, where the libraries of a process are listed."""
    try:
        lines = (OWN / "maps").read_text("utf-8", "surrogateescape").splitlines()
    except OSError:
        return []
    libraries = []
    for path in sorted({line.split(maxsplit=5)[-1] for line in lines if "openblas" in line}):
        with contextlib.suppress(OSError):  # another file with that word in its name
            libraries.append(ctypes.CDLL(path))
    return libraries


def openblas(function_name: str, libraries: list[ctypes.CDLL] | None = None) -> list[Any]:
    """The function openblas_... of each OpenBLAS that is loaded: NumPy and SciPy bring one each and rename it."""
    names = [f"{prefix}openblas_{function_name}{suffix}" for prefix in ("", "scipy_") for suffix in ("", "64_")]
    functions = []
    for library in openblas_libraries() if libraries is None else libraries:
        functions.extend([getattr(library, name) for name in names if hasattr(library, name)][:1])
    return functions


def use_one_thread() -> None:
    """Workers share the cores among themselves: more threads in each would only be in one another's way.

    A library that is loaded already no longer reads its variables, and OpenBLAS is told; one that is loaded later does.
    """
    os.environ.update(ONE_THREAD)
    for set_threads in openblas("set_num_threads"):
        set_threads(1)


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """Within the block OpenBLAS uses one thread, in the whole process; after it as many as before.

    So that what is computed here is computed as a worker would, to the last bit; and on matrices as small as ours its
    threads wait for one another most of the time, which costs twice the processor time and saves none.
    """
    with THREAD_LIMIT.lock:
        if not THREAD_LIMIT.inside:
            libraries = openblas_libraries()
            setters, getters = openblas("set_num_threads", libraries), openblas("get_num_threads", libraries)
            thread_counts = [(setter, int(getter())) for setter, getter in zip(setters, getters, strict=True)]
            THREAD_LIMIT.undo = [(setter, n_threads) for setter, n_threads in thread_counts if n_threads > 1]
            for setter, _ in THREAD_LIMIT.undo:
                setter(1)
        THREAD_LIMIT.inside += 1
    try:
        yield
    finally:
        with THREAD_LIMIT.lock:
            THREAD_LIMIT.inside -= 1
            if not THREAD_LIMIT.inside:
                for setter, n_threads in THREAD_LIMIT.undo:
                    setter(n_threads)


def is_single_threaded() -> bool:
    """Whether this process has one thread, not counting those of OpenBLAS, which it ends before a fork. On Linux."""
    if threading.active_count() > 1:
        return False
    n_allowed = 1 + sum(get_threads() - 1 for get_threads in openblas("get_num_threads"))
    n_allowed += (
        sum(n_threads - 1 for _, n_threads in THREAD_LIMIT.undo) if THREAD_LIMIT.inside else 0
    )  # they rest, and are still there
    for _ in range(LOOKS):
        names = thread_names()
        if len(set(names)) != 1:
            return False
        if len(names) <= n_allowed:
            return True
        time.sleep(LOOK)  # a thread that was joined, as that of a pool before, is still there for a moment
    return False


def thread_names() -> list[bytes]:
    """Of this process, the main one first, also those that Python knows nothing of; empty where this is not told.

    A library gives its threads a name of its own, or else they bear the process's.
    """
    names = []
    with contextlib.suppress(OSError):
        names.append((OWN / "comm").read_bytes())
        for task in (OWN / "task").iterdir():
            if task.name != str(os.getpid()):
                with contextlib.suppress(OSError):  # it has just ended
                    names.append((task / "comm").read_bytes())
    return names
