"""`rankscope agree segments`: agreement on the translations of each segment."""

from __future__ import annotations

from typing import Any

import click

from rankscope.agreement.settings import (
    CALIBRATED,
    DecisionSettings,
    JudgmentSettings,
    MetricSettings,
    SegmentSettings,
)
from rankscope.agreement.statistics import parse_table
from rankscope.cli._dependencies import depends_on
from rankscope.cli._groups import Command, option_group
from rankscope.cli._options import details_option
from rankscope.cli._results import pop_result_output, result_options
from rankscope.cli._setting_options import setting_options, take_settings
from rankscope.io.core import check_single_stdin
from rankscope.settings import excludes, needs

__all__ = [
    "segments",
]


#: What only a statistic has; a count of decisions has an epsilon, too.
OF_STATISTICS = ("table", "details", *(name for name in SegmentSettings.declared() if name != "epsilon"))


@click.command("segments", cls=Command)
@click.argument("judgments")
@click.argument("scores", nargs=-1, metavar="[SCORES]...")
@option_group(
    "Statistics",
    depends_on(
        excludes("statistic", reason="it replaces the statistic"),
        click.option(
            "--table",
            metavar="3x3",
            help="Your own 3x3 coefficients instead of --statistic. Rows: people rank the first translation <, =, "
            "> the second; columns: the metric does; x skips such pairs. Example: 1,-1,-1;x,x,x;-1,-1,1.",
        ),
    ),
    setting_options(SegmentSettings),
)
@option_group(
    "Decisions",
    depends_on(
        (
            excludes(*OF_STATISTICS, reason="decisions are counted instead of a statistic"),
            excludes(epsilon=CALIBRATED, reason="decisions need a fixed epsilon, a number"),
        ),
        click.option(
            "--decisions",
            is_flag=True,
            help="Instead of a statistic, count how often people and each metric prefer the same translation.",
        ),
    ),
    depends_on(needs("decisions"), setting_options(DecisionSettings)),
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
    if table is not None:
        options["statistic"] = parse_table(table)
    settings = take_settings(SegmentSettings, options)
    judgment_settings = take_settings(JudgmentSettings, options)
    metric_settings = take_settings(MetricSettings, options)
    decision_settings = take_settings(DecisionSettings, options, epsilon=float(settings.fixed_epsilon or 0.0))
    result_output.check((judgments, *scores))
    check_single_stdin((judgments, *scores))
    if decisions:
        inputs = load(judgments, scores, judgment_settings, metric_settings, level="segment")
        result_output.show(count_decisions(inputs, decision_settings))
    else:
        agreed = agree_on_segments(judgments, scores, judgment_settings, metric_settings, settings)
        result_output.show(agreed, details=details)
