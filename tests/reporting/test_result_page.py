"""Any result as one page: what stands on it, and what it is called."""

from __future__ import annotations

import html
from dataclasses import replace

import pytest

import rankscope as rs
from rankscope.data.scores import EachQuery
from rankscope.reporting.page import FigureHtml, result_page

pytest.importorskip("jinja2", reason="the extra `report` is not installed: pip install 'rankscope[report]'")

VOTES = {"x": ["A", "B", "C"], "y": ["A", "C"], "z": ["B", "A", "C"]}
FOUND = rs.consensus.merge_rankings(VOTES, n_resamples=50, rng=1)


def test_sections_notes_signature_and_command_are_there() -> None:
    text = html.unescape(result_page(FOUND, command="rankscope consensus votes.json", figures=None).html)
    for section in FOUND.sections():
        assert section.title in text
        assert section.table is None or all(str(cell) in text for row in section.table.rows for cell in row)
    assert FOUND.signature() in text
    assert "rankscope consensus votes.json" in text
    assert all(note in text for note in FOUND.notes)


def test_it_is_called_after_its_first_section_unless_somebody_says() -> None:
    assert "<title>Consensus</title>" in result_page(FOUND, figures=None).html
    assert "<title>Books &amp; readers</title>" in result_page(FOUND, title="Books & readers", figures=None).html


def test_a_table_without_a_title_is_called_by_what_the_result_holds() -> None:
    scores = rs.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, ["RR"])
    assert not scores.sections()[0].title
    for result in (scores, EachQuery(scores)):
        assert "<title>1 system, 1 measure, 1 query</title>" in result_page(result).html


def test_figures_are_drawn_by_what_is_given() -> None:
    page = result_page(FOUND, figures=lambda figure: FigureHtml("<svg viewBox='0 0 1 1'/>", f"drawn {figure.name}"))
    assert "drawn rank_intervals" in page.html
    assert "drawn" not in result_page(replace(FOUND, n_resamples=0), figures=lambda _: FigureHtml("", "drawn")).html


def test_the_same_result_gives_the_same_page() -> None:
    assert result_page(FOUND, figures=None) == result_page(FOUND, figures=None)
