"""Write the sentences of settings into the `Parameters` sections of the public functions that take them.

Run by `make docs`; a test compares. Other parameters in a section stay as they are.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
import textwrap
from pathlib import Path
from typing import Any

import rankscope
from rankscope.registry import resolve
from rankscope.settings import Settings, parameters_text

WIDTH = 120
#: A section of a NumPy docstring begins with a title that is underlined.
SECTION = re.compile(r"^( *)Parameters\n *-{3,}\n", re.MULTILINE)
NEXT_SECTION = re.compile(r"^ *[A-Z][a-z]+\n *-{3,}\n", re.MULTILINE)


def main() -> None:
    for module in pkgutil.walk_packages(rankscope.__path__, "rankscope."):
        importlib.import_module(module.name)
    texts: dict[str, dict[str, str]] = {}
    for settings_class in subclasses(Settings):
        for path in settings_class.FUNCTIONS:
            texts.setdefault(path, {}).update(parameters_text(settings_class))
    for path, sentences in texts.items():
        function = resolve(path)
        source = Path(inspect.getsourcefile(function) or "")
        text = source.read_text(encoding="utf-8")
        docstring = raw_docstring(text, function)
        text = text.replace(
            docstring, with_parameters(docstring, sentences, list(inspect.signature(function).parameters))
        )
        source.write_text(text, encoding="utf-8")


def subclasses(base: type[Settings]) -> set[type[Settings]]:
    return {found for child in base.__subclasses__() for found in (child, *subclasses(child))}


def raw_docstring(text: str, function: Any) -> str:
    """The docstring as it stands in the source, with its indentation."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name == function.__name__:
            expression = node.body[0]
            assert isinstance(expression, ast.Expr), function
            return (ast.get_source_segment(text, expression.value) or "").strip('"')
    raise AssertionError(function)


def with_parameters(docstring: str, sentences: dict[str, str], order: list[str]) -> str:
    """The docstring with these sentences in its `Parameters`, in the order of the signature."""
    match = SECTION.search(docstring)
    if match is None:
        return docstring
    following = NEXT_SECTION.search(docstring, match.end())
    end = len(docstring) if following is None else following.start()
    indent = match.group(1)  # of a method it is deeper than that of a function
    entries = read_entries(textwrap.dedent(docstring[match.end() : end].rstrip(" ")))
    for argument, sentence in sentences.items():
        entries = {
            ", ".join(others): text
            for names, text in entries.items()
            if (others := [name for name in names.split(", ") if name != argument])
        }
        entries[argument] = textwrap.wrap(
            sentence, WIDTH - len(indent) - 4, break_long_words=False, break_on_hyphens=False
        )
    ordered = sorted(entries, key=lambda names: order.index(names.split(", ")[0].lstrip("*")))
    lines = [
        line for names in ordered for line in (f"{indent}{names}", *(f"{indent}    {text}" for text in entries[names]))
    ]
    tail = f"\n{indent}" if following is None else "\n\n"
    return docstring[: match.end()] + "\n".join(lines) + tail + docstring[end:]


def read_entries(section: str) -> dict[str, list[str]]:
    """Names of parameters -> the lines of their text."""
    entries: dict[str, list[str]] = {}
    for line in section.splitlines():
        if line.startswith(" "):
            entries[list(entries)[-1]].append(line.strip())
        elif line.strip():
            entries[line.strip()] = []
    return entries


if __name__ == "__main__":
    main()
