"""What the kinds of saved rankers share: what is looked at before a file is believed, and parameters as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rankscope.errors import ParameterError
from rankscope.measures.base import Measure

__all__ = [
    "DamagedModel",
    "NotInstalled",
    "checked_array",
    "feature_names_in",
    "json_parameter",
    "ranks_in",
    "arrays_under",
]


class DamagedModel(Exception):
    """What does not fit."""


class NotInstalled(ParameterError):
    """A program that this kind of ranker asks for; the file itself may be whole."""


def checked_array(arrays: Mapping[str, Any], name: str, shape: tuple[int | None, ...], dtype: str) -> Any:
    """An array of this name. shape: None for any length. Raises Damaged for another shape or type and for what is no
    finite number, KeyError where there is none.
    """
    found = arrays[name]
    fits = len(found.shape) == len(shape) and all(b in (None, a) for a, b in zip(found.shape, shape, strict=True))
    if not fits or found.dtype != dtype:
        raise DamagedModel(f"{name} is {found.dtype} of shape {found.shape}, expected {dtype} of {shape}")
    if not np.isfinite(found).all():
        raise DamagedModel(f"{name} holds what is no finite number")
    return found


def feature_names_in(about: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of the features. Raises Damaged where these are no names of their own."""
    names = tuple(about["features"])
    texts = isinstance(about["features"], list) and all(isinstance(name, str) for name in names)
    if not texts or not names or len(set(names)) != len(names):
        raise DamagedModel("its features have no names of their own")
    return names


def ranks_in(about: Mapping[str, Any]) -> bool:
    """Whether the ranker sees ranks within lists; files that say nothing are of such as do not. Raises Damaged."""
    found = about.get("ranks", False)
    if not isinstance(found, bool):
        raise DamagedModel(f"ranks is {found!r}, expected true or false")
    return found


def arrays_under(arrays: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    """The arrays whose names begin so, without this beginning: those of one part of a blend."""
    return {name.removeprefix(prefix): found for name, found in arrays.items() if name.startswith(prefix)}


def json_parameter(value: Any) -> Any:
    """A parameter as JSON has it: measures and functions as their names, a generator, which has no name, as none."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.random.Generator):
        return None
    if isinstance(value, (list, tuple)):
        return [json_parameter(one) for one in value]
    if callable(value) and not isinstance(value, Measure):
        return getattr(value, "__name__", type(value).__name__)
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)
