"""Fusion by methods of consensus: for each query the runs vote on the documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

import numpy as np
import numpy.typing as npt

from rankscope.consensus.base import Method, Order
from rankscope.consensus.optimal import HELD_KARP_ITEMS
from rankscope.consensus.registry import METHODS, WORK_WITHOUT_PAIRS, check_parameters, method_by_name
from rankscope.data.rows import decode_id, decode_ids
from rankscope.data.votes import Votes
from rankscope.errors import InputError, ParameterError, UnknownName
from rankscope.fusion.comb import summing_order
from rankscope.fusion.methods import INVERTED, validate_weights
from rankscope.fusion.pool import RunPool
from rankscope.kernels.segments import group_of
from rankscope.kernels.text import decode, order_descending
from rankscope.stats.inputs import MOST_PAIRED
from rankscope.typing import Floats, Ints

__all__ = [
    "CONSENSUS",
    "ConsensusSettings",
    "consensus_scores",
    "is_consensus",
    "validate_consensus",
]


PREFIX = "consensus:"
#: The names of all such methods.
CONSENSUS = tuple(f"{PREFIX}{name}" for name in METHODS)


@dataclass(frozen=True, kw_only=True)
class ConsensusSettings:
    """What was asked for, checked. name: of the method, with its parameters; instead: what is said where queries are
    many, and less is proved; weights: (runs).
    """

    method: Method
    name: str
    instead: str
    normalise: str
    weights: npt.NDArray[np.float64]

    def __str__(self) -> str:
        """In one word, as the tag of a run is."""
        said = [self.normalise] if self.normalise != "none" else []
        if (self.weights != 1).any():
            said.append(f"weights={','.join(f'{weight:g}' for weight in self.weights.tolist())}")
        if not said:
            return self.name
        return f"{self.name.removesuffix(')')}{',' if self.name.endswith(')') else '('}{','.join(said)})"


def is_consensus(method: object) -> TypeGuard[str | Method]:
    """Whether it is a method of the consensus part, or is called like one."""
    return isinstance(method, Method) or (isinstance(method, str) and method.startswith(PREFIX))


def validate_consensus(
    method: str | Method, normalise: str | None, weights: Sequence[float] | None, given: Mapping[str, Any], runs: int
) -> ConsensusSettings:
    """Check all arguments. given: parameters, None where they were not. Raises UnknownName, ParameterError."""
    name = method if isinstance(method, str) else PREFIX + method.name
    if isinstance(method, str) and method not in CONSENSUS:
        raise UnknownName("method", method, CONSENSUS)
    if normalise not in (None, "none", INVERTED):
        raise ParameterError(f"{name} looks at ranks, which {normalise} does not change; leave normalise out")
    asked = {key: value for key, value in given.items() if value is not None}
    if isinstance(method, str):
        check_parameters(method.removeprefix(PREFIX), asked, name)
    asked_for = method_by_name(method.removeprefix(PREFIX) if isinstance(method, str) else method, **asked)
    chosen, instead = asked_for.for_many()
    if instead:  # in words that say what to do here
        instead = (
            f"orders of more than {HELD_KARP_ITEMS} documents that win in circles are searched, not proved to be best; "
            f"rs.fusion.fuse(runs, rs.consensus.{type(asked_for).__name__}(time_limit=2)) tries to prove each"
        )
    found = validate_weights(weights, runs, name)
    if not found.all():
        raise ParameterError(f"a weight is 0, and {name} asks every run; leave that run out")
    return ConsensusSettings(
        method=chosen,
        name=PREFIX + str(asked_for).replace(" ", "").replace("'", ""),
        instead=instead,
        normalise=normalise or "none",
        weights=found,
    )


def consensus_scores(pool: RunPool, settings: ConsensusSettings, names: Sequence[str]) -> tuple[Floats, list[str]]:
    """(documents) how many documents of the query stand behind or beside each in the consensus, itself among them; tied
    ones have one score. And notes, each once with the queries that it is true of.

    Documents, and runs, are put before the method in an order that does not depend on that of the runs. What a single
    run has for a query stays as it is. Raises InputError where the method finds no order, or compares too many pairs.
    """
    order = summing_order(pool.entries, settings.weights)
    by_id = order_descending(group_of(pool.offsets), pool.docs)
    tables = votes_tables(pool, order)
    refuse_large(pool, settings.method)
    found = np.empty(pool.size)
    ids: list[str] = []
    orders: list[Order] = []
    for query in pool.order.tolist():
        documents = by_id[pool.offsets[query] : pool.offsets[query + 1]]
        ranks = tables(query, documents)
        having = np.flatnonzero(~np.isnan(ranks).all(axis=1))
        if having.size < 2 or documents.size < 2:
            found[documents] = documents.size - ranks[having[0]] + 1 if having.size else 0.0
            continue
        votes = Votes(
            ranks=ranks[having],
            items=tuple(decode_ids(decode(pool.docs.take(documents)))),
            voters=tuple(names[order[i]] for i in having.tolist()),
            weights=settings.weights[order][having],
        )
        ids.append(decode_id(pool.query_ids[query]))
        try:
            orders.append(settings.method.order(votes))
        except InputError as error:
            raise InputError(f"query {ids[-1]!r}: {error}") from None
        found[documents] = documents.size - orders[-1].ranks + 1
    return found, order_notes(settings, ids, orders)


def votes_tables(pool: RunPool, order: Sequence[int]) -> Callable[[int, Ints], Floats]:
    """For a query and its documents the ranks, (runs in this order, documents), NaN where a run lacks one."""
    ranks = np.full((len(order), pool.size), np.nan, np.float32)  # whole numbers below 2^24: exact
    for line, i in zip(ranks, order, strict=True):
        line[pool.entries[i].place] = pool.entries[i].rank
    return lambda query, documents: ranks[:, documents].astype(np.float64)


def order_notes(settings: ConsensusSettings, ids: Sequence[str], orders: Sequence[Order]) -> list[str]:
    if not orders:
        return []
    from rankscope.consensus.by_query import notes_by_query

    return [*([settings.instead] if settings.instead else []), *notes_by_query(tuple(ids), orders)]


def refuse_large(pool: RunPool, method: Method) -> None:
    """Raise InputError before work that takes more memory than there is."""
    longest = int(np.diff(pool.offsets).max(initial=0))
    if method.work not in WORK_WITHOUT_PAIRS and longest > MOST_PAIRED:
        raise InputError(
            f"a query has {longest:,} documents, and {method.name} compares all pairs of at most {MOST_PAIRED:,}; cut "
            f"the runs to fewer documents, or take {PREFIX}borda"
        )
