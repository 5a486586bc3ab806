"""daRR, better/worse pairs: each line names a better and a worse translation of a segment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from rankscope.data.rankings import Rankings
from rankscope.errors import InputError
from rankscope.io.core import BOM, empty_file_error, open_binary, source_name
from rankscope.io.translation.names import build_rankings, split_pair
from rankscope.io.translation.tables import ITEM_COLUMNS as TABLE
from rankscope.typing import PathLike

__all__ = [
    "read_better_pairs",
]


EXPECTED = "SEGMENT PAIR BETTER PAIR WORSE, or a header line with SEGMENT (SID), BETTER and WORSE"
#: Names of the columns, in lower case.
NAMES = {"pair": TABLE["pair"], "segment": TABLE["segment"], "better": ("better",), "worse": ("worse",)}


def read_better_pairs(path: PathLike) -> Rankings:
    r"""Read pairs of a better and a worse translation, as in daRR.

    Parameters
    ----------
    path
        File; "-" is standard input. gzip and Zstandard are detected from the content.

    Returns
    -------
    Rankings
        Each line is a judgment of two items with the column "rank": 1 for the better system, 2 for the worse.

    Raises
    ------
    InputError
        With file and line: a line has another number of fields or two different pairs, a system is better than itself,
        or the file is empty.

    Notes
    -----
    Fields are separated by white space: SEGMENT PAIR BETTER PAIR WORSE, both pairs the same; or, if the first line
    names columns (LP SID BETTER WORSE, LP DATA SID BETTER WORSE), those by name, and further fields are ignored. Tables
    with commas or tabs are for `read_preference_rankings`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "darr.txt")
    >>> _ = path.write_text("17 de-en A de-en B\n17 de-en C de-en A\n")
    >>> rankings = read_better_pairs(path)
    >>> list(rankings.system), rankings.table("rank").tolist()
    (['A', 'B', 'C', 'A'], [[1.0, 2.0], [1.0, 2.0]])
    """
    name = source_name(path)
    with open_binary(path) as stream:
        content = stream.read().removeprefix(BOM).decode("utf-8", "surrogateescape")
    rows = [(number, fields) for number, line in enumerate(content.split("\n"), 1) if (fields := line.split())]
    if not rows:
        raise empty_file_error(name, EXPECTED)
    column_index = header_columns(rows[0][1])
    if column_index is not None:
        rows = rows[1:]
        if not rows:
            raise InputError(f"{name}: only a header line, expected lines of {EXPECTED}")
    judgments = [parse_pair(fields, column_index, f"{name}:{number}") for number, fields in rows]
    n_judgments = len(judgments)
    pair_texts = [pair for pair, _, _, _ in judgments]
    pairs = {pair: split_pair(pair) for pair in set(pair_texts)}
    return build_rankings(
        pairs=[pairs[pair] for pair in pair_texts],
        segments=[segment for _, segment, _, _ in judgments],
        judges=[""] * n_judgments,
        lengths=np.full(n_judgments, 2),
        systems=[system for _, _, *systems in judgments for system in systems],
        columns={"rank": np.tile([1.0, 2.0], n_judgments)},
        where=lambda row, _: f"{name}:{rows[row][0]}",
    )


def header_columns(fields: Sequence[str]) -> Mapping[str, int] | None:
    """The index of each column that the first line names, -1 for a missing one; None where it is not a header."""
    lower_fields = [field.lower() for field in fields]
    if "better" not in lower_fields or "worse" not in lower_fields:
        return None
    column_index = {
        field: next((lower_fields.index(name) for name in names if name in lower_fields), -1)
        for field, names in NAMES.items()
    }
    return column_index if column_index["segment"] >= 0 else None


def parse_pair(
    fields: Sequence[str], column_index: Mapping[str, int] | None, location: str
) -> tuple[str, str, str, str]:
    """Pair, segment, better system and worse system of a line."""
    if column_index is not None:
        if len(fields) <= max(column_index.values()):
            raise InputError(f"{location}: {len(fields)} fields, expected at least {max(column_index.values()) + 1}")
        pair = fields[column_index["pair"]] if column_index["pair"] >= 0 else ""
        judgment = (
            pair,
            fields[column_index["segment"]],
            fields[column_index["better"]],
            fields[column_index["worse"]],
        )
    else:
        if len(fields) != 5:
            raise InputError(f"{location}: {len(fields)} fields, expected 5 ({EXPECTED}); correct this line")
        segment, pair, better, second_pair, worse = fields
        if pair != second_pair:
            raise InputError(
                f"{location}: language pairs {pair!r} and {second_pair!r}, expected the same; correct this line"
            )
        judgment = (pair, segment, better, worse)
    if judgment[2] == judgment[3]:
        raise InputError(
            f"{location}: system {judgment[2]!r} is better than itself, expected two systems; correct this line"
        )
    return judgment
