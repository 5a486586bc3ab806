"""`rankscope agree systems`: agreement of metrics with people on whole systems."""

from __future__ import annotations

from typing import Any

import click

from rankscope.agreement.settings import JudgmentSettings, MetricSettings, SystemSettings
from rankscope.cli._results import pop_result_output, result_options
from rankscope.cli._setting_options import setting_options, take_settings
from rankscope.errors import ParameterError
from rankscope.io.core import check_single_stdin

__all__ = [
    "systems",
]


@click.command("systems")
@click.argument("judgments")
@click.argument("scores", nargs=-1, metavar="[SCORES]...")
@setting_options(SystemSettings)
@click.option("--details", is_flag=True, help="Show the systems' scores of every language pair, too.")
@setting_options(MetricSettings)
@setting_options(JudgmentSettings)
@result_options
def systems(judgments: str, scores: tuple[str, ...], details: bool, **options: Any) -> None:
    """Say how far metrics agree with people on whole systems: which of them is better?

    JUDGMENTS: as of `rankscope agree segments`; or scores of systems, as a table (system, human, and columns of other
    scores) or .sys.score. SCORES: sys.scr, .sys.score or a table, of systems; seg.scr or .seg.score, of segments; a
    folder of mt-metrics-eval. Without any, the other columns of the judgments.

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
        raise ParameterError(f"--weights names {min(unlisted)}, which --pairs leaves out; name the same in both")
    agreement = agree_on_systems(judgments, scores, judgment_settings, metric_settings, settings)
    result_output.show(agreement, details=details)
