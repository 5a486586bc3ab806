"""`rankscope evaluate`: the values of measures for runs, in tables, pages and files."""

from __future__ import annotations

from typing import Any

import click

from rankscope.cli._dependencies import depends_on
from rankscope.cli._groups import Command, option_group
from rankscope.cli._options import (
    READ_FOR_BOTH_JUDGES,
    evaluate_files,
    evaluation_options,
    machine_option,
    missing_runs_error,
    output_options,
    query_options,
    reading_workers,
    save_option,
)
from rankscope.cli._output import bytes_progress, check_output, write_output
from rankscope.cli._results import PAGE, check_page, page_of
from rankscope.cli._setting_options import setting_options, take_settings
from rankscope.data.entities import EntityRankSettings
from rankscope.data.result import Result
from rankscope.data.scores import EachQuery, Scores
from rankscope.errors import ParameterError
from rankscope.evaluation.conventions import ConventionSettings, InputSettings, RunErrorSettings, plan_evaluation
from rankscope.evaluation.query_settings import QuerySettings
from rankscope.judging.estimation import EstimateSettings
from rankscope.reporting.tables import FORMATS, RESULT_FORMATS, render_result, render_scores
from rankscope.settings import excludes, needs

__all__ = [
    "evaluate",
]


@click.command(cls=Command)
@click.argument("qrels")
@click.argument("runs", nargs=-1, metavar="RUN...")
@option_group(
    "Measures and data", evaluation_options, setting_options(EntityRankSettings), setting_options(RunErrorSettings)
)
@option_group(
    "Measures and data",
    depends_on(
        excludes(
            *("measures", "by_query", "save", "on_error", *QuerySettings.declared()),
            reason="a table of conventions shows the means of one measure for all runs",
        ),
        click.option(
            "--conventions",
            metavar="MEASURE",
            help="Show one measure as each reference tool computes it, side by side; instead of -m.",
        ),
    ),
)
@option_group("Queries that belong together", query_options)
@option_group(
    "Machine judgments",
    depends_on(
        (
            excludes(
                *("conventions", "by_query", "save", "on_error"),
                reason="estimates are means over all queries and need all runs",
            ),
            *READ_FOR_BOTH_JUDGES,
        ),
        machine_option(
            "File with a machine's (such as an LLM's) judgments of all queries; the argument QRELS then holds"
            " people's judgments of some of them. Estimates the values that people's judgments of all queries"
            " would give."
        ),
    ),
    depends_on(needs("machine"), setting_options(EstimateSettings)),
)
@option_group(
    "Output",
    click.option("--by-query", is_flag=True, help="Also show the values of each query."),
    save_option("Also save all values and settings in this .parquet file, as the baseline of a later comparison."),
    output_options([*FORMATS, PAGE]),
)
def evaluate(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    machine: str | None,
    conventions: str | None,
    format_: str,
    output: str | None,
    **options: Any,
) -> None:
    """Evaluate each RUN against the judgments in QRELS.

    Files may be TREC (spaces or tabs), CSV, TSV, JSON, JSONL or Parquet, plain, .gz or .zst; - is standard input. A
    RUN may also be in MS MARCO's format (query, document, rank), or a folder with the files of one run. With --input
    letor, QRELS is a label file and each RUN a file of predictions (letor-ranks: of rank positions); documents with
    equal scores are then in file order. With --input entity-ranks, QRELS is a table of ranks and there is no RUN.

    \b
    rankscope evaluate demo.qrels bm25.run dense.run -m nDCG@10 -m AP
    rankscope evaluate demo.qrels bm25.run --by-query --format csv -o scores.csv
    rankscope evaluate demo.qrels bm25.run dense.run -m AP --queries demo-queries.csv
    rankscope evaluate demo-few.qrels bm25.run dense.run --machine demo-judge.qrels -m nDCG@10
    """
    check_page(format_, output)
    queries = options["queries"]
    check_output(output, (qrels, *runs, *(path for path in (machine, queries) if path is not None)))
    if machine is not None:
        check_result_format("--machine", format_)
        text = result_text(estimate_with_machine(qrels, runs, machine, measures, options), format_)
    elif conventions is not None:
        check_result_format("--conventions", format_)
        text = result_text(compare_conventions(qrels, runs, conventions, options), format_)
    else:
        by_query, save = options.pop("by_query"), options.pop("save")
        if save is not None:
            from rankscope.evaluation.saved_scores import check_save

            check_save(save, (qrels, *runs, *([queries] if queries is not None else [])), output=output)
        for name in EstimateSettings.declared():
            options.pop(name)
        scores = evaluate_files(qrels, runs, measures, hash_lists=save is not None, **options)
        text = save_and_render(scores, format_, by_query=by_query, save=save)
    write_output(text, output)


def save_and_render(scores: Scores, format_: str, *, by_query: bool, save: str | None) -> str:
    """The text of the scores, which are also saved if that was requested."""
    if save is not None:
        from rankscope.evaluation.saved_scores import write_scores

        write_scores(scores, save)
    if format_ == PAGE:
        return page_of(EachQuery(scores) if by_query else scores)
    return render_scores(scores, format_, by_query=by_query)


def compare_conventions(qrels: str, runs: tuple[str, ...], measure: str, options: dict[str, Any]) -> Result:
    """One measure under every convention."""
    from rankscope.evaluation.conventions_table import compare_presets

    settings = take_settings(ConventionSettings, options), take_settings(InputSettings, options)
    workers = reading_workers(runs, options["workers"])
    with bytes_progress(runs, "reading runs") as progress:
        return compare_presets(qrels, list(runs), measure, *settings, workers=workers, progress=progress)


def estimate_with_machine(
    qrels: str, runs: tuple[str, ...], machine: str, measures: tuple[str, ...], options: dict[str, Any]
) -> Result:
    """Estimates from people's judgments and a machine's."""
    from rankscope.evaluation.query_table import QueryTable
    from rankscope.judging.estimation import estimate_means

    queries = QueryTable.of_settings(take_settings(QuerySettings, options))
    if not runs:
        raise missing_runs_error(qrels)
    settings = take_settings(EstimateSettings, options)
    plan = plan_evaluation(list(measures) or None, take_settings(ConventionSettings, options))
    with bytes_progress(runs, "reading runs") as progress:
        return estimate_means(
            qrels, list(runs), machine, plan, settings, queries=queries, input=options["input"], progress=progress
        )


def check_result_format(flag: str, format_: str) -> None:
    """Raise ParameterError for a format that only scores have. flag: of the option that asks for another result."""
    if format_ not in (*RESULT_FORMATS, PAGE):
        formats = ", ".join([*RESULT_FORMATS, PAGE])
        raise ParameterError(f"{flag} has no format {format_!r}; choose one of {formats}")


def result_text(result: Result, format_: str) -> str:
    """A result in a format."""
    return page_of(result) if format_ == PAGE else render_result(result, format_)
