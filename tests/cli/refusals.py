"""What a command says that is refused, and that it does nothing else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any


def refused(cli: Callable[..., Any], *arguments: object) -> str:
    """The one line on standard error; nothing is printed, and in the working folder nothing is written or changed."""
    before = contents()
    done = cli(*arguments)
    assert (done.code, done.out) == (2, ""), done.err
    assert done.err.count("\n") == 1
    assert done.err.startswith("rankscope: ")
    assert contents() == before
    return str(done.err.removeprefix("rankscope: ").rstrip("\n"))


def contents() -> dict[Path, bytes | None]:
    return {path: path.read_bytes() if path.is_file() else None for path in Path().iterdir()}
