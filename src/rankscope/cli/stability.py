"""`rankscope stability`: which measures are stable and can tell systems apart."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import click

from rankscope.cli._options import evaluation_options
from rankscope.cli._output import bytes_progress, progress_bar
from rankscope.cli._results import pop_result_output, result_options
from rankscope.errors import ParameterError
from rankscope.evaluation.joining import ENTITY
from rankscope.parallel import all_cores
from rankscope.stability.result import PARTS
from rankscope.stability.studies import SWAP_SETS, check_study
from rankscope.stability.studies import study as study_measures

__all__ = [
    "stability",
]


#: Formats for programs, which hold one table.
DATA = ("csv", "json", "jsonl", "parquet")


class NumberList(click.ParamType):  # type: ignore[type-arg]  # click before 8.4 takes none
    """Numbers with commas between them."""

    def __init__(self, kind: Callable[[str], Any], name: str) -> None:
        self.kind = kind
        self.name = name

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            return tuple(self.kind(number) for number in value.split(","))
        except ValueError:
            self.fail(f"{value!r}, expected {self.name}, with commas between several", param, ctx)


WHOLE_NUMBERS, REAL_NUMBERS = NumberList(int, "a whole number"), NumberList(float, "a number")


@contextmanager
def checkpoint_advice(checkpoint: str | None) -> Iterator[None]:
    """Make Ctrl-C say that a checkpoint was saved, and how to continue."""
    try:
        yield
    except KeyboardInterrupt as error:
        if checkpoint is not None:
            error.add_note(f"what was finished is kept in {checkpoint}, and the same command goes on from there")
        raise


@click.command()
@click.argument("qrels")
@click.argument("runs", nargs=-1, metavar="RUN...")
@evaluation_options
@click.option("--cutoffs", type=WHOLE_NUMBERS, metavar="N,...", help="For measures that are named without one.")
@click.option("--sigs", type=REAL_NUMBERS, metavar="A,...", help="Levels of significance. Default: 0.01,0.05,0.1.")
@click.option("--splits", type=WHOLE_NUMBERS, metavar="N,...", help="Groups of entities (10), or sets of queries (2).")
@click.option("--systems", type=WHOLE_NUMBERS, metavar="N,...", help="Draw so many of the systems. Default: all.")
@click.option(
    "--entities", type=WHOLE_NUMBERS, metavar="N,...", help="Draw so many entities, or queries. Default: all."
)
@click.option("--set-size", type=WHOLE_NUMBERS, metavar="N,...", help="Queries in a set, in the place of --splits.")
@click.option(
    "--fuzz",
    type=REAL_NUMBERS,
    default="0.05",
    show_default=True,
    metavar="F,...",
    help="Systems tie whose means differ by at most this share of the greater.",
)
@click.option("--iter", "iterations", type=int, default=50, show_default=True, metavar="N", help="Random draws.")
@click.option("--boot", type=int, default=1000, show_default=True, metavar="N", help="Bootstrap samples of each draw.")
@click.option(
    "--seed", type=click.IntRange(min=0), metavar="N", help="Of the random numbers; drawn and shown otherwise."
)
@click.option(
    "--error-tie/--no-error-tie",
    default=True,
    show_default=True,
    help="Whether error, tie, t and used rates are wanted.",
)
@click.option("--swap", is_flag=True, help="Decide pairs by the swap method, and not by the bootstrap.")
@click.option(
    "--swap-sets",
    type=click.Choice(SWAP_SETS),
    default="bootstrap",
    show_default=True,
    help="Sets of the swap method: drawn with replacement, or without a query in common.",
)
@click.option("--ablation", is_flag=True, help="Drop judgments too, at random and by depth. Of runs only.")
@click.option(
    "--print",
    "parts",
    type=click.Choice([*PARTS, "ablation", "all"]),
    default="all",
    show_default=True,
    help="Measures, values of systems, which systems are better, what dropped judgments do, or all.",
)
@click.option("--checkpoint", metavar="DIR", help="Keep what is finished there, and go on from there.")
@result_options
def stability(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    sigs: tuple[float, ...] | None,
    boot: int,
    seed: int | None,
    workers: int | None,
    parts: str,
    **options: Any,
) -> None:
    """Which measures can be trusted on these RUNs, or on a table of ranks.

    Sets of queries are drawn at random, again and again: how often does a measure order two systems otherwise than
    most sets do, how often can it not tell them apart, and how many queries does it take? With --input entity-ranks
    QRELS is a table of the ranks of known entities, which are cut at random into groups that act as queries.

    \b
    rankscope stability demo.qrels *.run -m AP -m P@10 --set-size 10,25 --seed 7
    rankscope stability demo-ranks.tsv --input entity-ranks --splits 5,10 --checkpoint saved/
    """
    result_output = pop_result_output(options)
    conventions = {name: options.pop(name) for name in ("rel", "ties", "missing", "no_relevant", "unjudged")}
    if parts == "ablation":
        options["ablation"] = True
    elif options["ablation"] and result_output.format_ in DATA:
        raise ParameterError(
            "the ablation has a table of its own, which --print ablation gives; leave --ablation out here"
        )
    n_workers = all_cores() if workers is None else workers
    check_study(options["iterations"], boot, n_workers, options["swap_sets"])
    result_output.check((qrels, *runs))
    checkpoint = options["checkpoint"]
    output = result_output.output
    if checkpoint is not None and output and os.path.realpath(checkpoint) == os.path.realpath(output):
        raise ParameterError(f"{checkpoint}: is to hold the checkpoint and the output both; name two places")
    if not runs and options["input"] != ENTITY:
        raise click.UsageError("Missing argument 'RUN...'.")
    if len(runs) == 1 and options["input"] != ENTITY:
        raise ParameterError(
            f"one run has nothing to be compared with: {runs[0]}, where {qrels} holds the judgments; name at least 2"
        )
    with (
        checkpoint_advice(options["checkpoint"]),
        bytes_progress(runs, "reading runs") as reading,
        progress_bar(1.0, "trying measures") as progress,
    ):
        result = study_measures(
            qrels,
            list(runs) or None,
            list(measures) or None,
            levels=sigs,
            n_resamples=boot,
            rng=seed,
            workers=n_workers,
            reading=reading,
            progress=progress,
            conventions=conventions,
            **options,
        )
    if parts == "ablation" and result.ablation is not None:
        result_output.show(result.ablation)
        return
    if parts != "all":
        result = replace(result, parts=(parts,))
    result_output.show(result)
