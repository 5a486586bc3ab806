"""The format entity-ranks: ranks of entities in TSV or CSV, with a header of system names and one entity per line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rankscope.data.entities import EntityRanks, EntityRankSettings
from rankscope.data.row_input import rows_from_dicts
from rankscope.data.tables import Column, Schema, Table, list_columns
from rankscope.data.text import pluralise
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.io.core import VALUES, FileContent, Format, ReadRequest, Source, file_stem, open_binary, source_name
from rankscope.io.tables.schema import parse_table
from rankscope.settings import as_names
from rankscope.typing import PathLike

__all__ = [
    "ALL_SYSTEMS",
    "ENTITY_RANKS",
    "SCHEMA",
    "column_notes",
    "read_entity_ranks",
    "system_columns",
]


SCHEMA = Schema(
    columns=(Column(name="entity", first=True, required=True, unique=True),),
    expected="ranks: a line of names (any text, then the systems), and a line for each entity with a rank per system",
    all_numbers=True,
)
ALL_SYSTEMS = EntityRankSettings()


def read_entity_ranks(
    path: PathLike, total_ranks: int | None = None, *, least: float = 1.0, systems: Any = ()
) -> EntityRanks:
    r"""Read a table of ranks of entities.

    Parameters
    ----------
    path
        CSV, TSV, JSON lines or Parquet, plain or compressed, detected from the content; "-" is standard input.
    total_ranks
        Number of all items that each system ranked.
    least
        Lowest rank that is allowed; 0 allows any rank above 0, as the preset `dunaiski` does.
    systems
        Systems to read from a table with a column for each system: these columns. Default: all columns but the first.

    Returns
    -------
    EntityRanks
        Equal and fractional ranks are ties; `EntityRanks.notes` counts them.

    Raises
    ------
    InputError
        With file and line: a rank is missing, not a number or below `least`, an entity occurs twice, a line has another
        number of fields, two systems have one name, there is no entity, or the total is below the largest rank.
    UnknownName
        There is no column for one of `systems`.

    Notes
    -----
    The first line has anything, and then the names of the systems; each other line an entity, then its rank in each of
    them. With `systems`, other columns (a year, a field of research) are not read. Fields are separated by tabs if the
    first line has one, else by commas (or semicolons, if it has no comma).
    Blank lines are skipped.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "papers.tsv")
    >>> _ = path.write_text("paper\tpagerank\tcitations\nA\t1\t3.5\nB\t12\t3.5\n")
    >>> table = read_entity_ranks(path, 100)
    >>> table.systems, table.ranks.tolist()
    (('pagerank', 'citations'), [[1.0, 12.0], [3.5, 3.5]])
    """
    settings = EntityRankSettings(table_systems=as_names(systems))
    with open_binary(path) as stream:
        return entity_ranks_of(stream.read(), path, total_ranks, least, settings)


def entity_ranks_of(
    content: bytes,
    path: PathLike,
    total_ranks: int | None = None,
    least: float = 1.0,
    settings: EntityRankSettings = ALL_SYSTEMS,
) -> EntityRanks:
    table = parse_table(content, source_name(path), SCHEMA, {})
    systems = system_columns(table, settings.table_systems)
    return EntityRanks(
        ranks=table.number_columns_matrix(systems, complete=True),
        systems=tuple(systems),
        entity_ids=tuple(table.ids("entity").to_list()),
        total_ranks=total_ranks,
        name=file_stem(path),
        min_rank=least,
        column_notes=column_notes(table, systems, settings),
        where=table.locate,
    )


def system_columns(table: Table, systems: Sequence[str]) -> list[str]:
    """The columns of these systems, of all where there are none. Raises UnknownName, and InputError for a text."""
    columns = table.more_columns
    for name in systems:
        if name not in columns:
            raise UnknownName(f"system of {table.name}, which systems (--systems) names", name, columns)
    if systems:
        return list(systems)
    texts = [name for name in columns if is_text_column(table, name)]
    if texts and len(texts) < len(columns):
        numeric = [name for name in columns if name not in texts]
        raise InputError(
            f"{table.locate(0)}: {texts[0]} is {table.frame[texts[0]][0]!r}, expected a number: a column of texts is "
            f"no system; name the columns that are: --systems {','.join(numeric)} (in Python systems=)"
        )
    return columns


def column_notes(table: Table, systems: Sequence[str], settings: EntityRankSettings) -> tuple[str, ...]:
    """A note on the columns that were read as systems, unless the user names them."""
    if settings.table_systems:
        return ()
    return (f"{table.name}: {pluralise(len(systems), 'column')} read as systems: {list_columns(systems)}",)


def is_text_column(table: Table, name: str) -> bool:
    """Whether no cell of a column is a number, or meant to be one; a single text may be a slip."""
    n_numbers, n_texts = table.count_numbers(name)
    if n_numbers or n_texts < 2:
        return False
    return not any(cell.strip()[:1].isdigit() for cell in table.texts(name))


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
