"""Options that commands share (measures, conventions, formats, `--cluster`), and the evaluation of run files."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, TypeVar, cast

import click

from rankscope.cli._output import bytes_progress
from rankscope.cli._setting_options import is_given, setting_options, take_settings
from rankscope.data.scores import Scores
from rankscope.errors import ParameterError
from rankscope.evaluation.conventions import DEFAULT_MEASURES, ConventionSettings, InputSettings
from rankscope.evaluation.engine import evaluate_runs
from rankscope.evaluation.joining import ENTITY, n_workers

__all__ = [
    "READING_OPTIONS",
    "cluster_option",
    "evaluate_files",
    "evaluation_options",
    "format_option",
    "holds_scores",
    "load_scores",
    "measure_option",
    "output_options",
    "reading_workers",
    "refuse_workers",
    "resolve_format",
    "score_file_options",
    "system_paths",
]


Command = TypeVar("Command", bound=Callable[..., Any])


def cluster_option(command: Command, needs: tuple[str, str] | None = None) -> Command:
    """`--cluster` and `--cluster-timeout`, for each command with --workers. The command runs on the cluster.

    needs: an argument and its option without which the command sends nothing to workers.
    """

    @click.option(
        "--cluster",
        metavar="ADDRESS",
        help="Address of a Dask scheduler, as tcp://10.0.0.1:8786, whose workers do the work. The result is the same.",
    )
    @click.option(
        "--cluster-timeout",
        type=click.FloatRange(min=0, min_open=True),
        metavar="SECONDS",
        help="With --cluster: seconds to wait for the scheduler and its first worker. Default: 10.",
    )
    @functools.wraps(command)
    def on_cluster(*args: Any, cluster: str | None, cluster_timeout: float | None, **options: Any) -> Any:
        if cluster is None:
            if cluster_timeout is not None:
                raise ParameterError("--cluster-timeout is for --cluster, which is not given; leave it out")
            return command(*args, **options)
        if options.get("workers") is not None:
            raise ParameterError("--workers beside --cluster, whose workers do the work; leave one of them out")
        if needs is not None and options[needs[0]] is None:
            raise ParameterError(f"--cluster is for {needs[1]}, which is not given; leave it out")
        import logging

        from rankscope.parallel.cluster import TIMEOUT, use

        logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # one line says what failed
        with use(cluster, timeout=TIMEOUT if cluster_timeout is None else cluster_timeout):
            return command(*args, **options)

    return on_cluster  # type: ignore[return-value]  # click calls it by name


#: Suffix of -o -> format, if the command has it.
FORMAT_OF_SUFFIX = {
    ".csv": "csv",
    ".json": "json",
    ".jsonl": "jsonl",
    ".tex": "latex",
    ".md": "markdown",
    ".html": "html",
    ".parquet": "parquet",
}
#: Suffixes of formats that no command writes as text.
UNKNOWN_SUFFIXES = (
    ".xlsx",
    ".xls",
    ".ods",
    ".parquet",
    ".pdf",
    ".docx",
    ".png",
    ".svg",
    ".zip",
    ".gz",
    ".zst",
    ".pkl",
    ".npy",
)


def measure_option(default: Sequence[str]) -> Callable[[Command], Command]:
    """`-m`. default: the measures if the option is missing."""
    return click.option(
        "-m",
        "--measure",
        "measures",
        metavar="MEASURE",
        multiple=True,
        help=f"Measure, as nDCG@10; may be repeated. `rankscope measures` lists all. Default: {' '.join(default)}.",
    )


EVALUATION_OPTIONS = (
    measure_option(DEFAULT_MEASURES),
    setting_options(ConventionSettings),
    setting_options(InputSettings),
    click.option(
        "--workers",
        type=int,
        metavar="N",
        help="Number of processes. Default: all cores if that is faster. The result does not depend on it.",
    ),
)
#: Those of them that say how runs are read, not how they are measured.
READING_OPTIONS = ("input", "total_ranks", "workers")


def evaluation_options(command: Command) -> Command:
    """How runs are measured: the options that every command has that starts from runs."""
    command = cluster_option(command)
    for option in reversed(EVALUATION_OPTIONS):
        command = option(command)
    return command


def format_option(formats: Sequence[str], *, from_suffix: bool = False) -> Callable[[Command], Command]:
    """`--format`. from_suffix: whether the suffix of the output gives the default."""
    page_hint = ", or as a page (html)" if "html" in formats else ""
    default = " Default: by the suffix of -o, else table." if from_suffix else ""
    return click.option(
        "--format",
        "format_",
        type=click.Choice(list(formats)),
        default=None if from_suffix else "table",
        show_default=not from_suffix,
        help=f"Output format: to read (table), for a paper (latex, markdown), for programs (csv, json, jsonl)"
        f"{page_hint}.{default}",
    )


def output_options(formats: Sequence[str]) -> Callable[[Command], Command]:
    """`--format` and `--output`."""
    add_format = format_option(formats, from_suffix=True)
    add_output = click.option(
        "-o", "--output", metavar="FILE", help="Write to this file instead of the terminal (atomically)."
    )

    def decorate(command: Command) -> Command:
        @wraps(command)
        def with_format(*args: Any, **options: Any) -> Any:
            options["format_"] = resolve_format(options["format_"], options["output"], formats)
            return command(*args, **options)

        return add_format(add_output(cast(Command, with_format)))

    return decorate


def resolve_format(requested: str | None, output: str | None, formats: Sequence[str]) -> str:
    """The requested format, or the format of the output's suffix.

    Raises ParameterError for a suffix that no format has.
    """
    suffix = os.path.splitext(output or "")[1].lower()
    suffix_format = FORMAT_OF_SUFFIX.get(suffix)
    if suffix_format not in formats:
        suffix_format = None
    suffix_agrees = suffix_format is not None and requested in (None, suffix_format)
    if suffix in UNKNOWN_SUFFIXES and not suffix_agrees and requested != "html":  # pages have their own message
        usual_suffixes = " ".join(suffix for suffix, format_ in FORMAT_OF_SUFFIX.items() if format_ in formats)
        raise ParameterError(
            f"{output}: no format here makes a {suffix} file; end its name in another way ({usual_suffixes})"
        )
    return requested or suffix_format or "table"


def evaluate_files(
    qrels: str, runs: Sequence[str], measures: Sequence[str], *, on_error: str = "stop", **options: Any
) -> Scores:
    """Scores of these files. options: those of `evaluation_options`.

    A wrong argument raises before any file is read.
    """
    if not runs and options["input"] != ENTITY:
        from rankscope.io.trec import looks_like_rank_table

        hint = f"; {qrels} looks like a table of ranks, which is read with --input {ENTITY}"
        raise click.UsageError(f"Missing argument 'RUN...'{hint if looks_like_rank_table(qrels) else ''}.")
    conventions, reading = take_settings(ConventionSettings, options), take_settings(InputSettings, options)
    workers = reading_workers(runs, options["workers"])
    with bytes_progress(runs, "reading runs") as progress:
        return evaluate_runs(
            qrels,
            list(runs) or None,
            list(measures) or None,
            conventions,
            reading,
            workers=workers,
            on_error=on_error,
            progress=progress,
        )


def score_file_options(command: Command) -> Command:
    """How a file of scores is read: the options of every command that takes one in the place of judgments and runs."""
    from rankscope.evaluation.score_tables import ScoreTableSettings

    decorated: Command = setting_options(ScoreTableSettings)(command)
    return decorated


def holds_scores(qrels: str, runs: Sequence[str], options: dict[str, Any]) -> bool:
    """Whether the file in the place of judgments holds scores. options: with those of `score_file_options`.

    Raises ParameterError for options that need the other kind of file.
    """
    from rankscope.evaluation.read_scores import is_score_file
    from rankscope.evaluation.score_tables import ScoreTableSettings

    if options["input"] is not None or not is_score_file(qrels, alone=not runs):
        for name, setting in ScoreTableSettings.declared().items():
            if options[name]:
                raise ParameterError(f"{setting.flag} is for a file of scores, and {qrels} is none; leave it out")
        return False
    for name in (*ConventionSettings.declared(), *InputSettings.declared(), "workers"):
        if name in options and is_given(name):
            flag = f"--{name.replace('_', '-')}"
            raise ParameterError(f"{flag} is for judgments and runs, and {qrels} holds scores; leave it out")
    return True


def load_scores(qrels: str, runs: Sequence[str], measures: Sequence[str], **options: Any) -> Scores:
    """Scores of these files: of runs, or read from files of scores in the place of judgments and runs.

    options: those of `evaluation_options` and `score_file_options`.
    """
    from rankscope.evaluation.read_scores import read_score_files
    from rankscope.evaluation.score_tables import ScoreTableSettings

    is_scores = holds_scores(qrels, runs, options)
    settings = take_settings(ScoreTableSettings, options)
    if is_scores:
        return read_score_files([qrels, *runs], list(measures) or None, settings)
    return evaluate_files(qrels, runs, measures, **options)


def system_paths(qrels: str, runs: Sequence[str], scores: Scores) -> Sequence[str]:
    """The files of the systems, where each file has one: the runs, or files of scores."""
    paths = (qrels, *runs)
    return paths if len(paths) == len(scores.systems) and len(runs) < len(scores.systems) else runs


def refuse_workers(options: dict[str, Any]) -> None:
    """Remove the options that --machine cannot use: workers, since both judges share the runs read in this process, and
    the total of tables of ranks.

    Raises ParameterError if they were given.
    """
    from rankscope.parallel.cluster import current_cluster

    flag = "--cluster" if current_cluster() is not None else "--workers"
    if options.pop("workers") is not None or current_cluster() is not None:
        raise ParameterError(f"{flag} beside --machine, where each run is read once for both judges; leave it out")
    if options.pop("total_ranks") is not None:
        raise ParameterError("--total-ranks beside --machine, which takes judgments and runs; leave it out")


def reading_workers(runs: Sequence[str], workers: int | None) -> int:
    """How many workers share the run files. Raises ParameterError."""
    return n_workers(workers, runs, guarded=True)
