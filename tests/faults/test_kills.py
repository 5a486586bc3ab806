"""Commands that are killed, interrupted and asked to end at random moments, and their workers, too."""

from __future__ import annotations

import os
import random
import re
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from helpers.killed_processes import (
    JOBS,
    PATIENCE,
    WORKING,
    Job,
    Nursery,
    all_gone,
    clean_up,
    contents,
    emptied,
    members,
)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="processes are looked up in /proc"),
]

#: How often in a row a command is killed before it may run to its end, and how often it gets each other signal.
ROW = 5
SIGNALS = 10
#: The short ones of them.
SHORT = (*JOBS[:2], *JOBS[3:5], JOBS[6])


@pytest.fixture(scope="module")
def nursery(demo_files: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nursery]:
    before = Path.cwd()
    os.chdir(demo_files)
    with Nursery(tmp_path_factory.mktemp("nursery")) as found:
        os.chdir(before)
        yield found


@pytest.mark.parametrize("job", JOBS, ids=[job.name for job in JOBS])
def test_kills_leave_whole_files_and_the_same_result(job: Job, place: Path, nursery: Nursery) -> None:
    nursery.finish(job, place)  # loads what is not loaded yet
    expected = contents(job, place)
    assert len(expected) == len(job.whole)
    seconds = nursery.finish(job, emptied(place))
    rng = random.Random(f"kill {job.name}")
    emptied(place)
    killed, tries = 0, 0
    while killed < job.kills:
        tries += 1
        assert tries < 10 * job.kills, "it ends before it can be killed"
        begin, fresh = time.monotonic(), not any(place.iterdir())
        code, err = nursery.end_at(job, place, rng.uniform(0, seconds), signal.SIGKILL)
        assert code in (0, -signal.SIGKILL), (tries, code, err)
        for name, content in contents(job, place).items():
            assert content == expected[name], (tries, name)
        if code == 0 and fresh:
            seconds = min(seconds, time.monotonic() - begin)
        if code:
            killed += 1
            if killed % ROW:
                continue
            nursery.finish(job, place)
        assert contents(job, place) == expected, tries
        emptied(place)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda number: number.name)
@pytest.mark.parametrize("job", SHORT, ids=[job.name for job in SHORT])
def test_signals_are_told_in_one_line(job: Job, number: signal.Signals, place: Path, nursery: Nursery) -> None:
    """A signal that comes before a command has begun ends it as Python, or the system, has it."""
    nursery.finish(job, place)
    expected = contents(job, place)
    seconds = nursery.finish(job, emptied(place))
    rng = random.Random(f"{number.name} {job.name}")
    told = 0
    for turn in range(SIGNALS):
        emptied(place)
        code, err = nursery.end_at(job, place, rng.uniform(0, seconds), number)
        found = contents(job, place)
        assert all(found[name] == expected[name] for name in found), (turn, code)
        assert code in (0, 128 + number, -number), (turn, code, err)
        if code == 128 + number:
            told += 1
            # A signal while polars looks for NumPy is a panic, of which Rust prints lines that end so.
            lines = [line for line in re.split(r'"\) \}\n', err)[-1].splitlines() if line]
            word = "interrupted" if number == signal.SIGINT else f"ended by {number.name}"
            assert [line.partition(";")[0] for line in lines if not line.startswith("note: ")] == [f"rankscope: {word}"]
            assert not list(place.rglob(".rankscope-*")), turn
        finish_or_same(job, place, expected, turn, nursery)
    assert told


def finish_or_same(job: Job, place: Path, expected: dict[str, bytes], turn: int, nursery: Nursery) -> None:
    """Where something is kept, going on from there gives the same."""
    if job.kept and turn % 4 == 3:
        nursery.finish(job, place)
        assert contents(job, place) == expected, turn


@pytest.mark.parametrize("job", WORKING, ids=[job.name for job in WORKING])
def test_a_killed_worker_is_told_and_the_rest_is_kept(job: Job, place: Path, nursery: Nursery) -> None:
    nursery.finish(job, place)
    expected = contents(job, place)
    seconds = nursery.finish(job, emptied(place))
    rng = random.Random(f"worker {job.name}")
    lost = 0
    for turn in range(SIGNALS):
        emptied(place)
        session = nursery.start(job, place)
        with clean_up(session):
            code = nursery.ended(rng.uniform(0, seconds))
            workers = [number for number in members(session) if number != session]
            if code is None:
                if workers:
                    kill(rng.choice(workers))
                code = nursery.ended(PATIENCE)
            assert all_gone(session)
        err = nursery.said()
        assert code in (0, 2), (turn, code, err)
        if code == 2:
            lost += 1
            assert "worker processes ended unexpectedly" in err, (turn, err)
            assert len([line for line in err.splitlines() if not line.startswith("note: ")]) == 1
            assert all(content == expected[name] for name, content in contents(job, place).items())
        else:
            assert contents(job, place) == expected
        finish_or_same(job, place, expected, turn, nursery)
    assert lost


def kill(process: int) -> None:
    with suppress(ProcessLookupError):  # it ended meanwhile
        os.kill(process, signal.SIGKILL)
