"""Saving and loading rankers of PyTorch: a JSON header and arrays."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from rankscope.errors import ParameterError, UnknownName
from rankscope.io.core import DamagedFile
from rankscope.learning.model_files import feature_names_in, ranks_in
from rankscope.learning.model_files import network as saved_network
from rankscope.learning.scaling import column_count
from rankscope.learning.torch.device import load_pytorch
from rankscope.learning.torch.ranker import PARAMETERS, TorchRanker

__all__ = [
    "from_parts",
    "to_parts",
]


def to_parts(ranker: TorchRanker) -> tuple[dict[str, Any], dict[str, Any]]:
    """The JSON header, and the arrays by name."""
    return saved_network.to_parts(ranker)


def from_parts(header: dict[str, Any], arrays: dict[str, Any]) -> TorchRanker:
    """The ranker from its header and arrays, on a GPU where there is one, wherever it was trained.

    Raises NotInstalled without PyTorch; DamagedFile, KeyError and others for content that does not fit.
    """
    load_pytorch()
    parameters = {name: header["parameters"][name] for name in PARAMETERS}
    ranker = TorchRanker(**{**parameters, "hidden": tuple(parameters["hidden"]), "device": "auto"})
    try:
        with suppress(UnknownName):  # a measure or a loss of the user, which predicting does not need
            ranker.settings()
    except ParameterError as error:
        raise DamagedFile(str(error)) from None
    if ranker.attention > len(arrays):  # before so many shapes are listed
        raise DamagedFile(f"{ranker.attention} layers of attention, and {len(arrays)} arrays")
    ranker.ranks_ = ranks_in(header)
    width = column_count(len(feature_names_in(header)), ranker.ranks_)
    ranker.scaling_ = saved_network.scaling_of(header, arrays, width)
    saved_network.take_weights(ranker, header, arrays, ranker.shape(width, parameters).shapes())
    return ranker
