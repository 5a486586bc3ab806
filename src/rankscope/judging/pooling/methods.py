"""Methods of pooling by name, and the order in which each has documents judged."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rankscope.errors import ParameterError, UnknownName
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
from rankscope.stats.inputs import is_real
from rankscope.typing import Bools, Ints

__all__ = [
    "METHODS",
    "PoolingMethod",
    "judging_order",
    "validate_method",
]


#: Cells of a table of lists: queries are taken so many at a time.
CELLS = 8_000_000
#: Of Hedge, as its authors have it.
BETA = 0.1
#: The methods, and what is first under each.
METHODS = {
    "depth": "those with the best rank in a run first",
    "mtf": "by move-to-front: a run goes on while its documents are relevant",
    "mtf-global": "by move-to-front over all queries at once: those with more to find get more",
    "hedge": "by Hedge: all runs together, weighed by how they ranked what was judged",
    "bandit": "by MaxMean: from runs whose judged documents were relevant most often",
    "thompson": "by Thompson sampling: from runs by draws of how often theirs are relevant",
}


class PoolingMethod(NamedTuple):
    """A method and its parameters, settled. rate: of the bandits; beta: of Hedge."""

    name: str
    rate: float
    beta: float

    @property
    def adaptive(self) -> bool:
        """Whether judgments change what is next."""
        return self.name != "depth"

    def __str__(self) -> str:
        if self.name in ("bandit", "thompson"):
            return f"{self.name}(rate={self.rate:g})"
        return f"{self.name}(beta={self.beta:g})" if self.name == "hedge" else self.name


def validate_method(method: str, rate: float | None = None, beta: float | None = None) -> PoolingMethod:
    """Raises UnknownName for another method, ParameterError for parameters out of range or of another method."""
    if not isinstance(method, str) or method not in METHODS:
        raise UnknownName("method of pooling", str(method), METHODS)
    if rate is not None and method not in ("bandit", "thompson"):
        raise ParameterError(f"rate (--rate) is of the methods bandit and thompson, and not of {method}; leave it out")
    if beta is not None and method != "hedge":
        raise ParameterError(f"beta (--beta) is of the method hedge, and not of {method}; leave it out")
    if rate is not None and not (is_real(rate) and 0 <= rate <= 1):
        raise ParameterError(f"rate is {rate!r}, expected a number from 0 (only the last judgment counts) to 1 (all)")
    if beta is not None and not (is_real(beta) and 0 < beta < 1):
        raise ParameterError(f"beta is {beta!r}, expected a number between 0 and 1, as 0.1")
    return PoolingMethod(method, 1.0 if rate is None else float(rate), BETA if beta is None else float(beta))


@dataclass(frozen=True, slots=True, eq=False)
class QueryTables:
    """Some queries as tables. first, queries: which; table: as in `turns`; width: of the most documents."""

    first: int
    queries: int
    table: Ints
    width: int


def judging_order(
    lists: RunLists, method: PoolingMethod, relevant: Bools, free: Bools, budget: int, rng: np.random.Generator
) -> tuple[Ints, Ints]:
    """The documents that are to be judged, by the numbers of `lists`, in the order of judging; and the step of each.

    relevant: (documents) what judges say or said. free: (documents) judged already, and so neither counted nor given.
    budget: of all queries together. Queries share it evenly, one document a step, as long as they have documents;
    what is left in the end goes to the first ones; under mtf-global none has a share.
    """
    seen: Ints = np.concatenate((np.zeros(1, np.int64), np.cumsum(~free, dtype=np.int64)))
    open_ = seen[lists.offsets[1:]] - seen[lists.offsets[:-1]]
    shares = even_shares(open_, budget)
    if method.name == "depth":
        doc = by_depth(lists, free, shares)
    elif method.name == "hedge":
        doc = by_hedge(lists, relevant, free, shares, method.beta)
    elif method.name == "mtf-global":
        doc = by_global(lists, relevant, free, min(budget, int(open_.sum())))
        return doc, np.arange(doc.size)
    else:
        doc = by_adjudication(lists, method, relevant, free, shares, rng)
    return in_steps(lists, doc)


def even_shares(open_: Ints, budget: int) -> Ints:
    """(queries) how many documents each has judged: level by level, none more than it has."""
    if budget >= int(open_.sum()):
        return open_
    levels = np.sort(open_)
    # Up to the k-th smallest, this much is spent; from there on all the larger ones grow alike.
    larger = levels.size - np.arange(levels.size)
    spent = np.cumsum(levels) - levels + levels * larger
    k = int(np.searchsorted(spent, budget, side="right"))
    below = int(levels[:k].sum())
    level = (budget - below) // int(larger[k])
    shares = np.minimum(open_, level)
    over = np.flatnonzero(open_ > level)[: budget - int(shares.sum())]
    shares[over] += 1
    return shares


def in_steps(lists: RunLists, doc: Ints) -> tuple[Ints, Ints]:
    """Documents, each query's in order, brought into the order of steps: the first of every query, the second, ..."""
    query = lists.query_of[doc]
    by_query = stable_order(query)
    counts = np.bincount(query, minlength=lists.sizes.size)
    step = np.empty(doc.size, np.int64)
    step[by_query] = np.arange(doc.size) - np.repeat(bounds(counts)[:-1], counts)
    order = by_query[stable_order(step[by_query])]
    return doc[order], step[order]


