"""WMT's ranking judgments (2010 to 2016): CSV with a row per judgment of two or more systems, and a rank for each."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from rankscope.data.rankings import Rankings
from rankscope.data.tables import Column, Schema, Table
from rankscope.data.text import pluralise
from rankscope.errors import InputError, ParameterError
from rankscope.io.core import open_binary, source_name
from rankscope.io.tables import name_codes, parse_table, read_content
from rankscope.io.translation.names import build_rankings, pair_name
from rankscope.typing import Bools, Floats, Ints, PathLike

__all__ = [
    "read_wmt_rankings",
]


REFERENCE, FILLER = "_ref", "blank"
WMT = Schema(
    columns=(
        Column(name="srclang"),
        Column(name="trglang"),
        Column(name="srcIndex", aliases=("srcindex", "segmentid")),
        Column(name="judgeId", aliases=("judgeid",)),
    ),
    expected="a header line (srclang,trglang,srcIndex,...,system1Id,...,system1rank,...) and one row per judgment",
    skips_nameless=True,
)
COLUMN = re.compile(r"system([0-9]{1,6})(id|rank)")
SETTINGS = {"duplicates": ("keep", "drop", "refuse"), "reference": ("keep", "drop")}


def read_wmt_rankings(
    path: PathLike, *, duplicates: str = "keep", reference: str = "keep", lines: PathLike | None = None
) -> Rankings:
    r"""Read a ranking CSV of WMT10 to WMT16.

    Parameters
    ----------
    path
        File; "-" is standard input. Compression is detected from the content.
    duplicates
        Rows that are equal in all fields are kept as WMT keeps them ("keep"), counted once ("drop") or raise an error
        ("refuse").
    reference
        Whether the reference `_ref`, which WMT11 ranked too, stays as a system ("keep") or not ("drop").
    lines
        File whose line i is the segment that srcIndex i means, for WMT11, which counts otherwise.

    Returns
    -------
    Rankings
        With the column "rank": 1 is best, -1 (not ranked) becomes NaN. Languages become codes (Czech to English:
        cs-en); a test set before systems' names is removed. `blank`, which fills places up, is skipped; notes count
        those, unranked outputs and repeated rows.

    Raises
    ------
    InputError
        With file and line: a column is missing, a row has another number of fields, a rank is not a number from 1 on
        (or -1), or a system has no name or occurs twice in a row.
    ParameterError
        A choice is unknown.

    Notes
    -----
    Columns are found by name, in any order: srclang, trglang, srcIndex (else segmentId), judgeId, and systemNId with
    systemNrank for two systems or more. A row is a judgment.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "wmt.csv")
    >>> names = "srclang,trglang,srcIndex,judgeId,system1Id,system2Id,system3Id,system1rank,system2rank,system3rank"
    >>> _ = path.write_text(f"{names}\nCzech,English,7,ann,A,B,C,1,2,-1\n")
    >>> rankings = read_wmt_rankings(path)
    >>> rankings.pair.names, rankings.segment.names, rankings.table("rank").tolist()
    (('cs-en',), ('7',), [[1.0, 2.0, nan]])
    """
    for name, value in (("duplicates", duplicates), ("reference", reference)):
        if value not in SETTINGS[name]:
            raise ParameterError(f"{name}={value!r}, expected one of {', '.join(SETTINGS[name])}")
    name = source_name(path)
    table = parse_table(replace_invalid_bytes(read_content(path)), name, WMT, {})
    system_columns, rank_columns = find_columns(table)
    rows, notes = handle_duplicates(table, duplicates)
    table = table.take(rows)
    ranks = read_ranks(table, rank_columns)
    names, systems = distinct_cells(table, system_columns)
    if "" in names:
        row = int(np.flatnonzero((systems == names.index("")).any(axis=1))[0])
        raise InputError(f"{table.locate(row)}: a system without a name; correct this line")
    is_item = systems != (names.index(FILLER) if FILLER in names else -1)
    notes += skipped_note(~is_item, FILLER, "which fill places up")
    if reference == "drop" and REFERENCE in names:
        is_reference = systems == names.index(REFERENCE)
        notes += skipped_note(is_reference, REFERENCE, "the reference")
        is_item &= ~is_reference
    unranked = int(np.isnan(ranks[is_item]).sum())
    if unranked:
        notes.append(f"{pluralise(unranked, 'output is', 'outputs are')} not ranked (-1)")
    segments = texts_of(table, "srcIndex")
    if lines is not None:
        segments = renumber_segments(segments, table, lines)
    pairs = list(zip(texts_of(table, "srclang"), texts_of(table, "trglang"), strict=True))
    pair_names = {pair: pair_name(*pair) for pair in set(pairs)}
    return build_rankings(
        pairs=[pair_names[pair] for pair in pairs],
        segments=segments,
        judges=texts_of(table, "judgeId") if "judgeId" in table else [""] * len(segments),
        lengths=is_item.sum(axis=1),
        systems=[names[code] for code in systems[is_item].tolist()],
        columns={"rank": ranks[is_item]},
        where=lambda row, _: table.locate(row),
        notes=[f"{name}: {note}" for note in notes],
    )


def replace_invalid_bytes(content: bytes) -> bytes:
    r"""The content with \xe9 in the place of a byte that is not UTF-8."""
    try:
        content.decode()
    except UnicodeDecodeError:
        return content.decode("utf-8", "backslashreplace").encode()
    return content


def texts_of(table: Table, name: str) -> list[str]:
    texts: list[str] = table.names(table.columns[name], required=False).to_list()
    return texts


def distinct_cells(table: Table, columns: Sequence[str]) -> tuple[tuple[str, ...], Ints]:
    """The distinct cells of these columns, and (rows, columns) the index of each cell among them."""
    cells, codes = name_codes([table.names(column, required=False) for column in columns])
    return cells, np.stack(codes, axis=1)


def find_columns(table: Table) -> tuple[list[str], list[str]]:
    """The columns of the systems and of their ranks. Raises InputError where columns are missing."""
    systems: dict[int, dict[str, str]] = {}
    for column in table.frame.columns:
        if match := COLUMN.fullmatch(column.lower()):
            systems.setdefault(int(match[1]), {})[match[2]] = column
    missing = [name for name in ("srclang", "trglang", "srcIndex") if name not in table]
    missing += [
        f"system{number}{part}"
        for number in sorted(systems)
        for part in ("Id", "rank")
        if part.lower() not in systems[number]
    ]
    if missing or len(systems) < 2:
        problem = f"no column {missing[0]!r}" if missing else f"columns of {pluralise(len(systems), 'system')}"
        raise InputError(f"{table.where}: {problem}, expected {WMT.expected}; is this a ranking CSV of WMT?")
    id_columns, rank_columns = ([systems[number][part] for number in sorted(systems)] for part in ("id", "rank"))
    return id_columns, rank_columns


def handle_duplicates(table: Table, duplicates: str) -> tuple[Ints, list[str]]:
    """The rows to read, with or without repeated rows, and a note on these."""
    import polars as pl

    is_first = table.frame.select(pl.struct(pl.all()).is_first_distinct()).to_series().to_numpy()
    repeats = np.flatnonzero(~is_first)
    rows = np.arange(is_first.size)
    if not repeats.size:
        return rows, []
    if duplicates == "refuse":
        row = int(repeats[0])
        first = table.frame.rows().index(table.frame.row(row))
        raise InputError(
            f"{table.locate(row)}: the same row as line {table.locate(first).rpartition(':')[2]}, expected each "
            'judgment once; remove it, or let repeated rows be kept or dropped (duplicates="keep" or "drop")'
        )
    note = f"{pluralise(repeats.size, 'row repeats', 'rows repeat')} an earlier one in all fields:"
    if duplicates == "keep":
        return rows, [f"{note} kept, as WMT does"]
    return rows[is_first], [f"{note} dropped"]


def read_ranks(table: Table, columns: Sequence[str]) -> Floats:
    """(rows, systems) the ranks, NaN for -1."""
    cells, codes = distinct_cells(table, columns)
    ranks = [parse_rank(cell) for cell in cells]
    if None in ranks:
        row, column = np.argwhere(np.array([rank is None for rank in ranks])[codes])[0]
        cell = cells[codes[row, column]]
        problem = f"rank {cell!r}" if cell.strip() else "a rank is empty"
        raise InputError(
            f"{table.locate(int(row))}: {problem}, expected a number from 1 (best) on, or -1 for not ranked; correct "
            "this line"
        )
    return np.array(ranks, np.float64)[codes]


def parse_rank(cell: str) -> float | None:
    """The rank in a cell, NaN for -1, None for anything invalid."""
    try:
        rank = float(cell)
    except ValueError:
        return None
    if "_" in cell or not cell.isascii():  # Python accepts these
        return None
    if rank == -1:
        return np.nan
    return rank if 1 <= rank < np.inf else None


def skipped_note(is_skipped: Bools, name: str, description: str) -> list[str]:
    if not is_skipped.any():
        return []
    places_text = pluralise(int(is_skipped.sum()), "place")
    return [
        f"{places_text} of {name!r} ({description}) in {pluralise(int(is_skipped.any(axis=1).sum()), 'row')} skipped"
    ]


def renumber_segments(segments: list[str], table: Table, lines: PathLike) -> list[str]:
    """The segments renamed by the lines of a file."""
    lines_name = source_name(lines)
    with open_binary(lines) as stream:
        new_segments = stream.read().decode("utf-8", "surrogateescape").split()
    renumbered = []
    for row, segment in enumerate(segments):
        if not segment.isdecimal() or len(segment) > 18 or not 1 <= int(segment) <= len(new_segments):
            raise InputError(
                f"{table.locate(row)}: segment {segment!r}, expected a whole number from 1 to {len(new_segments)}, the "
                f"number of lines of {lines_name}; leave `lines` out or correct this line"
            )
        renumbered.append(new_segments[int(segment) - 1])
    return renumbered
