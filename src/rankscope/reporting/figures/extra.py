"""What the extra `report` brings, loaded when it is needed; a clear error where it is not installed."""

from __future__ import annotations

from typing import Any

from rankscope.errors import ParameterError

__all__ = ["altair", "vl_convert"]


def not_installed_error(error: ModuleNotFoundError, module: str, package: str) -> Exception:
    """What to raise: the error as it is where something else is missing."""
    if (error.name or "").partition(".")[0] != module:
        return error
    return ParameterError(f"{package} is not installed; pip install 'rankscope[report]'")


def altair() -> Any:
    """The module altair. Raises ParameterError where it is not installed."""
    try:
        import altair as alt
    except ModuleNotFoundError as error:
        raise not_installed_error(error, "altair", "altair") from None
    return alt


def vl_convert() -> Any:
    """The module vl_convert, which draws without a browser. Raises ParameterError where it is not installed."""
    try:
        import vl_convert as converter
    except ModuleNotFoundError as error:
        raise not_installed_error(error, "vl_convert", "vl-convert-python") from None
    return converter
