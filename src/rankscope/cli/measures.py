"""`rankscope measures`: list or explain measures."""

from __future__ import annotations

import click

from rankscope.cli._options import resolve_format
from rankscope.cli._output import write_output
from rankscope.reporting.measure_list import LIST_FORMATS, explain_measure, list_measures, list_presets

__all__ = [
    "measures",
]


@click.command()
@click.argument("name", required=False)
@click.option("--presets", is_flag=True, help="List the presets instead of the measures.")
@click.option(
    "--format",
    "format_",
    type=click.Choice(LIST_FORMATS),
    help="Output format: to read (table), for a page (markdown), for programs (json). Default: by the suffix of -o, "
    "else table.",
)
@click.option("-o", "--output", metavar="FILE", help="Write to this file instead of the terminal (atomically).")
def measures(name: str | None, presets: bool, format_: str | None, output: str | None) -> None:
    """List all measures, one per line, or explain the measure NAME: definition, parameters, source, other names.

    \b
    rankscope measures
    rankscope measures nDCG
    """
    resolved_format = resolve_format(format_, output, LIST_FORMATS)
    if presets:
        write_output(list_presets(), output)
    elif name is not None:
        write_output(explain_measure(name, resolved_format), output)
    else:
        write_output(list_measures(resolved_format), output)
