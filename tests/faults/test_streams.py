"""Standard output and standard error that are full, closed, or left by who read them."""

from __future__ import annotations

import errno
import io
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.finished_commands import Done
from helpers.messages import mentions

from rankscope.cli import _streams as streams
from rankscope.errors import OutputError

Call = Callable[..., Done]

#: Everything that prints: text, bytes, what a parser prints by itself, several pieces.
PRINTING = (
    "evaluate demo.qrels bm25.run",
    "evaluate demo.qrels bm25.run dense.run --by-query --format csv",
    "evaluate demo.qrels bm25.run --format trec",
    "compare demo.qrels bm25.run dense.run -m AP --format latex",
    "trec_eval demo.qrels bm25.run",
    "letor score demo-letor.txt demo-letor-rerank.txt - 0",
    "letor",
    "letor score",
    "dunaiski",
    "dunaiski --help",
    "convert demo.qrels - --to csv",
    "convert bm25.run - --to parquet",
    "features runs demo.qrels bm25.run -o -",
    "fuse bm25.run dense.run -o - --to trec",
    "pool bm25.run dense.run --depth 5 -o - --to trec",
    "measures",
    "measures nDCG",
    "demo --tour",
    "--help",
    "--version",
    "agree",
    "evaluate --help",
)


class Failing(io.RawIOBase):
    """A raw stream of which the write number `at` (from 0) and all later ones fail."""

    def __init__(self, code: int, at: int) -> None:
        self.code, self.left = code, at

    def writable(self) -> bool:
        return True

    def write(self, content: Any) -> int:
        self.left -= 1
        if self.left < 0:
            raise OSError(self.code, os.strerror(self.code))
        return memoryview(content).nbytes


def stream_of(code: int, at: int) -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BufferedWriter(Failing(code, at)), encoding="utf-8")


def let_go(stream: io.TextIOWrapper) -> None:
    """Close it although what it holds cannot be written."""
    stream.buffer.raw.left = 1 << 30  # of Failing
    stream.close()


def ends(call: Call, args: str, monkeypatch: pytest.MonkeyPatch, code: int, at: int) -> Done:
    stream = stream_of(code, at)
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", stream)
        done = call(*args.split())
    let_go(stream)
    return done


