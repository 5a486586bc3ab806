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
    help="Normalisation of the scores of each list, as in `fuse`; none skips that column.",
)
@click.option(
    "--unjudged",
    type=click.Choice(UNJUDGED_DOCUMENTS),
    default="zero",
    show_default=True,
    help="Documents without a judgment: give them grade 0, or skip them.",
)
@click.option("--all-queries", is_flag=True, help="Include queries without judgments, with grade 0, for prediction.")
@click.option(
    "--input",
    "input_",
    type=click.Choice(list(FORMATS)),
    help="Format of the runs. Default: detected from the content.",
)
@click.option(
    "-o",
    "--output",
    metavar="TABLE",
    help="Output file: .parquet, .csv, .tsv or .jsonl; any other name means SVMlight.",
)
def runs(
    qrels: str,
    runs: tuple[str, ...],
    normalise: str,
    unjudged: str,
    all_queries: bool,
    input_: str | None,
    output: str | None,
) -> None:
    """Make features of documents from their scores and ranks in RUNs, with the grades of QRELS.

    Rankers learn from them how to fuse runs. The features are, for each run, score, normalised score, reciprocal rank
    and rank; and the number of runs that have the document. A document that a run lacks is ranked after its last one.

    \b
    rankscope features runs demo.qrels bm25.run dense.run -o both.txt
    rankscope train both.txt -o fusion.model
    rankscope predict fusion.model both.txt -o scores.txt
    rankscope convert scores.txt learned.run --input letor --labels both.txt
    """
    if output is None:
        raise ParameterError("no output file; name a file with -o")
    check_output(output, (qrels, *runs))
    features = run_features(qrels, runs, normalise=normalise, unjudged=unjudged, all_queries=all_queries, input=input_)
    for note in (*features.notes, *write_features(features, output)):
        click.echo(f"note: {note}", err=True)
