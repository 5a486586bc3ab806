"""`rankscope letor`: arguments, exit codes, and where what is written."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rankscope.compat.letor import letor_rank, letor_score, letor_ttest

TEST = (
    "2 qid:2 1:0.5 #docid = A inc = 1 prob = 0.5\n"
    "0 qid:2 1:0.1 #docid = B inc = 1 prob = 0.5\n"
    "1 qid:1 1:0.7 #docid = C inc = 1 prob = 0.5\n"
)


@pytest.fixture
def letor(folder: Path) -> Path:
    """The working folder, with a label file and a prediction file."""
    (folder / "test").write_text(TEST)
    (folder / "pred").write_text("1\n3\n2\n")
    return folder


@pytest.mark.parametrize("flag", ["0", "1"])
@pytest.mark.parametrize(("command", "function"), [("score", letor_score), ("rank", letor_rank)])
def test_the_file_holds_what_the_function_gives(
    cli: Callable[..., Any], letor: Path, command: str, function: Callable[..., str], flag: str
) -> None:
    assert cli("letor", command, "test", "pred", "out", flag) == (0, "", "")
    assert (letor / "out").read_text() == function("test", "pred", by_query=flag == "1")
    assert cli("letor", command, "test", "pred", "-", flag).out == (letor / "out").read_text()


def test_ranks_and_scores_are_not_the_same(cli: Callable[..., Any], letor: Path) -> None:
    """In query 2 the irrelevant document has score 3 and the relevant one 1; as ranks it is the other way round."""
    for command, precision in (("score", "0.5000"), ("rank", "1.0000")):
        lines = cli("letor", command, "test", "pred", "-", 1).out.splitlines()
        assert lines[1].startswith("1\t1.0000")
        assert lines[3].startswith(f"Average\t{precision}")


def test_the_t_test_is_written(cli: Callable[..., Any], letor: Path) -> None:
    for command, out in (("score", "a"), ("rank", "b")):
        assert cli("letor", command, "test", "pred", out, 1).code == 0
    assert cli("letor", "ttest", "a", "b", "out") == (0, "", "")
    assert (letor / "out").read_text() == letor_ttest("a", "b")
    # P@1: 0 and 1 beside 1 and 1.
    assert (letor / "out").read_text().splitlines()[1].split("\t") == [
        "P@1", "0.5000", "1.0000", "-0.5000", "-1.0000", "1", "0.5",
    ]  # fmt: skip


WRONG = [
    *([], ["test"], ["test", "pred", "out"], ["test", "pred", "out", "1", "1"]),
    *(["test", "pred", "out", flag] for flag in ("2", "", "01", "yes", "-1")),
    *(["--bogus", "test", "pred", "out", "1"], ["-x", "test"]),
]


@pytest.mark.parametrize("args", WRONG, ids=" ".join)
@pytest.mark.parametrize("command", ["score", "rank"])
def test_other_arguments_give_the_usage_and_exit_code_255(
    cli: Callable[..., Any], letor: Path, command: str, args: list[str]
) -> None:
    done = cli("letor", command, *args)
    assert (done.code, done.err) == (255, "")
    assert done.out.startswith(f"Usage: rankscope letor {command} [--preset NAME] TEST PRED OUT FLAG\n")
    assert not (letor / "out").exists()


@pytest.mark.parametrize("args", [[], ["a", "b"], ["a", "b", "out", "1"]], ids=" ".join)
def test_other_arguments_of_the_t_test_too(cli: Callable[..., Any], letor: Path, args: list[str]) -> None:
    assert cli("letor", "ttest", *args) == (255, "Usage: rankscope letor ttest A B OUT\n", "")


@pytest.mark.parametrize("flag", ["0", "1"])
def test_what_the_scripts_refuse_is_told_on_standard_output_with_exit_code_254(
    cli: Callable[..., Any], letor: Path, flag: str
) -> None:
    (letor / "out").write_text("precious")
    (letor / "short").write_text("1\n")
    done = cli("letor", "score", "test", "short", "out", flag)
    assert done == (254, "Error to read short at line 2.\n", "")
    (letor / "bad").write_text(TEST + "x\n")
    (letor / "long").write_text("1\n" * 9)
    assert cli("letor", "score", "bad", "long", "out", flag) == (254, "Error to parse bad at line 4:\nx\n", "")
    assert (letor / "out").read_text() == "precious"


def test_a_longer_prediction_file_is_cut(cli: Callable[..., Any], letor: Path) -> None:
    (letor / "long").write_text("1\n3\n2\n9\nx\n")
    assert cli("letor", "score", "test", "long", "-", 1) == cli("letor", "score", "test", "pred", "-", 1)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("score", "none", "pred", "out", "1"), "none: no such file"),
        (("score", "test", "none", "out", "1"), "none: no such file"),
        (("score", "test", "pred", "no/out", "1"), "no/out: the folder no does not exist"),
        (("score", "test", "pred", "test", "1"), "test: is also an input and would be overwritten"),
        (("score", "test", "pred", "pred", "1"), "pred: is also an input and would be overwritten"),
        (("score", "--preset", "letor5", "test", "pred", "out", "1"), "'letor5' is not one of"),
        (("ttest", "test", "test", "out"), "test:1: no line of names (qid, P@1, ...) above"),
        (("ttest", "none", "test", "out"), "none: no such file"),
        (("bogus",), "No such command 'bogus'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_our_own_errors_are_one_line_and_exit_code_2(
    cli: Callable[..., Any], letor: Path, args: tuple[str, ...], said: str
) -> None:
    done = cli("letor", *args)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert done.err.count("\n") == 1
    assert not (letor / "out").exists()
    assert (letor / "test").read_text() == TEST


def test_without_a_command_the_commands_are_listed(cli: Callable[..., Any]) -> None:
    done = cli("letor")
    assert (done.code, done.err) == (0, "")
    for command in ("score", "rank", "ttest"):
        assert f"\n  {command} " in done.out


def test_scoring_loads_nothing_heavy(letor: Path) -> None:
    script = "import sys\nfrom rankscope.cli.main import main\ntry:\n    main()\nfinally:\n    print(*sys.modules)"
    args = ["letor", "score", "test", "pred", "out", "1"]
    done = subprocess.run([sys.executable, "-c", script, *args], capture_output=True, text=True, check=True)
    loaded = {module.partition(".")[0] for module in done.stdout.split()}
    assert "numpy" in loaded
    assert not loaded & {"scipy", "polars", "rich", "pandas"}
