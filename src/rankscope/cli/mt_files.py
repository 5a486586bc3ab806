"""The files that `rankscope mt-experiment -o FOLDER` writes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import click

from rankscope.cli.results import page_of
from rankscope.errors import OutputError, ParameterError
from rankscope.experiments.mt_outcome import TranslationExperiment
from rankscope.experiments.mt_score_files import lines_of_tests, score_lines
from rankscope.io.write import compressed, write_chunks, write_text
from rankscope.reporting.results import render_result

__all__ = ["folder_made", "write_folder"]


def check_folder(output: str) -> None:
    """Raise OutputError, before anything is read, where no folder can be made."""
    try:
        Path(output).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{output}: no folder can be made there ({error.strerror}); choose another") from None


@contextmanager
def folder_made(output: str | None) -> Iterator[None]:
    """The folder, from before anything is read; an error that leaves it empty takes away what was made of it.

    Raises OutputError.
    """
    if output is None:
        yield
        return
    path = Path(output)
    new = [folder for folder in (path, *path.parents) if not folder.exists()]
    check_folder(output)
    try:
        yield
    except BaseException:
        with suppress(OSError):  # something is in it, which is kept
            for folder in new:
                folder.rmdir()
        raise


def write_folder(result: TranslationExperiment, output: str) -> None:
    """PROTOCOL-tables.csv, PROTOCOL-tests.csv, PROTOCOL-page.html and PROTOCOL-scores/METRIC.seg.scr.gz.

    Without the packages that pages need there is none, which standard error says. Raises OutputError.
    """
    folder = Path(output)
    write_text(folder / f"{result.protocol}-tables.csv", render_result(result, "csv"))
    write_text(folder / f"{result.protocol}-tests.csv", "".join(lines_of_tests(result)))
    scores = folder / f"{result.protocol}-scores"
    check_folder(str(scores))
    for metric in next(iter(result.scores.values())):
        name = re.sub(r"[^\w]+", "-", metric).strip("-")
        lines = (part.encode("utf-8", "surrogateescape") for part in score_lines(result, metric))
        write_chunks(scores / f"{name}.seg.scr.gz", compressed(lines, ".gz"))
    try:
        page = page_of(result)
    except ParameterError as error:  # without the extra
        click.echo(f"rankscope: no page was written: {error}", err=True)
        return
    write_text(folder / f"{result.protocol}-page.html", page)
