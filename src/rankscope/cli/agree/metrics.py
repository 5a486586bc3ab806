"""`rankscope agree metrics`: which metrics agree best with people, with tests between metrics."""

from __future__ import annotations

from typing import Any

import click

from rankscope.agreement.metrics import MetricComparisonSettings, compare_judged_metrics, tasks_of
from rankscope.agreement.settings import JudgmentSettings, MetricSettings
from rankscope.cli._groups import Command, option_group
from rankscope.cli._options import details_option
from rankscope.cli._results import pop_result_output, result_options
from rankscope.cli._setting_options import setting_options, take_settings
from rankscope.io.core import check_single_stdin

__all__ = [
    "metrics",
]


@click.command("metrics", cls=Command)
@click.argument("judgments")
@click.argument("scores", nargs=-1, metavar="[SCORES]...")
@option_group("Comparison", setting_options(MetricComparisonSettings))
@option_group("Metrics", setting_options(MetricSettings))
@option_group("Judgments", setting_options(JudgmentSettings))
@option_group("Output", details_option("Show all tables: every pair of metrics, and the tasks."), result_options)
def metrics(judgments: str, scores: tuple[str, ...], details: bool, **options: Any) -> None:
    """Compare metrics: which agree best with people, and which differ significantly?

    JUDGMENTS, SCORES: as for `rankscope agree systems` and `agree segments`, with at least two metrics.

    \b
    rankscope agree metrics demo-answers.csv --higher llm,reward
    rankscope agree metrics human.seg.score metrics/ --level system --statistic soft_pairwise_accuracy
    rankscope agree metrics human.seg.score metrics/ --task en-de:system:pearson:0.5 --task en-de:segment:acc_eq:0.5
    """
    result_output = pop_result_output(options)
    options["tasks"] = tasks_of(options["tasks"] or None)
    settings = take_settings(MetricComparisonSettings, options)
    judgment_settings = take_settings(JudgmentSettings, options)
    metric_settings = take_settings(MetricSettings, options)
    result_output.check((judgments, *scores))
    check_single_stdin((judgments, *scores))
    result = compare_judged_metrics(judgments, scores, judgment_settings, metric_settings, settings)
    result_output.show(result, details=details)
