"""`rankscope compare`: which system is better, by tests on the same queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import click

from rankscope.cli._dependencies import depends_on
from rankscope.cli._groups import Command, option_group
from rankscope.cli._options import (
    add_queries,
    details_option,
    evaluate_files,
    evaluation_options,
    holds_scores,
    load_scores,
    missing_runs_error,
    query_options,
    save_option,
    score_file_options,
    system_paths,
)
from rankscope.cli._output import progress_bar
from rankscope.cli._results import PARQUET, pop_result_output, result_options
from rankscope.cli._setting_options import setting_options, take_settings
from rankscope.comparison.common_queries import resolve_system
from rankscope.comparison.compare import (
    Comparison,
    ComparisonSettings,
    PaperTable,
    PaperTableSettings,
    compare_systems,
)
from rankscope.comparison.merge_scores import join_scores
from rankscope.comparison.standardisation import StandardisationSettings
from rankscope.comparison.standardisation import standardise as standardise_scores
from rankscope.data.scores import Scores
from rankscope.errors import ParameterError, UnknownName
from rankscope.evaluation.joining import ENTITY
from rankscope.evaluation.query_settings import QuerySettings
from rankscope.evaluation.read_scores import read_baseline, read_score_files
from rankscope.evaluation.saved_scores import check_save, write_scores
from rankscope.evaluation.score_tables import ScoreTableSettings
from rankscope.settings import excludes, needs

__all__ = [
    "compare",
]


#: What --table shows: everything, or one table of systems by measures.
FULL, PAPER = "full", "paper"


@click.command(cls=Command)
@click.argument("qrels", metavar="QRELS|SCORES")
@click.argument("runs", nargs=-1, metavar="RUN...")
@option_group("Measures and data", evaluation_options)
@option_group("Measures and data", score_file_options)
@option_group("Queries that belong together", query_options)
@option_group("Comparison", setting_options(ComparisonSettings))
@option_group(
    "Comparison",
    setting_options(StandardisationSettings, optional=True, hint="Default: not standardised."),
    click.option(
        "--against",
        metavar="FILE",
        help="File of the baseline: a run, or scores saved with --save; --baseline names one of the RUNs instead.",
    ),
)
@option_group(
    "Output",
    save_option("Save the scores of the RUNs to a .parquet file, for --against."),
    details_option("Also show bootstrap intervals, effect sizes and single queries."),
    depends_on(
        excludes("details", when=PAPER, reason="one shows one table, the other all"),
        click.option(
            "--table",
            type=click.Choice([FULL, PAPER]),
            default=FULL,
            show_default=True,
            help="Tables to show: all of them, or one of systems by measures, as a paper has room for.",
        ),
    ),
    depends_on(needs(table=PAPER), setting_options(PaperTableSettings)),
)
@option_group("Output", result_options)
def compare(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    standardise: str | None,
    against: str | None,
    save: str | None,
    details: bool,
    table: str,
    **options: Any,
) -> None:
    """Test which of the RUNs is better, on the same queries.

    Every pair of systems is compared; with --baseline, each other system is compared with that one only. Default:
    paired t-test with Holm's correction for multiple comparisons.

    A file of scores may stand in the place of judgments and runs: a table of systems, queries and values that any tool
    wrote, or saved scores.

    \b
    rankscope compare demo.qrels bm25.run dense.run -m nDCG@10
    rankscope compare demo-qa.csv -m F1 --baseline base
    rankscope compare demo.qrels *.run -m AP --baseline bm25 --test permutation --seed 7
    rankscope compare demo.qrels *.run --format latex --table paper
    rankscope compare demo.qrels bm25-rm3.run bm25.run -m AP --queries demo-queries.csv
    """
    settings, result_output = take_settings(ComparisonSettings, options), pop_result_output(options)
    table_settings = take_settings(PaperTableSettings, options)
    if table == PAPER:
        check_paper_format(result_output.format_)
        if against is None and settings.baseline is None:
            table_settings.refuse_differences()
    are_scores = holds_scores(qrels, runs, options)
    inputs = (qrels, *runs, *([against] if against is not None else []))
    result_output.check(inputs)
    if save is not None:
        check_save(save, inputs, output=result_output.output)
    if len(runs) == 1 and against is None and options["input"] != ENTITY and not are_scores:
        raise ParameterError(
            f"one run cannot be compared: {runs[0]} ({qrels} holds the judgments); add another, or "
            "--against a baseline (`rankscope evaluate --save` saves the scores of a run)"
        )
    workers = options["workers"]
    options["hash_lists"] = save is not None
    new_scores, baseline_scores = evaluate_new_and_baseline(qrels, runs, measures, against, settings.baseline, options)
    named_measures = new_scores.measure_names if measures else None
    paths = system_paths(qrels, runs, new_scores)
    comparison = compare_with(new_scores, baseline_scores, named_measures, paths, standardise, settings, workers)
    result = PaperTable(comparison=comparison, settings=table_settings) if table == PAPER else comparison
    if save is not None:
        write_scores(new_scores, save)
    result_output.show(result, details=details)


def compare_with(
    new_scores: Scores,
    baseline_scores: Scores | None,
    measures: Sequence[str] | None,
    runs: Sequence[str],
    standardise: str | None,
    settings: ComparisonSettings,
    workers: int | None,
) -> Comparison:
    """Compare all new systems, with the baseline if there is one. measures: those that the user names, if any."""
    scores = new_scores
    if baseline_scores is not None:
        scores = join_scores(new_scores, baseline_scores)
        settings = replace(settings, baseline=scores.systems[-1])  # its name may have changed in the joined scores
    if standardise is not None:
        scores = standardise_scores(scores, method=standardise)
    settings = replace(settings, baseline=resolve_system(settings.baseline, runs, scores))
    n_pairs = len(scores.measures) * len(scores.systems) * (len(scores.systems) - 1) // 2
    with progress_bar(n_pairs if settings.baseline is None else None, "comparing pairs") as progress:
        return compare_systems(scores, measures, settings, workers=workers, progress=progress)


def check_paper_format(format_: str) -> None:
    """Raise ParameterError for a format that the paper table does not have."""
    if format_ in ("csv", "json", "jsonl", PARQUET):
        raise ParameterError(
            f"--table paper is for reading (table, latex, markdown, html), and {format_} holds the tidy table; leave "
            "--table out"
        )


def evaluate_new_and_baseline(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    against: str | None,
    baseline: str | None,
    options: dict[str, Any],
) -> tuple[Scores, Scores | None]:
    """The scores of the runs, and those of the baseline if `--against` names it."""
    if against is None:
        return load_scores(qrels, runs, measures, **options), None
    if holds_scores(qrels, runs, options):
        table_settings = take_settings(ScoreTableSettings, options)
        new_scores = add_queries(
            read_score_files([qrels, *runs], list(measures) or None, table_settings),
            take_settings(QuerySettings, options),
        )
        # The systems that were named are new ones.
        old_scores = read_score_files([against], list(measures) or None, replace(table_settings, table_systems=()))
        return new_scores, old_scores.select(systems=[find_baseline(old_scores, against, baseline)])
    take_settings(ScoreTableSettings, options)
    if not runs:
        raise missing_runs_error(qrels)
    saved_scores = read_baseline(against)
    if saved_scores is not None:
        baseline_index = find_baseline(saved_scores, against, baseline)
        new_scores = evaluate_files(qrels, runs, measures or saved_scores.measure_names, **options)
        return new_scores, saved_scores.select(systems=[baseline_index])
    all_scores = evaluate_files(qrels, (*runs, against), measures, **options)
    baseline_index = len(all_scores.systems) - 1
    baseline_scores = all_scores.select(systems=[baseline_index])
    find_baseline(baseline_scores, against, baseline)
    return all_scores.select(systems=range(baseline_index)), baseline_scores


def find_baseline(baseline_scores: Scores, against: str, baseline: str | None) -> int:
    """The index of the baseline among the systems of the file."""
    if baseline is None or baseline == against:
        if len(baseline_scores.systems) > 1:
            raise ParameterError(
                f"{against}: {len(baseline_scores.systems)} systems; choose one with --baseline: "
                f"{', '.join(baseline_scores.systems)}"
            )
        return 0
    if baseline not in baseline_scores.systems:
        raise UnknownName(f"system of {against}, which --against names", baseline, baseline_scores.systems)
    return baseline_scores.systems.index(baseline)
