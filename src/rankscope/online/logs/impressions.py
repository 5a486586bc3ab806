"""Logs of one impression a line: what was clicked, and perhaps the list itself with its teams or credit."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from rankscope.data.tables import LIST, Column, Schema
from rankscope.errors import InputError
from rankscope.kernels.segments import group_of
from rankscope.online.logs.batches import LogBatch, ShownLists, Texts
from rankscope.online.logs.columns import (
    FlatColumn,
    check_ranks,
    clicked_ranks,
    flat_column,
    name_codes,
    same_lengths,
)
from rankscope.online.logs.json_blocks import JsonBlock
from rankscope.online.logs.regular_lines import WholeNumbers, regular_columns
from rankscope.typing import Ints

if TYPE_CHECKING:
    import polars as pl

    from rankscope.kernels.text import Fields

__all__ = [
    "IMPRESSIONS",
    "TEXTS",
    "batch_of_frame",
    "bind_columns",
    "column_types",
    "impression_batches",
    "shown_lists",
]


#: The columns of texts.
TEXTS = ("query", "user", "session", "time", "list")
#: A line for each impression.
IMPRESSIONS = Schema(
    columns=(
        Column(name="query", aliases=("query_id", "qid", "topic", "user_query")),
        Column(name="user", aliases=("user_id", "client_id", "client", "visitor", "visitor_id")),
        Column(name="session", aliases=("session_id",)),
        Column(name="time", aliases=("timestamp", "date", "datetime")),
        Column(name="list", aliases=("list_id",)),
        Column(name="method"),
        Column(name="clicks", aliases=("clicked", "clicked_ranks", "clicked_ids"), kind=LIST),
        Column(name="click_teams", aliases=("clicked_teams",), kind=LIST),
        Column(name="documents", aliases=("docs", "doc_ids", "document_ids", "results", "shown"), kind=LIST),
        Column(name="team", aliases=("teams",), kind=LIST),
        Column(name="systems", aliases=("rankers", "runs"), kind=LIST),
        Column(name="credit", aliases=("credits",), kind=LIST),
        Column(name="ranks", kind=LIST),
        Column(name="propensity", aliases=("propensities", "pscore"), kind=LIST),
    ),
    expected="impressions: a JSON object a line with clicks, a list of ranks from 1",
)
#: What belongs to each document of a list.
BY_DOCUMENT = ("documents", "team", "credit", "ranks", "propensity")


def impression_batches(
    blocks: Iterable[JsonBlock], needed: Collection[str], names: Mapping[str, str]
) -> Iterator[LogBatch]:
    """The impressions of a log of JSON lines.

    Parameters
    ----------
    blocks
        The lines.
    needed
        Our names of the columns to read; others are skipped.
    names
        What the user calls columns, by our names.

    Raises
    ------
    InputError
        With file and line: something cannot be read, or a column is missing.
    """
    schema: dict[str, Any] = {}
    own_names: dict[str, str] = {}
    for block in blocks:
        if not own_names:
            guessed = block.guess_schema()
            refuse_other_clicks(block, guessed, names)
            schema, own_names = bind_columns(guessed, names, needed, f"{block.name}:{block.first_line}")
        batch = regular_batch(block, own_names) if is_plain(schema, own_names) else None
        if batch is None:
            frame = block.frame(schema).rename({own: name for name, own in own_names.items()})
            batch = batch_of_frame(frame, block.where)
        yield batch


def refuse_other_clicks(block: JsonBlock, guessed: Mapping[str, pl.DataType], names: Mapping[str, str]) -> None:
    """Raise InputError, with the line, where clicks are lists in some lines and something else in others."""
    import polars as pl

    clicks = names.get("clicks", "clicks")
    if clicks in guessed and not isinstance(guessed[clicks], pl.List):
        block.frame({clicks: column_types()["clicks"]})


def is_plain(schema: Mapping[str, Any], own_names: Mapping[str, str]) -> bool:
    """Whether lines hold nothing but texts and the ranks of clicks, as far as they are needed."""
    import polars as pl

    return own_names.keys() <= {*TEXTS, "clicks"} and schema.get(own_names.get("clicks", "")) == pl.List(pl.Int64)


def regular_batch(block: JsonBlock, own_names: Mapping[str, str]) -> LogBatch | None:
    """The impressions of lines that are regular; None for others."""
    clicks_name = own_names["clicks"]
    columns = regular_columns(block.content, {own for own in own_names.values() if own != clicks_name}, {clicks_name})
    if columns is None:
        return None
    clicks = columns[clicks_name]
    assert isinstance(clicks, WholeNumbers)
    rows = group_of(clicks.offsets)
    check_ranks(clicks.values, rows, block.where)
    texts = {name: Texts(cast("Fields", columns[own])) for name, own in own_names.items() if name != "clicks"}
    return LogBatch(
        n=clicks.offsets.size - 1, columns=texts, click_row=rows, click_rank=clicks.values, where=block.where
    )


def bind_columns(
    guessed: Mapping[str, pl.DataType], names: Mapping[str, str], needed: Collection[str], where: str
) -> tuple[dict[str, Any], dict[str, str]]:
    """The columns to read with their types by their own names, and their own names by ours."""
    import polars as pl

    lists = [name for name, type_ in guessed.items() if isinstance(type_, pl.List)]
    own_names = IMPRESSIONS.bind(list(guessed), names, where, lists)
    if not {"clicks", "click_teams"} & own_names.keys():
        raise IMPRESSIONS.missing_column("clicks", list(guessed), where)
    types = column_types()
    if "clicks" in own_names and guessed[own_names["clicks"]] == pl.List(pl.String):
        types["clicks"] = pl.List(pl.String)
        needed = {*needed, "documents"}
        if "documents" not in own_names:
            raise IMPRESSIONS.missing_column("documents", list(guessed), where)
    own_names = {name: own for name, own in own_names.items() if name in needed}
    return {own: types[name] for name, own in own_names.items()}, own_names


def column_types() -> dict[str, Any]:
    """The types of our columns."""
    import polars as pl

    return {
        **dict.fromkeys((*TEXTS, "method"), pl.String),
        **dict.fromkeys(("click_teams", "documents", "team", "systems"), pl.List(pl.String)),
        "clicks": pl.List(pl.Int64),
        "credit": pl.List(pl.List(pl.Float64)),
        "ranks": pl.List(pl.List(pl.Int64)),
        "propensity": pl.List(pl.Float64),
    }


def batch_of_frame(frame: pl.DataFrame, where: Callable[[int], str]) -> LogBatch:
    """A frame of impressions, whose columns have our names."""
    import polars as pl

    shown = shown_lists(frame, where)
    columns = {name: Texts.of(frame[name]) for name in TEXTS if name in frame.columns}
    teams = flat_column(frame["click_teams"], where, nulls=True) if "click_teams" in frame.columns else None
    systems, click_team = name_codes(teams.values) if teams is not None else ((), None)
    if "clicks" not in frame.columns:
        assert teams is not None
        rows, ranks = group_of(teams.offsets), np.zeros(teams.values.len(), np.int64)
    else:
        clicks = flat_column(frame["clicks"], where)
        if teams is not None:
            same_lengths([("clicks", clicks), ("click_teams", teams)], where)
        rows = group_of(clicks.offsets)
        if clicks.values.dtype == pl.String:
            assert shown is not None
            assert shown.documents is not None
            ranks = clicked_ranks(clicks, FlatColumn(shown.offsets, shown.documents), where)
        else:
            ranks = clicks.values.cast(int).to_numpy()
            check_ranks(ranks, rows, where)
    return LogBatch(
        n=frame.height,
        columns=columns,
        click_row=rows,
        click_rank=ranks,
        click_team=click_team,
        systems=systems,
        shown=shown,
        where=where,
    )


def shown_lists(frame: pl.DataFrame, where: Callable[[int], str]) -> ShownLists | None:
    """The lists in a frame whose columns have our names; None if it has none. Raises InputError for unequal lengths."""
    flat = {
        name: flat_column(frame[name], where, nulls=name == "team") for name in BY_DOCUMENT if name in frame.columns
    }
    if not flat:
        return None
    offsets = same_lengths(list(flat.items()), where)
    systems = single_list(frame["systems"], where) if "systems" in frame.columns else ()
    team = None
    if "team" in flat:
        names = flat["team"].values
        team_systems, team = name_codes(names, systems)
        unknown = (team < 0) & (names.fill_null("") != "").to_numpy()
        if unknown.any():
            entry = int(unknown.argmax())
            raise InputError(
                f"{where(int(group_of(offsets)[entry]))}: the team {names[entry]!r}, expected one of "
                f"{', '.join(systems)}, or null for none; correct it"
            )
        systems = team_systems
    by_system = {
        name: by_system_table(flat[name], systems, name, offsets, where) for name in ("credit", "ranks") if name in flat
    }
    return ShownLists(
        offsets=offsets,
        documents=flat["documents"].values if "documents" in flat else None,
        systems=systems,
        team=team,
        credit=by_system.get("credit"),
        ranks=None if "ranks" not in by_system else np.nan_to_num(by_system["ranks"]).astype(np.int64),
        propensity=flat["propensity"].values.to_numpy() if "propensity" in flat else None,
        method=single_text(frame["method"]) if "method" in frame.columns else "",
    )


def by_system_table(
    column: FlatColumn, systems: tuple[str, ...], name: str, offsets: Ints, where: Callable[[int], str]
) -> Any:
    """(shown, systems) numbers; NaN for null. Raises InputError for a document with fewer or more of them."""
    if not systems:
        raise InputError(
            f"{where(0)}: {name} without systems, expected the names of the systems in every line; add them"
        )
    inner = flat_column(column.values.alias(name), lambda entry: where(int(group_of(offsets)[entry])), nulls=True)
    is_wrong = np.diff(inner.offsets) != len(systems)
    if is_wrong.any():
        entry = int(is_wrong.argmax())
        raise InputError(
            f"{where(int(group_of(offsets)[entry]))}: {name} with {int(np.diff(inner.offsets)[entry])} numbers for a "
            f"document, expected {len(systems)}, one for each system; correct it"
        )
    return inner.values.cast(float).to_numpy().reshape(-1, len(systems))


def single_list(lists: pl.Series, where: Callable[[int], str]) -> tuple[str, ...]:
    """The names that every row has. Raises InputError for a row with others."""
    first = tuple(lists[0].to_list()) if lists.len() and lists[0] is not None else ()
    joined = lists.list.join("\n")
    differs = (joined != "\n".join(first)).fill_null(True)
    if differs.any():
        row = int(differs.arg_true()[0])
        raise InputError(
            f"{where(row)}: other systems than {', '.join(first) or 'none'}, expected the same in every line; analyse "
            "each experiment by itself"
        )
    return first


def single_text(texts: pl.Series) -> str:
    """The text that all rows have, "" where they differ or have none."""
    distinct = texts.unique().to_list()
    return str(distinct[0]) if len(distinct) == 1 and distinct[0] else ""
