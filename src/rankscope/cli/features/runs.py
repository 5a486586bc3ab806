"""`rankscope features runs`: scores and ranks in runs as features of documents."""

from __future__ import annotations

from typing import Any

import click

from rankscope.cli._groups import Command, option_group
from rankscope.cli._options import (
    columns_option,
    input_option,
    table_output_option,
)
from rankscope.cli._output import check_output
from rankscope.cli._setting_options import setting_options, take_settings
from rankscope.errors import ParameterError
from rankscope.fusion.features import RunFeatureSettings, features_of_runs
from rankscope.io.letor import write_features

__all__ = [
    "runs",
]


@click.command(cls=Command)
@click.argument("qrels")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@option_group("Features", setting_options(RunFeatureSettings))
@input_option()
@columns_option
@table_output_option
def runs(
    qrels: str,
    runs: tuple[str, ...],
    input_: str | None,
    output: str | None,
    **options: Any,
) -> None:
    """Compute features of documents from their scores and ranks in RUNs, with grades from QRELS.

    Rankers learn from these features how to fuse runs. For each run there are score, normalised score, reciprocal rank
    and rank; one more feature is the number of runs with the document. A document that is missing from a run is ranked
    after the run's last document.

    \b
    rankscope features runs demo.qrels bm25.run dense.run -o both.txt
    rankscope train both.txt -o fusion.model
    rankscope predict fusion.model both.txt -o scores.txt
    rankscope convert scores.txt learned.run --input letor --labels both.txt
    """
    settings = take_settings(RunFeatureSettings, options)
    if output is None:
        raise ParameterError("no output file; name a file with -o")
    check_output(output, (qrels, *runs))
    features = features_of_runs(qrels, runs, settings, input=input_)
    for note in (*features.notes, *write_features(features, output)):
        click.echo(f"note: {note}", err=True)
