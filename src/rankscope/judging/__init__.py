"""Making judgments: what to judge next, samples of pools, estimates from few human labels beside many of a machine."""

from __future__ import annotations

from rankscope._lazy import lazy

#: Where each public name lives. Loaded when first asked for.
HOMES: dict[str, str] = {}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy(__name__, HOMES, ())
