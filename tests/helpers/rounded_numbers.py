"""The numbers that commands round to print them, and those that lie so near to a rounding edge that they could flip.

Run by test_rounding_edges.py in a process of its own, since the package is loaded with every rounding in it rewritten:
f-strings with a format (`f"{value:.4f}"`), `round` and `np.round`. Reads command lines as JSON from standard input and
writes, for each, the text and the numbers near an edge, as JSON.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import decode_source
from types import CodeType, ModuleType
from typing import Any

import numpy as np
from helpers.same import ABSOLUTE, RELATIVE

PACKAGE = "rankscope"
#: A number with so many digits and more is not rounded but printed in full.
FULL = 9
#: What is a whole number of such parts is the same everywhere: sums of halves, quarters and so on are not rounded.
EXACT = 1024

#: What stands in the source of every module that rounds, and in few others: those are not rewritten.
ROUNDS = re.compile(r"""\bround\(|\b(f|rf|fr)("{3}|["'].*\{[^{}\n]+:)""", re.IGNORECASE)

#: (place in the source, text, value) of what was rounded near an edge, by what golden files of numbers in full allow,
#: since this was last cleared.
near_an_edge: list[tuple[str, str, float]] = []


def rounded(value: Any, form: str, place: str) -> Any:
    """What `format(value, form)` gives."""
    text = format(value, form)
    if is_fraction(value) and flips(float(value), lambda x: format(x, form), in_full(form)):
        near_an_edge.append((place, text, float(value)))
    return text


def rounded_by(function: Any, value: Any, digits: int, place: str) -> Any:
    """What `round(value, digits)` or `np.round(value, digits)` gives; steps of last bits are no rounding for print."""
    result = function(value, digits)
    if digits < FULL:
        numbers = np.atleast_1d(np.asarray(value, dtype=np.float64)).ravel()
        near_an_edge.extend(
            (place, str(function(x, digits)), x)
            for x in numbers[np.isfinite(numbers)].tolist()
            if flips(x, lambda x: float(function(x, digits)), full=False)
        )
    return result


def is_fraction(value: Any) -> bool:
    return isinstance(value, float | np.floating) and bool(np.isfinite(value))


def in_full(form: str) -> bool:
    return sum(c.isdigit() for c in format(1 / 7, form)) >= FULL


def flips(value: float, shown: Callable[[float], Any], full: bool) -> bool:
    """Whether the number is shown otherwise if it is a little smaller or larger; in full: if it has all its digits."""
    if (value * EXACT).is_integer():
        return False
    if full:
        return len(repr(value).strip("-0.").replace(".", "")) >= FULL
    step = RELATIVE * abs(value) + ABSOLUTE
    return any(shown(value + way) != shown(value) for way in (-step, step))


class Rewritten(ast.NodeTransformer):
    """The source of a module with its roundings recorded."""

    def __init__(self, name: str) -> None:
        self.name = name

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.AST:
        self.generic_visit(node)
        if node.conversion != -1 or node.format_spec is None:
            return node
        node.value = self.call("rounded", node, node.value, node.format_spec)
        node.format_spec = None
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", None)
        if name != "round" or len(node.args) != 2 or ast.unparse(node.func) not in ("round", "np.round"):
            return node
        return self.call("rounded_by", node, node.func, *node.args)

    def call(self, name: str, node: ast.expr, *args: ast.expr) -> ast.Call:
        place = ast.Constant(f"{self.name}:{node.lineno}")
        call = ast.Call(ast.Name(f"__{name}__", ast.Load()), [*args, place], [])
        return ast.fix_missing_locations(ast.copy_location(call, node))


class Loader(SourceFileLoader):
    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        source = decode_source(self.get_data(path))
        if not ROUNDS.search(source):
            return super().get_code(fullname)  # compiled already
        return compile(Rewritten(fullname).visit(ast.parse(source)), path, "exec", dont_inherit=True)

    def exec_module(self, module: ModuleType) -> None:
        module.__dict__.update(__rounded__=rounded, __rounded_by__=rounded_by)
        super().exec_module(module)


class Finder(MetaPathFinder):
    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        spec = PathFinder.find_spec(name, path, target) if name.split(".")[0] == PACKAGE else None
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = Loader(spec.name, spec.loader.path)
        return spec


def results(commands: Sequence[Sequence[str]]) -> Iterator[dict[str, Any]]:
    from rankscope.cli.main import main

    for command in commands:
        near_an_edge.clear()
        with contextlib.redirect_stdout(io.StringIO()) as out:
            main(command)
        yield {"text": out.getvalue(), "near": list(dict.fromkeys(near_an_edge))}


if __name__ == "__main__":
    sys.meta_path.insert(0, Finder())
    json.dump(list(results(json.load(sys.stdin))), sys.stdout)
