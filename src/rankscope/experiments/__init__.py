"""Whole studies over several parts of the package.

>>> import rankscope as rs
>>> rs.experiments.cross_validate.__name__
'cross_validate'
"""

from __future__ import annotations

from rankscope.registry import lazy_attributes

#: Where each public name lives, a module here. Loaded when first asked for.
HOMES = {
    "CrossValidation": "crossvalidated",
    "FeatureAblation": "ablated",
    "FeatureImportance": "feature_importance",
    "Search": "searched",
    "TranslationExperiment": "mt_outcome",
    "ablate": "ablating",
    "cross_validate": "crossvalidation",
    "search": "searching",
    "translation_experiment": "mt_experiment",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
