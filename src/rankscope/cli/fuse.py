"""`rankscope fuse`."""

from __future__ import annotations

from typing import Any

import click

from rankscope.cli.fuse_options import check_options, fuse_options
from rankscope.cli.fuse_trained import fuse_trained, fuse_with_parameters
from rankscope.cli.options import check_output
from rankscope.data.run import Run
from rankscope.fusion.fused import fuse as fuse_runs
from rankscope.fusion.saved import save_fusion
from rankscope.io.convert import convert, parse_target
from rankscope.io.stamps import file_stamps, refuse_changed
from rankscope.io.streams import refuse_pipes
from rankscope.parallel.memory import keep_memory
from rankscope.reporting.results import render_result

__all__ = ["fuse"]


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
    """  # noqa: D301 - click keeps the lines after the character \b as they are
    learning = options["train_on"] is not None
    check_options(runs, output, to, qrels, measures, format_, options)
    keep_memory()
    if output is not None:
        parse_target(output, to)
        inputs = [path for path in (qrels, options["train_on"], options["parameters"]) if path]
        check_output(output, (*runs, *inputs))
    if qrels is not None:
        refuse_pipes(runs, "--evaluate reads the runs twice")
        check_measures(measures)
    before = file_stamps(runs)
    if learning:
        fused, shown = fuse_trained(runs, output, options)
    elif options["parameters"] is not None:
        fused = fuse_with_parameters(runs, options)
    else:
        fused = fuse_untrained(runs, options)
    notes = () if qrels is not None else fused.notes  # the table says them too
    if learning and output == "-":  # no table
        notes = (shown.summary(), *shown.notes)
    # Measured before anything is written: judgments that cannot be used leave no run behind.
    beside = None
    if qrels is not None:
        beside = evaluate_beside(fused, runs, qrels, measures, options["input_"], format_)
        refuse_changed(before)
    if learning and output != "-":
        click.echo(render_result(shown, format_) + ("\n\n" if qrels is not None else ""), nl=False)
    if learning and options["save_parameters"] is not None:
        save_fusion(shown, options["save_parameters"])
    if output is not None:
        notes += convert(fused, output, to=to)[len(fused.notes) :]
    if beside is not None:
        click.echo(beside, nl=False)
    for note in notes:
        click.echo(f"note: {note}", err=True)


def fuse_untrained(runs: tuple[str, ...], options: dict[str, Any]) -> Run:
    """By a method that learns nothing."""
    own = {name: options[name] for name in ("k", "p", "gamma", "sigma", "unranked", "name")}
    normalise = options["normalise"][0] if options["normalise"] else None
    method = options["methods"][0] if options["methods"] else "rrf"
    weights = options["weights"] or None
    return fuse_runs(list(runs), method, normalise=normalise, weights=weights, input=options["input_"], **own)


def check_measures(measures: tuple[str, ...]) -> None:
    """A misspelt measure is told before anything is read."""
    from rankscope.evaluation.conventions import make_plan

    make_plan(list(measures) or None)


def evaluate_beside(
    fused: Run, runs: tuple[str, ...], qrels: str, measures: tuple[str, ...], input_: str | None, format_: str
) -> str:
    """The fused run, then its inputs, as `rankscope evaluate` prints them."""
    from rankscope.evaluation.engine import evaluate

    return render_result(evaluate(qrels, [fused, *runs], list(measures) or None, input=input_), format_)
