"""Commands as processes that are ended at random moments."""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

#: Seconds after which something that was waited for is not going to happen any more.
PATIENCE = 300.0


class Job(NamedTuple):
    """call: the arguments; {} is the folder that is written to. whole: files that are as in the end or not there. kept:
    what keeps what is finished, so that the same command goes on from there. kills: how often it is killed.
    """

    name: str
    call: str
    whole: tuple[str, ...]
    kept: str = ""
    kills: int = 50


RUNS = "demo.qrels bm25.run dense.run"
STUDY = f"stability {RUNS} rerank.run -m AP --splits 2,3 --entities 30,40 --seed 1"
SEARCH = "crossvalidate demo-train.txt --loss linear:listnet --search 2 --folds 3 --seeds 1 --format csv"
JOBS = (
    Job(
        "study",
        f"{STUDY} --iterations 20 --resamples 300 --checkpoint {{}}/a -o {{}}/b",
        ("b",),
        "a",
    ),
    Job(
        "search",
        f"{SEARCH} --workers 1 --log {{}}/a -o {{}}/b",
        ("b",),
        "a",
        kills=20,
    ),
    Job(
        "mt-experiment",
        "mt-experiment --data demo-mt --protocol cv --features nine --losses ListNet --seeds 1 --resamples 10 "
        "--workers 1 -o {}/a --format csv",
        ("a/cv-tables.csv", "a/cv-tests.csv"),
        "a/cache",
        kills=20,
    ),
    Job("train", "train demo-train.txt --valid demo-valid.txt --loss linear:listnet -o {}/a", ("a",), kills=40),
    Job(
        "evaluate",
        f"evaluate {RUNS} --by-query --format csv --save {{}}/a.parquet -o {{}}/b",
        ("a.parquet", "b"),
    ),
    Job("page", f"compare {RUNS} -m AP --format html -o {{}}/a.html", ("a.html",), kills=20),
    Job("convert", "convert bm25.run {}/a.parquet", ("a.parquet",), kills=20),
)


#: Has loaded what the commands need, and forks for each of them: a process that is started anew would spend most of its
#: time with loading, and most kills would hit that. A line in is a command, the lines out are its process and its end.
NURSERY = """
import json, os, sys
from rankscope.cli.main import COMMANDS, main
from rankscope.registry import resolve
import numpy, scipy.special, scipy.stats, safetensors.numpy
for name in ("stability", "crossvalidate", "mt-experiment", "train", "evaluate", "convert"):
    resolve(COMMANDS[name][0])
import rankscope.learning, rankscope.stability.studies, rankscope.experiments.random_search.run
for line in sys.stdin:
    args, err = json.loads(line)
    child = os.fork()
    if not child:
        os.setsid()
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(os.open(err, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
        sys.argv[1:] = args
        main()
        sys.exit(0)
    print(child, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


class Nursery:
    """Starts commands, each in a session of its own, one at a time."""

    def __init__(self, folder: Path) -> None:
        self.err = folder / "stderr"
        self.process = subprocess.Popen(
            [sys.executable, "-c", NURSERY], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )

    def __enter__(self) -> Nursery:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()

    def start(self, job: Job, place: Path) -> int:
        args = [part.replace("{}", str(place)) for part in job.call.split()]
        self._stdin.write(json.dumps([args, str(self.err)]).encode() + b"\n")
        return int(self._stdout.readline())

    def ended(self, seconds: float) -> int | None:
        """The exit code, negative for a signal; None where it still runs after so many seconds."""
        if not select.select([self._stdout], [], [], max(seconds, 0))[0]:
            return None
        return int(self._stdout.readline())

    def said(self) -> str:
        return self.err.read_text("utf-8", "replace")

    @property
    def _stdin(self) -> Any:
        return self.process.stdin

    @property
    def _stdout(self) -> Any:
        return self.process.stdout

    def finish(self, job: Job, place: Path) -> float:
        """Run it to its end; seconds that it took."""
        begin = time.monotonic()
        session = self.start(job, place)
        with clean_up(session):
            assert self.ended(PATIENCE) == 0, (job.name, self.said())
        return time.monotonic() - begin

    def end_at(self, job: Job, place: Path, moment: float, number: int) -> tuple[int, str]:
        """Start it, and send a signal after so many seconds unless it has ended; its exit code, and what it said."""
        session = self.start(job, place)
        with clean_up(session):
            code = self.ended(moment)
            if code is None:
                os.kill(session, number)
                code = self.ended(PATIENCE)
            assert code is not None, "it does not end"
            assert all_gone(session), f"workers were left: {members(session)}"
        return code, self.said()


#: Those that have workers, and keep what is finished.
WORKING = (
    Job(
        "study",
        f"{STUDY} bm25-rm3.run hybrid.run --iterations 400 --resamples 2000 --workers 2 --checkpoint {{}}/a -o {{}}/b",
        ("b",),
        "a",
    ),
    Job("search", f"{SEARCH} --workers 2 --log {{}}/a -o {{}}/b", ("b",), "a"),
)


def members(session: int) -> list[int]:
    """The processes of a session that still run."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            try:
                fields = (folder / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
            except OSError:  # it ended meanwhile
                continue
            if int(fields[3]) == session and fields[0] not in "ZX":
                found.append(int(folder.name))
    return found


def all_gone(session: int) -> bool:
    """Wait until no process of the session runs."""
    end = time.monotonic() + PATIENCE
    while members(session):
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


@contextmanager
def clean_up(session: int) -> Iterator[None]:
    """Whatever a failing test leaves behind is ended."""
    try:
        yield
    finally:
        for process in members(session):
            os.kill(process, signal.SIGKILL)


def contents(job: Job, place: Path) -> dict[str, bytes]:
    return {name: (place / name).read_bytes() for name in job.whole if (place / name).exists()}


def emptied(place: Path) -> Path:
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    return place
