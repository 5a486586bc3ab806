"""`rankscope fuse`: many runs into one run."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar

import click

from rankscope.cli._options import cluster_option
from rankscope.cli._output import check_output, progress_bar
from rankscope.cli._setting_options import is_given, setting_options, take_settings
from rankscope.data.run import Run
from rankscope.errors import ParameterError
from rankscope.fusion.fuse_runs import fuse_pool
from rankscope.fusion.methods import CONSENSUS, METHODS, FusionSettings
from rankscope.fusion.normalisation import NORMALISATIONS
from rankscope.fusion.supervised import TRAINED
from rankscope.fusion.tuning import TrainedFusion, TrainingSettings, load_fusion, save_fusion
from rankscope.io.convert import convert, parse_target
from rankscope.io.core import FORMATS, file_stamps, refuse_changed, refuse_pipes, writable_formats
from rankscope.parallel.memory import keep_memory
from rankscope.reporting.tables import RESULT_FORMATS, render_result

__all__ = [
    "check_options",
    "fuse",
    "fuse_options",
    "fuse_trained",
    "fuse_with_parameters",
]


Command = TypeVar("Command", bound=Callable[..., Any])
METHOD_OPTIONS = (
    click.option(
        "--method",
        "methods",
        type=click.Choice([*METHODS, *TRAINED, *CONSENSUS]),
        metavar="METHOD",
        multiple=True,
        help=f"Fusion method: {', '.join(METHODS)}; or a method of `rankscope consensus`, as {CONSENSUS[0]}. Default: "
        f"rrf. With --train also {', '.join(TRAINED)}; repeat it to choose among several methods.",
    ),
    click.option(
        "--normalise",
        "normalisations",
        type=click.Choice(list(NORMALISATIONS)),
        multiple=True,
        help="Normalisation of the scores of each list. Default: min-max, for methods that use scores. "
        "min-max-inverted: lower scores are better, for any method. With --train, repeat it to choose among several.",
    ),
    setting_options(FusionSettings),
)
TRAINING_OPTIONS = (
    click.option(
        "--train",
        "train_on",
        metavar="QRELS",
        help="Choose settings and learn parameters from these judgments. Each query is fused with what was learned "
        "from other queries. Settings that are given, such as --k, are not tuned.",
    ),
    setting_options(TrainingSettings, hint="Needs --train."),
    click.option(
        "--workers",
        type=int,
        metavar="N",
        help="With --train: number of processes. Default: all cores, if that is faster. The result does not depend "
        "on it.",
    ),
    click.option(
        "--save-parameters",
        metavar="FILE",
        help="With --train: write what was learned from all queries to this file (JSON).",
    ),
    click.option(
        "--parameters",
        metavar="FILE",
        help="Fuse with parameters that --save-parameters wrote, without other settings.",
    ),
)
OUTPUT_OPTIONS = (
    click.option(
        "--name", metavar="NAME", help="Name (tag) of the fused run. Default: the method with its parameters."
    ),
    click.option(
        "--input",
        "input_",
        type=click.Choice(list(FORMATS)),
        help="Format of the runs. Default: detected from their content.",
    ),
    click.option("--to", type=click.Choice(writable_formats()), help="Format of the output. Default: by its suffix."),
    click.option("-o", "--output", metavar="FILE", help="Write the fused run to this file (atomically); - prints it."),
    click.option(
        "--evaluate", "qrels", metavar="QRELS", help="Evaluate the fused run and its inputs with these judgments."
    ),
    click.option(
        "-m",
        "--measure",
        "measures",
        metavar="MEASURE",
        multiple=True,
        help="With --evaluate: measure, as for `rankscope evaluate`; may be repeated.",
    ),
    click.option(
        "--format",
        "format_",
        type=click.Choice(list(RESULT_FORMATS)),
        default="table",
        show_default=True,
        help="Format of the table that --train or --evaluate prints.",
    ),
)
#: Values of --train alone, and those that --parameters reads from its file; by the names of their options.
WITH_TRAINING = {
    "measure": "--tune-on",
    "refine": "--refine",
    "folds": "--folds",
    "rel": "--rel",
    "seed": "--seed",
    "workers": "--workers",
    "save_parameters": "--save-parameters",
}
NOT_WITH_PARAMETERS = {
    "normalisations": "--normalise",
    "weights": "--weight",
    "k": "--k",
    "p": "--p",
    "gamma": "--gamma",
    "sigma": "--sigma",
    "unranked": "--unranked",
    "train_on": "--train",
    **WITH_TRAINING,
}


def fuse_options(command: Command) -> Command:
    command = cluster_option(command, needs=("train_on", "--train"))
    for option in reversed((*METHOD_OPTIONS, *TRAINING_OPTIONS, *OUTPUT_OPTIONS)):
        command = option(command)
    return command


def check_options(
    runs: tuple[str, ...],
    output: str | None,
    to: str | None,
    qrels: str | None,
    measures: tuple[str, ...],
    format_: str,
    options: dict[str, Any],
) -> None:
    """Raise ParameterError for options that make no sense together."""
    train_on, parameters = options["train_on"], options["parameters"]
    given_flags = {name: flag for name, flag in NOT_WITH_PARAMETERS.items() if is_given(name)}
    if parameters is not None and given_flags:
        flag = next(iter(given_flags.values()))
        raise ParameterError(f"--parameters already sets what {flag} says; leave one of the two out")
    if train_on is None and (training_flags := [given_flags[name] for name in given_flags if name in WITH_TRAINING]):
        flag = training_flags[0]
        raise ParameterError(f"{flag} without --train QRELS; add it, or leave {flag} out")
    if train_on is None:
        check_single(options)
    if train_on is None and parameters is None:
        check_untrained(options)
    if train_on is not None and (options["unranked"] or not set(CONSENSUS).isdisjoint(options["methods"])):
        raise ParameterError("consensus methods have nothing to learn from --train; leave one of the two out")
    if output is None and qrels is None and train_on is None:
        raise ParameterError("nothing to do with the fused run; add -o FILE to write it, or --evaluate QRELS")
    if measures and qrels is None:
        raise ParameterError("-m without --evaluate QRELS; add it, or leave -m out")
    if to is not None and output is None:
        raise ParameterError("--to without -o FILE; add it, or leave --to out")
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
            raise ParameterError(f"{flag} is given {len(options[name])} times, and only --train QRELS chooses")


def check_format(format_: str, output: str | None, qrels: str | None, train_on: str | None) -> None:
    if qrels is not None and train_on is not None:
        raise ParameterError(
            f"--format {format_} is one table, and --train and --evaluate print one each; write the fused run with -o "
            "and measure it with `rankscope evaluate`"
        )
    if qrels is None and (train_on is None or output == "-"):
        raise ParameterError(f"--format {format_} is for the table of --train or --evaluate, and none is printed")


@click.command()
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

    A query that some runs lack is fused from the runs that have it. The suffix of FILE sets the format, as for
    `rankscope convert`. With --train, each judged query is fused with what was learned from other queries.

    \b
    rankscope fuse bm25.run dense.run -o fused.run
    rankscope fuse bm25.run dense.run --method comb-mnz --normalise z-score -o fused.parquet
    rankscope fuse bm25.run dense.run --weight 1 --weight 2 --evaluate demo.qrels -m nDCG@10
    rankscope fuse bm25.run dense.run rerank.run --method consensus:schulze -o fused.run
    rankscope fuse bm25.run dense.run --method weighted-sum --train demo.qrels --save-parameters my.json
    rankscope fuse bm25.run dense.run --parameters my.json -o fused.run
    """
    is_trained = options["train_on"] is not None
    check_options(runs, output, to, qrels, measures, format_, options)
    keep_memory()
    if output is not None:
        parse_target(output, to)
        inputs = [path for path in (qrels, options["train_on"], options["parameters"]) if path]
        check_output(output, (*runs, *inputs))
    if qrels is not None:
        refuse_pipes(runs, "--evaluate reads the runs twice")
        check_measures(measures)
    stamps = file_stamps(runs)
    if is_trained:
        fused, trained_fusion = fuse_trained(runs, output, options)
    elif options["parameters"] is not None:
        fused = fuse_with_parameters(runs, options)
    else:
        fused = fuse_untrained(runs, options)
    notes = () if qrels is not None else fused.notes  # the table has them, too
    if is_trained and output == "-":  # no table
        notes = (trained_fusion.summary(), *trained_fusion.notes)
    # Evaluate before anything is written, so that unusable judgments leave no run behind.
    evaluation_text = None
    if qrels is not None:
        evaluation_text = evaluate_beside(fused, runs, qrels, measures, options["input_"], format_)
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


