"""Queries: what is known of them beside their values, such as which belong together and how often each is asked."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rankscope.typing import Floats, Ints

__all__ = [
    "COLUMNS",
    "Queries",
    "name_clusters",
    "shared_prefix",
]


#: What queries can have.
COLUMNS = ("group", "cluster", "weight")
#: What may stand between the name of a cluster and the number of a query in an id.
SEPARATED = re.compile(r"(.+)[_\-./:][^_\-./:]{1,4}")
#: A group that is a number, such as a year.
WHOLE = re.compile(r"-?\d{1,15}")
#: Ids are taken for those of clusters if there are so many clusters, and each has so many queries on average.
MIN_CLUSTERS, MIN_SIZE = 3, 1.5


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

    @property
    def columns(self) -> dict[str, tuple[Any, ...]]:
        """What is known, by the names of `COLUMNS`."""
        weight = None if self.weight is None else tuple(self.weight.tolist())
        columns = {"group": self.group, "cluster": self.cluster, "weight": weight}
        return {name: values for name, values in columns.items() if values is not None}

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

    def clustering_notes(self) -> list[str]:
        """A note where queries have no clusters, and their ids look as if they should."""
        pair = None if self.cluster is not None else shared_prefix(self.query_ids)
        if pair is None:
            return []
        return [
            f"ids of queries look clustered ({pair[0]}, {pair[1]}), and queries are taken as independent; if they are "
            "not, say so with cluster_by (--cluster-by), such as '^(.+)[_.:/-]'"
        ]

    @cached_property
    def groups(self) -> tuple[str, ...]:
        """The names of the groups, numbers in rising order, others in the order in which they are met."""
        names = tuple(dict.fromkeys(name for name in self.group or () if name is not None))
        return tuple(sorted(names, key=float)) if all(map(WHOLE.fullmatch, names)) else names

    @cached_property
    def group_codes(self) -> Ints:
        """(queries) the index of each query's group among `groups`; -1 for a query without one."""
        place_of = {name: place for place, name in enumerate(self.groups)}
        names = self.group or (None,) * len(self.query_ids)
        return np.array([-1 if name is None else place_of[name] for name in names], np.int64)

    def places_by_group(self, places: Ints | None = None) -> dict[str, Ints]:
        """The indices of the queries of each group, in their order.

        places: (n) indices of some queries, of which the result then has those of each group among the n; groups
        without any of these are left out.
        """
        codes = self.group_codes if places is None else self.group_codes[places]
        order = np.argsort(codes, kind="stable")
        ends = np.searchsorted(codes[order], np.arange(len(self.groups) + 1))
        return {
            name: order[start:end]
            for name, start, end in zip(self.groups, ends[:-1].tolist(), ends[1:].tolist(), strict=True)
            if end > start
        }


def name_clusters(query_ids: Sequence[str], pattern: re.Pattern[str]) -> tuple[str | None, ...]:
    """The first group of a pattern in each id, or all that it matches if it has none; None where it does not match."""
    matches = [pattern.search(query) for query in query_ids]
    return tuple(None if match is None else match.group(1 if pattern.groups else 0) for match in matches)


def shared_prefix(query_ids: Sequence[str]) -> tuple[str, str] | None:
    """Two ids with one prefix before a separator, if such prefixes look like clusters: q12_1 and q12_2.

    Not so where nearly all queries have prefixes of their own, or all have one, as in robust-301.
    """
    matches = [SEPARATED.fullmatch(query) for query in query_ids]
    prefixes = Counter(match.group(1) for match in matches if match is not None)
    n = prefixes.total()
    if n < len(query_ids) or len(prefixes) < MIN_CLUSTERS or n < MIN_SIZE * len(prefixes):
        return None
    largest = prefixes.most_common(1)[0][0]
    first, second = [match.string for match in matches if match is not None and match.group(1) == largest][:2]
    return first, second
