"""What is said to people who call wrongly, message by message: `wrong_calls.txt` has each call and its answer.

RANKSCOPE_UPDATE_GOLDEN=1 pytest tests/cli/test_wrong_calls.py writes the answers anew; read each before keeping it.
"""

from __future__ import annotations

import io
import os
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.input_files import make_files

from rankscope.cli.main import cli as group

GOLDEN = Path(__file__).parent / "wrong_calls.txt"
#: How a call begins in that file. A line below it is the answer; one with # begins a chapter.
CALL = "$ rankscope"


def chapters() -> dict[str, list[tuple[str, str]]]:
    """Title -> calls and answers."""
    found: dict[str, list[tuple[str, str]]] = {}
    for line in GOLDEN.read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            title = line[2:]
            found[title] = []
        elif line.startswith(CALL):
            found[title].append((line, ""))
        elif line:
            found[title][-1] = (found[title][-1][0], line)
    return found


CHAPTERS = chapters()


def listing() -> dict[str, bytes | None]:
    return {str(p): p.read_bytes() if p.is_file() else None for p in sorted(Path().rglob("*"))}


@pytest.mark.parametrize("title", CHAPTERS)
def test_a_wrong_call_is_answered_in_one_line_and_writes_nothing(
    cli: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, title: str
) -> None:
    monkeypatch.chdir(tmp_path)
    make_files(tmp_path)
    before = listing()
    answers = []
    for call, _ in CHAPTERS[title]:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO())))
        done = cli(*shlex.split(call[len(CALL) :]))
        assert (done.code, done.out) == (2, ""), call
        assert done.err.startswith("rankscope: "), call
        assert done.err.count("\n") == 1, call
        assert len(done.err) < 420, call
        answers.append((call, done.err.rstrip("\n")))
    assert listing() == before
    if os.environ.get("RANKSCOPE_UPDATE_GOLDEN") == "1":
        CHAPTERS[title] = answers
        text = (
            "\n".join([f"# {name}", *(line for pair in pairs for line in pair)]) for name, pairs in CHAPTERS.items()
        )
        GOLDEN.write_text("\n\n".join(text) + "\n", encoding="utf-8")
    assert answers == CHAPTERS[title]


def test_each_command_is_called_wrongly_and_no_call_stands_twice() -> None:
    calls = [call for pairs in CHAPTERS.values() for call, _ in pairs]
    assert len(calls) == len(set(calls)) >= 300
    words = [shlex.split(call)[2:] for call in calls]
    context = group.make_context("rankscope", [], resilient_parsing=True)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        parts = getattr(command, "list_commands", lambda _: [])(context)
        for part in parts or [None]:
            wanted = [name, part] if part else [name]
            assert sum(call[: len(wanted)] == wanted for call in words) >= 2, (
                f"add two wrong calls of {' '.join(wanted)} to tests/cli/wrong_calls.txt"
            )


def test_no_answer_speaks_of_our_own_code() -> None:
    for pairs in CHAPTERS.values():
        for call, answer in pairs:
            for word in ("Traceback", "Error(", "None", "object at", "<class", "numpy", "rankscope.cli"):
                assert word not in answer, call
