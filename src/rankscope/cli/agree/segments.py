"""`rankscope agree segments`: agreement on the translations of each segment."""

from __future__ import annotations

from typing import Any

import click

from rankscope.agreement.settings import DecisionSettings, JudgmentSettings, MetricSettings, SegmentSettings
from rankscope.agreement.statistics import parse_table
from rankscope.cli._groups import Command, option_group
from rankscope.cli._options import details_option
from rankscope.cli._results import pop_result_output, result_options
from rankscope.cli._setting_options import is_given, setting_options, take_settings
from rankscope.errors import ParameterError
from rankscope.io.core import check_single_stdin

__all__ = [
    "segments",
]


def refuse_unused(decisions: bool) -> None:
    """Raise ParameterError for options on the command line that would change nothing."""
    if decisions:
        flags = {setting.name: setting.flag for setting in SegmentSettings.declared().values()}
        flags |= {"table": "--table", "details": "--details"}
        consequence = "has no effect with --decisions; leave one of them out"
    else:
        flags = {setting.name: setting.flag for setting in DecisionSettings.declared().values()}
        consequence = "applies to --decisions; add that option, or leave it out"
    for name, flag in flags.items():
        if name != "epsilon" and is_given(name):  # both have an epsilon
            raise ParameterError(f"{flag} {consequence}")
    if is_given("table") and is_given("statistic"):
        raise ParameterError("--table replaces --statistic; leave one of them out")


@click.command("segments", cls=Command)
@click.argument("judgments")
@click.argument("scores", nargs=-1, metavar="[SCORES]...")
@option_group(
    "Statistics",
    click.option(
        "--table",
        metavar="3x3",
        help="Your own 3x3 coefficients instead of --statistic. Rows: people rank the first translation <, =, "
        "> the second; columns: the metric does; x skips such pairs. Example: 1,-1,-1;x,x,x;-1,-1,1.",
    ),
    setting_options(SegmentSettings),
)
@option_group(
    "Decisions",
    click.option(
        "--decisions",
        is_flag=True,
        help="Instead of a statistic, count how often people and each metric prefer the same translation.",
    ),
    setting_options(DecisionSettings, hint="For --decisions."),
)
@option_group("Metrics", setting_options(MetricSettings))
@option_group("Judgments", setting_options(JudgmentSettings))
@option_group("Output", details_option("Also show the interval of each value if the table is long."), result_options)
def segments(
    judgments: str,
    scores: tuple[str, ...],
    table: str | None,
    decisions: bool,
    details: bool,
    **options: Any,
) -> None:
    """Measure how well metrics agree with people on the translations of each segment.

    JUDGMENTS: a ranking CSV of WMT, a table (segment, system, and columns of numbers), JCML, Appraise's XML,
    better/worse pairs, preferences between two (item, a, b, human, judge), or human scores. SCORES: seg.scr, .seg.score
    or a folder of mt-metrics-eval. Without SCORES, the other columns of JUDGMENTS are the metrics.

    \b
    rankscope agree segments demo-answers.csv --higher llm,reward --decisions
    rankscope agree segments wmt12.csv bleu.seg.scr chrf.seg.scr --pairs fr-en,de-en
    rankscope agree segments human.seg.score metrics/ --statistic acc_eq --grouping segment
    """
    from rankscope.agreement.decision_agreement import count_decisions
    from rankscope.agreement.load import load
    from rankscope.agreement.segment_level import agree_on_segments

    result_output = pop_result_output(options)
    refuse_unused(decisions)
    if table is not None:
        options["statistic"] = parse_table(table)
    settings = take_settings(SegmentSettings, options)
    judgment_settings = take_settings(JudgmentSettings, options)
    metric_settings = take_settings(MetricSettings, options)
    if decisions and isinstance(settings.epsilon, str):
        raise ParameterError("--decisions needs a fixed epsilon; give --epsilon as a number")
    decision_settings = take_settings(DecisionSettings, options, epsilon=float(settings.fixed_epsilon or 0.0))
    result_output.check((judgments, *scores))
    check_single_stdin((judgments, *scores))
    if decisions:
        inputs = load(judgments, scores, judgment_settings, metric_settings, level="segment")
        result_output.show(count_decisions(inputs, decision_settings))
    else:
        agreed = agree_on_segments(judgments, scores, judgment_settings, metric_settings, settings)
        result_output.show(agreed, details=details)
