"""`fuse`: several runs fused into one run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rankscope.consensus.base import Method
from rankscope.data.rows import Rows
from rankscope.data.run import Run
from rankscope.errors import InputError, ParameterError
from rankscope.fusion.by_consensus import consensus_scores
from rankscope.fusion.comb import Gains, borda_points, borda_shares, combine_gains, rank_gains
from rankscope.fusion.condorcet import condorcet_scores
from rankscope.fusion.methods import METHODS, FusionSettings, as_weights
from rankscope.fusion.normalisation import NormalisedPool, normalise_run
from rankscope.fusion.pool import RunPool, check_runs, load_pool
from rankscope.fusion.supervised import TRAINED
from rankscope.io.chunk_tables import merge_inputs
from rankscope.kernels.order import order_falling, ranges
from rankscope.kernels.segments import bounds
from rankscope.kernels.text import Fields, hashes, order_descending
from rankscope.typing import Floats, Ints, PathLike

__all__ = [
    "fuse",
    "fuse_pool",
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
    duplicates: str | None = None,
    doc_of: Any = None,
    input: str | None = None,
    name: str | None = None,
) -> Run:
    """Fuse several runs into one run, query by query; higher scores are better, as in every run.

    Parameters
    ----------
    runs
        List of runs, files, or anything that `Run` takes.
    method
        Fusion method, or an object of a class of `rankscope.consensus`. One of 'rrf', 'isr', 'log-isr', 'logn-isr',
        'rbc', 'borda', 'condorcet', 'comb-sum', 'comb-mnz', 'comb-gmnz', 'comb-anz', 'comb-min', 'comb-max',
        'comb-med', 'consensus:borda', 'consensus:mean-rank', 'consensus:median-rank', 'consensus:copeland',
        'consensus:schulze', 'consensus:ranked-pairs', 'consensus:kemeny', 'consensus:footrule',
        'consensus:robust-rank', 'consensus:mc1', 'consensus:mc2', 'consensus:mc3', 'consensus:mc4',
        'consensus:plackett-luce', 'consensus:mallows'. Default: 'rrf'.
    normalise
        Normalisation of the scores of each list; min-max-inverted also reverses lists for methods by ranks. One of
        'min-max', 'min-max-inverted', 'max', 'sum', 'z-score', 'rank', 'borda', 'none'. Default: 'min-max' for methods
        that use scores.
    weights
        Weights of the runs, in their order, for rrf, rbc, borda, condorcet, comb-sum and consensus methods. Default: 1
        for each run.
    k
        Constant of rrf; a larger K gives the top of the list less weight. Default: 60.
    p
        Persistence of rbc; a larger P gives more weight to items further down the list. Default: 0.8.
    gamma
        Exponent of comb-gmnz, for the number of runs that have a document. Default: 1.
    sigma
        Constant of logn-isr, added to the number of runs that have a document. Default: 0.01.
    unranked
        For consensus methods: where to place documents that a run did not retrieve. One of 'average', 'worst',
        'optimistic', 'ignore'. Default: average, after those that it retrieved.
    duplicates
        Documents that a query of a run holds several times: refuse them, or count the first, the highest score, or the
        sum of the scores. One of 'error', 'first', 'max', 'sum'. Default: error, or max for chunks.
    doc_of
        Document of each chunk that was retrieved: a pattern whose only group is the document in the id, such as
        '^([^#]+)', a mapping {chunk: document}, or a table with the columns chunk and document (a path or a data
        frame). The best chunk of a document counts.
    input
        Format of the files. Default: detected from their content.
    name
        Name of the fused run. Default: the method with its parameters.

    Returns
    -------
    Run
        The fused run, with all documents of all runs. Its `notes` tell what a reader should know, such as queries that
        some runs lack, and lists whose equal scores a normalisation made 0.

    Raises
    ------
    InputError
        The runs have no query in common, a list has a document twice, a score is not finite, or "max" meets a list
        without a score above 0.
    ParameterError
        A setting is out of range, or the method does not have it.
    UnknownName
        There is no such method or normalisation.

    Notes
    -----
    The methods by ranks are rrf (parameter k), isr, log-isr, logn-isr (sigma), rbc (p), borda and condorcet; those by
    scores are comb-sum, comb-mnz, comb-gmnz (gamma), comb-anz, comb-min, comb-max and comb-med.

    With "consensus:kemeny", and so with each of `rankscope.consensus.METHODS`, the runs vote on the documents of each
    query, and the fused run has the order of the consensus. The score of a document is the number of documents that
    rank at or below it; ties stay ties. Weights must then be above 0.

    Documents with equal scores are ordered by document id, descending by bytes, in the runs and in the fused run. A
    query that some runs lack is fused from the runs that have it. The order of the runs does not change the scores. A
    method by ranks keeps the order of a single run, except "log-isr", and "logn-isr" with sigma 0: they give all
    documents the score 0, the logarithm of 1. Lists whose scores are all equal become 0 under min-max, sum and z-score.

    References
    ----------
    Fox and Shaw 1993 (the Comb methods), Lee 1997, Aslam and Montague 2001 (Borda), Montague and Aslam 2002
    (Condorcet), Cormack et al. 2009 (RRF), Mourao et al. 2014 (ISR), Bailey et al. 2017 (RBC). The numbers agree with
    ranx.

    Examples
    --------
    >>> import rankscope as rs
    >>> one, other = {"q": {"a": 9.0, "b": 8.0, "c": 7.0}}, {"q": {"b": 0.9, "d": 0.5}}
    >>> fused = rs.fusion.fuse([one, other], "rrf", k=60)
    >>> fused.name, fused.frame().rows()[0] == ("q", "b", 1 / 61 + 1 / 62)
    ('rrf(k=60)', True)
    """
    if isinstance(method, str) and method in TRAINED:
        raise ParameterError(
            f"{method} learns from judgments; train it with rs.fusion.train(qrels, runs, {method!r}), or load what was "
            "learned with rs.fusion.load_fusion"
        )
    settings = FusionSettings(
        method=method,
        normalise=normalise,
        weights=as_weights(weights),
        k=k,
        p=p,
        gamma=gamma,
        sigma=sigma,
        unranked=unranked,
    )
    return fuse_pool(merge_inputs(runs, duplicates, doc_of, input), settings, input=input, name=name)


def fuse_pool(
    runs: Sequence[Run | PathLike | Any], settings: FusionSettings, *, input: str | None = None, name: str | None = None
) -> Run:
    """As `fuse`, with its settings as one object."""
    check_runs(runs)
    settings.weights_of(len(runs))  # raises for a wrong number before any file is read
    names, notes, pool = load_pool(runs, input=input, inverted=settings.is_inverted)
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
    if settings.is_consensus:
        return consensus_scores(pool, settings, names)
    method, parameters, weights = settings.method_name, settings.parameters, settings.weights_of(len(pool.entries))
    notes: list[str] = []
    if method == "condorcet":
        return condorcet_scores(pool, weights), notes

    def gains(i: int) -> Gains:
        entry = pool.entries[i]
        if method == "borda":
            return borda_points(pool, entry)
        if not METHODS[method].uses_scores:
            return rank_gains(method, parameters.get("k", 0.0), parameters.get("p", 0.0), entry), None
        if normalised_pool is not None:
            return normalised_pool.gains[i]
        values, run_notes = normalise_run(pool, entry, settings.normalisation, names[i])
        notes.extend(run_notes)
        return borda_shares(pool, entry, values) if settings.normalisation == "borda" else (values, None)

    factors: dict[str, Callable[[Floats], Floats]] = {
        "isr": lambda count: count,
        "log-isr": np.log,
        "logn-isr": lambda count: np.log(count + parameters["sigma"]),
        "comb-mnz": lambda count: count,
        "comb-gmnz": lambda count: count ** parameters["gamma"],
    }
    combination = method.removeprefix("comb-") if method in ("comb-min", "comb-max", "comb-med", "comb-anz") else "sum"
    return combine_gains(pool, gains, combination, weights, factors.get(method)), notes


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
