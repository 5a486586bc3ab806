"""How a command ends that the system, a signal or lack of memory stops: exit code and one line."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from helpers.finished_commands import EVALUATE, Done, instead, raising
from helpers.messages import mentions

from rankscope.cli import main as entry
from rankscope.cli._streams import SignalHandler, signals_raised
from rankscope.errors import RankscopeError
from rankscope.parallel import run_units

Call = Callable[..., Done]


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (MemoryError(), "not enough memory; close other programs, reduce the work, or use a larger"),
        (OSError(5, "Input/output error", "a/b"), "a/b: cannot be used (Input/output error); check the file"),
        (OSError(11, "Resource temporarily unavailable"), "the operating system reports an error (Resource"),
        (BrokenPipeError(32, "Broken pipe"), "the operating system reports an error (Broken pipe)"),
    ],
    ids=["memory", "a file", "no file", "a pipe of its own"],
)
def test_what_no_one_expected_is_one_line(
    error: BaseException, said: str, call: Call, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    instead(monkeypatch, raising(error))
    done = call(*EVALUATE, place / "a")
    assert done.code == 2
    assert done.said.startswith(f"rankscope: {said}")
    assert not list(place.iterdir())


def test_a_bug_is_no_interrupt(call: Call, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """click takes the end of a file for an interrupt, which would hide it."""
    instead(monkeypatch, raising(EOFError("of ours")))
    with pytest.raises(EOFError, match="of ours"):
        call(*EVALUATE, place / "a")


@pytest.mark.parametrize(
    ("name", "code", "said"),
    [
        ("SIGINT", 130, "interrupted; no result was written"),
        ("SIGTERM", 143, "ended by SIGTERM; no result was written"),
        ("SIGHUP", 129, "ended by SIGHUP; no result was written"),
    ],
)
def test_signals_are_told_and_leave_nothing(
    name: str, code: int, said: str, call: Call, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = getattr(signal, name, None)
    if number is None:
        pytest.skip(f"no {name} here")
    instead(monkeypatch, lambda: os.kill(os.getpid(), number))
    (place / "a").write_text("precious")
    before = signal.getsignal(number)
    done = call(*EVALUATE, place / "a")
    assert signal.getsignal(number) == before
    assert (done.code, done.said) == (code, f"rankscope: {said}")
    assert [path.read_text() for path in place.iterdir()] == ["precious"]


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="no SIGHUP here")
def test_a_signal_that_is_ignored_stays_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """As `nohup` has it."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with signals_raised():
            assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
            assert signal.getsignal(signal.SIGTERM) != signal.SIG_DFL
        assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    finally:
        signal.signal(signal.SIGHUP, before)


def test_an_interrupt_while_something_is_said_is_no_traceback(
    call: Call, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(entry, "fail", lambda _: raising(KeyboardInterrupt())())
    done = call("evaluate", "no", "such")
    assert done.code == 130
    assert mentions(done.said, "interrupted", "no result")


@pytest.mark.parametrize("interrupted", [True, False])
def test_an_interrupt_after_the_end_was_reported_is_no_traceback(
    call: Call, place: Path, monkeypatch: pytest.MonkeyPatch, interrupted: bool
) -> None:
    """Ctrl-C pressed twice: Python may answer the second one when all has been printed."""

    @contextmanager
    def pressed_at_the_end(**options: bool) -> Iterator[SignalHandler]:
        with signals_raised(**options) as signals:
            yield signals
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(entry, "signals_raised", pressed_at_the_end)
    if interrupted:
        instead(monkeypatch, lambda: os.kill(os.getpid(), signal.SIGINT))
    done = call(*EVALUATE, place / "a")
    assert done.code == (130 if interrupted else 0)
    assert sum("interrupted" in line for line in done.err) == interrupted


def test_a_study_says_what_is_kept(call: Call, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import rankscope.cli.stability as command

    monkeypatch.setattr(command, "study_measures", lambda *_, **__: os.kill(os.getpid(), signal.SIGTERM))
    done = call("stability", "demo.qrels", "bm25.run", "dense.run", "--checkpoint", place / "a")
    assert done.code == 143
    assert mentions(done.said, "SIGTERM", f"kept in {place / 'a'}")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.parametrize("at", [0, 1])
def test_workers_that_cannot_start_are_told(at: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where a user may have no more processes."""
    fork, forks = os.fork, 0

    def refused() -> int:
        nonlocal forks
        forks += 1
        if forks > at:
            raise BlockingIOError(11, "Resource temporarily unavailable")
        return fork()

    monkeypatch.setattr("rankscope.parallel.pool.start_method", lambda: "fork")
    monkeypatch.setattr(os, "fork", refused)
    with pytest.raises(RankscopeError, match=r"workers is 2\b.*\(Resource"):
        list(run_units(abs, [-1, -2, -3], workers=2))


def test_where_no_worker_can_be_had_the_rest_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where /dev/shm is missing or full, which locks between processes need."""
    import rankscope.parallel.pool as pool

    def refused(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pool, "ProcessPoolExecutor", refused)
    with pytest.raises(RankscopeError, match=r"workers is 2\b.*\(No space"):
        list(run_units(abs, [-1, -2, -3], workers=2))
