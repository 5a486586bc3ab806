"""Every setting is declared once: field, argument of the public function, option of the command, docstring agree."""

from __future__ import annotations

import dataclasses
import inspect
import pickle
import re
from collections.abc import Callable
from typing import Any

import click
import numpy as np
import pytest
from helpers.dependencies import arguments_of, option_calls, setting_calls
from helpers.messages import mentions
from helpers.walks import commands, import_all, subclasses

import rankscope as rs
from rankscope.cli._dependencies import check_dependencies
from rankscope.cli._groups import Command
from rankscope.cli._options import evaluation_options, output_options
from rankscope.cli._results import result_options
from rankscope.cli._setting_options import take_settings
from rankscope.errors import ParameterError, RankscopeError, SettingError
from rankscope.registry import resolve
from rankscope.settings import (
    NONNEGATIVE,
    REQUIRED,
    Choice,
    ColumnNames,
    Number,
    Settings,
    Text,
    choice,
    count,
    excludes,
    needs,
    number,
    parameters_text,
    switch,
)


def all_settings() -> list[type[Settings]]:
    import_all()
    return sorted(
        (found for found in subclasses(Settings) if not inspect.isabstract(found)), key=lambda found: found.__qualname__
    )


COMMANDS = commands()
#: Options that neither a settings class nor the shared options declare: reason -> option -> its commands.
WRITTEN_BY_HAND = {
    "a file or folder that is read": {
        "--against": "compare",
        "--backward": "features mt",
        "--cache": "train, predict, crossvalidate, mt-experiment, features importance",
        "--checkpoint": "stability",
        "--data": "mt-experiment",
        "--estimate": "pool",
        "--evaluate": "fuse",
        "--citations": "nuggets",
        "--forward": "features mt",
        "--judged": "pool",
        "--judgments": "features mt",
        "--labels": "convert",
        "--lists": "online, counterfactual, clicks",
        "--language-model": "features mt",
        "--log": "crossvalidate",
        "--looks-file": "gate",
        "--machine": "evaluate, plan, report",
        "--metric": "predict",
        "--parallel": "features mt",
        "--parameters": "fuse",
        "--reference": "features mt",
        "--scores": "features mt",
        "--relevant": "convert",
        "--seen": "gate",
        "--source": "features mt",
        "--system": "features mt",
        "--texts": "diff, features mt",
        "--train": "fuse",
        "--valid": "train",
    },
    "how the files are written": {
        "--higher": "leaderboard",
        "--input": "convert, interleave, counterfactual, pool, fuse, consensus, leaderboard, features runs",
        "--kind": "convert",
        "--map": "plan, report",
        "--pair": "features mt",
        "--tokenised": "features lexicon",
    },
    "of the plan with a machine, which only needs them then": {
        "--cost": "plan",
        "--machine-cost": "plan",
    },
    "what is written, and where": {
        "--junit": "gate",
        "--ideal": "convert",
        "--name": "interleave, fuse",
        "--output": "report, interleave, pool, fuse, train, features mt, features runs, features lm, "
        "features lexicon, mt-experiment",
        "--overwrite": "demo",
        "--record": "interleave",
        "--save": "evaluate, compare, nuggets",
        "--save-parameters": "fuse",
        "--summary": "gate",
        "--to": "convert, interleave, clicks, pool, fuse",
        "--to-qrels": "clicks",
    },
    "what is shown of a result": {
        "--baseline": "gate",
        "--by-query": "evaluate, nuggets",
        "--conventions": "evaluate",
        "--date": "report",
        "--decisions": "agree segments",
        "--details": "compare, online, agree labels, agree measures, agree ranks, agree segments, agree systems, "
        "agree metrics, pool, consensus, leaderboard, crossvalidate, "
        "mt-experiment",
        "--figures": "report",
        "--format": "evaluate, nuggets, measures, interleave, pool, fuse, train, mt-experiment",
        "--leave-out": "pool",
        "--level": "agree wmt12",
        "--list": "features mt",
        "--new": "gate",
        "--presets": "measures",
        "--quick": "demo",
        "--print": "stability",
        "--table": "agree segments, compare",
        "--title": "report",
        "--tour": "demo",
    },
    "which analysis is done, or a setting of the second of two": {
        "--ablate": "crossvalidate",
        "--blend": "train, crossvalidate",
        "--loss": "train, crossvalidate",
        "--search": "crossvalidate",
        "--seed": "demo",
        "--seeds": "train",
        "--stacked": "train, crossvalidate",
        "--standardise": "compare, plan",
        "--weight": "consensus",
    },
    "an option of another tool, whose command this one replaces": {
        "--preset": "trec_eval, letor rank, letor score",
        "--Debug_level": "trec_eval",
        "--Judged_docs_only": "trec_eval",
        "--Max_retrieved_per_topic": "trec_eval",
        "--Number_docs_in_coll": "trec_eval",
        "--Output_old_results_format": "trec_eval",
        "--Rel_info_format": "trec_eval",
        "--Results_format": "trec_eval",
        "--Zscore": "trec_eval",
        "--complete_rel_info_wanted": "trec_eval",
        "--level_for_rel": "trec_eval",
        "--measure": "trec_eval",
        "--nosummary": "trec_eval",
        "--query_eval_wanted": "trec_eval",
        "--version": "trec_eval",
        "-o": "trec_eval",
    },
}
each = pytest.mark.parametrize("settings_class", all_settings(), ids=lambda found: found.__name__)


