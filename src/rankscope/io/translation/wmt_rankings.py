"""WMT's ranking judgments (2010 to 2016): CSV, a row a judgment of two systems or more, with a rank for each."""

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
EXPECTED = "a line of names (srclang,trglang,srcIndex,...,system1Id,...,system1rank,...) and a row a judgment"
COLUMN = re.compile(r"system([0-9]{1,6})(id|rank)")
SETTINGS = {"duplicates": ("keep", "drop", "refuse"), "reference": ("keep", "drop")}


class JudgmentColumns(NamedTuple):
    """Where everything stands in a row. systems, ranks: of the first, the second, ... system."""

    source: int
    target: int
    segment: int
    judge: int | None
    systems: list[int]
    ranks: list[int]


def read_wmt_rankings(
    path: PathLike, *, duplicates: str = "keep", reference: str = "keep", lines: PathLike | None = None
) -> Rankings:
    r"""Read a ranking CSV of WMT10 to WMT16; "-" is standard input, compression is told by content.

    Columns are found by name, in any order: srclang, trglang, srcIndex (else segmentId), judgeId, and systemNId with
    systemNrank for two systems or more. A row is a judgment; its column is "rank", 1 is best, -1 (not ranked) becomes
    NaN. Languages become codes (Czech to English: cs-en); a test set in front of systems' names is taken away.
    `blank`, which fills places up, is left out; notes count those, what is not ranked and repeated rows.
    duplicates: rows that are equal in all fields are kept as WMT keeps them ("keep"), counted once ("drop") or refused
    ("refuse"). reference: whether the reference `_ref`, which WMT11 ranked too, stays as a system ("keep") or not
    ("drop"). lines: a file whose line i is the segment that srcIndex i means, for WMT11, which counts otherwise.

    Raises InputError with file and line for a column that is missing, a row with another number of fields, a rank that
    is no number from 1 on (or -1), a system without a name or twice in a row; ParameterError for an unknown choice.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "wmt.csv")
    >>> names = "srclang,trglang,srcIndex,judgeId,system1Id,system2Id,system3Id,system1rank,system2rank,system3rank"
    >>> _ = path.write_text(f"{names}\nCzech,English,7,ann,A,B,C,1,2,-1\n")
    >>> found = read_wmt_rankings(path)
    >>> found.pair.names, found.segment.names, found.table("rank").tolist()
    (('cs-en',), ('7',), [[1.0, 2.0, nan]])
    """
    for name, value in (("duplicates", duplicates), ("reference", reference)):
        if value not in SETTINGS[name]:
            raise ParameterError(f"{name}={value!r}, expected one of {', '.join(SETTINGS[name])}")
    name = source_name(path)
    with open_binary(path) as stream:
        content = stream.read().removeprefix(BOM)
    header, rows, numbers = read_csv_rows(content, name)
    columns = find_columns(header[0], f"{name}:{header[1]}")
    rows, numbers, notes = handle_duplicates(rows, numbers, name, duplicates)
    ranks = read_ranks(rows, numbers, name, columns)
    written = list(chain.from_iterable(map(itemgetter(*columns.systems), rows)))
    shape = ranks.shape
    if "" in written:
        raise InputError(f"{name}:{numbers[written.index('') // shape[1]]}: a system without a name; correct this line")
    texts = np.array(written, np.object_)
    kept = (texts != FILLER).reshape(shape)
    notes += skipped_note(~kept, FILLER, "which fill places up")
    if reference == "drop":
        is_reference = (texts == REFERENCE).reshape(shape)
        notes += skipped_note(is_reference, REFERENCE, "the reference")
        kept &= ~is_reference
    unranked = int(np.isnan(ranks[kept]).sum())
    if unranked:
        notes.append(f"{pluralise(unranked, 'output is', 'outputs are')} not ranked (-1)")
    segments = [row[columns.segment] for row in rows]
    if lines is not None:
        segments = renumber_segments(segments, numbers, name, lines)
    return build_rankings(
        pairs=pair_column(rows, columns),
        segments=segments,
        judges=[row[columns.judge] for row in rows] if columns.judge is not None else [""] * len(rows),
        lengths=kept.sum(axis=1),
        systems=texts[kept.ravel()].tolist(),
        columns={"rank": ranks[kept]},
        where=lambda row, _: f"{name}:{numbers[row]}",
        notes=[f"{name}: {note}" for note in notes],
    )


def read_csv_rows(content: bytes, name: str) -> tuple[tuple[list[str], int], list[list[str]], list[int]]:
    """The names of the columns and their line; the rows below and theirs."""
    first, _, _ = content.lstrip().partition(b"\n")
    reader = csv.reader(
        io.StringIO(content.decode("utf-8", "surrogateescape"), newline=""),
        delimiter="\t" if b"\t" in first else ",",
        skipinitialspace=True,
    )
    rows, numbers = [], []
    try:
        for row in reader:
            if row and (len(row) > 1 or row[0].strip()):
                rows.append(row)
                numbers.append(reader.line_num)
    except csv.Error as error:
        raise InputError(f"{name}:{reader.line_num}: cannot be read ({error}); correct this line") from None
    if not rows:
        raise empty_file_error(name, EXPECTED)
    header = [field.strip() for field in rows[0]]
    for row, number in zip(rows, numbers, strict=True):
        if len(row) != len(header):
            raise InputError(f"{name}:{number}: {len(row)} fields, expected {len(header)} as in the first line")
    if len(rows) == 1:
        raise InputError(f"{name}: no judgments, only a line of names; expected {EXPECTED}")
    return (header, numbers[0]), rows[1:], numbers[1:]


