"""Gathers the pages of the site in .site, for mkdocs: the README first, and a reference made from docstrings."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from notebook_pages import page_of

import rankscope

ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / ".site"
#: Files beside docs/ that pages link to.
BESIDE = ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "CITATION.cff")


def main() -> None:
    shutil.rmtree(SITE, ignore_errors=True)
    shutil.copytree(ROOT / "docs", SITE, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    (SITE / "README.md").rename(SITE / "pages.md")
    for name in BESIDE:
        shutil.copy(ROOT / name, SITE / name)
    for notebook in sorted((SITE / "notebooks").glob("*.ipynb")):
        notebook.with_suffix(".md").write_text(page_of(notebook), encoding="utf-8")
    for page in SITE.glob("*.md"):
        text = page.read_text(encoding="utf-8")
        text = text.replace("](../", "](").replace("](docs/", "](").replace("](README.md", "](pages.md")
        text = re.sub(r"\]\(notebooks/(\w+)\.ipynb\)", r"](notebooks/\1.md)", text)
        text = re.sub(r"^```(python|console) \w+$", r"```\1", text, flags=re.MULTILINE)
        page.write_text(text, encoding="utf-8")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    readme = readme.replace("](docs/README.md", "](pages.md").replace("](docs/", "](")
    (SITE / "index.md").write_text(readme, encoding="utf-8")
    objects = [getattr(rankscope, name) for name in sorted(rankscope.HOMES)]
    public = [f"::: {thing.__module__}.{thing.__name__}" for thing in objects if callable(thing)]
    (SITE / "reference.md").write_text("# Reference\n\n" + "\n\n".join(public) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
