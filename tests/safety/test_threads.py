"""Many threads on one Evaluator, one Qrels, one set of scores: each finds what one thread finds, bit for bit."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import numpy as np
import pytest
from helpers.same import assert_same_bits

import rankscope as rs

MEASURES = ["nDCG@10", "AP", "RR", "RBP(p=0.8)", "ERR@20", "Bpref", "Judged@10", "nDCG(gain='exp')", "infAP", "Compat"]
THREADS = 8


@pytest.fixture(autouse=True)
def changing_often() -> Iterator[None]:
    """Threads take turns a thousand times as often as they do, so that they meet."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(5e-6)
    yield
    sys.setswitchinterval(before)


def collection() -> tuple[dict[str, dict[str, int]], list[rs.Run]]:
    rng = np.random.default_rng(3)
    qrels = {f"q{i}": {f"d{j}": int(g) for j, g in enumerate(rng.integers(-1, 4, 12))} for i in range(8)}
    runs = [
        rs.Run({q: {f"d{j}": float(s) for j, s in enumerate(rng.integers(0, 9, 20))} for q in qrels}, name=f"r{i}")
        for i in range(THREADS)
    ]
    return qrels, runs


def together(work: Callable[[int], bytes]) -> list[bytes]:
    """What each of so many threads finds, all of which begin at once."""
    start = Barrier(THREADS)

    def begin(i: int) -> bytes:
        start.wait(60)
        return work(i)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(begin, range(THREADS)))


def text_of(frame: Any) -> bytes:
    return frame.write_csv().encode()


def check(make: Callable[[], Callable[[int], bytes]], times: int) -> None:
    """make: gives the work on new objects, of which nothing was computed yet."""
    alone = make()
    expected = [alone(i) for i in range(THREADS)]
    for _ in range(times):
        assert_same_bits(together(make()), expected)


def one_evaluator() -> Callable[[int], bytes]:
    qrels, runs = collection()
    evaluator = rs.Evaluator(qrels, MEASURES)
    return lambda i: evaluator(runs[i]).values.tobytes()


def one_evaluator_of_dicts() -> Callable[[int], bytes]:
    qrels, _ = collection()
    evaluator = rs.Evaluator(qrels, MEASURES)
    rng = np.random.default_rng(4)
    runs = [{q: {f"d{j}": float(s) for j, s in enumerate(rng.random(20))} for q in qrels} for _ in range(THREADS)]
    return lambda i: evaluator(runs[i]).values.tobytes()


def one_qrels() -> Callable[[int], bytes]:
    given, runs = collection()
    qrels = rs.Qrels(given)
    return lambda i: rs.evaluate(qrels, runs[i], MEASURES[i % 3 :]).values.tobytes()


def one_run() -> Callable[[int], bytes]:
    qrels, runs = collection()
    return lambda i: rs.evaluate(qrels, runs[0], MEASURES).values.tobytes()


def one_set_of_scores() -> Callable[[int], bytes]:
    qrels, runs = collection()
    scores = rs.evaluate(qrels, runs, MEASURES)
    tests = ("t", "permutation", "bootstrap", "wilcoxon", "tukey", "sign", "t", "bayes-t")
    return lambda i: text_of(rs.compare(scores, "AP", test=tests[i], n_resamples=50, rng=7).frame())


def one_fusion() -> Callable[[int], bytes]:
    _, runs = collection()
    methods = ("rrf", "comb-sum", "borda", "condorcet", "comb-mnz", "isr", "comb-med", "rrf")
    return lambda i: text_of(rs.fusion.fuse(runs[:3], methods[i]).frame())


def one_consensus() -> Callable[[int], bytes]:
    votes = rs.Votes.of([["A", "B", "C", "D"], ["B", "A", "D", "C"], ["D", "C", "A", "B"]])
    methods = ("borda", "kemeny", "schulze", "copeland", "mc4", "footrule", "plackett-luce", "mallows")
    return lambda i: text_of(rs.consensus.merge_rankings(votes, methods[i], n_resamples=20, rng=7).frame())


def names_of_measures() -> Callable[[int], bytes]:
    return lambda i: " ".join(map(str, rs.parse_measures(["map", f"ndcg_cut_{i + 5}", "P@3", "RBP(p=0.7)"]))).encode()


WORK = {
    "one Evaluator": one_evaluator,
    "one Evaluator, runs as dicts": one_evaluator_of_dicts,
    "one Qrels": one_qrels,
    "one Run": one_run,
    "one set of scores": one_set_of_scores,
    "the same runs fused": one_fusion,
    "the same votes": one_consensus,
    "names of measures": names_of_measures,
}


@pytest.mark.parametrize("what", WORK)
def test_eight_threads_find_what_one_finds(what: str) -> None:
    check(WORK[what], 2)


@pytest.mark.slow
@pytest.mark.parametrize("what", WORK)
def test_eight_threads_find_what_one_finds_again_and_again(what: str) -> None:
    check(WORK[what], 100)


def test_files_read_by_eight_threads_are_those_that_one_reads(tmp_path: Path) -> None:
    qrels, runs = collection()
    lines = [f"{q} 0 {d} {g}\n" for q, found in qrels.items() for d, g in found.items()]
    (tmp_path / "qrels").write_text("".join(lines))
    for i, run in enumerate(runs):
        rows = run.frame().rows()
        (tmp_path / f"run{i}").write_text("".join(f"{q} Q0 {d} 1 {s} r\n" for q, d, s in rows))
    check(
        lambda: lambda i: rs.evaluate(tmp_path / "qrels", tmp_path / f"run{i}", MEASURES).values.tobytes(),
        2,
    )
