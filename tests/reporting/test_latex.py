"""What is written for papers is LaTeX that a TeX takes; where there is none, this is skipped."""

from __future__ import annotations

import re
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest
from helpers.messages import mentions

import rankscope as rs
from rankscope.comparison.compare import paper_table
from rankscope.data.section import Table
from rankscope.reporting._latex_width import TEXT_WIDTH, width_of
from rankscope.reporting.tables import fitted_tabular, latex_tabular, markdown_text, render_result, render_scores

TEX = next(filter(None, map(shutil.which, ("pdflatex", "lualatex", "xelatex", "tectonic"))), None)
HEAD = "\\documentclass{article}\n\\usepackage{booktabs}\n\\begin{document}\n"


#: What a run or a query might be called, and how its cell begins a row.
CELLS = {
    "[a]": "{}[a]",
    "[2cm]": "{}[2cm]",
    "[": "{}[",
    "*a": "{}*a",
    "*": "{}*",
    " [1]": "{} [1]",
    " *": "{} *",
    "]a[": "]a[",
    "a*[b]": "a*[b]",
    "50% & co_1": r"50\% \& co\_1",
    "#1": r"\#1",
    "$x$": r"\$x\$",
    "{": r"\{",
    "}{": r"\}\{",
    "a~b": r"a\textasciitilde{}b",
    "x^2": r"x\textasciicircum{}2",
    "^^M": r"\textasciicircum{}\textasciicircum{}M",
    "<&>": r"\textless{}\&\textgreater{}",
    "a|b": r"a\textbar{}b",
    "\\": r"\textbackslash{}",
    "\\\\[1cm]": r"\textbackslash{}\textbackslash{}[1cm]",
    "\\input{x}": r"\textbackslash{}input\{x\}",
    "\\end{tabular}": r"\textbackslash{}end\{tabular\}",
    "%": r"\%",
    "a\nb": r"a\textbackslash{}nb",
    "a\r\nb": r"a\textbackslash{}r\textbackslash{}nb",
    "a\n\nb": r"a\textbackslash{}n\textbackslash{}nb",
    "a\tb": r"a\textbackslash{}tb",
    "\x1b[31mred": r"\textbackslash{}x1b[31mred",
    "\x07": r"\textbackslash{}x07",
    "\x85": r"\textbackslash{}x85",
    "a\u2028b": r"a\textbackslash{}u2028b",
    "\u202eright": r"\textbackslash{}u202eright",
    "\ufeffa": r"\textbackslash{}ufeffa",
    "a\u200bb": r"a\textbackslash{}u200bb",
    "caf\udce9": r"caf\textbackslash{}udce9",
    "a\xa0b": "a\xa0b",
    "▲▼": r"$\uparrow$$\downarrow$",
    "Größe": "Größe",
    "`'\"": "`'\"",
}


class Named(NamedTuple):
    """A table of names, as a page of a paper holds it."""

    columns: tuple[str, ...]
    rows: list[tuple[str, ...]]


HOSTILE = Named(("[name]", "*value", "-"), [(name, "-0.5", "[x]") for name in CELLS])


