"""Public names that are imported when they are first asked for, so that importing a package costs nothing."""

from __future__ import annotations

import importlib
import sys

TYPE_CHECKING = False  # as in typing, which takes longer to load than all else that a package needs for this
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from typing import Any

__all__ = ["lazy"]


def lazy(
    package: str, homes: Mapping[str, str], packages: Collection[str] = ()
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a package (PEP 562).

    homes: each public name and the module in the package where it lives. packages: those in it that are reached by
    their names as well.
    """

    def find(name: str) -> Any:
        if name in packages:
            return importlib.import_module(f"{package}.{name}")
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(f"{package}.{homes[name]}"), name)
        setattr(sys.modules[package], name, value)  # found at once from now on
        return value

    return find, lambda: sorted(sys.modules[package].__all__)
