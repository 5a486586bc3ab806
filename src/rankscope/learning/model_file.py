"""Trained rankers as safetensors files, checked before use; loading runs no code from the file.

A file has a JSON header (the kind of ranker, its parameters and features) and arrays of numbers. Each kind of ranker is
taken apart and put together by two functions.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import Any, NoReturn

import numpy as np

from rankscope._version import __version__
from rankscope.errors import InputError, ParameterError, RankscopeError, UnknownName
from rankscope.io.core import DamagedFile, write_chunks
from rankscope.learning.blend import MIN_RANKERS, Blend, BlendSettings, Combination, check_same_features
from rankscope.learning.lambdamart import BoostedTrees, TreeEnsemble
from rankscope.learning.network import TrainedNetwork
from rankscope.learning.optional_libraries import NotInstalled, load_safetensors
from rankscope.learning.ranker import Ranker
from rankscope.learning.scaling import Scaling, column_count
from rankscope.measures.base import Measure
from rankscope.typing import PathLike

__all__ = [
    "check_saving",
    "load_ranker",
    "save_ranker",
]


#: The JSON header of a ranker, its arrays by name, and both.
Header = dict[str, Any]
Arrays = dict[str, Any]
Parts = tuple[Header, Arrays]
#: The entries of the file that hold our JSON header, and the version of its format.
METADATA, KEY, FORM = "__metadata__", "rankscope", 2
#: The number of bytes before the header, which hold its length.
PREFIX = 8


def check_saving() -> None:
    """Raise ParameterError now rather than after training where models cannot be saved."""
    load_safetensors()


def save_ranker(ranker: Any, path: PathLike, *, signature: str = "") -> None:
    """Save a trained ranker to a file (atomically).

    Parameters
    ----------
    ranker
        A trained `Ranker`, `TorchRanker` or `Blend`.
    path
        The file, in the format safetensors.
    signature
        A text for readers of the file.

    Raises
    ------
    ParameterError
        The ranker is not fitted, or the extra `learn` is not installed.
    OutputError
        The file cannot be written.

    Notes
    -----
    The same ranker gives the same bytes. The parameters are those of the training, whatever `set_params` changed later.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from rankscope.learning import Ranker
    >>> ranker = Ranker(hidden=()).fit([[0.9], [0.1]], [1, 0], qid=["q", "q"])
    >>> with TemporaryDirectory() as folder:
    ...     save_ranker(ranker, Path(folder, "my.model"))
    ...     again = load_ranker(Path(folder, "my.model"))
    >>> bool((again.predict([[0.5], [0.2]]) == ranker.predict([[0.5], [0.2]])).all())
    True
    """
    library = load_safetensors()
    ranker_header, arrays = parts_of(ranker)
    header = {"form": FORM, "version": __version__, "signature": signature, **ranker_header}
    write_chunks(path, [library.save(arrays, metadata={KEY: json.dumps(header)})])


def parts_of(ranker: Any) -> Parts:
    """The JSON header with the kind, and the arrays by name. Raises ParameterError as `save_ranker`."""
    if not ranker.__sklearn_is_fitted__():
        raise ParameterError(f"this {type(ranker).__name__} is not fitted; call fit first")
    take_apart, _ = KINDS[ranker.kind]
    ranker_header, arrays = take_apart(ranker)
    return {"kind": ranker.kind, **ranker_header}, arrays


def load_ranker(path: PathLike) -> Any:
    """Load a ranker that `save_ranker` wrote; its scores are those of the saved one, bit for bit.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    Ranker, TorchRanker or Blend
        The trained ranker.

    Raises
    ------
    InputError
        The file is damaged or not such a model.
    ParameterError
        The extra `learn` is not installed.

    Notes
    -----
    Nothing in the file is executed, whoever wrote it. A ranker that was trained by a measure that is not defined here
    predicts all the same.

    Examples
    --------
    See `save_ranker`.
    """
    library = load_safetensors()
    name = os.fspath(path)
    content = read_content(name)
    try:
        end = PREFIX + int.from_bytes(content[:PREFIX], "little")
        header = json.loads(json.loads(content[PREFIX:end])[METADATA][KEY])
        if header["form"] != FORM:
            raise DamagedFile(f"its form is {header['form']!r}, and this version of rankscope reads {FORM}")
        return rebuild_ranker(header, library.load(content))
    except NotInstalled:
        raise
    except KeyError as error:
        if error.args and error.args[0] in (METADATA, KEY):
            refuse_file(name, "is a safetensors file of another program")
        refuse_file(name, f"is damaged ({error.args[0]!r} is missing)")
    except DamagedFile as error:
        refuse_file(name, f"is damaged ({error})")
    except Exception as error:  # any other error: the bytes are no model
        reason = (str(error) or type(error).__name__).splitlines()[0]
        refuse_file(name, f"is damaged or cut off ({reason[:120]})")


def refuse_file(name: str, problem: str, advice: str = "train it again") -> NoReturn:
    raise InputError(f"{name}: {problem}, expected a model that `rankscope train` wrote; {advice}") from None


def read_content(name: str) -> bytes:
    """The bytes of a file that begins as a model does. Raises InputError for others, before all is read."""
    try:
        with open(name, "rb") as file:
            head = file.read(PREFIX + 1)
            size = os.fstat(file.fileno()).st_size
            if head[PREFIX:] != b"{" or int.from_bytes(head[:PREFIX], "little") > max(size - PREFIX, 0):
                if not head:
                    refuse_file(name, "is empty")
                refuse_file(name, "is no model, or is cut off", "name the model first, or train it again")
            return head + file.read()
    except OSError as error:
        raise InputError(
            f"{name}: cannot be read ({error.strerror or error}), expected a model that `rankscope train` wrote; check "
            "the path"
        ) from None


def checked_array(arrays: Mapping[str, Any], name: str, shape: tuple[int | None, ...], dtype: str) -> Any:
    """The array of this name. shape: None for any length. Raises DamagedFile for another shape or type and for numbers
    that are not finite, KeyError where it is missing.
    """
    array = arrays[name]
    fits_shape = len(array.shape) == len(shape) and all(
        expected_size in (None, size) for size, expected_size in zip(array.shape, shape, strict=True)
    )
    if not fits_shape or array.dtype != dtype:
        raise DamagedFile(f"{name} is {array.dtype} of shape {array.shape}, expected {dtype} of {shape}")
    if not np.isfinite(array).all():
        raise DamagedFile(f"{name} holds what is no finite number")
    return array


def feature_names_in(header: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of the features. Raises DamagedFile where they are no unique names."""
    names = tuple(header["features"])
    all_text = isinstance(header["features"], list) and all(isinstance(name, str) for name in names)
    if not all_text or not names or len(set(names)) != len(names):
        raise DamagedFile("its features have no names of their own")
    return names


