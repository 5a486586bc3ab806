"""Options of a command, made from the fields of a settings class."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, TypeVar

import click

from rankscope.settings import REQUIRED, Choice, Count, Names, Number, Setting, Settings, Switch

__all__ = [
    "setting_options",
    "take_settings",
]


Command = TypeVar("Command", bound=Callable[..., Any])
AnySettings = TypeVar("AnySettings", bound=Settings)


def setting_options(settings_class: type[Settings], *, without: Collection[str] = ()) -> Callable[[Command], Command]:
    """An option for each field that has a flag. without: fields that the command gets in another way."""

    def decorate(command: Command) -> Command:
        for setting in reversed(tuple(settings_class.declared().values())):
            if setting.flag and setting.name not in without:
                command = option_of(setting)(command)
        return command

    return decorate


def option_of(setting: Setting) -> Callable[[Command], Command]:
    """The option of one field. Its value goes by the name of the field."""
    flag = setting.flag
    has_default = setting.default is not REQUIRED and setting.default not in (None, ())
    options: dict[str, Any] = {
        "help": f"{setting.help} Default: {setting.unset}." if setting.unset else setting.help,
        "default": setting.default if has_default else None,
        "show_default": has_default and not setting.unset,
    }
    if isinstance(setting.rule, Switch):
        negative = f"--no-{flag.removeprefix('--')}"
        if setting.default:
            return click.option(f"{flag}/{negative}", setting.name, **options)
        return click.option(flag, setting.name, is_flag=True, **{**options, "show_default": False})
    if setting.default is REQUIRED:
        options["required"] = True
    if isinstance(setting.rule, Names) and setting.rule.parse is None:
        options |= {"multiple": True, "default": setting.default or ()}
    return click.option(flag, setting.name, type=value_type(setting), metavar=setting.metavar or None, **options)


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


def value_type(setting: Setting) -> Any:
    """What click makes of the text of an option."""
    rule = setting.rule
    if rule.parse is not None:
        return ParsedText(setting.name, rule.parse)
    if isinstance(rule, (Choice, Names)) and rule.names:
        return click.Choice(list(rule.names))
    if isinstance(rule, Count):
        return click.IntRange(min=rule.minimum)
    if isinstance(rule, Number):
        is_bounded = [abs(bound) < float("inf") for bound in (rule.low, rule.high)]
        return click.FloatRange(
            rule.low if is_bounded[0] else None,
            rule.high if is_bounded[1] else None,
            min_open=rule.low_open and is_bounded[0],
            max_open=rule.high_open and is_bounded[1],
        )
    return str


def take_settings(settings_class: type[AnySettings], options: dict[str, Any], **values: Any) -> AnySettings:
    """Take the values of `setting_options` out of click's options. values: of fields without an option."""
    for name, setting in settings_class.declared().items():
        if name in options:
            value = options.pop(name)
            values[name] = setting.default if value is None and setting.default is not REQUIRED else value
    return settings_class(**values)
