"""daRR, better/worse pairs: a line says that one system's translation of a segment is better than another's."""

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


EXPECTED = "SEGMENT PAIR BETTER PAIR WORSE, or a line of names with SEGMENT (SID), BETTER and WORSE"
#: What columns are called, in lower case.
NAMES = {"pair": TABLE["pair"], "segment": TABLE["segment"], "better": ("better",), "worse": ("worse",)}


def read_better_pairs(path: PathLike) -> Rankings:
    r"""Read pairs of a better and a worse translation, as daRR has them; "-" is standard input, gzip and zst are told.

    Fields are separated by white space: SEGMENT PAIR BETTER PAIR WORSE, both pairs the same; or, where the first line
    names columns (LP SID BETTER WORSE, LP DATA SID BETTER WORSE), those by name, more fields behind them are left
    alone. Each line is a judgment of two items with the column "rank": 1 for the better system, 2 for the worse. Tables
    with commas or tabs are for `read_preference_rankings`.
    Raises InputError with file and line for another number of fields, two different pairs, a system that is better
    than itself, an empty file.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "darr.txt")
    >>> _ = path.write_text("17 de-en A de-en B\n17 de-en C de-en A\n")
    >>> found = read_better_pairs(path)
    >>> list(found.system), found.table("rank").tolist()
    (['A', 'B', 'C', 'A'], [[1.0, 2.0], [1.0, 2.0]])
    """
    name = source_name(path)
    with open_binary(path) as stream:
        content = stream.read().removeprefix(BOM).decode("utf-8", "surrogateescape")
    rows = [(number, parts) for number, line in enumerate(content.split("\n"), 1) if (parts := line.split())]
    if not rows:
        raise empty_file_error(name, EXPECTED)
    places = header_places(rows[0][1])
    if places is not None:
        rows = rows[1:]
        if not rows:
            raise InputError(f"{name}: only a line of names, expected lines of {EXPECTED}")
    found = [parse_pair(parts, places, f"{name}:{number}") for number, parts in rows]
    n = len(found)
    written = [pair for pair, _, _, _ in found]
    pairs = {pair: split_pair(pair) for pair in set(written)}
    return build_rankings(
        pairs=[pairs[pair] for pair in written],
        segments=[segment for _, segment, _, _ in found],
        judges=[""] * n,
        lengths=np.full(n, 2),
        systems=[system for _, _, *both in found for system in both],
        columns={"rank": np.tile([1.0, 2.0], n)},
        where=lambda row, _: f"{name}:{rows[row][0]}",
    )


def header_places(first: Sequence[str]) -> Mapping[str, int] | None:
    """Where the columns stand that a first line names; None where it names none."""
    lowered = [field.lower() for field in first]
    if "better" not in lowered or "worse" not in lowered:
        return None
    found = {
        field: next((lowered.index(name) for name in names if name in lowered), -1) for field, names in NAMES.items()
    }
    return found if found["segment"] >= 0 else None


def parse_pair(parts: Sequence[str], places: Mapping[str, int] | None, where: str) -> tuple[str, str, str, str]:
    """Pair, segment, better system and worse system of a line."""
    if places is not None:
        if len(parts) <= max(places.values()):
            raise InputError(f"{where}: {len(parts)} fields, expected at least {max(places.values()) + 1}")
        pair = parts[places["pair"]] if places["pair"] >= 0 else ""
        found = (pair, parts[places["segment"]], parts[places["better"]], parts[places["worse"]])
    else:
        if len(parts) != 5:
            raise InputError(f"{where}: {len(parts)} fields, expected 5 ({EXPECTED}); correct this line")
        segment, pair, better, other, worse = parts
        if pair != other:
            raise InputError(f"{where}: language pairs {pair!r} and {other!r}, expected the same; correct this line")
        found = (pair, segment, better, worse)
    if found[2] == found[3]:
        raise InputError(f"{where}: system {found[2]!r} is better than itself, expected two systems; correct this line")
    return found
