"""Methods of pooling by name, and the order of documents to judge by each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rankscope.judging.pooling.adjudication import (
    AdjudicationRule,
    MaxMean,
    MoveToFront,
    Thompson,
    adjudicate,
    hedge_order,
)
from rankscope.judging.pooling.run_lists import RunLists
from rankscope.kernels.order import stable_order
from rankscope.kernels.segments import bounds
from rankscope.settings import SHARE, Dependency, Number, needs, number
from rankscope.typing import Bools, Ints

__all__ = [
    "METHODS",
    "PoolingMethod",
    "beta_field",
    "judging_order",
    "pooling_method",
    "rate_field",
]


#: Cells of a table of lists, which limit the number of queries at a time.
CELLS = 8_000_000
#: The default of Hedge, by its authors.
BETA = 0.1
#: The methods that take documents from runs by how often theirs were relevant.
BANDITS = ("bandit", "thompson")
#: The methods, and the documents that each has judged first.
METHODS = {
    "depth": "those with the best rank in any run first",
    "mtf": "by move-to-front: a run continues while its documents are relevant",
    "mtf-global": "by move-to-front over all queries at once: queries with more to find get more",
    "hedge": "by Hedge: all runs together, weighted by how they ranked what was judged",
    "bandit": "by MaxMean: from the runs whose judged documents were relevant most often",
    "thompson": "by Thompson sampling: from runs drawn by how often their documents are relevant",
}


class PoolingMethod(NamedTuple):
    """A pooling method with its parameters.

    Attributes
    ----------
    name
        The name of the method.
    rate
        The rate of the bandits; see `rate_field`.
    beta
        The learning rate of Hedge; see `beta_field`.
    """

    name: str
    rate: float
    beta: float

    @property
    def adaptive(self) -> bool:
        """Whether judgments change the order of the documents that follow."""
        return self.name != "depth"

    def __str__(self) -> str:
        if self.name in BANDITS:
            return f"{self.name}(rate={self.rate:g})"
        return f"{self.name}(beta={self.beta:g})" if self.name == "hedge" else self.name


def method_parameter(field: str, methods: tuple[str, ...]) -> Dependency:
    """A parameter of some methods. field: the field that names the method."""
    conditions: dict[str, Any] = {field: methods}
    return needs(**conditions)


def rate_field(method: str = "method") -> float | None:
    """The rate of the bandits."""
    return number(
        None,
        rule=Number(0, 1),
        metavar="R",
        help="For bandit and thompson: factor by which the earlier judgments of a run lose weight with each "
        "new one of that run.",
        unset="1, all judgments count alike",
        depends=method_parameter(method, BANDITS),
    )


def beta_field(method: str = "method") -> float | None:
    """The beta of Hedge."""
    return number(
        None,
        rule=SHARE,
        metavar="B",
        help="Learning rate of hedge; a smaller B gives losses more weight.",
        unset=f"{BETA:g}",
        depends=method_parameter(method, ("hedge",)),
    )


def pooling_method(name: str, rate: float | None, beta: float | None) -> PoolingMethod:
    """The method with its parameters; None stands for a default."""
    return PoolingMethod(name, 1.0 if rate is None else float(rate), BETA if beta is None else float(beta))


@dataclass(frozen=True, slots=True, eq=False)
class QueryTables:
    """The lists of some queries as tables.

    Attributes
    ----------
    first, queries
        Index of the first of these queries, and their number.
    table
        The table of lists, as in `adjudicate`.
    width
        The largest number of documents of a query.
    """

    first: int
    queries: int
    table: Ints
    width: int


def judging_order(
    lists: RunLists, method: PoolingMethod, relevant: Bools, is_judged: Bools, budget: int, rng: np.random.Generator
) -> tuple[Ints, Ints]:
    """The documents to judge, in the order of judging.

    Parameters
    ----------
    lists
        The first documents of the runs.
    method
        The pooling method.
    relevant
        The judgments, (documents).
    is_judged
        Whether a document was judged before, (documents); such documents are neither counted nor returned.
    budget
        Number of documents, for all queries together. Queries share it evenly, one document a step, as long as they
        have documents; the remainder goes to the first queries. mtf-global has no shares.
    rng
        The random generator.

    Returns
    -------
    tuple
        The numbers of the documents in `lists`, and the step of each.
    """
    n_unjudged_before: Ints = np.concatenate((np.zeros(1, np.int64), np.cumsum(~is_judged, dtype=np.int64)))
    n_unjudged = n_unjudged_before[lists.offsets[1:]] - n_unjudged_before[lists.offsets[:-1]]
    shares = even_shares(n_unjudged, budget)
    if method.name == "depth":
        doc = by_depth(lists, is_judged, shares)
    elif method.name == "hedge":
        doc = by_hedge(lists, relevant, is_judged, shares, method.beta)
    elif method.name == "mtf-global":
        doc = by_global(lists, relevant, is_judged, min(budget, int(n_unjudged.sum())))
        return doc, np.arange(doc.size)
    else:
        doc = by_adjudication(lists, method, relevant, is_judged, shares, rng)
    return in_steps(lists, doc)


def even_shares(n_unjudged: Ints, budget: int) -> Ints:
    """(queries) the share of the budget of each: as even as possible, none more than its unjudged documents."""
    if budget >= int(n_unjudged.sum()):
        return n_unjudged
    levels = np.sort(n_unjudged)
    # spent[k]: the budget at which the k-th smallest query is finished; beyond it all larger ones grow evenly.
    n_larger = levels.size - np.arange(levels.size)
    spent = np.cumsum(levels) - levels + levels * n_larger
    k = int(np.searchsorted(spent, budget, side="right"))
    smaller_sum = int(levels[:k].sum())
    level = (budget - smaller_sum) // int(n_larger[k])
    shares = np.minimum(n_unjudged, level)
    extra = np.flatnonzero(n_unjudged > level)[: budget - int(shares.sum())]
    shares[extra] += 1
    return shares


def in_steps(lists: RunLists, doc: Ints) -> tuple[Ints, Ints]:
    """Documents in the order of steps, and their steps: the first of every query, then the second, ..."""
    query = lists.query_of[doc]
    query_order = stable_order(query)
    counts = np.bincount(query, minlength=lists.sizes.size)
    step = np.empty(doc.size, np.int64)
    step[query_order] = np.arange(doc.size) - np.repeat(bounds(counts)[:-1], counts)
    order = query_order[stable_order(step[query_order])]
    return doc[order], step[order]


def by_depth(lists: RunLists, is_judged: Bools, shares: Ints) -> Ints:
    """By the best rank of each document, ties by falling id."""
    rank_order = stable_order(lists.best_rank())
    order = rank_order[stable_order(lists.query_of[rank_order])]
    order = order[~is_judged[order]]
    query = lists.query_of[order]
    counts = np.bincount(query, minlength=shares.size)
    position = np.arange(order.size) - np.repeat(bounds(counts)[:-1], counts)
    return order[position < shares[query]]


def query_tables(lists: RunLists) -> Iterator[QueryTables]:
    """Lists as tables, some queries at a time."""
    runs, list_length = len(lists.systems), int(lists.rank.max()) + 1
    step = max(1, CELLS // (runs * list_length))
    query_order = stable_order(lists.query)
    begins = np.searchsorted(lists.query[query_order], np.arange(lists.sizes.size + 1))
    for first in range(0, lists.sizes.size, step):
        last = min(first + step, lists.sizes.size)
        entries = query_order[begins[first] : begins[last]]
        table = np.full((last - first, runs, list_length), -1)
        query = lists.query[entries]
        table[query - first, lists.run[entries], lists.rank[entries] - 1] = lists.doc[entries] - lists.offsets[query]
        yield QueryTables(first, last - first, table, int(lists.sizes[first:last].max()))


def spread_by_query(lists: RunLists, tables: QueryTables, values: Bools) -> Bools:
    """(queries, documents) values of (documents) as a table of some queries; False after a query's last document."""
    sizes = lists.sizes[tables.first : tables.first + tables.queries]
    spread = np.zeros((tables.queries, tables.width), np.bool_)
    spread[np.arange(tables.width) < sizes[:, None]] = values[
        lists.offsets[tables.first] : lists.offsets[tables.first + tables.queries]
    ]
    return spread