def by_depth(lists: RunLists, free: Bools, shares: Ints) -> Ints:
    """By the best rank of each document, those of one rank by falling id."""
    by_rank = stable_order(lists.best_rank())
    order = by_rank[stable_order(lists.query_of[by_rank])]
    order = order[~free[order]]
    query = lists.query_of[order]
    counts = np.bincount(query, minlength=shares.size)
    place = np.arange(order.size) - np.repeat(bounds(counts)[:-1], counts)
    return order[place < shares[query]]


def query_tables(lists: RunLists) -> Iterator[QueryTables]:
    """Lists as tables, some queries at a time."""
    runs, deep = len(lists.systems), int(lists.rank.max()) + 1
    step = max(1, CELLS // (runs * deep))
    by_query = stable_order(lists.query)
    begins = np.searchsorted(lists.query[by_query], np.arange(lists.sizes.size + 1))
    for first in range(0, lists.sizes.size, step):
        last = min(first + step, lists.sizes.size)
        some = by_query[begins[first] : begins[last]]
        table = np.full((last - first, runs, deep), -1)
        query = lists.query[some]
        table[query - first, lists.run[some], lists.rank[some] - 1] = lists.doc[some] - lists.offsets[query]
        yield QueryTables(first, last - first, table, int(lists.sizes[first:last].max()))


def spread_by_query(lists: RunLists, part: QueryTables, values: Bools) -> Bools:
    """(queries, documents) of a part from (documents); False behind a query's last one."""
    sizes = lists.sizes[part.first : part.first + part.queries]
    found = np.zeros((part.queries, part.width), np.bool_)
    found[np.arange(part.width) < sizes[:, None]] = values[
        lists.offsets[part.first] : lists.offsets[part.first + part.queries]
    ]
    return found


def by_adjudication(
    lists: RunLists, method: PoolingMethod, relevant: Bools, free: Bools, shares: Ints, rng: np.random.Generator
) -> Ints:
    """By a rule that chooses runs, all queries of a part in step."""
    runs, found = len(lists.systems), []
    for part in query_tables(lists):
        rule: AdjudicationRule
        if method.name == "mtf":
            rule = MoveToFront(part.queries, runs)
        elif method.name == "bandit":
            rule = MaxMean(part.queries, runs, method.rate)
        else:
            rule = Thompson(part.queries, runs, method.rate, rng)
        share = shares[part.first : part.first + part.queries]
        query, doc = adjudicate(
            part.table, spread_by_query(lists, part, relevant), spread_by_query(lists, part, free), share, rule
        )
        found.append(lists.offsets[part.first + query] + doc)
    return np.concatenate(found)


def by_global(lists: RunLists, relevant: Bools, free: Bools, budget: int) -> Ints:
    """Move-to-front over the lists of all queries, as if they were runs of one query."""
    runs, deep = len(lists.systems), int(lists.rank.max()) + 1
    table = np.full((1, runs * lists.sizes.size, deep), -1)
    table[0, lists.query * runs + lists.run, lists.rank - 1] = lists.doc
    rule = MoveToFront(1, table.shape[1])
    return adjudicate(table, relevant[None], free[None], np.array([budget]), rule)[1]


def by_hedge(lists: RunLists, relevant: Bools, free: Bools, shares: Ints, beta: float) -> Ints:
    """Hedge, query by query."""
    runs, found = len(lists.systems), []
    by_query = stable_order(lists.query)
    begins = np.searchsorted(lists.query[by_query], np.arange(lists.sizes.size + 1))
    for q, (a, b) in enumerate(zip(lists.offsets[:-1].tolist(), lists.offsets[1:].tolist(), strict=True)):
        some = by_query[begins[q] : begins[q + 1]]
        rank = np.zeros((b - a, runs), np.int64)
        rank[lists.doc[some] - a, lists.run[some]] = lists.rank[some]
        if b > a:
            found.append(a + hedge_order(rank, relevant[a:b], free[a:b], int(shares[q]), beta))
    return np.concatenate(found)
