"""The settings of groups, clusters and weights of queries."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rankscope.errors import ParameterError
from rankscope.settings import Settings, choice, excludes, text

__all__ = [
    "ERROR",
    "QuerySettings",
    "compile_pattern",
]


#: What becomes of queries without a group or cluster.
OWN, ERROR = "own", "error"


@dataclass(frozen=True, kw_only=True)
class QuerySettings(Settings):
    """What is known of the queries, and what of it is used."""

    FUNCTIONS = ("rankscope.data.scores:Scores.with_queries",)
    COMMANDS = ("evaluate", "compare", "gate", "plan", "report", "stability", "agree measures", "agree judgments")

    queries: str | None = text(
        None,
        help="Table with a row for each query: its group, cluster or weight.",
        python_help="Table with a row for each query, its group, cluster or weight: a file, a data frame, a mapping of "
        "columns or a list of records.",
        metavar="FILE",
        unset="the columns of a file of scores",
    )
    group: str | None = text(
        None,
        help="Column of the group of a query, such as head or tail: results are also shown for each group.",
        metavar="COLUMN",
        unset="a column group, if there is one",
        depends=excludes("group_by", reason="a group is a column of the queries, or a part of their ids"),
    )
    group_by: str | None = text(
        None,
        help="Regular expression that finds the group in the id of a query, such as '^[a-z]+'.",
        metavar="REGEX",
    )
    cluster_by: str | None = text(
        None,
        help="Clusters, whose queries are not independent, such as the turns of a conversation: a column, or a regular "
        "expression that finds the cluster in the id of a query, such as '^[^_]+'.",
        metavar="COLUMN|REGEX",
        unset="a column cluster, if there is one",
    )
    weight: str | None = text(
        None,
        help="Column of the weight of a query, such as how often it is asked; means are weighted.",
        metavar="COLUMN",
        unset="a column weight, if there is one",
    )
    missing_group: str = choice(
        OWN,
        (OWN, ERROR),
        help="Queries without a group or cluster: a group for them all, and a cluster for each (own), or an error.",
    )

    def check(self) -> None:
        """Refuse patterns that are none."""
        if self.group_by is not None:
            compile_pattern("group_by (--group-by)", self.group_by)


def compile_pattern(name: str, pattern: str) -> re.Pattern[str]:
    """The regular expression. Raises ParameterError."""
    try:
        return re.compile(pattern)
    except re.error as error:
        raise ParameterError(
            f"{name} is {pattern!r}, expected a regular expression ({error}), such as '^[^_]+'"
        ) from None