def find_columns(header: Sequence[str], where: str) -> JudgmentColumns:
    places = {field.lower(): i for i, field in reversed(list(enumerate(header)))}
    systems: dict[int, dict[str, int]] = {}
    for field, i in places.items():
        if match := COLUMN.fullmatch(field):
            systems.setdefault(int(match[1]), {})[match[2]] = i
    missing = [field for field in ("srclang", "trglang") if field not in places]
    if "srcindex" not in places and "segmentid" not in places:
        missing.append("srcIndex")
    missing += [
        f"system{k}{part}" for k in sorted(systems) for part in ("Id", "rank") if part.lower() not in systems[k]
    ]
    if missing or len(systems) < 2:
        found = f"no column {missing[0]!r}" if missing else f"columns of {pluralise(len(systems), 'system')}"
        raise InputError(f"{where}: {found}, expected {EXPECTED}; is this a ranking CSV of WMT?")
    return JudgmentColumns(
        places["srclang"],
        places["trglang"],
        places.get("srcindex", places.get("segmentid", -1)),
        places.get("judgeid"),
        [systems[k]["id"] for k in sorted(systems)],
        [systems[k]["rank"] for k in sorted(systems)],
    )


def handle_duplicates(
    rows: list[list[str]], numbers: list[int], name: str, duplicates: str
) -> tuple[list[list[str]], list[int], list[str]]:
    """The rows with or without those that stand a second time, and what to say of them."""
    first: dict[tuple[str, ...], int] = {}
    owner = [first.setdefault(tuple(row), i) for i, row in enumerate(rows)]
    again = [i for i, j in enumerate(owner) if i != j]
    if not again:
        return rows, numbers, []
    if duplicates == "refuse":
        i = again[0]
        raise InputError(
            f"{name}:{numbers[i]}: the same row as line {numbers[owner[i]]}, expected each judgment once; "
            'remove it, or let repeated rows be kept or dropped (duplicates="keep" or "drop")'
        )
    said = f"{pluralise(len(again), 'row repeats', 'rows repeat')} an earlier one in all fields:"
    if duplicates == "keep":
        return rows, numbers, [f"{said} kept, as WMT does"]
    kept = sorted(first.values())
    return [rows[i] for i in kept], [numbers[i] for i in kept], [f"{said} dropped"]


def read_ranks(rows: list[list[str]], numbers: list[int], name: str, columns: JudgmentColumns) -> Floats:
    """(rows, systems) the ranks, NaN for -1."""
    cells = list(chain.from_iterable(map(itemgetter(*columns.ranks), rows)))
    known = {cell: parse_rank(cell) for cell in dict.fromkeys(cells)}
    bad = {cell for cell, rank in known.items() if rank is None}
    if bad:
        at = next(i for i, cell in enumerate(cells) if cell in bad)
        found = f"rank {cells[at]!r}" if cells[at].strip() else "a rank is empty"
        raise InputError(
            f"{name}:{numbers[at // len(columns.ranks)]}: {found}, expected a number from 1 (best) on, or -1 for not "
            "ranked; correct this line"
        )
    return np.array([known[cell] for cell in cells], np.float64).reshape(len(rows), len(columns.ranks))


def parse_rank(cell: str) -> float | None:
    """The rank that a cell holds, NaN for -1, None where it is none."""
    try:
        rank = float(cell)
    except ValueError:
        return None
    if "_" in cell or not cell.isascii():  # which Python reads, too
        return None
    if rank == -1:
        return np.nan
    return rank if 1 <= rank < np.inf else None


def skipped_note(marked: Bools, name: str, what: str) -> list[str]:
    if not marked.any():
        return []
    places = pluralise(int(marked.sum()), "place")
    return [f"{places} of {name!r} ({what}) in {pluralise(int(marked.any(axis=1).sum()), 'row')} left out"]


def pair_column(rows: list[list[str]], columns: JudgmentColumns) -> list[str]:
    written = list(map(itemgetter(columns.source, columns.target), rows))
    names = {pair: pair_name(*pair) for pair in set(written)}
    return [names[pair] for pair in written]


def renumber_segments(segments: list[str], numbers: list[int], name: str, lines: PathLike) -> list[str]:
    """The segments by the lines of a file."""
    where = source_name(lines)
    with open_binary(lines) as stream:
        target = stream.read().decode("utf-8", "surrogateescape").split()
    found = []
    for segment, number in zip(segments, numbers, strict=True):
        if not segment.isdecimal() or len(segment) > 18 or not 1 <= int(segment) <= len(target):
            raise InputError(
                f"{name}:{number}: segment {segment!r}, expected a whole number from 1 to {len(target)}, the number of "
                f"lines of {where}; leave `lines` out or correct this line"
            )
        found.append(target[int(segment) - 1])
    return found
