"""`rankscope agree`: the table of its commands; `judgments` and `labels`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from rankscope.cli._groups import LazyGroup
from rankscope.cli._options import evaluation_options, reading_workers
from rankscope.cli._output import bytes_progress
from rankscope.cli._results import pop_result_output, result_options
from rankscope.cli._sampling_options import CONFIDENCE_LEVEL, resamples_option, seed_option
from rankscope.errors import InputError, ParameterError
from rankscope.io.core import source_name
from rankscope.stats.confusion import NORMALISE

__all__ = [
    "agree",
]


#: Commands in files of their own: name -> import path, and a line for the overview.
COMMANDS = {
    "measures": ("rankscope.cli.agree.measures:measures", "Measures against measures: do they rank systems alike?"),
    "ranks": ("rankscope.cli.agree.ranks:ranks", "Rankings against people's, list by list (RankEval); or two runs."),
    "segments": (
        "rankscope.cli.agree.segments:segments",
        "Metrics against people: which translation of a segment is better?",
    ),
    "systems": ("rankscope.cli.agree.systems:systems", "Metrics against people: which of whole systems is better?"),
    "metrics": (
        "rankscope.cli.agree.metrics:metrics",
        "Metrics against each other: which agree best with people, which cannot be told apart?",
    ),
    "raters": ("rankscope.cli.agree.segments:raters", "People against each other, and each against itself."),
    "wmt12": ("rankscope.cli.agree.wmt12:wmt12", "WMT12 on segments and systems, reproduced from its files."),
}


class AgreeCommands(LazyGroup):
    """The commands of this file, and those of other files."""

    table = COMMANDS


@click.group(cls=AgreeCommands, invoke_without_command=True)
@click.pass_context
def agree(context: click.Context) -> None:
    """Do two judges agree, metrics with people, labels with true ones, measures with each other?

    \b
    rankscope agree judgments demo.qrels demo-judge.qrels
    rankscope agree segments --help                    what a command takes
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def agreement_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that agreement of judges and of labels share."""
    options = (
        click.option(
            "--beta",
            type=click.FloatRange(min=0, min_open=True),
            default=1.0,
            show_default=True,
            metavar="B",
            help="Weight of recall in F; 1 is F1.",
        ),
        click.option(
            "--normalise",
            type=click.Choice(NORMALISE),
            help="Show the confusion matrix as shares of each row, each column, or of all.",
        ),
        CONFIDENCE_LEVEL,
    )
    for option in reversed(options):
        command = option(command)
    return command


@agree.command(short_help="Two sets of judgments, as people against an LLM.")
@click.argument("qrels_a")
@click.argument("qrels_b")
@click.argument("runs", nargs=-1, metavar="[RUN]...")
@agreement_options
@click.option(
    "--judged",
    type=click.Choice(("both", "own")),
    default="both",
    show_default=True,
    help="Rank systems by the documents that both judged, or by all that each judge has of these queries.",
)
@resamples_option(2000, "Samples of queries, for intervals of correlations.")
@seed_option()
@evaluation_options
@result_options
def judgments(
    qrels_a: str,
    qrels_b: str,
    runs: tuple[str, ...],
    beta: float,
    normalise: str | None,
    confidence_level: float,
    judged: str,
    n_resamples: int,
    rng: int,
    measures: tuple[str, ...],
    rel: int,
    **options: Any,
) -> None:
    """Compare the judgments of QRELS_A, the reference, with those of QRELS_B; with RUNs, what B does to their ranking.

    \b
    rankscope agree judgments demo.qrels demo-judge.qrels
    rankscope agree judgments demo.qrels demo-judge.qrels bm25.run dense.run -m nDCG@10
    """
    from rankscope.comparison.judges import agree_judgments

    result_output = pop_result_output(options)
    result_output.check((qrels_a, qrels_b, *runs))
    if not runs and (measures or any(options[name] != default for name, default in RUN_OPTION_DEFAULTS.items())):
        raise ParameterError("measures and their options rank runs, and there is no RUN; name some or leave them out")
    with bytes_progress((*runs, *runs), "reading runs") as progress:
        workers = reading_workers(runs, options.pop("workers"))
        evaluation = {**options, "workers": workers, "progress": progress} if runs else {}
        result = agree_judgments(
            qrels_a,
            qrels_b,
            list(runs) or None,
            list(measures) or None,
            rel=rel,
            beta=beta,
            normalise=normalise,
            judged=judged,
            confidence_level=confidence_level,
            n_resamples=n_resamples,
            rng=rng,
            **evaluation,
        )
    result_output.show(result)


#: Options of evaluation and their defaults.
RUN_OPTION_DEFAULTS = {
    "preset": None,
    "missing": "zero",
    "no_relevant": None,
    "unjudged": "nonrelevant",
    "ties": None,
    "input": None,
    "total_ranks": None,
    "workers": None,
}


@agree.command(short_help="Predicted labels against true ones, from a table.")
@click.argument("file")
@agreement_options
@click.option("--positive", metavar="LABEL", help="The class that precision and recall are asked for.")
@result_options
def labels(
    file: str,
    beta: float,
    normalise: str | None,
    confidence_level: float,
    positive: str | None,
    **options: Any,
) -> None:
    """Compare the columns `true` and `predicted` of FILE: CSV, TSV, JSONL or Parquet, plain, .gz or .zst; - is
    standard input.

    Numbers may be written in any way (1, 1.0).

    \b
    rankscope agree labels demo-labels.csv --positive relevant
    """
    from rankscope.comparison.judges import agree_labels
    from rankscope.io.tables import find_label, read_label_pairs

    result_output = pop_result_output(options)
    result_output.check((file,))
    pairs = read_label_pairs(file)
    try:
        result = agree_labels(
            *pairs,
            positive=None if positive is None else find_label(positive, {*pairs.true, *pairs.predicted}),
            beta=beta,
            normalise=normalise,
            confidence_level=confidence_level,
        )
    except InputError as error:
        raise InputError(f"{source_name(file)}: {error}") from None
    result_output.show(result)
