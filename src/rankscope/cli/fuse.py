"""`rankscope fuse`."""

from __future__ import annotations

from typing import Any

import click

from rankscope.cli.options import check_output
from rankscope.errors import ParameterError
from rankscope.fusion.fused import fuse as fuse_runs
from rankscope.fusion.methods import METHODS
from rankscope.fusion.scaling import NORMALISATIONS
from rankscope.io.convert import convert, target_of
from rankscope.io.formats import FORMATS, outputs

__all__ = ["fuse"]


@click.command()
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option(
    "--method", type=click.Choice(list(METHODS)), default="rrf", show_default=True, help="How runs become one."
)
@click.option(
    "--normalise",
    type=click.Choice(list(NORMALISATIONS)),
    help="What is done to the scores of each list before. Default: min-max for the comb methods. min-max-inverted: "
    "lower scores are better, for any method.",
)
@click.option(
    "--weight",
    "weights",
    type=float,
    multiple=True,
    metavar="W",
    help="Of a run; repeat it for each, in their order. For "
    + ", ".join(name for name, known in METHODS.items() if known.weighted)
    + ".",
)
@click.option("--k", type=float, help="Of rrf, 60 by default: the more, the less the first ranks stand out.")
@click.option("--p", type=float, help="Of rbc, 0.8 by default: how far down a reader goes.")
@click.option("--gamma", type=float, help="Of comb-gmnz, 1 by default: the power of the number of runs.")
@click.option("--sigma", type=float, help="Of logn-isr, 0.01 by default: what is added to the number of runs.")
@click.option("--name", help="Of the fused run, its tag. Default: method and parameters.")
@click.option(
    "--input", "input_", type=click.Choice(list(FORMATS)), help="Format of the runs; told by content otherwise."
)
@click.option("--to", type=click.Choice(outputs()), help="Format of the output; told by its suffix otherwise.")
@click.option("-o", "--output", metavar="FILE", help="Write the fused run there; whole or not at all. - prints it.")
@click.option("--evaluate", "qrels", metavar="QRELS", help="Show the fused run beside its inputs, measured.")
@click.option(
    "-m", "--measure", "measures", multiple=True, help="With --evaluate, may be repeated; as `rankscope evaluate`."
)
def fuse(
    runs: tuple[str, ...],
    output: str | None,
    to: str | None,
    qrels: str | None,
    measures: tuple[str, ...],
    weights: tuple[float, ...],
    input_: str | None,
    **options: Any,
) -> None:
    """Fuse each RUN into one run, query by query.

    A query that some runs lack is fused from those that have it. Suffixes of FILE: as for `rankscope convert`.

    \b
    rankscope fuse bm25.run dense.run -o fused.run
    rankscope fuse bm25.run dense.run --method comb-mnz --normalise z-score -o fused.parquet
    rankscope fuse bm25.run dense.run --weight 1 --weight 2 --evaluate my.qrels -m nDCG@10
    """  # noqa: D301 - click keeps the lines after the character \b as they are
    if output is None and qrels is None:
        raise ParameterError("nothing to do with the fused run; add -o FILE to write it, or --evaluate QRELS")
    if measures and qrels is None:
        raise ParameterError("-m without --evaluate QRELS; add it, or leave -m out")
    if to is not None and output is None:
        raise ParameterError("--to without -o FILE; add it, or leave --to out")
    if output == "-" and qrels is not None:
        raise ParameterError("-o - and --evaluate both print; name a file to write to")
    if output is not None:
        target_of(output, to)
        check_output(output, (*runs, *((qrels,) if qrels else ())))
    if qrels is not None:
        refuse_stdin(runs)
        plan_measures(measures)
    fused = fuse_runs(list(runs), weights=weights or None, input=input_, **options)
    notes = () if qrels is not None else fused.notes  # the table says them too
    if output is not None:
        notes += convert(fused, output, to=to)[len(fused.notes) :]
    if qrels is not None:
        show_beside(fused, runs, qrels, measures, input_)
    for note in notes:
        click.echo(f"note: {note}", err=True)


def refuse_stdin(runs: tuple[str, ...]) -> None:
    """What is fused and then measured is read twice."""
    if "-" in runs:
        raise ParameterError("--evaluate reads the runs twice, and standard input can be read once; name a file")


def plan_measures(measures: tuple[str, ...]) -> None:
    """A misspelt measure is told before anything is read."""
    from rankscope.evaluation.conventions import make_plan

    make_plan(list(measures) or None)


def show_beside(fused: Any, runs: tuple[str, ...], qrels: str, measures: tuple[str, ...], input_: str | None) -> None:
    """The fused run, then its inputs, as `rankscope evaluate` prints them."""
    from rankscope.evaluation.engine import evaluate
    from rankscope.reporting.tables import render_scores

    scores = evaluate(qrels, [fused, *runs], list(measures) or None, input=input_)
    click.echo(render_scores(scores, "table"), nl=False)
