"""Experiments with rankers: cross-validation, random search, ablation, importance of features.

>>> import rankscope as rs
>>> rs.experiments.cross_validate.__name__
'cross_validate'
"""

from __future__ import annotations

from rankscope.registry import lazy_attributes

#: Where each public name lives, a module here. Loaded when first asked for.
HOMES = {
    "CrossValidation": "crossvalidation.result",
    "FeatureAblation": "ablation",
    "FeatureImportance": "permutation_importance",
    "Search": "random_search",
    "ablate": "ablation",
    "cross_validate": "crossvalidation.run",
    "feature_importance": "model_importance",
    "search": "random_search",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
