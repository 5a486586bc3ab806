"""The options of `rankscope fuse`, and which of them exclude each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from rankscope.cli.cluster_option import cluster_option
from rankscope.data.votes import UNRANKED
from rankscope.errors import ParameterError
from rankscope.fusion.by_consensus import CONSENSUS
from rankscope.fusion.methods import METHODS
from rankscope.fusion.scaling import NORMALISATIONS
from rankscope.fusion.trained import TRAINED
from rankscope.io.formats import FORMATS, writable_formats
from rankscope.reporting.results import RESULT_FORMATS

__all__ = ["check_options", "fuse_options"]

Command = TypeVar("Command", bound=Callable[..., Any])

WEIGHTED = [name for name, known in METHODS.items() if known.weighted]
WEIGHTED += [name for name, known in TRAINED.items() if "weights" in known.takes]

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
#: What only --train understands, and what --parameters has settled.
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
    given = [name for name in NOT_WITH_PARAMETERS if options[name] not in (None, ())]
    if parameters is not None and given:
        raise ParameterError(f"--parameters has settled what {flag_of(given[0])} says; leave one of the two out")
    if train_on is None and (alone := [name for name in given if name in TRAINING_OPTIONS]):
        raise ParameterError(f"{flag_of(alone[0])} without --train QRELS; add it, or leave {flag_of(alone[0])} out")
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
