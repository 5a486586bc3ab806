"""`rankscope agree labels`: labels of two raters or more."""

from __future__ import annotations

from typing import Any

import click

from rankscope.cli._groups import Command, option_group
from rankscope.cli._options import details_option
from rankscope.cli._results import pop_result_output, result_options
from rankscope.cli._setting_options import setting_options, take_settings
from rankscope.comparison.judges import LabelSettings, LabelTableSettings, agree_label_table, load_labels
from rankscope.errors import InputError
from rankscope.io.core import source_name

__all__ = [
    "labels",
]


@click.command("labels", cls=Command)
@click.argument("file")
@option_group("Agreement", setting_options(LabelSettings))
@option_group("Data", setting_options(LabelTableSettings))
@option_group(
    "Output", details_option("Also show confusion matrices, and every two of more than ten raters."), result_options
)
def labels(file: str, details: bool, **options: Any) -> None:
    """Compare the labels of raters, a column each, in FILE: CSV, TSV, JSONL or Parquet, plain, .gz or .zst; - is
    standard input.

    Equal numbers are one label, however they are written (1, 1.0). Items without a label are skipped where it counts.
    `rankscope agree systems` tells whether the ranking of systems changes.

    \b
    rankscope agree labels demo-labels.csv --positive relevant
    rankscope agree labels demo-raters.csv --raters ann,bob,cem,llm --machines llm --order bad,ok,good
    rankscope agree labels demo-raters.csv --raters ann,bob --columns cluster=question
    """
    settings, result_output = take_settings(LabelSettings, options), pop_result_output(options)
    result_output.check((file,))
    table = load_labels(file, take_settings(LabelTableSettings, options))
    try:
        result = agree_label_table(table, settings)
    except InputError as error:
        raise with_source(error, file) from None
    result_output.show(result, details=details)


def with_source(error: InputError, file: str) -> InputError:
    """The error with the file, if it does not name it."""
    name = source_name(file)
    return error if str(error).startswith(name) else InputError(f"{name}: {error}")
