"""Kinds of files that ranx knows, JSON, and data frames."""

from __future__ import annotations

import importlib
import json
import os
from typing import Any

from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.io.core import open_binary
from rankscope.typing import PathLike

__all__ = [
    "UnknownKind",
    "file_kind",
    "frame_columns",
    "load_pandas",
    "read_json",
]


FILE_KINDS = ("json", "trec", "gz", "parquet")
SUFFIXES = {"txt": "trec", "parq": "parquet"}


class UnknownKind(UnknownName, AssertionError):
    """A kind of file that is not known: an AssertionError in the original."""


def file_kind(path: PathLike, kind: str | None) -> str:
    """The kind of a file, by its suffix unless it is named."""
    if kind is None:
        kind = os.path.splitext(path)[1][1:]
        kind = SUFFIXES.get(kind, kind)
    if kind not in FILE_KINDS:
        raise UnknownKind(f"kind of the file {os.fspath(path)}:", kind, FILE_KINDS)
    return kind


def read_json(path: PathLike) -> Any:
    """The content of a JSON file, plain or compressed. Raises InputError."""
    with open_binary(path) as file:
        try:
            return json.load(file)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{os.fspath(path)}: this is not JSON ({error}); name the kind of the file") from None


def frame_columns(df: Any, *names: str) -> list[list[Any]]:
    """The columns of a data frame as lists. Raises InputError for one that is missing."""
    present = list(df.columns)
    for name in names:
        if name not in present:
            raise InputError(f"the data frame has no column {name!r} among {present}; name the columns that it has")
    return [list(df[name]) for name in names]


def load_pandas() -> Any:
    """The module pandas, which only functions for data frames need."""
    try:
        return importlib.import_module("pandas")
    except ImportError:
        raise ParameterError("pandas, which is needed for data frames, is not installed; install pandas") from None
