"""`rankscope stability`: which measures are stable and can tell systems apart."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import click

from rankscope.cli._groups import Command, option_group
from rankscope.cli._options import (
    evaluation_options,
    holds_scores,
    load_scores,
    missing_runs_error,
    query_options,
    score_file_options,
)
from rankscope.cli._output import bytes_progress, progress_bar
from rankscope.cli._results import pop_result_output, result_options
from rankscope.cli._setting_options import setting_options, take_settings
from rankscope.data.scores import Scores
from rankscope.errors import ParameterError
from rankscope.evaluation.conventions import ConventionSettings, InputSettings
from rankscope.evaluation.joining import ENTITY
from rankscope.evaluation.query_settings import QuerySettings
from rankscope.evaluation.query_table import QueryTable
from rankscope.evaluation.score_tables import ScoreTableSettings
from rankscope.parallel import all_cores, check_workers
from rankscope.stability.result import PARTS
from rankscope.stability.settings import StudySettings
from rankscope.stability.studies import study_measures

__all__ = [
    "stability",
]


#: Formats for programs, which hold one table.
DATA = ("csv", "json", "jsonl", "parquet")
PRINT_OPTION = click.option(
    "--print",
    "parts",
    type=click.Choice([*PARTS, "ablation", "all"]),
    default="all",
    show_default=True,
    help="What to print: the study of the measures (eval), the values of the systems (actual), which systems are "
    "better (significance), the effect of fewer judgments (ablation), or all.",
)
CHECKPOINT_OPTION = click.option(
    "--checkpoint",
    metavar="DIR",
    help="Folder for finished parts of the study; the same command continues an interrupted one.",
)


@contextmanager
def checkpoint_advice(checkpoint: str | None) -> Iterator[None]:
    """Make Ctrl-C say that a checkpoint was saved, and how to continue."""
    try:
        yield
    except KeyboardInterrupt as error:
        if checkpoint is not None:
            error.add_note(f"finished parts are kept in {checkpoint}; the same command continues from there")
        raise


@click.command(cls=Command)
@click.argument("qrels", metavar="QRELS|SCORES")
@click.argument("runs", nargs=-1, metavar="RUN...")
@option_group("Measures and data", evaluation_options)
@option_group("Measures and data", score_file_options)
@option_group("Queries that belong together", query_options)
@option_group("Study", setting_options(StudySettings))
@option_group("Output", PRINT_OPTION, CHECKPOINT_OPTION, result_options)
def stability(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    workers: int | None,
    parts: str,
    checkpoint: str | None,
    **options: Any,
) -> None:
    """Study which measures can be trusted on these RUNs, or on a table of ranks.

    Random sets of queries are drawn many times: how often does a measure order two systems differently from how it
    orders them on most sets, how often can it not distinguish them, and how many queries are needed? With --input
    entity-ranks, QRELS is a table of the ranks of known entities; random groups of entities act as queries.

    \b
    rankscope stability demo.qrels *.run -m AP -m P@10 --set-size 10,25 --seed 7
    rankscope stability demo-ranks.tsv --input entity-ranks --splits 5,10 --checkpoint saved/
    """
    result_output = pop_result_output(options)
    if parts == "ablation":
        options["ablation"] = True
    elif options["ablation"] and result_output.format_ in DATA:
        raise ParameterError("the ablation is a table of its own; replace --ablation by --print ablation")
    scores_options = dict(options) if holds_scores(qrels, runs, {**options, "workers": None}) else None
    table_settings = take_settings(ScoreTableSettings, options)
    conventions, reading = take_settings(ConventionSettings, options), take_settings(InputSettings, options)
    settings = take_settings(StudySettings, options, preset=conventions.preset)
    queries = QueryTable.of_settings(take_settings(QuerySettings, options))
    n_workers = all_cores() if workers is None else workers
    check_workers(n_workers)
    result_output.check((qrels, *runs))
    refuse_same_place(checkpoint, result_output.output)
    if reading.input != ENTITY and scores_options is None:
        refuse_few_runs(qrels, runs)
    with (
        checkpoint_advice(checkpoint),
        bytes_progress(runs, "reading runs") as bytes_read,
        progress_bar(1.0, "trying measures") as progress,
    ):
        data = (
            qrels
            if scores_options is None
            else load_scores(qrels, runs, measures, **{**scores_options, "workers": None})
        )
        result = study_measures(
            data,
            list(runs) or None if scores_options is None else None,
            None if not measures else list(data.measure_names if isinstance(data, Scores) else measures),
            settings,
            conventions,
            reading,
            table_systems=table_settings.table_systems if scores_options is None else (),
            queries=queries if scores_options is None else None,
            workers=n_workers,
            checkpoint=checkpoint,
            reading=bytes_read,
            progress=progress,
        )
    if parts == "ablation" and result.ablation is not None:
        result_output.show(result.ablation)
        return
    if parts != "all":
        result = replace(result, parts=(parts,))
    result_output.show(result)


def refuse_same_place(checkpoint: str | None, output: str | None) -> None:
    if checkpoint is not None and output and os.path.realpath(checkpoint) == os.path.realpath(output):
        raise ParameterError(f"{checkpoint}: the checkpoint and the output have the same name; name two places")


def refuse_few_runs(qrels: str, runs: tuple[str, ...]) -> None:
    """Raise for judgments with fewer than two runs."""
    if not runs:
        raise missing_runs_error(qrels)
    if len(runs) == 1:
        raise ParameterError(
            f"one run has nothing to be compared with: {runs[0]}, where {qrels} holds the judgments; name at least 2"
        )
