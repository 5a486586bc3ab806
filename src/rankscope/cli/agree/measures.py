"""`rankscope agree measures`: correlations of measures."""

from __future__ import annotations

from typing import Any

import click

from rankscope.cli._groups import Command, option_group
from rankscope.cli._options import details_option, evaluation_options, load_scores, query_options, score_file_options
from rankscope.cli._output import progress_bar
from rankscope.cli._results import pop_result_output, result_options
from rankscope.cli._setting_options import setting_options, take_settings
from rankscope.comparison.measure_agreement import MeasureAgreementSettings, correlate_measures

__all__ = [
    "measures",
]


@click.command("measures", cls=Command)
@click.argument("qrels", metavar="QRELS|SCORES")
@click.argument("runs", nargs=-1, metavar="RUN...")
@option_group("Measures and data", evaluation_options)
@option_group("Measures and data", score_file_options)
@option_group("Queries that belong together", query_options)
@option_group("Agreement", setting_options(MeasureAgreementSettings))
@option_group("Output", details_option("Show every pair of measures, even if there are many."), result_options)
def measures(qrels: str, runs: tuple[str, ...], measures: tuple[str, ...], details: bool, **options: Any) -> None:
    """Correlate measures with each other on the RUNs: how far do they agree?

    Every pair of measures is correlated: over the systems, to see whether they order them alike, or over the queries,
    to see whether they find the same queries hard (the mean of each system's correlation over its queries).

    \b
    rankscope agree measures demo.qrels *.run -m AP -m nDCG@10 -m RR -m P@10
    rankscope agree measures demo.qrels *.run --by queries --statistic spearman --format csv
    """
    settings, result_output = take_settings(MeasureAgreementSettings, options), pop_result_output(options)
    result_output.check((qrels, *runs))
    scores = load_scores(qrels, runs, measures, **options)
    k = len(scores.measures)
    with progress_bar(k * (k - 1) // 2 if settings.by == "queries" else None, "correlating measures") as progress:
        result = correlate_measures(scores, settings, progress=progress)
    result_output.show(result, details=details)
