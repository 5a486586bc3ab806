"""How much memory reading a file takes, beside what it holds: 20 times its size and a floor are allowed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["FLOOR", "TIMES", "Peak", "allowed", "watched"]

#: What a reader may take: so many bytes of a file's each, and so many beside.
TIMES, FLOOR = 20, 128 << 20
OWN = Path("/proc/self")


class Peak:
    """bytes: taken at most within the block; None where the system does not tell."""

    bytes: int | None = None


def kept(field: str) -> int:
    """Bytes that /proc says of this process: VmRSS, or VmHWM, its highest."""
    found = re.search(rf"^{field}:\s+(\d+) kB", (OWN / "status").read_text(), re.MULTILINE)
    assert found is not None
    return int(found[1]) << 10


@contextmanager
def watched() -> Iterator[Peak]:
    """What this process takes within the block, beyond what it had before."""
    peak = Peak()
    try:
        (OWN / "clear_refs").write_text("5")  # the highest so far is forgotten
        before = kept("VmRSS")
    except OSError:  # no Linux, or not allowed
        yield peak
        return
    yield peak
    peak.bytes = max(kept("VmHWM") - before, 0)


def allowed(size: int) -> int:
    """What a reader may take for a file of so many bytes."""
    return TIMES * size + FLOOR
