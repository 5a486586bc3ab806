"""Each parameter of what is public has a line of its own in the docstring."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import rankscope


def public_packages() -> list[str]:
    """`rankscope` and its public sub-packages."""
    modules = pkgutil.iter_modules(rankscope.__path__, "rankscope.")
    return ["rankscope", *(module.name for module in modules if module.ispkg and "._" not in module.name)]


def public_functions(package: str) -> Iterator[tuple[str, Callable[..., Any]]]:
    """The functions and classes in `__all__`, and the public methods of these classes, with their names."""
    module = importlib.import_module(package)
    for name in getattr(module, "__all__", ()):
        value = getattr(module, name)
        if not (inspect.isfunction(value) or inspect.isclass(value)) or not value.__module__.startswith("rankscope."):
            continue
        if inspect.isclass(value) and issubclass(value, Exception):  # which users catch and do not make
            continue
        yield f"{package}.{name}", value
        if inspect.isclass(value):
            for method_name, method in vars(value).items():
                if inspect.isfunction(method) and not method_name.startswith("_"):
                    yield f"{package}.{name}.{method_name}", method


def undescribed_parameters(function: Callable[..., Any]) -> list[str]:
    """The parameters without a line of their own in the docstring."""
    try:
        parameters = [name for name in inspect.signature(function).parameters if name not in ("self", "cls")]
    except ValueError:  # a class made in C, as an exception
        return []
    docstring = inspect.getdoc(function) or ""
    lines = re.findall(r"^ *((?:\*{0,2}\w+, )*\*{0,2}\w+)$", docstring, re.MULTILINE)
    described = {name.lstrip("*") for line in lines for name in line.split(", ")}
    return [name for name in parameters if name not in described]


def test_each_parameter_of_what_is_public_is_described() -> None:
    missing = {
        name: undescribed
        for package in public_packages()
        for name, function in public_functions(package)
        if (undescribed := undescribed_parameters(function))
    }
    assert missing == {}, "describe these in a section Parameters (of classes: Attributes)"


@pytest.mark.parametrize(
    ("docstring", "missing"),
    [
        ("One.\n\nParameters\n----------\na, b\n    Two numbers.", []),
        ("One.\n\nParameters\n----------\na\n    A number.", ["b"]),
        ("a: a number. b: another.", ["a", "b"]),
    ],
)
def test_a_line_of_its_own_is_what_counts(docstring: str, missing: list[str]) -> None:
    def function(a: int, b: int) -> None: ...

    function.__doc__ = docstring
    assert undescribed_parameters(function) == missing
