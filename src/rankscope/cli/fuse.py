"""`rankscope fuse`: many runs into one run."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar

import click

from rankscope.cli._options import cluster_option
from rankscope.cli._output import check_output, progress_bar
from rankscope.data.run import Run
from rankscope.data.votes import UNRANKED
from rankscope.errors import ParameterError
from rankscope.fusion.by_consensus import CONSENSUS
from rankscope.fusion.fuse_runs import fuse as fuse_runs
from rankscope.fusion.methods import METHODS
from rankscope.fusion.normalisation import NORMALISATIONS
from rankscope.fusion.supervised import TRAINED
from rankscope.fusion.tuning import TrainedFusion, load_fusion, save_fusion
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
WEIGHTED = [name for name, method in METHODS.items() if method.takes_weights]
WEIGHTED += [name for name, method in TRAINED.items() if "weights" in method.default_setting]
FUSE_OPTIONS = (
    click.option(
        "--method",
        "methods",
        type=click.Choice([*METHODS, *TRAINED, *CONSENSUS]),
        metavar="METHOD",
        multiple=True,
        help=f"How runs become one: {', '.join(METHODS)}; {CONSENSUS[0]} and so on, the methods of `rankscope "
        f"consensus`. Default: rrf. With --train also {', '.join(TRAINED)}, and repeat it for methods to choose among.",
    ),
    click.option(
        "--normalise",
        type=click.Choice(list(NORMALISATIONS)),
        multiple=True,
        help="What is done to the scores of each list before. Default: min-max, for methods that look at scores. "
        "min-max-inverted: lower scores are better, for any method. With --train, repeat it to choose among several.",
    ),
    click.option(
        "--weight",
        "weights",
        type=float,
        multiple=True,
        metavar="W",
        help=f"Of a run; repeat it for each, in their order. For {', '.join(WEIGHTED)}.",
    ),
    click.option(
        "--k", type=float, metavar="K", help="Of rrf, 60 by default: the more, the less the first ranks stand out."
    ),
    click.option(
        "--p", type=float, metavar="P", help="Of rbc, between 0 and 1, 0.8 by default: how far down a reader goes."
    ),
    click.option(
        "--gamma", type=float, metavar="G", help="Of comb-gmnz, 1 by default: the power of the number of runs."
    ),
    click.option(
        "--sigma", type=float, metavar="S", help="Of logn-isr, 0.01 by default: what is added to the number of runs."
    ),
    click.option(
        "--unranked",
        type=click.Choice(UNRANKED),
        help="Of consensus: methods: where documents stand that a run lacks. Default: average, behind those it has.",
    ),
    click.option(
        "--train",
        "train_on",
        metavar="QRELS",
        help="Choose settings and learn parameters from these judgments. Each query is fused with what other queries "
        "taught. A setting that is given, as --k, is not tuned.",
    ),
    click.option("--tune-on", metavar="MEASURE", help="With --train: by what settings are chosen. Default: nDCG@10."),
    click.option(
        "--refine",
        is_flag=True,
        default=None,
        help="With --train: change the best weights further, one run after the other; for more than four runs.",
    ),
    click.option("--folds", type=int, metavar="N", help="With --train: cut the queries into so many. Default: 5."),
    click.option(
        "--rel", type=int, metavar="N", help="With --train: least relevance that counts as relevant. Default: 1."
    ),
    click.option("--seed", type=click.IntRange(min=0), metavar="N", help="With --train: of the folds. Default: 0."),
    click.option(
        "--workers",
        type=int,
        metavar="N",
        help="With --train: processes. Default: all cores, where the work is long enough to pay. The result is the "
        "same.",
    ),
    click.option(
        "--save-parameters", metavar="FILE", help="With --train: write what was learned from all queries there (JSON)."
    ),
    click.option("--parameters", metavar="FILE", help="Fuse with what --save-parameters wrote, and no other setting."),
    click.option("--name", metavar="NAME", help="Of the fused run, its tag. Default: method and parameters."),
    click.option(
        "--input", "input_", type=click.Choice(list(FORMATS)), help="Format of the runs; told by content otherwise."
    ),
    click.option(
        "--to", type=click.Choice(writable_formats()), help="Format of the output; told by its suffix otherwise."
    ),
    click.option("-o", "--output", metavar="FILE", help="Write the fused run there; whole or not at all. - prints it."),
    click.option("--evaluate", "qrels", metavar="QRELS", help="Show the fused run beside its inputs, measured."),
    click.option(
        "-m",
        "--measure",
        "measures",
        metavar="MEASURE",
        multiple=True,
        help="With --evaluate, may be repeated; as `rankscope evaluate`.",
    ),
    click.option(
        "--format",
        "format_",
        type=click.Choice(list(RESULT_FORMATS)),
        default="table",
        show_default=True,
        help="Of what --train or --evaluate prints.",
    ),
)
#: Options of --train only, and options whose values --parameters reads from its file.
TRAINING_OPTIONS = ("tune_on", "refine", "folds", "rel", "seed", "workers", "save_parameters")
NOT_WITH_PARAMETERS = ("normalise", "weights", "k", "p", "gamma", "sigma", "unranked", "train_on", *TRAINING_OPTIONS)
FLAGS = {"methods": "--method", "weights": "--weight", "train_on": "--train"}


def fuse_options(command: Command) -> Command:
    command = cluster_option(command, needs=("train_on", "--train"))
    for option in reversed(FUSE_OPTIONS):
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
    used_options = [name for name in NOT_WITH_PARAMETERS if options[name] not in (None, ())]
    if parameters is not None and used_options:
        raise ParameterError(f"--parameters has settled what {flag_of(used_options[0])} says; leave one of the two out")
    if train_on is None and (training_options := [name for name in used_options if name in TRAINING_OPTIONS]):
        flag = flag_of(training_options[0])
        raise ParameterError(f"{flag} without --train QRELS; add it, or leave {flag} out")
    if train_on is None:
        check_single(options)
    if train_on is None and parameters is None:
        check_untrained(options)
    if train_on is not None and (options["unranked"] or not set(CONSENSUS).isdisjoint(options["methods"])):
        raise ParameterError("methods of consensus have nothing to learn, as --train would have them; leave one out")
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
    for name in ("methods", "normalise"):
        if len(options[name]) > 1:
            raise ParameterError(f"{flag_of(name)} is given {len(options[name])} times, and only --train QRELS chooses")


def check_format(format_: str, output: str | None, qrels: str | None, train_on: str | None) -> None:
    if qrels is not None and train_on is not None:
        raise ParameterError(
            f"--format {format_} is one table, and --train and --evaluate print one each; write the fused run with -o "
            "and measure it with `rankscope evaluate`"
        )
    if qrels is None and (train_on is None or output == "-"):
        raise ParameterError(f"--format {format_} is of the table of --train or --evaluate, and none is printed")


def flag_of(name: str) -> str:
    return FLAGS.get(name, f"--{name.replace('_', '-')}")


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
    """Fuse each RUN into one run, query by query.

    A query that some runs lack is fused from those that have it. Suffixes of FILE: as for `rankscope convert`. With
    --train, a judged query is fused with what was learned from other queries.

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
    settings = {name: options[name] for name in ("k", "p", "gamma", "sigma", "unranked", "name")}
    normalise = options["normalise"][0] if options["normalise"] else None
    method = options["methods"][0] if options["methods"] else "rrf"
    weights = options["weights"] or None
    return fuse_runs(list(runs), method, normalise=normalise, weights=weights, input=options["input_"], **settings)


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
    from rankscope.fusion.tuning import train

    path = options["save_parameters"]
    if path == "-":
        raise ParameterError("parameters are for use later; say with --save-parameters which file they go to")
    check_output(path, (*runs, options["train_on"]))
    if path is not None and output not in (None, "-") and os.path.realpath(path) == os.path.realpath(output):
        raise ParameterError(f"{path}: is to hold the fused run and the parameters both; name two files")
    settings = {name: options[name] for name in ("k", "p", "gamma", "sigma") if options[name] is not None}
    if options["weights"]:
        settings["weights"] = list(options["weights"])
    option_names = {
        "measure": "tune_on",
        "rng": "seed",
        **{name: name for name in ("refine", "folds", "rel", "workers")},
    }
    with progress_bar(1.0, "tuning") as progress:
        trained_fusion = train(
            options["train_on"],
            list(runs),
            list(options["methods"]) or "rrf",
            normalise=list(options["normalise"]) or None,
            settings=settings,
            input=options["input_"],
            progress=progress,
            **{name: options[option] for name, option in option_names.items() if options[option] is not None},
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
