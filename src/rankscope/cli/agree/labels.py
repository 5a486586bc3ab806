"""`rankscope agree labels`: predicted labels against true ones."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from rankscope.cli._groups import Command, option_group
from rankscope.cli._results import pop_result_output, result_options
from rankscope.cli._setting_options import setting_options, take_settings
from rankscope.comparison.judges import LabelSettings, LabelTableSettings, agree_label_lists
from rankscope.errors import InputError
from rankscope.io.core import source_name
from rankscope.io.tables import find_label, read_label_pairs

__all__ = [
    "labels",
]


@click.command("labels", cls=Command)
@click.argument("file")
@option_group("Agreement", setting_options(LabelSettings))
@option_group("Data", setting_options(LabelTableSettings))
@option_group("Output", result_options)
def labels(file: str, **options: Any) -> None:
    """Compare the columns `true` and `predicted` of FILE: CSV, TSV, JSONL or Parquet, plain, .gz or .zst; - is
    standard input.

    Equal numbers are one label, however they are written (1, 1.0). Items without one of the two labels are skipped.

    \b
    rankscope agree labels demo-labels.csv --positive relevant
    rankscope agree labels judged.csv --columns true=alice,predicted=gpt4
    """
    settings, result_output = take_settings(LabelSettings, options), pop_result_output(options)
    result_output.check((file,))
    pairs = read_label_pairs(file, take_settings(LabelTableSettings, options).columns)
    if isinstance(settings.positive, str):
        settings = replace(settings, positive=find_label(settings.positive, {*pairs.true, *pairs.predicted}))
    try:
        result = agree_label_lists(pairs.true, pairs.predicted, settings)
    except InputError as error:
        raise InputError(f"{source_name(file)}: {error}") from None
    result_output.show(replace(result, notes=(*pairs.notes, *result.notes)))
