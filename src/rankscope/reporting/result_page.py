"""Any result as one page: its sections, notes and signature, in the page that `report` has."""

from __future__ import annotations

import platform
from collections.abc import Callable
from dataclasses import replace
from importlib.metadata import version

from rankscope._version import __version__
from rankscope.data.sections import Figure, Result, Section
from rankscope.reporting.page import FigureHtml, Page, draw, render_page

__all__ = ["result_page"]

#: Sections without a title stand alone, or say it in their table.
UNTITLED = "Result"


def result_page(
    result: Result,
    *,
    title: str = "",
    command: str = "",
    figures: Callable[[Figure], FigureHtml] | None = draw,
) -> Page:
    """One HTML page that loads nothing, of any result: tables, figures, notes and where the numbers come from.

    title: of the page; by default that of its first section. command: what was called, shown on the page. figures:
    what draws; None: a page without figures. Details are there, folded. `page.write(path)` writes it.

    Raises ParameterError where jinja2, or for figures Altair, is not installed (`pip install 'rankscope[report]'`).

    >>> import rankscope as rs
    >>> found = rs.consensus.merge_rankings([["A", "B", "C"], ["A", "C", "B"]], rng=1)
    >>> page = result_page(found, title="Two voters", figures=None)
    >>> "<h1><bdi>Two voters</bdi></h1>" in page.html, found.signature() in page.html
    (True, True)
    """
    sections = [with_title(section) for section in result.sections()]
    provenance = [("signature", result.signature())]
    provenance += [("command", command)] if command else []
    parts = [f"rankscope {__version__}", f"Python {platform.python_version()}"]
    provenance += [("versions", ", ".join([*parts, *(f"{name} {version(name)}" for name in ("numpy", "scipy"))]))]
    first = sections[0].title if sections else UNTITLED
    return render_page(title or first, (), sections, provenance, figures=figures, notes=result.notes)


def with_title(section: Section) -> Section:
    """With a title, which a page needs."""
    return section if section.title else replace(section, title=UNTITLED)
