"""The format entity-ranks: the ranks of known entities, TSV or CSV: a header of system names, then an entity a line."""

from __future__ import annotations

import csv
import io

import numpy as np

from rankscope.data.dicts import dict_rows
from rankscope.data.entities import EntityRanks
from rankscope.errors import InputError, ParameterError
from rankscope.io.blocks import BOM
from rankscope.io.formats import VALUES, File, Format, Wanted
from rankscope.io.read import PathLike, Source, file_stem
from rankscope.io.streams import empty_file, open_binary, source_name
from rankscope.kernels.numbers import parse_floats
from rankscope.kernels.text import encode

__all__ = ["ENTITY_RANKS", "read_entity_ranks"]

FORM = "an entity and one rank a system, separated by tabs or commas"


def read_entity_ranks(path: PathLike, total_ranks: int | None = None, *, least: float = 1.0) -> EntityRanks:
    r"""Read a table of ranks; "-" is standard input, compression is told by content.

    The first line names the systems, behind anything at all; each other line an entity, then its rank in each of them.
    Fields are separated by tabs where the first line has one, else by commas. Blank lines are left out. Equal and
    fractional ranks are ties; `EntityRanks.notes` counts them. total_ranks: how many items each system ranked in all.
    least: the least rank that is allowed; 0: any above 0, as the preset `dunaiski` takes them.
    Raises InputError, naming file and line, for a rank that is missing, no number or below `least`, an entity listed
    twice, lines with another number of fields, two systems of one name, no entity, and a total below the largest rank.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "papers.tsv")
    >>> _ = path.write_text("paper\tpagerank\tcitations\nA\t1\t3.5\nB\t12\t3.5\n")
    >>> table = read_entity_ranks(path, 100)
    >>> table.systems, table.ranks.tolist()
    (('pagerank', 'citations'), [[1.0, 12.0], [3.5, 3.5]])
    """
    with open_binary(path) as stream:
        return table_of(stream.read(), path, total_ranks, least)


def table_of(content: bytes, path: PathLike, total_ranks: int | None = None, least: float = 1.0) -> EntityRanks:
    name, text = source_name(path), content.removeprefix(BOM).decode("utf-8", "surrogateescape")
    lines, rows = read_rows(text, name)
    header, at = rows[0], lines[0]
    if len(header) < 2:
        raise InputError(f"{name}:{at}: 1 column, expected {FORM}")
    systems = header[1:]
    for system in systems:
        if not system or systems.count(system) > 1:
            found = f"two systems are named {system!r}" if system else "a system without a name"
            raise InputError(f"{name}:{at}: {found}, expected a name of its own for each; correct this line")
    for line, row in zip(lines, rows, strict=True):
        if len(row) != len(header):
            raise InputError(
                f"{name}:{line}: {len(row)} fields, expected {len(header)} ({', '.join(header)}); correct this line"
            )
    if len(rows) == 1:
        raise InputError(f"{name}: no entities, only a header; expected {FORM}")
    entities, cells = [row[0] for row in rows[1:]], [cell for row in rows[1:] for cell in row[1:]]
    ranks, bad = parse_floats(encode(cells))
    if bad.size:
        place, cell = divmod(int(bad.min()), len(systems)), cells[int(bad.min())]
        found = f"is {cell!r}" if cell else "is missing"
        raise InputError(
            f"{name}:{lines[place[0] + 1]}: the rank of system {systems[place[1]]!r} {found}, expected a number; "
            "correct this line"
        )
    return EntityRanks(
        ranks=np.ascontiguousarray(ranks.reshape(len(entities), len(systems)).T),
        systems=tuple(systems),
        entity_ids=tuple(entities),
        total_ranks=total_ranks,
        name=file_stem(path),
        least=least,
        where=lambda row: f"{name}:{lines[row + 1]}",
    )


def read_rows(text: str, name: str) -> tuple[list[int], list[list[str]]]:
    """The number of each line that is not blank, and its fields, without blanks around them."""
    first = next((line for line in text.splitlines() if line.strip()), None)
    if first is None:
        raise empty_file(name, FORM)
    tabs = "\t" in first
    source = io.StringIO(text, newline="")
    reader = csv.reader(source, delimiter="\t", quoting=csv.QUOTE_NONE) if tabs else csv.reader(source)
    lines, rows = [], []
    try:
        for row in reader:
            fields = [field.strip() for field in row]
            if fields not in ([], [""]):
                lines.append(reader.line_num)
                rows.append(fields)
    except csv.Error as error:
        raise InputError(f"{name}:{reader.line_num}: cannot be read ({error}); correct this line") from None
    return lines, rows


def read_file(source: Source, wanted: Wanted) -> File:
    """The entities as judgments, all relevant, or the ranks of the one system as a run: the score is minus the rank."""
    table, kind = table_of(source.rest(), source.path), wanted.kind or wanted.hint
    if kind != "run":
        lost = f"{source.name}: the ranks of {', '.join(table.systems)} are not kept: judgments have none"
        judged = dict_rows({table.name: dict.fromkeys(table.entity_ids, 1)}, source.name, VALUES["qrels"])
        return File(judged, notes=(*table.notes, lost))
    if len(table.systems) > 1:
        raise ParameterError(
            f"{source.name}: a table of {len(table.systems)} systems ({', '.join(table.systems)}), and a run is "
            "of one; cut the table to the entities and one column"
        )
    scores = {table.name: dict(zip(table.entity_ids, (-table.ranks[0]).tolist(), strict=True))}
    return File(dict_rows(scores, source.name, VALUES["run"]), 0, table.systems[0], table.notes)


ENTITY_RANKS = Format(read=read_file, instead="judgments and runs in one; use read_entity_ranks(path)")
