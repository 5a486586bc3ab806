"""`rankscope counterfactual`: what users would have clicked in other rankings."""

from __future__ import annotations

from typing import Any

import click

from rankscope.cli._groups import Command, option_group
from rankscope.cli._options import file_option, input_option
from rankscope.cli._output import bytes_progress
from rankscope.cli._results import pop_result_output, result_options
from rankscope.cli._setting_options import setting_options, take_settings
from rankscope.online.counterfactual import ClickEstimateSettings, run_click_estimates

__all__ = [
    "counterfactual",
]


@click.command(cls=Command)
@click.argument("log")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@option_group(
    "Input",
    file_option("--lists", "Lists that were shown, found by list or query; or queries of UBI."),
    setting_options(ClickEstimateSettings, only=("columns", "actions")),
    input_option("Format of the runs. Default: detected from their content."),
)
@option_group("Estimation", setting_options(ClickEstimateSettings, without=("columns", "actions")))
@option_group("Output", result_options)
def counterfactual(log: str, runs: tuple[str, ...], lists: str | None, input_: str | None, **options: Any) -> None:
    """Estimate how many clicks each RUN would have got, from a log of other rankings.

    LOG holds impressions with query, documents, clicks and propensity, the probability with which each document stood
    at its rank. Without it, that is the share of the impressions of the query.

    \b
    rankscope counterfactual demo-clicks.jsonl dense.run bm25.run --lists demo-interleaved.jsonl --cutoff 1
    """
    settings, result_output = take_settings(ClickEstimateSettings, options), pop_result_output(options)
    result_output.check((log, *runs, *([lists] if lists else [])))
    with bytes_progress([log], "reading the log") as progress:
        result = run_click_estimates(log, list(runs), settings, lists=lists, input=input_, progress=progress)
    result_output.show(result)