@each
def test_every_field_has_a_help_sentence_and_a_default_that_its_rule_accepts(settings_class: type[Settings]) -> None:
    assert set(settings_class.declared()) == {field.name for field in dataclasses.fields(settings_class) if field.init}
    # A method of consensus may have no parameters.
    assert settings_class.declared() or issubclass(settings_class, rs.consensus.Method)
    for name, setting in settings_class.declared().items():
        assert re.fullmatch(r"[A-Z].*\.", setting.help), name
        if setting.default is not REQUIRED:
            setting.check(setting.default)


@each
def test_a_wrong_value_is_refused_under_the_name_of_its_argument(settings_class: type[Settings]) -> None:
    required = {
        name: {"system": "family"} if name == "families" else "x" if isinstance(setting.rule, Text) else 0.5
        for name, setting in settings_class.declared().items()
        if setting.default is REQUIRED
    }
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
        options = {flag: option for option in COMMANDS[path].params for flag in option.opts}
        for setting in settings_class.declared().values():
            if setting.flag:
                option = options[setting.flag]
                assert isinstance(option, click.Option)
                assert (option.help or "").startswith(setting.help), setting.flag
                if setting.default is REQUIRED and option.required:
                    continue  # what click has for no default differs between its versions
                expected: Any = (
                    None if setting.default in (None, ()) or setting.default is REQUIRED else setting.default
                )
                assert option.default == expected or not (option.default or expected), setting.flag


def test_each_option_comes_from_a_setting_or_is_shared_or_has_a_reason() -> None:
    from_settings = {
        (path, setting.flag)
        for settings_class in all_settings()
        for path in settings_class.COMMANDS
        for setting in settings_class.declared().values()
    }
    shared = shared_options()
    found = {
        (path, main_flag(option))
        for path, command in COMMANDS.items()
        for option in command.params
        if isinstance(option, click.Option)
        and not from_settings.intersection((path, flag) for flag in option.opts)
        and (main_flag(option), first_sentences(option)) not in shared
    }
    listed = {
        (path, flag)
        for options in WRITTEN_BY_HAND.values()
        for flag, paths in options.items()
        for path in paths.split(", ")
    }
    assert found - listed == set(), (
        "add the command to COMMANDS of the settings class that declares the option, declare it as a field, or list it "
        "in WRITTEN_BY_HAND with its reason"
    )
    assert listed - found == set(), "no longer written by hand: take it off the list"


def shared_options() -> set[tuple[str, str]]:
    """The options that commands share, each with its help."""

    @click.command(cls=Command)
    @evaluation_options
    @result_options
    def with_page(**_: Any) -> None: ...

    @click.command(cls=Command)
    @output_options(["table"])
    def without_page(**_: Any) -> None: ...

    shared = [*with_page.params, *without_page.params]
    return {(main_flag(option), first_sentences(option)) for option in shared if isinstance(option, click.Option)}


def main_flag(option: click.Option) -> str:
    """The long form of an option, else its short form."""
    return next((flag for flag in option.opts if flag.startswith("--")), option.opts[0])


def first_sentences(option: click.Option) -> str:
    """The help of an option without its default and what it needs, which differ by command."""
    return re.split(" Default: | Needs ", option.help or "")[0]


@each
def test_the_docstring_has_the_sentence_of_every_field(settings_class: type[Settings]) -> None:
    for path in settings_class.FUNCTIONS:
        text = " ".join((inspect.getdoc(resolve(path)) or "").split())
        for argument, sentence in parameters_text(settings_class).items():
            assert f"{argument} {sentence}" in text, f"{path}, {argument}: run `make docs`, which writes the line"


