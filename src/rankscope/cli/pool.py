"""`rankscope pool`: which documents to judge next."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from rankscope.cli._dependencies import depends_on
from rankscope.cli._groups import Command, option_group
from rankscope.cli._options import (
    columns_option,
    details_option,
    format_option,
    input_option,
    output_option,
    to_option,
)
from rankscope.cli._output import bytes_progress, check_output
from rankscope.cli._results import PAGE, ResultOutput, check_page
from rankscope.cli._setting_options import is_given, setting_options, take_settings
from rankscope.data.chunks import MergingSettings
from rankscope.errors import ParameterError
from rankscope.io.chunk_tables import merge_runs, merging_of
from rankscope.judging.pooling import (
    METHODS,
    DrawnSettings,
    LeaveOutSettings,
    PoolSettings,
    SampleSettings,
    check_pool_file,
    estimate_drawn_runs,
    leave_out_runs,
    pool_runs,
    sample_pool,
    write_pool,
)
from rankscope.parallel.memory import keep_memory
from rankscope.reporting.tables import RESULT_FORMATS
from rankscope.settings import excludes, needs

__all__ = [
    "pool",
]


#: What only the pool of documents to judge has, but not a sample, runs that are left out, or estimates.
OF_POOLS = ("budget", "rate", "beta", "chances")
OTHER_METHODS = [method for method in METHODS if method != PoolSettings.method]


@click.command(cls=Command)
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@option_group(
    "Pool",
    setting_options(PoolSettings, without=("seed",)),
    depends_on(
        needs("share", "chances", method="thompson", reason="nothing else is drawn at random"),
        setting_options(PoolSettings, only=("seed",)),
        in_help=False,
    ),
)
@click.option(
    "--judged",
    metavar="QRELS",
    help="Judgments made so far: methods learn from them, and judged documents are not listed again (with "
    "--sample they are listed, with their grades).",
)
@depends_on(
    (
        excludes(*OF_POOLS, method=OTHER_METHODS, reason="a sample is of the whole pool"),
        excludes("rel", reason="a sample does not depend on relevance"),
    ),
    setting_options(SampleSettings, only=("share",), optional=True),
)
@depends_on(
    (
        needs("judged"),
        excludes(
            "output", "share", *OF_POOLS, method=OTHER_METHODS, reason="runs are evaluated, and nothing is pooled"
        ),
    ),
    click.option("--leave-out", is_flag=True, help="Evaluate each run as if it had not contributed to the pool."),
)
@option_group(
    "Leave one run out",
    depends_on(
        needs("leave_out", "estimate"),
        setting_options(LeaveOutSettings, only=("measure",), hint="With --estimate, the default is P@10."),
    ),
    depends_on(needs("leave_out"), setting_options(LeaveOutSettings, only=("cutoff",))),
)
@option_group(
    "Estimates from drawn documents",
    depends_on(
        excludes(
            *("output", "share", "leave_out", *OF_POOLS),
            method=OTHER_METHODS,
            reason="runs are evaluated, and nothing is pooled",
        ),
        click.option(
            "--estimate",
            metavar="DRAWN",
            help="File that --chances wrote, with grades in the place of -1: estimate --measure (P, DCG or RBP with a "
            "cutoff) of the RUNs of that pool from it and --judged.",
        ),
    ),
    depends_on(needs("estimate"), setting_options(DrawnSettings)),
)
@setting_options(MergingSettings)
@input_option(name="input")
@columns_option
@depends_on(needs("output"), to_option("Format of POOL. Default: by its suffix."))
@output_option("Write the documents to judge to this file (atomically); - prints them.", metavar="POOL")
@format_option([*RESULT_FORMATS, PAGE], what="Format of the printed table of runs")
@details_option()
def pool(
    runs: tuple[str, ...], output: str | None, to: str | None, format_: str, details: bool, **options: Any
) -> None:
    """Choose which documents of the RUNs to judge next.

    The output file (-o POOL) lists them query by query, the most promising first, as judgments of relevance -1 (in any
    format of `rankscope convert`), or with their priorities (.jsonl). With --sample it holds the whole pool: -2 marks
    the sampled documents, which are to be judged, and -1 the documents that were not sampled. Repeat the command with
    --judged to replace -2 by the grades; infAP can then be estimated from it.

    \b
    rankscope pool *.run --depth 10 -o pool.qrels
    rankscope pool *.run --method bandit --budget 500 --judged demo-few.qrels -o next.qrels
    rankscope pool *.run --method hedge --budget 300 --chances --judged demo-few.qrels --seed 7 -o next.jsonl
    rankscope pool *.run --sample 0.2 --seed 7 --judged demo-few.qrels -o sampled.qrels
    rankscope pool *.run --judged demo.qrels --leave-out -m nDCG@10
    rankscope pool *.run --estimate drawn.jsonl --judged demo-few.qrels -m P@10
    """
    judged: str | None = options["judged"]
    if output == "-" and format_ != "table":
        raise ParameterError(f"-o - prints the pool, and --format {format_} the table of runs; name a file")
    settings = settings_of(options)
    drawn: str | None = options["estimate"]
    if output is not None:
        format_name = check_pool_file(output, to)
        if isinstance(settings, PoolSettings) and settings.chances and format_name != "jsonl":
            raise ParameterError(f"--chances needs a file that holds them, not {format_name}; name a file .jsonl")
        check_output(output, (*runs, *((judged,) if judged else ())))
    check_page(format_, None)
    keep_memory()
    merging = merging_of(take_settings(MergingSettings, options))
    with bytes_progress(runs, "reading runs") as progress:
        result = pool_result(
            merge_runs(list(runs), merging, options["input"]), judged, settings, options["input"], progress, drawn
        )
    if output is not None:
        write_pool(result, output, to)
    if output == "-":
        for note in result.notes:
            click.echo(f"note: {note}", err=True)
    else:
        ResultOutput(format_, None, None, None).show(result, details=details)


def settings_of(options: dict[str, Any]) -> PoolSettings | SampleSettings | LeaveOutSettings | DrawnSettings:
    """The settings of the pool, of a sample, of runs left out, or of an estimate, as the options say."""
    if options["estimate"] is not None:
        depth, measure = options["depth"] or DrawnSettings.depth, options["measure"]
        measure = measure if is_given("measure") else DrawnSettings.measure
        return take_settings(DrawnSettings, options, depth=depth, measure=measure, rel=options["rel"])
    if options["leave_out"]:
        return take_settings(LeaveOutSettings, options, depth=options["depth"] or LeaveOutSettings.depth)
    if options["share"] is not None:
        return take_settings(SampleSettings, options, depth=options["depth"] or SampleSettings.depth)
    return take_settings(PoolSettings, options)


def pool_result(
    runs: list[Any],
    judged: str | None,
    settings: PoolSettings | SampleSettings | LeaveOutSettings | DrawnSettings,
    input_: str | None,
    progress: Callable[[int], Any] | None,
    drawn: str | None,
) -> Any:
    """The pool, the sample, the table of runs left out, or that of estimates."""
    if isinstance(settings, DrawnSettings):
        return estimate_drawn_runs(runs, drawn, judged, settings, input=input_)
    if isinstance(settings, LeaveOutSettings):
        return leave_out_runs(runs, judged, settings, input=input_)
    if isinstance(settings, SampleSettings):
        return sample_pool(runs, judged, settings, input=input_, progress=progress)
    return pool_runs(runs, judged, settings, input=input_, progress=progress)
