"""Models as files, taken apart and put together with something changed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import safetensors.numpy


def parts(content: bytes) -> tuple[dict[str, Any], dict[str, Any]]:
    """The header's own text and the arrays of a model."""
    size = int.from_bytes(content[:8], "little")
    return json.loads(json.loads(content[8 : 8 + size])["__metadata__"]["rankscope"]), safetensors.numpy.load(content)


def put(path: Path, about: dict[str, Any], arrays: dict[str, Any]) -> Path:
    path.write_bytes(safetensors.numpy.save(arrays, metadata={"rankscope": json.dumps(about)}))
    return path


def changed_header(name: str, value: Any) -> Any:
    def change(about: dict[str, Any], arrays: dict[str, Any]) -> None:
        about[name] = value

    return change


def changed_array(name: str, value: Any) -> Any:
    def change(about: dict[str, Any], arrays: dict[str, Any]) -> None:
        if value is None:
            del arrays[name]
        else:
            arrays[name] = value

    return change


def changed_parameter(name: str, value: Any) -> Any:
    def change(about: dict[str, Any], arrays: dict[str, Any]) -> None:
        about["parameters"][name] = value

    return change
