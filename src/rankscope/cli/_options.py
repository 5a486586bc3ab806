"""Options that commands share, each declared once, and the evaluation of run files."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import wraps
from typing import Any, TypeVar, cast

import click

from rankscope.cli._dependencies import depends_on
from rankscope.cli._groups import option_group
from rankscope.cli._output import bytes_progress
from rankscope.cli._setting_options import FormatChoice, is_given, setting_options, take_settings
from rankscope.data.entities import EntityRankSettings
from rankscope.data.scores import Scores
from rankscope.errors import ParameterError
from rankscope.evaluation.column_settings import ColumnSettings
from rankscope.evaluation.conventions import DEFAULT_MEASURES, ConventionSettings, InputSettings, RunErrorSettings
from rankscope.evaluation.engine import plan_and_join
from rankscope.evaluation.joining import ENTITY, n_workers
from rankscope.evaluation.query_settings import QuerySettings
from rankscope.evaluation.scoring import score_hits
from rankscope.io.core import FORMATS, writable_formats
from rankscope.io.core import with_columns as with_columns_of
from rankscope.settings import excludes, needs

__all__ = [
    "READING_OPTIONS",
    "READ_FOR_BOTH_JUDGES",
    "add_queries",
    "columns_option",
    "dask_option",
    "details_option",
    "evaluate_files",
    "evaluation_options",
    "file_option",
    "format_option",
    "given_flags",
    "holds_scores",
    "input_option",
    "load_scores",
    "machine_option",
    "measure_option",
    "missing_runs_error",
    "name_option",
    "output_option",
    "output_options",
    "query_options",
    "reading_workers",
    "resolve_format",
    "save_option",
    "score_file_options",
    "system_paths",
    "table_output_option",
    "to_option",
    "workers_option",
]


Command = TypeVar("Command", bound=Callable[..., Any])


def dask_option(command: Command) -> Command:
    """`--dask` and `--dask-timeout`, for each command with --workers. The command runs on the cluster."""

    @depends_on(
        excludes("workers", reason="the cluster has its own workers"),
        click.option(
            "--dask",
            metavar="ADDRESS",
            help="Address of a Dask scheduler, such as tcp://10.0.0.1:8786: its workers do the work. They do not "
            "change the result.",
        ),
    )
    @depends_on(
        needs("dask"),
        click.option(
            "--dask-timeout",
            type=click.FloatRange(min=0, min_open=True),
            metavar="SECONDS",
            help="Seconds to wait for the scheduler and its first worker. Default: 10.",
        ),
    )
    @functools.wraps(command)
    def on_cluster(*args: Any, dask: str | None, dask_timeout: float | None, **options: Any) -> Any:
        if dask is None:
            return command(*args, **options)
        import logging

        from rankscope.parallel.cluster import TIMEOUT, use

        logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # one line says what failed
        with use(dask, timeout=TIMEOUT if dask_timeout is None else dask_timeout):
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


def measure_option(default: Sequence[str] = (), *, hint: str = "") -> Callable[[Command], Command]:
    """`-m`, as `measures`. default: the measures if the option is missing. hint: a sentence after the help."""
    default_sentence = f" Default: {' '.join(default)}." if default else ""
    return click.option(
        "-m",
        "--measure",
        "measures",
        metavar="MEASURE",
        multiple=True,
        help=" ".join(
            filter(
                None,
                (f"Measure, such as nDCG@10; may be repeated. `rankscope measures` lists all.{default_sentence}", hint),
            )
        ),
    )


def workers_option(default: str = "all cores if that is faster") -> Callable[[Command], Command]:
    """`--workers`. default: how many processes work without it, in words."""
    return click.option(
        "--workers",
        type=int,
        metavar="N",
        help=f"Number of processes; it does not change the result. Default: {default}.",
    )


def input_option(
    help: str = "Format of the runs. Default: detected from their content.",
    formats: Collection[str] = FORMATS,
    *,
    name: str = "input_",
) -> Callable[[Command], Command]:
    """`--input`. formats: those of files of judgments and runs by default. name: of the option's value."""
    return click.option("--input", name, type=FormatChoice(list(formats)), help=help)


def to_option(help: str = "Format of the output. Default: by its suffix.") -> Callable[[Command], Command]:
    """`--to`: the format of judgments or runs that a command writes."""
    return click.option("--to", type=click.Choice(writable_formats()), help=help)


def output_option(
    help: str = "Write to this file instead of the terminal (atomically).",
    *,
    metavar: str = "FILE",
    name: str = "output",
    required: bool = False,
) -> Callable[[Command], Command]:
    """`-o` and `--output`. name: of the option's value."""
    return click.option("-o", "--output", name, metavar=metavar, required=required, help=help)


def table_output_option(command: Command) -> Command:
    """`-o TABLE`, for a command that writes features."""
    help = "Output file: .parquet, .csv, .tsv or .jsonl; any other name means SVMlight."
    return output_option(help, metavar="TABLE")(command)


