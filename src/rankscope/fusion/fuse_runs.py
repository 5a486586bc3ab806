"""`fuse`: several runs fused into one run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rankscope.consensus.base import Method
from rankscope.data.rows import Rows
from rankscope.data.run import Run
from rankscope.errors import InputError, ParameterError
from rankscope.fusion.by_consensus import consensus_scores, is_consensus, validate_consensus
from rankscope.fusion.comb import Gains, borda_points, borda_shares, combine_gains, rank_gains
from rankscope.fusion.condorcet import condorcet_scores
from rankscope.fusion.methods import INVERTED, METHODS, FusionSettings, validate
from rankscope.fusion.normalisation import NormalisedPool, normalise_run
from rankscope.fusion.pool import RunPool, check_runs, load_pool
from rankscope.fusion.supervised import TRAINED
from rankscope.kernels.order import order_falling, ranges
from rankscope.kernels.segments import bounds
from rankscope.kernels.text import Fields, hashes, order_descending
from rankscope.typing import Floats, Ints, PathLike

__all__ = [
    "fuse",
    "fused_rows",
    "fused_run",
    "fused_scores",
]


def fuse(
    runs: Sequence[Run | PathLike | Any],
    method: str | Method = "rrf",
    *,
    normalise: str | None = None,
    weights: Sequence[float] | None = None,
    k: float | None = None,
    p: float | None = None,
    gamma: float | None = None,
    sigma: float | None = None,
    unranked: str | None = None,
    input: str | None = None,
    name: str | None = None,
) -> Run:
    """Several runs fused into one run, query by query; higher is better, as in every run.

    runs: a list of runs, files or what `Run` takes. method: by ranks "rrf" (k, 60 by default), "isr", "log-isr",
    "logn-isr" (sigma, .01), "rbc" (p, .8), "borda", "condorcet"; by scores "comb-sum", "comb-mnz", "comb-gmnz" (gamma,
    1), "comb-anz", "comb-min", "comb-max", "comb-med". normalise: what is done to the scores of each list before, by
    default "min-max"; or "min-max-inverted" where lower scores are better (which turns lists round for methods by ranks
    too), "max", "sum", "z-score", "rank", "borda", "none". Lists whose scores are all equal become 0 under min-max, sum
    and z-score; a note of the run says so. weights: one for each run, for "rrf", "rbc", "borda", "condorcet" and
    "comb-sum". input: the format of the files. name: of the fused run, by default method and parameters.

    "consensus:kemeny", and so for all of `rankscope.consensus.METHODS`, or such a method itself, with its parameters:
    the runs vote on the documents of each query, and the fused run has the order of the consensus; scores count the
    documents that are not before each, ties stay ties. unranked: what a run that retrieved others makes of a document,
    "average", by default, or "worst" (both: behind them), "optimistic", "ignore". weights above 0.

    Lists are ranked, and documents of one fused score put in order, by document id, bytes falling. A query that some
    runs lack is fused from those that have it. Whichever order runs are given in, the scores are the same. Of one run,
    a method by ranks keeps the order ("log-isr", and "logn-isr" where sigma is 0, give all 0, the logarithm of 1).

    Raises InputError for runs without a common query, a document twice in a list, a score that is not finite, and
    where "max" meets a list without a score above 0; ParameterError for weights and parameters; UnknownName.

    Source: Fox and Shaw 1993 (the Comb methods), Lee 1997, Aslam and Montague 2001 (Borda), Montague and Aslam 2002
    (Condorcet), Cormack et al. 2009 (RRF), Mourao et al. 2014 (ISR), Bailey et al. 2017 (RBC); numbers as ranx's.

    >>> import rankscope as rs
    >>> one, other = {"q": {"a": 9.0, "b": 8.0, "c": 7.0}}, {"q": {"b": 0.9, "d": 0.5}}
    >>> fused = rs.fusion.fuse([one, other], "rrf", k=60)
    >>> fused.name, fused.frame().rows()[0] == ("q", "b", 1 / 61 + 1 / 62)
    ('rrf(k=60)', True)
    """
    check_runs(runs)
    if isinstance(method, str) and method in TRAINED:
        raise ParameterError(
            f"{method} learns from judgments; train it with rs.fusion.train(qrels, runs, {method!r}), or load what was "
            "learned with rs.fusion.load_fusion"
        )
    parameters: dict[str, Any] = {"k": k, "p": p, "gamma": gamma, "sigma": sigma, "unranked": unranked}
    if isinstance(method, Method) or is_consensus(method):
        consensus_settings = validate_consensus(method, normalise, weights, parameters, len(runs))
        names, notes, pool = load_pool(runs, input=input, inverted=consensus_settings.normalise == INVERTED)
        scores, method_notes = consensus_scores(pool, consensus_settings, names)
        return fused_run(pool, scores, name or str(consensus_settings), (*notes, *method_notes))
    settings = validate(method, normalise, weights, parameters, len(runs))
    names, notes, pool = load_pool(runs, input=input, inverted=settings.normalise == INVERTED)
    with np.errstate(over="ignore", invalid="ignore"):  # reported below
        scores, method_notes = fused_scores(pool, settings, names)
    return fused_run(pool, scores, name or str(settings), (*notes, *method_notes))


def fused_run(pool: RunPool, scores: Floats, name: str, notes: Sequence[str]) -> Run:
    """Fused scores as a run. Raises InputError for those that are no numbers."""
    if not np.isfinite(scores).all():
        raise InputError(
            "fused scores are too large for numbers of 64 bits; normalise the scores of the runs, or take smaller "
            "parameters"
        )
    return Run.from_rows(fused_rows(pool, scores), name=name, notes=tuple(notes))


def fused_scores(
    pool: RunPool, settings: FusionSettings, names: Sequence[str], normalised_pool: NormalisedPool | None = None
) -> tuple[Floats, list[str]]:
    """(documents) the fused scores, and notes. normalised_pool: the scores of all runs if already normalised."""
    method, parameters = settings.method, settings.parameters
    notes: list[str] = []
    if method == "condorcet":
        return condorcet_scores(pool, settings.weights), notes

    def gains(i: int) -> Gains:
        entry = pool.entries[i]
        if method == "borda":
            return borda_points(pool, entry)
        if not METHODS[method].scores:
            return rank_gains(method, parameters.get("k", 0.0), parameters.get("p", 0.0), entry), None
        if normalised_pool is not None:
            return normalised_pool.gains[i]
        values, run_notes = normalise_run(pool, entry, settings.normalise, names[i])
        notes.extend(run_notes)
        return borda_shares(pool, entry, values) if settings.normalise == "borda" else (values, None)

    factors: dict[str, Callable[[Floats], Floats]] = {
        "isr": lambda count: count,
        "log-isr": np.log,
        "logn-isr": lambda count: np.log(count + parameters["sigma"]),
        "comb-mnz": lambda count: count,
        "comb-gmnz": lambda count: count ** parameters["gamma"],
    }
    combination = method.removeprefix("comb-") if method in ("comb-min", "comb-max", "comb-med", "comb-anz") else "sum"
    return combine_gains(pool, gains, combination, settings.weights, factors.get(method)), notes


def fused_rows(pool: RunPool, scores: Floats) -> Rows:
    """The fused lists, each from the best document down, in the order in which queries were first seen."""
    lengths = np.diff(pool.offsets)
    order = best_first(scores, pool.offsets, pool.docs)
    if (pool.order[1:] < pool.order[:-1]).any():
        order = order[ranges(pool.offsets[pool.order], lengths[pool.order])]
    ids = [pool.query_ids[i] for i in pool.order.tolist()]
    docs = pool.docs.take(order)
    return Rows(ids, bounds(lengths[pool.order]), docs, hashes(docs), scores[order], lambda _: "the fused run")


def best_first(scores: Floats, offsets: Ints, docs: Fields) -> Ints:
    """The order of the documents by query, then score falling, then id, bytes falling: as `rank_rows` ranks them.

    A join needs ranks of some rows; writing all rows needs only the order, which is cheaper.
    """
    order = order_falling(scores, np.diff(offsets), stable=False)
    sorted_scores = scores[order]
    starts_group = np.ones(order.size + 1, np.bool_)
    np.not_equal(sorted_scores[1:], sorted_scores[:-1], out=starts_group[1:-1])
    starts_group[offsets] = True
    group_starts = np.flatnonzero(starts_group)
    lengths = np.diff(group_starts)
    tied_groups = np.flatnonzero(lengths > 1)
    if tied_groups.size:
        tied_positions = ranges(group_starts[tied_groups], lengths[tied_groups])
        tied_documents = order[tied_positions]
        order[tied_positions] = tied_documents[
            order_descending(np.repeat(np.arange(tied_groups.size), lengths[tied_groups]), docs.take(tied_documents))
        ]
    return order
