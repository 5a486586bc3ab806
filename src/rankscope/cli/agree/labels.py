"""`rankscope agree labels`: predicted labels against true ones."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from rankscope.cli._groups import Command, option_group
from rankscope.cli._results import pop_result_output, result_options
from rankscope.cli._setting_options import setting_options, take_settings
from rankscope.comparison.judges import LabelSettings, LabelTableSettings, agree_label_columns, agree_label_lists
from rankscope.errors import InputError
from rankscope.io.core import source_name
from rankscope.io.tables import find_label, read_label_pairs, read_rater_labels

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
    rankscope agree labels demo-labels.csv --columns true=predicted,predicted=true
    rankscope agree labels demo-labels.csv --raters true,predicted
    """
    settings, result_output = take_settings(LabelSettings, options), pop_result_output(options)
    result_output.check((file,))
    table_settings = take_settings(LabelTableSettings, options)
    if table_settings.raters is not None:
        try:
            raters = agree_label_columns(read_rater_labels(file, table_settings.raters), settings)
        except InputError as error:
            raise with_source(error, file) from None
        result_output.show(raters)
        return
    pairs = read_label_pairs(file, table_settings.columns)
    if isinstance(settings.positive, str):
        settings = replace(settings, positive=find_label(settings.positive, {*pairs.true, *pairs.predicted}))
    try:
        result = agree_label_lists(pairs.true, pairs.predicted, settings)
    except InputError as error:
        raise with_source(error, file) from None
    result_output.show(replace(result, notes=(*pairs.notes, *result.notes)))


def with_source(error: InputError, file: str) -> InputError:
    """The error with the file, if it does not name it."""
    name = source_name(file)
    return error if str(error).startswith(name) else InputError(f"{name}: {error}")
