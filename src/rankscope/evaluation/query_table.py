"""The table of queries: group, cluster and weight of each, from a file, from columns of scores, or from their ids."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rankscope.data.queries import COLUMNS, Queries, name_clusters
from rankscope.data.scores import Scores
from rankscope.data.tables import NUMBER, Column, Schema, Table, list_columns, table_of_frame
from rankscope.data.text import first_names, join_names, pluralise_queries
from rankscope.errors import InputError, UnknownName
from rankscope.evaluation.query_settings import ERROR, QuerySettings, compile_pattern
from rankscope.io.core import BOM, columns_of, is_path, source_name
from rankscope.io.tables import column_names, parse_table, read_content
from rankscope.typing import PathLike

__all__ = [
    "QueryTable",
    "describe",
    "read_query_ids",
    "scores_with_queries",
    "with_queries",
]


SCHEMA = Schema(
    columns=(
        Column(
            name="query",
            aliases=(
                "query_id",
                "qid",
                "q_id",
                "topic",
                "topic_id",
                "item",
                "item_id",
                "question_id",
                "id",
                "prompt_id",
            ),
            required=True,
            unique=True,
        ),
        Column(name="group"),
        Column(name="cluster"),
        Column(name="weight", kind=NUMBER),
    ),
    expected="queries: a line of names (query,group,cluster,weight) and a line for each query",
)
#: The group of queries that have none.
NO_GROUP = "(none)"
#: What results call all queries.
ALL = "all"
#: Queries that a message names at most.
MOST_NAMED = 3
#: The parts of the signature.
PARTS = ("groups", "clusters", "weights")
#: Weights that are worth fewer queries, or a smaller share of few ones, carry no mean.
MIN_EFFECTIVE, MIN_SHARE = 2.0, 0.75


def scores_with_queries(
    scores: Scores,
    queries: Any,
    *,
    group: str | None,
    group_by: str | None,
    cluster_by: str | None,
    weight: str | None,
    missing_group: str,
) -> Scores:
    """As `Scores.with_queries`."""
    settings = QuerySettings(
        queries=str(queries) if is_path(queries) else None,
        group=group,
        group_by=group_by,
        cluster_by=cluster_by,
        weight=weight,
        missing_group=missing_group,
    )
    return with_queries(scores, queries, settings)


def with_queries(scores: Scores, queries: Any, settings: QuerySettings) -> Scores:
    """The scores with group, cluster and weight of their queries.

    Parameters
    ----------
    scores
        The scores.
    queries
        The table of queries, as a path or data; None for the columns of the scores.
    settings
        What of it is used.

    Raises
    ------
    InputError
        A query stands twice in the table, a column is missing, a weight is not above 0, or all queries are one cluster.
    ParameterError
        A pattern is no regular expression.
    """
    known, notes = describe_queries(scores.query_ids, scores.query_columns, queries, settings)
    columns = known.columns
    if not columns:
        return scores
    return replace(
        scores,
        query_columns={**columns, **{key: x for key, x in scores.query_columns.items() if key not in COLUMNS}},
        settings={**{key: x for key, x in scores.settings.items() if key not in PARTS}, **describe(known)},
        notes=tuple(dict.fromkeys((*scores.notes, *notes, *sum_notes(scores, known)))),
    )


@dataclass(frozen=True, eq=False)
class QueryTable:
    """A table of queries and what of it is used, for analyses that evaluate by themselves.

    Attributes
    ----------
    table
        The table, as a path or data; None where groups and clusters come from ids.
    settings
        What of it is used.
    """

    table: Any
    settings: QuerySettings

    @classmethod
    def of(cls, arguments: Mapping[str, Any] | None) -> QueryTable | None:
        """Of arguments of `Scores.with_queries`; None without any. Raises UnknownName for others."""
        if arguments is None:
            return None
        names = QuerySettings.declared()
        unknown = [name for name in arguments if name not in names]
        if unknown:
            raise UnknownName("argument of with_queries", str(unknown[0]), names)
        table = arguments.get("queries")
        return cls(table, QuerySettings(**{**arguments, "queries": str(table) if is_path(table) else None}))

    @classmethod
    def of_settings(cls, settings: QuerySettings) -> QueryTable | None:
        """Of options; None where none was given."""
        return None if settings == QuerySettings() else cls(settings.queries, settings)

    def add_to(self, scores: Scores) -> Scores:
        """The scores with what is known of their queries. Raises as `with_queries`."""
        return with_queries(scores, self.table, self.settings)

    def queries(self, query_ids: Sequence[str]) -> tuple[Queries, tuple[str, ...]]:
        """What is known of these queries, and notes. Raises as `with_queries`."""
        return describe_queries(tuple(query_ids), {}, self.table, self.settings)


def describe_queries(
    query_ids: tuple[str, ...], query_columns: Mapping[str, tuple[Any, ...]], queries: Any, settings: QuerySettings
) -> tuple[Queries, tuple[str, ...]]:
    """Group, cluster and weight of these queries, and notes. query_columns: what else is known of them, by column."""
    columns, notes, name = (
        (columns_of_scores(query_columns, settings), (), "the scores")
        if queries is None
        else columns_of_table(query_ids, queries, settings)
    )
    by_id = {"group": settings.group_by, "cluster": None if "cluster" in columns else settings.cluster_by}
    for key, pattern in by_id.items():
        if pattern is not None:
            columns[key] = name_clusters(query_ids, compile_pattern(f"{key}_by (--{key}-by)", pattern))
    if queries is not None and not columns:
        raise InputError(
            f"{name}: no column group, cluster or weight; say which columns these are with group (--group), cluster_by "
            "(--cluster-by) or weight (--weight)"
        )
    columns, more_notes = fill_missing(columns, query_ids, settings)
    known = Queries.of_columns(query_ids, columns)
    check_queries(known, name)
    return known, (*notes, *more_notes)


def sum_notes(scores: Scores, queries: Queries) -> list[str]:
    """A note on measures that are no means, so that weights do not change them."""
    sums = [
        name for name, measure in zip(scores.measure_names, scores.measures, strict=True) if measure.summary == "sum"
    ]
    if queries.weight is None or not sums:
        return []
    return [f"{join_names(sums)}: sums over all queries, without weights"]


def columns_of_scores(
    query_columns: Mapping[str, tuple[Any, ...]], settings: QuerySettings
) -> dict[str, tuple[Any, ...]]:
    """The columns of the queries in the scores by our names. Raises InputError for a column that is not there."""
    columns = {}
    for key, own_name in wanted_columns(settings, query_columns).items():
        if own_name not in query_columns:
            raise missing_column(own_name, key, "the scores", list(query_columns))
        values = query_columns[own_name]
        columns[key] = values if key == "weight" else tuple(None if x is None else name_of_cell(x) for x in values)
    return columns


def name_of_cell(cell: Any) -> str:
    """The name of a group or cluster; of a whole number without a decimal point, as of the year 2009.0."""
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)


def columns_of_table(
    query_ids: tuple[str, ...], queries: Any, settings: QuerySettings
) -> tuple[dict[str, tuple[Any, ...]], tuple[str, ...], str]:
    """The columns of the table of queries in the order of these ids, notes, and the name of the table."""
    table = read_table_of_queries(queries, settings)
    ids = table.ids("query").to_list()
    row_of = {query: row for row, query in enumerate(ids)}
    rows = [row_of.get(query) for query in query_ids]
    n_unknown = sum(row is None for row in rows)
    if n_unknown == len(rows):
        raise InputError(
            f"{table.name}: none of its {pluralise_queries(len(ids))} is one of the scores ({first_names(ids, 1)}; "
            f"{first_names(query_ids, 1)}); check that both write ids the same way"
        )
    notes = []
    n_extra = len(ids) - (len(rows) - n_unknown)
    if n_extra:
        notes.append(f"{table.name}: {pluralise_queries(n_extra)} without scores skipped")
    columns: dict[str, tuple[Any, ...]] = {}
    for key in COLUMNS:
        if key not in table.columns:
            continue
        if key == "weight":
            weights = table.weights(table.columns[key])
            values = [None if row is None else float(weights[row]) for row in rows]
        else:
            texts = table.names(table.columns[key], required=False).to_list()
            values = [None if row is None else texts[row] or None for row in rows]
        columns[key] = tuple(values)
    return columns, tuple(notes), table.name


def read_table_of_queries(queries: Any, settings: QuerySettings) -> Table:
    """The table, its columns bound to those that the settings name."""
    if is_path(queries):
        content, name = read_content(queries), source_name(queries)
        header = column_names(content)
        columns = {**columns_of(queries), **wanted_columns(settings, header)}
        refuse_missing(columns, header, name)
        return parse_table(content, name, SCHEMA, {key: x for key, x in columns.items() if key in ("query", *COLUMNS)})
    whole = table_of_frame(queries, "queries", SCHEMA, {})
    header = whole.frame.columns
    columns = wanted_columns(settings, header)
    refuse_missing(columns, header, "queries")
    return table_of_frame(queries, "queries", SCHEMA, columns)


def read_query_ids(path: PathLike) -> tuple[str, ...]:
    """The ids of queries in a file: a line each, or the column of queries of a table. Raises InputError."""
    content, name = read_content(path), source_name(path)
    if SCHEMA.match(column_names(content), columns_of(path)).get("query") is not None:
        ids = parse_table(content, name, SCHEMA, columns_of(path)).ids("query").to_list()
    else:
        lines = content.removeprefix(BOM).decode("utf-8", "surrogateescape").splitlines()
        ids = [line.strip() for line in lines if line.strip()]
    if not ids:
        raise InputError(f"{name}: no id of a query, expected one a line, or a table with a column query")
    return tuple(dict.fromkeys(ids))


def wanted_columns(settings: QuerySettings, header: Sequence[str] | Mapping[str, Any]) -> dict[str, str]:
    """Our names of the columns that are used, and their own: those of the settings, and those that have our names."""
    columns = {key: key for key in COLUMNS if key in header}
    if settings.group_by is not None:
        columns.pop("group", None)
    if settings.cluster_by is not None:
        columns.pop("cluster", None)
        if settings.cluster_by in header:
            columns["cluster"] = settings.cluster_by
    columns |= {
        key: own_name
        for key, own_name in (("group", settings.group), ("weight", settings.weight))
        if own_name is not None
    }
    return columns


def refuse_missing(columns: Mapping[str, str], header: Sequence[str], name: str) -> None:
    for key, own_name in columns.items():
        if header and key in COLUMNS and own_name not in header:
            raise missing_column(own_name, key, name, header)


def missing_column(own_name: str, key: str, name: str, header: Sequence[str]) -> InputError:
    """The error for a column of groups or weights that is not there."""
    among = f"among {list_columns(list(header))}" if header else "and no other column of queries"
    return InputError(
        f"{name}: no column {own_name!r}, which {key} (--{key}) names, {among}; name one of those, or give a table of "
        "queries (--queries)"
    )


def fill_missing(
    columns: Mapping[str, tuple[Any, ...]], query_ids: Sequence[str], settings: QuerySettings
) -> tuple[dict[str, tuple[Any, ...]], list[str]]:
    """The columns without gaps in groups, and notes on gaps. Raises InputError for a query without a weight."""
    filled, notes = dict(columns), []
    for key, values in columns.items():
        missing = [query for query, value in zip(query_ids, values, strict=True) if value is None]
        if not missing:
            continue
        names = first_names(missing, MOST_NAMED)
        if key == "weight":
            raise InputError(
                f"{pluralise_queries(len(missing))} without a weight ({names}), expected one for each; give them a "
                "weight"
            )
        if settings.missing_group == ERROR:
            raise InputError(
                f"{pluralise_queries(len(missing))} without a {key} ({names}), expected one for each; give them one, "
                f"or leave out --missing-group {ERROR}"
            )
        if len(missing) == len(query_ids):
            raise InputError(f"no query has a {key} ({names}); check the column or the pattern that gives it")
        each = f"make up the group {NO_GROUP}" if key == "group" else "are a cluster each"
        notes.append(f"{pluralise_queries(len(missing))} without a {key} {each}: {names}")
        if key == "group":
            filled[key] = tuple(NO_GROUP if value is None else value for value in values)
    return filled, notes


def check_queries(queries: Queries, name: str) -> None:
    """Raise InputError for a group called "all", for one cluster, for weights not above 0 or of one query only."""
    from rankscope.stats.cluster_sums import effective_number

    codes, weight = queries.cluster_codes, queries.weight
    if ALL in queries.groups:
        raise InputError(f"{name}: a group is called {ALL!r}, as all queries are in results; call it otherwise")
    if codes is not None and codes.max() == 0:
        raise InputError(
            f"all {pluralise_queries(codes.size)} are one cluster ({queries.cluster[0] if queries.cluster else ''}), "
            "expected at least 2, better 10: nothing says how clusters vary; choose another column or pattern"
        )
    if weight is None:
        return
    invalid = np.flatnonzero(~((weight > 0) & np.isfinite(weight)))
    if invalid.size:
        raise InputError(
            f"{name}: weight {weight[invalid[0]]:g} of query {queries.query_ids[invalid[0]]!r}, expected a number "
            "above 0 (leave out what does not count); correct it"
        )
    if weight.size > 1 and effective_number(weight) < min(MIN_EFFECTIVE, MIN_SHARE * weight.size):
        heaviest = int(np.argmax(weight))
        raise InputError(
            f"{name}: query {queries.query_ids[heaviest]!r} has {100 * weight[heaviest] / weight.sum():.0f} % of all "
            "weight: a mean would be of that query; cut the weights, or take their logarithms"
        )


def describe(queries: Queries) -> dict[str, str]:
    """The parts of the signature."""
    from rankscope.stats.cluster_sums import effective_number

    parts = {}
    if queries.group is not None:
        parts["groups"] = f"{len(queries.groups)}"
    if queries.cluster_codes is not None:
        parts["clusters"] = f"{queries.cluster_codes.max() + 1}"
    if queries.weight is not None:
        parts["weights"] = f"worth {effective_number(queries.weight):.1f} queries"
    return parts
