"""Self-contained HTML pages: of sections, or of any result; independent of what was measured."""

from __future__ import annotations

import base64
import hashlib
import os
import platform
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from html import escape
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rankscope._version import __version__
from rankscope.data.result import Result
from rankscope.data.section import Figure, Marked, Section, Table, as_marked
from rankscope.errors import ParameterError
from rankscope.io.core import write_text
from rankscope.reporting._svg import inline_svg

if TYPE_CHECKING:
    import jinja2

__all__ = [
    "FigureHtml",
    "Page",
    "check_page_path",
    "draw",
    "is_page",
    "render_page",
    "result_page",
]


#: Longer tables are cut, with a note: browsers do not show millions of rows, and nobody reads them.
MAX_ROWS = 1000
#: From this number of sections on, a page has a table of contents.
SECTIONS_OF_CONTENTS = 4
#: Suffixes that a page may have; a name without a suffix is accepted.
PAGE_SUFFIXES = (".html", ".htm", "")
#: A tag in the head of every page, and within how many bytes of the file it is.
GENERATOR, HEAD_BYTES = '<meta name="generator" content="rankscope">', 4096
#: The width of figures in pixels: a phone shows them whole and readable, a desktop enlarges them. A figure of many
#: names (more than `MAX_NAMES`) is wider, and is scrolled on a phone.
FIGURE_WIDTH, CROWDED_WIDTH, MAX_NAMES = 440, 640, 12
#: Pixels of the frame that a notebook shows a page in.
FRAME_HEIGHT = 640
#: Names up to this length are never broken into lines.
SHORT_NAME = 24
# Half characters (bytes that were no UTF-8), control characters, and signs that change the direction of the text after
# them: replaced by U+FFFD.
UNSHOWABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
# Blanks where no line may break: "95 %", "p < 0.0001".
UNBREAKABLE_BLANKS = re.compile(r"(?<=\d) (?=%)|(?<=\bp) (?=[<=>≤≥] ?[\d.])|(?<=\bp [<=>≤≥]) (?=[\d.])")


class FigureHtml(NamedTuple):
    """A figure for the page.

    Attributes
    ----------
    svg
        The picture.
    label
        Its content in words, for readers who cannot see it.
    """

    svg: str
    label: str = ""


