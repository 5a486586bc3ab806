"""What people look at. Results are computed elsewhere; here they are only shown."""

from __future__ import annotations

import importlib
from typing import Any


def __getattr__(name: str) -> Any:
    if name == "figures":  # loaded when first asked for
        return importlib.import_module("rankscope.reporting.figures")
    raise AttributeError(f"module 'rankscope.reporting' has no attribute {name!r}")
