"""`scipy.special` in the process of a command: its functions at once, the rest of it when something asks for it.

All of it takes a tenth of a second to import, as long as NumPy and everything of a small comparison together: it wraps
each function for other array libraries, and loads most of NumPy's own modules for that. Statistics call the functions
alone, which are compiled and stand in a module of their own.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

__all__ = [
    "load_functions_first",
]


NAME = "scipy.special"


def load_functions_first() -> None:
    """Let the first import of `scipy.special` load its functions alone. Without effect once it is imported."""
    if NAME not in sys.modules:
        sys.meta_path.insert(0, SpecialFinder())


class SpecialFinder:
    """Finds `scipy.special`, once."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != NAME:
            return None
        sys.meta_path.remove(self)
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            loader: Any = FunctionsLoader(spec.loader)
            spec.loader = loader
        return spec


class FunctionsLoader:
    """Loads the functions of `scipy.special`, and all of it by its own loader when a name is not among them."""

    def __init__(self, loader: Any) -> None:
        self.loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        module: ModuleType | None = self.loader.create_module(spec)
        return module

    def exec_module(self, module: ModuleType) -> None:
        def load_name(name: str) -> Any:
            # What it loads asks it for names that it does not have yet.
            vars(module).pop("__getattr__", None)
            self.load_all(module)
            return getattr(module, name)

        try:
            from scipy.special import _ufuncs as functions
        except ImportError:  # a SciPy that keeps them elsewhere
            self.load_all(module)
            return
        vars(module).update({name: getattr(functions, name) for name in functions.__all__})
        vars(module)["__getattr__"] = load_name

    def load_all(self, module: ModuleType) -> None:
        spec = module.__spec__
        if spec is not None:
            spec.loader = module.__loader__ = self.loader
        self.loader.exec_module(module)