@dataclass(frozen=True, repr=False)
class Page:
    """A complete page, which a notebook shows in a frame.

    Attributes
    ----------
    html
        Its text.
    """

    html: str

    def __repr__(self) -> str:
        return f"Page({len(self.html):,} characters)"

    def _repr_html_(self) -> str:
        """The page in a frame of its own, which keeps its styles and those of the notebook apart."""
        return (
            f'<iframe srcdoc="{escape(self.html)}" sandbox="allow-scripts" style="width: 100%; '
            f'height: {FRAME_HEIGHT}px; border: 1px solid #ccc"></iframe>'
        )

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the page atomically; an existing file is replaced.

        Parameters
        ----------
        path
            The file.

        Raises
        ------
        ParameterError
            The name has the suffix of another format.
        OutputError
            The file cannot be written.
        """
        check_page_path(path)
        write_text(path, self.html)


def check_page_path(path: str | os.PathLike[str]) -> None:
    """Raise ParameterError for a name with the suffix of another format, such as .pdf."""
    if Path(path).suffix.lower() not in PAGE_SUFFIXES:
        raise ParameterError(f"{path}: the page is HTML; end its name in .html")


def is_page(path: str | os.PathLike[str]) -> bool:
    """Whether a file is one of these pages, by the tag in its head."""
    with open(path, "rb") as file:
        return GENERATOR.encode() in file.read(HEAD_BYTES)


class TemplateTable(NamedTuple):
    """A table for the template.

    Attributes
    ----------
    columns, rows
        Headings and cells.
    left
        Number of leading columns of names.
    raised, raised_columns
        Width of the widest superscript, and the columns that have superscripts.
    n_cut
        Number of rows that are cut off.
    """

    columns: tuple[str, ...]
    rows: list[tuple[Marked, ...]]
    left: int
    raised: int
    raised_columns: list[int]
    n_cut: int


class TemplateSection(NamedTuple):
    """A section as the template of the page takes it.

    Attributes
    ----------
    id
        Anchor of the section.
    title, sentence, table, notes
        As in `Section`.
    svg, caption
        The drawn figure and what it shows; empty without a figure.
    folded
        What to click on to unfold it; empty for an open section.
    """

    id: str
    title: str
    sentence: str
    table: TemplateTable | None
    svg: str
    caption: str
    notes: tuple[str, ...]
    folded: str


def draw(figure: Figure) -> FigureHtml:
    """The figure as `rankscope.reporting.figures` draws it."""
    from rankscope.reporting.figures import Style, as_svg

    n_names = max(len(figure.data.get(key, ())) for key in ("systems", "measures", "labels"))
    return FigureHtml(as_svg(figure, style=Style(width=FIGURE_WIDTH if n_names <= MAX_NAMES else CROWDED_WIDTH)))


def render_page(
    title: str,
    verdict: Sequence[str],
    sections: Sequence[Section],
    provenance: Sequence[tuple[str, str]],
    *,
    figures: Callable[[Figure], FigureHtml] | None = draw,
    notes: Sequence[str] = (),
    appendix: Sequence[Section] = (),
    date: str = "",
) -> Page:
    """Make one HTML page that loads nothing: styles, figures and a small script are in it.

    Parameters
    ----------
    title
        Title of the page.
    verdict
        The findings and how certain they are, one paragraph each, shown first.
    sections
        Parts of the page. A table of more than 1,000 rows is cut, with a note; one without rows says so.
    provenance
        What the numbers come from, as pairs of a name and a text: files, hashes, signature, versions, command.
    figures
        Draws a figure; None: a page without figures. Where none can be drawn, the page says why.
    notes
        Notes on the whole page; a note that is given twice is shown once.
    appendix
        Further parts, folded together after the others.
    date
        Date of the page, shown under its title.

    Returns
    -------
    Page
        Complete without its script, on paper, on a phone, in light and dark, and by keyboard. Texts are data: `<b>` is
        shown as `<b>`. The same input gives the same page, to the byte.

    Raises
    ------
    ParameterError
        jinja2 is not installed (`pip install 'rankscope[report]'`).

    Examples
    --------
    >>> page = render_page("Two runs", ["A beats B."], [Section(title="Means", sentence="By .04.")], [("seed", "7")])
    >>> page.html.count("<h2"), "A beats B." in page.html
    (3, True)
    """
    layout = template()  # which is refused before the figures are drawn
    if figures is draw and (problem := problem_of_figures((*sections, *appendix))) is not None:
        figures, notes = None, (*notes, f"no figures: {problem}")
    template_sections = [template_section(section, f"s{i}", figures) for i, section in enumerate(sections, 1)]
    appendix_sections = [template_section(section, f"a{i}", figures) for i, section in enumerate(appendix, 1)]
    script = read_asset("page.js").strip()
    html = layout.render(
        title=title,
        verdict=verdict,
        sections=template_sections,
        appendix=appendix_sections,
        date=date,
        contents=len(template_sections) + bool(appendix_sections) >= SECTIONS_OF_CONTENTS,
        provenance=provenance,
        notes=list(dict.fromkeys(notes)),
        css=read_asset("page.css").strip(),
        script=script,
        policy=policy(script),
        generator=GENERATOR,
        short=SHORT_NAME,
    )
    return Page(showable(html) + "\n")


def problem_of_figures(sections: Iterable[Section]) -> str | None:
    """Why the figures of these sections cannot be drawn, or None."""
    if all(section.figure is None for section in sections):
        return None
    from rankscope.reporting.figures import drawing_problem

    return drawing_problem()


def policy(script: str) -> str:
    """The content security policy: the page's styles and its one script are allowed; nothing is loaded or sent."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; base-uri 'none'; "
        "form-action 'none'"
    )


