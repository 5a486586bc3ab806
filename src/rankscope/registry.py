"""Names that are loaded when they are first used: attributes of packages, and tables of named things."""

from __future__ import annotations

import importlib
import sys
from collections.abc import MutableMapping

TYPE_CHECKING = False  # as in typing, which takes longer to load than everything else here
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping
    from typing import Any

__all__ = ["LazyRegistry", "lazy_attributes", "resolve"]


def resolve(path: str) -> Any:
    """The object at a path.

    Parameters
    ----------
    path
        A module and a name in it, as "rankscope.measures.binary:P" or "rankscope.data.scores:Scores.of"; without a
        name, the module.
    """
    module_name, _, name = path.partition(":")
    target = importlib.import_module(module_name)
    for part in filter(None, name.split(".")):
        target = getattr(target, part)
    return target


class LazyRegistry(MutableMapping):  # type: ignore[type-arg]  # typing is not loaded here
    """Objects by name, loaded when they are first used.

    Parameters
    ----------
    entries
        Name -> object, or its path, as `resolve` takes it.
    """

    def __init__(self, entries: Mapping[str, Any]) -> None:
        self._entries: dict[str, Any] = dict(entries)

    def __getitem__(self, name: str) -> Any:
        entry = self._entries[name]
        if isinstance(entry, str):
            entry = self._entries[name] = resolve(entry)
        return entry

    def __setitem__(self, name: str, entry: Any) -> None:
        self._entries[name] = entry

    def __delitem__(self, name: str) -> None:
        del self._entries[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __len__(self) -> int:
        return len(self._entries)


def lazy_attributes(
    package: str, homes: Mapping[str, str], packages: Collection[str] = ()
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a package (PEP 562), so that importing it costs nothing.

    Parameters
    ----------
    package
        Name of the package.
    homes
        Public name -> the module in the package that defines it.
    packages
        Sub-packages that are also attributes.
    """

    def load_attribute(name: str) -> Any:
        if name in packages:
            return importlib.import_module(f"{package}.{name}")
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(f"{package}.{homes[name]}"), name)
        setattr(sys.modules[package], name, value)  # found without this function from now on
        return value

    return load_attribute, lambda: sorted(sys.modules[package].__all__)
