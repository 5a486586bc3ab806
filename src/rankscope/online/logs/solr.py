"""Solr's responses with the model that its team-draft interleaving picked for each document, and what was clicked.

A line holds a response as Solr gives it, with `[interleaving]` among the fields of its documents, and what the
application adds beside it: clicks, user, session, time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from rankscope.errors import InputError
from rankscope.online.logs.batches import LogBatch
from rankscope.online.logs.impressions import IMPRESSIONS, TEXTS, batch_of_frame
from rankscope.online.logs.json_blocks import JsonBlock

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "is_solr",
    "solr_batches",
]


#: The field of a document that names the model which interleaving picked.
TEAM = "[interleaving]"
#: The columns that the application adds.
ADDED = ("user", "session", "time", "clicks")


def is_solr(record: Mapping[str, Any]) -> bool:
    """Whether an object is a response of Solr."""
    response = record.get("response")
    return isinstance(response, Mapping) and isinstance(response.get("docs"), list)


def solr_batches(blocks: Iterable[JsonBlock], names: Mapping[str, str]) -> Iterator[LogBatch]:
    """The impressions of a log of Solr's responses.

    Parameters
    ----------
    blocks
        The lines.
    names
        What the user calls the columns beside the response, by our names; `documents` is the field with the id, and
        `team` the one with the model.

    Raises
    ------
    InputError
        With file and line: something cannot be read, or there are no clicks.
    """
    import polars as pl

    schema: dict[str, Any] = {}
    added: dict[str, str] = {}
    id_field, team_field = names.get("documents", "id"), names.get("team", TEAM)
    for block in blocks:
        if not schema:
            guessed = block.guess_schema()
            where = f"{block.name}:{block.first_line}"
            lists = [name for name, type_ in guessed.items() if isinstance(type_, pl.List)]
            top_names = {name: own for name, own in names.items() if name not in ("documents", "team")}
            matched = IMPRESSIONS.match(list(guessed), top_names, lists)
            added = {name: own for name, own in matched.items() if name in (*ADDED, "query")}
            if "clicks" not in added:
                raise InputError(
                    f"{where}: a response of Solr without clicks, expected a list of the ranks or ids that were "
                    'clicked beside it, as {"response": ..., "clicks": [2]}; add it'
                )
            is_text = guessed[added["clicks"]] == pl.List(pl.String)
            schema = {
                "response": pl.Struct({"docs": pl.List(pl.Struct({id_field: pl.String, team_field: pl.String}))}),
                "responseHeader": pl.Struct({"params": pl.Struct({"q": pl.String})}),
                **{own: pl.String for name, own in added.items() if name in TEXTS},
                added["clicks"]: pl.List(pl.String if is_text else pl.Int64),
            }
        yield batch_of_frame(as_impressions(block.frame(schema), added, id_field, team_field), block.where)


def as_impressions(frame: pl.DataFrame, added: Mapping[str, str], id_field: str, team_field: str) -> pl.DataFrame:
    """The columns of impressions in a frame of responses."""
    import polars as pl

    documents = pl.col("response").struct.field("docs")
    parameters = pl.col("responseHeader").struct.field("params").struct.field("q")
    return frame.select(
        **{"query": parameters} if "query" not in added else {},
        **{name: pl.col(own) for name, own in added.items()},
        documents=documents.list.eval(pl.element().struct.field(id_field)),
        team=documents.list.eval(pl.element().struct.field(team_field)),
    )
