"""`rankscope agree judgments`: two sets of judgments, and what the second does to a ranking of systems."""

from __future__ import annotations

from typing import Any

import click

from rankscope.cli._groups import Command, option_group
from rankscope.cli._options import evaluation_options, query_options, reading_workers
from rankscope.cli._output import bytes_progress
from rankscope.cli._results import pop_result_output, result_options
from rankscope.cli._setting_options import setting_options, take_settings
from rankscope.comparison.judges import JudgeSettings, agree_judges
from rankscope.evaluation.query_settings import QuerySettings
from rankscope.evaluation.query_table import QueryTable

__all__ = [
    "judgments",
]


@click.command("judgments", cls=Command)
@click.argument("qrels_a")
@click.argument("qrels_b")
@click.argument("runs", nargs=-1, metavar="[RUN]...")
@option_group("Agreement", setting_options(JudgeSettings))
@option_group("Measures and data", evaluation_options)
@option_group("Queries that belong together", query_options)
@option_group("Output", result_options)
def judgments(qrels_a: str, qrels_b: str, runs: tuple[str, ...], measures: tuple[str, ...], **options: Any) -> None:
    """Compare the judgments of QRELS_B with those of QRELS_A, the reference; with RUNs, also compare the rankings of
    the systems that result from each.

    \b
    rankscope agree judgments demo.qrels demo-judge.qrels
    rankscope agree judgments demo.qrels demo-judge.qrels bm25.run dense.run -m nDCG@10
    """
    settings, result_output = take_settings(JudgeSettings, options), pop_result_output(options)
    queries = QueryTable.of_settings(take_settings(QuerySettings, options))
    result_output.check((qrels_a, qrels_b, *runs))
    with bytes_progress((*runs, *runs), "reading runs") as progress:
        evaluation = {**options, "progress": progress}
        if runs:
            evaluation["workers"] = reading_workers(runs, options["workers"])
        result = agree_judges(
            qrels_a,
            qrels_b,
            list(runs) or None,
            list(measures) or None,
            settings,
            evaluation=evaluation,
            queries=queries,
        )
    result_output.show(result)
