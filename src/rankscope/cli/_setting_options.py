"""Options of a command, made from the fields of a settings class."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from rankscope.settings import (
    LARGEST,
    REQUIRED,
    Choice,
    Count,
    DetailedChoice,
    Names,
    Number,
    NumberList,
    Numbers,
    Setting,
    Settings,
    Switch,
)

__all__ = [
    "FormatChoice",
    "is_given",
    "option_help",
    "setting_options",
    "take_settings",
]


Command = TypeVar("Command", bound=Callable[..., Any])
AnySettings = TypeVar("AnySettings", bound=Settings)
#: Option -> its short form.
SHORT_FLAGS = {"--measure": ("-m",)}


def setting_options(
    settings_class: type[Settings],
    *,
    only: Collection[str] = (),
    without: Collection[str] = (),
    optional: bool = False,
    hint: str = "",
) -> Callable[[Command], Command]:
    """An option for each field that has a flag.

    only: the fields to take; all by default. without: fields that the command gets in another way. optional: whether
    the value is None if the option is missing, for a command that does something else then. hint: a sentence after each
    help, as which option it needs.
    """

    def decorate(command: Command) -> Command:
        for setting in reversed(tuple(settings_class.declared().values())):
            if setting.flag and setting.name not in without and setting.name in (only or (setting.name,)):
                command = option_of(setting, optional=optional, hint=hint)(command)
        return command

    return decorate


def option_of(setting: Setting, *, optional: bool = False, hint: str = "") -> Callable[[Command], Command]:
    """The option of one field, whose value goes by the name of the field; see `setting_options`."""
    flag = setting.flag
    has_default = not optional and setting.default is not REQUIRED and setting.default not in (None, ())
    options: dict[str, Any] = {
        "help": " ".join(filter(None, (option_help(setting), hint))),
        "default": setting.default if has_default else None,
        "show_default": has_default and not setting.unset,
    }
    if isinstance(setting.rule, Switch):
        negative = f"--no-{flag.removeprefix('--')}"
        if setting.default is not False:
            return click.option(f"{flag}/{negative}", setting.name, **options)
        return click.option(flag, setting.name, is_flag=True, **{**options, "show_default": False})
    if setting.default is REQUIRED and not optional:
        del options["default"]  # click takes None for one
        options["required"] = True
    if isinstance(setting.rule, (Names, Numbers)) and setting.rule.parse is None:
        options |= {"multiple": True, "default": setting.default or ()}
    if isinstance(setting.rule, NumberList) and options["show_default"]:
        shown_default = ",".join(f"{value:g}" for value in setting.default)
        options |= {"help": f"{setting.help} Default: {shown_default}.", "show_default": False}
    flags = (*SHORT_FLAGS.get(flag, ()), flag)
    return click.option(*flags, setting.name, type=value_type(setting), metavar=setting.metavar or None, **options)


def option_help(setting: Setting) -> str:
    """The help of an option: its sentence, and the default where it is no single value."""
    return f"{setting.help} Default: {setting.unset}." if setting.unset else setting.help


class ParsedText(click.ParamType):  # type: ignore[type-arg]  # click before 8.4 takes none
    """The type of an option whose rule reads its text."""

    def __init__(self, name: str, parse: Callable[[str], Any]) -> None:
        self.name, self.parse = name, parse

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str):
            return value
        try:
            return self.parse(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


class FormatChoice(click.Choice):  # type: ignore[type-arg]  # click before 8.2 takes none
    """The type of `--input`: a name of the table, also with a detail after a colon."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        name, colon, detail = str(value).partition(":")
        return f"{super().convert(name, param, ctx)}{colon}{detail}"


def value_type(setting: Setting) -> Any:
    """What click makes of the text of an option."""
    rule = setting.rule
    if rule.parse is not None:
        return ParsedText(setting.name, rule.parse)
    if isinstance(rule, Numbers):  # one for each time that the option is given
        rule = rule.rule
    if isinstance(rule, DetailedChoice):
        return FormatChoice(list(rule.names))
    if isinstance(rule, Choice) and setting.metavar:  # too many to be listed; the settings class checks the name
        return str
    if isinstance(rule, (Choice, Names)) and rule.names:
        return click.Choice(list(rule.names))
    if isinstance(rule, Count):
        return click.IntRange(rule.minimum, None if rule.maximum == LARGEST else rule.maximum)
    if isinstance(rule, Number):
        is_bounded = [abs(bound) < float("inf") for bound in (rule.low, rule.option_high)]
        if not any(is_bounded):
            return float
        return click.FloatRange(
            rule.low if is_bounded[0] else None,
            rule.option_high if is_bounded[1] else None,
            min_open=rule.low_open and is_bounded[0],
            max_open=rule.high_open and is_bounded[1],
        )
    return str


def take_settings(settings_class: type[AnySettings], options: dict[str, Any], **values: Any) -> AnySettings:
    """Take the values of `setting_options` out of click's options.

    Parameters
    ----------
    settings_class
        The settings class.
    options
        The values of click's options, from which those of the fields are removed.
    values
        Values of fields that are not options of this command.
    """
    for name, setting in settings_class.declared().items():
        if name in options and name not in values:
            value = options.pop(name)
            is_missing = value is None or (value == () and isinstance(setting.rule, (Names, Numbers)))
            values[name] = setting.default if is_missing and setting.default is not REQUIRED else value
    return settings_class(**values)


def is_given(name: str) -> bool:
    """Whether an option of the running command was given, even with its default.

    Parameters
    ----------
    name
        The name of its value.
    """
    return click.get_current_context().get_parameter_source(name) is ParameterSource.COMMANDLINE
