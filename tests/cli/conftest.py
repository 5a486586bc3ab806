"""A small collection in a folder, and the command line called in process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from rankscope.cli.main import main
from rankscope.demo.collection import SEED
from rankscope.demo.letor import letor_files


class Done(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    """Calls `rankscope` with these arguments; anything but an exit code is an error of the test."""

    def call(*args: object) -> Done:
        code: object = 0
        try:
            main([str(a) for a in args])
        except SystemExit as end:
            code = end.code
        captured = capsys.readouterr()
        assert code is None or isinstance(code, int)
        return Done(code or 0, captured.out, captured.err)

    return call


@pytest.fixture(scope="session")
def letor_texts() -> dict[str, str]:
    """The demo's files for learning."""
    return letor_files(SEED)


@pytest.fixture
def letor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, letor_texts: dict[str, str]) -> Path:
    """The working folder, with the demo's files for learning."""
    for name, text in letor_texts.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, holding `qrels` and `run`."""
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n2 0 a 2\n")
    (tmp_path / "run").write_text("1 Q0 a 1 2.5 bm25\n1 Q0 b 2 1.5 bm25\n2 Q0 c 1 9.0 bm25\n2 Q0 a 2 8.0 bm25\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path
