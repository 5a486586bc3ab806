"""`rankscope rankeval`: RankEval's command line and output."""

from __future__ import annotations

import click

from rankscope.cli._output import check_output, write_output
from rankscope.compat.rankeval import rankeval_output

__all__ = [
    "rankeval",
]


@click.command()
@click.argument("file", metavar="FILE.jcml")
@click.argument("predicted")
@click.argument("original")
@click.option("-o", "--output", metavar="FILE", help="Write to this file instead of the terminal (atomically).")
def rankeval(file: str, predicted: str, original: str, output: str | None) -> None:
    """Compare FILE's attributes PREDICTED and ORIGINAL (people's ranks) as RankEval does.

    Arguments, output and numbers are those of RankEval's code of 2014, including its bugs; `rankscope agree ranks`
    computes the correct numbers.

    \b
    rankscope rankeval judged.jcml predicted_rank rank
    """
    check_output(output, (file,))
    write_output(rankeval_output(file, predicted, original), output)
