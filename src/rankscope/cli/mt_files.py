"""The files that `rankscope mt-experiment -o FOLDER` writes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import click

from rankscope.cli.results import page_of
from rankscope.errors import ParameterError
from rankscope.experiments.mt_outcome import TranslationExperiment
from rankscope.experiments.mt_score_files import lines_of_tests, score_lines
from rankscope.io.write import compress, write_folder
from rankscope.reporting.results import render_result

__all__ = ["write_result_files"]


def write_result_files(result: TranslationExperiment, output: str) -> None:
    """PROTOCOL-tables.csv, PROTOCOL-tests.csv, PROTOCOL-page.html and PROTOCOL-scores/METRIC.seg.scr.gz; all or none.

    Without the packages that pages need there is none, which standard error says. Raises OutputError.
    """
    files: dict[str, Iterable[bytes]] = {
        "tables.csv": encode_texts([render_result(result, "csv")]),
        "tests.csv": encode_texts(lines_of_tests(result)),
    }
    for metric in next(iter(result.scores.values())):
        name = re.sub(r"[^\w]+", "-", metric).strip("-")
        files[f"scores/{name}.seg.scr.gz"] = compress(encode_texts(score_lines(result, metric)), ".gz")
    try:
        files["page.html"] = encode_texts([page_of(result)])
    except ParameterError as error:  # without the extra
        click.echo(f"rankscope: no page was written: {error}", err=True)
    write_folder(output, {f"{result.protocol}-{name}": chunks for name, chunks in files.items()})


def encode_texts(texts: Iterable[str]) -> Iterator[bytes]:
    return (text.encode("utf-8", "surrogateescape") for text in texts)
