"""`rankscope letor score`, `rank` and `ttest`: the command lines of LETOR's evaluation scripts."""

from __future__ import annotations

import sys
from collections.abc import Callable

import click

from rankscope.cli._output import write_output
from rankscope.compat.letor import VERSIONS, Stopped, letor_rank, letor_score, letor_ttest
from rankscope.io.core import check_writable, refuse_overwriting

__all__ = [
    "letor",
]


USAGE_EXIT = 255
PRESET = click.option(
    "--preset",
    type=click.Choice(list(VERSIONS)),
    default="letor4",
    show_default=True,
    help="Version of the script: LETOR 3.0 (2008), LETOR 4.0 (2009), MSLR (2010).",
)
SCORE_USAGE = "TEST PRED OUT FLAG"
#: We check their number, since the scripts have their own exit code for it.
ARGUMENTS = click.argument("arguments", nargs=-1, metavar=SCORE_USAGE)
PASS_UNKNOWN_OPTIONS = {"ignore_unknown_options": True}


@click.group(invoke_without_command=True)
@click.pass_context
def letor(context: click.Context) -> None:
    """Evaluate as LETOR's scripts do, with the same arguments, output and exit codes.

    Exit codes: 254 if the scripts would refuse a file (their message is printed on standard output), 255 for wrong
    arguments.

    \b
    rankscope letor score demo-letor.txt demo-letor-rerank.txt - 0
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@letor.command(context_settings=PASS_UNKNOWN_OPTIONS)
@PRESET
@ARGUMENTS
def score(arguments: tuple[str, ...], preset: str) -> None:
    """Score predictions as Eval-Score.pl does.

    TEST: the label file. PRED: one score per line. OUT: the file to write. FLAG: 1 for each query, 0 for averages only.

    \b
    rankscope letor score demo-letor.txt demo-letor-rerank.txt - 0
    """
    run_script("score", letor_score, arguments, preset)


@letor.command(context_settings=PASS_UNKNOWN_OPTIONS)
@PRESET
@ARGUMENTS
def rank(arguments: tuple[str, ...], preset: str) -> None:
    """Score rank positions, 1 the best, as Eval-Rank.pl does.

    As `score`, but PRED has one rank position per line; equal positions are a tie, in file order.

    \b
    rankscope letor rank test.txt positions.txt - 0
    """
    run_script("rank", letor_rank, arguments, preset)


@letor.command(context_settings=PASS_UNKNOWN_OPTIONS)
@click.argument("arguments", nargs=-1, metavar="A B OUT")
def ttest(arguments: tuple[str, ...]) -> None:
    """Compare two outputs with t-tests.

    A, B: outputs of `score` or `rank` with FLAG 1. OUT: the file to write; each line gives the paired
    two-sided t-test on the per-query values of one measure.

    \b
    rankscope letor score demo-letor.txt demo-letor-rerank.txt rerank.txt 1
    rankscope letor score demo-letor.txt demo-letor-bm25.txt bm25.txt 1
    rankscope letor ttest rerank.txt bm25.txt -
    """
    if len(arguments) != 3:
        exit_with_usage("ttest A B OUT")
    a, b, out = arguments
    check_output(out, a, b)
    write_output(letor_ttest(a, b), out)


def run_script(name: str, tool: Callable[..., str], arguments: tuple[str, ...], preset: str) -> None:
    """Read, score and write, for `score` and `rank`."""
    if len(arguments) != 4 or arguments[3] not in ("0", "1"):
        exit_with_usage(f"{name} [--preset NAME] {SCORE_USAGE}")
    test, predictions, out, flag = arguments
    check_output(out, test, predictions)
    try:
        write_output(tool(test, predictions, preset=preset, by_query=flag == "1"), out)
    except Stopped as stop:
        click.echo(str(stop))
        sys.exit(stop.code)


def check_output(out: str, *inputs: str) -> None:
    """Raise if the output cannot be written, or is one of the inputs."""
    if out != "-":
        refuse_overwriting(out, inputs)
        check_writable(out)


def exit_with_usage(call: str) -> None:
    """Print the usage on standard output and exit with code 255, as the scripts do."""
    click.echo(f"Usage: rankscope letor {call}")
    if call.endswith("FLAG"):
        click.echo("FLAG: 1 for a line per query and the averages, 0 for the averages only")
    sys.exit(USAGE_EXIT)
