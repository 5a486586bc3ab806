"""An interrupt that comes while the command line, or what a command needs, is being loaded."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.finished_commands import EVALUATE, Done, instead, raising
from helpers.messages import mentions

pytestmark = pytest.mark.skipif(os.name == "nt", reason="no signal of another process can be handled here")

#: Sends itself an interrupt when a module is looked for, and runs `rankscope` as `python -m` does.
LOADING = """
import os, runpy, signal, sys
struck, name, handling = [], sys.argv.pop(1), sys.argv.pop(1)
signal.signal(signal.SIGINT, getattr(signal, handling))
class Finder:
    def find_spec(self, module, path=None, target=None):
        if module == name and not struck:
            struck.append(module)
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Finder())
try:
    runpy.run_module("rankscope", run_name="__main__", alter_sys=True)
finally:
    assert struck
"""


def loading(module: str, handling: str, *args: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", LOADING, module, handling, *map(str, args)],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


@pytest.mark.parametrize("module", ["rankscope.cli.main", "click", "rankscope.cli.evaluate", "numpy"])
def test_an_interrupt_while_modules_are_loaded_is_one_line(module: str, place: Path) -> None:
    done = loading(module, "default_int_handler", *EVALUATE, place / "a")
    assert (done.returncode, done.stdout) == (130, "")
    # click goes to a new line first, behind the ^C of a terminal.
    assert len(done.stderr.strip().splitlines()) == 1
    assert mentions(done.stderr, "rankscope: ", "interrupted", "no result")
    assert not list(place.iterdir())


def test_interrupts_that_are_ignored_stay_so(place: Path) -> None:
    """As of what runs behind a shell's `&`."""
    done = loading("click", "SIG_IGN", "--version")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("rankscope, version ")


def test_an_interrupt_that_python_wraps_in_an_error_of_a_class_is_one(
    call: Callable[..., Done], place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Up to Python 3.11 one that comes while an attribute is told its name ends in a RuntimeError."""

    error = RuntimeError("Error calling __set_name__")
    error.__cause__ = KeyboardInterrupt()
    instead(monkeypatch, raising(error))
    done = call(*EVALUATE, place / "a")
    assert done.code == 130
    assert mentions(done.said, "interrupted", "no result")


class PanicException(BaseException):
    """As polars raises it."""


@pytest.mark.parametrize(
    ("value", "code", "said"),
    [("Terminated(15)", 143, "ended by SIGTERM"), ("KeyboardInterrupt()", 130, "interrupted")],
    ids=["SIGTERM", "SIGINT"],
)
def test_a_signal_that_polars_makes_a_panic_of_is_told(
    value: str, code: int, said: str, call: Callable[..., Done], place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = PanicException(f"Failed to access NumPy array API capsule: PyErr {{ type: <class 'x'>, value: {value} }}")
    instead(monkeypatch, raising(error))
    done = call(*EVALUATE, place / "a")
    assert done.code == code
    assert mentions(done.said, said, "no result")


def test_another_panic_is_a_bug(call: Callable[..., Done], place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    instead(monkeypatch, raising(PanicException("index out of bounds")))
    with pytest.raises(PanicException, match="index out of bounds"):
        call(*EVALUATE, place / "a")


def test_another_error_of_that_kind_is_a_bug_of_ours(
    call: Callable[..., Done], place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = RuntimeError("of ours")
    error.__cause__ = ValueError()
    instead(monkeypatch, raising(error))
    with pytest.raises(RuntimeError, match="of ours"):
        call(*EVALUATE, place / "a")


def test_the_entry_point_leaves_interrupts_as_they_were(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from rankscope import __main__ as entry
    from rankscope.cli import main as module

    seen = []
    monkeypatch.setattr(module, "main", lambda: seen.append(signal.getsignal(signal.SIGINT)))
    before = signal.getsignal(signal.SIGINT)
    try:
        entry.main()
        assert seen == [before]
        assert signal.getsignal(signal.SIGINT) == before
    finally:
        signal.signal(signal.SIGINT, before)
