"""A log of impressions and clicks: its format is detected, and it is read batch by batch."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any

from rankscope.data.tables import to_frame
from rankscope.errors import InputError
from rankscope.io.core import PARQUET_MAGIC, Progress, is_file, is_path, open_binary, source_name
from rankscope.io.tables import first_record, read_content, read_parquet
from rankscope.online.logs.batches import LogBatch
from rankscope.online.logs.impressions import batch_of_frame, bind_columns, impression_batches
from rankscope.online.logs.json_blocks import json_blocks
from rankscope.online.logs.list_table import ListTable, read_lists
from rankscope.online.logs.solr import is_solr, solr_batches
from rankscope.online.logs.ubi import ACTIONS, is_ubi_event, ubi_impressions, ubi_lists
from rankscope.typing import PathLike

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "Log",
    "open_log",
]


#: Bytes of a file that tell its format.
HEAD = 1 << 16


@dataclass(eq=False, kw_only=True)
class Log:
    """A log that is open for reading once.

    Attributes
    ----------
    name
        Name of the file, or of what it was read from.
    format_name
        "impressions", "ubi" or "solr".
    batches
        The impressions.
    lists
        The lists that impressions refer to; None if there is no such file.
    notes
        What a reader should know; complete when all batches are read.
    """

    name: str
    format_name: str
    batches: Iterator[LogBatch]
    lists: ListTable | None = None
    notes: list[str] = field(default_factory=list)


def open_log(
    source: Any,
    needed: Collection[str],
    *,
    lists: Any = None,
    columns: Mapping[str, str] | None = None,
    actions: Sequence[str] = ACTIONS,
    progress: Progress | None = None,
) -> Log:
    """Open a log; see `rankscope.online.interleaving_test` for its formats.

    Parameters
    ----------
    source
        A file, a data frame, or a list of records.
    needed
        Our names of the columns that will be used.
    lists
        A file of the lists that were shown.
    columns
        What the user calls columns, by our names.
    actions
        Actions of UBI events that count as clicks.
    progress
        Called with the number of bytes just read.

    Raises
    ------
    InputError
        With file and line: something cannot be read. Errors of later lines come with their batch.
    """
    names = dict(columns or {})
    frame = None if is_path(source) else frame_of(source)
    if is_file(source) and starts_with(source, PARQUET_MAGIC):
        frame = read_parquet(read_content(source), source_name(source))
    name = source_name(source) if is_path(source) else "the log"
    if frame is not None:
        batch = batch_of_table(frame, needed, names, name)
        return Log(name=name, format_name="impressions", batches=iter([batch]), lists=list_table(lists, names))
    blocks = json_blocks(source, progress)
    first = next(blocks)
    record = first_record(first.content[:HEAD])
    blocks = chain([first], blocks)
    if is_ubi_event(record):
        shown = None if lists is None else ubi_lists(json_blocks(lists), names)
        ubi = ubi_impressions(blocks, names, actions, shown)
        batch = batch_of_frame(ubi.frame, lambda row: f"{name}: query_id {ubi.frame['query_id'][row]!r}")
        return Log(name=name, format_name="ubi", batches=iter([batch]), notes=list(ubi.notes))
    if is_solr(record):
        batches, format_name = solr_batches(blocks, names), "solr"
    else:
        batches, format_name = impression_batches(blocks, needed, names), "impressions"
    return Log(name=name, format_name=format_name, batches=batches, lists=list_table(lists, names))


def list_table(lists: Any, names: Mapping[str, str]) -> ListTable | None:
    """The lists in a file, if one is named."""
    return None if lists is None else read_lists(lists, names)


def starts_with(path: PathLike, magic: bytes) -> bool:
    with open_binary(path) as stream:
        return stream.read(len(magic)) == magic


def frame_of(source: Any) -> pl.DataFrame:
    """A data frame, or a list of records, as a frame. Raises InputError for anything else."""
    import polars as pl

    try:
        if isinstance(source, Sequence) and source and all(isinstance(record, Mapping) for record in source):
            return pl.DataFrame(list(source), infer_schema_length=None)  # the first lists may be empty
        return to_frame(source)
    except (InputError, pl.exceptions.PolarsError) as error:
        raise InputError(f"the log: {error}, expected a file, a data frame or a list of records") from None


def batch_of_table(frame: pl.DataFrame, needed: Collection[str], names: Mapping[str, str], name: str) -> LogBatch:
    """The impressions of a frame. Raises InputError for a missing column, and one of another type."""
    import polars as pl

    schema, own_names = bind_columns(frame.schema, names, needed, name)
    columns = []
    for our_name, own_name in own_names.items():
        try:
            columns.append(frame[own_name].cast(schema[own_name]).alias(our_name))
        except pl.exceptions.PolarsError:
            raise InputError(
                f"{name}: {own_name} holds {frame.schema[own_name]}, expected {schema[own_name]}; convert it"
            ) from None
    return batch_of_frame(pl.DataFrame(columns), lambda row: f"{name}: row {row + 1}")
