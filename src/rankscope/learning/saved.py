"""Models as files: safetensors, whose header holds the rest as JSON. Loading runs no code of the file's."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from itertools import pairwise
from typing import Any, NoReturn

import numpy as np

from rankscope._version import __version__
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.io.write import write_chunks
from rankscope.learning.descent import Trained
from rankscope.learning.ranker import PARAMETERS, Ranker
from rankscope.learning.scaling import Scaling
from rankscope.measures.base import Measure

__all__ = ["check_saving", "load_ranker", "save_ranker"]

PathLike = str | os.PathLike[str]
#: Where the header keeps what is no array, under which name, and which form that has.
METADATA, KEY, FORM = "__metadata__", "rankscope", 1
#: Bytes before the header, which hold its length.
PREFIX = 8


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

    The same ranker gives the same bytes. The parameters are those that it was trained with, whatever `set_params` said
    later. Raises ParameterError for one that has not learned anything and where the
    extra `learn` is not installed; OutputError where it cannot be written.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> ranker = Ranker(hidden=()).fit([[0.9], [0.1]], [1, 0], qid=["q", "q"])
    >>> with TemporaryDirectory() as folder:
    ...     save_ranker(ranker, Path(folder, "my.model"))
    ...     again = load_ranker(Path(folder, "my.model"))
    >>> bool((again.predict([[0.5], [0.2]]) == ranker.predict([[0.5], [0.2]])).all())
    True
    """
    if not hasattr(ranker, "models_"):
        raise ParameterError("this Ranker has not learned anything yet; call fit first")
    about = {
        "form": FORM,
        "version": __version__,
        "parameters": {name: plain(value) for name, value in ranker.parameters_.items()},
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
    write_chunks(path, [safetensors().save(arrays, metadata={KEY: json.dumps(about)})])


def plain(value: Any) -> Any:
    """A parameter as JSON has it: measures and functions as their names, a generator, which has no name, as none."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.random.Generator):
        return None
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if callable(value) and not isinstance(value, Measure):
        return getattr(value, "__name__", type(value).__name__)
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


def load_ranker(path: PathLike) -> Ranker:
    """A ranker that `save_ranker` wrote, ready to predict: its scores are those of the one that was saved, bit for bit.

    Nothing in the file is run, whoever wrote it. Where it was trained by a measure that is not defined here, it
    predicts all the same.

    Raises InputError for a file that is damaged or is no such model, ParameterError without the extra `learn`. An
    example is at `save_ranker`.
    """
    library = safetensors()
    name = os.fspath(path)
    content = content_of(name)
    try:
        end = PREFIX + int.from_bytes(content[:PREFIX], "little")
        about = json.loads(json.loads(content[PREFIX:end])[METADATA][KEY])
        return rebuilt(about, library.load(content))
    except KeyError as error:
        if error.args and error.args[0] in (METADATA, KEY):
            refuse(name, "is a safetensors file of another program")
        refuse(name, f"is damaged ({error.args[0]!r} is missing)")
    except Damaged as error:
        refuse(name, f"is damaged ({error})")
    except Exception as error:  # whatever the bytes are, they are no model
        why = (str(error) or type(error).__name__).splitlines()[0]
        refuse(name, f"is damaged or cut off ({why[:120]})")


class Damaged(Exception):
    """What does not fit."""


def refuse(name: str, why: str) -> NoReturn:
    raise InputError(f"{name}: {why}, expected a model that `rankscope train` wrote; train it again") from None


def content_of(name: str) -> bytes:
    """The bytes of a file that begins as a model does. Raises InputError for others, before all of them are read."""
    try:
        with open(name, "rb") as file:
            head = file.read(PREFIX + 1)
            size = os.fstat(file.fileno()).st_size
            if head[PREFIX:] != b"{" or int.from_bytes(head[:PREFIX], "little") > max(size - PREFIX, 0):
                refuse(name, "is empty" if not head else "is no model, or is cut off")
            return head + file.read()
    except OSError as error:
        raise InputError(
            f"{name}: cannot be read ({error.strerror or error}), expected a model that `rankscope train` wrote; check "
            "the path"
        ) from None


def rebuilt(about: dict[str, Any], arrays: dict[str, Any]) -> Ranker:
    """The ranker of a header and its arrays. Raises Damaged, KeyError and others for what does not fit."""
    if about["form"] != FORM:
        raise Damaged(f"its form is {about['form']!r}, and this version of rankscope reads {FORM}")
    parameters = {**about["parameters"], "hidden": tuple(about["parameters"]["hidden"])}
    ranker = Ranker(**{name: parameters[name] for name in PARAMETERS})
    with suppress(UnknownName):  # a measure or a loss of somebody's own, which predicting does not ask for
        ranker.check()
    names = tuple(about["features"])
    if not names or len(set(names)) != len(names) or not all(isinstance(name, str) for name in names):
        raise Damaged("its features have no names of their own")
    ranker.scaling_ = scaling_of(arrays, len(names))
    sizes = (len(names), *ranker.hidden, 1)
    shapes = [shape for pair in pairwise(sizes) for shape in (pair, pair[1:])]
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


def scaling_of(arrays: dict[str, Any], width: int) -> Scaling:
    """What is done to features. Raises as `rebuilt`."""
    deviation = checked(arrays, "deviation", (width,), "float64")
    if not (deviation >= 0).all():  # 0: of features that never varied
        raise Damaged("deviation is below 0")
    return Scaling(
        mean=checked(arrays, "mean", (width,), "float64"),
        deviation=deviation,
        logged=checked(arrays, "logged", (width,), "uint8") > 0,
    )


def checked(arrays: dict[str, Any], name: str, shape: tuple[int, ...], dtype: str) -> Any:
    """An array of this name. Raises as `rebuilt` for another shape or type, and what is no finite number."""
    found = arrays[name]
    if found.shape != shape or found.dtype != dtype:
        raise Damaged(f"{name} is {found.dtype} of shape {found.shape}, expected {dtype} of {shape}")
    if not np.isfinite(found).all():
        raise Damaged(f"{name} holds what is no finite number")
    return found