def ranks_in(header: Mapping[str, Any]) -> bool:
    """Whether the ranker sees ranks within lists; False where the file has no entry. Raises DamagedFile."""
    ranks = header.get("ranks", False)
    if not isinstance(ranks, bool):
        raise DamagedFile(f"ranks is {ranks!r}, expected true or false")
    return ranks


def arrays_under(arrays: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    """The arrays whose names begin with the prefix, without it: those of one ranker of a blend."""
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


def json_parameter(value: Any) -> Any:
    """A parameter for JSON: measures and functions by their names, a random generator as None."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.random.Generator):
        return None
    if isinstance(value, (list, tuple)):
        return [json_parameter(item) for item in value]
    if callable(value) and not isinstance(value, Measure):
        return getattr(value, "__name__", type(value).__name__)
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


def ranker_header(ranker: Ranker) -> Header:
    """The entries that networks and trees share."""
    return {
        "parameters": {name: json_parameter(value) for name, value in ranker.parameters_.items()},
        "features": list(ranker.feature_names_),
        "ranks": ranker.ranks_,
        "models": [
            {"losses": list(model.losses), "values": list(model.values), "best_epoch": model.best_epoch}
            for model in ranker.models_
        ],
    }


#: The arrays of a scaling that are numbers.
SCALES = ("mean", "deviation", "low", "high")


def network_parts(ranker: Ranker) -> Parts:
    """The JSON header, and the arrays by name."""
    scaling: Any = ranker.scaling_  # not None for networks
    models: list[Any] = ranker.models_
    header = {**ranker_header(ranker), "bound": scaling.bound if np.isfinite(scaling.bound) else None}
    arrays = {name: getattr(scaling, name) for name in SCALES} | {"logged": scaling.logged.astype(np.uint8)}
    for m, model in enumerate(models):
        arrays |= {f"weight.{m}.{i}": np.ascontiguousarray(weight) for i, weight in enumerate(model.weights)}
    return header, arrays


def rebuild_network(header: Header, arrays: Arrays) -> Ranker:
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
    """A ranker with the parameters of a header. Raises as `rebuild_ranker`."""
    parameters = {**header["parameters"], "hidden": tuple(header["parameters"]["hidden"])}
    ranker = Ranker(**{name: parameters[name] for name in Ranker.defaults})
    with suppress(UnknownName):  # a measure or a loss of the user, which predicting does not need
        ranker.settings()
    return ranker


def take_weights(ranker: Ranker, header: Header, arrays: Arrays, shapes: Sequence[tuple[int, ...]]) -> None:
    """Set a ranker's models and the names of its features. shapes: of a model's arrays. Raises as `rebuild_ranker`."""
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


def scaling_of(header: Header, arrays: Arrays, width: int) -> Scaling:
    """The scaling of features. Raises as `rebuild_ranker`."""
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


#: The arrays of a forest: name, type and shape.
FOREST = (
    ("feature", "int32", (None,)),
    ("threshold", "float64", (None,)),
    ("children", "int32", (None, 2)),
    ("worth", "float64", (None,)),
    ("roots", "int32", (None,)),
)


def tree_parts(ranker: Ranker) -> Parts:
    """The JSON header, and the arrays by name."""
    models: list[Any] = ranker.models_  # of BoostedTrees
    header = ranker_header(ranker)
    for entry, model in zip(header["models"], models, strict=True):
        entry["grown"] = model.grown
    arrays = {
        f"{name}.{m}": np.ascontiguousarray(getattr(model.forest, name))
        for m, model in enumerate(models)
        for name, _, _ in FOREST
    }
    return header, arrays


def rebuild_trees(header: Header, arrays: Arrays) -> Ranker:
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
    """The trees of one model, checked so that every node leads to a leaf. Raises as `rebuild_ranker`."""
    forest_arrays = {name: checked_array(arrays, f"{name}.{m}", shape, dtype) for name, dtype, shape in FOREST}
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


def rebuild_torch_ranker(header: Header, arrays: Arrays) -> Any:
    """The ranker from its header and arrays, on a GPU where there is one, wherever it was trained.

    Raises NotInstalled without PyTorch; DamagedFile, KeyError and others for content that does not fit.
    """
    from rankscope.learning.torch.device import load_pytorch
    from rankscope.learning.torch.ranker import TorchRanker

    load_pytorch()
    parameters = {name: header["parameters"][name] for name in TorchRanker.defaults}
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
    ranker.scaling_ = scaling_of(header, arrays, width)
    take_weights(ranker, header, arrays, ranker.shape(width, parameters).shapes())
    return ranker


#: The parameters of a blend beside its rankers.
BLEND_PARAMETERS = tuple(BlendSettings.declared())
#: A blend may hold blends, to this depth, so that no file makes loading recurse without end.
MAX_DEPTH = 5


def blend_parts(blend: Blend) -> Parts:
    """The JSON header, and the arrays by name. Raises ParameterError for a blend that could not be loaded again."""
    combination = blend.combination_
    ranker_parts = [parts_of(ranker) for ranker in blend.rankers_]
    header = {
        "parameters": {name: json_parameter(blend.parameters_[name]) for name in BLEND_PARAMETERS},
        "features": list(blend.feature_names_),
        "names": list(blend.parameters_["rankers"]),
        "rankers": [ranker_header for ranker_header, _ in ranker_parts],
    }
    if depth(header) > MAX_DEPTH:
        raise ParameterError(f"this Blend holds blends within blends, more than {MAX_DEPTH} deep; save parts of it")
    arrays = {"weights": combination.weights, "centre": combination.centre, "spread": combination.spread}
    for index, (_, ranker_arrays) in enumerate(ranker_parts):
        arrays |= {f"{prefix(index)}{name}": array for name, array in ranker_arrays.items()}
    return header, arrays


def prefix(index: int) -> str:
    return f"part.{index}."


def rebuild_blend(header: Header, arrays: Arrays) -> Blend:
    """The blend from its header and arrays. Raises DamagedFile, KeyError and others for content that does not fit."""
    if depth(header) > MAX_DEPTH:
        raise DamagedFile(f"it holds blends within blends, more than {MAX_DEPTH} deep")
    ranker_names, n = header["names"], len(header["rankers"])
    all_text = isinstance(ranker_names, list) and all(isinstance(name, str) for name in ranker_names)
    if n < MIN_RANKERS or not all_text or len(set(ranker_names)) != n:
        raise DamagedFile("its parts have no names of their own, or are too few")
    rankers = []
    for index, ranker_header in enumerate(header["rankers"]):
        try:
            rankers.append(rebuild_ranker(ranker_header, arrays_under(arrays, prefix(index))))
        except (DamagedFile, KeyError) as error:
            reason = f"{error.args[0]!r} is missing" if isinstance(error, KeyError) else error
            raise DamagedFile(f"part {index + 1} of {n}: {reason}") from None
    blend = Blend(
        dict(zip(ranker_names, rankers, strict=True)), **{name: header["parameters"][name] for name in BLEND_PARAMETERS}
    )
    try:
        with suppress(UnknownName):  # a loss of the user, which predicting does not need
            blend.settings()
        feature_names = check_same_features(rankers, ranker_names)
    except NotInstalled:
        raise
    except RankscopeError as error:
        raise DamagedFile(str(error)) from None
    if feature_names != feature_names_in(header):
        raise DamagedFile("its features are not those of its parts")
    weights, centre, spread = (checked_array(arrays, name, (n,), "float64") for name in ("weights", "centre", "spread"))
    if (weights < 0).any() or not (spread > 0).all() or not np.isclose(weights.sum(), 1):
        raise DamagedFile("its weights or spreads are none")
    blend.rankers_ = rankers
    blend.combination_ = Combination(normalise=blend.normalise, centre=centre, spread=spread, weights=weights)
    blend.feature_names_, blend.n_features_in_ = feature_names, len(feature_names)
    blend.parameters_ = {**blend.get_params(), "rankers": list(ranker_names)}
    return blend


def depth(header: dict[str, Any]) -> int:
    """How many blends are nested."""
    level, n_levels = [header], 0
    while level:
        level = [ranker_header for blend_header in level for ranker_header in blend_header.get("rankers", ())]
        n_levels += 1
    return n_levels - 1


#: Every kind of ranker, taken apart into a header and arrays, and rebuilt from them. Files without a kind are networks.
KINDS: Mapping[str, tuple[Callable[[Any], Parts], Callable[[Header, Arrays], Any]]] = {
    "network": (network_parts, rebuild_network),
    "trees": (tree_parts, rebuild_trees),
    "blend": (blend_parts, rebuild_blend),
    "torch": (network_parts, rebuild_torch_ranker),
}


def rebuild_ranker(header: Header, arrays: Arrays) -> Any:
    """The ranker from its header and arrays. Raises DamagedFile, KeyError and others for content that does not fit."""
    kind = header.get("kind", "network")
    if kind not in KINDS:
        raise DamagedFile(f"its kind is {kind!r}, expected one of {', '.join(KINDS)}")
    _, rebuild = KINDS[kind]
    return rebuild(header, arrays)