def template_section(section: Section, id_: str, figures: Callable[[Figure], FigureHtml] | None) -> TemplateSection:
    """The section with its figure drawn. id_: its anchor."""
    svg = caption = ""
    if section.figure is not None and figures is not None:
        figure_html = figures(section.figure)
        caption = figure_html.label
        label = figure_html.label or ": ".join(filter(None, (section.title, section.sentence)))
        svg = inline_svg(showable(figure_html.svg), prefix=f"{id_}-", label=showable(label))
    return TemplateSection(
        id=id_,
        title=section.title,
        sentence=section.sentence,
        table=None if section.table is None else template_table(section.table),
        svg=svg,
        caption=caption,
        notes=section.notes,
        folded=fold_name(section, bool(svg)) if section.folded else "",
    )


def template_table(table: Table) -> TemplateTable:
    """The first rows of a table, and how many are cut."""
    rows = [tuple(map(as_marked, row)) for row in table.rows[:MAX_ROWS]]
    widths = [max((len(row[c].raised) for row in rows), default=0) for c in range(len(table.columns))]
    raised_columns = [c for c, width in enumerate(widths) if width]
    n_cut = len(table.rows) - len(rows)
    return TemplateTable(table.columns, rows, table.n_name_columns, max(widths, default=0), raised_columns, n_cut)


def fold_name(section: Section, has_figure: bool) -> str:
    """The label of a folded part: "Show" what it holds; empty where it holds nothing."""
    parts = ["figure"] if has_figure else []
    if section.table is not None:
        n_rows = len(section.table.rows)
        parts.append(f"table of {n_rows:,} {'row' if n_rows == 1 else 'rows'}")
    parts += ["notes"] if section.notes else []
    text = " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)
    return f"Show {text}" if text else ""


def showable(text: str) -> str:
    """The text without characters that cannot be shown or encoded, or that change how the text after them is shown."""
    return UNSHOWABLE.sub("\ufffd", text)


def with_unbroken_values(text: str) -> str:
    """The text with no-break spaces inside "95 %" and "p < 0.0001"; only for sentences, never for data."""
    return UNBREAKABLE_BLANKS.sub("\N{NO-BREAK SPACE}", text)


def read_asset(name: str) -> str:
    """A file beside this module."""
    return (files("rankscope.reporting") / name).read_text("utf-8")


@cache
def template() -> jinja2.Template:
    """The template of pages. Raises ParameterError without jinja2."""
    try:
        import jinja2
    except ImportError:
        raise ParameterError(
            "a page needs the package jinja2, which is not installed; pip install 'rankscope[report]'"
        ) from None
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["unbroken"] = with_unbroken_values
    return environment.from_string(read_asset("page.html.j2"))


def result_page(
    result: Result,
    *,
    title: str = "",
    command: str = "",
    figures: Callable[[Figure], FigureHtml] | None = draw,
) -> Page:
    """Make one HTML page of any result that loads nothing: tables, figures, notes and where the numbers come from.

    Parameters
    ----------
    result
        The result.
    title
        Title of the page. Default: that of its first section, or what the result holds ("2 systems, 1 measure").
    command
        The command that made the result, shown on the page.
    figures
        Draws a figure; None: a page without figures.

    Returns
    -------
    Page
        Details are folded. `page.write(path)` writes it.

    Raises
    ------
    ParameterError
        jinja2, or for figures Altair, is not installed (`pip install 'rankscope[report]'`).

    Examples
    --------
    >>> import rankscope as rs
    >>> consensus = rs.consensus.merge_rankings([["A", "B", "C"], ["A", "C", "B"]], rng=1)
    >>> page = result_page(consensus, title="Two voters", figures=None)
    >>> "<h1><bdi>Two voters</bdi></h1>" in page.html, consensus.signature() in page.html
    (True, True)
    """
    sections = [
        section if section.title else replace(section, title=result.contents()) for section in result.sections()
    ]
    provenance = [("signature", result.signature())]
    provenance += [("command", command)] if command else []
    program_versions = [f"rankscope {__version__}", f"Python {platform.python_version()}"]
    provenance += [
        ("versions", ", ".join([*program_versions, *(f"{name} {version(name)}" for name in ("numpy", "scipy"))]))
    ]
    first_title = sections[0].title if sections else result.contents()
    return render_page(title or first_title, (), sections, provenance, figures=figures, notes=result.notes)
