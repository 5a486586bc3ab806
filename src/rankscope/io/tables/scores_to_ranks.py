"""Ranks of entities from the scores of all items: each system ranks all, and the ranks of the entities are kept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from rankscope.data.entities import EntityRanks, EntityRankSettings
from rankscope.data.text import first_names, pluralise
from rankscope.errors import InputError
from rankscope.io.core import BOM, file_stem, source_name
from rankscope.io.tables.entity_ranks import ALL_SYSTEMS, SCHEMA, column_notes, system_columns
from rankscope.io.tables.frames import SEPARATORS
from rankscope.io.tables.schema import parse_table, read_content
from rankscope.kernels.order import mean_ranks
from rankscope.typing import PathLike

__all__ = [
    "entity_ranks_text",
    "rank_entities",
]


SCORES = replace(
    SCHEMA,
    expected="scores: a line of names (any text, then the systems), and a line for each item with a score per system",
)


def rank_entities(path: PathLike, relevant: PathLike, settings: EntityRankSettings = ALL_SYSTEMS) -> EntityRanks:
    """The ranks of some items among all, by falling score; tied items have their mean rank.

    Parameters
    ----------
    path
        Table with a line for each item: its id, then its score by each system.
    relevant
        File with the ids of the relevant items, a line each.
    settings
        Which columns are systems.

    Raises
    ------
    InputError
        A score is missing or not a number, an item occurs twice, or a relevant item is not in the table.
    """
    table = parse_table(read_content(path), source_name(path), SCORES, {})
    systems = system_columns(table, settings.table_systems)
    scores = table.number_columns_matrix(systems, complete=True)
    row_of = {item: row for row, item in enumerate(table.ids("entity").to_list())}
    entity_ids = read_ids(relevant)
    unknown = [item for item in entity_ids if item not in row_of]
    if unknown:
        raise InputError(
            f"{source_name(relevant)}: {pluralise(len(unknown), 'id')} not among the {len(row_of):,} items of "
            f"{table.name} ({first_names(unknown)}), expected a line with the id of each relevant item; correct or "
            "remove them"
        )
    rows = np.array([row_of[item] for item in entity_ids], np.int64)
    return EntityRanks(
        ranks=np.array([mean_ranks(values)[rows] for values in scores]),
        systems=tuple(systems),
        entity_ids=entity_ids,
        total_ranks=len(row_of),
        name=file_stem(path),
        column_notes=column_notes(table, systems, settings),
    )


def read_ids(path: PathLike) -> tuple[str, ...]:
    """The ids in a file, a line each. Raises InputError where there is none."""
    lines = read_content(path).removeprefix(BOM).decode("utf-8", "surrogateescape").splitlines()
    ids = tuple(dict.fromkeys(line.strip() for line in lines if line.strip()))
    if not ids:
        raise InputError(f"{source_name(path)}: no id, expected a line with the id of each relevant item")
    return ids


def entity_ranks_text(table: EntityRanks, format_name: str) -> Iterator[bytes]:
    """The table of ranks as CSV or TSV. format_name: one of `SEPARATORS`."""
    import polars as pl

    columns = {
        name: [str(int(rank)) if rank.is_integer() else repr(rank) for rank in ranks]
        for name, ranks in zip(table.systems, table.ranks.tolist(), strict=True)
    }
    first = next(name for name in ("entity", "item", "id", "") if name not in columns)
    frame = pl.DataFrame({first: table.entity_ids, **columns})
    yield frame.write_csv(separator=SEPARATORS[format_name]).encode("utf-8", "surrogateescape")
