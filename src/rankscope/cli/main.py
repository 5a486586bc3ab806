"""`rankscope COMMAND`: the table of commands, and the entry point."""

from __future__ import annotations

import atexit
import gc
import os
import re
import signal
import sys
from collections.abc import Sequence

import click

from rankscope._version import __version__
from rankscope.cli._groups import HELP_OPTIONS, LazyGroup
from rankscope.cli._scipy_special import load_functions_first
from rankscope.cli._streams import ReaderLeft, Terminated, guarded_streams, signals_raised
from rankscope.errors import RankscopeError, SettingError, in_one_line

__all__ = [
    "cli",
    "main",
]


#: Command -> its import path, and a line for the overview.
COMMANDS = {
    "evaluate": ("rankscope.cli.evaluate:evaluate", "Evaluate runs with judgments by any measures."),
    "nuggets": ("rankscope.cli.nuggets:nuggets", "Score answers by nuggets and citations, as TREC RAG does."),
    "measures": ("rankscope.cli.measures:measures", "List all measures, or explain one."),
    "convert": ("rankscope.cli.convert:convert", "Convert judgments and runs to another format."),
    "demo": ("rankscope.cli.demo:demo", "Make a small test collection to try things on."),
    "compare": ("rankscope.cli.compare:compare", "Which system is better? Significance tests."),
    "gate": ("rankscope.cli.gate:gate", "May the new system replace the baseline? For continuous integration."),
    "diff": ("rankscope.cli.diff:diff", "Which documents make the difference of two runs?"),
    "plan": ("rankscope.cli.plan:plan", "How many queries does a comparison need? Statistical power."),
    "report": ("rankscope.cli.report:report", "Write an HTML report: comparison, figures, details."),
    "stability": ("rankscope.cli.stability:stability", "Which measures can be trusted? Error rates and power."),
    "interleave": ("rankscope.cli.interleave:interleave", "Interleave runs, to compare them by clicks."),
    "online": ("rankscope.cli.online:online", "Which system do users prefer? Clicks on interleaved lists."),
    "counterfactual": (
        "rankscope.cli.counterfactual:counterfactual",
        "What would users have clicked in other rankings?",
    ),
    "clicks": ("rankscope.cli.clicks:clicks", "Position bias, and judgments from clicks."),
    "agree": ("rankscope.cli.agree._group:agree", "Agreement of judges, of metrics with people, of measures."),
    "estimate": ("rankscope.cli.estimate:estimate", "Estimate means from a machine's values and some of people's."),
    "choose": ("rankscope.cli.choose:choose", "Which items of a table people judge next, beside a machine."),
    "pool": ("rankscope.cli.pool:pool", "Which documents to judge next."),
    "fuse": ("rankscope.cli.fuse:fuse", "Merge runs into one run."),
    "consensus": ("rankscope.cli.consensus:consensus", "Merge rankings into one ranking."),
    "leaderboard": ("rankscope.cli.leaderboard:leaderboard", "Rank systems by pairwise preferences."),
    "train": ("rankscope.cli.learn.train:train", "Train a ranker on documents with features and grades."),
    "predict": ("rankscope.cli.learn.predict:predict", "Score documents with a trained ranker."),
    "crossvalidate": ("rankscope.cli.learn.crossvalidate:crossvalidate", "Train and test rankers on folds."),
    "features": ("rankscope.cli.features._group:features", "Compute features of translations, and models for them."),
    "mt-experiment": (
        "rankscope.cli.learn.mt_experiment:mt_experiment",
        "Train translation metrics, test them on WMT12.",
    ),
    "trec_eval": ("rankscope.cli.compat.trec_eval:trec_eval", "trec_eval's command line and output."),
    "letor": ("rankscope.cli.compat.letor:letor", "LETOR's evaluation tools: score, rank, ttest."),
    "rankeval": ("rankscope.cli.compat.rankeval:rankeval", "RankEval's output: predicted rankings against people's."),
    "dunaiski": ("rankscope.cli.compat.dunaiski:dunaiski", "Dunaiski's Ranking Evaluation Tool."),
}
#: The parts of the overview.
GROUPS = {
    "Evaluate": ("evaluate", "nuggets", "measures", "convert", "demo"),
    "Compare": ("compare", "gate", "diff", "plan", "report", "stability"),
    "Online": ("interleave", "online", "counterfactual", "clicks"),
    "Judges": ("agree", "estimate", "choose", "pool"),
    "Combine": ("fuse", "consensus", "leaderboard"),
    "Learn": ("train", "predict", "crossvalidate", "features", "mt-experiment"),
    "Replacements of other tools": ("trec_eval", "letor", "rankeval", "dunaiski"),
}
#: The repr of an exception that a signal raised, inside the message of another exception.
SIGNAL_PANIC = re.compile(r"KeyboardInterrupt\(\)|Terminated\((\d{1,3})\)")


class Commands(LazyGroup):
    """All commands."""

    table = COMMANDS
    groups = GROUPS

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:  # of workers, or a server: click would end without a message
            raise RankscopeError(system_error_message(error)) from None


