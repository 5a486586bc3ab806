"""The format entity-ranks: ranks of entities in TSV or CSV, with a header of system names and one entity per line."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Container
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.data.entities import EntityRanks
from rankscope.data.row_input import rows_from_dicts
from rankscope.data.text import first_names
from rankscope.errors import InputError, ParameterError
from rankscope.io.core import (
    BOM,
    VALUES,
    FileContent,
    Format,
    ReadRequest,
    Source,
    empty_file_error,
    file_stem,
    open_binary,
    source_name,
)
from rankscope.kernels.numbers import parse_floats
from rankscope.kernels.text import encode
from rankscope.typing import PathLike

__all__ = [
    "ENTITY_RANKS",
    "ParsedRanks",
    "TableTerms",
    "parse_rank_table",
    "read_entity_ranks",
]


#: A number with a decimal comma, as 1,5 for 1.5.
DECIMAL_COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+")


def read_entity_ranks(path: PathLike, total_ranks: int | None = None, *, least: float = 1.0) -> EntityRanks:
    r"""Read a table of ranks of entities.

    Parameters
    ----------
    path
        File; "-" is standard input. Compression is detected from the content.
    total_ranks
        Number of all items that each system ranked.
    least
        Lowest rank that is allowed; 0 allows any rank above 0, as the preset `dunaiski` does.

    Returns
    -------
    EntityRanks
        Equal and fractional ranks are ties; `EntityRanks.notes` counts them.

    Raises
    ------
    InputError
        With file and line: a rank is missing, not a number or below `least`, an entity occurs twice, a line has another
        number of fields, two systems have one name, there is no entity, or the total is below the largest rank.

    Notes
    -----
    The first line has anything, and then the names of the systems; each other line an entity, then its rank in each of
    them. Fields are separated by tabs if the first line has one, else by commas. Blank lines are skipped.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "papers.tsv")
    >>> _ = path.write_text("paper\tpagerank\tcitations\nA\t1\t3.5\nB\t12\t3.5\n")
    >>> table = read_entity_ranks(path, 100)
    >>> table.systems, table.ranks.tolist()
    (('pagerank', 'citations'), [[1.0, 12.0], [3.5, 3.5]])
    """
    with open_binary(path) as stream:
        return entity_ranks_of(stream.read(), path, total_ranks, least)


def entity_ranks_of(content: bytes, path: PathLike, total_ranks: int | None = None, least: float = 1.0) -> EntityRanks:
    name = source_name(path)
    table = parse_rank_table(content, name, ENTITIES)
    return EntityRanks(
        ranks=table.ranks,
        systems=table.names,
        entity_ids=table.items,
        total_ranks=total_ranks,
        name=file_stem(path),
        min_rank=least,
        where=lambda row: f"{name}:{table.lines[row]}",
    )


class TableTerms(NamedTuple):
    """The words for the columns and lines of a table in messages.

    Attributes
    ----------
    column
        A column.
    line, lines
        A line, and several.
    """

    column: str
    line: str
    lines: str

    @property
    def expected(self) -> str:
        article = "an" if self.line[0] in "aeiou" else "a"
        return f"{article} {self.line} and one rank per {self.column}, separated by tabs or commas"


ENTITIES = TableTerms("system", "entity", "entities")


class ParsedRanks(NamedTuple):
    """The content of a table.

    Attributes
    ----------
    names, items
        Names of columns and lines.
    ranks
        (columns, lines), NaN for none.
    header_line
        Number of the header's line.
    lines
        Number of each item's line.
    """

    names: tuple[str, ...]
    items: tuple[str, ...]
    ranks: npt.NDArray[np.float64]
    header_line: int
    lines: list[int]


def parse_rank_table(content: bytes, name: str, terms: TableTerms, missing_cells: Container[str] = ()) -> ParsedRanks:
    """The ranks in a table with a header of names and one item per line.

    Parameters
    ----------
    content
        The bytes.
    name
        Name of the file.
    terms
        Words of the messages.
    missing_cells
        Texts that mean no rank.

    Returns
    -------
    ParsedRanks
        The ranks.

    Raises
    ------
    InputError
        With file and line: a line has another number of fields, columns have the same name or no name, the table is
        only a header, or a cell is not a number.
    """
    text = content.removeprefix(BOM).decode("utf-8", "surrogateescape")
    lines, rows = read_fields(text, name, terms.expected)
    header, header_line = rows[0], lines[0]
    if len(header) < 2:
        semicolons = "; replace semicolons by tabs and decimal commas by points"
        raise InputError(
            f"{name}:{header_line}: 1 column, expected {terms.expected}{semicolons if ';' in header[0] else ''}"
        )
    names = header[1:]
    seen: set[str] = set()
    for column_name in names:
        if not column_name or column_name in seen:
            problem = (
                f"two {terms.column}s are named {column_name!r}" if column_name else f"a {terms.column} without a name"
            )
            raise InputError(f"{name}:{header_line}: {problem}, expected a name of its own for each; correct this line")
        seen.add(column_name)
    for line, row in zip(lines, rows, strict=True):
        if len(row) != len(header):
            header_text = first_names(header, 8)
            raise InputError(
                f"{name}:{line}: {len(row)} fields, expected {len(header)} ({header_text}); correct this line"
            )
    if len(rows) == 1:
        raise InputError(f"{name}: no {terms.lines}, only a header; expected {terms.expected}")
    cells = [cell for row in rows[1:] for cell in row[1:]]
    missing = [index for index, cell in enumerate(cells) if cell in missing_cells] if missing_cells else []
    for index in missing:
        cells[index] = "0"
    ranks, invalid = parse_floats(encode(cells))
    ranks[missing] = np.nan
    if invalid.size:
        (line, column), cell = divmod(int(invalid.min()), len(names)), cells[int(invalid.min())]
        problem = f"is {cell!r}" if cell else "is missing"
        advice = "replace the decimal comma by a point" if DECIMAL_COMMA.fullmatch(cell) else "correct this line"
        raise InputError(
            f"{name}:{lines[line + 1]}: the rank of {terms.column} {names[column]!r} {problem}, expected a number; "
            f"{advice}"
        )
    table = np.ascontiguousarray(ranks.reshape(len(rows) - 1, len(names)).T)
    return ParsedRanks(tuple(names), tuple(row[0] for row in rows[1:]), table, header_line, lines[1:])


def read_fields(text: str, name: str, expected: str) -> tuple[list[int], list[list[str]]]:
    """The number of each line that is not blank, and its stripped fields."""
    first_line = next((line for line in text.splitlines() if line.strip()), None)
    if first_line is None:
        raise empty_file_error(name, expected)
    tabs = "\t" in first_line
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
    if not rows:  # as for a single quotation mark
        raise InputError(f"{name}: no data, expected {expected}")
    return lines, rows


def read_format(source: Source, request: ReadRequest) -> FileContent:
    """The entities as judgments, all relevant, or the ranks of the only system as a run of scores -rank."""
    table, kind = entity_ranks_of(source.read_bytes(), source.path), request.kind or request.hint
    if kind != "run":
        loss_note = f"{source.name}: the ranks of {', '.join(table.systems)} are not kept: judgments have none"
        rows = rows_from_dicts({table.name: dict.fromkeys(table.entity_ids, 1)}, source.name, VALUES["qrels"])
        return FileContent(rows, notes=(*table.notes, loss_note))
    if len(table.systems) > 1:
        raise ParameterError(
            f"{source.name}: a table of {len(table.systems)} systems ({', '.join(table.systems)}), and a run is "
            "of one; cut the table to the entities and one column"
        )
    scores = {table.name: dict(zip(table.entity_ids, (-table.ranks[0]).tolist(), strict=True))}
    return FileContent(rows_from_dicts(scores, source.name, VALUES["run"]), 0, table.systems[0], table.notes)


ENTITY_RANKS = Format(read=read_format, alternative="judgments and runs in one; use read_entity_ranks(path)")
