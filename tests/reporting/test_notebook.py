"""What a notebook shows of results and pages."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

import pytest

import rankscope as rs
from rankscope.data.section import Figure, Section, Table
from rankscope.reporting import notebook
from rankscope.reporting.page import Page

QRELS = {f"q{i}": {"a": 1} for i in range(6)}
GOOD = rs.Run({q: {"a": 2.0, "b": 1.0} for q in QRELS}, name="<good>")
POOR = rs.Run({q: {"a": 1.0, "b": 2.0 * (i % 2)} for i, q in enumerate(QRELS)}, name="poor")


class Tags(HTMLParser):
    """Counts tags, and notices those that are not closed."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.counts: dict[str, int] = {}
        self.open: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.counts[tag] = self.counts.get(tag, 0) + 1
        if tag not in ("path", "rect", "line", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self.open:
            assert self.open.pop() == tag


@pytest.fixture(scope="module")
def scores() -> rs.Scores:
    return rs.evaluate(QRELS, [GOOD, POOR], ["RR", "P@1"])


def test_scores_show_their_table_with_names_as_text(scores: rs.Scores) -> None:
    html = scores._repr_html_()
    tags = Tags(html)
    assert not tags.open
    assert tags.counts["table"] == 1
    assert tags.counts["tr"] == 3
    assert "&lt;good&gt;" in html
    assert re.search(r"0\.75\d*", html)


def test_a_comparison_shows_sentences_and_its_signature(scores: rs.Scores) -> None:
    result = rs.compare(scores, "RR")
    html = result._repr_html_()
    assert not Tags(html).open
    assert result.signature() in html
    open_tables = sum(section.table is not None and not section.folded for section in result.sections())
    assert html.count("<table>") == open_tables > 0


def test_a_section_shows_itself_alone_folded_or_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notebook, "draw", lambda figure: [f"<svg>{figure.name}</svg>"])
    table = Table(columns=("system", "mean"), rows=(("<good>", "0.5"),))
    section = Section(title="A & B", sentence="A < B.", table=table, figure=Figure("power_curve", {}), notes=("few",))
    html = section._repr_html_()
    assert not Tags(html).open
    order = ["<h4>A &amp; B</h4>", "<p>A &lt; B.</p>", "<svg>power_curve</svg>", "&lt;good&gt;", "few"]
    assert sorted(order, key=html.index) == order
    assert Section(title="", folded=True, sentence="Hidden.")._repr_html_() == "<div>\n<p>Hidden.</p>\n</div>"


def test_the_first_figure_is_drawn_where_altair_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    figure = Figure("power_curve", {})
    monkeypatch.setattr("rankscope.reporting.page.draw", lambda figure: rs.reporting.page.FigureHtml("<svg></svg>"))
    monkeypatch.setattr(notebook, "find_spec", lambda name: object())
    assert notebook.draw(figure) == ["<svg></svg>"]
    monkeypatch.setattr(notebook, "find_spec", lambda name: None)
    assert notebook.draw(figure) == []


def test_a_long_table_is_cut_and_says_so() -> None:
    table = Table(columns=("n",), rows=tuple((str(i),) for i in range(notebook.MAX_ROWS + 5)))
    html = notebook.table_html(Section(title="", table=table).table)  # type: ignore[arg-type]
    assert html.count("<tr>") == notebook.MAX_ROWS + 1
    assert "5 more rows" in html


def test_a_page_shows_itself_in_a_frame_and_is_short_in_a_terminal() -> None:
    page = Page('<p title="x">&amp;</p>')
    assert repr(page) == "Page(22 characters)"
    assert page._repr_html_().count("<p") == 0
    assert "&lt;p title=&quot;x&quot;&gt;&amp;amp;" in page._repr_html_()


def test_a_result_draws_its_figures_by_name() -> None:
    pytest.importorskip("altair")
    comparison = rs.compare(rs.evaluate(QRELS, [GOOD, POOR], ["RR", "P@1"]), "RR")
    figures = [section.figure.name for section in comparison.sections() if section.figure is not None]
    chart = comparison.plot()
    assert chart.to_dict() == comparison.plot(figures[0]).to_dict()
    with pytest.raises(rs.UnknownName) as refusal:
        comparison.plot("no such figure")
    assert all(name in str(refusal.value) for name in figures)


def test_a_result_without_figures_says_so() -> None:
    with pytest.raises(rs.ParameterError, match="has no figure"):
        rs.evaluate(QRELS, [GOOD], "RR").plot()


def test_a_result_goes_to_pandas_and_to_arrow_as_its_frame() -> None:
    pandas, arrow = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    scores = rs.evaluate(QRELS, [GOOD, POOR], ["RR", "P@1"])
    table = scores.to_pandas()
    assert isinstance(table, pandas.DataFrame)
    assert list(table.columns) == scores.frame().columns
    assert [tuple(row) for row in table.itertuples(index=False)] == scores.frame().rows()
    assert arrow.table(scores).to_pylist() == scores.frame().to_dicts()
