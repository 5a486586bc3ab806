"""Output of commands: print or write to the file of -o, and a progress bar on a terminal."""

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


#: Seconds after which the bar appears.
SECONDS_BEFORE_BAR = 1.0


def write_output(text: str, output: str | None) -> None:
    """Print, or write to the file named by `-o`."""
    if output is None or output == "-":
        click.echo(text, nl=False)
    else:
        write_text(output, text)


def bytes_progress(paths: Sequence[str], description: str) -> AbstractContextManager[Callable[[float], Any] | None]:
    """A bar of the bytes read; see `progress_bar`."""
    # The length of a compressed file's content is unknown.
    sizes = dict(path_and_size for path in paths for path_and_size in file_sizes(path))
    compressed = any(split_compression_suffix(path)[1] for path in sizes)
    return progress_bar(None if compressed else sum(sizes.values()), description)


def file_sizes(path: str) -> Sequence[tuple[str, int]]:
    """The file, or the files of a folder, with their sizes in bytes."""
    if is_folder(path):
        from rankscope.io.core import readable_partitions

        return readable_partitions(path)
    return [(path, os.path.getsize(path) if os.path.isfile(path) else 0)]


@contextmanager
def progress_bar(total: float | None, description: str) -> Iterator[Callable[[float], Any] | None]:
    """A function that takes the amount just finished, in the unit of `total`, or None without a terminal.

    The bar appears on standard error once the work has lasted a second; until then nothing is imported for it.
    """
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    start_time = time.monotonic()
    completed = 0.0
    bar: Any = None

    def advance(amount: float) -> None:
        nonlocal completed, bar
        completed += amount
        if bar is None and time.monotonic() - start_time > SECONDS_BEFORE_BAR:
            from rich.console import Console
            from rich.progress import Progress

            bar = Progress(console=Console(stderr=True), transient=True)
            bar.add_task(description, total=total)
            bar.start()
        if bar is not None:
            bar.update(bar.task_ids[0], completed=completed)

    try:
        yield advance
    finally:
        if bar is not None:
            bar.stop()


def check_output(output: str | None, inputs: Sequence[str]) -> None:
    """Raise for a file that cannot be written, or that is an input, before anything is read."""
    if output is not None and output != "-":
        check_writable(output)
        refuse_overwriting(output, inputs)