def test_a_wrong_setting_is_named_as_the_user_knows_it() -> None:
    with pytest.raises(SettingError, match=r"^n_resamples is 0, expected a whole number from 1"):
        rs.compare(rs.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "RR"), n_resamples=0)
    error = SettingError("n_resamples", "--resamples", "is 0")
    assert error.on_command_line() == "--resamples is 0"


def fault_of(function: Callable[..., Any], *args: Any, **arguments: Any) -> str:
    """The message of the error that a call raises, on the command line with the names of options; "" for none."""
    try:
        function(*args, **arguments)
    except SettingError as error:
        return error.on_command_line() if click.get_current_context(silent=True) else str(error)
    except RankscopeError as error:
        return str(error)
    return ""


def test_each_dependency_of_settings_is_refused_if_broken_in_python_and_on_the_command_line() -> None:
    wrong = []
    for settings_class in all_settings():
        required = {name: 0.1 for name, setting in settings_class.declared().items() if setting.default is REQUIRED}
        for call in setting_calls(settings_class):
            names = [call.setting.argument, call.other.argument]
            fault = fault_of(settings_class, **{**required, **call.in_python})
            if call.is_wrong(fault, names):
                wrong.append((settings_class.__name__, call, fault))
            for path in settings_class.COMMANDS:
                argv = [*arguments_of(COMMANDS[path]), *call.options]
                with COMMANDS[path].make_context(path, argv) as context:
                    tasks = {name: value for name, value in call.in_python.items() if name == "tasks"}  # read as text
                    fault = fault_of(take_settings, settings_class, {**context.params, **tasks}, **required)
                if call.is_wrong(fault, [call.setting.flag, call.other.flag]):
                    wrong.append((path, call, fault))
    assert not wrong


def test_each_dependency_of_options_is_refused_if_broken() -> None:
    wrong = []
    for path, command in COMMANDS.items():
        for owners, other, broken, kept in option_calls(command):
            fault = fault_of(command.main, broken, standalone_mode=False)
            if not (fault.startswith(owners) and other in fault):
                wrong.append((path, broken, fault))
            with command.make_context(path, list(kept)) as context:
                fault = fault_of(check_dependencies, context)
            if fault:
                wrong.append((path, kept, fault))
    assert not wrong


def test_a_dependency_says_what_is_needed_and_what_to_do() -> None:
    @dataclasses.dataclass(frozen=True, kw_only=True)
    class Example(Settings):
        method: str = choice("a", ("a", "b", "c"), help="M.")
        depth: int | None = count(None, help="D.", depends=needs(method=("b", "c"), reason="a has none"))
        width: int | None = count(None, help="W.", metavar="W", argument="breadth")
        seed: int = count(0, minimum=0, help="S.", depends=needs("depth", "width"))
        fast: bool = switch(False, help="F.", depends=excludes("seed", method="c", reason="it is exact"))

    def both(**arguments: Any) -> list[str]:
        with pytest.raises(SettingError) as raised:
            Example(**arguments)
        assert str(pickle.loads(pickle.dumps(raised.value))) == str(raised.value)  # from a worker
        return [str(raised.value), raised.value.on_command_line()]

    assert both(depth=2) == [
        "depth needs method='b' or 'c', not 'a': a has none; change it, or leave out depth",
        "--depth needs --method b or c, not a: a has none; change it, or leave out --depth",
    ]
    assert both(seed=1) == [
        "seed needs depth or breadth; add one of them, or leave out seed",
        "--seed needs --depth N or --width W; add one of them, or leave out --seed",
    ]
    assert both(fast=True, method="c") == [
        "fast cannot be combined with method='c': it is exact; leave out one of them",
        "--fast cannot be combined with --method c: it is exact; leave out one of them",
    ]
    assert Example(depth=2, method="c", seed=1).seed == 1


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


def test_a_column_that_has_an_option_of_its_own_is_refused_with_that_option() -> None:
    names = []
    for settings_class in all_settings():
        declared = settings_class.declared()
        columns = [field for field, setting in declared.items() if isinstance(setting.rule, ColumnNames)]
        required = {
            name: "x" if isinstance(setting.rule, Text) else 1.0
            for name, setting in declared.items()
            if setting.default is REQUIRED
        }
        for setting in declared.values():
            assert columns or not setting.columns, settings_class
            for name in setting.columns:
                with pytest.raises(SettingError) as raised:
                    settings_class(**{**required, columns[0]: {name: "points"}})
                assert mentions(raised.value.on_command_line(), "--columns", repr(name), f"{setting.flag} points")
                names.append((setting.flag, name))
    assert {("--gold", "human"), ("--human", "human"), ("--machine", "machine"), ("--raters", "human")} <= {*names}
