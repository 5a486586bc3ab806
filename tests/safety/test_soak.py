"""Thousands of evaluations in one process: memory, open files, threads, processes and caches stay as they were."""

from __future__ import annotations

import gc
import os
import threading
import tracemalloc
from collections.abc import Callable
from multiprocessing import active_children
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import rankscope as rs

pytestmark = pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="there is no /proc to look at here")

MEASURES = ["nDCG@10", "AP", "RR", "RBP(p=0.8)", "ERR@20", "Bpref", "Judged@10"]
PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


class Held(NamedTuple):
    """What the process has: memory in MB; open files, threads, children; files for a time."""

    memory: float
    others: tuple[int, ...]


def held(folder: Path) -> Held:
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    counts = (
        len(os.listdir("/proc/self/fd")),
        threading.active_count(),
        len(active_children()),
        len(list(folder.iterdir())),
    )
    return Held(pages * PAGE / 1e6, counts)


def collection(seed: int) -> tuple[dict[str, dict[str, int]], list[dict[str, dict[str, float]]]]:
    rng = np.random.default_rng(seed)
    qrels = {f"q{i}": {f"d{j}": int(g) for j, g in enumerate(rng.integers(0, 3, 20))} for i in range(10)}
    runs = [
        {q: {f"d{j}": float(s) for j, s in enumerate(rng.random(30))} for q in qrels}
        for _ in range(3)
    ]  # fmt: skip
    return qrels, runs


def ways(folder: Path) -> dict[str, Callable[[int], object]]:
    """What is done again and again; each takes a number, so that no two calls ask for the same."""
    qrels, runs = collection(0)
    named = [rs.Run(run, name=f"r{i}") for i, run in enumerate(runs)]
    evaluator = rs.Evaluator(qrels, MEASURES)
    (folder / "qrels").write_text("".join(f"{q} 0 {d} {g}\n" for q, found in qrels.items() for d, g in found.items()))
    lines = [f"{q} Q0 {d} 1 {s} r\n" for q, found in runs[0].items() for d, s in found.items()]
    (folder / "run").write_text("".join(lines))
    scores = rs.evaluate(qrels, named, MEASURES)
    return {
        "an evaluator": lambda i: evaluator(runs[i % 3]),
        "evaluate, another cutoff": lambda i: rs.evaluate(qrels, runs[i % 3], [f"nDCG@{i + 1}"]),
        "evaluate files": lambda i: rs.evaluate(folder / "qrels", folder / "run", MEASURES),
        "compare": lambda i: rs.compare(scores, "AP", test="permutation", n_resamples=50, rng=i),
        "fuse": lambda i: rs.fusion.fuse(named, "rrf", k=i + 1),
        "consensus": lambda i: rs.consensus.merge_rankings([["a", "b", "c"], ["b", "a", "c"]], n_resamples=20, rng=i),
        "a file that cannot be read": lambda i: refused(folder / "qrels"),
    }


def refused(path: Path) -> None:
    with pytest.raises(rs.InputError):
        rs.evaluate(path, path, ["AP"])


NAMES = [
    "an evaluator", "evaluate, another cutoff", "evaluate files", "compare", "fuse", "consensus",
    "a file that cannot be read",
]  # fmt: skip


def soak(folder: Path, what: str, times: int, room: float) -> None:
    """Half of the calls, then the other half: what the process holds is no more than `room` MB larger."""
    call = ways(folder)[what]
    for i in range(times // 2):
        call(i)
    before = held(folder)
    for i in range(times // 2, times):
        call(i)
    after = held(folder)
    # Fewer there may be: what other tests began in this process can end now.
    assert all(now <= then for now, then in zip(after.others, before.others, strict=True)), (before, after)
    assert after.memory - before.memory < room, f"{before.memory:.1f} MB, then {after.memory:.1f} MB"


@pytest.mark.parametrize("what", NAMES)
def test_some_calls_leave_nothing_behind(tmp_path: Path, what: str) -> None:
    soak(tmp_path, what, 24, room=16)


@pytest.mark.slow
@pytest.mark.parametrize("what", NAMES)
def test_thousands_of_calls_leave_nothing_behind(tmp_path: Path, what: str) -> None:
    soak(tmp_path, what, 10_000 if "eval" in what else 1_000, room=8)


def test_what_python_holds_stays_as_it_was(tmp_path: Path) -> None:
    """By what Python itself says it holds, which does not depend on how the system gives memory back."""
    call = ways(tmp_path)["an evaluator"]
    for i in range(20):
        call(i)
    tracemalloc.start()
    try:
        for i in range(20):
            call(i)
        gc.collect()
        first = tracemalloc.get_traced_memory()[0]
        for i in range(60):
            call(i)
        gc.collect()
        assert tracemalloc.get_traced_memory()[0] - first < 20_000
    finally:
        tracemalloc.stop()
