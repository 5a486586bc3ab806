"""What the extra `report` brings, loaded when it is needed; a clear error where it is not installed."""

from __future__ import annotations

import importlib
from typing import Any

from rankscope.errors import ParameterError

__all__ = ["altair", "vl_convert"]


def load(module: str, package: str) -> Any:
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != module:
            raise
        raise ParameterError(f"{package} is not installed; pip install rankscope[report]") from None


def altair() -> Any:
    """The module altair. Raises ParameterError where it is not installed."""
    return load("altair", "altair")


def vl_convert() -> Any:
    """The module vl_convert, which draws without a browser. Raises ParameterError where it is not installed."""
    return load("vl_convert", "vl-convert-python")
