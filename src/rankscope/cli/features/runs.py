"""`rankscope features runs`: scores and ranks in runs as features of documents."""

from __future__ import annotations

from typing import Any

import click

from rankscope.cli._output import check_output
from rankscope.cli._setting_options import setting_options, take_settings
from rankscope.errors import ParameterError
from rankscope.fusion.features import RunFeatureSettings, features_of_runs
from rankscope.io.core import FORMATS
from rankscope.io.letor import write_features

__all__ = [
    "runs",
]


@click.command()
@click.argument("qrels")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@setting_options(RunFeatureSettings)
@click.option(
    "--input", "input_", type=click.Choice(list(FORMATS)), help="Format of the runs; told by content otherwise."
)
@click.option("-o", "--output", metavar="TABLE", help=".parquet, .csv, .tsv, .jsonl; any other name: SVMlight.")
def runs(
    qrels: str,
    runs: tuple[str, ...],
    input_: str | None,
    output: str | None,
    **options: Any,
) -> None:
    """Scores and ranks of RUNs as features of their documents, with the grades of QRELS, so that rankers can fuse.

    Of each run: score, normalised score, reciprocal rank and rank; last, how many runs have the document. What a run
    lacks stands behind its last.

    \b
    rankscope features runs demo.qrels bm25.run dense.run -o both.txt
    rankscope train both.txt -o fusion.model
    rankscope predict fusion.model both.txt -o scores.txt
    rankscope convert scores.txt learned.run --input letor --labels both.txt
    """
    settings = take_settings(RunFeatureSettings, options)
    if output is None:
        raise ParameterError("where the table is to go is not said; name a file with -o")
    check_output(output, (qrels, *runs))
    features = features_of_runs(qrels, runs, settings, input=input_)
    for note in (*features.notes, *write_features(features, output)):
        click.echo(f"note: {note}", err=True)
