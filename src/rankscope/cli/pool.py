"""`rankscope pool`: which documents to judge next."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from rankscope.cli._groups import Command, option_group
from rankscope.cli._options import (
    columns_option,
    details_option,
    input_option,
    to_option,
)
from rankscope.cli._output import bytes_progress, check_output
from rankscope.cli._results import PAGE, ResultOutput, check_page
from rankscope.cli._setting_options import is_given, setting_options, take_settings
from rankscope.data.chunks import MergingSettings
from rankscope.errors import ParameterError
from rankscope.io.chunk_tables import merge_runs, merging_of
from rankscope.judging.pooling import (
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

__all__ = [
    "pool",
]


@click.command(cls=Command)
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@option_group("Pool", setting_options(PoolSettings))
@click.option(
    "--judged",
    metavar="QRELS",
    help="Judgments made so far: methods learn from them, and judged documents are not listed again (with "
    "--sample they are listed, with their grades).",
)
@setting_options(SampleSettings, only=("share",), optional=True)
@click.option(
    "--leave-out", is_flag=True, help="With --judged: evaluate each run as if it had not contributed to the pool."
)
@option_group(
    "Leave one run out",
    setting_options(
        LeaveOutSettings, only=("measure",), hint="Needs --leave-out or --estimate, whose default is P@10."
    ),
    setting_options(LeaveOutSettings, only=("cutoff",), hint="Needs --leave-out."),
)
@option_group(
    "Estimates from drawn documents",
    click.option(
        "--estimate",
        metavar="DRAWN",
        help="File that --chances wrote, with grades in the place of -1: estimate --measure (P, DCG or RBP with a "
        "cutoff) of the RUNs of that pool from it and --judged.",
    ),
    setting_options(DrawnSettings, hint="Needs --estimate."),
)
@setting_options(MergingSettings)
@input_option(name="input")
@columns_option
@to_option("Format of POOL. Default: by its suffix.")
@click.option(
    "-o", "--output", metavar="POOL", help="Write the documents to judge to this file (atomically); - prints them."
)
@click.option(
    "--format",
    "format_",
    type=click.Choice([*RESULT_FORMATS, PAGE]),
    default="table",
    show_default=True,
    help="Format of the printed table of runs.",
)
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
    refuse_together(output, to, format_, options)
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


def refuse_together(output: str | None, to: str | None, format_: str, options: dict[str, Any]) -> None:
    """Raise ParameterError for options that do not go together."""
    if to is not None and output is None:
        raise ParameterError("--to needs -o POOL; add it, or remove --to")
    if output == "-" and format_ != "table":
        raise ParameterError(f"-o - prints the pool, and --format {format_} the table of runs; name a file")
    if options["leave_out"]:
        if options["judged"] is None:
            raise ParameterError("--leave-out needs judgments; name them with --judged QRELS")
        refuse_beside(
            "--leave-out",
            {**options, "output": output},
            ("output", "budget", "share", "rate", "beta", "chances"),
        )
    elif is_given("cutoff"):
        raise ParameterError("--cutoff needs --leave-out; add it, or remove --cutoff")
    elif is_given("measure") and options["estimate"] is None:
        raise ParameterError("--measure needs --leave-out or --estimate; add one, or remove --measure")
    if options["estimate"] is not None:
        names = ("output", "budget", "share", "rate", "beta", "chances", "leave_out")
        refuse_beside("--estimate", {**options, "output": output}, names)
        if options["method"] != "depth":
            raise ParameterError(f"--estimate and --method {options['method']} cannot be used together; remove one")
        refuse_unused("seed", "--estimate, which draws nothing at random")
        return
    if is_given("confidence_level"):
        raise ParameterError("--confidence-level needs --estimate; add it, or remove --confidence-level")
    if options["share"] is not None:
        refuse_beside("--sample", options, ("budget", "rate", "beta", "chances"))
    if (options["share"] is not None or options["leave_out"]) and options["method"] != "depth":
        option = "--sample" if options["share"] is not None else "--leave-out"
        raise ParameterError(f"{option} and --method {options['method']} cannot be used together; remove one")
    if options["share"] is not None:
        refuse_unused("rel", "--sample, which does not depend on relevance")
    elif options["leave_out"]:
        refuse_unused("seed", "--leave-out, which draws nothing at random")
    elif options["method"] != "thompson" and not options["chances"]:
        refuse_unused("seed", f"--method {options['method']}, which draws nothing at random")


def refuse_beside(option: str, options: dict[str, Any], names: tuple[str, ...]) -> None:
    flags = {"output": "-o", "share": "--sample", "leave_out": "--leave-out"}
    for name in names:
        if options[name] not in (None, False):
            raise ParameterError(f"{option} and {flags.get(name, f'--{name}')} cannot be used together; remove one")


def refuse_unused(name: str, why: str) -> None:
    """Raise ParameterError for an option on the command line that would change nothing."""
    if is_given(name):
        raise ParameterError(f"--{name} has no effect with {why}; remove it")
