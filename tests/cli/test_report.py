"""`rankscope report` and `--plot`, as a user calls them."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.messages import mentions

from rankscope.demo.collection import write_collection


@pytest.fixture
def demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_collection(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_page_is_written_where_it_was_asked_for(cli: Callable[..., Any], demo: Path) -> None:
    done = cli("report", "demo.qrels", "bm25.run", "rerank.run", "-m", "AP", "--no-figures", "--title", "Two runs")
    assert (done.code, done.err, done.out.count("\n")) == (0, "", 1)
    assert mentions(done.out, "report.html")
    html = (demo / "report.html").read_text("utf-8")
    assert "Two runs" in re.search(r"<h1.*?</h1>", html, re.DOTALL)[0]
    assert "rerank is better" in html


def test_only_a_page_of_ours_is_written_over_unless_it_is_named(cli: Callable[..., Any], demo: Path) -> None:
    call = ("report", "demo.qrels", "bm25.run", "-m", "AP", "--no-figures")
    assert (cli(*call).code, cli(*call).code) == (0, 0)  # again: it is ours
    (demo / "report.html").write_text("<title>mine</title>")
    done = cli(*call)
    assert (done.code, done.out) == (2, "")
    assert mentions(done.err, "report.html: ", "not written by rankscope", "-o")
    assert (demo / "report.html").read_text() == "<title>mine</title>"
    assert cli(*call, "-o", "report.html").code == 0
    assert "<title>bm25 on demo.qrels</title>" in (demo / "report.html").read_text("utf-8")


def test_a_page_on_standard_output_is_nothing_but_the_page(cli: Callable[..., Any], demo: Path) -> None:
    done = cli("report", "demo.qrels", "bm25.run", "rerank.run", "-m", "AP", "--no-figures", "-o", "-")
    assert done.out.lower().startswith("<!doctype html>")
    assert done.out.endswith("</html>\n")
    assert not (demo / "report.html").exists()


def test_a_baseline_may_be_named_by_its_file(cli: Callable[..., Any], demo: Path) -> None:
    cli("report", "demo.qrels", "bm25.run", "rerank.run", "-m", "AP", "--no-figures", "--baseline", "bm25.run")
    cells = re.findall(r"<td[^>]*>(?:<bdi[^>]*>)?([^<]+)", (demo / "report.html").read_text("utf-8"))
    assert "baseline" in cells


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("demo.qrels",), "Missing argument 'RUN...'"),
        (("demo.qrels", "bm25.run", "-m", "APP"), "did you mean AP?"),
        (("demo.qrels", "bm25.run", "dense.run", "--baseline", "zzz"), "unknown system of these scores 'zzz'"),
        (("demo.qrels", "bm25.run", "dense.run", "--alpha", "5"), "Invalid value for '--alpha': 5.0"),
        (("demo.qrels", "bm25.run", "nowhere.run"), "nowhere.run: no such file"),
        (("demo.qrels", "bm25.run", "dense.run", "-o", "no/such/folder/r.html"), "no/such/folder"),
        (("demo.qrels", "bm25.run", "dense.run", "-o", "bm25.run"), "bm25.run"),
        (
            ("demo.qrels", "bm25.run", "dense.run", "-o", "page.pdf"),
            "page.pdf: the page is HTML; end its name in .html",
        ),
        (
            ("demo.qrels", "bm25.run", "dense.run", "--unjudged", "bounds", "--ties", "average"),
            "one order of each list",
        ),
    ],
)
def test_what_is_wrong_is_one_line_with_exit_code_2(
    cli: Callable[..., Any], demo: Path, arguments: tuple[str, ...], says: str
) -> None:
    before = {path.name: path.read_bytes() for path in demo.iterdir()}
    done = cli("report", *arguments, "--no-figures")
    assert done.code == 2
    assert done.out == ""
    assert done.err.count("\n") == 1
    assert says in done.err
    assert {path.name: path.read_bytes() for path in demo.iterdir()} == before


def test_without_the_extra_the_line_says_what_to_install(
    cli: Callable[..., Any], demo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "altair", None)
    done = cli("report", "demo.qrels", "bm25.run", "rerank.run")
    assert done.code == 2
    assert "pip install 'rankscope[report]'" in done.err
    done = cli("compare", "demo.qrels", "bm25.run", "rerank.run", "--plot", "x.svg")
    assert (done.code, done.out) == (2, "")
    assert "pip install 'rankscope[report]'" in done.err


# --plot


@pytest.mark.parametrize(
    "command",
    [
        ("compare", "demo.qrels", "bm25.run", "rerank.run", "-m", "AP"),
        ("gate", "demo.qrels", "rerank.run", "bm25.run", "-m", "AP", "--margin", "0.9"),
        ("plan", "demo.qrels", "bm25.run", "rerank.run", "-m", "AP", "--difference", "0.05"),
        ("agree", "measures", "demo.qrels", "bm25.run", "rerank.run", "dense.run", "-m", "AP", "-m", "RR"),
        ("agree", "judgments", "demo.qrels", "other.qrels"),
    ],
)
def test_each_result_draws_its_figure(cli: Callable[..., Any], demo: Path, command: tuple[str, ...]) -> None:
    lines = (demo / "demo.qrels").read_text().splitlines()
    (demo / "other.qrels").write_text("\n".join(line[:-1] + str((int(line[-1]) + 1) % 3) for line in lines) + "\n")
    plain = cli(*command)
    done = cli(*command, "--plot", "figure.svg")
    assert (done.code, done.err) == (plain.code, "")
    assert done.out == plain.out
    assert (demo / "figure.svg").read_text("utf-8").startswith("<svg")


def test_a_figure_that_is_not_there_is_refused_and_nothing_is_written(cli: Callable[..., Any], demo: Path) -> None:
    compare = ("compare", "demo.qrels", "bm25.run", "rerank.run", "-m", "AP")
    for arguments, says in (
        (("--plot", "x.svg", "--figure", "leaderbord"), "did you mean leaderboard?"),
        (("--figure", "leaderboard"), "needs --plot"),
        (("--plot", "x.bmp"), ".svg, .pdf, .png, .html or .json"),
        (("--plot", "bm25.run"), "expected .svg"),
    ):
        done = cli(*compare, *arguments)
        assert (done.code, done.out) == (2, "")
        assert says in done.err
    assert not (demo / "x.svg").exists()
