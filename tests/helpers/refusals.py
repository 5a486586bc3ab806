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


def assert_refused(done: Any, *said: str) -> None:
    """One line on standard error that begins with our name, exit code 2, nothing printed."""
    assert done.code == 2, done
    assert done.out == ""
    lines = done.err.splitlines()
    assert len(lines) == 1, done.err
    assert lines[0].startswith("rankscope: ")
    for part in said:
        assert part in lines[0]
