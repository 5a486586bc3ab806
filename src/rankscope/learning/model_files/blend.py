"""Saving and loading blends: a JSON header and arrays."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from rankscope.errors import ParameterError, RankscopeError, UnknownName
from rankscope.io.core import DamagedFile
from rankscope.learning.blend import MIN_RANKERS, Blend, BlendSettings, Combination, check_same_features
from rankscope.learning.model_files.model_file import (
    arrays_under,
    checked_array,
    feature_names_in,
    json_parameter,
    parts_of,
)
from rankscope.learning.model_files.model_file import rebuild_ranker as rebuilt_part
from rankscope.learning.optional_libraries import NotInstalled

__all__ = [
    "from_parts",
    "to_parts",
]


#: The parameters of a blend beside its rankers.
SETTINGS = tuple(BlendSettings.declared())
#: A blend may hold blends, to this depth, so that no file makes loading recurse without end.
MAX_DEPTH = 5


def to_parts(blend: Blend) -> tuple[dict[str, Any], dict[str, Any]]:
    """The JSON header, and the arrays by name. Raises ParameterError for a blend that could not be loaded again."""
    combination = blend.combination_
    ranker_parts = [parts_of(ranker) for ranker in blend.rankers_]
    header = {
        "parameters": {name: json_parameter(blend.parameters_[name]) for name in SETTINGS},
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


def from_parts(header: dict[str, Any], arrays: dict[str, Any]) -> Blend:
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
            rankers.append(rebuilt_part(ranker_header, arrays_under(arrays, prefix(index))))
        except (DamagedFile, KeyError) as error:
            reason = f"{error.args[0]!r} is missing" if isinstance(error, KeyError) else error
            raise DamagedFile(f"part {index + 1} of {n}: {reason}") from None
    blend = Blend(
        dict(zip(ranker_names, rankers, strict=True)), **{name: header["parameters"][name] for name in SETTINGS}
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
