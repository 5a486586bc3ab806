"""The registry of figures: `@figure` registers a function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, TypeVar

__all__ = [
    "FIGURES",
    "figure",
]


Drawing = TypeVar("Drawing", bound=Callable[..., Any])
functions: dict[str, Callable[..., Any]] = {}
#: Every figure, by the name that `rankscope.data.section.Figure` gives.
FIGURES: Mapping[str, Callable[..., Any]] = MappingProxyType(functions)


def figure(function: Drawing) -> Drawing:
    """Register a function as a figure, under its own name.

    Raises
    ------
    ValueError
        Two figures have one name.
    """
    name = function.__name__
    if name in functions:
        raise ValueError(f"there are two figures called {name!r}; rename one")
    functions[name] = function
    return function
