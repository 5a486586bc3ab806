"""Runs notebooks and makes pages of them: their text, their code, and what each cell shows."""

from __future__ import annotations

import ast
import contextlib
import io
import json
import tempfile
from collections.abc import Iterator
from html import escape
from pathlib import Path
from pprint import pformat
from typing import Any, NamedTuple
from unittest import mock

from rankscope.reporting.figures.saving import svg_text


class Cell(NamedTuple):
    """A cell that was run: a text cell shows nothing.

    Attributes
    ----------
    is_code
        Whether it is code; else text in Markdown.
    source
        What is written in it.
    printed
        What it printed.
    value
        The value of its last line.
    """

    is_code: bool
    source: str
    printed: str = ""
    value: Any = None


def run_notebook(path: Path) -> Iterator[Cell]:
    """The cells of a notebook, run one after the other in this process; its temporary files are gone at the end."""
    names: dict[str, Any] = {"__name__": "__main__"}
    with tempfile.TemporaryDirectory() as folder, mock.patch.object(tempfile, "tempdir", folder):
        for cell in json.loads(path.read_text("utf-8"))["cells"]:
            source = "".join(cell["source"])
            if cell["cell_type"] == "code":
                yield run_cell(source, names, f"{path.name}, cell {cell['id']}")
            else:
                yield Cell(is_code=False, source=source)


def run_cell(source: str, names: dict[str, Any], label: str) -> Cell:
    """Run a cell of code, as a notebook does: it shows the value of its last line, if that is an expression."""
    tree = ast.parse(source, label)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(tree, label, "exec"), names)
        value = eval(compile(ast.Expression(last.value), label, "eval"), names) if last is not None else None
    return Cell(is_code=True, source=source, printed=printed.getvalue(), value=value)


def page_of(path: Path) -> str:
    """The notebook as a page in Markdown, run, with a link to the file."""
    blocks = []
    for cell in run_notebook(path):
        blocks.append(f"```python\n{cell.source}\n```" if cell.is_code else cell.source)
        blocks += [f"```text\n{cell.printed.rstrip()}\n```"] if cell.printed else []
        blocks += [shown(cell.value)] if cell.value is not None else []
    title, *others = blocks
    link = f"This page is the notebook [{path.name}]({path.name}), run when the site was built."
    return "\n\n".join([title, link, *others]) + "\n"


def shown(value: Any) -> str:
    """A value as a notebook shows it: as HTML, as a picture, or as text."""
    if hasattr(value, "_repr_mimebundle_") and hasattr(value, "to_dict"):  # a chart, which else needs a script
        html = svg_text(value.to_dict())
    elif hasattr(value, "_repr_html_"):
        html = value._repr_html_().replace("<h4>", "<p><strong>").replace("</h4>", "</strong></p>")
    else:
        html = f"<pre>{escape(pformat(value, sort_dicts=False))}</pre>"
    return f'<div class="notebook-output" style="overflow-x: auto" tabindex="0">\n{html}\n</div>'
