"""Groups of commands that are imported when they are called, and commands whose options stand in groups."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import click

from rankscope.registry import resolve

__all__ = [
    "HELP_OPTIONS",
    "Command",
    "LazyGroup",
    "option_group",
]


#: How every command is asked for its help.
HELP_OPTIONS = ("-h", "--help")
#: Groups of options at the end of each help; the last holds what belongs to no group, such as --help.
LAST_GROUPS = ("Output", "Large data", "Options")
Decorated = TypeVar("Decorated", bound=Callable[..., Any])


class LazyGroup(click.Group):
    """A group of commands that are imported when they are called.

    Attributes
    ----------
    table
        Name of a command -> its import path, and a line for the overview, which so needs no import.
    groups
        Title of each part of the overview -> the commands in it; empty: all commands stand under one title.
    """

    table: Mapping[str, tuple[str, str]] = {}
    groups: Mapping[str, Sequence[str]] = {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*super().list_commands(ctx), *self.table]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.table:
            return super().get_command(ctx, cmd_name)
        command = resolve(self.table[cmd_name][0])
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        lines = {name: command.get_short_help_str(80) for name, command in self.commands.items()}
        lines |= {name: line for name, (_, line) in self.table.items()}
        width = max(map(len, lines))
        for title, names in (self.groups or {"Commands": tuple(lines)}).items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), lines[name]) for name in names])


class Command(click.Command):
    """A command whose help shows the options in the groups that `option_group` put them into.

    It refuses an option that is given twice where only one of its values would count, and checks what `depends_on`
    declares.
    """

    def __init__(self, *args: Any, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        # A command keeps the option for help of its first context, which need not be that of the whole command line.
        self.context_settings.setdefault("help_option_names", list(HELP_OPTIONS))
        self.has_dependencies = any(hasattr(option, "depends") for option in self.params)
        if self.has_dependencies:
            from rankscope.cli._dependencies import add_needs_to_help

            add_needs_to_help(self)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        *_, parameters = self.make_parser(ctx).parse_args(list(args))
        refuse_repeated(parameters, ctx)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        if self.has_dependencies:
            from rankscope.cli._dependencies import check_dependencies

            check_dependencies(ctx)
        return super().invoke(ctx)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        groups: dict[str, list[tuple[str, str]]] = {"Options": []}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None and not isinstance(param, click.Argument):
                groups.setdefault(getattr(param, "group", "Options"), []).append(record)
        for title in LAST_GROUPS:
            if title in groups:
                groups[title] = groups.pop(title)
        for title, records in groups.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


def refuse_repeated(parameters: Sequence[click.Parameter], ctx: click.Context) -> None:
    """Raise UsageError for an option that occurs twice among the parameters of a call and has a single value."""
    for i, option in enumerate(parameters):
        has_one_value = isinstance(option, click.Option) and not (option.multiple or option.count)
        is_plain_flag = isinstance(option, click.Option) and option.is_flag and not option.secondary_opts
        if has_one_value and not is_plain_flag and option in parameters[:i]:
            names = [max(option.opts, key=len), *option.secondary_opts]
            raise click.UsageError(f"{' or '.join(names)} is given twice, expected once; leave out one of the two", ctx)


def option_group(title: str, *decorators: Callable[[Decorated], Decorated]) -> Callable[[Decorated], Decorated]:
    """Options that stand under a title of their own in the help. decorators: those that add them."""

    def decorate(command: Decorated) -> Decorated:
        earlier_ids = {id(param) for param in getattr(command, "__click_params__", ())}
        for decorator in reversed(decorators):
            command = decorator(command)
        for param in getattr(command, "__click_params__", ()):
            if id(param) not in earlier_ids and not hasattr(param, "group"):
                param.group = title
        return command

    return decorate
