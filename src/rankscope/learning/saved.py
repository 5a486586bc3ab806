"""Models as files: safetensors, whose header holds the rest as JSON. Loading runs no code of the file's."""

from __future__ import annotations

import json
import os
from itertools import pairwise
from typing import Any

import numpy as np

from rankscope._version import __version__
from rankscope.errors import InputError, ParameterError
from rankscope.io.write import write_chunks
from rankscope.learning.descent import Trained
from rankscope.learning.ranker import PARAMETERS, Ranker
from rankscope.learning.scaling import Scaling

__all__ = ["check_saving", "load_ranker", "save_ranker"]

PathLike = str | os.PathLike[str]
#: Under which the header keeps what is no array, and which form that has.
KEY, FORM = "rankscope", 1


def safetensors() -> Any:
    """The module safetensors.numpy. Raises ParameterError where it is not installed."""
    try:
        import safetensors.numpy as found
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "safetensors":
            raise
        raise ParameterError("safetensors is not installed; pip install 'rankscope[learn]'") from None
    return found


def check_saving() -> None:
    """Raise ParameterError now rather than after training where models cannot be saved."""
    safetensors()


def save_ranker(ranker: Ranker, path: PathLike, *, signature: str = "") -> None:
    """Write a trained ranker, whole or not at all. signature: what else a reader of the file should know.

    Raises ParameterError for one that has not learned anything and where the extra `learn` is not installed;
    OutputError where it cannot be written.
    """
    if not hasattr(ranker, "models_"):
        raise ParameterError("this Ranker has not learned anything yet; call fit first")
    parameters = {**ranker.get_params(), "stop_on": str(ranker.stop_on), "hidden": [int(n) for n in ranker.hidden]}
    about = {
        "form": FORM,
        "version": __version__,
        "parameters": {name: plain(value) for name, value in parameters.items()},
        "features": list(ranker.feature_names_),
        "signature": signature,
        "models": [
            {"losses": list(one.losses), "values": list(one.values), "best_epoch": one.best_epoch}
            for one in ranker.models_
        ],
    }
    scaling = ranker.scaling_
    arrays = {"mean": scaling.mean, "deviation": scaling.deviation, "logged": scaling.logged.astype(np.uint8)}
    for m, model in enumerate(ranker.models_):
        arrays |= {f"weight.{m}.{i}": np.ascontiguousarray(one) for i, one in enumerate(model.weights)}
    write_chunks(path, [safetensors().save(arrays, metadata={KEY: json.dumps(about, allow_nan=True)})])


def plain(value: Any) -> Any:
    """A parameter as JSON has it."""
    return value.item() if isinstance(value, np.generic) else value


def load_ranker(path: PathLike) -> Ranker:
    """A ranker that `save_ranker` wrote, ready to predict.

    Raises InputError for a file that is damaged or is no such model, ParameterError without the extra `learn`.
    """
    library = safetensors()
    name = os.fspath(path)
    try:
        with open(path, "rb") as file:
            content = file.read()
    except OSError as error:
        raise InputError(f"{name}: cannot be read ({error.strerror or error}); expected a model of `train`") from None
    try:
        length = int.from_bytes(content[:8], "little")
        about = json.loads(json.loads(content[8 : 8 + length])["__metadata__"][KEY])
        arrays = library.load(content)
        return rebuilt(about, arrays)
    except Exception as error:  # whatever the bytes are, they are no model
        why = f"{type(error).__name__}: {error}".splitlines()[0]
        raise InputError(
            f"{name}: is no model that `rankscope train` wrote, or is damaged ({why[:120]}); train it again"
        ) from None


def rebuilt(about: dict[str, Any], arrays: dict[str, Any]) -> Ranker:
    """The ranker of a header and its arrays. Raises ValueError, KeyError and others for what does not fit."""
    if about["form"] != FORM:
        raise ValueError(f"form {about['form']}, expected {FORM}")
    parameters = {**about["parameters"], "hidden": tuple(about["parameters"]["hidden"])}
    ranker = Ranker(**{name: parameters[name] for name in PARAMETERS})
    ranker.check()
    width = len(about["features"])
    sizes = (width, *ranker.hidden, 1)
    for name in ("mean", "deviation", "logged"):
        if arrays[name].shape != (width,) or not np.isfinite(arrays[name]).all():
            raise ValueError(f"{name} does not fit {width} features")
    ranker.scaling_ = Scaling(
        mean=arrays["mean"].astype(np.float64),
        deviation=arrays["deviation"].astype(np.float64),
        logged=arrays["logged"] > 0,
    )
    ranker.models_ = []
    for m, one in enumerate(about["models"]):
        weights = [arrays[f"weight.{m}.{i}"] for i in range(2 * len(sizes) - 2)]
        shapes = [shape for pair in pairwise(sizes) for shape in (pair, pair[1:])]
        if [weight.shape for weight in weights] != shapes or not all(np.isfinite(weight).all() for weight in weights):
            raise ValueError("the weights do not fit the layers")
        ranker.models_.append(
            Trained(
                weights=weights,
                losses=tuple(one["losses"]),
                values=tuple(one["values"]),
                best_epoch=int(one["best_epoch"]),
            )
        )
    if not ranker.models_:
        raise ValueError("there is no model in it")
    ranker.feature_names_ = tuple(about["features"])
    ranker.n_features_in_ = width
    return ranker
