"""`--queries` and `--cluster-by` in plans, studies, agreement, estimates with a machine and leaderboards: the commands
give what Python gives.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.messages import mentions
from helpers.same import assert_same_numbers

import rankscope as rs
from rankscope.demo.collection import SEED, collection_files, judge_files

RUNS = ("bm25.run", "dense.run", "rerank.run")
TABLE = ("--queries", "talks.csv", "--cluster-by", "talk")
QUERIES = {"queries": "talks.csv", "cluster_by": "talk"}
MEASURES = ("-m", "AP", "-m", "P@10")


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    collection = {**collection_files(SEED), **judge_files(SEED)}
    lines = [f"{query},t{(query - 101) // 2}" for query in range(101, 151)]
    half = [line for line in collection["demo.qrels"].splitlines() if (int(line.split()[0]) - 101) // 2 % 2]
    return {**collection, "talks.csv": "\n".join(["query,talk", *lines]) + "\n", "half.qrels": "\n".join(half) + "\n"}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, texts: dict[str, str]) -> None:
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)


def rows(done: Any) -> list[dict[str, str]]:
    assert done.code == 0, done.err
    return list(csv.DictReader(io.StringIO(done.out)))


def check_same(found: list[dict[str, str]], result: Any) -> None:
    """Each cell is that of the tidy table; empty where there is none."""
    expected = result.frame().to_dicts()
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert list(one) == list(other)
        for name, value in other.items():
            if isinstance(value, float):
                assert_same_numbers(float(one[name]), value)
            else:
                assert one[name] == ("" if value is None else str(value))


def scores() -> rs.Scores:
    return rs.evaluate("demo.qrels", list(RUNS), ["AP", "P@10"]).with_queries("talks.csv", cluster_by="talk")


def test_plan(cli: Callable[..., Any]) -> None:
    command = ("plan", "demo.qrels", *RUNS, *MEASURES, *TABLE, "--difference", "0.05")
    result = rs.plan(scores(), difference=0.05)
    check_same(rows(cli(*command, "--format", "csv")), result)
    shown = cli(*command).out
    assert mentions(shown, "50 queries in 25 clusters", "clusters:25", "25 clusters of 2 queries")
    at_hand = cli(*command, "--at-hand", "20").out
    assert mentions(at_hand, "20 queries in 10 clusters")


def test_stability(cli: Callable[..., Any]) -> None:
    command = ("stability", "demo.qrels", *RUNS, *MEASURES, *TABLE, "--iterations", "4", "--resamples", "30")
    found = rows(cli(*command, "--set-size", "8", "--seed", "3", "--format", "csv"))
    asked = {"iterations": 4, "n_resamples": 30, "set_size": 8, "rng": 3}
    result = rs.stability.study("demo.qrels", list(RUNS), ["AP", "P@10"], queries=QUERIES, **asked)
    check_same(found, result)
    assert {row["entities"] for row in found} == {"24"}  # three sets of 8 of 25 clusters
    by_regex = cli("stability", "demo.qrels", *RUNS, "-m", "AP", "--cluster-by", "^...$|^1.", "--iterations", "2")
    assert by_regex.code == 0, by_regex.err


def test_stability_of_a_file_of_scores(cli: Callable[..., Any]) -> None:
    cli("evaluate", "demo.qrels", *RUNS, *MEASURES, *TABLE, "--save", "scores.parquet")
    asked = ("--iterations", "4", "--resamples", "30", "--seed", "3", "--format", "csv")
    saved = rows(cli("stability", "scores.parquet", *asked))
    named = rows(cli("stability", "scores.parquet", *TABLE, *asked))
    assert saved == named
    check_same(saved, rs.stability.study(scores(), iterations=4, n_resamples=30, rng=3))


def test_agree_measures(cli: Callable[..., Any]) -> None:
    command = ("agree", "measures", "demo.qrels", *RUNS, *MEASURES, "--by", "queries", "--resamples", "50")
    result = rs.agree_measures(scores(), by="queries", n_resamples=50, rng=2)
    check_same(rows(cli(*command, *TABLE, "--seed", "2", "--format", "csv")), result)
    assert mentions(cli(*command, *TABLE).out, "25 clusters of 2 queries", "clusters:25")


def test_agree_judgments(cli: Callable[..., Any]) -> None:
    command = ("agree", "judgments", "demo.qrels", "demo-judge.qrels", *RUNS, "-m", "AP", *TABLE, "--resamples", "50")
    result = rs.agree_judgments(
        "demo.qrels", "demo-judge.qrels", list(RUNS), "AP", queries=QUERIES, n_resamples=50, rng=0
    )
    check_same(rows(cli(*command, "--format", "csv")), result)
    assert mentions(cli(*command).out, "cluster of queries", "clusters:25")


def test_estimates_with_a_machine(cli: Callable[..., Any]) -> None:
    machine = ("--machine", "demo-judge.qrels", "-m", "AP")
    command = ("half.qrels", *RUNS, *machine, *TABLE)
    result = rs.judging.estimate("half.qrels", list(RUNS), "demo-judge.qrels", "AP", queries=QUERIES)
    check_same(rows(cli("evaluate", *command, "--format", "csv")), result)
    plan = rs.judging.plan_judgments("half.qrels", list(RUNS), "demo-judge.qrels", "AP", width=0.1, queries=QUERIES)
    found = rows(cli("plan", *command, "--width", "0.1", "--format", "csv"))
    check_same(found, plan)
    assert all(int(row["n_queries"]) == 2 * int(row["n_clusters"]) for row in found if row["n_queries"])
    report = cli("report", *command, "--no-figures", "-o", "-")
    assert report.code == 0, report.err
    assert mentions(report.out, "25 clusters of 2 queries", "people judged 12 clusters", "clusters:12")


def test_leaderboard(cli: Callable[..., Any]) -> None:
    cli("evaluate", "demo.qrels", *RUNS, "-m", "AP", "--save", "plain.parquet")
    cli("evaluate", "demo.qrels", *RUNS, "-m", "AP", *TABLE, "--save", "clustered.parquet")
    asked = ("-m", "AP", "--resamples", "40", "--format", "csv")
    named = rows(cli("leaderboard", "plain.parquet", "--cluster-by", "^10|^1.", *asked))
    check_same(
        named,
        rs.leaderboard(rs.read_scores("plain.parquet"), measure="AP", cluster_by="^10|^1.", n_resamples=40, rng=0),
    )
    kept = rows(cli("leaderboard", "clustered.parquet", *asked))
    check_same(kept, rs.leaderboard(rs.read_scores("clustered.parquet"), measure="AP", n_resamples=40, rng=0))
    shown = cli("leaderboard", "clustered.parquet", "-m", "AP").out
    assert mentions(shown, "clusters of comparisons (25)", "interval:bootstrap,1000,clusters")
