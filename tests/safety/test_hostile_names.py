"""Names that would be markup, code or formulas stay text: in the report, in every format of results, in figures."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import pytest

import rankscope as rs
from rankscope.data.section import Figure, Section, Table
from rankscope.reporting import figures
from rankscope.reporting.page import render_page
from rankscope.reporting.tables import render_result

#: What somebody might call a run, a query, a document, a file.
NAMES = [
    "<script>alert(1)</script>",
    "</script><script>alert(2)</script>",
    "</svg></td></table><img src=x onerror=alert(3)>",
    '" onmouseover="alert(4)',
    "' autofocus onfocus='alert(5)",
    "<!-- --><!--",
    "]]><![CDATA[",
    "&lt;b&gt;&amp;&#60;",
    "{{ 7*7 }}{% raw %}",
    "${alert(6)}`alert(7)`",
    "javascript:alert(8)",
    "datum['x'].y[0]\\'\"",
    "a\u2028b\u2029c\u202ed\ufefff",
    "a|b_*`c`\\|~[x](http://example.org)",
    "\\input{/etc/passwd}%$#_{}^~&\\\\",
    "=cmd|'/c calc'!A1",
    "+1-2@SUM(A1)",
    "<style>*{display:none}</style>",
    "<base href=//example.org>",
    "<a href='data:text/html,x'>",
]
PLAIN = [f"name{i}".ljust(len(name), "x") for i, name in enumerate(NAMES)]


class Markup(HTMLParser):
    """The elements of a page with the names of their attributes, and its text."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: Counter[tuple[str, tuple[str, ...]]] = Counter()
        self.texts: list[str] = []
        self.others: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements[tag, tuple(name for name, _ in attrs)] += 1

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def handle_comment(self, data: str) -> None:
        self.others.append(data)

    def unknown_decl(self, data: str) -> None:
        self.others.append(data)

    def handle_pi(self, data: str) -> None:
        self.others.append(data)


def markup(html: str) -> Markup:
    found = Markup()
    found.feed(html)
    found.close()
    return found


def page_of(names: list[str]) -> str:
    """A page with names in each of its places."""
    tables = [
        Section(
            title=f"title {name}",
            sentence=f"sentence {name}",
            table=Table(columns=(name, f"{name} again"), rows=((name, name), (name, 1.0)), n_name_columns=1),
            notes=(f"note {name}",),
            folded=bool(i % 2),
        )
        for i, name in enumerate(names)
    ]
    provenance = [(name, name) for name in names]
    return render_page(names[0], [f"verdict {name}" for name in names], tables, provenance, notes=names).html


def test_a_page_has_the_elements_that_it_has_with_plain_names() -> None:
    hostile, plain = markup(page_of(NAMES)), markup(page_of(PLAIN))
    assert hostile.elements == plain.elements
    assert hostile.others == plain.others
    text = " ".join(hostile.texts)
    for name in NAMES:
        if "\u2028" not in name:  # what turns or breaks text is shown as a sign
            assert name in text, name


def collection(names: list[str]) -> tuple[dict[str, dict[str, int]], list[rs.Run]]:
    """Names of documents, of queries and of runs."""
    qrels = {query: {names[(i + j) % len(names)]: j % 3 for j in range(4)} for i, query in enumerate(names)}
    runs = [
        rs.Run(
            {
                query: {names[(i + j) % len(names)]: float((3 * i + 5 * j + k) % 7) for j in range(5)}
                for i, query in enumerate(names)
            },
            name=names[k],
        )
        for k in (0, 2, 3, 15)
    ]
    return qrels, runs


@cache
def compared(hostile: bool) -> rs.Comparison:
    qrels, runs = collection(NAMES if hostile else PLAIN)
    return rs.compare(rs.evaluate(qrels, runs, ["AP", "RR"]))


@pytest.mark.slow
def test_a_report_has_the_elements_that_it_has_with_plain_names(tmp_path: Path) -> None:
    """With all its sections and figures, from files of such names."""
    found = []
    for names, title in ((NAMES, NAMES[1]), (PLAIN, "title")):
        qrels, runs = collection(names)
        page = rs.report(qrels, runs, ["nDCG@10", "AP"], title=title).html
        found.append(markup(page))
    hostile, plain = found
    kinds = [{kind for kind in one.elements if kind[0] not in ("text", "tspan", "path", "g")} for one in found]
    assert kinds[0] <= kinds[1]
    assert hostile.elements["script", ()] == plain.elements["script", ()] == 1
    assert not any(name.startswith("on") for _, names in hostile.elements for name in names)


@pytest.mark.parametrize("form", ["csv", "json", "jsonl"])
def test_tables_for_programs_hold_each_name_exactly(form: str) -> None:
    """No sign is put before a formula: a name that is changed is another system's, and programs compare names."""
    result = compared(True)
    text = render_result(result, form)
    if form == "csv":
        rows = list(csv.DictReader(io.StringIO(text)))
    elif form == "json":
        rows = json.loads(text)
    else:
        rows = [json.loads(line) for line in text.splitlines()]
    assert {row["system_a"] for row in rows} | {row["system_b"] for row in rows} == {NAMES[k] for k in (0, 2, 3, 15)}


def test_tables_of_markdown_are_of_text_alone() -> None:
    """As a reader of GitHub's form sees them: as many cells as headings, no element and no link in any."""
    markdown = pytest.importorskip("markdown_it", reason="markdown-it is not installed")
    parser = markdown.MarkdownIt("commonmark").enable("table")
    rendered = [markup(parser.render(render_result(compared(hostile), "markdown"))) for hostile in (True, False)]
    kinds = [{tag for tag, _ in one.elements} for one in rendered]
    assert kinds[0] == kinds[1]
    assert "a" not in kinds[0]
    assert "img" not in kinds[0]
    cells = [sum(n for (tag, _), n in one.elements.items() if tag in ("td", "th")) for one in rendered]
    assert cells[0] == cells[1]


def test_tables_of_latex_hold_no_command_of_a_name() -> None:
    text = render_result(compared(True), "latex")
    assert "\\input" not in text
    plain = render_result(compared(False), "latex")
    assert text.count("{") == text.count("}")
    assert text.count("\\begin{") == plain.count("\\begin{")
    assert text.count("\\\\\n") == plain.count("\\\\\n")  # as many rows


@pytest.mark.parametrize("kind", [pytest.param("html", marks=pytest.mark.slow), "specification"])
def test_a_figure_keeps_names_as_data(kind: str) -> None:
    """A name with dots, brackets and quotes is a value, and never the name of a field or part of an expression."""
    n = len(NAMES)
    drawn = {"systems": NAMES, "means": [i / n for i in range(n)], "measure": NAMES[11]}
    if kind == "html":
        found = markup(figures.as_html(Figure("leaderboard", drawn)))
        plain = markup(figures.as_html(Figure("leaderboard", {**drawn, "systems": PLAIN, "measure": "AP"})))
        assert found.elements == plain.elements
        return
    specification = figures.specification(Figure("leaderboard", drawn))
    for place, value in leaves(specification):
        if isinstance(value, str) and any(name in value for name in NAMES):
            assert not {"expr", "field", "test", "calculate", "filter", "signal", "href", "url"} & set(place), place


def leaves(value: object, place: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], object]]:
    """All values of a specification, and the names that lead to each."""
    if isinstance(value, dict):
        return [leaf for key, one in value.items() for leaf in leaves(one, (*place, key))]
    if isinstance(value, list):
        return [leaf for one in value for leaf in leaves(one, place)]
    return [(place, value)]
