"""`rankscope nuggets`: recall of nuggets and support of citations, from judgments of answers."""

from __future__ import annotations

from typing import Any

import click

from rankscope.cli._groups import Command, option_group
from rankscope.cli._options import output_options, save_option
from rankscope.cli._output import check_output, write_output
from rankscope.cli._results import PAGE, check_page
from rankscope.cli._setting_options import setting_options, take_settings
from rankscope.cli.evaluate import save_and_render
from rankscope.io.core import check_single_stdin
from rankscope.judging.nuggets import NuggetSettings, score_nugget_tables
from rankscope.reporting.tables import FORMATS

__all__ = [
    "nuggets",
]


@click.command(cls=Command)
@click.argument("nuggets")
@option_group(
    "Data",
    click.option(
        "--citations",
        metavar="FILE",
        help="Table with the columns query, run, sentence, citation and support: also score how far citations support "
        "their sentences.",
    ),
    setting_options(NuggetSettings),
)
@option_group(
    "Output",
    click.option("--by-query", is_flag=True, help="Also show the values of each query."),
    save_option("Also save all values and settings in this .parquet file, as the baseline of a later comparison."),
    output_options([*FORMATS, PAGE]),
)
def nuggets(
    nuggets: str,
    citations: str | None,
    by_query: bool,
    save: str | None,
    format_: str,
    output: str | None,
    **options: Any,
) -> None:
    """Score answers by the nuggets that they hold, as the TREC RAG track does.

    NUGGETS is a table with the columns query, nugget, importance (vital or okay), run and support (support,
    partial_support or not_support). The scores are what compare, plan and report take: write them as CSV.

    \b
    rankscope nuggets demo-nuggets.csv --citations demo-citations.csv
    rankscope nuggets demo-nuggets.csv --by-query --format csv -o answers.csv
    """
    paths = (nuggets, *([citations] if citations is not None else []))
    check_page(format_, output)
    check_output(output, paths)
    check_single_stdin(paths)
    if save is not None:
        from rankscope.evaluation.saved_scores import check_save

        check_save(save, paths, output=output)
    scores = score_nugget_tables(nuggets, citations, take_settings(NuggetSettings, options))
    write_output(save_and_render(scores, format_, by_query=by_query, save=save), output)