def by_adjudication(
    lists: RunLists, method: PoolingMethod, relevant: Bools, is_judged: Bools, shares: Ints, rng: np.random.Generator
) -> Ints:
    """By a rule that chooses runs, all queries of a table in step."""
    runs, document_blocks = len(lists.systems), []
    for tables in query_tables(lists):
        rule: AdjudicationRule
        if method.name == "mtf":
            rule = MoveToFront(tables.queries, runs)
        elif method.name == "bandit":
            rule = MaxMean(tables.queries, runs, method.rate)
        else:
            rule = Thompson(tables.queries, runs, method.rate, rng)
        share = shares[tables.first : tables.first + tables.queries]
        query, doc = adjudicate(
            tables.table,
            spread_by_query(lists, tables, relevant),
            spread_by_query(lists, tables, is_judged),
            share,
            rule,
        )
        document_blocks.append(lists.offsets[tables.first + query] + doc)
    return np.concatenate(document_blocks)


def by_global(lists: RunLists, relevant: Bools, is_judged: Bools, budget: int) -> Ints:
    """Move-to-front over the lists of all queries, as if they were runs of one query."""
    runs, list_length = len(lists.systems), int(lists.rank.max()) + 1
    table = np.full((1, runs * lists.sizes.size, list_length), -1)
    table[0, lists.query * runs + lists.run, lists.rank - 1] = lists.doc
    rule = MoveToFront(1, table.shape[1])
    return adjudicate(table, relevant[None], is_judged[None], np.array([budget]), rule)[1]


def by_hedge(lists: RunLists, relevant: Bools, is_judged: Bools, shares: Ints, beta: float) -> Ints:
    """Hedge, query by query."""
    runs, document_blocks = len(lists.systems), []
    query_order = stable_order(lists.query)
    begins = np.searchsorted(lists.query[query_order], np.arange(lists.sizes.size + 1))
    for q, (start, stop) in enumerate(zip(lists.offsets[:-1].tolist(), lists.offsets[1:].tolist(), strict=True)):
        entries = query_order[begins[q] : begins[q + 1]]
        rank = np.zeros((stop - start, runs), np.int64)
        rank[lists.doc[entries] - start, lists.run[entries]] = lists.rank[entries]
        if stop > start:
            document_blocks.append(
                start + hedge_order(rank, relevant[start:stop], is_judged[start:stop], int(shares[q]), beta)
            )
    return np.concatenate(document_blocks)
