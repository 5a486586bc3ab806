"""`rankscope report`: a page about the evaluation and comparison of runs."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import click

from rankscope.cli._dependencies import depends_on
from rankscope.cli._groups import Command, option_group
from rankscope.cli._options import (
    READING_OPTIONS,
    evaluation_options,
    holds_scores,
    load_scores,
    machine_option,
    missing_runs_error,
    output_option,
    query_options,
    reading_workers,
    score_file_options,
)
from rankscope.cli._output import bytes_progress, check_output
from rankscope.cli._setting_options import setting_options, take_settings
from rankscope.comparison.compare import ComparisonSettings
from rankscope.errors import OutputError, ParameterError
from rankscope.evaluation.conventions import make_plan
from rankscope.evaluation.joining import ENTITY
from rankscope.evaluation.query_settings import QuerySettings
from rankscope.evaluation.score_tables import ScoreTableSettings
from rankscope.judging.estimation import EstimateSettings
from rankscope.reporting.page import Page, check_page_path, is_page
from rankscope.reporting.report import report_scores, write_report
from rankscope.settings import needs

__all__ = [
    "report",
]


#: The default of --output.
DEFAULT = "report.html"


@click.command(cls=Command)
@click.argument("qrels", metavar="QRELS|SCORES")
@click.argument("runs", nargs=-1, metavar="RUN...")
@option_group("Measures and data", evaluation_options)
@option_group("Measures and data", score_file_options)
@option_group("Queries that belong together", query_options)
@option_group("Comparison", setting_options(ComparisonSettings))
@option_group(
    "Machine judgments",
    machine_option(
        "File with a machine's (such as an LLM's) judgments of all queries; the argument QRELS then holds people's "
        "judgments of some of them. With SCORES: the measure (column) of a machine's values of all queries; the first "
        "other measure then holds people's values of some. Adds estimates from both.",
        metavar="QRELS|MEASURE",
    ),
    depends_on(needs("machine"), setting_options(EstimateSettings, only=("map",))),
)
@option_group(
    "Output",
    click.option(
        "--title", metavar="TEXT", default="", help="Title of the page. Default: the systems and the judgments."
    ),
    click.option("--date", metavar="TEXT", help='Date of the page; "" for none. Default: today.'),
    click.option("--figures/--no-figures", default=True, show_default=True, help="Draw figures."),
    output_option(
        f"Write the page to this .html file; - prints it. Default: {DEFAULT}, unless another program wrote it."
    ),
)
def report(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    title: str,
    date: str | None,
    machine: str | None,
    map: Mapping[int, int] | str | None,
    figures: bool,
    output: str | None,
    **options: Any,
) -> None:
    """Write a report on the RUNs as one HTML page.

    It contains the finding, all systems by all measures, a full comparison by the first measure, single queries and
    unjudged documents; in an appendix the other measures, their agreement and the number of queries needed; and the
    provenance of all numbers.

    \b
    rankscope report demo.qrels bm25.run dense.run --baseline bm25 -o mine.html
    rankscope report demo.qrels bm25.run bm25-rm3.run -m AP --queries demo-queries.csv
    """
    settings = take_settings(ComparisonSettings, options)
    queries = {name: options.pop(name) for name in QuerySettings.declared()}
    query_files = [queries["queries"]] if queries["queries"] is not None else []
    query_arguments = queries if QuerySettings(**queries) != QuerySettings() else None
    scores_options = dict(options) if holds_scores(qrels, runs, options) else None
    reading_arguments: dict[str, Any] = {name: options.pop(name) for name in READING_OPTIONS}
    reading_arguments["table_systems"] = take_settings(ScoreTableSettings, options).table_systems
    if scores_options is not None:
        if map is not None:
            raise ParameterError(f"--map is for judgments, and {qrels} holds scores; leave it out")
        output = page_path(output, (qrels, *runs, *query_files))
        scores = load_scores(qrels, runs, with_machine(measures, machine), **scores_options)
        page = report_scores(
            scores,
            settings.with_family(measures or None),
            title=title,
            command=shlex.join(["rankscope", *sys.argv[1:]]),
            date=date,
            figures=figures,
            sources=(qrels, *runs),
            queries=query_arguments,
            machine=machine,
        )
        show_page(page, output, figures=figures)
        return
    if not runs and reading_arguments["input"] != ENTITY:
        raise missing_runs_error(qrels)
    make_plan(list(measures) or None, **options)  # a wrong argument raises before any file is read
    reading_workers(runs, reading_arguments["workers"])
    output = page_path(output, (qrels, *runs, *query_files, *([machine] if machine is not None else [])))
    with bytes_progress(runs, "reading runs") as progress:
        page = write_report(
            qrels,
            list(runs) or None,
            list(measures) or None,
            settings,
            title=title,
            command=shlex.join(["rankscope", *sys.argv[1:]]),
            date=date,
            figures=figures,
            progress=progress,
            conventions=options,
            queries=query_arguments,
            machine=machine,
            map=map,
            **reading_arguments,
        )
    show_page(page, output, figures=figures)


def with_machine(measures: tuple[str, ...], machine: str | None) -> tuple[str, ...]:
    """The measures to read from scores, with that of a machine; none for all."""
    return (*measures, machine) if measures and machine is not None and machine not in measures else measures


def show_page(page: Page, output: str, *, figures: bool) -> None:
    """Write the page, or print it for "-". figures: whether it was to have figures; a note says why it has none."""
    if figures:
        from rankscope.reporting.figures import drawing_problem

        problem = drawing_problem()
        if problem is not None:
            click.echo(f"note: no figures: {problem}", err=True)
    if output == "-":
        click.echo(page.html, nl=False)
        return
    page.write(output)
    click.echo(f"The page is in {output}.")


def page_path(output: str | None, inputs: Sequence[str]) -> str:
    """Where the page goes. Raises for a path that cannot be written, is an input, or is an unnamed file of others."""
    path = DEFAULT if output is None else output
    if path != "-":
        check_page_path(path)
        check_output(path, inputs)
    if output is None and os.path.isfile(path) and not is_page(path):
        raise OutputError(f"{path}: already exists and was not written by rankscope; name another file with -o")
    return path
