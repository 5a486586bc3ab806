"""The site: every page of docs/ has its place; built, its pages are readable on a phone and a desk, light and dark.

The build needs the packages of `make site`, and what looks at the pages needs playwright, axe-core-python and a
Chromium on the PATH; skipped, with the reason, where one of them is absent.
"""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.resources import files
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

ROOT = Path(__file__).resolve().parent.parent
CONFIG = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
#: Pages that docs/site.py makes, or renames.
MADE = {"index.md", "reference.md", "pages.md"}
LOOKED_AT = ("index", "choose", "believe", "adding", "agreement")


def pages_in_navigation() -> list[str]:
    return re.findall(r": ([\w/-]+\.md)$", CONFIG.partition("\nnav:")[2], re.MULTILINE)


def test_every_page_is_once_in_the_navigation() -> None:
    site = load_site()
    pages = {path.name for path in (ROOT / "docs").glob("*.md")} - {"README.md"}
    beside = {name for name in site.BESIDE if name.endswith(".md")}
    navigation = pages_in_navigation()
    notebooks = {f"notebooks/{path.stem}.md" for path in (ROOT / "docs" / "notebooks").glob("*.ipynb")}
    assert sorted(navigation) == sorted(pages | notebooks | beside | MADE)
    assert all((ROOT / name).exists() for name in site.BESIDE)


def test_a_lost_page_or_anchor_ends_the_build() -> None:
    validation = re.search(r"^validation:\n((?:  .*\n)+)", CONFIG, re.MULTILINE)
    assert re.search("^strict: true$", CONFIG, re.MULTILINE)
    assert validation is not None
    for check in ("omitted_files", "not_found", "anchors", "absolute_links", "unrecognized_links"):
        assert f"{check}: warn" in validation[1]


def load_site() -> Any:
    spec = spec_from_file_location("site_of_docs", ROOT / "docs" / "site.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    with mock.patch.object(sys, "path", [str(ROOT / "docs"), *sys.path]):  # as where the script is run
        spec.loader.exec_module(module)
    return module


@pytest.mark.slow  # every public module is imported
def test_links_and_kinds_of_code_are_those_of_the_site(tmp_path: Path) -> None:
    load_site().main(tmp_path / "site")
    site = tmp_path / "site"
    pages = {path.relative_to(site).as_posix(): path.read_text(encoding="utf-8") for path in site.rglob("*.md")}
    assert set(pages) == set(pages_in_navigation())
    for name, text in pages.items():
        assert not re.search(r"\]\((docs|\.\.)/", text), name
        assert not re.search(r"^```(python|console) ", text, re.MULTILINE), name
    assert "::: rankscope.evaluation." in pages["reference.md"]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if find_spec("mkdocs") is None or find_spec("mkdocstrings") is None:
        pytest.skip("the packages of the site are not here (make site)")
    folder = tmp_path_factory.mktemp("site")
    load_site().main(folder / "pages")
    config = re.sub(r"^docs_dir: .*$", f"docs_dir: {folder / 'pages'}", CONFIG, flags=re.MULTILINE)
    config = config.replace("paths: [src]", f"paths: [{ROOT / 'src'}]")
    (folder / "mkdocs.yml").write_text(config, encoding="utf-8")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--config-file", folder / "mkdocs.yml"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder / "site"


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_axe_objects_to_nothing_and_nothing_is_wider_than_the_window(
    browser: Any, site: Path, width: int, scheme: str
) -> None:
    axe = (files("axe_core_python") / "axe.min.js").read_text(encoding="utf-8")
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    for name in LOOKED_AT:
        page.goto((site / f"{name}.html").as_uri())
        page.evaluate(axe)
        violations = page.evaluate("axe.run({resultTypes: ['violations']})")["violations"]
        assert [(rule["id"], rule["nodes"][0]["target"]) for rule in violations] == [], name
        assert page.evaluate("document.documentElement.scrollWidth") == width, name
    page.close()


@pytest.mark.slow
def test_the_search_works_from_a_folder_and_nothing_is_loaded_from_the_net(browser: Any, site: Path) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    messages: list[str] = []
    requests: list[str] = []
    page.on("console", lambda message: messages.append(message.text))
    page.on("pageerror", lambda error: messages.append(str(error)))
    page.on("request", lambda request: requests.append(request.url))
    page.goto((site / "index.html").as_uri())
    page.wait_for_selector(".md-search__input", state="visible")
    page.fill(".md-search__input", "bootstrap")
    page.wait_for_selector(".md-search-result__item", state="attached")
    assert [url for url in requests if not url.startswith(("file:", "data:"))] == []
    assert messages == []
    page.close()
