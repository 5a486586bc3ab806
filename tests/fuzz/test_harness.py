"""The atheris harness runs, and finds what breaks a reader."""

from __future__ import annotations

import signal
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest
from helpers.fuzzing.reader_process import Apart

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


@pytest.mark.slow
@pytest.mark.parametrize(
    ("signal_", "said", "expected"),
    [
        (signal.SIGABRT, b"memory allocation of 8 bytes failed", None),
        (signal.SIGABRT, b"other", "ended by -6: b'other'"),
        (signal.SIGKILL, b"memory allocation of 8 bytes failed", "ended by -9"),
    ],
)
def test_a_reader_apart_goes_on_behind_what_is_known_to_end_it(
    signal_: signal.Signals, said: bytes, expected: str | None
) -> None:
    reader = Apart("labels")
    reader.read(b"no table")
    reader.errors.write(said)
    reader.errors.flush()
    reader.process.send_signal(signal_)
    reader.process.wait()
    with nullcontext() if expected is None else pytest.raises(AssertionError, match=expected):
        reader.read(b"")
    assert reader.ended == (expected is None)
    reader.read(b"true,predicted\n1,1\n")
    assert reader.close()[0] == 0
