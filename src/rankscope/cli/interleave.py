"""`rankscope interleave`: runs as one list for each query, and the record by which clicks are credited."""

from __future__ import annotations

from typing import Any

import click

from rankscope.cli._dependencies import depends_on
from rankscope.cli._groups import Command, option_group
from rankscope.cli._options import columns_option, input_option, name_option, output_option, to_option
from rankscope.cli._output import check_output
from rankscope.cli._results import pop_result_output, printing_options
from rankscope.cli._setting_options import setting_options, take_settings
from rankscope.errors import ParameterError
from rankscope.io.convert import convert, parse_target
from rankscope.online.interleaving import InterleavingSettings, interleave_runs
from rankscope.settings import needs

__all__ = [
    "interleave",
]


@click.command(cls=Command)
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@option_group("Method", setting_options(InterleavingSettings))
@option_group(
    "Output",
    output_option("Write the interleaved lists as a run to this file (atomically); - prints it."),
    click.option(
        "--record",
        metavar="FILE",
        help="Write the credit record as JSON lines to this file (atomically): of each query the documents, and what a "
        "click on each says. `rankscope online --lists` reads it.",
    ),
    name_option("Name (tag) of the interleaved run. Default: the method with the names of the systems."),
    depends_on(needs("output"), to_option()),
    printing_options,
)
@option_group("Input", input_option(), columns_option)
def interleave(
    runs: tuple[str, ...],
    output: str | None,
    record: str | None,
    name: str | None,
    to: str | None,
    input_: str | None,
    **options: Any,
) -> None:
    """Interleave the RUNs, to find out by clicks which one users prefer.

    For each query one list is made of the lists of two or more systems. It is shown in the place of theirs; `rankscope
    online` then tells who won. Each call makes one list a query: with another --seed another one.

    \b
    rankscope interleave rerank.run bm25.run -o mixed.run --record mixed.jsonl
    rankscope interleave rerank.run hybrid.run bm25.run --method probabilistic --seed 7 -o mixed.run
    rankscope interleave rerank.run bm25.run --method optimised --length 5 --record mixed.jsonl --format csv
    """
    settings, result_output = take_settings(InterleavingSettings, options), pop_result_output(options)
    if output is None and record is None:
        raise ParameterError(
            "nothing to do with the lists; add -o FILE for the run, or --record FILE for the credit record"
        )
    if "-" in (output, record) and (output == record or result_output.format_ != "table"):
        raise ParameterError("standard output (-) can hold one thing only; name a file")
    if output is not None:
        parse_target(output, to)
    for path in (output, record):
        check_output(path, runs)
    result_output.check(runs)
    result = interleave_runs(list(runs), settings, input=input_)
    notes: tuple[str, ...] = ()
    if record is not None:
        result.write_record(record)
    if output is not None:
        notes = convert(result.run(name), output, to=to)[len(result.notes) :]
    if "-" not in (output, record):
        result_output.show(result)
    for note in (*notes, *(result.notes if "-" in (output, record) else ())):
        click.echo(f"note: {note}", err=True)
