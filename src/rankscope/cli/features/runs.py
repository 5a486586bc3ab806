"""`rankscope features runs`: scores and ranks in runs as features of documents."""

from __future__ import annotations

import click

from rankscope.cli._output import check_output
from rankscope.errors import ParameterError
from rankscope.fusion.features import UNJUDGED_DOCUMENTS, run_features
from rankscope.fusion.normalisation import NORMALISATIONS
from rankscope.io.core import FORMATS
from rankscope.io.letor import write_features

__all__ = [
    "runs",
]


@click.command()
@click.argument("qrels")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option(
    "--normalise",
    type=click.Choice(list(NORMALISATIONS)),
    default="min-max",
    show_default=True,
    help="What is done to the scores of each list, as in `fuse`; none leaves that column out.",
)
@click.option(
    "--unjudged",
    type=click.Choice(UNJUDGED_DOCUMENTS),
    default="zero",
    show_default=True,
    help="A document without judgment: grade 0, or left out.",
)
@click.option("--all-queries", is_flag=True, help="Queries without judgments too, of grade 0: to predict.")
@click.option(
    "--input", "input_", type=click.Choice(list(FORMATS)), help="Format of the runs; told by content otherwise."
)
@click.option("-o", "--output", metavar="TABLE", help=".parquet, .csv, .tsv, .jsonl; any other name: SVMlight.")
def runs(
    qrels: str,
    runs: tuple[str, ...],
    normalise: str,
    unjudged: str,
    all_queries: bool,
    input_: str | None,
    output: str | None,
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
    if output is None:
        raise ParameterError("where the table is to go is not said; name a file with -o")
    check_output(output, (qrels, *runs))
    features = run_features(qrels, runs, normalise=normalise, unjudged=unjudged, all_queries=all_queries, input=input_)
    for note in (*features.notes, *write_features(features, output)):
        click.echo(f"note: {note}", err=True)
