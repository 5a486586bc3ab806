"""`rankscope COMMAND`: loads the one command that was asked for, and turns errors into one line and an exit code."""

from __future__ import annotations

import atexit
import difflib
import gc
import importlib
import os
import re
import sys
from collections.abc import Sequence

import click

from rankscope._version import __version__
from rankscope.errors import RankscopeError

__all__ = ["cli", "main"]

#: Command -> the module that holds it, and a line for the overview (so that no command is loaded to list them).
COMMANDS = {
    "evaluate": ("evaluate", "Evaluate runs against judgments."),
    "compare": ("compare", "Say which system is better, and how sure that is."),
    "plan": ("plan", "How many queries a comparison needs."),
    "agree": ("agree", "Do judges agree, metrics with people, measures with each other?"),
    "stability": ("stability", "Which measures can be trusted."),
    "consensus": ("consensus", "Many rankings into one order."),
    "leaderboard": ("leaderboard", "Who leads, by who was preferred to whom."),
    "fuse": ("fuse", "Many runs into one run."),
    "pool": ("pool", "Which documents to judge next."),
    "train": ("train", "Learn to rank from documents with features and grades."),
    "predict": ("predict", "Score documents with a trained ranker."),
    "features": ("features", "Make features that rankers learn from, and the models that these need."),
    "crossvalidate": ("crossvalidate", "Train and test rankers on folds, and say which is best."),
    "mt-experiment": ("mt_experiment", "Train metrics of translations on people's rankings, and test them on WMT12."),
    "report": ("report", "Write a page that says what was found."),
    "measures": ("measures", "List all measures, or explain one."),
    "trec_eval": ("trec_eval", "trec_eval's command line and output."),
    "letor": ("letor", "LETOR's evaluation tools: score, rank, ttest."),
    "dunaiski": ("dunaiski", "Dunaiski's Ranking Evaluation Tool."),
    "rankeval": ("rankeval", "RankEval's output: predicted rankings against people's."),
    "convert": ("convert", "Judgments and runs from one format to another."),
    "demo": ("demo", "Make a small test collection and take a tour on it."),
}

#: What options are called elsewhere.
OTHER_WORDS = {"--metric": "--measure", "--metrics": "--measure", "--out": "--output", "--alpha": "--level"}


class Lazy(click.Group):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"rankscope.cli.{COMMANDS[cmd_name][0]}")
        command = getattr(module, cmd_name.replace("-", "_"))
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


@click.group(cls=Lazy, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="rankscope")
@click.pass_context
def cli(context: click.Context) -> None:
    """Evaluate rankings, and compare the systems that made them: exactly and fast.

    \b
    rankscope demo                          a tour on data made here
    rankscope evaluate QRELS RUN... -m AP   the main job
    """  # noqa: D301 - click keeps the lines after the character \b as they are
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def main(args: Sequence[str] | None = None) -> None:
    """Entry point. Exit codes: 0 done, 1 a bug of ours, 2 the user's input or arguments, 3 a gate failed, 4 it could
    not decide, 130 interrupted.
    """
    # No command here multiplies matrices large enough for threads, and starting them costs .05 s of CPU.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Loading modules makes many objects and no garbage: look for it less often, and not at the end, when all is given
    # back anyway. That saves .02 s of CPU.
    gc.set_threshold(50_000)
    atexit.register(gc.freeze)
    for stream in (sys.stdout, sys.stderr):
        if stream is not None and hasattr(stream, "reconfigure"):  # ids that are no UTF-8 are printed as they came
            stream.reconfigure(encoding="utf-8", errors="surrogateescape")
    try:
        code = cli.main(args=None if args is None else list(args), prog_name="rankscope", standalone_mode=False)
        if sys.stdout is not None:
            sys.stdout.flush()
        if isinstance(code, int) and code:  # click hands back what a command asked for, as a gate does
            sys.exit(code)
    except RankscopeError as error:
        fail(str(error))
    except click.exceptions.Exit as error:
        sys.exit(error.exit_code)
    except (click.exceptions.Abort, KeyboardInterrupt):
        click.echo("rankscope: interrupted; no result was written", err=True)
        sys.exit(130)
    except click.ClickException as error:
        fail(advice(error))
    except BrokenPipeError:  # `| head` has seen enough
        silence_output()
        sys.exit(0)
    except OSError as error:
        silence_output()
        fail(f"standard output cannot be written ({error.strerror or error}); free some space or write elsewhere")


def advice(error: click.ClickException) -> str:
    """What is wrong with the arguments, which name may have been meant, and where help is."""
    context: click.Context | None = getattr(error, "ctx", None)
    message = error.format_message().rstrip(".")
    unknown = re.fullmatch(r"No such (command|option):? (['\"]?)(.*?)\2\.?", error.message, re.DOTALL)
    if unknown is not None and context is not None:
        kind, _, name = unknown.groups()
        message = f"No such {kind} '{name}'{meant(kind, name, context)}"
    where = context.command_path if context is not None else "rankscope"
    return f"{message}{' See' if message.endswith('?') else '; see'} `{where} --help`"


def meant(kind: str, name: str, context: click.Context) -> str:
    """The nearest name that there is; all commands where none is near, but not all options, which are many."""
    if kind == "command":
        group = context.command
        known = group.list_commands(context) if isinstance(group, click.Group) else []
    else:
        known = [text for option in context.command.params for text in option.opts if text.startswith("--")]
    # Without the dashes, which all options share: they would make any short name near.
    bare = {text.lstrip("-"): text for text in known}
    near = [OTHER_WORDS.get(name, ""), *(bare[word] for word in difflib.get_close_matches(name.lstrip("-"), bare, n=1))]
    found = next((other for other in near if other in known), None)
    if found is not None:
        return f"; did you mean '{found}'?"
    return f"; expected {', '.join(known[:-1])} or {known[-1]}" if kind == "command" and len(known) > 1 else ""


def silence_output() -> None:
    """Nothing more can be written: keep Python from trying again when it ends."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def fail(message: str) -> None:
    """One line on standard error, exit code 2."""
    click.echo(f"rankscope: {' '.join(message.splitlines())}", err=True)
    sys.exit(2)
