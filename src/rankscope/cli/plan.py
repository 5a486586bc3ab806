"""`rankscope plan`: how many queries a comparison needs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from rankscope.cli._dependencies import depends_on
from rankscope.cli._groups import Command, option_group
from rankscope.cli._options import (
    READ_FOR_BOTH_JUDGES,
    READING_OPTIONS,
    evaluation_options,
    holds_scores,
    load_scores,
    machine_option,
    missing_runs_error,
    query_options,
    score_file_options,
    system_paths,
)
from rankscope.cli._output import bytes_progress
from rankscope.cli._results import pop_result_output, result_options
from rankscope.cli._setting_options import setting_options, take_settings
from rankscope.comparison.common_queries import resolve_system
from rankscope.comparison.plan import PlanSettings, plan_queries
from rankscope.comparison.standardisation import StandardisationSettings
from rankscope.comparison.standardisation import standardise as standardise_by_query
from rankscope.errors import ParameterError
from rankscope.evaluation.conventions import make_plan
from rankscope.evaluation.joining import ENTITY
from rankscope.evaluation.query_settings import QuerySettings
from rankscope.evaluation.query_table import QueryTable
from rankscope.evaluation.score_tables import ScoreTableSettings
from rankscope.judging.estimation import JudgmentPlanSettings, plan_human_judgments
from rankscope.settings import excludes, needs

__all__ = [
    "plan",
]


@click.command(cls=Command)
@click.argument("qrels", metavar="QRELS|SCORES")
@click.argument("runs", nargs=-1, metavar="RUN...")
@option_group("Measures and data", evaluation_options)
@option_group("Measures and data", score_file_options)
@option_group("Queries that belong together", query_options)
@option_group("Plan", setting_options(PlanSettings))
@option_group(
    "Plan",
    setting_options(StandardisationSettings, optional=True, hint="Default: not standardised."),
)
@option_group(
    "Machine judgments",
    depends_on(
        (
            needs("width", reason="it plans intervals of that width, such as 0.05"),
            excludes(
                *("difference", "power", "alternative", "n_queries", "assurance", "tests"),
                reason="it plans intervals, not tests",
            ),
            excludes("standardise", reason="it plans in units of the measure"),
            *READ_FOR_BOTH_JUDGES,
        ),
        machine_option(
            "File with a machine's judgments of all queries. Plans how many queries people must judge for intervals of "
            "--width."
        ),
        in_help=False,
    ),
    depends_on(needs("machine"), setting_options(JudgmentPlanSettings, only=("map", "cost", "machine_cost"))),
)
@option_group("Output", result_options)
def plan(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    standardise: str | None,
    machine: str | None,
    **options: Any,
) -> None:
    """How many queries does a comparison of systems like these RUNs need?

    The variation of the scores between queries is estimated from the runs. From it follow the smallest difference that
    the queries at hand can show, and the number of queries that a t-test or an analysis of variance needs to detect a
    difference.

    \b
    rankscope plan demo.qrels bm25.run bm25-rm3.run -m AP --difference 0.02
    rankscope plan demo.qrels *.run -m nDCG@10 --baseline bm25 --difference 0.05 --power 0.9
    rankscope plan demo-few.qrels *.run --machine demo-judge.qrels -m nDCG@10 --width 0.1
    rankscope plan demo-few.qrels *.run --machine demo-judge.qrels -m nDCG@10 --width 0.1 --cost 20 --machine-cost 0.5
    """
    settings, result_output = take_settings(PlanSettings, options), pop_result_output(options)
    judgment_options: dict[str, Any] = {name: options.pop(name) for name in ("map", "cost", "machine_cost")}
    if machine is not None:
        if not runs:
            raise missing_runs_error(qrels)
        result_output.check((qrels, machine, *runs))
        judgment_options |= {"width": settings.width, "baseline": settings.baseline}
        judgment_settings = JudgmentPlanSettings(confidence_level=1 - settings.alpha, **judgment_options)
        input_, *_ = [options.pop(name) for name in READING_OPTIONS]
        if holds_scores(qrels, runs, {**options, "input": input_}):
            raise ParameterError(f"--machine is for judgments and runs, and {qrels} holds scores; leave it out")
        take_settings(ScoreTableSettings, options)
        queries = QueryTable.of_settings(take_settings(QuerySettings, options))
        evaluation_plan = make_plan(list(measures) or None, **options)
        with bytes_progress(runs, "reading runs") as progress:
            judgment_plan = plan_human_judgments(
                qrels,
                list(runs),
                machine,
                evaluation_plan,
                judgment_settings,
                queries=queries,
                input=input_,
                progress=progress,
            )
        result_output.show(judgment_plan)
        return
    result_output.check((qrels, *runs))
    if len(runs) == 1 and options["input"] != ENTITY and not holds_scores(qrels, runs, options):
        raise ParameterError(f"one run cannot be compared: {runs[0]} ({qrels} holds the judgments); name at least 2")
    scores = load_scores(qrels, runs, measures, **options)
    if standardise is not None:
        scores = standardise_by_query(scores, method=standardise)
    settings = replace(settings, baseline=resolve_system(settings.baseline, system_paths(qrels, runs, scores), scores))
    result_output.show(plan_queries(scores, scores.measure_names if measures else None, settings))
