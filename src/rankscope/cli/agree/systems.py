"""`rankscope agree systems`: agreement of metrics with people on whole systems."""

from __future__ import annotations

from typing import Any

import click

from rankscope.agreement.settings import FROM_SEGMENTS, HUMAN, INTERVALS, OVER, validate_system_settings
from rankscope.agreement.statistics import ACCURACY, SYSTEM_STATISTICS
from rankscope.cli._results import pop_result_output, result_options
from rankscope.cli.agree._judgment_options import PairWeights, judgments_options, split_names
from rankscope.errors import ParameterError
from rankscope.io.core import check_single_stdin

__all__ = [
    "systems",
]


#: The options that `validate_system_settings` checks before any file is read.
SETTINGS = (
    "statistic",
    "absolute",
    "human",
    "prior",
    "from_segments",
    "over",
    "common",
    "without_outliers",
    "interval",
    "n_resamples",
    "confidence_level",
    "rng",
    "weights",
)


@click.command("systems")
@click.argument("judgments")
@click.argument("scores", nargs=-1, metavar="[SCORES]...")
@click.option(
    "--statistic", metavar="NAME", default=ACCURACY, show_default=True, help=f"One of {', '.join(SYSTEM_STATISTICS)}."
)
@click.option("--absolute", is_flag=True, help="Correlations without their sign, as some papers print them.")
@click.option(
    "--human",
    type=click.Choice(HUMAN),
    help="What makes a system's score of what people said. Default: wins of rankings, the mean of scores.",
)
@click.option("--prior", type=float, default=0.0, metavar="P", help="Wins and losses added, under bradley_terry.")
@click.option(
    "--from-segments",
    type=click.Choice(FROM_SEGMENTS),
    default="mean",
    show_default=True,
    help="What makes a system's score of a metric's scores of segments: their mean, or the share of comparisons with "
    "other systems in which it is better or equal.",
)
@click.option(
    "--over",
    type=click.Choice(OVER),
    default="common",
    show_default=True,
    help="A mean is over the segments of which all have scores of all systems, or of each system over its own.",
)
@click.option(
    "--common", is_flag=True, help="Compare what all have, where a metric lacks systems, segments or language pairs."
)
@click.option("--without-outliers", is_flag=True, help="Leave out systems that people find far from the rest.")
@click.option(
    "--weights", type=PairWeights(), metavar="PAIR=W,...", help="Of language pairs in the average; they add up to 1."
)
@click.option(
    "--interval",
    type=click.Choice(INTERVALS),
    help="By a bootstrap over segments, or Fisher's z over systems. Default: what the data allow.",
)
@click.option("--metrics", metavar="NAME,...", help="The metrics wanted, in this order. Default: all.")
@click.option("--lower", metavar="NAME,...", help="Metrics, or people's scores, in which lower is better, as TER.")
@click.option("--test-set", metavar="NAME", help="Which, where a file of scores has several.")
@click.option("--details", is_flag=True, help="Show the systems' scores of every language pair, too.")
@judgments_options
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
    from rankscope import agreement

    result_output = pop_result_output(options)
    validate_system_settings(**{name: options[name] for name in SETTINGS})
    result_output.check((judgments, *scores))
    check_single_stdin((judgments, *scores))
    options |= split_names(options, ("pairs", "metrics", "higher", "lower"))
    options = {name: value for name, value in options.items() if value is not None}
    if "weights" in options and "pairs" in options and (unlisted := set(options["weights"]) - {*options["pairs"]}):
        raise ParameterError(f"--weights names {min(unlisted)}, which --pairs leaves out; name the same in both")
    result_output.show(agreement.systems(judgments, scores, **options), details=details)
