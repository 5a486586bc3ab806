"""`rankscope agree measures`: correlations of measures."""

from __future__ import annotations

from typing import Any

import click

from rankscope.cli._options import evaluate_files, evaluation_options
from rankscope.cli._output import progress_bar
from rankscope.cli._results import pop_result_output, result_options
from rankscope.cli._sampling_options import CONFIDENCE_LEVEL, resamples_option, seed_option
from rankscope.comparison.measure_agreement import BY, N_RESAMPLES, agree_measures, check_agreement_settings
from rankscope.stats.correlation import INTERVALS
from rankscope.stats.correlation_values import STATISTICS

__all__ = [
    "measures",
]


@click.command("measures")
@click.argument("qrels")
@click.argument("runs", nargs=-1, metavar="RUN...")
@evaluation_options
@click.option(
    "--statistic",
    type=click.Choice(list(STATISTICS)),
    default="kendall_b",
    show_default=True,
    help="Which correlation.",
)
@click.option(
    "--by",
    type=click.Choice(list(BY)),
    default="systems",
    show_default=True,
    help="Do measures order the systems alike, or find the same queries hard?",
)
@CONFIDENCE_LEVEL
@click.option(
    "--interval",
    type=click.Choice(list(INTERVALS)),
    help="By Fisher's z (default by systems), or from a bootstrap (default by queries).",
)
@resamples_option(N_RESAMPLES, "Of the bootstrap.")
@seed_option()
@click.option("--details", is_flag=True, help="Show every pair of many measures, too.")
@result_options
def measures(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    statistic: str,
    by: str,
    confidence_level: float,
    interval: str | None,
    n_resamples: int,
    rng: int,
    details: bool,
    **options: Any,
) -> None:
    """Say how far measures agree with each other on the RUNs.

    Every two measures are correlated: over the systems, to see whether they order them alike, or over the queries, to
    see whether they find the same ones hard (the mean over systems).

    \b
    rankscope agree measures demo.qrels *.run -m AP -m nDCG@10 -m RR -m P@10
    rankscope agree measures demo.qrels *.run --by queries --statistic spearman --format csv
    """
    check_agreement_settings(statistic, by, confidence_level, interval, n_resamples)
    result_output = pop_result_output(options)
    result_output.check((qrels, *runs))
    scores = evaluate_files(qrels, runs, measures, **options)
    k = len(scores.measures)
    with progress_bar(k * (k - 1) // 2 if by == "queries" else None, "correlating measures") as progress:
        result = agree_measures(
            scores,
            statistic=statistic,
            by=by,
            confidence_level=confidence_level,
            interval=interval,
            n_resamples=n_resamples,
            rng=rng,
            progress=progress,
        )
    result_output.show(result, details=details)
