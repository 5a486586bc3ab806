"""Options that need others of the same command, or exclude them: each is declared once, beside the option."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from rankscope.cli._setting_options import is_given
from rankscope.errors import ParameterError
from rankscope.settings import Dependency, items_of, or_list

__all__ = [
    "add_needs_to_help",
    "check_dependencies",
    "depends_on",
]


Command = TypeVar("Command", bound=Callable[..., Any])


def depends_on(
    dependencies: Dependency | Sequence[Dependency], *decorators: Callable[[Command], Command], in_help: bool = True
) -> Callable[[Command], Command]:
    """Options with these dependencies on other options of the command.

    For what only the command has: settings of one class declare theirs in the class.

    Parameters
    ----------
    dependencies
        What the options need, and what excludes them, by the names of the options' values.
    *decorators
        Those that add the options.
    in_help
        Whether the help of the options says what they need.
    """

    def decorate(command: Command) -> Command:
        earlier_ids = {id(param) for param in getattr(command, "__click_params__", ())}
        for decorator in reversed(decorators):
            command = decorator(command)
        added = (dependencies,) if isinstance(dependencies, Dependency) else tuple(dependencies)
        for param in getattr(command, "__click_params__", ()):
            if id(param) not in earlier_ids:
                param.depends = (*getattr(param, "depends", ()), *added)
                param.needs_in_help = in_help
        return command

    return decorate


def check_dependencies(context: click.Context) -> None:
    """Raise ParameterError for an option of the call that needs another one, or excludes one that was given."""
    values = context.params
    for option in context.command.params:
        for dependency in getattr(option, "depends", ()) if is_given(str(option.name)) else ():
            broken = dependency.broken_condition(values[str(option.name)], is_given, values.get)
            if broken:
                raise dependency_error(option, dependency, broken, context)


def dependency_error(
    option: click.Parameter, dependency: Dependency, broken: str, context: click.Context
) -> ParameterError:
    """The error for a dependency that an option breaks. broken: the option that is missing or in the way."""
    flag, value, present = longest_flag(option), context.params[str(option.name)], items_of(context.params[broken])
    values = dependency.conditions[broken]
    if dependency.is_need:
        others = needed_flags(dependency, context.command, with_metavar=True)
    else:
        broken_flag = longest_flag(option_named(broken, context.command))
        others = [f"{broken_flag} {' '.join(map(str, present))}" if values else broken_flag]
    is_other_value = dependency.is_need and len(others) == 1 and values is not None
    own_text = flag if dependency.when is None else f"{flag} {value}"
    return ParameterError(
        f"{own_text} {dependency.fault(flag, others, ' and '.join(map(str, present)) if is_other_value else '')}"
    )


def add_needs_to_help(command: click.Command) -> None:
    """Make the help of each option end with what the option needs."""
    for option in command.params:
        for dependency in getattr(option, "depends", ()):
            if dependency.is_need and isinstance(option, click.Option) and option.needs_in_help:  # type: ignore[attr-defined]
                option.help = f"{option.help} Needs {or_list(needed_flags(dependency, command))}."


def needed_flags(dependency: Dependency, command: click.Command, *, with_metavar: bool = False) -> list[str]:
    """The options that one with this dependency needs, with the values that they must have.

    with_metavar: whether an option that takes any value stands with the placeholder of its value.
    """
    flags = []
    for name, values in dependency.conditions.items():
        option = option_named(name, command)
        texts = [or_list([*map(str, values)])] if values and not callable(values) else []
        if with_metavar and not texts and option.metavar:
            texts = [option.metavar]
        flags.append(" ".join([longest_flag(option), *texts]))
    return flags


def option_named(name: str, command: click.Command) -> click.Parameter:
    """The option whose value has this name."""
    return next(option for option in command.params if option.name == name)


def longest_flag(option: click.Parameter) -> str:
    """The long form of an option."""
    return max(option.opts, key=len)
