"""The page as a person meets it: in Chromium, on a phone and a desk, in light and dark, by keyboard, on paper.

Needs the packages playwright and axe-core-python (extra `test`) and a Chromium on the PATH, as Debian's; skipped, with
the reason, where one of them is absent.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from helpers.sample_page import SYSTEMS, sample_page

import rankscope as rs
from rankscope.demo.collection import write_collection

WIDTHS = (390, 1280)
SCHEMES = ("light", "dark")


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A page of names that nobody should give; reports of the demo with all figures: of three systems, of six, and of
    three whose names have 70 letters without a blank."""
    folder = tmp_path_factory.mktemp("pages")
    write_collection(folder)
    sample_page().write(folder / "sample.html")
    rs.report(folder / "demo.qrels", [folder / f"{name}.run" for name in ("bm25", "dense", "rerank")]).write(
        folder / "demo.html"
    )
    runs = [folder / f"{name}.run" for name in ("bm25", "bm25-rm3", "boolean", "dense", "hybrid", "rerank")]
    for name, baseline in (("pairs", None), ("baseline", "bm25")):
        rs.report(folder / "demo.qrels", runs, baseline=baseline).write(folder / f"{name}.html")
    long_named = []
    for number, name in enumerate(("bm25", "dense", "rerank")):
        run = rs.read_run(folder / f"{name}.run")
        run.name = f"splade_v{number}_distilled_from_monot5_3b_rerank_depth_1000_seed_42_{name}"
        long_named.append(run)
    rs.report(folder / "demo.qrels", long_named, ["nDCG@10", "AP"]).write(folder / "names.html")
    return {name: folder / f"{name}.html" for name in ("sample", "demo", "pairs", "baseline", "names")}


@pytest.mark.parametrize("name", ["sample", "demo"])
@pytest.mark.parametrize(
    ("width", "scheme"),
    [
        (390, "light"),
        (1280, "dark"),
        pytest.param(390, "dark", marks=pytest.mark.slow),
        pytest.param(1280, "light", marks=pytest.mark.slow),
    ],
)
def test_no_error_no_request_and_no_scrolling_to_the_side(
    browser: Any, pages: dict[str, Path], name: str, width: int, scheme: str
) -> None:
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, offline=True)
    page = context.new_page()
    said: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.on("dialog", lambda dialog: said.append(f"a dialog: {dialog.message}"))
    page.goto(pages[name].as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert asked == [pages[name].as_uri()]
    assert said == []
    context.close()


def overflowing(page: Any, kind: str) -> list[str]:
    """The labels of what has to be scrolled to the side, of the tables or the figures that are seen."""
    found: list[str] = page.evaluate(
        "[...document.querySelectorAll('[role=region]')]"
        ".filter(r => r.checkVisibility() && r.scrollWidth > r.clientWidth).map(r => r.ariaLabel)"
    )
    return [label for label in found if label.startswith(kind)]


def test_on_a_desk_no_table_and_on_a_phone_no_figure_is_wider_than_the_page(
    browser: Any, pages: dict[str, Path]
) -> None:
    for width, kind in ((1100, "Table"), (390, "Figure"), (360, "Figure")):
        page = browser.new_page(viewport={"width": width, "height": 900})
        page.goto(pages["demo"].as_uri())
        assert overflowing(page, kind) == []
        page.close()


@pytest.mark.parametrize("name", ["pairs", "baseline"])
def test_six_systems_by_five_measures_are_short_before_the_appendix_and_fit_a_desk(
    browser: Any, pages: dict[str, Path], name: str
) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(pages[name].as_uri())
    assert page.evaluate("document.querySelector('#appendix').getBoundingClientRect().top") <= 4000
    page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    assert overflowing(page, "Table") == []
    page.close()


def test_long_names_are_broken_and_do_not_lie_over_the_numbers(browser: Any, pages: dict[str, Path]) -> None:
    for width in WIDTHS:
        page = browser.new_page(viewport={"width": width, "height": 900})
        page.goto(pages["names"].as_uri())
        page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
        beyond = page.evaluate(
            "[...document.querySelectorAll('tbody th, tbody td')].filter(cell => { const text = document.createRange();"
            "text.selectNodeContents(cell);"
            "return text.getBoundingClientRect().right > cell.getBoundingClientRect().right + 1; })"
            ".map(cell => cell.innerText)"
        )
        assert beyond == []
        widths = page.evaluate("[...document.querySelectorAll('table')].map(table => table.scrollWidth)")
        assert widths
        assert max(widths) <= 1280
        page.close()


def test_a_link_into_the_appendix_opens_it(browser: Any, pages: dict[str, Path]) -> None:
    for target in ("appendix", "a2"):
        page = browser.new_page()
        page.goto(f"{pages['sample'].as_uri()}#{target}")
        assert page.locator("#a2").is_visible()
        page.close()
    page = browser.new_page()
    page.goto(pages["sample"].as_uri())
    assert not page.locator("#a2").is_visible()
    page.close()


def test_letters_in_figures_are_readable_on_a_phone(browser: Any, pages: dict[str, Path]) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 900})
    page.goto(pages["demo"].as_uri())
    heights = page.evaluate(
        "[...document.querySelectorAll('figure svg')].filter(s => s.checkVisibility())"
        ".map(s => 11 * s.getBoundingClientRect().width / s.viewBox.baseVal.width)"
    )
    assert heights
    assert min(heights) >= 8.5  # of the smallest letters, drawn 11 pixels high
    page.close()


