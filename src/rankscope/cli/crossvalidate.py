"""`rankscope crossvalidate`."""

from __future__ import annotations

from typing import Any

import click

from rankscope.cli.output import bytes_progress, progress_bar
from rankscope.cli.ranker_options import ranker_options, ranker_parameters
from rankscope.cli.results import result_options, take_showing
from rankscope.comparison.methods import TESTS
from rankscope.evaluation.conventions import NO_RELEVANT
from rankscope.experiments.crossvalidation import cross_validate
from rankscope.experiments.fold_data import source_files
from rankscope.experiments.measured_folds import MEASURES
from rankscope.parallel import all_cores

__all__ = ["crossvalidate"]


@click.command()
@click.argument("source", metavar="DIR")
@click.option(
    "--loss",
    "losses",
    multiple=True,
    metavar="LOSS",
    help="A ranker for each: listnet, listmle, ranknet, ...; linear:listnet is a linear one. Default: listnet.",
)
@click.option("-m", "--measure", "measures", multiple=True, help=f"May be repeated. Default: {' '.join(MEASURES)}.")
@click.option("--seeds", type=click.IntRange(min=1), default=3, show_default=True, metavar="N", help="Train so often.")
@click.option("--folds", type=click.IntRange(min=3), metavar="N", help="Of one file: cut its queries so. Default: 5.")
@click.option("--baseline", metavar="LOSS", help="Compare the others with this one, not all with each other.")
@click.option("--test", type=click.Choice(list(TESTS)), default="t", show_default=True, help="Between two rankers.")
@click.option("--importance", is_flag=True, help="Say what each feature is worth, too.")
@click.option("--rel", type=int, default=1, show_default=True, metavar="N", help="Least relevance that counts.")
@click.option(
    "--no-relevant",
    type=click.Choice(list(NO_RELEVANT)),
    help="A query without relevant documents: what the measure says (zero, the default), left out, or 1.",
)
@click.option("--cache", is_flag=True, help="Keep a binary copy beside each file, and read it the next time.")
@click.option("--workers", type=int, metavar="N", help="Processes. Default: all cores. The result is the same.")
@click.option("--details", is_flag=True, help="Show what is folded on a page, too.")
@ranker_options
@result_options
def crossvalidate(
    source: str,
    losses: tuple[str, ...],
    measures: tuple[str, ...],
    workers: int | None,
    details: bool,
    **options: Any,
) -> None:
    """Train and test rankers on the folds in DIR, and say which is best.

    DIR holds Fold1, Fold2, ..., each with train.txt, vali.txt and test.txt; or S1.txt, S2.txt, ..., which are trained
    on, validated on and tested on in turn. A file in the place of DIR is cut into folds at random, query by query.

    \b
    rankscope crossvalidate MQ2007 --loss listnet --loss ranknet -m nDCG@10 -m AP
    rankscope crossvalidate train.txt --loss linear:listnet --loss listnet --importance --format html -o page.html
    """  # noqa: D301 - click keeps the lines after the character \b as they are
    showing = take_showing(options)
    parameters = ranker_parameters(options)
    rng = parameters.pop("rng")
    files = source_files(source)
    showing.check(files)
    with bytes_progress(files, "reading features") as reading, progress_bar(1.0, "training") as progress:
        result = cross_validate(
            source,
            losses or "listnet",
            measures or None,
            workers=all_cores() if workers is None else workers,
            rng=rng,
            reading=reading,
            progress=progress,
            **options,
            **parameters,
        )
    showing.show(result, details=details)
