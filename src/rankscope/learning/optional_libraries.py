"""Libraries of the extra `learn`, loaded when they are needed."""

from __future__ import annotations

from typing import Any

from rankscope.errors import ParameterError

__all__ = [
    "NotInstalled",
    "load_lightgbm",
]


class NotInstalled(ParameterError):
    """A program that this kind of ranker asks for; the file itself may be whole."""


def load_lightgbm() -> Any:
    """The module. Raises NotInstalled, a ParameterError, where it is not installed or lacks the OpenMP library."""
    try:
        import lightgbm as found
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "lightgbm":
            raise
        raise NotInstalled("lambdamart: LightGBM is not installed; pip install 'rankscope[learn]'") from None
    except OSError as error:  # of the library that the wheel comes with, or of one that it needs
        why = (str(error) or type(error).__name__).splitlines()[0]
        raise NotInstalled(
            f"lambdamart: LightGBM cannot be loaded ({why}); where this names OpenMP (libgomp, libomp), install it: "
            "libgomp1 on Debian and Ubuntu, libgomp on Fedora, libomp by brew on macOS"
        ) from None
    return found


def load_safetensors() -> Any:
    """The module safetensors.numpy. Raises ParameterError where it is not installed."""
    try:
        import safetensors.numpy as found
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "safetensors":
            raise
        raise ParameterError("safetensors is not installed; pip install 'rankscope[learn]'") from None
    return found
