"""`rankscope agree raters`: agreement of people with each other and with themselves."""

from __future__ import annotations

from typing import Any

import click

from rankscope.agreement.inter_rater import RaterSettings, agree_raters
from rankscope.agreement.settings import JudgmentSettings
from rankscope.cli._groups import Command, option_group
from rankscope.cli._results import pop_result_output, result_options
from rankscope.cli._setting_options import setting_options, take_settings

__all__ = [
    "raters",
]


@click.command("raters", cls=Command)
@click.argument("judgments")
@option_group("Agreement", setting_options(RaterSettings))
@option_group("Judgments", setting_options(JudgmentSettings))
@option_group("Output", result_options)
def raters(judgments: str, **options: Any) -> None:
    """Measure inter-annotator agreement: do people agree with each other, and with themselves, on which of two
    translations is better?

    \b
    rankscope agree raters demo-answers.csv --higher llm,reward --chance third
    """
    settings, result_output = take_settings(RaterSettings, options), pop_result_output(options)
    result_output.check((judgments,))
    result_output.show(agree_raters(judgments, take_settings(JudgmentSettings, options), settings))