def file_option(flag: str, help: str, *, name: str = "", several: bool = False) -> Callable[[Command], Command]:
    """An option that names an input file.

    name: of its value, if not the flag's. several: whether the option may be repeated.
    """
    return click.option(*filter(None, (flag, name)), metavar="FILE", multiple=several, help=help)


def name_option(help: str) -> Callable[[Command], Command]:
    """`--name`: of the run that a command writes."""
    return click.option("--name", metavar="NAME", help=help)


def save_option(help: str) -> Callable[[Command], Command]:
    """`--save`: a file of scores beside the output."""
    return click.option("--save", metavar="FILE", help=help)


def machine_option(help: str, *, metavar: str = "QRELS") -> Callable[[Command], Command]:
    """`--machine`: judgments of a machine beside those of people."""
    return click.option("--machine", metavar=metavar, help=help)


#: What --machine excludes where runs are read once for both judges.
READ_FOR_BOTH_JUDGES = (
    excludes("workers", "dask", reason="one process reads each run once for both judges"),
    excludes("total_ranks", reason="it is for tables of ranks"),
)


def details_option(
    help: str = "Also show the sections that are collapsed in the HTML page.",
) -> Callable[[Command], Command]:
    """`--details`."""
    return click.option("--details", is_flag=True, help=help)


#: Values of options and arguments that name judgments, runs or scores.
FILE_VALUES = (
    *("qrels", "qrels_a", "qrels_b", "runs", "source", "files", "judged", "machine", "train_on", "against", "queries"),
    *("train_file", "valid", "test_file"),
)


def columns_option(command: Command) -> Command:
    """`--columns`: what columns are called, for each command that reads tables of judgments, runs or scores.

    The command gets paths that know it.
    """

    @wraps(command)
    def with_columns(*args: Any, columns: dict[str, str] | None, **options: Any) -> Any:
        naming = ColumnSettings(columns=columns)
        for name in FILE_VALUES if columns else ():
            value = options.get(name)
            if isinstance(value, (tuple, list)):
                options[name] = type(value)(map(naming.path, value))
            elif isinstance(value, str):
                options[name] = naming.path(value)
        if columns:
            if options.get("texts") is not None:
                options["texts"] = with_columns_of(options["texts"], naming.of_texts)
            doc_of = naming.document_map(options.get("doc_of"))
            if "doc_of" in options:
                options["doc_of"] = doc_of
        return command(*args, **options)

    return setting_options(ColumnSettings)(cast(Command, with_columns))


def query_options(command: Command) -> Command:
    """What is known of the queries: the options of every command with statistics on queries."""
    return setting_options(QuerySettings)(command)


def add_queries(scores: Scores, settings: QuerySettings) -> Scores:
    """The scores with what the options say of their queries."""
    if settings == QuerySettings():
        return scores
    from rankscope.evaluation.query_table import with_queries

    return with_queries(scores, settings.queries, settings)


#: Values of the options that say how runs are read, not how they are measured.
READING_OPTIONS = ("input", "total_ranks", "workers")


def evaluation_options(command: Command, measures: Sequence[str] = DEFAULT_MEASURES, measure_hint: str = "") -> Command:
    """How runs are measured and read: the options of every command that starts from runs.

    measures: the default ones. measure_hint: a sentence at the end of the help of -m.
    """
    command = option_group("Large data", workers_option(), dask_option)(command)
    command = columns_option(setting_options(InputSettings)(command))
    command = setting_options(ConventionSettings)(command)
    return measure_option(measures, hint=measure_hint)(command)


#: What the formats are for, in the order of the help.
FORMAT_PURPOSES = {
    "for reading": ("table",),
    "for papers": ("latex", "markdown"),
    "for programs": ("csv", "json", "jsonl", "parquet"),
    "as trec_eval prints it": ("trec",),
    "as a web page": ("html",),
}


def format_option(
    formats: Sequence[str], *, from_suffix: bool = False, what: str = "Output format"
) -> Callable[[Command], Command]:
    """`--format`, as `format_`.

    from_suffix: whether the suffix of the output gives the default. what: the output that has this format.
    """
    purposes = {
        purpose: ", ".join(name for name in names if name in formats) for purpose, names in FORMAT_PURPOSES.items()
    }
    listed = ", ".join(f"{purpose} ({names})" for purpose, names in purposes.items() if names)
    default = " Default: by the suffix of -o, else table." if from_suffix else ""
    return click.option(
        "--format",
        "format_",
        type=click.Choice(list(formats)),
        default=None if from_suffix else "table",
        show_default=not from_suffix,
        help=f"{what}: {listed}.{default}",
    )


def output_options(formats: Sequence[str]) -> Callable[[Command], Command]:
    """`--format` and `--output`; the value of the format is never None."""

    def decorate(command: Command) -> Command:
        @wraps(command)
        def with_format(*args: Any, **options: Any) -> Any:
            options["format_"] = resolve_format(options["format_"], options["output"], formats)
            return command(*args, **options)

        return format_option(formats, from_suffix=True)(output_option()(cast(Command, with_format)))

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
            f"{output}: this command writes no {suffix} files; choose another suffix ({usual_suffixes})"
        )
    return requested or suffix_format or "table"


