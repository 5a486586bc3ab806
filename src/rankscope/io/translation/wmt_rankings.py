"""WMT's ranking judgments (2010 to 2016): CSV with a row per judgment of two or more systems, and a rank for each."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from itertools import chain
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from rankscope.data.rankings import Rankings
from rankscope.data.text import pluralise
from rankscope.errors import InputError, ParameterError
from rankscope.io.core import BOM, empty_file_error, open_binary, source_name
from rankscope.io.translation.names import build_rankings, pair_name
from rankscope.typing import Bools, Floats, PathLike

__all__ = [
    "read_wmt_rankings",
]


REFERENCE, FILLER = "_ref", "blank"
EXPECTED = "a header line (srclang,trglang,srcIndex,...,system1Id,...,system1rank,...) and one row per judgment"
COLUMN = re.compile(r"system([0-9]{1,6})(id|rank)")
SETTINGS = {"duplicates": ("keep", "drop", "refuse"), "reference": ("keep", "drop")}


class JudgmentColumns(NamedTuple):
    """The indices of the columns.

    Attributes
    ----------
    source, target, segment, judge
        Columns of languages, segment and judge.
    systems, ranks
        Columns of the first, the second, ... system.
    """

    source: int
    target: int
    segment: int
    judge: int | None
    systems: list[int]
    ranks: list[int]


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
    with open_binary(path) as stream:
        content = stream.read().removeprefix(BOM)
    header, rows, line_numbers = read_csv_rows(content, name)
    columns = find_columns(header[0], f"{name}:{header[1]}")
    rows, line_numbers, notes = handle_duplicates(rows, line_numbers, name, duplicates)
    ranks = read_ranks(rows, line_numbers, name, columns)
    system_names = list(chain.from_iterable(map(itemgetter(*columns.systems), rows)))
    shape = ranks.shape
    if "" in system_names:
        raise InputError(
            f"{name}:{line_numbers[system_names.index('') // shape[1]]}: a system without a name; correct this line"
        )
    name_array = np.array(system_names, np.object_)
    is_item = (name_array != FILLER).reshape(shape)
    notes += skipped_note(~is_item, FILLER, "which fill places up")
    if reference == "drop":
        is_reference = (name_array == REFERENCE).reshape(shape)
        notes += skipped_note(is_reference, REFERENCE, "the reference")
        is_item &= ~is_reference
    unranked = int(np.isnan(ranks[is_item]).sum())
    if unranked:
        notes.append(f"{pluralise(unranked, 'output is', 'outputs are')} not ranked (-1)")
    segments = [row[columns.segment] for row in rows]
    if lines is not None:
        segments = renumber_segments(segments, line_numbers, name, lines)
    return build_rankings(
        pairs=pair_column(rows, columns),
        segments=segments,
        judges=[row[columns.judge] for row in rows] if columns.judge is not None else [""] * len(rows),
        lengths=is_item.sum(axis=1),
        systems=name_array[is_item.ravel()].tolist(),
        columns={"rank": ranks[is_item]},
        where=lambda row, _: f"{name}:{line_numbers[row]}",
        notes=[f"{name}: {note}" for note in notes],
    )


def read_csv_rows(content: bytes, name: str) -> tuple[tuple[list[str], int], list[list[str]], list[int]]:
    """The header and its line; the rows below and their lines."""
    first_line, _, _ = content.lstrip().partition(b"\n")
    reader = csv.reader(
        io.StringIO(content.decode("utf-8", "surrogateescape"), newline=""),
        delimiter="\t" if b"\t" in first_line else ",",
        skipinitialspace=True,
    )
    rows, line_numbers = [], []
    try:
        for row in reader:
            if row and (len(row) > 1 or row[0].strip()):
                rows.append(row)
                line_numbers.append(reader.line_num)
    except csv.Error as error:
        raise InputError(f"{name}:{reader.line_num}: cannot be read ({error}); correct this line") from None
    if not rows:
        raise empty_file_error(name, EXPECTED)
    header = [field.strip() for field in rows[0]]
    for row, number in zip(rows, line_numbers, strict=True):
        if len(row) != len(header):
            raise InputError(f"{name}:{number}: {len(row)} fields, expected {len(header)} as in the first line")
    if len(rows) == 1:
        raise InputError(f"{name}: no judgments, only a header line; expected {EXPECTED}")
    return (header, line_numbers[0]), rows[1:], line_numbers[1:]


def find_columns(header: Sequence[str], location: str) -> JudgmentColumns:
    column_index = {field.lower(): i for i, field in reversed(list(enumerate(header)))}
    systems: dict[int, dict[str, int]] = {}
    for field, i in column_index.items():
        if match := COLUMN.fullmatch(field):
            systems.setdefault(int(match[1]), {})[match[2]] = i
    missing = [field for field in ("srclang", "trglang") if field not in column_index]
    if "srcindex" not in column_index and "segmentid" not in column_index:
        missing.append("srcIndex")
    missing += [
        f"system{number}{part}"
        for number in sorted(systems)
        for part in ("Id", "rank")
        if part.lower() not in systems[number]
    ]
    if missing or len(systems) < 2:
        problem = f"no column {missing[0]!r}" if missing else f"columns of {pluralise(len(systems), 'system')}"
        raise InputError(f"{location}: {problem}, expected {EXPECTED}; is this a ranking CSV of WMT?")
    return JudgmentColumns(
        column_index["srclang"],
        column_index["trglang"],
        column_index.get("srcindex", column_index.get("segmentid", -1)),
        column_index.get("judgeid"),
        [systems[number]["id"] for number in sorted(systems)],
        [systems[number]["rank"] for number in sorted(systems)],
    )


def handle_duplicates(
    rows: list[list[str]], line_numbers: list[int], name: str, duplicates: str
) -> tuple[list[list[str]], list[int], list[str]]:
    """The rows and their lines, with or without repeated rows, and notes on these."""
    first_rows: dict[tuple[str, ...], int] = {}
    original = [first_rows.setdefault(tuple(row), i) for i, row in enumerate(rows)]
    repeats = [i for i, first_row in enumerate(original) if i != first_row]
    if not repeats:
        return rows, line_numbers, []
    if duplicates == "refuse":
        i = repeats[0]
        raise InputError(
            f"{name}:{line_numbers[i]}: the same row as line {line_numbers[original[i]]}, expected each judgment once; "
            'remove it, or let repeated rows be kept or dropped (duplicates="keep" or "drop")'
        )
    note = f"{pluralise(len(repeats), 'row repeats', 'rows repeat')} an earlier one in all fields:"
    if duplicates == "keep":
        return rows, line_numbers, [f"{note} kept, as WMT does"]
    kept_rows = sorted(first_rows.values())
    return [rows[i] for i in kept_rows], [line_numbers[i] for i in kept_rows], [f"{note} dropped"]


def read_ranks(rows: list[list[str]], line_numbers: list[int], name: str, columns: JudgmentColumns) -> Floats:
    """(rows, systems) the ranks, NaN for -1."""
    cells = list(chain.from_iterable(map(itemgetter(*columns.ranks), rows)))
    rank_of_cell = {cell: parse_rank(cell) for cell in dict.fromkeys(cells)}
    invalid = {cell for cell, rank in rank_of_cell.items() if rank is None}
    if invalid:
        position = next(i for i, cell in enumerate(cells) if cell in invalid)
        problem = f"rank {cells[position]!r}" if cells[position].strip() else "a rank is empty"
        raise InputError(
            f"{name}:{line_numbers[position // len(columns.ranks)]}: {problem}, expected a number from 1 (best) on, or "
            "-1 for not ranked; correct this line"
        )
    return np.array([rank_of_cell[cell] for cell in cells], np.float64).reshape(len(rows), len(columns.ranks))


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


def pair_column(rows: list[list[str]], columns: JudgmentColumns) -> list[str]:
    pairs = list(map(itemgetter(columns.source, columns.target), rows))
    names = {pair: pair_name(*pair) for pair in set(pairs)}
    return [names[pair] for pair in pairs]


def renumber_segments(segments: list[str], line_numbers: list[int], name: str, lines: PathLike) -> list[str]:
    """The segments renamed by the lines of a file."""
    lines_name = source_name(lines)
    with open_binary(lines) as stream:
        new_segments = stream.read().decode("utf-8", "surrogateescape").split()
    renumbered = []
    for segment, number in zip(segments, line_numbers, strict=True):
        if not segment.isdecimal() or len(segment) > 18 or not 1 <= int(segment) <= len(new_segments):
            raise InputError(
                f"{name}:{number}: segment {segment!r}, expected a whole number from 1 to {len(new_segments)}, the "
                f"number of lines of {lines_name}; leave `lines` out or correct this line"
            )
        renumbered.append(new_segments[int(segment) - 1])
    return renumbered
