"""Supervised fusion methods, which learn from judgments."""

from __future__ import annotations

from rankscope.registry import TYPE_CHECKING, lazy_attributes

if TYPE_CHECKING:
    from rankscope.fusion.supervised.bayesfuse import LEVEL_ENDS as LEVEL_ENDS
    from rankscope.fusion.supervised.probfuse import SEGMENT_ENDS as SEGMENT_ENDS
    from rankscope.fusion.supervised.registry import TRAINED as TRAINED
    from rankscope.fusion.supervised.registry import TrainedMethod as TrainedMethod
    from rankscope.fusion.supervised.weighted_sums import weight_grid as weight_grid

HOMES = {
    "LEVEL_ENDS": "bayesfuse",
    "SEGMENT_ENDS": "probfuse",
    "TRAINED": "registry",
    "TrainedMethod": "registry",
    "weight_grid": "weighted_sums",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
