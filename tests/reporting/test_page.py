"""The page, read as text: nothing that is data becomes markup, nothing is loaded, all is where it should be."""

from __future__ import annotations

import base64
import hashlib
import re
import sys
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from helpers import figure_examples
from helpers.messages import mentions
from helpers.sample_page import LONG, QUOTES, SCRIPT, UNREADABLE, sample_page, stand_in

from rankscope.data.section import Figure, Marked, Section, Table
from rankscope.errors import OutputError, ParameterError
from rankscope.reporting._svg import inline_svg
from rankscope.reporting.page import MAX_NAMES, MAX_ROWS, draw, is_page, render_page, with_unbroken_values


class Reader(HTMLParser):
    """All tags with their attributes, and all text outside style and script."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.inside: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag in ("style", "script"):
            self.inside.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self.inside and self.inside[-1] == tag:
            self.inside.pop()

    def handle_data(self, data: str) -> None:
        if not self.inside and data.strip():
            self.texts.append(data.strip())

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


@pytest.fixture(scope="module")
def page() -> Reader:
    return Reader(sample_page().html)


def test_names_from_files_are_text_wherever_they_stand(page: Reader) -> None:
    assert SCRIPT in page.texts
    assert QUOTES in page.texts
    assert len(page.of("script")) == 1  # the page's own
    assert page.of("b") == []
    assert not any(name.startswith("on") for _, attributes in page.tags for name in attributes)


def test_a_long_name_is_there_in_full_and_may_be_broken(page: Reader) -> None:
    assert LONG in page.texts
    assert any("long" in (attributes.get("class") or "") for attributes in page.of("th"))


def test_bytes_that_are_no_utf_8_and_turned_text_are_shown_as_signs() -> None:
    html = sample_page().html
    assert UNREADABLE not in html
    assert "caf\ufffd-run" in html
    assert "\u202e" not in html
    html.encode("utf-8")


def test_nothing_is_loaded_from_anywhere(page: Reader) -> None:
    for _, attributes in page.tags:
        assert "src" not in attributes
        assert "srcset" not in attributes
        href = attributes.get("href") or attributes.get("xlink:href")
        assert href is None or href.startswith("#")
    html = sample_page().html
    assert "@import" not in html
    assert not re.search(r"url\((?!#)", html)


def test_its_policy_allows_its_styles_and_its_one_script_only(page: Reader) -> None:
    html = sample_page().html
    (policy,) = (m["content"] for m in page.of("meta") if m.get("http-equiv") == "Content-Security-Policy")
    (script,) = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert policy is not None
    assert "default-src 'none'" in policy
    assert f"script-src 'sha256-{digest}'" in policy


def test_headings_tables_and_figures_are_marked_for_those_who_hear_the_page(page: Reader) -> None:
    assert page.of("html") == [{"lang": "en"}]
    headings = [tag for tag, _ in page.tags if re.fullmatch(r"h[1-6]", tag)]
    assert headings.count("h1") == 1
    assert headings[0] == "h1"
    assert set(headings) == {"h1", "h2", "h3"}
    assert headings.index("h3") > headings.index("h2")
    assert len(page.of("caption")) == len(page.of("table"))
    assert all(th.get("scope") in ("row", "col") for th in page.of("th"))
    assert all(svg.get("role") == "img" and svg.get("aria-label") for svg in page.of("svg"))
    for region in (d for d in page.of("div") if d.get("role") == "region"):
        assert region["tabindex"] == "0"
        assert region["aria-label"]


def test_the_appendix_is_folded_once_after_all_other_parts_and_its_headings_are_below_its_own() -> None:
    html = sample_page().html
    before, _, rest = html.partition('<section class="appendix"')
    appendix, _, after = rest.partition('<section class="provenance"')
    assert (appendix.count("<h3"), appendix.count("<h2"), before.count("<h3")) == (2, 1, 0)
    assert appendix.count("<summary>") == 1
    assert appendix.index("<summary>Show the appendix") < appendix.index("<h3")
    assert "<h2" in after
    assert 'href="#appendix"' in before
    without = render_page("t", [], [Section(title="One", sentence="It is.")], [], date="5 May 2026").html
    assert "ppendix</" not in without
    assert '<p class="date">5 May 2026</p>' in without


def test_every_link_of_the_contents_leads_to_a_section(page: Reader) -> None:
    ids = {attributes["id"] for _, attributes in page.tags if attributes.get("id")}
    links = [a["href"] for a in page.of("a")]
    assert len(links) > 5
    assert all(link is not None and link[1:] in ids for link in links)
    assert len(ids) == len([1 for _, attributes in page.tags if attributes.get("id")])


def test_the_same_input_gives_the_same_bytes() -> None:
    assert sample_page().html == sample_page().html


def test_a_long_table_is_cut_and_says_so() -> None:
    table = Table(columns=("system", "AP"), rows=tuple((f"s{i}", "0.5") for i in range(MAX_ROWS + 250)))
    html = render_page("t", [], [Section(title="All", table=table)], []).html
    assert html.count("<tr>") == 1 + MAX_ROWS
    assert mentions(html, "1,000 of 1,250 rows", 250)


def test_raised_marks_and_bold_cells_are_kept() -> None:
    table = Table(columns=("system", "AP"), rows=(("a", Marked("0.5", bold=True, raised="b")), ("b", "0.4")))
    html = render_page("t", [], [Section(title="All", table=table)], []).html
    assert re.search(r"<strong><bdi>0\.5</bdi></strong><sup[^>]*>b</sup>", html)


def test_without_verdict_contents_notes_and_provenance_none_of_them_is_named() -> None:
    texts = Reader(render_page("t", [], [Section(title="One", sentence="It is.")], []).html).texts
    assert not {"What was found", "On this page", "Notes", "Provenance"} & set(texts)


def test_a_page_without_figures_draws_none() -> None:
    section = Section(title="One", figure=Figure("nowhere", {}))
    assert "<svg" not in render_page("t", [], [section], [], figures=None).html


def test_pictures_lose_what_acts_loads_or_clashes() -> None:
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"><rect width="20" height="10" fill="white"/>'
        '<defs><clipPath id="c"><path d="M0,0"/></clipPath></defs><script>x()</script><image href="http://x/y.png"/>'
        '<g clip-path="url(#c)"><path onclick="x()" d="M0.33333,1" style="background:url(http://x)"/></g></svg>'
    )
    found = inline_svg(svg, prefix="p-", label="A <line>")
    assert "script" not in found
    assert "http" not in found
    assert "onclick" not in found
    assert 'id="p-c"' in found
    assert 'clip-path="url(#p-c)"' in found
    assert "M0.33,1" in found
    assert 'aria-label="A &lt;line&gt;"' in found
    assert "<rect" not in found


def test_what_draws_nothing_is_left_out_of_a_picture() -> None:
    empty = '<path d="M0,0h0v0h0Z"/><path d="" display="none"/><g display="none"><path d="M0,0h9"/></g>'
    drawn = '<path d="M0,0h3v0h0Z"/><path d="M1,1h0v0h0ZM2,2h5"/><text>a &gt; b /&gt;</text>'
    found = inline_svg(f"<svg>{empty}{drawn}</svg>", prefix="", label="A figure")
    assert found == f'<svg role="img" aria-label="A figure">{drawn}</svg>'


def test_what_is_no_picture_is_refused() -> None:
    for text in ("<svg><g></svg>", "<p>no</p>"):
        with pytest.raises(ValueError, match="the figure is"):
            inline_svg(text, prefix="", label="")


def test_a_page_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    page = render_page("t", [], [Section(title="One", figure=Figure("x", {"values": [1.0]}))], [], figures=stand_in)
    with pytest.raises(OutputError):
        page.write(tmp_path / "no" / "folder.html")
    page.write(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text("utf-8") == page.html


def test_a_page_in_a_file_of_another_format_is_refused(tmp_path: Path) -> None:
    page = render_page("t", [], [], [])
    for name in ("page.pdf", "page.PNG", "bm25.run"):
        with pytest.raises(ParameterError, match=r"\.html\b"):
            page.write(tmp_path / name)
    assert not list(tmp_path.iterdir())
    for name in ("page.html", "page.HTM", "page"):
        page.write(tmp_path / name)
        assert is_page(tmp_path / name)
    (tmp_path / "other.html").write_text("<!DOCTYPE html><title>mine</title>")
    assert not is_page(tmp_path / "other.html")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a 95 % interval", "a 95~% interval"),
        ("chance (p < 0.0001), t", "chance (p~<~0.0001), t"),
        ("with p = .05 or p <0.1", "with p~=~.05 or p~<0.1"),
        ("top = 3, of p and q < 1", "top = 3, of p and q < 1"),
    ],
)
def test_no_line_ends_inside_a_percentage_or_a_p_value(text: str, shown: str) -> None:
    assert with_unbroken_values(text) == shown.replace("~", "\u00a0")


def test_what_is_data_keeps_its_blanks() -> None:
    table = Table(columns=("system", "95 % interval"), rows=(("p = 3", "1"),))
    html = render_page("t", ["p < 0.1"], [Section(title="All", table=table)], [("command", "--title 'p = 3'")]).html
    assert "<bdi>p = 3</bdi>" in html
    assert "--title &#39;p = 3&#39;" in html
    assert "95\u00a0% interval" in html
    assert "<p>p\u00a0&lt;\u00a00.1</p>" in html


def test_a_column_without_a_heading_has_one_for_those_who_hear_the_page() -> None:
    table = Table(columns=("", "system"), rows=(("a", "bm25"),), n_name_columns=2)
    html = render_page("t", [], [Section(title="All", table=table)], []).html
    assert '<th scope="col" class="t"><span class="unseen">mark</span></th>' in html


def test_figures_are_as_wide_as_a_phone_unless_there_are_many_names() -> None:
    def width(count: int) -> float:
        names = [f"s{i}" for i in range(count)]
        data = {"systems": names, "means": [0.1] * count, "measure": "AP"}
        found = re.search(r'<svg[^>]* width="([\d.]+)"', draw(Figure("leaderboard", data)).svg)
        assert found is not None
        return float(found[1])

    assert width(MAX_NAMES) == pytest.approx(440, abs=8)
    assert width(MAX_NAMES + 1) == pytest.approx(640, abs=8)


@pytest.mark.skipif(sys.platform == "win32", reason="no such limit there")
def test_a_page_under_a_limit_of_addresses_has_no_figures_and_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """V8, which draws, would end the process."""
    import resource

    from rankscope.reporting.figures import save_figure, saving

    saving.scripts.cache_clear()  # other tests may have drawn
    counts = Figure("confusion_matrix", figure_examples.confusion_matrix(["a", "b"], 9, np.random.default_rng(1)))
    sections = [Section(title="Counts", sentence="A figure.", figure=counts)]
    monkeypatch.setattr(resource, "getrlimit", lambda _: (6 << 30, resource.RLIM_INFINITY))
    html = render_page("Limited", [], sections, []).html
    assert "<svg" not in html
    assert "no figures: the address space of this process is limited to 6 GiB" in html
    for name in ("a.svg", "a.html"):
        with pytest.raises(ParameterError, match="limited to 6 GiB, and drawing figures needs 72 GiB"):
            save_figure(counts, tmp_path / name)
    assert not list(tmp_path.iterdir())
    assert "no figures" not in render_page("Limited", [], [Section(title="Counts", sentence="None.")], []).html
    monkeypatch.setattr(resource, "getrlimit", lambda _: (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    assert "<svg" in render_page("Free", [], sections, []).html
