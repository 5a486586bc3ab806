"""Many runs into one run.

>>> import rankscope as rs
>>> one, other = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"q": {"b": 30.0, "c": 20.0, "a": 10.0}}
>>> [row[1:] for row in rs.fusion.fuse([one, other], "borda").frame().rows()]
[('b', 5.0), ('a', 4.0), ('c', 3.0)]
"""

from __future__ import annotations

from rankscope.registry import lazy_attributes

#: Where each public name lives, a module here. Loaded when first asked for.
HOMES = {
    "METHODS": "methods",
    "NORMALISATIONS": "scaling",
    "TRAINED": "trained",
    "TrainedFusion": "tuned",
    "fuse": "fused",
    "load_fusion": "saved",
    "run_features": "run_columns",
    "save_fusion": "saved",
    "train": "tuning",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
