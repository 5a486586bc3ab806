"""`rankscope agree segments`: agreement on the translations of each segment."""

from __future__ import annotations

from typing import Any

import click
from click.core import ParameterSource

from rankscope.agreement.settings import JudgmentSettings, MetricSettings, SegmentSettings
from rankscope.agreement.statistics import parse_table
from rankscope.cli._groups import Command, option_group
from rankscope.cli._results import pop_result_output, result_options
from rankscope.cli._setting_options import setting_options, take_settings
from rankscope.errors import ParameterError
from rankscope.io.core import check_single_stdin
from rankscope.stats.confusion import NORMALISE

__all__ = [
    "segments",
]


#: Options that `--decisions` does not use.
NOT_WITH_DECISIONS = ("statistic", "table", "grouping", "n_resamples", "confidence_level", "seed", "details")


def refuse_unused(decisions: bool) -> None:
    """Raise ParameterError for options on the command line that would change nothing."""
    context = click.get_current_context()
    flags = {
        str(option.name): option.opts[0]
        for option in context.command.params
        if context.get_parameter_source(str(option.name)) is ParameterSource.COMMANDLINE
    }
    for name in NOT_WITH_DECISIONS if decisions else ():
        if name in flags:
            raise ParameterError(f"{flags[name]} has no effect with --decisions; leave one of them out")
    if "table" in flags and "statistic" in flags:
        raise ParameterError("--table replaces --statistic; leave one of them out")


@click.command("segments", cls=Command)
@click.argument("judgments")
@click.argument("scores", nargs=-1, metavar="[SCORES]...")
@option_group("Statistics", setting_options(SegmentSettings))
@click.option(
    "--table",
    metavar="3x3",
    help="Coefficients instead of --statistic: rows people <, =, >; columns metric <, =, >; x skips a pair. Example: "
    "1,-1,-1;x,x,x;-1,-1,1.",
)
@click.option(
    "--decisions", is_flag=True, help="Show instead how often people and each metric say better, tie or worse."
)
@click.option(
    "--normalise",
    type=click.Choice(NORMALISE),
    help="With --decisions: show shares of each row, of each column, or of all.",
)
@click.option("--details", is_flag=True, help="Also show the interval of each value if the table is long.")
@option_group("Metrics", setting_options(MetricSettings))
@option_group("Judgments", setting_options(JudgmentSettings))
@option_group("Output", result_options)
def segments(
    judgments: str,
    scores: tuple[str, ...],
    table: str | None,
    decisions: bool,
    normalise: str | None,
    details: bool,
    **options: Any,
) -> None:
    """How far do metrics agree with people on the translations of each segment?

    JUDGMENTS: a ranking CSV of WMT, a table (segment, system, and columns of numbers), JCML, Appraise's XML,
    better/worse pairs, preferences between two (item, a, b, human, judge), or human scores. SCORES: seg.scr, .seg.score
    or a folder of mt-metrics-eval; without any, the other columns of the judgments are the metrics.

    \b
    rankscope agree segments demo-answers.csv --higher llm,reward --decisions
    rankscope agree segments wmt12.csv bleu.seg.scr chrf.seg.scr --pairs fr-en,de-en
    rankscope agree segments human.seg.score metrics/ --statistic acc_eq --grouping segment
    """
    from rankscope.agreement.decision_agreement import DecisionSettings, count_decisions
    from rankscope.agreement.load import load_judged_metrics
    from rankscope.agreement.segment_level import agree_on_segments

    result_output = pop_result_output(options)
    refuse_unused(decisions)
    if table is not None:
        options["statistic"] = parse_table(table)
    settings = take_settings(SegmentSettings, options)
    judgment_settings = take_settings(JudgmentSettings, options)
    metric_settings = take_settings(MetricSettings, options)
    if normalise is not None and not decisions:
        raise ParameterError("--normalise applies to --decisions; add that option, or leave it out")
    if decisions and isinstance(settings.epsilon, str):
        raise ParameterError("--decisions needs a fixed epsilon; give --epsilon as a number")
    result_output.check((judgments, *scores))
    check_single_stdin((judgments, *scores))
    if decisions:
        inputs = load_judged_metrics(judgments, scores, judgment_settings, metric_settings)
        decision_settings = DecisionSettings(epsilon=float(settings.epsilon or 0.0), normalise=normalise)
        result_output.show(count_decisions(inputs, decision_settings))
    else:
        agreed = agree_on_segments(judgments, scores, judgment_settings, metric_settings, settings)
        result_output.show(agreed, details=details)
