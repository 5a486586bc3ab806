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
    """Checked settings. name: of the method, with its parameters; instead: a note if the method proves less for many
    queries; weights: (runs).
    """

    method: Method
    name: str
    instead: str
    normalise: str
    weights: npt.NDArray[np.float64]

    def __str__(self) -> str:
        """One word, as the tag of a run."""
        arguments = [self.normalise] if self.normalise != "none" else []
        if (self.weights != 1).any():
            arguments.append(f"weights={','.join(f'{weight:g}' for weight in self.weights.tolist())}")
        if not arguments:
            return self.name
        return f"{self.name.removesuffix(')')}{',' if self.name.endswith(')') else '('}{','.join(arguments)})"


def is_consensus(method: object) -> TypeGuard[str | Method]:
    """Whether it is a method of consensus or the name of one."""
    return isinstance(method, Method) or (isinstance(method, str) and method.startswith(PREFIX))


def validate_consensus(
    method: str | Method,
    normalise: str | None,
    weights: Sequence[float] | None,
    parameters: Mapping[str, Any],
    n_runs: int,
) -> ConsensusSettings:
    """Check all arguments. parameters: None for those not given. Raises UnknownName, ParameterError."""
    name = method if isinstance(method, str) else PREFIX + method.name
    if isinstance(method, str) and method not in CONSENSUS:
        raise UnknownName("method", method, CONSENSUS)
    if normalise not in (None, "none", INVERTED):
        raise ParameterError(f"{name} looks at ranks, which {normalise} does not change; leave normalise out")
    given_parameters = {key: value for key, value in parameters.items() if value is not None}
    if isinstance(method, str):
        check_parameters(method.removeprefix(PREFIX), given_parameters, name)
    name_or_method = method.removeprefix(PREFIX) if isinstance(method, str) else method
    requested_method = method_by_name(name_or_method, **given_parameters)
    method_for_many, instead = requested_method.for_many()
    if instead:  # worded for fusion
        instead = (
            f"orders of more than {HELD_KARP_ITEMS} documents that win in circles are searched, not proved to be best; "
            f"rs.fusion.fuse(runs, rs.consensus.{type(requested_method).__name__}(time_limit=2)) tries to prove each"
        )
    run_weights = validate_weights(weights, n_runs, name)
    if not run_weights.all():
        raise ParameterError(f"a weight is 0, and {name} asks every run; leave that run out")
    return ConsensusSettings(
        method=method_for_many,
        name=PREFIX + str(requested_method).replace(" ", "").replace("'", ""),
        instead=instead,
        normalise=normalise or "none",
        weights=run_weights,
    )


def consensus_scores(pool: RunPool, settings: ConsensusSettings, names: Sequence[str]) -> tuple[Floats, list[str]]:
    """(documents) how many documents of the query rank at or below each in the consensus, itself included; tied ones
    have one score. And notes, each once with the queries it applies to.

    The method gets documents and runs in an order that does not depend on that of the runs. The list of a single run
    for a query keeps its order. Raises InputError where the method finds no order, or compares too many pairs.
    """
    order = summing_order(pool.entries, settings.weights)
    by_id = order_descending(group_of(pool.offsets), pool.docs)
    tables = votes_tables(pool, order)
    refuse_large(pool, settings.method)
    scores = np.empty(pool.size)
    voted_queries: list[str] = []
    orders: list[Order] = []
    for query in pool.order.tolist():
        documents = by_id[pool.offsets[query] : pool.offsets[query + 1]]
        ranks = tables(query, documents)
        voting_runs = np.flatnonzero(~np.isnan(ranks).all(axis=1))
        if voting_runs.size < 2 or documents.size < 2:
            scores[documents] = documents.size - ranks[voting_runs[0]] + 1 if voting_runs.size else 0.0
            continue
        votes = Votes(
            ranks=ranks[voting_runs],
            items=tuple(decode_ids(decode(pool.docs.take(documents)))),
            voters=tuple(names[order[i]] for i in voting_runs.tolist()),
            weights=settings.weights[order][voting_runs],
        )
        voted_queries.append(decode_id(pool.query_ids[query]))
        try:
            orders.append(settings.method.order(votes))
        except InputError as error:
            raise InputError(f"query {voted_queries[-1]!r}: {error}") from None
        scores[documents] = documents.size - orders[-1].ranks + 1
    return scores, order_notes(settings, voted_queries, orders)


def votes_tables(pool: RunPool, order: Sequence[int]) -> Callable[[int, Ints], Floats]:
    """A function of a query and its documents: the ranks (runs in this order, documents), NaN for missing ones."""
    ranks = np.full((len(order), pool.size), np.nan, np.float32)  # integers below 2^24: exact
    for run_ranks, i in zip(ranks, order, strict=True):
        run_ranks[pool.entries[i].place] = pool.entries[i].rank
    return lambda query, documents: ranks[:, documents].astype(np.float64)


def order_notes(settings: ConsensusSettings, ids: Sequence[str], orders: Sequence[Order]) -> list[str]:
    if not orders:
        return []
    from rankscope.consensus.by_query import notes_by_query

    return [*([settings.instead] if settings.instead else []), *notes_by_query(tuple(ids), orders)]


def refuse_large(pool: RunPool, method: Method) -> None:
    """Raise InputError if the method would need tables of pairs of too many documents."""
    longest = int(np.diff(pool.offsets).max(initial=0))
    if method.work not in WORK_WITHOUT_PAIRS and longest > MOST_PAIRED:
        raise InputError(
            f"a query has {longest:,} documents, and {method.name} compares all pairs of at most {MOST_PAIRED:,}; cut "
            f"the runs to fewer documents, or take {PREFIX}borda"
        )
