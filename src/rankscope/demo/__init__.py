"""A test collection that the project simulates itself, and a guided tour on it."""

from __future__ import annotations

from rankscope.registry import lazy_attributes

#: Where each public name lives. Loaded when first asked for.
HOMES: dict[str, str] = {
    "write_demo": "tour",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES, ())
