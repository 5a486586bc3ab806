"""Options that are given twice: refused where one of the values would be dropped without a word."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from helpers.random_calls import leaves

from rankscope.cli._groups import Command

OURS = {" ".join(path): command for path, command in leaves() if isinstance(command, Command)}


def refused(command: click.Command, arguments: list[str]) -> str:
    """The message against a call, without the command's work; empty if its options are taken as they are."""
    try:
        command.make_context("it", arguments, resilient_parsing=False)
    except click.UsageError as error:
        return error.message
    except click.exceptions.Exit:  # --help
        return ""
    return ""


def test_all_commands_but_those_in_the_place_of_other_tools_refuse_them() -> None:
    others = {" ".join(path) for path, command in leaves() if not isinstance(command, Command)}
    assert {name.split()[0] for name in others} == {"trec_eval", "letor", "rankeval", "dunaiski"}


@pytest.mark.parametrize("name", OURS)
def test_an_option_with_one_value_is_refused_the_second_time(name: str) -> None:
    for option in OURS[name].params:
        if not isinstance(option, click.Option) or option.multiple or option.count:
            continue
        for flag in option.opts:
            call = [flag, *["1"] * (0 if option.is_flag else option.nargs)]
            message = refused(OURS[name], [*call, *call])
            is_refused = f"{max(option.opts, key=len)} " in message and "is given twice" in message
            assert is_refused == (not option.is_flag or bool(option.secondary_opts)), (flag, message)
            assert "is given twice" not in refused(OURS[name], call), flag


def test_two_spellings_and_both_sides_of_a_switch_are_one_option() -> None:
    options = [
        click.Option(["-o", "--output"]),
        click.Option(["--null/--no-null"]),
        click.Option(["-m"], multiple=True),
    ]
    command = Command("it", params=[*options, click.Argument(["files"], nargs=-1)])
    assert (
        refused(command, ["-oa", "x", "--output=b"])
        == "--output is given twice, expected once; leave out one of the two"
    )
    assert "--null or --no-null is given twice" in refused(command, ["--null", "--no-null"])
    assert refused(command, ["-m", "a", "-m", "b", "-o", "a", "--", "-o", "b"]) == ""


def test_the_call_is_refused_before_any_work(cli, tmp_path: Path) -> None:
    done = cli("convert", "missing.txt", tmp_path / "out", "--to", "csv", "--to", "trec")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("rankscope: --to is given twice, expected once")
