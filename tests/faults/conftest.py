"""The demo's files to work on, a folder to write into, and the command line called in process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.finished_commands import Done

from rankscope.cli.main import main
from rankscope.demo import write_demo


@pytest.fixture(scope="session")
def demo_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo")
    write_demo(folder)
    return folder


@pytest.fixture
def place(demo_files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to write into; the working folder is that of the demo's files."""
    monkeypatch.chdir(demo_files)
    folder = tmp_path / "out"
    folder.mkdir()
    return folder


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    """Calls `rankscope` in this process; anything but an exit code is an error of the test."""

    def calling(*args: object) -> Done:
        code: object = 0
        try:
            main([str(arg) for arg in args])
        except SystemExit as end:
            code = end.code
        captured = capsys.readouterr()
        assert code is None or isinstance(code, int)
        return Done(code or 0, captured.out, captured.err.splitlines())

    return calling
