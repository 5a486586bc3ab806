"""Boosted trees as JSON and arrays, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankscope.learning.lambdamart import BoostedTrees, TreeEnsemble
from rankscope.learning.model_files.model_file import (
    DamagedModel,
    checked_array,
    feature_names_in,
    json_parameter,
    ranks_in,
)
from rankscope.learning.model_files.network import untrained
from rankscope.learning.ranker import Ranker
from rankscope.learning.scaling import column_count

__all__ = [
    "parts",
    "rebuilt",
]


#: Of a forest, and the type and shape after that of nodes or trees.
ARRAYS = (
    ("feature", "int32", (None,)),
    ("threshold", "float64", (None,)),
    ("children", "int32", (None, 2)),
    ("worth", "float64", (None,)),
    ("roots", "int32", (None,)),
)


def parts(ranker: Ranker) -> tuple[dict[str, Any], dict[str, Any]]:
    """What is no array, and the arrays by name."""
    models: list[Any] = ranker.models_  # of this kind
    about = {
        "parameters": {name: json_parameter(value) for name, value in ranker.parameters_.items()},
        "features": list(ranker.feature_names_),
        "ranks": ranker.ranks_,
        "models": [
            {"losses": list(one.losses), "values": list(one.values), "best_epoch": one.best_epoch, "grown": one.grown}
            for one in models
        ],
    }
    arrays = {
        f"{name}.{m}": np.ascontiguousarray(getattr(model.forest, name))
        for m, model in enumerate(models)
        for name, _, _ in ARRAYS
    }
    return about, arrays


def rebuilt(about: dict[str, Any], arrays: dict[str, Any]) -> Ranker:
    """The ranker of a header and its arrays. Raises Damaged, KeyError and others for what does not fit."""
    ranker = untrained(about)
    names = feature_names_in(about)
    if not about["models"]:
        raise DamagedModel("there are no trees")
    ranker.scaling_, ranker.ranks_ = None, ranks_in(about)
    ranker.models_ = [
        BoostedTrees(
            forest=forest_in(arrays, m, column_count(len(names), ranker.ranks_)),
            losses=tuple(map(float, one["losses"])),
            values=tuple(map(float, one["values"])),
            best_epoch=int(one["best_epoch"]),
            grown=int(one["grown"]),
        )
        for m, one in enumerate(about["models"])
    ]
    ranker.feature_names_, ranker.n_features_in_ = names, len(names)
    ranker.parameters_ = ranker.get_params()
    return ranker


def forest_in(arrays: dict[str, Any], m: int, width: int) -> TreeEnsemble:
    """The trees of one model, from whose every node one comes to a leaf. Raises as `rebuilt`."""
    found = {name: checked_array(arrays, f"{name}.{m}", shape, dtype) for name, dtype, shape in ARRAYS}
    nodes = found["feature"].size
    for name in ("threshold", "children", "worth"):
        if len(found[name]) != nodes:
            raise DamagedModel(f"{name}.{m} is of {len(found[name])} nodes, expected {nodes}")
    if not found["roots"].size:
        raise DamagedModel(f"roots.{m} has no tree")
    own, children = np.arange(nodes)[:, None], found["children"]
    if ((children < own) | (children >= nodes)).any() or ((children == own).sum(axis=1) == 1).any():
        raise DamagedModel(f"children.{m} holds a node that leads nowhere")
    for name, below in (("feature", width), ("roots", nodes)):
        if ((found[name] < 0) | (found[name] >= below)).any():
            raise DamagedModel(f"{name}.{m} is not below {below}")
    return TreeEnsemble(**found)
