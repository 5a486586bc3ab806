"""Settings of glibc's allocator for processes that work through many large arrays."""

from __future__ import annotations

import ctypes
from functools import cache

__all__ = [
    "keep_memory",
]


#: glibc's parameters of `mallopt`: bytes above which an allocation is a mapping of its own (here its maximum), free
#: bytes at the end of the heap above which they are returned, and bytes requested beyond the needed ones.
M_MMAP_THRESHOLD, M_TRIM_THRESHOLD, M_TOP_PAD = -3, -1, -2
SETTINGS = {M_MMAP_THRESHOLD: 1 << 25, M_TOP_PAD: 1 << 25}
#: Keep all free memory, for a command that ends soon.
ALL = (1 << 31) - 1


@cache
def keep_memory(kept_bytes: int = ALL) -> None:
    """Let new arrays reuse freed memory instead of new pages of the system, which must be cleared.

    By default glibc returns the memory of freed arrays to the system, and the next array costs a page fault for each of
    its pages: a third of the time of fusing two long runs, and two thirds in a worker of Dask, which makes glibc return
    memory at once. Does nothing with other C libraries. kept_bytes: free bytes that stay in the process.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):  # no such function; Windows takes no None
        return
    for setting, value in {**SETTINGS, M_TRIM_THRESHOLD: kept_bytes}.items():
        mallopt(setting, value)
