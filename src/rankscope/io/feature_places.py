"""Where a document stands in a file of features: looked up only for errors, and so nothing that reading must keep."""

from __future__ import annotations

from rankscope.errors import InputError
from rankscope.io.feature_columns import QUERY
from rankscope.io.features import is_feature_table
from rankscope.io.letor import read_labels
from rankscope.io.named_tables import read_named_table
from rankscope.io.streams import open_binary, source_name
from rankscope.typing import PathLike

__all__ = ["locate_row"]

#: Bytes that tell what a file is.
HEAD = 1 << 16


def locate_row(path: PathLike, row: int) -> str:
    """A document of a file as "file:line", by its place from 0; the file is read once more, unless it cannot be.

    >>> locate_row("-", 4)
    '<stdin>, document 5'
    """
    name = source_name(path)
    try:
        if name == "<stdin>":  # which is gone
            raise InputError("")
        with open_binary(path) as stream:
            table = is_feature_table(stream.read(HEAD))
        if table:
            return read_named_table(path, QUERY).where(row)
        return f"{name}:{read_labels(path).lines[row]}"
    except (InputError, OSError, IndexError):  # a pipe, or what changed since
        return f"{name}, document {row + 1}"
