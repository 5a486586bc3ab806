"""`rankscope agree systems`: agreement of metrics with people on whole systems."""

from __future__ import annotations

from typing import Any

import click

from rankscope.agreement.settings import JudgmentSettings, MetricSettings, SystemSettings
from rankscope.cli._groups import Command, option_group
from rankscope.cli._options import details_option
from rankscope.cli._results import pop_result_output, result_options
from rankscope.cli._setting_options import setting_options, take_settings
from rankscope.errors import ParameterError
from rankscope.io.core import check_single_stdin

__all__ = [
    "systems",
]


@click.command("systems", cls=Command)
@click.argument("judgments")
@click.argument("scores", nargs=-1, metavar="[SCORES]...")
@option_group("Statistics", setting_options(SystemSettings))
@option_group("Metrics", setting_options(MetricSettings))
@option_group("Judgments", setting_options(JudgmentSettings))
@option_group("Output", details_option("Also show the scores of the systems for every language pair."), result_options)
def systems(judgments: str, scores: tuple[str, ...], details: bool, **options: Any) -> None:
    """Measure how well metrics agree with people on which system is better.

    JUDGMENTS: as for `rankscope agree segments`, or scores of systems: a table (system, human, and columns of other
    scores) or .sys.score. SCORES: sys.scr, .sys.score or a table for systems; seg.scr or .seg.score for segments; or a
    folder of mt-metrics-eval. Without SCORES, the other columns of JUDGMENTS are the metrics.

    \b
    rankscope agree systems demo-answers.csv --higher llm,reward --statistic pearson
    rankscope agree systems wmt12.csv bleu.sys.scr ter.sys.scr --lower TER --statistic spearman --absolute
    rankscope agree systems human.seg.score metrics/ --statistic soft_pairwise_accuracy
    """
    from rankscope.agreement.system_level import agree_on_systems

    result_output, settings = pop_result_output(options), take_settings(SystemSettings, options)
    judgment_settings = take_settings(JudgmentSettings, options)
    metric_settings = take_settings(MetricSettings, options)
    result_output.check((judgments, *scores))
    check_single_stdin((judgments, *scores))
    if settings.weights and judgment_settings.pairs and (unlisted := {*settings.weights} - {*judgment_settings.pairs}):
        raise ParameterError(
            f"--weights names {min(unlisted)}, which is not among --pairs; name the same language pairs in both"
        )
    agreement = agree_on_systems(judgments, scores, judgment_settings, metric_settings, settings)
    result_output.show(agreement, details=details)
