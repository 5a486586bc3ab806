"""`rankscope mt-experiment`: metrics of translations trained on people's rankings, beside published results."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from typing import Any

import click

from rankscope.cli._groups import Command, option_group
from rankscope.cli._options import dask_option, details_option, format_option, workers_option
from rankscope.cli._output import progress_bar
from rankscope.cli._results import PAGE, PLOT_OPTION, figure_option, page_of, pop_result_output
from rankscope.cli._setting_options import setting_options, take_settings
from rankscope.errors import ParameterError
from rankscope.io.core import compress, make_folder, write_folder
from rankscope.reporting.tables import RESULT_FORMATS, render_result
from rankscope.translation.experiment import (
    ExperimentSettings,
    TranslationExperiment,
    lines_of_tests,
    run_experiment,
    score_lines,
)

__all__ = [
    "mt_experiment",
    "write_result_files",
]


@click.command("mt-experiment", cls=Command)
@click.option(
    "--data", "folder", required=True, metavar="DIR", help="Folder with wmt12/, wmt11/, wmt13/ and mt-train/."
)
@option_group("Experiment", setting_options(ExperimentSettings))
@click.option(
    "--cache", metavar="DIR", help="Keep computed features in this folder. Default: FOLDER/cache with -o, else none."
)
@option_group("Large data", workers_option(default="all cores if the work is long enough"), dask_option)
@option_group(
    "Output",
    details_option(),
    click.option(
        "-o", "--output", metavar="FOLDER", help="Also write tables, tests, scores and a page to this folder."
    ),
    format_option([*RESULT_FORMATS, PAGE]),
    figure_option,
    PLOT_OPTION,
)
def mt_experiment(
    folder: str,
    output: str | None,
    cache: str | None,
    workers: int | None,
    details: bool,
    **options: Any,
) -> None:
    """Train translation metrics on human rankings, and compare the results with published values.

    The folder given with --data holds wmt12/ with wmt12.RNK_results.csv and plain/ (sources, references,
    system-outputs); wmt11/ and wmt13/ in the same form, if the protocol needs them; and parallel text as
    mt-train/SET/SET.LANGUAGE. With -o, computed features are kept: another protocol with the same -o FOLDER, or the
    same call after an interruption, reuses them.

    \b
    rankscope mt-experiment --data demo-mt --protocol cv --features nine,+chrF --seeds 1 -o found
    rankscope mt-experiment --data demo-mt --protocol cv --losses ListNet,RankNet --features nine --pairs de-en
    """
    settings, result_output = take_settings(ExperimentSettings, options), pop_result_output(options)
    result_output.check((folder,))
    bars = progress_bar(1.0, "features of translations"), progress_bar(1.0, "training")
    with nullcontext() if output is None else make_folder(output), bars[0] as reading, bars[1] as progress:
        result = run_experiment(
            folder,
            settings,
            cache=cache if cache is not None or output is None else f"{output}/cache",
            workers=workers,
            guarded=True,
            reading=reading,
            progress=progress,
        )
    if output is not None:
        write_result_files(result, output)
    result_output.show(result, details=details)


def write_result_files(result: TranslationExperiment, output: str) -> None:
    """Write PROTOCOL-tables.csv, -tests.csv, -page.html and -scores/METRIC.seg.scr.gz; all files or none.

    Without the packages that pages need, the page is skipped with a message on standard error. Raises OutputError.
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
    except ParameterError as error:  # the extra is not installed
        click.echo(f"rankscope: no page was written: {error}", err=True)
    write_folder(output, {f"{result.protocol}-{name}": chunks for name, chunks in files.items()})


def encode_texts(texts: Iterable[str]) -> Iterator[bytes]:
    return (text.encode("utf-8", "surrogateescape") for text in texts)
