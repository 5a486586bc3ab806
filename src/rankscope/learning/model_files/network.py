"""Networks and linear scorers as JSON and arrays, and back."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from itertools import pairwise
from typing import Any

import numpy as np

from rankscope.errors import UnknownName
from rankscope.learning.model_files.model_file import (
    DamagedModel,
    checked_array,
    feature_names_in,
    json_parameter,
    ranks_in,
)
from rankscope.learning.network import TrainedNetwork
from rankscope.learning.ranker import PARAMETERS, Ranker
from rankscope.learning.scaling import Scaling, column_count

__all__ = [
    "parts",
    "rebuilt",
    "take_weights",
    "untrained",
]


def parts(ranker: Ranker) -> tuple[dict[str, Any], dict[str, Any]]:
    """What is no array, and the arrays by name."""
    about = {
        "parameters": {name: json_parameter(value) for name, value in ranker.parameters_.items()},
        "features": list(ranker.feature_names_),
        "ranks": ranker.ranks_,
        "models": [
            {"losses": list(one.losses), "values": list(one.values), "best_epoch": one.best_epoch}
            for one in ranker.models_
        ],
    }
    scaling: Any = ranker.scaling_  # of this kind, as the models
    models: list[Any] = ranker.models_
    arrays = {"mean": scaling.mean, "deviation": scaling.deviation, "logged": scaling.logged.astype(np.uint8)}
    for m, model in enumerate(models):
        arrays |= {f"weight.{m}.{i}": np.ascontiguousarray(one) for i, one in enumerate(model.weights)}
    return about, arrays


def rebuilt(about: dict[str, Any], arrays: dict[str, Any]) -> Ranker:
    """The ranker of a header and its arrays. Raises Damaged, KeyError and others for what does not fit."""
    ranker = untrained(about)
    ranker.ranks_ = ranks_in(about)
    width = column_count(len(feature_names_in(about)), ranker.ranks_)
    ranker.scaling_ = scaling_of(arrays, width)
    sizes = (width, *ranker.hidden, 1)
    shapes = [shape for pair in pairwise(sizes) for shape in (pair, pair[1:])]
    take_weights(ranker, about, arrays, shapes)
    return ranker


def untrained(about: dict[str, Any]) -> Ranker:
    """A ranker with the parameters of a header. Raises as `rebuilt`."""
    parameters = {**about["parameters"], "hidden": tuple(about["parameters"]["hidden"])}
    ranker = Ranker(**{name: parameters[name] for name in PARAMETERS})
    with suppress(UnknownName):  # a measure or a loss of somebody's own, which predicting does not ask for
        ranker.settings()
    return ranker


def take_weights(
    ranker: Ranker, about: dict[str, Any], arrays: dict[str, Any], shapes: Sequence[tuple[int, ...]]
) -> None:
    """Give a ranker its models and the names of its features. shapes: of a model's arrays. Raises as `rebuilt`."""
    if not about["models"]:
        raise DamagedModel("there are no weights")
    ranker.models_ = [
        TrainedNetwork(
            weights=[checked_array(arrays, f"weight.{m}.{i}", shape, "float32") for i, shape in enumerate(shapes)],
            losses=tuple(map(float, one["losses"])),
            values=tuple(map(float, one["values"])),
            best_epoch=int(one["best_epoch"]),
        )
        for m, one in enumerate(about["models"])
    ]
    ranker.feature_names_ = feature_names_in(about)
    ranker.n_features_in_ = len(ranker.feature_names_)
    ranker.parameters_ = ranker.get_params()


def scaling_of(arrays: dict[str, Any], width: int) -> Scaling:
    """What is done to features. Raises as `rebuilt`."""
    deviation = checked_array(arrays, "deviation", (width,), "float64")
    if not (deviation >= 0).all():  # 0: of features that never varied
        raise DamagedModel("deviation is below 0")
    return Scaling(
        mean=checked_array(arrays, "mean", (width,), "float64"),
        deviation=deviation,
        logged=checked_array(arrays, "logged", (width,), "uint8") > 0,
    )
