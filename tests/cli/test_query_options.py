"""`--queries`, `--group`, `--group-by`, `--cluster-by`, `--weight`: in evaluate, compare, the gate and reports."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.messages import mentions
from helpers.same import assert_same_numbers

import rankscope as rs
from rankscope.demo.collection import SEED, collection_files
from rankscope.demo.queries import query_files

TABLE = ("--queries", "demo-queries.csv")
NDCG = ("-m", "nDCG@10")


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    return {**collection_files(SEED), **query_files(SEED)}


@pytest.fixture
def demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, texts: dict[str, str]) -> Path:
    """The working folder, with the demo's collection and its table of queries."""
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def rows(done: Any) -> list[dict[str, str]]:
    assert done.code == 0, done.err
    return list(csv.DictReader(io.StringIO(done.out)))


def in_python(*systems: str, **options: Any) -> rs.Scores:
    return rs.evaluate("demo.qrels", [f"{name}.run" for name in systems], ["nDCG@10"]).with_queries(
        "demo-queries.csv", **options
    )


def test_evaluate_has_a_row_for_each_group_and_weighted_means(cli: Callable[..., Any], demo: Path) -> None:
    found = rows(cli("evaluate", "demo.qrels", "bm25.run", "dense.run", *NDCG, *TABLE, "--format", "csv"))
    expected = in_python("bm25", "dense")
    assert [(row["system"], row["group"], float(row["value"])) for row in found] == [
        (row.system, row.group, row.value)  # type: ignore[union-attr]
        for row in expected.records()
    ]
    shown = cli("evaluate", "demo.qrels", "bm25.run", "dense.run", *NDCG, *TABLE).out
    assert shown == f"{expected}\n"


def test_evaluate_by_query_and_saved_scores_keep_what_is_known(cli: Callable[..., Any], demo: Path) -> None:
    done = cli(
        "evaluate", "demo.qrels", "bm25.run", *NDCG, *TABLE, "--by-query", "--format", "json", "--save", "s.parquet"
    )
    records = json.loads(done.out)
    assert [record["group"] for record in records[-3:]] == ["head", "tail", "all"]
    assert len(records) == 53
    saved = rs.read_scores("s.parquet")
    assert set(saved.query_columns) == {"group", "cluster", "weight"}
    assert {"groups:2", "clusters:15"} < set(saved.signature().split(" | "))


