"""Whole studies over several parts of the package.

>>> import rankscope as rs
>>> rs.experiments.cross_validate.__name__
'cross_validate'
"""

from __future__ import annotations

import importlib
from typing import Any

#: Where each public name lives, a module here. Loaded when first asked for.
HOMES = {
    "CrossValidation": "crossvalidated",
    "TranslationExperiment": "mt_outcome",
    "cross_validate": "crossvalidation",
    "translation_experiment": "mt_experiment",
}

__all__ = sorted(HOMES)


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"module 'rankscope.experiments' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"rankscope.experiments.{HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(HOMES)
