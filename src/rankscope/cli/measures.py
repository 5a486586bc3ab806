"""`rankscope measures`: list or explain measures."""

from __future__ import annotations

import click

from rankscope.cli._groups import Command
from rankscope.cli._options import output_options
from rankscope.cli._output import write_output
from rankscope.reporting.measure_list import LIST_FORMATS, explain_measure, list_measures, list_presets

__all__ = [
    "measures",
]


@click.command(cls=Command)
@click.argument("name", required=False)
@click.option("--presets", is_flag=True, help="List the presets instead of the measures.")
@output_options(LIST_FORMATS)
def measures(name: str | None, presets: bool, format_: str, output: str | None) -> None:
    """List all measures, one per line, or explain the measure NAME: definition, parameters, source, other names.

    \b
    rankscope measures
    rankscope measures nDCG
    """
    if presets:
        text = list_presets()
    elif name is not None:
        text = explain_measure(name, format_)
    else:
        text = list_measures(format_)
    write_output(text, output)
