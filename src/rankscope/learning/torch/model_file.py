"""Rankers of PyTorch as JSON and arrays, and back."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from rankscope.errors import ParameterError, UnknownName
from rankscope.learning.model_files import DamagedModel, feature_names_in, ranks_in
from rankscope.learning.model_files import network as saved_network
from rankscope.learning.scaling import column_count
from rankscope.learning.torch.device import load_pytorch
from rankscope.learning.torch.ranker import PARAMETERS, TorchRanker

__all__ = [
    "parts",
    "rebuilt",
]


def parts(ranker: TorchRanker) -> tuple[dict[str, Any], dict[str, Any]]:
    """What is no array, and the arrays by name."""
    return saved_network.parts(ranker)


def rebuilt(about: dict[str, Any], arrays: dict[str, Any]) -> TorchRanker:
    """The ranker of a header and its arrays, to be used on a GPU where there is one, wherever it was trained.

    Raises NotInstalled without PyTorch; Damaged, KeyError and others for what does not fit.
    """
    load_pytorch()
    parameters = {name: about["parameters"][name] for name in PARAMETERS}
    ranker = TorchRanker(**{**parameters, "hidden": tuple(parameters["hidden"]), "device": "auto"})
    try:
        with suppress(UnknownName):  # a measure or a loss of somebody's own, which predicting does not ask for
            ranker.settings()
    except ParameterError as error:
        raise DamagedModel(str(error)) from None
    if ranker.attention > len(arrays):  # before so many shapes are written down
        raise DamagedModel(f"{ranker.attention} layers of attention, and {len(arrays)} arrays")
    ranker.ranks_ = ranks_in(about)
    width = column_count(len(feature_names_in(about)), ranker.ranks_)
    ranker.scaling_ = saved_network.scaling_of(arrays, width)
    saved_network.take_weights(ranker, about, arrays, ranker.shape(width, parameters).shapes())
    return ranker
