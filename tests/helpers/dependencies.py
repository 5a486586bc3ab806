"""Calls that break a dependency of settings or options, and such that keep it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import click

import rankscope as rs
from rankscope.settings import Count, Dependency, Number, Setting, Settings, Switch, is_among

__all__ = ["arguments_of", "option_calls", "setting_calls"]


#: Values for settings and options whose rule gives none: in Python, on the command line.
VALUES: dict[str, tuple[Any, str]] = {
    "covariates": (("length",), "length"),
    "entities": ((3,), "3"),
    "map": ({0: 0}, "0=0"),
    "set_size": ((3,), "3"),
    "splits": ((3,), "3"),
    "tasks": ((rs.agreement.metrics.Task("*", "system", "pearson"),), "*:system:pearson"),
    "weights": ({"de-en": 1.0}, "de-en=1"),
}


class SettingCall(NamedTuple):
    """Values of settings that break or keep a dependency."""

    setting: Setting
    other: Setting
    values: dict[Setting, tuple[Any, str]]
    is_kept: bool

    @property
    def in_python(self) -> dict[str, Any]:
        return {setting.name: value for setting, (value, _) in self.values.items()}

    @property
    def options(self) -> list[str]:
        return [text for setting, (_, value) in self.values.items() for text in (setting.flag, value) if text]

    def is_wrong(self, fault: str, names: Sequence[str]) -> bool:
        """Whether a message does not fit. names: those that it has to hold if the dependency is broken."""
        return bool(fault) if self.is_kept else not all(name in fault for name in names)


def setting_calls(settings_class: type[Settings]) -> Iterator[SettingCall]:
    """For each dependency of these settings, calls that break it and calls that keep it."""
    declared = settings_class.declared()
    for setting in declared.values():
        for dependency in setting.depends:
            own = {setting: value_of(setting, dependency.when)}
            for name, values in dependency.conditions.items():
                other = declared[name]
                yield SettingCall(setting, other, {**own, other: value_of(other, values)}, dependency.is_need)
                without = {} if values is None else {other: value_of(other, values, is_among_them=False)}
                yield SettingCall(setting, other, {**own, **without}, not dependency.is_need)


def value_of(setting: Setting, values: Any = None, *, is_among_them: bool = True) -> tuple[Any, str]:
    """A value other than the default, in Python and on the command line. values: those that count, if not all do."""
    rule = setting.rule
    if isinstance(rule, Switch):
        return not setting.default, ""
    if setting.name in VALUES:
        return VALUES[setting.name]
    candidates = [*getattr(rule, "names", ()), *(values if values is not None and not callable(values) else ())]
    if not candidates:
        candidates = [rule.minimum + 1] if isinstance(rule, Count) else [0.5] if isinstance(rule, Number) else ["x"]
    chosen = next(
        value
        for value in candidates
        if (value != setting.default or not is_among_them)
        and (values is None or is_among(values, value) == is_among_them)
    )
    return (chosen,) if isinstance(setting.default, tuple) else chosen, str(chosen)


def arguments_of(command: click.Command) -> list[str]:
    """What a command cannot be called without; the files do not exist."""
    required = [option for option in command.params if option.required]
    return [text for option in required for text in ([option.opts[-1], "1"] if option.opts[0][0] == "-" else ["f"])]


def option_calls(command: click.Command) -> Iterator[tuple[tuple[str, ...], str, list[str], list[str]]]:
    """For each dependency of the command's options: the options that have it, the one that it is on, a call that
    breaks it, and one that keeps it.
    """
    options = {str(option.name): option for option in command.params}
    for option in command.params:
        for dependency in getattr(option, "depends", ()):
            own = {str(option.name): dependency.when}
            for name in options.keys() & dependency.conditions.keys():
                both = {**own, name: dependency.conditions[name]}
                broken, kept = (own, both) if dependency.is_need else (both, own)
                # Of several options with this dependency, the first that the call has is named.
                owners = [owner for owner in command.params if dependency in getattr(owner, "depends", ())]
                flags = tuple(max(owner.opts, key=len) for owner in owners), max(options[name].opts, key=len)
                yield *flags, argv_of(command, broken, dependency), argv_of(command, kept)


def argv_of(command: click.Command, values: dict[str, Any], tested: Dependency | None = None) -> list[str]:
    """A call with these options, and with all that they need, apart from the dependency that is tested."""
    options = {str(option.name): option for option in command.params}
    call, names = dict(values), list(values)
    for name in names:  # it grows
        for dependency in getattr(options[name], "depends", ()):
            if dependency.is_need and dependency is not tested and not dependency.conditions.keys() & call.keys():
                needed, accepted = next(iter(dependency.conditions.items()))
                call[needed] = accepted
                names.append(needed)
    argv = arguments_of(command)
    for name, accepted in call.items():
        option = options[name]
        is_flag = isinstance(option, click.Option) and option.is_flag
        argv += [option.opts[-1], *[text_of(option, accepted)] * (0 if is_flag else option.nargs)]
    return argv


def text_of(option: click.Parameter, accepted: Any) -> str:
    """A value of an option on the command line. accepted: those of which it is one; None for any."""
    if accepted is not None:
        return str(next(iter(accepted)))
    if isinstance(option.type, click.Choice):
        return str(option.type.choices[-1])
    if isinstance(option.type, (click.IntRange, click.types.IntParamType)):
        return "3"
    if isinstance(option.type, click.FloatRange) or option.name not in VALUES:
        return "0.25"  # a number, the name of a file, or any text
    return VALUES[option.name][1]
