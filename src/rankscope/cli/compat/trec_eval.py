"""`rankscope trec_eval`: trec_eval's command line and output."""

from __future__ import annotations

import sys

import click

from rankscope.cli._output import write_output
from rankscope.compat.trec_eval import JUDGMENT_KINDS, VERSIONS, MissingQuery, Options
from rankscope.compat.trec_eval import trec_eval as run_trec_eval

__all__ = [
    "trec_eval",
]


@click.command()
@click.argument("qrels")
@click.argument("run")
@click.option(
    "-m",
    "measures",
    multiple=True,
    default=["official"],
    show_default=True,
    metavar="MEASURE",
    help="A measure, a nickname (official, all_trec, set, all_prefs, prefs, qrels_jg), or one with parameters: "
    "ndcg_cut.10,20. May be repeated.",
)
@click.option("-q", "by_query", is_flag=True, help="Also print each query.")
@click.option(
    "-c", "complete", is_flag=True, help="Average over all queries of QRELS; queries missing from RUN score as empty."
)
@click.option("-n", "no_summary", is_flag=True, help="Print no summary.")
@click.option(
    "-l", "level", type=int, default=1, show_default=True, metavar="N", help="Lowest grade that counts as relevant."
)
@click.option("-J", "judged_only", is_flag=True, help="Remove documents without a judgment first.")
@click.option("-N", "collection_size", type=click.IntRange(min=1), metavar="N", help="Size of the collection.")
@click.option("-M", "depth", type=click.IntRange(min=1), metavar="N", help="Only the first N documents of each query.")
@click.option(
    "-R",
    "judgments",
    type=click.Choice(list(JUDGMENT_KINDS)),
    default=JUDGMENT_KINDS[0],
    show_default=True,
    help="What QRELS holds: grades, grades of several groups of people, preferences, or grades taken as preferences.",
)
@click.option(
    "-Z",
    "zscores",
    metavar="FILE",
    help="Print z-scores. FILE has lines of query, measure, mean and standard deviation.",
)
@click.option("-D", "debug", type=int, metavar="N", help="Debugging level: accepted, and has no effect.")
@click.option(
    "--preset",
    "version",
    type=click.Choice(list(VERSIONS)),
    default="trec_eval",
    show_default=True,
    help="Version: 10.0 (trec_eval), or 9.0.8 (trec_eval-9).",
)
def trec_eval(
    qrels: str,
    run: str,
    measures: tuple[str, ...],
    by_query: bool,
    complete: bool,
    no_summary: bool,
    level: int,
    judged_only: bool,
    collection_size: int | None,
    depth: int | None,
    judgments: str,
    zscores: str | None,
    debug: int | None,
    version: str,
) -> None:
    """Evaluate as trec_eval does, with the same arguments, output and exit codes.

    Exit code 4: a query of QRELS is missing from RUN, and -c was not given (version 10.0).

    \b
    rankscope trec_eval -q -c -m map -m ndcg_cut.10 demo.qrels dense.run
    """
    del debug  # the original prints internals, which do not exist here
    options = Options(
        version=version,
        by_query=by_query,
        complete=complete,
        summary=not no_summary,
        level=level,
        judged_only=judged_only,
        collection_size=collection_size,
        depth=depth,
        judgments=judgments,
        zscores=zscores,
    )
    try:
        write_output(run_trec_eval(qrels, run, measures, options=options), None)
    except MissingQuery as error:
        click.echo(str(error), err=True)
        sys.exit(4)