def fuse_untrained(runs: tuple[str, ...], options: dict[str, Any]) -> Run:
    """The runs fused by a method without training."""
    method = options["methods"][0] if options["methods"] else FusionSettings.method
    normalise = options["normalisations"][0] if options["normalisations"] else None
    settings = take_settings(FusionSettings, options, method=method, normalise=normalise)
    return fuse_pool(list(runs), settings, input=options["input_"], name=options["name"])


def check_measures(measures: tuple[str, ...]) -> None:
    """Raise for a misspelt measure, before any file is read."""
    from rankscope.evaluation.conventions import make_plan

    make_plan(list(measures) or None)


def evaluate_beside(
    fused: Run, runs: tuple[str, ...], qrels: str, measures: tuple[str, ...], input_: str | None, format_: str
) -> str:
    """The fused run, then its inputs, as `rankscope evaluate` prints them."""
    from rankscope.evaluation.engine import evaluate

    return render_result(evaluate(qrels, [fused, *runs], list(measures) or None, input=input_), format_)


def fuse_trained(runs: tuple[str, ...], output: str | None, options: dict[str, Any]) -> tuple[Run, TrainedFusion]:
    """The runs, each query fused with parameters learned from other queries, and the result of training."""
    from rankscope.fusion.tuning import train_fusion

    path = options["save_parameters"]
    if path == "-":
        raise ParameterError("parameters are for later use; name a file with --save-parameters")
    check_output(path, (*runs, options["train_on"]))
    if path is not None and output not in (None, "-") and os.path.realpath(path) == os.path.realpath(output):
        raise ParameterError(f"{path}: cannot hold both the fused run and the parameters; name two files")
    given_settings = {name: options[name] for name in ("k", "p", "gamma", "sigma") if options[name] is not None}
    if options["weights"]:
        given_settings["weights"] = list(options["weights"])
    settings = take_settings(
        TrainingSettings,
        options,
        methods=options["methods"] or (FusionSettings.method,),
        normalisations=options["normalisations"] or None,
        settings=given_settings,
    )
    with progress_bar(1.0, "tuning") as progress:
        trained_fusion = train_fusion(
            options["train_on"],
            list(runs),
            settings,
            input=options["input_"],
            workers=options["workers"],
            progress=progress,
        )
    fused = trained_fusion.cross_fitted
    assert fused is not None  # as train gives it
    # The table of training has its notes.
    return Run.from_rows(fused.rows(), name=options["name"] or fused.name), trained_fusion


def fuse_with_parameters(runs: tuple[str, ...], options: dict[str, Any]) -> Run:
    """The runs fused with saved parameters."""
    trained_fusion = load_fusion(options["parameters"])
    for method in options["methods"]:
        if method != trained_fusion.method:
            raise ParameterError(
                f"{options['parameters']}: holds parameters of {trained_fusion.method}, and --method is {method}; "
                "leave --method out, or name the file of that method"
            )
    return trained_fusion.fuse(list(runs), input=options["input_"], name=options["name"])
