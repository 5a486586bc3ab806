"""A file of lists that were shown: the record of interleaving, or any lists by query or by an id of their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from rankscope.errors import InputError
from rankscope.io.core import source_name
from rankscope.kernels.key_index import KeyIndex
from rankscope.kernels.text import Fields, encode, equal, hashes
from rankscope.online.logs.batches import LogBatch, ShownLists
from rankscope.online.logs.impressions import BY_DOCUMENT, IMPRESSIONS, column_types, shown_lists
from rankscope.online.logs.json_blocks import json_blocks
from rankscope.typing import Ints, PathLike

__all__ = [
    "ListTable",
    "read_lists",
]


@dataclass(frozen=True, eq=False, kw_only=True)
class ListTable:
    """Lists by their keys.

    Attributes
    ----------
    name
        Name of the file.
    key
        "list" or "query": the column of a log that says which list was shown.
    keys
        (lists) the key of each.
    index, order
        Finds a hash among those of the keys in rising order, and the list that each of these is of.
    lists
        The lists.
    """

    name: str
    key: str
    keys: Fields
    index: KeyIndex
    order: Ints
    lists: ShownLists

    def list_of(self, batch: LogBatch) -> Ints:
        """(n) the list of each impression. Raises InputError for an impression without one."""
        texts = batch.columns.get(self.key)
        if texts is None:
            raise InputError(
                f"{batch.where(0)}: no column {self.key!r}, by which the lists of {self.name} are found; add it "
                "to the log"
            )
        rows = self.index.find(hashes(texts.fields).view(np.int64))
        numbers = self.order[rows]
        # A text of the same hash is no key unless it is the same, byte for byte.
        is_unknown = (rows < 0) | ~equal(texts.fields, self.keys.take(numbers))
        if is_unknown.any():
            row = int(is_unknown.argmax())
            raise InputError(
                f"{batch.where(row)}: {self.key} {texts.text(row)!r} is not in {self.name}, expected one of its "
                f"{self.order.size:,} lists; give the lists that were shown"
            )
        return np.asarray(numbers)


def read_lists(path: PathLike, names: Mapping[str, str]) -> ListTable:
    """Read the lists in a file of JSON lines.

    Parameters
    ----------
    path
        A line for each list, with list or query, and documents, team, credit or ranks.
    names
        What the user calls columns, by our names.

    Raises
    ------
    InputError
        With file and line: something cannot be read, or a list stands twice.
    """
    import polars as pl

    blocks = list(json_blocks(path))
    guessed = blocks[0].guess_schema()
    where = f"{blocks[0].name}:{blocks[0].first_line}"
    of_lists = [name for name, type_ in guessed.items() if isinstance(type_, pl.List)]
    own_names = IMPRESSIONS.match(list(guessed), names, of_lists)
    key = "list" if "list" in own_names else "query"
    if key not in own_names:
        raise IMPRESSIONS.missing_column(key, list(guessed), where)
    types = column_types()
    used = {name: own for name, own in own_names.items() if name in (key, "method", "systems", *BY_DOCUMENT)}
    frames = [block.frame({own: types[name] for name, own in used.items()}) for block in blocks]
    frame = pl.concat(frames).rename({own: name for name, own in used.items()})

    def locate(row: int) -> str:
        for block, part in zip(blocks, frames, strict=True):
            if row < part.height:
                return block.where(row)
            row -= part.height
        return source_name(path)

    lists = shown_lists(frame, locate)
    if lists is None:
        raise InputError(
            f"{where}: no documents, team, credit or ranks among {', '.join(guessed)}, expected the lists "
            "that were shown"
        )
    keys = frame[key]
    if keys.null_count() or not keys.is_unique().all():
        row = int((keys.is_null() | ~keys.is_first_distinct()).arg_true()[0])
        problem = f"no {key}" if keys[row] is None else f"{key} {keys[row]!r} stands a second time"
        raise InputError(f"{locate(row)}: {problem}, expected one list for each {key}; correct it")
    fields = encode(keys.to_list())
    hashed = hashes(fields).view(np.int64)
    order = np.argsort(hashed, kind="stable")
    return ListTable(
        name=source_name(path), key=key, keys=fields, index=KeyIndex(hashed[order]), order=order, lists=lists
    )
