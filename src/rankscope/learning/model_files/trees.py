"""Saving and loading boosted trees: a JSON header and arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankscope.io.core import DamagedFile
from rankscope.learning.lambdamart import BoostedTrees, TreeEnsemble
from rankscope.learning.model_files.model_file import (
    checked_array,
    feature_names_in,
    json_parameter,
    ranks_in,
)
from rankscope.learning.model_files.network import untrained
from rankscope.learning.ranker import Ranker
from rankscope.learning.scaling import column_count

__all__ = [
    "from_parts",
    "to_parts",
]


#: The arrays of a forest: name, type and shape.
ARRAYS = (
    ("feature", "int32", (None,)),
    ("threshold", "float64", (None,)),
    ("children", "int32", (None, 2)),
    ("worth", "float64", (None,)),
    ("roots", "int32", (None,)),
)


def to_parts(ranker: Ranker) -> tuple[dict[str, Any], dict[str, Any]]:
    """The JSON header, and the arrays by name."""
    models: list[Any] = ranker.models_  # of BoostedTrees
    header = {
        "parameters": {name: json_parameter(value) for name, value in ranker.parameters_.items()},
        "features": list(ranker.feature_names_),
        "ranks": ranker.ranks_,
        "models": [
            {
                "losses": list(model.losses),
                "values": list(model.values),
                "best_epoch": model.best_epoch,
                "grown": model.grown,
            }
            for model in models
        ],
    }
    arrays = {
        f"{name}.{m}": np.ascontiguousarray(getattr(model.forest, name))
        for m, model in enumerate(models)
        for name, _, _ in ARRAYS
    }
    return header, arrays


def from_parts(header: dict[str, Any], arrays: dict[str, Any]) -> Ranker:
    """The ranker from its header and arrays. Raises DamagedFile, KeyError and others for content that does not fit."""
    ranker = untrained(header)
    names = feature_names_in(header)
    if not header["models"]:
        raise DamagedFile("there are no trees")
    ranker.scaling_, ranker.ranks_ = None, ranks_in(header)
    ranker.models_ = [
        BoostedTrees(
            forest=forest_in(arrays, m, column_count(len(names), ranker.ranks_)),
            losses=tuple(map(float, model_entry["losses"])),
            values=tuple(map(float, model_entry["values"])),
            best_epoch=int(model_entry["best_epoch"]),
            grown=int(model_entry["grown"]),
        )
        for m, model_entry in enumerate(header["models"])
    ]
    ranker.feature_names_, ranker.n_features_in_ = names, len(names)
    ranker.parameters_ = ranker.get_params()
    return ranker


def forest_in(arrays: dict[str, Any], m: int, width: int) -> TreeEnsemble:
    """The trees of one model, checked so that every node leads to a leaf. Raises as `rebuilt`."""
    forest_arrays = {name: checked_array(arrays, f"{name}.{m}", shape, dtype) for name, dtype, shape in ARRAYS}
    n_nodes = forest_arrays["feature"].size
    for name in ("threshold", "children", "worth"):
        if len(forest_arrays[name]) != n_nodes:
            raise DamagedFile(f"{name}.{m} is of {len(forest_arrays[name])} nodes, expected {n_nodes}")
    if not forest_arrays["roots"].size:
        raise DamagedFile(f"roots.{m} has no tree")
    node_index, children = np.arange(n_nodes)[:, None], forest_arrays["children"]
    if ((children < node_index) | (children >= n_nodes)).any() or ((children == node_index).sum(axis=1) == 1).any():
        raise DamagedFile(f"children.{m} holds a node that leads nowhere")
    for name, limit in (("feature", width), ("roots", n_nodes)):
        if ((forest_arrays[name] < 0) | (forest_arrays[name] >= limit)).any():
            raise DamagedFile(f"{name}.{m} is not below {limit}")
    return TreeEnsemble(**forest_arrays)
