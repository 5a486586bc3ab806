"""`rankscope features`: what rankers learn from, and the models that this needs."""

from __future__ import annotations

import importlib

import click

__all__ = ["features"]

#: Command -> its module and name there, and a line for the overview.
COMMANDS = {
    "mt": ("features_mt", "mt", "Of translations: n-grams, language model, lexicon, as a table."),
    "runs": ("features_runs", "runs", "Of documents: their scores and ranks in runs, so that rankers fuse these."),
    "lm": ("features_models", "lm", "Train a language model on text."),
    "lexicon": ("features_models", "lexicon", "Train a lexicon (IBM model 1) on parallel text."),
}


class Kinds(click.Group):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, name, _ = COMMANDS[cmd_name]
        command = getattr(importlib.import_module(f"rankscope.cli.{module}"), name)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, _, text) in COMMANDS.items()])


@click.group(cls=Kinds, invoke_without_command=True)
@click.pass_context
def features(context: click.Context) -> None:
    """Make features that rankers learn from, and the models that these need.

    \b
    rankscope features runs demo.qrels bm25.run dense.run -o both.txt
    rankscope features mt --help                                       what a command takes
    """  # noqa: D301 - click keeps the lines after the character \b as they are
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