def test_the_contents_are_folded_on_a_phone_and_open_on_a_desk(browser: Any, pages: dict[str, Path]) -> None:
    shown = "document.querySelector('nav ol').checkVisibility()"
    for width in WIDTHS:
        page = browser.new_page(viewport={"width": width, "height": 900})
        page.goto(pages["demo"].as_uri())
        assert page.evaluate(shown) == (width == 1280)
        page.locator("nav summary").click()
        assert page.evaluate(shown) == (width == 390)
        page.close()


def test_the_ground_follows_the_reader_from_light_to_dark(browser: Any, pages: dict[str, Path]) -> None:
    grounds = {}
    for scheme in SCHEMES:
        context = browser.new_context(color_scheme=scheme)
        page = context.new_page()
        page.goto(pages["demo"].as_uri())
        colours = page.evaluate(
            "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]"
            ".map(c => c.match(/[0-9.]+/g).slice(0, 3).map(Number).reduce((a, b) => a + b) / 3)"
        )
        grounds[scheme] = colours
        context.close()
    assert grounds["light"][0] > 240 > 60 > grounds["light"][1]
    assert grounds["dark"][0] < 50 < 200 < grounds["dark"][1]


@pytest.mark.parametrize(("name", "scheme"), [("sample", "dark"), ("demo", "light")])
def test_axe_finds_nothing_serious(browser: Any, pages: dict[str, Path], name: str, scheme: str) -> None:
    axe = pytest.importorskip("axe_core_python", reason="axe-core-python is not installed")
    script = (files(axe) / "axe.min.js").read_text("utf-8")
    context = browser.new_context(bypass_csp=True, color_scheme=scheme, viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.goto(pages[name].as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    page.add_script_tag(content=script)
    # Of what it finds in order, one place of each kind: naming thousands takes longer than looking at them.
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    bad = [
        (violation["id"], violation["nodes"][0]["html"][:120])
        for violation in found["violations"]
        if violation["impact"] in ("serious", "critical")
    ]
    assert bad == []
    assert found["passes"]
    context.close()


def test_all_is_there_without_the_script(browser: Any, pages: dict[str, Path]) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(pages["sample"].as_uri())
    text = page.inner_text("main")
    assert SYSTEMS[0] in text
    assert "<script>alert(1)</script>" in text
    assert page.locator("svg").count() > 0
    context.close()


def test_a_keyboard_reaches_the_results_and_every_table(browser: Any, pages: dict[str, Path]) -> None:
    page = browser.new_page()
    page.goto(pages["sample"].as_uri())
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the results"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    reached = set()
    for _ in range(400):
        page.keyboard.press("Tab")
        label = page.evaluate("document.activeElement.getAttribute('aria-label')")
        if page.evaluate("document.activeElement === document.body"):
            break
        reached.add(label)
    shown = page.evaluate(
        "[...document.querySelectorAll('[role=region]')].filter(r => r.checkVisibility()).map(r => r.ariaLabel)"
    )
    assert shown
    assert set(shown) <= reached
    page.close()


def test_a_heading_sorts_its_table_and_gives_the_order_back(browser: Any, pages: dict[str, Path]) -> None:
    page = browser.new_page()
    page.goto(pages["demo"].as_uri())
    table = page.locator("table").first
    column = (
        "[...document.querySelector('table').tBodies[0].rows].map(r => r.cells[2].querySelector('bdi').textContent)"
    )
    original = page.evaluate(column)
    heading = table.locator("thead th").nth(2).locator("button")
    for expected in (sorted(original, key=float, reverse=True), sorted(original, key=float), original):
        heading.click()
        assert page.evaluate(column) == expected
    page.close()


@pytest.mark.parametrize("name", ["pairs", "baseline"])
def test_no_table_is_wider_than_a_sheet_of_paper(browser: Any, pages: dict[str, Path], name: str) -> None:
    page = browser.new_page(viewport={"width": 680, "height": 960})  # A4 without its margins, at 96 pixels an inch
    page.goto(pages[name].as_uri())
    page.emulate_media(media="print")
    page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    widths = page.evaluate("[...document.querySelectorAll('table')].map(t => t.getBoundingClientRect().right)")
    assert 600 < max(widths) <= 680
    page.close()


def test_it_can_be_printed_with_what_is_folded(browser: Any, pages: dict[str, Path]) -> None:
    page = browser.new_page()
    page.goto(pages["demo"].as_uri())
    folded = page.evaluate("document.querySelectorAll('details:not([open])').length")
    assert folded > 0
    pdf = page.pdf()
    assert pdf.startswith(b"%PDF")
    assert pdf.count(b"/Type /Page\n") + pdf.count(b"/Type /Page ") + pdf.count(b"/Type/Page") >= 3
    page.close()
