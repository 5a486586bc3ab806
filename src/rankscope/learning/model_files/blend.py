"""Blends as JSON and arrays, and back."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from rankscope.errors import ParameterError, RankscopeError, UnknownName
from rankscope.learning.blend import MIN_RANKERS, Blend, Combination, check_combination, check_same_features
from rankscope.learning.model_files.model_file import (
    DamagedModel,
    arrays_under,
    checked_array,
    feature_names_in,
    json_parameter,
    parts_of,
)
from rankscope.learning.model_files.model_file import rebuilt_ranker as rebuilt_part
from rankscope.learning.optional_libraries import NotInstalled

__all__ = [
    "parts",
    "rebuilt",
]


#: What a blend has beside its rankers.
SETTINGS = ("how", "normalise", "loss", "l2")
#: A blend may hold blends, but no file is to send a reader down without end.
MAX_DEPTH = 5


def parts(blend: Blend) -> tuple[dict[str, Any], dict[str, Any]]:
    """What is no array, and the arrays by name. Raises ParameterError for what could not be loaded again."""
    found = blend.combination_
    taken = [parts_of(one) for one in blend.rankers_]
    about = {
        "parameters": {name: json_parameter(blend.parameters_[name]) for name in SETTINGS},
        "features": list(blend.feature_names_),
        "names": list(blend.parameters_["rankers"]),
        "rankers": [one for one, _ in taken],
    }
    if depth(about) > MAX_DEPTH:
        raise ParameterError(f"this Blend holds blends within blends, more than {MAX_DEPTH} deep; save parts of it")
    arrays = {"weights": found.weights, "centre": found.centre, "spread": found.spread}
    for place, (_, own) in enumerate(taken):
        arrays |= {f"{prefix(place)}{name}": array for name, array in own.items()}
    return about, arrays


def prefix(place: int) -> str:
    return f"part.{place}."


def rebuilt(about: dict[str, Any], arrays: dict[str, Any]) -> Blend:
    """The blend of a header and its arrays. Raises Damaged, KeyError and others for what does not fit."""
    if depth(about) > MAX_DEPTH:
        raise DamagedModel(f"it holds blends within blends, more than {MAX_DEPTH} deep")
    called, n = about["names"], len(about["rankers"])
    named = isinstance(called, list) and all(isinstance(name, str) for name in called)
    if n < MIN_RANKERS or not named or len(set(called)) != n:
        raise DamagedModel("its parts have no names of their own, or are too few")
    rankers = []
    for place, one in enumerate(about["rankers"]):
        try:
            rankers.append(rebuilt_part(one, arrays_under(arrays, prefix(place))))
        except (DamagedModel, KeyError) as error:
            why = f"{error.args[0]!r} is missing" if isinstance(error, KeyError) else error
            raise DamagedModel(f"part {place + 1} of {n}: {why}") from None
    blend = Blend(dict(zip(called, rankers, strict=True)), **{name: about["parameters"][name] for name in SETTINGS})
    try:
        with suppress(UnknownName):  # a loss of somebody's own, which predicting does not ask for
            check_combination(blend.how, blend.normalise, blend.loss, blend.l2)
        names = check_same_features(rankers, called)
    except NotInstalled:
        raise
    except RankscopeError as error:
        raise DamagedModel(str(error)) from None
    if names != feature_names_in(about):
        raise DamagedModel("its features are not those of its parts")
    weights, centre, spread = (checked_array(arrays, name, (n,), "float64") for name in ("weights", "centre", "spread"))
    if (weights < 0).any() or not (spread > 0).all() or not np.isclose(weights.sum(), 1):
        raise DamagedModel("its weights or spreads are none")
    blend.rankers_ = rankers
    blend.combination_ = Combination(normalise=blend.normalise, centre=centre, spread=spread, weights=weights)
    blend.feature_names_, blend.n_features_in_ = names, len(names)
    blend.parameters_ = {**blend.get_params(), "rankers": list(called)}
    return blend


def depth(about: dict[str, Any]) -> int:
    """How many blends stand within one another."""
    level, deep = [about], 0
    while level:
        level = [one for blend in level for one in blend.get("rankers", ())]
        deep += 1
    return deep - 1
