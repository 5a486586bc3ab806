"""`rankscope pool`: which documents to judge next."""

from __future__ import annotations

from typing import Any

import click
from click.core import ParameterSource

from rankscope.cli._output import bytes_progress, check_output
from rankscope.cli._results import PAGE, ResultOutput, check_page
from rankscope.cli._sampling_options import seed_option
from rankscope.data.result import Result
from rankscope.errors import ParameterError
from rankscope.io.core import FORMATS, writable_formats
from rankscope.judging.pooling import DEEP, METHODS, SHALLOW, check_pool_file, write_pool
from rankscope.parallel.memory import keep_memory
from rankscope.reporting.tables import RESULT_FORMATS
from rankscope.settings import LARGEST

__all__ = [
    "pool",
]


COUNT = click.IntRange(1, LARGEST)


@click.command()
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option(
    "--depth",
    type=COUNT,
    metavar="K",
    help=f"So many documents of each list take part. Default: {SHALLOW}; of --budget, --sample, --leave-out {DEEP}.",
)
@click.option("--budget", type=COUNT, metavar="N", help="How many documents to judge now, over all queries.")
@click.option(
    "--method", type=click.Choice(list(METHODS)), default="depth", show_default=True, help="What comes first."
)
@click.option("--judged", metavar="QRELS", help="Judgments made so far: not asked for again, and learned from.")
@click.option(
    "--sample", "share", type=float, metavar="RATE", help="Draw this share of the pool, up to 1, at random, for infAP."
)
@click.option("--leave-out", is_flag=True, help="With --judged: what becomes of each run, had it not taken part.")
@click.option("-m", "--measure", metavar="MEASURE", help="With --leave-out. Default: nDCG@10.")
@click.option("--cutoff", type=COUNT, metavar="K", help="With --leave-out: unjudged among the first K. Default: 10.")
@click.option(
    "--rel", type=COUNT, default=1, show_default=True, metavar="N", help="Least relevance that counts as relevant."
)
@click.option(
    "--rate",
    type=float,
    metavar="R",
    help="Of bandits, from 0 to 1: what a judgment counts after its run's next. 1: all alike.",
)
@click.option(
    "--beta",
    type=float,
    metavar="B",
    help="Of hedge, between 0 and 1, 0.1 by default: the less, the more a loss weighs.",
)
@seed_option("Of --sample and thompson: the same seed goes on with the same draws.")
@click.option(
    "--input", "input", type=click.Choice(list(FORMATS)), help="Format of the runs; told by content otherwise."
)
@click.option("--to", type=click.Choice(writable_formats()), help="Format of POOL; told by its suffix otherwise.")
@click.option("-o", "--output", metavar="POOL", help="Write what to judge there; whole or not at all. - prints it.")
@click.option(
    "--format",
    "format_",
    type=click.Choice([*RESULT_FORMATS, PAGE]),
    default="table",
    show_default=True,
    help="Of what is printed: what each run has to do with the pool.",
)
@click.option("--details", is_flag=True, help="Show what a page folds away, too.")
def pool(
    runs: tuple[str, ...], output: str | None, to: str | None, format_: str, details: bool, rng: int, **options: Any
) -> None:
    """Say which documents of each RUN to judge next.

    POOL holds them query by query, the most promising first, as judgments of relevance -1 (a suffix of `rankscope
    convert`), or with their priorities (.jsonl). Of --sample it holds the whole pool: -2 what to judge, -1 the rest;
    the same command with --judged puts the grades in, and infAP can be had of it.

    \b
    rankscope pool *.run --depth 10 -o pool.qrels
    rankscope pool *.run --method bandit --budget 500 --judged demo-few.qrels -o next.qrels
    rankscope pool *.run --sample 0.2 --seed 7 --judged demo-few.qrels -o sampled.qrels
    rankscope pool *.run --judged demo.qrels --leave-out -m nDCG@10
    """
    judged: str | None = options["judged"]
    refuse_together(output, to, format_, options)
    if output is not None:
        check_pool_file(output, to)
        check_output(output, (*runs, *((judged,) if judged else ())))
    check_page(format_, None)
    keep_memory()
    with bytes_progress(runs, "reading runs") as progress:
        result = pool_result(list(runs), rng, progress, **options)
    if output is not None:
        write_pool(result, output, to)
    if output == "-":
        for note in result.notes:
            click.echo(f"note: {note}", err=True)
    else:
        ResultOutput(format_, None, None, None).show(result, details=details)


def pool_result(runs: list[str], rng: int, progress: Any, **options: Any) -> Any:
    """The pool, the sample, or the table of runs left out, as the options say."""
    arguments = {name: value for name, value in options.items() if value is not None}
    share, is_leave_out = arguments.pop("share", None), arguments.pop("leave_out")
    if is_leave_out:
        from rankscope.judging.pooling import leave_out

        leave_out_arguments = {
            name: arguments[name] for name in ("depth", "cutoff", "rel", "input") if name in arguments
        }
        result: Result = leave_out(
            runs, arguments["judged"], arguments.get("measure", "nDCG@10"), **leave_out_arguments
        )
        return result
    if share is not None:
        from rankscope.judging.pooling import sample

        sample_arguments = {name: arguments[name] for name in ("depth", "judged", "input") if name in arguments}
        return sample(runs, share, rng=rng, progress=progress, **sample_arguments)
    from rankscope.judging.pooling import pool as pool_runs

    return pool_runs(runs, rng=rng, progress=progress, **arguments)


def refuse_together(output: str | None, to: str | None, format_: str, options: dict[str, Any]) -> None:
    """Raise ParameterError for options that do not go together."""
    if to is not None and output is None:
        raise ParameterError("--to without -o POOL; add it, or leave --to out")
    if output == "-" and format_ != "table":
        raise ParameterError(
            f"-o - prints the pool, and --format {format_} what each run has to do with it; name a file"
        )
    if options["leave_out"]:
        if options["judged"] is None:
            raise ParameterError("--leave-out needs judgments; name them with --judged QRELS")
        refuse_beside("--leave-out", {**options, "output": output}, ("output", "budget", "share", "rate", "beta"))
    else:
        for name in ("measure", "cutoff"):
            if options[name] is not None:
                raise ParameterError(f"--{name} without --leave-out; add it, or leave --{name} out")
    if options["share"] is not None:
        refuse_beside("--sample", options, ("budget", "rate", "beta"))
    if (options["share"] is not None or options["leave_out"]) and options["method"] != "depth":
        option = "--sample" if options["share"] is not None else "--leave-out"
        raise ParameterError(f"{option} and --method {options['method']} do not go together; leave one out")
    if options["share"] is not None:
        refuse_unused("rel", "--sample, which draws whatever is relevant")
    elif options["leave_out"]:
        refuse_unused("rng", "--leave-out, which draws nothing")
    elif options["method"] != "thompson":
        refuse_unused("rng", f"--method {options['method']}, which draws nothing")


def refuse_beside(option: str, options: dict[str, Any], names: tuple[str, ...]) -> None:
    flags = {"output": "-o", "share": "--sample"}
    for name in names:
        if options[name] is not None:
            raise ParameterError(f"{option} and {flags.get(name, f'--{name}')} do not go together; leave one out")


def refuse_unused(name: str, why: str) -> None:
    """Raise ParameterError for an option on the command line that would change nothing."""
    if click.get_current_context().get_parameter_source(name) is ParameterSource.COMMANDLINE:
        option = {"rng": "seed"}.get(name, name)
        raise ParameterError(f"--{option} changes nothing about {why}; leave it out")