@pytest.mark.parametrize("args", PRINTING)
def test_a_full_standard_output_is_one_line_and_exit_code_2(
    args: str, call: Call, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for at in range(4):
        done = ends(call, args, monkeypatch, errno.ENOSPC, at)
        if at and done.code != 2:  # so many writes it does not need
            return
        assert done.code == 2
        assert mentions(done.said, "standard output", os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("args", PRINTING)
def test_a_reader_that_has_seen_enough_is_no_error(
    args: str, call: Call, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for at in range(2):
        done = ends(call, args, monkeypatch, errno.EPIPE, at)
        assert done.code in (0, 255 if args == "letor" else 0), done
        assert not [line for line in done.err if line.startswith("rankscope: ")]


@pytest.mark.parametrize("args", PRINTING)
def test_a_closed_standard_output_is_told(args: str, call: Call, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", None)
        done = call(*args.split())
    assert done.code == 2
    assert mentions(done.said, "standard output", "closed")


def test_with_a_file_for_the_output_none_is_needed(call: Call, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", None)
        done = call("evaluate", "demo.qrels", "bm25.run", "-o", place / "a")
    assert (done.code, done.err) == (0, [])
    assert (place / "a").stat().st_size > 0


@pytest.mark.parametrize(("args", "code"), [("evaluate demo.qrels bm25.run -o {}/a", 0), ("evaluate no such", 2)])
@pytest.mark.parametrize("failing", ["full", "closed"])
def test_where_standard_error_fails_the_exit_code_stays(
    args: str, code: int, failing: str, call: Call, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = stream_of(errno.ENOSPC, 0)
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", stream if failing == "full" else None)
        done = call(*(arg.replace("{}", str(place)) for arg in args.split()))
    let_go(stream)
    assert (done.code, done.out) == (code, "")


def test_the_streams_are_those_of_before_when_a_command_has_ended(call: Call, place: Path) -> None:
    before = sys.stdout, sys.stderr
    call("evaluate", "no", "such")
    assert (sys.stdout, sys.stderr) == before


def test_a_guarded_stream_is_what_it_guards(capsys: pytest.CaptureFixture[str]) -> None:
    with streams.guarded_streams():
        assert sys.stdout.encoding == "utf-8"
        assert sys.stdout.write("text") == 4
        sys.stdout.writelines(["a", "b"])
        sys.stdout.flush()
        assert sys.stdout.buffer.write(b"bytes") == 5
        sys.stdout.buffer.writelines([b"c"])
    assert capsys.readouterr().out == "textabbytesc"


def test_what_was_swallowed_once_is_raised_again() -> None:
    raw = stream_of(errno.ENOSPC, 0)
    guarded = streams.GuardedStream(raw)
    guarded.write("x")  # into the buffer
    for write in (guarded.flush, guarded.flush, lambda: guarded.buffer.write(b"x")):
        with pytest.raises(OutputError, match="No space left"):
            write()
    let_go(raw)


def shell(place: Path, line: str) -> subprocess.CompletedProcess[str]:
    command = f"{shlex.quote(sys.executable)} -m rankscope"
    return subprocess.run(
        ["bash", "-c", line.replace("rankscope", command)], capture_output=True, text=True, check=False, timeout=300
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("rankscope evaluate demo.qrels bm25.run > /dev/full", 2, "cannot be written (No space left on device)"),
        ("rankscope evaluate demo.qrels bm25.run >&-", 2, "is closed; name a file"),
        ("rankscope evaluate demo.qrels bm25.run -o /dev/stdout >&-", 2, "/dev/stdout: cannot be written (Bad file"),
        ("rankscope evaluate no such > /dev/full 2> /dev/full", 2, ""),
        ("set -o pipefail; rankscope --help | true", 0, ""),
    ],
)
def test_a_process_of_its_own_ends_alike(place: Path, line: str, code: int, said: str) -> None:
    done = shell(place, line)
    assert done.returncode == code, done
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == bool(said)


def test_a_pipe_may_be_named_as_the_output(place: Path) -> None:
    done = shell(place, "rankscope evaluate demo.qrels bm25.run -m AP --format csv -o /dev/stdout | cat")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("system,measure,query,value\nbm25,AP,all,")


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="no /dev/fd here")
@pytest.mark.parametrize(
    ("line", "there"),
    [
        ("rankscope convert demo.qrels /dev/stdout --to csv >> all", "before\nquery_id,"),
        ("(echo first; rankscope convert demo.qrels /dev/stdout --to csv) > all", "first\nquery_id,"),
        ("rankscope convert demo.qrels /dev/fd/7 --to csv 7>> all", "before\nquery_id,"),
    ],
    ids=["appended", "behind others", "another number"],
)
def test_an_open_file_that_is_named_as_the_output_is_written_where_it_stands(
    line: str, there: str, place: Path
) -> None:
    """Neither what is in it nor what comes behind is lost."""
    path = place / "all"
    path.write_text("before\n")
    named = shlex.quote(str(path))
    done = shell(place, f"({line.replace('all', named)}; echo after >> {named})")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert path.read_text().startswith(there)
    assert path.read_text().endswith("\nafter\n")
    assert list(place.iterdir()) == [path]


def test_threads_that_end_in_any_order_leave_the_streams_as_they_were() -> None:
    before = sys.stdout, sys.stderr
    first, second = streams.guarded_streams(), streams.guarded_streams()
    first.__enter__()
    try:
        second.__enter__()
        assert isinstance(sys.stdout, streams.GuardedStream)
    finally:
        first.__exit__(None, None, None)
        second.__exit__(None, None, None)
    assert (sys.stdout, sys.stderr) == before
