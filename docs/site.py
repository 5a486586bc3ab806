"""Gathers the pages of the site in .site, for mkdocs: the README first, and a reference made from docstrings."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from notebook_pages import page_of

import rankscope

ROOT = Path(__file__).resolve().parent.parent
#: Files beside docs/ that pages link to.
BESIDE = ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "CITATION.cff")
#: A link to a notebook, of which the site has the page.
NOTEBOOK = r"\]\(notebooks/(\w+)\.ipynb\)"


def main(site: Path = ROOT / ".site") -> None:
    """Write the pages into this folder, in the place of what it holds."""
    shutil.rmtree(site, ignore_errors=True)
    shutil.copytree(ROOT / "docs", site, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    (site / "README.md").rename(site / "pages.md")
    for name in BESIDE:
        shutil.copy(ROOT / name, site / name)
    for notebook in sorted((site / "notebooks").glob("*.ipynb")):
        notebook.with_suffix(".md").write_text(page_of(notebook), encoding="utf-8")
    for page in site.glob("*.md"):
        text = page.read_text(encoding="utf-8")
        text = text.replace("](../", "](").replace("](docs/", "](").replace("](README.md", "](pages.md")
        text = re.sub(NOTEBOOK, r"](notebooks/\1.md)", text)
        text = re.sub(r"^```(python|console) \w+$", r"```\1", text, flags=re.MULTILINE)
        page.write_text(text, encoding="utf-8")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    readme = readme.replace("](docs/README.md", "](pages.md").replace("](docs/", "](")
    readme = re.sub(NOTEBOOK, r"](notebooks/\1.md)", readme)
    (site / "index.md").write_text(readme, encoding="utf-8")
    objects = sorted(
        (getattr(rankscope, name) for name in rankscope.HOMES),
        key=lambda thing: (isinstance(thing, type), getattr(thing, "__name__", "")),
    )
    public = [f"::: {thing.__module__}.{thing.__name__}" for thing in objects if callable(thing)]
    (site / "reference.md").write_text("# Reference\n\n" + "\n\n".join(public) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
