"""`--format html`: one page of whatever a command found."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.refusals import assert_refused

pytest.importorskip("jinja2", reason="the extra `report` is not installed: pip install 'rankscope[report]'")

VOTES = "book\tAda\tBen\tIvo\nEmma\t1\t1\t3\nKim\t2\t3\t1\nWalden\t3\t2\t2\n"


@pytest.fixture
def files(folder: Path) -> Path:
    (folder / "votes.tsv").write_text(VOTES)
    (folder / "second").write_text("1 Q0 b 1 2.5 x\n1 Q0 a 2 1.5 x\n2 Q0 a 1 9.0 x\n2 Q0 c 2 8.0 x\n")
    return folder


@pytest.mark.parametrize(
    "command",
    [
        "evaluate qrels run",
        "evaluate qrels run --by-query",
        "evaluate qrels run --conventions AP",
        "consensus votes.tsv --resamples 0",
        "consensus run second",
        "agree ranks run second",
    ],
)
def test_every_command_that_ends_in_a_result_writes_a_page(cli: Callable[..., Any], files: Path, command: str) -> None:
    done = cli(*command.split(), "--format", "html", "-o", "page.html")
    assert (done.code, done.out, done.err) == (0, "", "")
    page = (files / "page.html").read_text("utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert "Provenance" in page


def test_without_a_file_the_page_is_printed(cli: Callable[..., Any], files: Path) -> None:
    done = cli("evaluate", "qrels", "run", "--format", "html")
    assert done.code == 0
    assert done.out.startswith("<!DOCTYPE html>")


def test_a_page_is_no_pdf(cli: Callable[..., Any], files: Path) -> None:
    for command in ("evaluate qrels run", "consensus votes.tsv"):
        done = cli(*command.split(), "--format", "html", "-o", "page.pdf")
        assert_refused(done, "page.pdf: ", ".html")
        assert not (files / "page.pdf").exists()


def test_without_jinja2_it_says_what_to_install(
    cli: Callable[..., Any], files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rankscope.reporting.page import template

    template.cache_clear()
    monkeypatch.setitem(__import__("sys").modules, "jinja2", None)
    done = cli("evaluate", "no-such-file", "run", "--format", "html")
    template.cache_clear()
    assert done.code == 2
    assert_refused(done, "jinja2", "pip install 'rankscope[report]'")
