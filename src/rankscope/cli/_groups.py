"""Groups of commands that are imported when they are called."""

from __future__ import annotations

from collections.abc import Mapping

import click

from rankscope.registry import resolve

__all__ = [
    "LazyGroup",
]


class LazyGroup(click.Group):
    """A group with a table of commands: name -> its import path, and a line for the overview.

    The lines are in the table so that the overview needs no import.
    """

    table: Mapping[str, tuple[str, str]] = {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*super().list_commands(ctx), *self.table]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.table:
            return super().get_command(ctx, cmd_name)
        command = resolve(self.table[cmd_name][0])
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        own_commands = [(name, command.get_short_help_str(80)) for name, command in self.commands.items()]
        with formatter.section("Commands"):
            formatter.write_dl([*own_commands, *((name, text) for name, (_, text) in self.table.items())])
