"""The registry of figures: `@figure(example)` registers a function."""

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
#: Makes example data of a figure, as keyword arguments, from names, a number of queries and a Generator.
Example = Callable[[Sequence[str], int, np.random.Generator], Mapping[str, Any]]
functions: dict[str, Callable[..., Any]] = {}
examples: dict[str, Example] = {}
#: Every figure, and its example data, by the name that `rankscope.data.section.Figure` gives.
FIGURES: Mapping[str, Callable[..., Any]] = MappingProxyType(functions)
EXAMPLES: Mapping[str, Example] = MappingProxyType(examples)


def figure(example: Example) -> Callable[[Drawing], Drawing]:
    """Register a function as a figure, under its own name.

    Parameters
    ----------
    example
        `(names, queries, rng) -> arguments`, with which the tests draw it, also with hostile names.

    Raises
    ------
    ValueError
        Two figures have one name.
    """

    def register(function: Drawing) -> Drawing:
        name = function.__name__
        if name in functions:
            raise ValueError(f"there are two figures called {name!r}; rename one")
        functions[name], examples[name] = function, example
        return function

    return register