def evaluate_files(
    qrels: str, runs: Sequence[str], measures: Sequence[str], *, hash_lists: bool = False, **options: Any
) -> Scores:
    """Scores of these files. options: those of `evaluation_options`, and of `RunErrorSettings` if the command has them.

    hash_lists: whether hashes of the lists are kept. A wrong argument raises before any file is read.
    """
    if not runs and options["input"] != ENTITY:
        raise missing_runs_error(qrels)
    conventions, reading = take_settings(ConventionSettings, options), take_settings(InputSettings, options)
    errors, queries = take_settings(RunErrorSettings, options), take_settings(QuerySettings, options)
    table_settings = take_settings(EntityRankSettings, options)
    workers = reading_workers(runs, options["workers"])
    with bytes_progress(runs, "reading runs") as progress:
        plan, joined = plan_and_join(
            qrels,
            list(runs) or None,
            list(measures) or None,
            conventions,
            reading,
            errors,
            table_systems=table_settings.table_systems,
            workers=workers,
            hash_lists=hash_lists,
            progress=progress,
        )
        scores = score_hits(plan, joined)
    return add_queries(scores, queries)


def missing_runs_error(qrels: str) -> Exception:
    """The error for a file without runs: the file does not exist, or the runs are missing."""
    from rankscope.io.core import is_url, missing_file_error
    from rankscope.io.trec import looks_like_rank_table

    if qrels != "-" and not is_url(qrels) and not os.path.exists(qrels):
        return missing_file_error(qrels)
    context = click.get_current_context()
    takes_scores = any("--lower" in parameter.opts for parameter in context.command.params)
    if looks_like_rank_table(qrels):
        score_hint = "; if it holds scores, say which column holds the queries: --columns query=NAME"
        hint = f"{qrels} looks like a table of ranks: add --input {ENTITY}"
    else:
        score_hint = " (a file of scores needs the columns system, query and value)"
        hint = f"{qrels} is read as the judgments, and runs come after them"
    return click.UsageError(f"Missing argument 'RUN...'; {hint}{score_hint if takes_scores else ''}.")


def score_file_options(command: Command) -> Command:
    """How a file of scores is read: the options of every command that takes one in the place of judgments and runs."""
    from rankscope.evaluation.score_tables import ScoreTableSettings

    decorated: Command = setting_options(ScoreTableSettings)(command)
    return decorated


def holds_scores(qrels: str, runs: Sequence[str], options: dict[str, Any]) -> bool:
    """Whether the file in the place of judgments holds scores. options: with those of `score_file_options`.

    Raises ParameterError for options that need the other kind of file.
    """
    from rankscope.evaluation.read_scores import is_score_file, refuse_file_without_queries
    from rankscope.evaluation.score_tables import ScoreTableSettings
    from rankscope.io.trec import looks_like_rank_table

    flags = [setting.flag for name, setting in ScoreTableSettings.declared().items() if is_given(name)]
    # Without runs, standard input can only hold scores, and options tell what a table of names and numbers holds.
    is_named = not runs and (qrels == "-" or (bool(flags) and looks_like_rank_table(qrels)))
    if options["input"] is not None or not (is_named or is_score_file(qrels, alone=not runs)):
        if options["input"] is None:
            refuse_file_without_queries(qrels)
        flags = [flag for flag in flags if flag != "--systems" or options["input"] != ENTITY]
        if flags:
            raise ParameterError(f"{flags[0]} is for a file of scores, and {qrels} is none; leave it out")
        return False
    for name in (*ConventionSettings.declared(), *InputSettings.declared(), "workers"):
        if name in options and is_given(name):
            flag = f"--{name.replace('_', '-')}"
            advice = f"; if {qrels} holds judgments, name their column: --columns doc_id=NAME" if runs else ""
            raise ParameterError(f"{flag} is for judgments and runs, and {qrels} holds scores; leave it out{advice}")
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
        scores = read_score_files([qrels, *runs], list(measures) or None, settings)
        return add_queries(scores, take_settings(QuerySettings, options))
    return evaluate_files(qrels, runs, measures, table_systems=settings.table_systems, **options)


def system_paths(qrels: str, runs: Sequence[str], scores: Scores) -> Sequence[str]:
    """The files of the systems, where each file has one: the runs, or files of scores."""
    paths = (qrels, *runs)
    return paths if len(paths) == len(scores.systems) and len(runs) < len(scores.systems) else runs


def given_flags(names: Iterable[str]) -> list[str]:
    """The flags of the options that were given to the running command. names: of the options' values."""
    params = click.get_current_context().command.params
    return [max(param.opts, key=len) for param in params if param.name in set(names) and is_given(str(param.name))]


def reading_workers(runs: Sequence[str], workers: int | None) -> int:
    """How many workers share the run files. Raises ParameterError."""
    return n_workers(workers, runs, guarded=True)
