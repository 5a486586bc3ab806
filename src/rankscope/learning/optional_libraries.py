"""Optional libraries of the extra `learn`: LightGBM and safetensors, imported when they are needed."""

from __future__ import annotations

from typing import Any

from rankscope.errors import ParameterError

__all__ = [
    "NotInstalled",
    "load_lightgbm",
]


class NotInstalled(ParameterError):
    """A library that this kind of ranker needs is not installed; its model file may be intact."""


def load_lightgbm() -> Any:
    """The module. Raises NotInstalled, a ParameterError, where it is not installed or lacks the OpenMP library."""
    try:
        import lightgbm
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "lightgbm":
            raise
        raise NotInstalled("lambdamart: LightGBM is not installed; pip install 'rankscope[learn]'") from None
    except OSError as error:  # a missing shared library
        reason = (str(error) or type(error).__name__).splitlines()[0]
        raise NotInstalled(
            f"lambdamart: LightGBM cannot be loaded ({reason}); where this names OpenMP (libgomp, libomp), install it: "
            "libgomp1 on Debian and Ubuntu, libgomp on Fedora, libomp by brew on macOS"
        ) from None
    return lightgbm


def load_safetensors() -> Any:
    """The module safetensors.numpy. Raises ParameterError where it is not installed."""
    try:
        import safetensors.numpy
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "safetensors":
            raise
        raise ParameterError("safetensors is not installed; pip install 'rankscope[learn]'") from None
    return safetensors.numpy
