"""The table of figures, which fills itself: a function with `@figure(example)` above it is in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np

__all__ = [
    "EXAMPLES",
    "FIGURES",
    "figure",
]


Drawing = TypeVar("Drawing", bound=Callable[..., Any])
#: Data of a figure, as keyword arguments: of things with these names, seen on so many queries.
Example = Callable[[Sequence[str], int, np.random.Generator], Mapping[str, Any]]
functions: dict[str, Callable[..., Any]] = {}
examples: dict[str, Example] = {}
#: Every figure by the name that `rankscope.data.section.Figure` gives, and what makes data to draw it of.
FIGURES: Mapping[str, Callable[..., Any]] = MappingProxyType(functions)
EXAMPLES: Mapping[str, Example] = MappingProxyType(examples)


def figure(example: Example) -> Callable[[Drawing], Drawing]:
    """Put a function into the table of figures, under its own name.

    example: `(names, queries, rng) -> arguments`, by which the tests draw it, also of names that nobody should give.
    Raises ValueError where two figures have one name.
    """

    def enter(function: Drawing) -> Drawing:
        name = function.__name__
        if name in functions:
            raise ValueError(f"there are two figures called {name!r}; rename one")
        functions[name], examples[name] = function, example
        return function

    return enter
