"""Every setting is declared once: field, argument of the public function, option of the command, docstring agree."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import pkgutil
import re
import warnings
from typing import Any

import click
import numpy as np
import pytest

import rankscope as rs
from rankscope.cli.main import cli
from rankscope.errors import ParameterError, SettingError
from rankscope.registry import resolve
from rankscope.settings import NONNEGATIVE, REQUIRED, Choice, Number, Settings, count, number, parameters_text


def all_settings() -> list[type[Settings]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of peers that are compiled when they are first imported
        for module in pkgutil.walk_packages(rs.__path__, "rankscope."):
            importlib.import_module(module.name)
    return sorted(
        (
            found
            for found in subclasses(Settings)
            if found.__module__.startswith("rankscope.") and not inspect.isabstract(found)
        ),
        key=lambda found: found.__qualname__,
    )


def subclasses(base: type) -> set[type]:
    return {found for child in base.__subclasses__() for found in (child, *subclasses(child))}


each = pytest.mark.parametrize("settings_class", all_settings(), ids=lambda found: found.__name__)


def command_named(path: str) -> click.Command:
    command: click.Command = cli
    for name in path.split():
        assert isinstance(command, click.Group)
        found = command.get_command(click.Context(command), name)
        assert found is not None, path
        command = found
    return command


@each
def test_every_field_has_a_help_sentence_and_a_default_that_its_rule_accepts(settings_class: type[Settings]) -> None:
    assert set(settings_class.declared()) == {field.name for field in dataclasses.fields(settings_class) if field.init}
    assert settings_class.declared()
    for name, setting in settings_class.declared().items():
        assert re.fullmatch(r"[A-Z].*\.", setting.help), name
        if setting.default is not REQUIRED:
            setting.check(setting.default)


@each
def test_a_wrong_value_is_refused_under_the_name_of_its_argument(settings_class: type[Settings]) -> None:
    required = {name: 0.5 for name, setting in settings_class.declared().items() if setting.default is REQUIRED}
    for name, setting in settings_class.declared().items():
        if setting.rule.accepts(wrong := object()):
            continue
        with pytest.raises(ParameterError) as raised:
            settings_class(**{**required, name: wrong})
        assert setting.argument in str(raised.value) or getattr(setting.rule, "kind", ""), name


@each
def test_every_field_is_an_argument_with_the_same_default(settings_class: type[Settings]) -> None:
    for path in settings_class.FUNCTIONS:
        parameters = inspect.signature(resolve(path)).parameters
        for setting in settings_class.declared().values():
            parameter = parameters[setting.argument]
            if setting.default is REQUIRED:
                assert parameter.default is inspect.Parameter.empty, setting.argument
            elif not setting.python_help:  # a seed is 0 in the command, and may be None in Python
                assert parameter.default == setting.default, setting.argument


@each
def test_every_field_with_a_flag_is_an_option_with_the_same_default(settings_class: type[Settings]) -> None:
    for path in settings_class.COMMANDS:
        options = {flag: option for option in command_named(path).params for flag in option.opts}
        for setting in settings_class.declared().values():
            if setting.flag:
                option = options[setting.flag]
                assert isinstance(option, click.Option)
                assert (option.help or "").startswith(setting.help), setting.flag
                expected: Any = (
                    None if setting.default in (None, ()) or setting.default is REQUIRED else setting.default
                )
                assert option.default == expected or not (option.default or expected), setting.flag


@each
def test_the_docstring_has_the_sentence_of_every_field(settings_class: type[Settings]) -> None:
    for path in settings_class.FUNCTIONS:
        text = " ".join((inspect.getdoc(resolve(path)) or "").split())
        for argument, sentence in parameters_text(settings_class).items():
            assert f"{argument} {sentence}" in text, (path, argument)


def test_a_wrong_setting_is_named_as_the_user_knows_it() -> None:
    with pytest.raises(SettingError, match=r"^n_resamples is 0, expected a whole number from 1"):
        rs.compare(rs.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "RR"), n_resamples=0)
    error = SettingError("n_resamples", "--resamples", "is 0")
    assert error.on_command_line() == "--resamples is 0"


def test_rules_describe_what_they_accept() -> None:
    assert Number(0, 1, high_open=True).expected == "a number of at least 0 and below 1"
    assert not Number(0, 1, high_open=True).accepts(1.0)
    assert NONNEGATIVE.accepts(0)
    assert not NONNEGATIVE.accepts(float("inf"))
    assert not NONNEGATIVE.accepts(True)
    assert Choice(["a", "b"]).expected == "one of 'a', 'b'"
    assert Choice(["a", "b"]).accepts(np.str_("a"))
    assert Choice([1, 2]).accepts(np.int64(2))
    assert not Choice([1, 2]).accepts(True)


def test_a_field_may_be_left_at_none_or_be_required() -> None:
    assert number(None, rule=NONNEGATIVE, help="X.").default is None  # type: ignore[union-attr]
    assert count(REQUIRED, help="X.").default is REQUIRED
