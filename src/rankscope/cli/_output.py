"""Output of commands: printed, or written to the file of -o; a progress bar on a terminal."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import click

from rankscope.io.core import (
    check_writable,
    is_folder,
    refuse_overwriting,
    split_compression_suffix,
    write_text,
)

__all__ = [
    "bytes_progress",
    "check_output",
    "progress_bar",
    "write_output",
]


#: Seconds after which work counts as long.
SECONDS_BEFORE_BAR = 1.0


def write_output(text: str, output: str | None) -> None:
    """Print, or write to the file named by `-o`."""
    if output is None or output == "-":
        click.echo(text, nl=False)
    else:
        write_text(output, text)


def bytes_progress(paths: Sequence[str], what: str) -> AbstractContextManager[Callable[[float], Any] | None]:
    """A bar of the bytes just read; see `progress_bar`."""
    # Of a compressed file nobody knows how much is to come.
    sizes = dict(size for path in paths for size in file_sizes(path))
    compressed = any(split_compression_suffix(path)[1] for path in sizes)
    return progress_bar(None if compressed else sum(sizes.values()), what)


def file_sizes(path: str) -> Sequence[tuple[str, int]]:
    """The file, or those of a folder, with their bytes."""
    if is_folder(path):
        from rankscope.io.core import readable_partitions

        return readable_partitions(path)
    return [(path, os.path.getsize(path) if os.path.isfile(path) else 0)]


@contextmanager
def progress_bar(total: float | None, what: str) -> Iterator[Callable[[float], Any] | None]:
    """A function to be told of what was just done, in the unit of `total`, or None where nobody is looking.

    The bar appears on standard error once the work has lasted a second; until then nothing is loaded for it.
    """
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    begin = time.monotonic()
    done = 0.0
    bar: Any = None

    def tell(n: float) -> None:
        nonlocal done, bar
        done += n
        if bar is None and time.monotonic() - begin > SECONDS_BEFORE_BAR:
            from rich.console import Console
            from rich.progress import Progress

            bar = Progress(console=Console(stderr=True), transient=True)
            bar.add_task(what, total=total)
            bar.start()
        if bar is not None:
            bar.update(bar.task_ids[0], completed=done)

    try:
        yield tell
    finally:
        if bar is not None:
            bar.stop()


def check_output(output: str | None, inputs: Sequence[str]) -> None:
    """Raise for a file that cannot be written, or that is an input, before anything is read."""
    if output is not None and output != "-":
        check_writable(output)
        refuse_overwriting(output, inputs)
