"""The atheris harness runs, and finds what breaks a reader."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HARNESS = Path(__file__).with_name("run_atheris.py")


@pytest.mark.slow
def test_a_second_of_fuzzing_finds_nothing_in_votes(tmp_path: Path) -> None:
    pytest.importorskip("atheris", reason="atheris is not installed: pip install 'rankscope[fuzz]'")
    done = subprocess.run(
        [sys.executable, str(HARNESS), "votes", "--seconds", "1"], cwd=tmp_path, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert b"number_of_executed_units" in done.stderr
    assert not list(tmp_path.glob("crash-*"))


@pytest.mark.slow
def test_a_reader_that_is_none_is_told() -> None:
    pytest.importorskip("atheris", reason="atheris is not installed: pip install 'rankscope[fuzz]'")
    done = subprocess.run([sys.executable, str(HARNESS), "nothing"], capture_output=True, check=False)
    assert done.returncode == 2
