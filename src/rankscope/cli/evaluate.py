"""`rankscope evaluate`."""

from __future__ import annotations

from collections.abc import Mapping

import click

from rankscope.cli.output import bytes_progress, show
from rankscope.errors import ParameterError
from rankscope.evaluation.conventions import DEFAULT_MEASURES, MISSING, NO_RELEVANT, UNJUDGED, make_plan
from rankscope.evaluation.engine import evaluate as evaluate_runs
from rankscope.evaluation.sources import ENTITY, LETOR
from rankscope.io.sniff import FORMATS as INPUTS
from rankscope.io.write import check_writable, refuse_overwriting
from rankscope.reporting.tables import FORMATS, render_scores

__all__ = ["evaluate"]


@click.command()
@click.argument("qrels")
@click.argument("runs", nargs=-1, metavar="RUN...")
@click.option(
    "-m", "--measure", "measures", multiple=True, help=f"May be repeated. Default: {' '.join(DEFAULT_MEASURES)}."
)
@click.option(
    "--conventions",
    metavar="MEASURE",
    help="One measure as each reference tool computes it, side by side; no other -m.",
)
@click.option("--by-query", is_flag=True, help="Show each query's values too.")
@click.option("--preset", metavar="NAME", help="Conventions of a reference tool; see `rankscope measures --presets`.")
@click.option("--rel", type=int, default=1, show_default=True, metavar="N", help="Least relevance that counts.")
@click.option(
    "--missing",
    type=click.Choice(list(MISSING)),
    default="zero",
    show_default=True,
    help="A query that a run lacks: counts as an empty ranking, is left out, or is refused.",
)
@click.option(
    "--no-relevant",
    type=click.Choice(list(NO_RELEVANT)),
    help="A query without relevant documents: what the measure says (zero, the default), left out, or 1.",
)
@click.option(
    "--unjudged",
    type=click.Choice(list(UNJUDGED)),
    default="nonrelevant",
    show_default=True,
    help="A document without judgment: not relevant, taken out of the list, or bounds of the value beside it.",
)
@click.option(
    "--ties",
    metavar="RULE",
    help="Documents of one score: doc_id_desc (default, as trec_eval), file, average or error.",
)
@click.option(
    "--input",
    "input_",
    type=click.Choice([*INPUTS, *LETOR, ENTITY]),
    help="Format of the runs; told by content otherwise. letor: QRELS is a label file, RUN files of predictions. "
    "entity-ranks: QRELS is a table of ranks, without runs.",
)
@click.option("--total-ranks", type=int, metavar="N", help="How many items were ranked in all, for tables of ranks.")
@click.option("--format", "format_", type=click.Choice(list(FORMATS)), default="table", show_default=True)
@click.option("-o", "--output", metavar="FILE", help="Write there instead of printing; whole or not at all.")
def evaluate(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    conventions: str | None,
    by_query: bool,
    preset: str | None,
    rel: int,
    missing: str,
    no_relevant: str | None,
    unjudged: str,
    ties: str | None,
    input_: str | None,
    total_ranks: int | None,
    format_: str,
    output: str | None,
) -> None:
    """Evaluate each RUN against the judgments in QRELS.

    Files are TREC's (spaces or tabs), CSV, TSV, JSON, JSONL or Parquet, plain, .gz or .zst; - is standard input. With
    --input letor QRELS is a label file and each RUN a file of predictions, with letor-ranks of rank positions (and ties
    are in file order); with entity-ranks QRELS is a table of ranks and there is no RUN.

    \b
    rankscope evaluate robust.qrels bm25.run dense.run -m nDCG@10 -m AP
    rankscope evaluate robust.qrels bm25.run --by-query --format csv -o scores.csv
    """  # noqa: D301 - click keeps the lines after the character \b as they are
    options = {
        "preset": preset,
        "rel": rel,
        "ties": ties,
        "missing": missing,
        "no_relevant": no_relevant,
        "unjudged": unjudged,
    }
    if not runs and input_ != ENTITY:
        raise click.UsageError("Missing argument 'RUN...'.")
    if conventions is not None:
        refuse_beside_conventions(measures, {**options, "total_ranks": total_ranks}, by_query)
        from rankscope.reporting.conventions import check_format  # no other call needs it

        check_format(format_)
    chosen = conventions or measures or None
    make_plan(chosen, **options)  # type: ignore[arg-type]  # a wrong argument is told before anything is read
    if output is not None and output != "-":
        check_writable(output)
        refuse_overwriting(output, (qrels, *runs))
    with bytes_progress(runs, "reading runs") as progress:
        if conventions is not None:
            from rankscope.evaluation.named import compare_conventions
            from rankscope.reporting.conventions import render_conventions

            table = compare_conventions(
                qrels, list(runs), conventions, rel=rel, missing=missing, input=input_, progress=progress
            )
            show(render_conventions(table, format_), output)
            return
        scores = evaluate_runs(
            qrels,
            list(runs) or None,
            chosen,
            input=input_,
            total_ranks=total_ranks,
            progress=progress,
            **options,  # type: ignore[arg-type]  # a dict of what click gives
        )
    show(render_scores(scores, format_, by_query=by_query), output)


def refuse_beside_conventions(measures: tuple[str, ...], options: Mapping[str, object], by_query: bool) -> None:
    """Raise for what each convention settles by itself."""
    given = [name for name in ("preset", "ties", "no_relevant", "total_ranks") if options[name] is not None]
    given += ["measure"] if measures else []
    given += ["by_query"] if by_query else []
    given += ["unjudged"] if options["unjudged"] != "nonrelevant" else []
    if given:
        option = given[0].replace("_", "-")
        raise ParameterError(f"--{option} beside --conventions, which settles that for each convention; leave it out")
