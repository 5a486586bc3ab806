"""Rankers of PyTorch as plain JSON and arrays, and back: as those of networks, with more parameters."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from rankscope.errors import ParameterError, UnknownName
from rankscope.learning import saved_network
from rankscope.learning.descent import Trained
from rankscope.learning.list_ranks import with_rank_columns
from rankscope.learning.saved_checks import Damaged, checked, names_in, ranks_in
from rankscope.learning.torch.installed import pytorch
from rankscope.learning.torch.torch_ranker import PARAMETERS, TorchRanker

__all__ = ["parts", "rebuilt"]


def parts(ranker: TorchRanker) -> tuple[dict[str, Any], dict[str, Any]]:
    """What is no array, and the arrays by name."""
    return saved_network.parts(ranker)


def rebuilt(about: dict[str, Any], arrays: dict[str, Any]) -> TorchRanker:
    """The ranker of a header and its arrays, to be used on a GPU where there is one, wherever it was trained.

    Raises NotInstalled without PyTorch; Damaged, KeyError and others for what does not fit.
    """
    pytorch()
    parameters = {name: about["parameters"][name] for name in PARAMETERS}
    ranker = TorchRanker(**{**parameters, "hidden": tuple(parameters["hidden"]), "device": "auto"})
    try:
        with suppress(UnknownName):  # a measure or a loss of somebody's own, which predicting does not ask for
            ranker.settings()
    except ParameterError as error:
        raise Damaged(str(error)) from None
    names = names_in(about)
    if ranker.attention > len(arrays):  # before so many shapes are written down
        raise Damaged(f"{ranker.attention} layers of attention, and {len(arrays)} arrays")
    ranker.ranks_ = ranks_in(about)
    width = with_rank_columns(len(names), ranker.ranks_)
    ranker.scaling_ = saved_network.scaling_of(arrays, width)
    shapes = ranker.shape(width, parameters).shapes()
    if not about["models"]:
        raise Damaged("there are no weights")
    ranker.models_ = [
        Trained(
            weights=[checked(arrays, f"weight.{m}.{i}", shape, "float32") for i, shape in enumerate(shapes)],
            losses=tuple(map(float, one["losses"])),
            values=tuple(map(float, one["values"])),
            best_epoch=int(one["best_epoch"]),
        )
        for m, one in enumerate(about["models"])
    ]
    ranker.feature_names_, ranker.n_features_in_ = names, len(names)
    ranker.parameters_ = ranker.get_params()
    return ranker
