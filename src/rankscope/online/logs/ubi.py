"""Events of user behaviour insights (UBI), as OpenSearch, Elasticsearch and Solr collect them: an object an event.

What a user saw for one query has one `query_id`. A click says in `event_attributes.object` which document it is on, and
in its field `search_config` which team of an interleaved list that document is of.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from rankscope.errors import InputError
from rankscope.online.logs.json_blocks import JsonBlock

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "ACTIONS",
    "UbiImpressions",
    "is_ubi_event",
    "ubi_impressions",
    "ubi_lists",
]


#: The actions that count as clicks, if the user does not say others; and that of a document that was shown.
ACTIONS = ("click", "click_through")
SHOWN = "impression"
#: The field of an object that names its team, as OpenSearch's generator of UBI data writes it.
TEAM = "search_config"
#: Where hits of an index hold the object.
SOURCE = "_source"
#: The lists of a query by the versions of the specification.
HITS = ("query_response_hit_ids", "query_response_objects_ids")


class UbiImpressions(NamedTuple):
    """The events of a log by query.

    Attributes
    ----------
    frame
        An impression a row, as `batch_of_frame` takes it.
    notes
        What a reader should know.
    """

    frame: pl.DataFrame
    notes: tuple[str, ...]


def is_ubi_event(record: Mapping[str, Any]) -> bool:
    """Whether an object is an event, perhaps as a hit of an index."""
    source = record.get(SOURCE, record)
    return isinstance(source, Mapping) and "action_name" in source


def ubi_impressions(
    blocks: Iterable[JsonBlock], names: Mapping[str, str], actions: Collection[str], lists: pl.DataFrame | None = None
) -> UbiImpressions:
    """The impressions of a log of events, which need not be in order.

    Parameters
    ----------
    blocks
        The lines.
    names
        What the user calls fields, by our names; `team` is one of the object of an event.
    actions
        The names of actions that count as clicks. A document clicked several times counts once.
    lists
        What was shown for each query, as `ubi_lists` gives it: then these are the impressions. Otherwise they are the
        queries with events of what was shown or, without any, all with an event.

    Raises
    ------
    InputError
        With file and line: something cannot be read. No event is a click.
    """
    import polars as pl

    frames, name = [], ""
    for block in blocks:
        frames.append(events_of_block(block, names, actions))
        name = block.name
    events = pl.concat(frames)
    clicks = events.filter(pl.col("action") != SHOWN)
    if not clicks.height:
        raise InputError(
            f"{name}: no event has a query_id and the action {' or '.join(actions)}, expected clicks; name their "
            "action with actions (--actions)"
        )
    described = events.group_by("query_id", maintain_order=True).agg(
        pl.col("query", "user", "session").drop_nulls().first(), pl.col("time").min()
    )
    impressions = described if lists is None else with_description(lists, described)
    shown = shown_by_query(events.filter(pl.col("action") == SHOWN)) if lists is None else lists
    notes: list[str] = []
    if shown is not None:
        if lists is None:
            n_queries = impressions.height
            impressions = impressions.join(shown, on="query_id", maintain_order="left")
            if n_queries > impressions.height:
                n_skipped = n_queries - impressions.height
                notes.append(f"{name}: {n_skipped:,} queries without events of what was shown were skipped")
        in_list = shown.select("query_id", document="documents").explode("document")
        n_clicks = clicks.height
        clicks = clicks.join(in_list, on=["query_id", "document"], how="semi", maintain_order="left")
        if n_clicks > clicks.height:
            notes.append(f"{name}: {n_clicks - clicks.height:,} clicks on documents that no list holds were skipped")
    elif clicks["team"].is_null().all():
        raise InputError(
            f"{name}: no click has event_attributes.object.{names.get('team', TEAM)}, and no event says what was "
            "shown, expected one of the two; add the team to the events, or give the lists (--lists)"
        )
    is_first = (
        clicks["document"].is_null() | clicks.select(pl.struct("query_id", "document").is_first_distinct()).to_series()
    )
    clicks_of = clicks.filter(is_first).group_by("query_id", maintain_order=True)
    by_query = clicks_of.agg(clicks=pl.col("document"), click_teams=pl.col("team"))
    impressions = impressions.join(by_query, on="query_id", how="left", maintain_order="left").with_columns(
        pl.col("clicks", "click_teams").fill_null([])
    )
    without = [] if clicks["team"].is_not_null().any() else ["click_teams"]
    return UbiImpressions(impressions.drop(*without, *(["clicks"] if shown is None else [])), tuple(notes))


def events_of_block(block: JsonBlock, names: Mapping[str, str], actions: Collection[str]) -> pl.DataFrame:
    """The clicks, and the events of what was shown, of some lines; those without a query are skipped."""
    import polars as pl

    texts = {
        "action_name": "action_name",
        "query_id": "query_id",
        **{name: names.get(name, own) for name, own in (("query", "user_query"), ("session", "session_id"))},
        "time": names.get("time", "timestamp"),
    }
    user_fields = [names["user"]] if "user" in names else ["user_id", "client_id"]
    object_ = pl.Struct({"object_id": pl.String, names.get("team", TEAM): pl.String})
    attributes = pl.Struct({"object": object_, "position": pl.Struct({"ordinal": pl.Int64})})
    event: dict[str, Any] = {
        **dict.fromkeys((*texts.values(), *user_fields), pl.String),
        "event_attributes": attributes,
    }
    is_hit = SOURCE in block.guess_schema()
    frame = block.frame({SOURCE: pl.Struct(event)} if is_hit else event)
    frame = frame.unnest(SOURCE) if is_hit else frame
    details = pl.col("event_attributes").struct.field("object")
    return frame.select(
        pl.col("action_name").alias("action"),
        pl.col("query_id"),
        pl.coalesce(user_fields).alias("user"),
        *(pl.col(texts[name]).alias(name) for name in ("query", "session", "time")),
        details.struct.field("object_id").alias("document"),
        details.struct.field(names.get("team", TEAM)).alias("team"),
        pl.col("event_attributes").struct.field("position").struct.field("ordinal").alias("ordinal"),
    ).filter(pl.col("query_id").is_not_null() & pl.col("action").is_in([*actions, SHOWN]))


def shown_by_query(events: pl.DataFrame) -> pl.DataFrame | None:
    """The documents that events say were shown, in the order of their positions; None if they say none."""
    import polars as pl

    events = events.filter(pl.col("document").is_not_null())
    if not events.height:
        return None
    shown = events.unique(["query_id", "document"], keep="first", maintain_order=True).sort(
        "ordinal", maintain_order=True
    )
    has_team = shown["team"].is_not_null().any()
    return shown.group_by("query_id", maintain_order=True).agg(
        documents=pl.col("document"), **{"team": pl.col("team")} if has_team else {}
    )


def with_description(lists: pl.DataFrame, described: pl.DataFrame) -> pl.DataFrame:
    """The lists, with query, user and time as they say it, or else as the events do."""
    import polars as pl

    columns = ("query", "user", "time")
    events = described.rename({column: f"event_{column}" for column in columns})
    joined = lists.join(events, on="query_id", how="left", maintain_order="left")
    return joined.with_columns(*(pl.coalesce(column, f"event_{column}").alias(column) for column in columns)).drop(
        *(f"event_{column}" for column in columns)
    )


def ubi_lists(blocks: Iterable[JsonBlock], names: Mapping[str, str]) -> pl.DataFrame:
    """The queries of UBI with the documents that were returned: query_id, query, user, time, documents.

    Raises InputError, with file and line, for what cannot be read.
    """
    import polars as pl

    texts = {"query": names.get("query", "user_query"), "user": names.get("user", "client_id"), "time": "timestamp"}
    record: dict[str, Any] = {
        **dict.fromkeys(("query_id", *texts.values()), pl.String),
        **dict.fromkeys(HITS, pl.List(pl.String)),
    }
    frames = []
    for block in blocks:
        is_hit = SOURCE in block.guess_schema()
        frame = block.frame({SOURCE: pl.Struct(record)} if is_hit else record)
        frames.append(frame.unnest(SOURCE) if is_hit else frame)
    lists = (
        pl.concat(frames).filter(pl.col("query_id").is_not_null()).unique("query_id", keep="first", maintain_order=True)
    )
    return lists.select(
        "query_id",
        *(pl.col(own).alias(name) for name, own in texts.items()),
        documents=pl.coalesce(HITS).fill_null([]),
    )