@click.group(cls=Commands, invoke_without_command=True, context_settings={"help_option_names": list(HELP_OPTIONS)})
@click.version_option(__version__, prog_name="rankscope")
@click.pass_context
def cli(context: click.Context) -> None:
    """Evaluate rankings and compare the systems that produced them.

    \b
    rankscope demo                          make a sample collection to try the commands on
    rankscope evaluate QRELS RUN... -m AP   evaluate runs with judgments
    rankscope COMMAND --help                options of a command, with examples for the demo's folder
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
        return
    from rankscope.io.core import list_folders_once

    context.with_resource(list_folders_once())


def main(args: Sequence[str] | None = None) -> None:
    """Entry point. Exit codes: 0 done, 1 a bug of ours, 2 the user's input or arguments, 3 a gate failed, 4 it could
    not decide, 130 interrupted, 143 ended by SIGTERM.
    """
    # No command here multiplies matrices large enough for threads, and starting them costs .05 s of CPU.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Importing makes many objects and no garbage: collect less often, and not at the end, when all memory is freed
    # anyway. That saves .02 s of CPU.
    gc.set_threshold(50_000)
    atexit.register(gc.freeze)
    if args is None:  # else the process is another's
        load_functions_first()
    written_files().clear()
    with guarded_streams(), signals_raised(ends_process=args is None) as signals:
        try:
            code = exit_code(args)
            signals.is_over = True
        except KeyboardInterrupt as error:  # while an error was being printed
            signals.is_over = True
            code = report_interrupt(error)
    if code:
        sys.exit(code)


def exit_code(args: Sequence[str] | None) -> int:
    """Run the command, print errors, and give the exit code. A bug of ours is raised."""
    try:
        code = call_command(args)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except RankscopeError as error:
        from rankscope.cli._advice import single_dash_advice

        dash_advice = single_dash_advice(sys.argv[1:] if args is None else args, cli)
        message = error.on_command_line() if isinstance(error, SettingError) else str(error)
        return fail(dash_advice or message)
    except click.exceptions.Exit as error:
        return error.exit_code
    except (click.exceptions.Abort, KeyboardInterrupt) as error:
        return report_interrupt(error)
    except click.ClickException as error:
        from rankscope.cli._advice import advice

        return fail(advice(error, sys.argv[1:] if args is None else args, cli))
    except ReaderLeft:
        return 0
    except MemoryError:
        return fail("not enough memory; close other programs, reduce the work, or use a larger machine")
    except OSError as error:
        return fail(system_error_message(error))
    except RuntimeError as error:
        if isinstance(error.__cause__, KeyboardInterrupt):  # while a class was made: Python up to 3.11 wraps it
            return report_interrupt(error.__cause__)
        raise
    except BaseException as error:
        interrupt = find_signal(error)
        if interrupt is None:
            raise
        return report_interrupt(interrupt)


def call_command(args: Sequence[str] | None) -> object:
    """Run a command. The result is an exit code, as of a gate, or another value that means 0."""
    try:
        return cli.main(args=None if args is None else list(args), prog_name="rankscope", standalone_mode=False)
    except SystemExit as end:
        return end.code


def find_signal(error: BaseException) -> KeyboardInterrupt | None:
    """The exception that a signal raised while polars called Python, which polars turns into a panic; else None."""
    match = SIGNAL_PANIC.search(str(error)) if type(error).__name__ == "PanicException" else None
    if match is None:
        return None
    return Terminated(int(match[1])) if match[1] else KeyboardInterrupt()


def report_interrupt(error: BaseException) -> int:
    """Print that the command was interrupted, and what it leaves: a command may put that into a note of the exception.

    Gives the exit code.
    """
    if isinstance(error, click.exceptions.Abort) and error.__cause__ is not None:
        error = error.__cause__
    if isinstance(error, EOFError):  # click turns it into an interrupt
        raise error
    if isinstance(error, Terminated):
        click.echo(f"rankscope: ended by {error.name}; {outcome(error)}", err=True)
        return 128 + error.number
    click.echo(f"rankscope: interrupted; {outcome(error)}", err=True)
    return 128 + signal.SIGINT


def outcome(error: BaseException) -> str:
    """What an interrupted command leaves: as a note of the exception has it, or the files that it has written."""
    notes = getattr(error, "__notes__", [])
    if notes:
        return str(notes[-1])
    written = list(dict.fromkeys(written_files()))
    if len(written) == 1:
        return f"{in_one_line(written[0])} was written"
    if written:
        return f"{len(written)} files were written, {in_one_line(written[-1])} the last"
    if getattr(sys.stdout, "has_output", False):
        return "what was printed may be incomplete"
    return "no result was written"


def written_files() -> list[str]:
    """The files that this process has written. The module is not imported: that may be what was interrupted."""
    return getattr(sys.modules.get("rankscope.io.core.atomic_write"), "written_files", [])


def system_error_message(error: OSError) -> str:
    """What the operating system refused, and for which file, if there is one."""
    reason = error.strerror or str(error) or type(error).__name__
    if error.filename is None:
        return f"the operating system reports an error ({reason}); try again with fewer workers or more free space"
    return f"{os.fsdecode(error.filename)}: cannot be used ({reason}); check the file and its disk"


def fail(message: str) -> int:
    """Print one line on standard error, and give exit code 2."""
    click.echo(f"rankscope: {in_one_line(' '.join(message.splitlines()))}", err=True)
    return 2
