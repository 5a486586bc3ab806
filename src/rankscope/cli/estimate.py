"""`rankscope estimate`: means of a table of items that a machine judged, and people some of them."""

from __future__ import annotations

from typing import Any

import click

from rankscope.cli._groups import Command, option_group
from rankscope.cli._results import pop_result_output, result_options
from rankscope.cli._setting_options import setting_options, take_settings
from rankscope.judging.estimation import ItemSettings, estimate_item_table

__all__ = [
    "estimate",
]


@click.command(cls=Command)
@click.argument("table", metavar="SCORES")
@option_group("Estimates", setting_options(ItemSettings))
@option_group("Output", result_options)
def estimate(table: str, **options: Any) -> None:
    """Estimate the mean that people would find, from a machine's values of all items and people's of some.

    SCORES is a table (CSV, TSV, JSON lines, Parquet; - is standard input) with an item a row: scores, grades, or labels
    with --positive. With the columns system and query, systems are compared. The columns cluster, weight and chance
    count if there are any; items without a chance are taken as chosen at random.

    \b
    rankscope estimate demo-items.csv --human people --machine llm --columns query=answer,chance=picked
    rankscope estimate demo-items.csv --human people --machine llm --columns query=answer,cluster=question,chance=picked
    """
    settings, result_output = take_settings(ItemSettings, options), pop_result_output(options)
    result_output.check((table,))
    result_output.show(estimate_item_table(table, settings))
