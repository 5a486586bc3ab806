"""`rankscope agree metrics`: which metrics agree best with people, with tests between metrics."""

from __future__ import annotations

from typing import Any

import click

from rankscope.agreement.metrics import MetricComparisonSettings, compare_judged_metrics, tasks_of
from rankscope.cli._groups import Command, option_group
from rankscope.cli._results import pop_result_output, result_options
from rankscope.cli._setting_options import setting_options, take_settings
from rankscope.cli.agree._judgment_options import PairWeights, split_names
from rankscope.io.core import check_single_stdin

__all__ = [
    "metrics",
]


WEIGHTS = MetricComparisonSettings.declared()["weights"]


@click.command("metrics", cls=Command)
@click.argument("judgments")
@click.argument("scores", nargs=-1, metavar="[SCORES]...")
@option_group("Comparison", setting_options(MetricComparisonSettings, without=("weights",)))
@click.option(
    "--weights",
    type=PairWeights(),
    default=None,
    metavar=WEIGHTS.metavar,
    help=f"{WEIGHTS.help} Default: {WEIGHTS.unset}.",
)
@click.option("--pairs", metavar="P,...", help="Language pairs, in this order. Default: all.")
@click.option("--metrics", metavar="NAME,...", help="The metrics wanted. Default: all.")
@click.option("--gold", metavar="NAME", help='The column of people. Default: "rank", "gold" or "human".')
@click.option("--higher", metavar="NAME,...", help="Columns of a table in which higher is better, as scores.")
@click.option("--lower", metavar="NAME,...", help="Metrics, or people's scores, in which lower is better, as TER.")
@click.option("--duplicates", type=click.Choice(["keep", "drop", "refuse"]), help="Judgments that stand twice.")
@click.option("--reference", type=click.Choice(["keep", "drop"]), help="The reference, where it is ranked as a system.")
@click.option("--lines", metavar="FILE", help="Of WMT11: whose line i is the segment that the CSV numbers i.")
@click.option("--test-set", metavar="NAME", help="Which, where a file of scores has several.")
@click.option("--details", is_flag=True, help="Show all tables: every pair of metrics, and the tasks.")
@option_group("Output", result_options)
def metrics(judgments: str, scores: tuple[str, ...], details: bool, **options: Any) -> None:
    """Compare metrics: which agree best with people, and which do not differ significantly?

    JUDGMENTS, SCORES: as for `rankscope agree systems` and `agree segments`, with at least two metrics.

    \b
    rankscope agree metrics demo-answers.csv --higher llm,reward
    rankscope agree metrics human.seg.score metrics/ --level system --statistic soft_pairwise_accuracy
    rankscope agree metrics human.seg.score metrics/ --task en-de:system:pearson:0.5 --task en-de:segment:acc_eq:0.5
    """
    result_output = pop_result_output(options)
    options["tasks"] = tasks_of(options["tasks"] or None)
    settings, test_set = take_settings(MetricComparisonSettings, options), options.pop("test_set")
    result_output.check((judgments, *scores))
    check_single_stdin((judgments, *scores))
    reading: dict[str, Any] = {"pairs": None, "metrics": None, "higher": (), "lower": ()}
    reading |= split_names(options, ("pairs", "metrics", "higher", "lower"))
    result = compare_judged_metrics(judgments, scores, settings, test_set=test_set, reading={**options, **reading})
    result_output.show(result, details=details)
