"""`rankscope agree favour`: whether judges favour systems of a family."""

from __future__ import annotations

from typing import Any

import click

from rankscope.agreement.favouritism import FavourSettings, judge_families
from rankscope.agreement.settings import JudgmentSettings, MetricSettings
from rankscope.cli._groups import Command, option_group
from rankscope.cli._results import pop_result_output, result_options
from rankscope.cli._setting_options import setting_options, take_settings
from rankscope.io.core import check_single_stdin

__all__ = [
    "favour",
]


@click.command("favour", cls=Command)
@click.argument("judgments")
@click.argument("scores", nargs=-1, metavar="[SCORES]...")
@option_group("Favour", setting_options(FavourSettings))
@option_group("Judges", setting_options(MetricSettings))
@option_group("Judgments", setting_options(JudgmentSettings))
@option_group("Output", result_options)
def favour(judgments: str, scores: tuple[str, ...], **options: Any) -> None:
    """Test whether judges favour systems of a family, such as an LLM answers that its own kind wrote.

    JUDGMENTS: what people said of the systems' outputs, as for `rankscope agree segments`. SCORES: scores of the same
    outputs by the judges; without them, the other columns of JUDGMENTS are the judges.

    \b
    rankscope agree favour demo-answers.csv --higher llm,reward --family large=ours,small=ours
    rankscope agree favour demo-answers.csv --higher llm,reward --family large=ours,small=ours,llm=ours --own
    """
    result_output, settings = pop_result_output(options), take_settings(FavourSettings, options)
    judgment_settings = take_settings(JudgmentSettings, options)
    metric_settings = take_settings(MetricSettings, options)
    result_output.check((judgments, *scores))
    check_single_stdin((judgments, *scores))
    result_output.show(judge_families(judgments, scores, judgment_settings, metric_settings, settings))
