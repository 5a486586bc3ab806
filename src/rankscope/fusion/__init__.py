"""Fusion of several runs into one run.

`pool` joins the runs by document. `methods` lists what needs no training, and `fuse_runs` applies it; `supervised`
holds what learns from judgments, and `tuning` trains it.

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
    "NORMALISATIONS": "normalisation",
    "TRAINED": "supervised.registry",
    "TrainedFusion": "tuning.result",
    "fuse": "fuse_runs",
    "load_fusion": "tuning.json_file",
    "run_features": "features",
    "save_fusion": "tuning.json_file",
    "train": "tuning.training",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
