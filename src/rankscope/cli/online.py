"""`rankscope online`: which of several interleaved systems users prefer."""

from __future__ import annotations

from typing import Any

import click

from rankscope.cli._groups import Command, option_group
from rankscope.cli._options import details_option, file_option
from rankscope.cli._output import bytes_progress
from rankscope.cli._results import pop_result_output, result_options
from rankscope.cli._setting_options import setting_options, take_settings
from rankscope.online.preference import InterleavingTestSettings, run_interleaving_test

__all__ = [
    "online",
]


@click.command(cls=Command)
@click.argument("log")
@option_group(
    "Input",
    file_option(
        "--lists",
        "Lists that were shown: the record of `rankscope interleave`, found by list or query; or queries of UBI.",
    ),
    setting_options(InterleavingTestSettings, only=("columns", "systems", "actions")),
)
@option_group("Test", setting_options(InterleavingTestSettings, without=("columns", "systems", "actions")))
@option_group("Output", details_option(), result_options)
def online(log: str, lists: str | None, details: bool, **options: Any) -> None:
    """Who won? Test by clicks which of the interleaved systems users prefer.

    LOG holds impressions, as JSON lines: clicks (ranks from 1), user, session, query and time, and by document team,
    the system that placed it; or the lists are in a file of their own (--lists). Responses of Solr with
    [interleaving], and events of UBI with search_config, are read, too.

    \b
    rankscope online demo-clicks.jsonl --lists demo-interleaved.jsonl
    rankscope online demo-clicks.jsonl --lists demo-interleaved.jsonl --test anytime
    rankscope online demo-clicks.jsonl --lists demo-interleaved.jsonl --cluster-by query --difference 0.05
    """
    settings, result_output = take_settings(InterleavingTestSettings, options), pop_result_output(options)
    result_output.check((log, *([lists] if lists else [])))
    with bytes_progress([log], "reading the log") as progress:
        result = run_interleaving_test(log, settings, lists=lists, progress=progress)
    result_output.show(result, details=details)