def compiles(text: str, folder: Path) -> str:
    """Compile the text, and return what TeX prints."""
    (folder / "paper.tex").write_text(f"{HEAD}{text}\\end{{document}}\n", encoding="utf-8")
    assert TEX is not None
    options = [] if TEX.endswith("tectonic") else ["-interaction=nonstopmode", "-halt-on-error"]
    done = subprocess.run([TEX, *options, "paper.tex"], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert (folder / "paper.pdf").stat().st_size > 1000
    return done.stdout


def test_hostile_names_are_cells_of_a_table() -> None:
    """No cell is an argument of the `\\\\` or `\\midrule` before it, and none ends a line."""
    lines = latex_tabular(*HOSTILE, 1)
    assert len(CELLS) == 40
    assert lines[2] == r"{}[name] & *value & - \\"
    assert lines[4:-2] == [rf"{cell} & \num{{-0.5}} & [x] \\" for cell in CELLS.values()]
    assert all("\n" not in line and "\r" not in line for line in lines)
    for earlier, later in pairwise(lines):
        if earlier.endswith((r"\\", "rule")):
            assert not later.lstrip().startswith(("[", "*"))


def test_control_characters_are_written_as_in_tables() -> None:
    runs = [rs.Run({"q1": {"a": 1.0, "b": b}, "q2": {"a": 1.0}}, name=n) for n, b in (("a\tb\x1b", 0.0), ("c\nd", 2.0))]
    result = rs.evaluate({"q1": {"a": 1}, "q2": {"a": 1}}, runs, ["RR"])
    table, latex, markdown = (render_result(result, form) for form in ("table", "latex", "markdown"))
    for name in (r"a\tb\x1b", r"c\nd"):
        assert name in table
        assert name.replace("\\", r"\textbackslash{}") in latex
        assert name.replace("\\", r"\\") in markdown
    assert not re.search("[\x00-\x09\x0b-\x1f]", table + latex + markdown)


def test_markdown_shows_an_entity_of_html_as_it_is_written() -> None:
    assert markdown_text("&lt;b&gt; & &#60; R&D; <i>") == "&amp;lt;b&amp;gt; & &amp;#60; R&amp;D; &lt;i>"


@pytest.mark.skipif(TEX is None, reason="no TeX on the PATH (pdflatex, lualatex, xelatex or tectonic)")
def test_hostile_names_compile(tmp_path: Path) -> None:
    compiles("\n".join([r"\providecommand{\num}[1]{\ensuremath{#1}}", *latex_tabular(*HOSTILE, 1), ""]), tmp_path)


@pytest.mark.skipif(TEX is None, reason="no TeX on the PATH (pdflatex, lualatex, xelatex or tectonic)")
def test_tables_of_scores_and_comparisons_compile(tmp_path: Path) -> None:
    qrels = {f"q{i}": {"a": 1, "b": 0} for i in range(8)}
    runs = [
        rs.Run({f"q{i}": {"a": 1.0, "b": float(i % k)} for i in range(8)}, name=name)
        for k, name in ((2, "50% & co_1"), (3, r"a\b~c^d#$"), (5, "{braces} <&> |"))
    ]
    scores = rs.evaluate(qrels, runs, ["RR", "AP"])
    text = render_scores(scores, "latex") + render_result(rs.compare(scores), "latex", details=True)
    for baseline in (None, scores.systems[0]):
        text += render_result(paper_table(rs.compare(scores, baseline=baseline), ["mean", "interval"]), "latex")
    compiles(text, tmp_path)


NINE = Table(
    columns=("system", "nDCG@10", "AP", "RR", "P@10", "R@100", "ERR@20", "bpref", "Rprec", "infAP"),
    rows=tuple((name, *[f"0.{i}{i + 1}{i + 2}4" for i in range(9)]) for name in ("bm25-rm3", "rerank")),
)


def test_a_table_that_fits_a_page_is_set_as_it_is_and_a_wider_one_in_smaller_letters() -> None:
    narrow = Table(columns=NINE.columns[:5], rows=tuple(row[:5] for row in NINE.rows))
    for table, is_fitted in ((narrow, False), (NINE, True)):
        lines, plain = fitted_tabular(table), latex_tabular(table.columns, table.rows, 1)
        assert (lines != plain) is is_fitted
        assert [line.removesuffix("%") for line in lines if line.removesuffix("%") in plain] == plain
    comment, opening, *_, closing = lines
    assert mentions([comment], "pt wide", "345 pt")
    assert (opening, closing) == (r"\begingroup\footnotesize\setlength{\tabcolsep}{2pt}%", r"\endgroup")
    widest = Table(columns=NINE.columns * 3, rows=tuple(row * 3 for row in NINE.rows))
    assert mentions(fitted_tabular(widest), "still wider", "graphicx")


@pytest.mark.skipif(TEX is None, reason="no TeX on the PATH (pdflatex, lualatex, xelatex or tectonic)")
def test_a_table_of_nine_measures_is_no_wider_than_the_text(tmp_path: Path) -> None:
    plain, fitted = (
        "\n".join([r"\setbox0=\hbox{%", *lines, r"}\typeout{width \the\wd0}"])
        for lines in (latex_tabular(NINE.columns, NINE.rows, 1), fitted_tabular(NINE))
    )
    printed = compiles(f"{plain}\n{fitted}\nA page.\n", tmp_path)
    width, fitted_width = (float(number) for number in re.findall(r"width ([\d.]+)pt", printed))
    assert width == pytest.approx(width_of(NINE.columns, NINE.rows), rel=0.05)
    assert fitted_width <= TEXT_WIDTH < width
