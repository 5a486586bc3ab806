"""The package ir_measures computed by rankscope: a provider for its pipeline, and its functions by name.

    from rankscope.compat import ir_measures  # instead of: import ir_measures

Names that are not defined here (measures, readers, `define`) come from ir_measures, which must be installed.
docs/ir_measures.md shows examples and lists the differences.
"""

from __future__ import annotations

from typing import Any

from rankscope.compat.ir_measures.rankscope_provider import (
    RankscopeEvaluator,
    RankscopeProvider,
    calc,
    calc_aggregate,
    evaluator,
    install,
    irm,
    iter_calc,
    pipeline,
    provider,
    uninstall,
)

__all__ = [
    "RankscopeEvaluator",
    "RankscopeProvider",
    "calc",
    "calc_aggregate",
    "evaluator",
    "install",
    "iter_calc",
    "pipeline",
    "provider",
    "uninstall",
]
__all__ += [name for name in irm.__all__ if name not in __all__]


def __getattr__(name: str) -> Any:
    """Names that are not defined here come from ir_measures."""
    if name.startswith("__") and name != "__version__":  # Python looks these up in every module
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(irm, name)
