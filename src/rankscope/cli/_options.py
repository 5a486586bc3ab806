"""The options that commands share: measures, conventions, formats, `--cluster`; and the scores of the runs that they
name.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, TypeVar, cast

import click

from rankscope.cli._output import bytes_progress
from rankscope.data.scores import Scores
from rankscope.errors import ParameterError
from rankscope.evaluation.conventions import DEFAULT_MEASURES, MISSING, NO_RELEVANT, UNJUDGED, make_plan
from rankscope.evaluation.engine import evaluate as evaluate_runs
from rankscope.evaluation.joining import ENTITY, n_workers
from rankscope.io.core import FORMATS

__all__ = [
    "READING_OPTIONS",
    "cluster_option",
    "evaluate_files",
    "evaluation_options",
    "format_option",
    "measure_option",
    "output_options",
    "reading_workers",
    "refuse_workers",
    "resolve_format",
]


Command = TypeVar("Command", bound=Callable[..., Any])


def cluster_option(command: Command, needs: tuple[str, str] | None = None) -> Command:
    """Of each command that has --workers. The cluster is in use while the command runs, once all arguments are read.

    needs: an argument and its option without which nothing is sent to workers.
    """

    @click.option(
        "--cluster",
        metavar="ADDRESS",
        help="Of a Dask scheduler, as tcp://10.0.0.1:8786: its workers do the work. The result is the same.",
    )
    @click.option(
        "--cluster-timeout",
        type=click.FloatRange(min=0, min_open=True),
        metavar="SECONDS",
        help="With --cluster: how long it may take to answer and to have a worker. Default: 10.",
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


#: The format that a suffix of -o asks for, where it is one of the command's.
FORMAT_OF_SUFFIX = {
    ".csv": "csv",
    ".json": "json",
    ".jsonl": "jsonl",
    ".tex": "latex",
    ".md": "markdown",
    ".html": "html",
    ".parquet": "parquet",
}
#: Suffixes of what no command writes as text.
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
    """What is measured; default: the measures where nobody says."""
    return click.option(
        "-m",
        "--measure",
        "measures",
        metavar="MEASURE",
        multiple=True,
        help="What is computed, as nDCG@10; may be repeated, and `rankscope measures` lists all. Default: "
        f"{' '.join(default)}.",
    )


EVALUATION_OPTIONS = (
    measure_option(DEFAULT_MEASURES),
    click.option(
        "--preset", metavar="NAME", help="Conventions of a reference tool; see `rankscope measures --presets`."
    ),
    click.option(
        "--rel", type=int, default=1, show_default=True, metavar="N", help="Least relevance that counts as relevant."
    ),
    click.option(
        "--missing",
        type=click.Choice(list(MISSING)),
        default="zero",
        show_default=True,
        help="A query that a run lacks: counts as an empty ranking, is left out, or is refused.",
    ),
    click.option(
        "--no-relevant",
        type=click.Choice(list(NO_RELEVANT)),
        help="A query without relevant documents: what the measure says (zero, the default), left out, or 1.",
    ),
    click.option(
        "--unjudged",
        type=click.Choice(list(UNJUDGED)),
        default="nonrelevant",
        show_default=True,
        help="A document without judgment: not relevant, taken out of the list, or bounds of the value beside it.",
    ),
    click.option(
        "--ties",
        metavar="RULE",
        help="Documents of one score: doc_id_desc (default, as trec_eval), file, average or error.",
    ),
    click.option(
        "--input",
        "input",
        type=click.Choice(list(FORMATS)),
        help="Format of the runs; told by content otherwise. letor: QRELS is a label file, RUN files of predictions. "
        "entity-ranks: QRELS is a table of ranks, without runs.",
    ),
    click.option(
        "--total-ranks", type=int, metavar="N", help="How many items were ranked in all, for tables of ranks."
    ),
    click.option(
        "--workers",
        type=int,
        metavar="N",
        help="Processes. Default: all cores, where the work is long enough to pay. The result is the same.",
    ),
)
#: Those of them that say where the runs are and how they are read, not how they are measured.
READING_OPTIONS = ("input", "total_ranks", "workers")


def evaluation_options(command: Command) -> Command:
    """How runs are measured: the options of `evaluate` that every command has that starts from runs."""
    command = cluster_option(command)
    for option in reversed(EVALUATION_OPTIONS):
        command = option(command)
    return command


def format_option(formats: Sequence[str], *, told: bool = False) -> Callable[[Command], Command]:
    """In which format. told: whether the name of the output tells where nobody says it."""
    page = ", or as a page (html)" if "html" in formats else ""
    default = " Default: as the suffix of -o says, else table." if told else ""
    return click.option(
        "--format",
        "format_",
        type=click.Choice(list(formats)),
        default=None if told else "table",
        show_default=not told,
        help=f"To read (table), for a paper (latex, markdown), for programs (csv, json, jsonl){page}.{default}",
    )


def output_options(formats: Sequence[str]) -> Callable[[Command], Command]:
    """In which format, and where to."""
    format_ = format_option(formats, told=True)
    output = click.option(
        "-o", "--output", metavar="FILE", help="Write there instead of printing; whole or not at all."
    )

    def add(command: Command) -> Command:
        @wraps(command)
        def with_format(*args: Any, **options: Any) -> Any:
            options["format_"] = resolve_format(options["format_"], options["output"], formats)
            return command(*args, **options)

        return format_(output(cast(Command, with_format)))

    return add


def resolve_format(asked: str | None, output: str | None, formats: Sequence[str]) -> str:
    """The format that was asked for, or that the name of the output asks for.

    Raises ParameterError for a name of what no format is.
    """
    suffix = os.path.splitext(output or "")[1].lower()
    told = FORMAT_OF_SUFFIX.get(suffix)
    if told not in formats:
        told = None
    fits = told is not None and asked in (None, told)
    if suffix in UNKNOWN_SUFFIXES and not fits and asked != "html":  # pages say it so
        known = " ".join(suffix for suffix, form in FORMAT_OF_SUFFIX.items() if form in formats)
        raise ParameterError(f"{output}: no format here makes a {suffix} file; end its name in another way ({known})")
    return asked or told or "table"


def evaluate_files(
    qrels: str, runs: Sequence[str], measures: Sequence[str], *, on_error: str = "stop", **options: Any
) -> Scores:
    """What `evaluate` makes of these files; options: those of `evaluation_options`, whatever they are.

    A wrong argument is told before anything is read.
    """
    if not runs and options["input"] != ENTITY:
        from rankscope.io.trec import looks_like_rank_table

        what = f"; {qrels} looks like a table of ranks, which is read with --input {ENTITY}"
        raise click.UsageError(f"Missing argument 'RUN...'{what if looks_like_rank_table(qrels) else ''}.")
    chosen = list(measures) or None
    make_plan(chosen, **{name: value for name, value in options.items() if name not in READING_OPTIONS})
    options["workers"] = reading_workers(runs, options["workers"])
    with bytes_progress(runs, "reading runs") as progress:
        return evaluate_runs(qrels, list(runs) or None, chosen, progress=progress, on_error=on_error, **options)


def refuse_workers(options: dict[str, Any]) -> None:
    """Take the option out where judgments of people and of a machine share what was read, in this process."""
    from rankscope.parallel.cluster import current_cluster

    given = "--cluster" if current_cluster() is not None else "--workers"
    if options.pop("workers") is not None or current_cluster() is not None:
        raise ParameterError(f"{given} beside --machine, where each run is read once for both judges; leave it out")


def reading_workers(runs: Sequence[str], asked: int | None) -> int:
    """How many workers share the run files. Raises ParameterError."""
    return n_workers(asked, runs, guarded=True)
