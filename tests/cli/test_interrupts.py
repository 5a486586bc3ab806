"""A reader that leaves, a key that interrupts, and the command as a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.messages import mentions

from rankscope.cli._streams import Terminated, signals_raised

COMMAND = [sys.executable, "-c", "from rankscope.cli.main import main; main()"]


def run(*args: object, **options: Any) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*COMMAND, *map(str, args)], capture_output=True, check=False, **options)


def test_the_process_ends_with_two_and_one_line(folder: Path) -> None:
    (folder / "bad").write_bytes(b"1 Q0 a 1 2.5 t\n1 Q0 b 2 x t\n")
    done = run("evaluate", "qrels", "bad", "-o", "out")
    assert done.returncode == 2
    assert done.stdout == b""
    assert done.stderr.splitlines() == [
        b"rankscope: bad:2: score 'x', expected a finite number (the line is query Q0 document rank score tag); "
        b"correct this line"
    ]
    assert sorted(p.name for p in folder.iterdir()) == ["bad", "qrels", "run"]


def test_the_process_ends_with_zero_and_its_output(folder: Path) -> None:
    done = run("evaluate", "qrels", "-", "-m", "RR", "--format", "trec", input=(folder / "run").read_bytes())
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == b"runid                 \tall\tbm25\nrecip_rank            \tall\t0.7500\n"


def test_ids_that_are_no_utf8_are_printed_as_they_came(folder: Path) -> None:
    (folder / "latin").write_bytes(b"caf\xe9 Q0 d 1 1 t\xfc\n")
    (folder / "judged").write_bytes(b"caf\xe9 0 d 1\n")
    done = run("evaluate", "judged", "latin", "-m", "RR", "--by-query", "--format", "csv")
    assert done.stderr == b""
    assert done.stdout == b"system,measure,query,value\nt\xfc,RR,caf\xe9,1.0\nt\xfc,RR,all,1.0\n"
    bad = run("evaluate", "qrels", "latin")
    assert bad.returncode == 2
    assert b"caf\xe9" in bad.stderr


@pytest.mark.skipif(os.name == "nt", reason="pipes of a shell")
def test_a_reader_that_leaves_early_is_no_error(folder: Path) -> None:
    lines = b"".join(b"%d 0 d 1\n" % i for i in range(30_000))
    (folder / "many").write_bytes(lines)
    (folder / "answers").write_bytes(b"".join(b"%d Q0 d 1 1 t\n" % i for i in range(30_000)))
    process = subprocess.Popen(
        [*COMMAND, "evaluate", "many", "answers", "--by-query", "--format", "csv"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    with process.stdout, process.stderr:
        assert process.stdout.readline() == b"system,measure,query,value\n"
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.wait() == 0


def test_an_interrupt_ends_with_130_and_leaves_nothing(
    cli: Callable[..., Any], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import rankscope.cli._options as command

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "plan_and_join", interrupted)
    (folder / "out").write_text("precious")
    done = cli("evaluate", "qrels", "run", "-o", "out")
    assert done.code == 130
    assert done.out == ""
    assert len(done.err.strip().splitlines()) == 1
    assert mentions(done.err, "rankscope: ", "interrupted", "no result")
    assert (folder / "out").read_text() == "precious"
    assert sorted(p.name for p in folder.iterdir()) == ["out", "qrels", "run"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_process_that_is_interrupted_while_reading_ends_with_130(folder: Path) -> None:
    os.mkfifo("pipe")
    process = subprocess.Popen([*COMMAND, "evaluate", "qrels", "pipe", "-o", "out"], stderr=subprocess.PIPE)
    with open("pipe", "wb") as pipe:  # opens once the process reads
        pipe.write(b"1 Q0 a 1 1 t\n")
        pipe.flush()
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert err.strip() == b"rankscope: interrupted; no result was written"
    assert sorted(p.name for p in folder.iterdir()) == ["pipe", "qrels", "run"]


CONVERT = ("convert", "run", "out.csv")


def test_the_second_interrupt_does_not_stop_the_cleaning_up(
    cli: Callable[..., Any], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """polars makes two of one press of Ctrl-C."""
    import rankscope.io.convert as command

    unlink, pressed = os.unlink, []

    def interrupted(chunks: Iterator[bytes], _: str) -> Iterator[bytes]:
        yield next(chunks)
        os.kill(os.getpid(), signal.SIGINT)

    def press_again(path: str) -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            pressed.append(number)
            os.kill(os.getpid(), number)
        unlink(path)

    monkeypatch.setattr(command, "compress", interrupted)
    monkeypatch.setattr(os, "unlink", press_again)
    done = cli(*CONVERT)
    assert done.code == 130
    assert done.err.lstrip() == "rankscope: interrupted; no result was written\n"
    assert len(pressed) == 2
    assert sorted(p.name for p in folder.iterdir()) == ["qrels", "run"]


def test_cleaning_up_that_does_not_end_can_be_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankscope.cli._streams.CLEANING_SECONDS", 0.0)

    def press_twice() -> None:
        try:
            os.kill(os.getpid(), signal.SIGINT)
        except KeyboardInterrupt:
            os.kill(os.getpid(), signal.SIGTERM)

    with pytest.raises(Terminated), signals_raised():
        press_twice()


@pytest.mark.parametrize("moment", ["while the file is moved", "while notes are printed"])
def test_an_interrupt_after_the_result_was_written_says_so(
    cli: Callable[..., Any], folder: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    import rankscope.io.convert as command

    replace = os.replace

    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    def interrupted_then(source: str, target: str) -> None:
        replace(source, target)
        raise KeyboardInterrupt

    if moment == "while the file is moved":
        monkeypatch.setattr(os, "replace", interrupted_then)
    else:
        monkeypatch.setattr(command, "loss_notes", interrupted)
    done = cli(*CONVERT)
    assert done.code == 130
    assert done.err.lstrip() == "rankscope: interrupted; out.csv was written\n"
    assert (folder / "out.csv").read_text().startswith("query_id,")
    monkeypatch.undo()
    monkeypatch.setattr(command, "load_content", interrupted)
    monkeypatch.chdir(folder)
    assert cli("convert", "run", "other.csv").err.lstrip() == "rankscope: interrupted; no result was written\n"


def test_an_interrupt_after_something_was_printed_does_not_say_that_nothing_was(
    cli: Callable[..., Any], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import rankscope.io.convert as command

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "loss_notes", interrupted)
    done = cli("convert", "run", "-", "--to", "csv")
    assert done.out.startswith("query_id,")
    assert done.err.lstrip() == "rankscope: interrupted; what was printed may be incomplete\n"