def test_evaluate_of_text_files_without_options_of_queries_loads_nothing_more(demo: Path) -> None:
    script = (
        "import sys; from rankscope.cli.main import main\n"
        "try: main(sys.argv[1:])\n"
        "finally: print(*sorted(m for m in sys.modules if m.startswith('rankscope.')), file=sys.stderr)"
    )
    command = [sys.executable, "-c", script, "evaluate", "demo.qrels", "bm25.run"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "rankscope.evaluation.query_settings" in done.stderr.split()
    assert "rankscope.evaluation.query_table" not in done.stderr.split()
    statistics = {name for name in done.stderr.split() if name.startswith("rankscope.stats.")}
    assert statistics == {"rankscope.stats.prediction_choices"}


def test_compare_by_group_is_that_of_python(cli: Callable[..., Any], demo: Path) -> None:
    found = rows(cli("compare", "demo.qrels", "bm25-rm3.run", "bm25.run", *NDCG, *TABLE, "--format", "csv"))
    expected = rs.compare(in_python("bm25-rm3", "bm25")).frame().to_dicts()
    assert [row["group"] for row in found] == ["head", "tail", "all"]
    for row, other in zip(found, expected, strict=True):
        assert_same_numbers(
            [float(row[name]) for name in ("difference", "pvalue")], [other["difference"], other["pvalue"]]
        )


def test_groups_and_clusters_come_from_ids_too(cli: Callable[..., Any], demo: Path) -> None:
    options = ("--group-by", "[0-4]$|[5-9]$", "--cluster-by", "^(..)")
    done = cli("compare", "demo.qrels", "bm25-rm3.run", "bm25.run", *NDCG, *options)
    assert "clusters:6" in done.out
    assert "groups:10" in done.out


def test_the_demo_shows_what_its_page_says(demo: Path) -> None:
    """The expanded queries help the head and hurt the tail, and wordings of one need are alike."""
    result = rs.compare(in_python("bm25-rm3", "bm25"))["nDCG@10"]
    assert (result.groups["head"].decisions[0], result.turns["tail"][0]) == (1, True)
    assert result.interaction is not None
    assert result.interaction.test.pvalue[0] < 0.01


def test_the_gate_by_group_has_its_exit_code(cli: Callable[..., Any], demo: Path) -> None:
    gate = ("gate", "demo.qrels", "bm25.run", "bm25-rm3.run", *NDCG, *TABLE, "--margin", "0.02")
    assert cli(*gate).code == 0
    done = cli(*gate, "--by-group", "0.02")
    assert done.code == 4
    assert mentions(done.out.splitlines(), "tail", "undecided")
    done = cli(*gate, "--by-group", "0.02", "--format", "csv")
    assert [row["group"] for row in csv.DictReader(io.StringIO(done.out))] == ["head", "tail", "all"]


def test_a_baseline_that_was_saved_with_groups_needs_no_table(cli: Callable[..., Any], demo: Path) -> None:
    cli("evaluate", "demo.qrels", "bm25.run", *NDCG, *TABLE, "--save", "old.parquet")
    options = ("gate", "demo.qrels", "old.parquet", "bm25-rm3.run", "--margin", "0.02", "--by-group", "0.02")
    found = cli(*options)
    assert found.code == 4
    assert "clusters:15" in found.out
    (demo / "other.csv").write_text((demo / "demo-queries.csv").read_text().replace("head", "top"))
    done = cli(*options, "--queries", "other.csv")
    assert done.code == 2
    assert mentions(done.err, "group", "101", "'top'", "'head'")


def test_a_report_has_groups_and_names_the_table(cli: Callable[..., Any], demo: Path) -> None:
    pytest.importorskip("jinja2", reason="the extra `report` is not installed: pip install 'rankscope[report]'")
    done = cli(
        "report", "demo.qrels", "bm25-rm3.run", "bm25.run", *NDCG, "-m", "AP", *TABLE, "--no-figures", "-o", "r.html"
    )
    assert done.code == 0, done.err
    html = (demo / "r.html").read_text("utf-8")
    assert html.count("by group") >= 2
    assert "demo-queries.csv, SHA-256" in html
    assert mentions(html, "15 clusters")
    page = rs.report(
        "demo.qrels",
        ["bm25-rm3.run", "bm25.run"],
        ["nDCG@10", "AP"],
        queries={"queries": "demo-queries.csv"},
        figures=False,
    )
    assert "nDCG@10 by group" in page.html


def test_a_report_of_one_system_has_its_means_by_group(cli: Callable[..., Any], demo: Path) -> None:
    pytest.importorskip("jinja2", reason="the extra `report` is not installed: pip install 'rankscope[report]'")
    page = rs.report("demo.qrels", "bm25.run", ["nDCG@10"], queries={"queries": "demo-queries.csv"}, figures=False)
    assert f"{in_python('bm25').overall('nDCG@10', group='tail'):.4f}" in page.html


def test_a_report_of_scores_takes_what_is_known_of_queries(cli: Callable[..., Any], demo: Path) -> None:
    pytest.importorskip("jinja2", reason="the extra `report` is not installed: pip install 'rankscope[report]'")
    scores = rs.evaluate("demo.qrels", ["bm25.run", "dense.run"], ["nDCG@10"])
    page = rs.report(scores, queries={"cluster_by": "^.."}, figures=False)
    assert "clusters:6" in page.html
    scores.frame().write_csv("scores.csv")
    done = cli("report", "scores.csv", *TABLE, "--no-figures", "-o", "r.html")
    assert done.code == 0, done.err
    assert "demo-queries.csv, SHA-256" in (demo / "r.html").read_text("utf-8")


def test_an_unknown_argument_of_queries_is_named(demo: Path) -> None:
    with pytest.raises(rs.UnknownName, match="'clusters'"):
        rs.report("demo.qrels", "bm25.run", queries={"clusters": "x"})
