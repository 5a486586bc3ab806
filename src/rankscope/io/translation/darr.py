"""daRR, better/worse pairs: each line names a better and a worse translation of a segment."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankscope.data.rankings import Rankings
from rankscope.data.tables import Column, Schema
from rankscope.errors import InputError
from rankscope.io.core import empty_file_error, open_binary, remove_marks, source_name
from rankscope.io.translation.names import build_rankings, normalise_pair
from rankscope.io.translation.tables import ITEMS
from rankscope.typing import PathLike

__all__ = [
    "read_better_pairs",
]


PAIRS = Schema(
    columns=(ITEMS.column("pair"), ITEMS.column("segment"), Column(name="better"), Column(name="worse")),
    expected="SEGMENT PAIR BETTER PAIR WORSE, or a header line with SEGMENT (SID), BETTER and WORSE",
)


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
        content = remove_marks(stream.read()).decode("utf-8", "surrogateescape")
    rows = [(number, fields) for number, line in enumerate(content.split("\n"), 1) if (fields := line.split())]
    if not rows:
        raise empty_file_error(name, PAIRS.expected)
    header = header_columns(rows[0][1], f"{name}:{rows[0][0]}")
    if header is None:
        judgments = [parse_line(fields, f"{name}:{number}") for number, fields in rows]
    else:
        rows = rows[1:]
        if not rows:
            raise InputError(f"{name}: only a header line, expected lines of {PAIRS.expected}")
        judgments = [select_fields(fields, header, f"{name}:{number}") for number, fields in rows]
    for (number, _), (_, _, better, worse) in zip(rows, judgments, strict=True):
        if better == worse:
            raise InputError(
                f"{name}:{number}: system {better!r} is better than itself, expected two systems; correct this line"
            )
    n_judgments = len(judgments)
    pair_texts = [pair for pair, _, _, _ in judgments]
    pairs = {pair: normalise_pair(pair) for pair in set(pair_texts)}
    return build_rankings(
        pairs=[pairs[pair] for pair in pair_texts],
        segments=[segment for _, segment, _, _ in judgments],
        judges=[""] * n_judgments,
        lengths=np.full(n_judgments, 2),
        systems=[system for _, _, *systems in judgments for system in systems],
        columns={"rank": np.tile([1.0, 2.0], n_judgments)},
        where=lambda row, _: f"{name}:{rows[row][0]}",
    )


def header_columns(fields: Sequence[str], where: str) -> list[int] | None:
    """The index of each column of PAIRS that the first line names, -1 without one; None where it is not a header."""
    names = {field.lower() for field in fields}
    if not {"better", "worse"} <= names:
        return None
    bound = PAIRS.bind(fields, {}, where)
    if "segment" not in bound:
        return None
    return [fields.index(bound[column.name]) if column.name in bound else -1 for column in PAIRS.columns]


def select_fields(fields: Sequence[str], header: Sequence[int], location: str) -> list[str]:
    """Pair, segment, better system and worse system of a line below a header."""
    if len(fields) <= max(header):
        raise InputError(f"{location}: {len(fields)} fields, expected at least {max(header) + 1}; correct this line")
    return [fields[index] if index >= 0 else "" for index in header]


def parse_line(fields: Sequence[str], location: str) -> list[str]:
    """Pair, segment, better system and worse system of a line SEGMENT PAIR BETTER PAIR WORSE."""
    if len(fields) != 5:
        raise InputError(f"{location}: {len(fields)} fields, expected 5 ({PAIRS.expected}); correct this line")
    segment, pair, better, second_pair, worse = fields
    if pair != second_pair:
        raise InputError(
            f"{location}: language pairs {pair!r} and {second_pair!r}, expected the same; correct this line"
        )
    return [pair, segment, better, worse]
