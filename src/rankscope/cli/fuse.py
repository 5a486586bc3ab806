"""`rankscope fuse`: many runs into one run."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar

import click

from rankscope.cli._dependencies import depends_on
from rankscope.cli._groups import Command, option_group
from rankscope.cli._options import (
    columns_option,
    dask_option,
    format_option,
    input_option,
    measure_option,
    name_option,
    output_option,
    to_option,
    workers_option,
)
from rankscope.cli._output import check_output, progress_bar
from rankscope.cli._setting_options import option_of, setting_options, take_settings
from rankscope.data.chunks import MergingSettings
from rankscope.data.run import Run
from rankscope.errors import ParameterError
from rankscope.fusion.fuse_runs import fuse_pool
from rankscope.fusion.methods import CONSENSUS, FusionSettings
from rankscope.fusion.supervised import TRAINED
from rankscope.fusion.tuning import TrainedFusion, TrainingSettings, load_fusion, save_fusion
from rankscope.io.chunk_tables import merge_runs, merging_of
from rankscope.io.convert import convert, parse_target
from rankscope.io.core import file_stamps, refuse_changed, refuse_pipes
from rankscope.parallel.memory import keep_memory
from rankscope.reporting.tables import RESULT_FORMATS, render_result
from rankscope.settings import excludes, needs

__all__ = [
    "check_options",
    "fuse",
    "fuse_options",
    "fuse_trained",
    "fuse_with_parameters",
]


Function = TypeVar("Function", bound=Callable[..., Any])
#: Fields of `TrainingSettings` that a fusion without training also has.
ALSO_UNTRAINED = ("methods", "normalisations")
METHOD_OPTIONS = (
    *(option_of(TrainingSettings.declared()[name]) for name in ALSO_UNTRAINED),
    setting_options(FusionSettings),
)
TRAINING_OPTIONS = (
    depends_on(
        excludes("unranked", methods=CONSENSUS, reason="consensus methods have nothing to learn"),
        click.option(
            "--train",
            "train_on",
            metavar="QRELS",
            help="Choose settings and learn parameters from these judgments. Each query is fused with settings and"
            " parameters that were learned from other queries (cross-validation). Settings on the command "
            "line, such as --k, are fixed and not tuned.",
        ),
    ),
    depends_on(
        needs("train_on"),
        setting_options(TrainingSettings, without=ALSO_UNTRAINED),
        click.option(
            "--save-parameters",
            metavar="FILE",
            help="Write the parameters that were learned from all queries to this file (JSON).",
        ),
    ),
    depends_on(
        excludes(
            *("normalisations", *FusionSettings.declared(), "train_on"),
            reason="the file of the parameters sets everything",
        ),
        click.option(
            "--parameters",
            metavar="FILE",
            help="Fuse with the parameters that --save-parameters wrote; other settings cannot be given.",
        ),
    ),
)
EVALUATION_OPTIONS = (
    click.option(
        "--evaluate", "qrels", metavar="QRELS", help="Evaluate the fused run and its inputs with these judgments."
    ),
    depends_on(needs("qrels"), measure_option()),
)
OUTPUT_OPTIONS = (
    input_option(),
    columns_option,
    setting_options(MergingSettings),
    name_option("Name (tag) of the fused run. Default: the method with its parameters."),
    depends_on(needs("output"), to_option()),
    output_option("Write the fused run to this file (atomically); - prints it."),
    format_option(list(RESULT_FORMATS), what="Format of the table that --train or --evaluate prints"),
)


def fuse_options(command: Function) -> Function:
    for title, options in (
        ("Large data", (depends_on(needs("train_on"), workers_option(), dask_option),)),
        ("Output", OUTPUT_OPTIONS),
        ("Evaluation", EVALUATION_OPTIONS),
        ("Training", TRAINING_OPTIONS),
        ("Method", METHOD_OPTIONS),
    ):
        command = option_group(title, *options)(command)
    return command


def check_options(
    output: str | None,
    qrels: str | None,
    format_: str,
    options: dict[str, Any],
) -> None:
    """Raise ParameterError for methods, outputs and formats that make no sense with other options."""
    train_on, parameters = options["train_on"], options["parameters"]
    if train_on is None:
        check_single(options)
    if train_on is None and parameters is None:
        check_untrained(options)
    if output is None and qrels is None and train_on is None:
        raise ParameterError("nothing to do with the fused run; add -o FILE to write it, or --evaluate QRELS")
    if output == "-" and qrels is not None:
        raise ParameterError("-o - and --evaluate both print; name a file to write to")
    if format_ != "table":
        check_format(format_, output, qrels, train_on)


def check_untrained(options: dict[str, Any]) -> None:
    for method in options["methods"]:
        if method in TRAINED:
            raise ParameterError(
                f"{method} learns from judgments; add --train QRELS, or --parameters FILE with what was learned"
            )


def check_single(options: dict[str, Any]) -> None:
    for name, flag in (("methods", "--method"), ("normalisations", "--normalise")):
        if len(options[name]) > 1:
            raise ParameterError(
                f"{flag} is given {len(options[name])} times, expected once; only with --train QRELS can it be repeated"
            )


def check_format(format_: str, output: str | None, qrels: str | None, train_on: str | None) -> None:
    if qrels is not None and train_on is not None:
        raise ParameterError(
            f"--format {format_} is for one table, but --train and --evaluate print one each; write the fused run with "
            "-o and evaluate it with `rankscope evaluate`"
        )
    if qrels is None and (train_on is None or output == "-"):
        raise ParameterError(f"--format {format_} is for the table of --train or --evaluate, but no table is printed")


@click.command(cls=Command)
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@fuse_options
def fuse(
    runs: tuple[str, ...],
    output: str | None,
    to: str | None,
    qrels: str | None,
    measures: tuple[str, ...],
    format_: str,
    **options: Any,
) -> None:
    """Fuse the RUNs into one run, query by query.

    If a query is missing from some runs, the other runs are fused. The suffix of the output file (-o) sets the format,
    as for `rankscope convert`. With --train, each judged query is fused with settings and parameters that were learned
    from other judged queries (cross-validation).

    \b
    rankscope fuse bm25.run dense.run -o fused.run
    rankscope fuse bm25.run dense.run --method comb-mnz --normalise z-score -o fused.parquet
    rankscope fuse bm25.run dense.run --weight 1 --weight 2 --evaluate demo.qrels -m nDCG@10
    rankscope fuse bm25.run dense.run rerank.run --method consensus:schulze -o fused.run
    rankscope fuse bm25.run dense.run --method weighted-sum --train demo.qrels --save-parameters my.json
    rankscope fuse bm25.run dense.run --parameters my.json -o fused.run
    """
    is_trained = options["train_on"] is not None
    check_options(output, qrels, format_, options)
    keep_memory()
    if output is not None:
        parse_target(output, to)
        inputs = [path for path in (qrels, options["train_on"], options["parameters"]) if path]
        check_output(output, (*runs, *inputs))
    if qrels is not None:
        refuse_pipes(runs, "--evaluate reads the runs twice")
        check_measures(measures)
    stamps = file_stamps(runs)
    sources = merge_runs(list(runs), merging_of(take_settings(MergingSettings, options)), options["input_"])
    if is_trained:
        fused, trained_fusion = fuse_trained(runs, sources, output, options)
    elif options["parameters"] is not None:
        fused = fuse_with_parameters(sources, options)
    else:
        fused = fuse_untrained(sources, options)
    notes = () if qrels is not None else fused.notes  # the table has them, too
    if is_trained and output == "-":  # no table
        notes = (trained_fusion.summary(), *trained_fusion.notes)
    # Evaluate before anything is written, so that unusable judgments leave no run behind.
    evaluation_text = None
    if qrels is not None:
        evaluation_text = evaluate_beside(fused, sources, qrels, measures, options["input_"], format_)
        refuse_changed(stamps)
    if is_trained and output != "-":
        click.echo(render_result(trained_fusion, format_) + ("\n\n" if qrels is not None else ""), nl=False)
    if is_trained and options["save_parameters"] is not None:
        save_fusion(trained_fusion, options["save_parameters"])
    if output is not None:
        notes += convert(fused, output, to=to)[len(fused.notes) :]
    if evaluation_text is not None:
        click.echo(evaluation_text, nl=False)
    for note in notes:
        click.echo(f"note: {note}", err=True)


def fuse_untrained(runs: list[Any], options: dict[str, Any]) -> Run:
    """The runs fused by a method without training."""
    method = options["methods"][0] if options["methods"] else FusionSettings.method
    normalise = options["normalisations"][0] if options["normalisations"] else None
    settings = take_settings(FusionSettings, options, method=method, normalise=normalise)
    return fuse_pool(runs, settings, input=options["input_"], name=options["name"])


def check_measures(measures: tuple[str, ...]) -> None:
    """Raise for a misspelt measure, before any file is read."""
    from rankscope.evaluation.conventions import make_plan

    make_plan(list(measures) or None)


def evaluate_beside(
    fused: Run, runs: list[Any], qrels: str, measures: tuple[str, ...], input_: str | None, format_: str
) -> str:
    """The fused run, then its inputs, as `rankscope evaluate` prints them."""
    from rankscope.evaluation.engine import evaluate

    # The fused run has the notes of runs whose documents were merged.
    inputs = [Run.from_rows(run.rows(), name=run.name) if isinstance(run, Run) else run for run in runs]
    return render_result(evaluate(qrels, [fused, *inputs], list(measures) or None, input=input_), format_)


def fuse_trained(
    runs: tuple[str, ...], sources: list[Any], output: str | None, options: dict[str, Any]
) -> tuple[Run, TrainedFusion]:
    """The runs, each query fused with parameters learned from other queries, and the result of training."""
    from rankscope.fusion.tuning import train_fusion

    path = options["save_parameters"]
    if path == "-":
        raise ParameterError("parameters cannot be printed; name a file with --save-parameters")
    check_output(path, (*runs, options["train_on"]))
    if path is not None and output not in (None, "-") and os.path.realpath(path) == os.path.realpath(output):
        raise ParameterError(f"{path}: cannot hold both the fused run and the parameters; name two files")
    given_settings = {name: options[name] for name in ("k", "p", "gamma", "sigma") if options[name] is not None}
    if options["weights"]:
        given_settings["weights"] = list(options["weights"])
    settings = take_settings(
        TrainingSettings,
        options,
        methods=options.pop("methods") or (FusionSettings.method,),
        settings=given_settings,
    )
    with progress_bar(1.0, "tuning") as progress:
        trained_fusion = train_fusion(
            options["train_on"],
            sources,
            settings,
            input=options["input_"],
            workers=options["workers"],
            progress=progress,
        )
    fused = trained_fusion.cross_fitted
    assert fused is not None  # as train gives it
    # The table of training has its notes.
    return Run.from_rows(fused.rows(), name=options["name"] or fused.name), trained_fusion


def fuse_with_parameters(runs: list[Any], options: dict[str, Any]) -> Run:
    """The runs fused with saved parameters."""
    trained_fusion = load_fusion(options["parameters"])
    for method in options["methods"]:
        if method != trained_fusion.method:
            raise ParameterError(
                f"{options['parameters']}: holds parameters of {trained_fusion.method}, but --method is {method}; "
                "leave out --method, or name the file of that method"
            )
    return trained_fusion.fuse(runs, input=options["input_"], name=options["name"])
