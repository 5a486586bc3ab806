"""`rankscope agree metrics`: which metrics agree best with people, with tests between metrics."""

from __future__ import annotations

from typing import Any

import click

from rankscope.agreement.metrics import (
    ALTERNATIVES,
    LEVELS,
    STATISTICS_BY_LEVEL,
    TESTS,
    validate_comparison_settings,
    validate_tasks,
)
from rankscope.agreement.settings import FROM_SEGMENTS, HUMAN, OVER
from rankscope.agreement.statistics import SEGMENT_GROUPINGS
from rankscope.cli._results import pop_result_output, result_options
from rankscope.cli._sampling_options import resamples_option, seed_option
from rankscope.cli.agree._judgment_options import PairWeights, split_names
from rankscope.io.core import check_single_stdin
from rankscope.kernels.swaps import SWAPS
from rankscope.stats.multiple_comparisons import CORRECTIONS

__all__ = [
    "metrics",
]


#: The options that are checked before any file is read.
TASK_SETTINGS = ("level", "statistic", "grouping", "tasks", "weights")
TEST_SETTINGS = (
    "test",
    "alternative",
    "swap",
    "epsilon",
    "correction",
    "significance",
    "n_resamples",
    "human",
    "from_segments",
    "over",
    "common",
    "rng",
)


@click.command("metrics")
@click.argument("judgments")
@click.argument("scores", nargs=-1, metavar="[SCORES]...")
@click.option(
    "--task",
    "tasks",
    multiple=True,
    metavar="PAIR:LEVEL:STATISTIC[/GROUPING][:WEIGHT]",
    help="A column of the table, as en-de:system:pearson:0.5; may be given several times. PAIR * is each language "
    "pair, LEVEL system or segment. Weights, of the average, add up to 1.",
)
@click.option("--level", type=click.Choice(LEVELS), help="Of every language pair, without --task. Default: segment.")
@click.option(
    "--statistic",
    metavar="NAME",
    help=f"At level system {', '.join(STATISTICS_BY_LEVEL['system'])}; at level segment acc_eq, pearson, spearman, "
    "kendall_b, or what `agree segments` has.",
)
@click.option(
    "--grouping",
    type=click.Choice(list(SEGMENT_GROUPINGS)),
    help="Of segments: all at once, or the mean over segments or systems.",
)
@click.option("--weights", type=PairWeights(), metavar="PAIR=W,...", help="Of language pairs, without --task.")
@click.option(
    "--test", type=click.Choice(tuple(TESTS)), help="Default: perm_both; bootstrap where people ranked segments."
)
@click.option(
    "--alternative",
    type=click.Choice(ALTERNATIVES),
    default="two-sided",
    show_default=True,
    help="greater: that the higher one is better, as the metrics task tests.",
)
@click.option(
    "--swap", type=click.Choice(SWAPS), help="What perm_both swaps as one. Default: systems, at level segment cells."
)
@click.option("--epsilon", type=float, metavar="E", help="Differences that tie. Default: what suits each metric best.")
@click.option(
    "--correction",
    type=click.Choice(tuple(CORRECTIONS)),
    default="holm",
    show_default=True,
    help="For all pairs of metrics of a task; the metrics task has none.",
)
@click.option(
    "--significance",
    type=float,
    default=0.05,
    show_default=True,
    metavar="P",
    help="Corrected p-value below or at which metrics differ.",
)
@click.option("--human", type=click.Choice(HUMAN), help="What makes a system's score of what people said.")
@click.option(
    "--from-segments",
    type=click.Choice(FROM_SEGMENTS),
    default="mean",
    show_default=True,
    help="What makes a system's score of a metric's, where people ranked or scored systems.",
)
@click.option(
    "--over",
    type=click.Choice(OVER),
    default="common",
    show_default=True,
    help="Such a mean is over the segments of which all have scores of all systems, or of each system over its own.",
)
@click.option("--common", is_flag=True, help="Compare on systems, segments and language pairs that all have.")
@click.option("--pairs", metavar="P,...", help="Language pairs, in this order. Default: all.")
@click.option("--metrics", metavar="NAME,...", help="The metrics wanted. Default: all.")
@click.option("--gold", metavar="NAME", help='The column of people. Default: "rank", "gold" or "human".')
@click.option("--higher", metavar="NAME,...", help="Columns of a table in which higher is better, as scores.")
@click.option("--lower", metavar="NAME,...", help="Metrics, or people's scores, in which lower is better, as TER.")
@click.option("--duplicates", type=click.Choice(["keep", "drop", "refuse"]), help="Judgments that stand twice.")
@click.option("--reference", type=click.Choice(["keep", "drop"]), help="The reference, where it is ranked as a system.")
@click.option("--lines", metavar="FILE", help="Of WMT11: whose line i is the segment that the CSV numbers i.")
@click.option("--test-set", metavar="NAME", help="Which, where a file of scores has several.")
@click.option("--details", is_flag=True, help="Show each two metrics of a long table, and the tasks, too.")
@resamples_option(1000, "Of the test.")
@seed_option()
@result_options
def metrics(judgments: str, scores: tuple[str, ...], details: bool, **options: Any) -> None:
    """Say which metrics agree best with people, and which of them cannot be told apart.

    JUDGMENTS, SCORES: as of `rankscope agree systems` and `agree segments`; two metrics or more.

    \b
    rankscope agree metrics demo-answers.csv --higher llm,reward
    rankscope agree metrics human.seg.score metrics/ --level system --statistic soft_pairwise_accuracy
    rankscope agree metrics human.seg.score metrics/ --task en-de:system:pearson:0.5 --task en-de:segment:acc_eq:0.5
    """
    from rankscope import agreement

    result_output = pop_result_output(options)
    options["tasks"] = options["tasks"] or None
    validate_tasks(**{"tasks": None, **{name: options[name] for name in TASK_SETTINGS}})
    validate_comparison_settings(**{name: options[name] for name in TEST_SETTINGS})
    result_output.check((judgments, *scores))
    check_single_stdin((judgments, *scores))
    options |= split_names(options, ("pairs", "metrics", "higher", "lower"))
    options = {name: value for name, value in options.items() if value is not None}
    result_output.show(agreement.compare_metrics(judgments, scores, **options), details=details)
