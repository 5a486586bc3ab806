"""`rankscope choose`: which items of a table people judge next."""

from __future__ import annotations

from typing import Any

import click

from rankscope.cli._groups import Command, option_group
from rankscope.cli._results import pop_result_output, result_options
from rankscope.cli._setting_options import setting_options, take_settings
from rankscope.judging.estimation import ChoiceSettings, choose_table_items

__all__ = [
    "choose",
]


@click.command(cls=Command)
@click.argument("table", metavar="SCORES")
@option_group("Choice", setting_options(ChoiceSettings))
@option_group("Output", result_options)
def choose(table: str, **options: Any) -> None:
    """Choose which items of SCORES people judge next, so that the intervals of `rankscope estimate` become narrow soon.

    Items where the machine seems to err most are likelier to be chosen. CSV, JSON and Parquet hold SCORES with a column
    chosen (1: to be judged next) and a column chance, which `rankscope estimate` reads once the values of people are
    filled in.

    \b
    rankscope choose demo-items.csv --human people --machine llm --budget 60 --columns query=answer,chance=picked
    rankscope choose demo-items.csv --human people --machine llm --budget 60 --columns query=answer,chance=picked \\
      --seed 7 --format csv -o next.csv
    """
    settings, result_output = take_settings(ChoiceSettings, options), pop_result_output(options)
    result_output.check((table,))
    result_output.show(choose_table_items(table, settings))
