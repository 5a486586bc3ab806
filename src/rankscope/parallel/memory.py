"""How a process that works through many large arrays keeps its memory."""

from __future__ import annotations

import ctypes
from functools import cache

__all__ = [
    "keep_memory",
]


#: glibc's names of what `mallopt` sets: bytes above which an allocation is a mapping of its own (the most that it
#: takes), free bytes at the end that are given back, and what is asked for beyond what is needed.
M_MMAP_THRESHOLD, M_TRIM_THRESHOLD, M_TOP_PAD = -3, -1, -2
SETTINGS = {M_MMAP_THRESHOLD: 1 << 25, M_TOP_PAD: 1 << 25}
#: All that is free, for a command that soon ends.
ALL = (1 << 31) - 1


@cache
def keep_memory(kept_bytes: int = ALL) -> None:
    """Let arrays take the memory that others gave back, and not the system's, which clears every page anew.

    By default glibc returns what a freed array held, block by block, and the next array costs a fault for each of its
    pages: a third of the time that fusing two long runs takes, and two thirds in a worker of Dask, which tells glibc to
    give back at once. Does nothing with other C libraries. most: free bytes that are kept.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):  # no such function; Windows takes no None
        return
    for setting, value in {**SETTINGS, M_TRIM_THRESHOLD: kept_bytes}.items():
        mallopt(setting, value)
