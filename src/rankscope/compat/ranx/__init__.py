"""The package ranx: its Qrels, Run, `evaluate` and `fuse`.

    from rankscope.compat import ranx  # instead of: import ranx

docs/ranx.md shows examples and lists the differences.
"""

from __future__ import annotations

from rankscope.registry import TYPE_CHECKING, lazy_attributes

if TYPE_CHECKING:
    from rankscope.compat.ranx.evaluation import evaluate as evaluate
    from rankscope.compat.ranx.fusion import fuse as fuse
    from rankscope.compat.ranx.qrels import Qrels as Qrels
    from rankscope.compat.ranx.run import Run as Run

HOMES = {
    "Qrels": "qrels",
    "Run": "run",
    "evaluate": "evaluation",
    "fuse": "fusion",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
