"""`rankscope diff`: which documents make the difference of two runs."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from rankscope.cli._groups import Command, option_group
from rankscope.cli._options import evaluation_options, file_option, missing_runs_error, reading_workers
from rankscope.cli._output import bytes_progress
from rankscope.cli._results import pop_result_output, result_options
from rankscope.cli._setting_options import setting_options, take_settings
from rankscope.comparison.diff import DEFAULT_MEASURE, DiffSettings, diff_files
from rankscope.errors import ParameterError
from rankscope.evaluation.conventions import ConventionSettings, InputSettings

__all__ = [
    "diff",
]


@click.command(cls=Command)
@click.argument("qrels", metavar="QRELS")
@click.argument("runs", nargs=-1, metavar="RUN_A RUN_B")
@option_group("Measure and data", partial(evaluation_options, measures=(DEFAULT_MEASURE,)))
@option_group(
    "Documents",
    setting_options(DiffSettings),
    file_option(
        "--texts",
        "Table with the texts of documents (columns text_id and title or text), of which the title or the beginning "
        "is shown.",
    ),
)
@option_group("Output", result_options)
def diff(qrels: str, runs: tuple[str, ...], measures: tuple[str, ...], texts: str | None, **options: Any) -> None:
    """Which documents make the difference of two runs, and by how much?

    What each document contributes sums to the difference of the measure. Without --query: whether relevant documents
    were found or lost, moved up or down, or came behind unjudged ones, and the queries and documents that weigh most.
    With --query: both lists of that query side by side.

    \b
    rankscope diff demo.qrels rerank.run bm25.run -m nDCG@10
    rankscope diff demo.qrels rerank.run bm25.run -m nDCG@10 --query 116
    rankscope diff demo.qrels rerank.run bm25.run -m AP --plot waterfall.svg
    rankscope diff demo.qrels bm25.run --ideal
    """
    settings, result_output = take_settings(DiffSettings, options), pop_result_output(options)
    conventions, reading = take_settings(ConventionSettings, options), take_settings(InputSettings, options)
    if len(measures) > 1:
        raise ParameterError(
            f"-m is given {len(measures)} times, expected once: documents explain the difference of one measure"
        )
    if not runs:
        raise missing_runs_error(qrels)
    result_output.check((qrels, *runs, *([texts] if texts is not None else [])))
    workers = reading_workers(runs, options["workers"])
    with bytes_progress(runs, "reading runs") as progress:
        result = diff_files(
            qrels,
            runs,
            measures[0] if measures else DEFAULT_MEASURE,
            settings,
            conventions,
            reading,
            texts=texts,
            workers=workers,
            progress=progress,
        )
    result_output.show(result)
