"""`rankscope clicks`: what clicks say of ranks and documents."""

from __future__ import annotations

from typing import Any

import click

from rankscope.cli._dependencies import depends_on
from rankscope.cli._groups import Command, option_group
from rankscope.cli._options import file_option, to_option
from rankscope.cli._output import bytes_progress, check_output
from rankscope.cli._results import pop_result_output, result_options
from rankscope.cli._setting_options import setting_options, take_settings
from rankscope.errors import ParameterError
from rankscope.io.convert import convert, parse_target
from rankscope.online.click_log import ClickSettings, run_click_summary
from rankscope.settings import needs

__all__ = [
    "clicks",
]


@click.command(cls=Command)
@click.argument("log")
@option_group(
    "Input",
    file_option("--lists", "Lists that were shown, found by query or list; or UBI queries, by query_id."),
    setting_options(ClickSettings, only=("columns", "actions")),
)
@option_group("Estimation", setting_options(ClickSettings, without=("columns", "actions")))
@option_group(
    "Output",
    click.option(
        "--to-qrels",
        "qrels",
        metavar="FILE",
        help="Write the judgments to this file (atomically), in any format of `rankscope convert`.",
    ),
    depends_on(needs("qrels"), to_option("Format of the judgments. Default: by the suffix.")),
    result_options,
)
def clicks(log: str, lists: str | None, qrels: str | None, to: str | None, **options: Any) -> None:
    """Estimate the position bias from clicks, and make judgments of them.

    LOG holds impressions with query, documents and clicks, as for `rankscope online`; the documents may be in a file of
    their own (--lists).

    \b
    rankscope clicks demo-clicks.jsonl --lists demo-interleaved.jsonl
    rankscope clicks demo-clicks.jsonl --lists demo-interleaved.jsonl --expected bias --prior 2 --to-qrels clicks.qrels
    """
    settings, result_output = take_settings(ClickSettings, options), pop_result_output(options)
    if qrels == "-":
        raise ParameterError("judgments cannot be printed beside the table; name a file with --to-qrels")
    inputs = (log, *([lists] if lists else []))
    result_output.check(inputs)
    if qrels is not None:
        parse_target(qrels, to)
        check_output(qrels, inputs)
    with bytes_progress([log], "reading the log") as progress:
        summary = run_click_summary(log, settings, lists=lists, progress=progress)
    if qrels is not None:
        convert(summary.qrels(), qrels, to=to)
    result_output.show(summary)
