"""Queries: what is known of them beside their values, such as which belong together and how often each is asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rankscope.typing import Floats, Ints

__all__ = [
    "COLUMNS",
    "Queries",
]


#: What queries can have.
COLUMNS = ("group", "cluster", "weight")


@dataclass(frozen=True, eq=False, kw_only=True)
class Queries:
    """Group, cluster and weight of each query.

    Attributes
    ----------
    query_ids
        The queries.
    group
        What one wants to see apart, such as head and tail queries; None for a query without one. None if there are no
        groups.
    cluster
        What is not independent, such as the turns of one conversation; None for a query without one, which is a
        cluster of its own. None if all queries are independent.
    weight
        How much each query counts, such as how often it is asked, (queries); None if all count the same.
    """

    query_ids: tuple[str, ...]
    group: tuple[str | None, ...] | None = None
    cluster: tuple[str | None, ...] | None = None
    weight: Floats | None = None

    @classmethod
    def of_columns(cls, query_ids: tuple[str, ...], columns: Mapping[str, tuple[Any, ...]]) -> Queries:
        """The queries of columns in the order of `query_ids`; columns of other names say nothing here."""
        weight = columns.get("weight")
        return cls(
            query_ids=query_ids,
            group=columns.get("group"),
            cluster=columns.get("cluster"),
            weight=None if weight is None else np.array(weight, np.float64),
        )

    @cached_property
    def cluster_codes(self) -> Ints | None:
        """(queries) the number of each query's cluster; None if all queries are independent."""
        if self.cluster is None:
            return None
        number_of: dict[Any, int] = {}
        return np.array(
            [
                number_of.setdefault(("query", query) if name is None else ("cluster", name), len(number_of))
                for query, name in zip(self.query_ids, self.cluster, strict=True)
            ],
            np.int64,
        )

    @cached_property
    def groups(self) -> tuple[str, ...]:
        """The names of the groups, in the order in which they are met."""
        return tuple(dict.fromkeys(name for name in self.group or () if name is not None))
