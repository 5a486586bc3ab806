"""Saving and loading networks and linear scorers: a JSON header and arrays."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from itertools import pairwise
from typing import Any

import numpy as np

from rankscope.errors import UnknownName
from rankscope.io.core import DamagedFile
from rankscope.learning.model_files.model_file import (
    checked_array,
    feature_names_in,
    json_parameter,
    ranks_in,
)
from rankscope.learning.network import TrainedNetwork
from rankscope.learning.ranker import PARAMETERS, Ranker
from rankscope.learning.scaling import Scaling, column_count

__all__ = [
    "from_parts",
    "take_weights",
    "to_parts",
    "untrained",
]


#: The arrays of a scaling that are numbers.
SCALES = ("mean", "deviation", "low", "high")


def to_parts(ranker: Ranker) -> tuple[dict[str, Any], dict[str, Any]]:
    """The JSON header, and the arrays by name."""
    scaling: Any = ranker.scaling_  # not None for networks
    header = {
        "parameters": {name: json_parameter(value) for name, value in ranker.parameters_.items()},
        "features": list(ranker.feature_names_),
        "ranks": ranker.ranks_,
        "bound": scaling.bound if np.isfinite(scaling.bound) else None,
        "models": [
            {"losses": list(model.losses), "values": list(model.values), "best_epoch": model.best_epoch}
            for model in ranker.models_
        ],
    }
    models: list[Any] = ranker.models_
    arrays = {name: getattr(scaling, name) for name in SCALES} | {"logged": scaling.logged.astype(np.uint8)}
    for m, model in enumerate(models):
        arrays |= {f"weight.{m}.{i}": np.ascontiguousarray(weight) for i, weight in enumerate(model.weights)}
    return header, arrays


def from_parts(header: dict[str, Any], arrays: dict[str, Any]) -> Ranker:
    """The ranker from its header and arrays. Raises DamagedFile, KeyError and others for content that does not fit."""
    ranker = untrained(header)
    ranker.ranks_ = ranks_in(header)
    width = column_count(len(feature_names_in(header)), ranker.ranks_)
    ranker.scaling_ = scaling_of(header, arrays, width)
    sizes = (width, *ranker.hidden, 1)
    shapes = [shape for pair in pairwise(sizes) for shape in (pair, pair[1:])]
    take_weights(ranker, header, arrays, shapes)
    return ranker


def untrained(header: dict[str, Any]) -> Ranker:
    """A ranker with the parameters of a header. Raises as `rebuilt`."""
    parameters = {**header["parameters"], "hidden": tuple(header["parameters"]["hidden"])}
    ranker = Ranker(**{name: parameters[name] for name in PARAMETERS})
    with suppress(UnknownName):  # a measure or a loss of the user, which predicting does not need
        ranker.settings()
    return ranker


def take_weights(
    ranker: Ranker, header: dict[str, Any], arrays: dict[str, Any], shapes: Sequence[tuple[int, ...]]
) -> None:
    """Set a ranker's models and the names of its features. shapes: of a model's arrays. Raises as `rebuilt`."""
    if not header["models"]:
        raise DamagedFile("there are no weights")
    ranker.models_ = [
        TrainedNetwork(
            weights=[checked_array(arrays, f"weight.{m}.{i}", shape, "float32") for i, shape in enumerate(shapes)],
            losses=tuple(map(float, model_entry["losses"])),
            values=tuple(map(float, model_entry["values"])),
            best_epoch=int(model_entry["best_epoch"]),
        )
        for m, model_entry in enumerate(header["models"])
    ]
    ranker.feature_names_ = feature_names_in(header)
    ranker.n_features_in_ = len(ranker.feature_names_)
    ranker.parameters_ = ranker.get_params()


def scaling_of(header: dict[str, Any], arrays: dict[str, Any], width: int) -> Scaling:
    """The scaling of features. Raises as `rebuilt`."""
    scales = {name: checked_array(arrays, name, (width,), "float64") for name in SCALES}
    if not (scales["deviation"] >= 0).all():  # 0 for features that are not used
        raise DamagedFile("deviation is below 0")
    bound = header["bound"]
    if bound is not None and not (isinstance(bound, float) and 0 < bound < np.inf):
        raise DamagedFile(f"bound is {bound!r}, expected a number above 0 or null")
    return Scaling(
        **scales,
        logged=checked_array(arrays, "logged", (width,), "uint8") > 0,
        bound=np.inf if bound is None else bound,
    )
