"""`estimate_clicks`: what users would have clicked in other rankings than those that were logged."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from rankscope.data.text import first_names, pluralise_queries
from rankscope.errors import InputError
from rankscope.online.counterfactual.result import ClickEstimate, ClickEstimates
from rankscope.online.counterfactual.settings import ClickEstimateSettings
from rankscope.online.interleaving import NO_DOCUMENT, RankedLists, rank_runs
from rankscope.online.logs import ShownDocuments, load_shown, open_log
from rankscope.settings import as_names
from rankscope.stats.cluster_sums import ClusterSums, effective_number
from rankscope.stats.inverse_propensity import jackknife_interval
from rankscope.typing import Floats, Ints

__all__ = [
    "estimate_clicks",
    "run_click_estimates",
]


#: Fewest impressions that the weights must be worth at each rank.
FEWEST = 20
#: How far the support may be from 1, and so many standard errors where the log has propensities.
TOLERANCE, ERRORS = 0.1, 3.0
#: Expected clicks that are added to each document, with the mean outcome, where its clicks are predicted.
PRIOR = 1.0
#: Stands in a ranking for a document that the log never shows.
NEVER_SHOWN = -2


def estimate_clicks(
    log: Any,
    runs: Sequence[Any],
    *,
    lists: Any = None,
    estimator: str = "snips",
    clip: float | None = None,
    cutoff: int = 10,
    cluster_by: str | None = None,
    confidence_level: float = 0.95,
    actions: Sequence[str] = ("click", "click_through"),
    columns: Mapping[str, str] | None = None,
    input: str | None = None,
    progress: Callable[[int], Any] | None = None,
) -> ClickEstimates:
    """Estimate how many clicks by impression other rankings would have got than those of a log.

    Parameters
    ----------
    log
        A log as for `interleaving_test`, with queries, the documents that were shown, and perhaps the propensity of
        each: how likely it was that it stood at its rank.
    runs
        List of runs, files, or anything that `Run` takes: the other rankings.
    lists
        A file of the lists that were shown. Default: the log has them.
    estimator
        Estimator: inverse propensities (ips), self-normalised (snips), with weights up to a limit (clipped), or doubly
        robust (dr). One of 'ips', 'snips', 'clipped', 'dr'. Default: 'snips'.
    clip
        For clipped: the largest weight. Default: 10.
    cutoff
        Ranks that count, from the first. Default: 10.
    cluster_by
        What is independent of each other: impressions of one user, session or query are a cluster. One of 'user',
        'session', 'query', 'impression'. Default: user or else session, if the log has them; else impression.
    confidence_level
        Confidence level: the long-run share of such intervals that contain the true value. Default: 0.95.
    actions
        Actions of UBI events that count as clicks. Default: ('click', 'click_through').
    columns
        Names of columns in the log and in the lists, where NAME is query, user, session, list, clicks, documents or
        propensity. Default: found by their usual names.
    input
        Format of the runs. Default: detected from their content.
    progress
        Called with the number of bytes just read.

    Returns
    -------
    ClickEstimates
        Clicks by impression with each run, with interval; NaN, with the reason, where the log cannot tell.

    Raises
    ------
    InputError
        With file and line: something cannot be read, the log has no documents or queries, or a propensity is not in
        (0, 1].
    ParameterError
        A setting is out of range.

    Notes
    -----
    An impression counts at a rank if the document there is the one that the run has, with the weight 1 over its
    propensity. Clicks at a rank must depend on the document there only, and on its rank. Without propensities in the
    log they are the share of the impressions of the query in which the document stood at that rank.

    The estimate of a rank is the mean of weights times clicks (ips), over the mean weight (snips), with weights up to
    a limit (clipped), or the predicted clicks of the run and the weighted errors of the predictions (dr). Predicted is
    the click-through of a rank times clicks over expected clicks of the document, from the other half of the clusters.
    The estimates of all ranks are added. Errors are those of the jackknife over clusters.

    There is no estimate where the weights at a rank are worth fewer than 20 impressions, or where their mean is not the
    expected one: off by more than .1 and, with propensities of the log, by more than 3 standard errors.

    References
    ----------
    Li, Abbasi-Yadkori, Kveton, Muthukrishnan, Vinay and Wen (2018), "Offline evaluation of ranking policies with click
    models", for weights by document and rank. Swaminathan and Joachims (2015), "The self-normalized estimator for
    counterfactual learning", for snips; Dudik, Langford and Li (2011), "Doubly robust policy evaluation and learning".

    Examples
    --------
    >>> import rankscope as rs
    >>> orders = [["a", "b"], ["b", "a"]]
    >>> log = [{"query": "q", "documents": orders[i % 2], "clicks": [1] if i % 4 else [2]} for i in range(80)]
    >>> result = rs.online.estimate_clicks(log, [rs.Run({"q": ["b", "a"]}, name="swapped")], cutoff=2)
    >>> float(result.logged), float(result.estimates[0].clicks)
    (1.0, 1.0)
    """
    settings = ClickEstimateSettings(
        estimator=estimator,
        clip=clip,
        cutoff=cutoff,
        cluster_by=cluster_by,
        confidence_level=confidence_level,
        actions=as_names(actions),
        columns=columns,
    )
    return run_click_estimates(log, runs, settings, lists=lists, input=input, progress=progress)


def run_click_estimates(
    source: Any,
    runs: Sequence[Any],
    settings: ClickEstimateSettings,
    *,
    lists: Any = None,
    input: str | None = None,
    progress: Callable[[int], Any] | None = None,
) -> ClickEstimates:
    """As `estimate_clicks`, with its settings as one object."""
    ranked = rank_runs(runs, settings.cutoff, input=input)
    clusters = ("user", "session") if settings.cluster_by is None else (settings.cluster_by,)
    needed = {*clusters, "query", "list", "clicks", "documents", "propensity"}
    log = open_log(source, needed, lists=lists, columns=settings.columns, actions=settings.actions, progress=progress)
    shown = load_shown(log, clusters, is_required=settings.cluster_by is not None)
    logged = logged_slots(shown, settings.cutoff)
    targets = target_documents(ranked, shown, settings.cutoff)
    missing_notes = missing_query_notes(ranked, targets, shown)
    estimates = [
        estimate_system(name, target, logged, settings) for name, target in zip(ranked.systems, targets, strict=True)
    ]
    return ClickEstimates(
        estimates=tuple(estimates),
        logged=float(logged.clicks.sum() / logged.n),
        is_frequency=logged.is_frequency,
        cluster_by=shown.cluster_by,
        n=logged.n,
        n_clusters=logged.impressions.size,
        settings=settings,
        notes=(*log.notes, *ranked.notes, *missing_notes),
    )


class LoggedSlots(NamedTuple):
    """The ranks of all impressions, down to the cutoff, with the documents that stood there.

    Attributes
    ----------
    query, document, rank
        (slots) numbers of the query and of the document, and the rank from 0.
    clicks, propensity
        (slots)
    cluster
        (slots) the cluster of each.
    impression_query, impression_cluster
        (impressions)
    impressions
        (clusters) how many each has.
    n_ranks, n_documents
        Ranks that count, and documents of the log.
    is_frequency
        Whether propensities are shares of impressions.
    """

    query: Ints
    document: Ints
    rank: Ints
    clicks: Floats
    propensity: Floats
    cluster: Ints
    impression_query: Ints
    impression_cluster: Ints
    impressions: Floats
    n_ranks: int
    n_documents: int
    is_frequency: bool

    @property
    def n(self) -> int:
        """The number of impressions."""
        return self.impression_query.size

    @property
    def pair(self) -> Ints:
        """(slots) a number for each document of a query."""
        return np.asarray(self.query * self.n_documents + self.document)

    def by_cluster(self, values: Floats) -> Floats:
        """(ranks, clusters) sums. values: (slots)."""
        size = self.n_ranks * self.impressions.size
        sums = np.bincount(self.rank * self.impressions.size + self.cluster, values, size)
        return np.asarray(sums.reshape(self.n_ranks, -1))

    def sums_of_queries(self, values: Floats) -> Floats:
        """(ranks, clusters) sums over impressions of what their query has. values: (queries, ranks)."""
        return np.stack(
            [
                np.bincount(self.impression_cluster, column[self.impression_query], self.impressions.size)
                for column in values.T
            ]
        )


def logged_slots(shown: ShownDocuments, cutoff: int) -> LoggedSlots:
    """The slots of a log."""
    counts = shown.rank <= cutoff
    impression, document, rank = shown.impression[counts], shown.document[counts], shown.rank[counts] - 1
    query, cluster = shown.query[impression], shown.cluster
    if cluster is None:
        cluster = np.arange(shown.n)
    propensity = None if shown.propensity is None else shown.propensity[counts]
    if propensity is None:
        slots = (query * len(shown.doc_ids) + document) * cutoff + rank
        _, place, sizes = np.unique(slots, return_inverse=True, return_counts=True)
        propensity = sizes[place] / np.bincount(shown.query)[query]
    return LoggedSlots(
        query=query,
        document=document,
        rank=rank,
        clicks=shown.is_clicked[counts].astype(np.float64),
        propensity=propensity,
        cluster=cluster[impression],
        impression_query=shown.query,
        impression_cluster=cluster,
        impressions=np.bincount(cluster).astype(np.float64),
        n_ranks=cutoff,
        n_documents=len(shown.doc_ids),
        is_frequency=shown.propensity is None,
    )


def target_documents(ranked: RankedLists, shown: ShownDocuments, cutoff: int) -> Ints:
    """(systems, queries, cutoff) the document that each system has at a rank, by the numbers of the log."""
    document_of = {id_: number for number, id_ in enumerate(shown.doc_ids)}
    # One more at the end, for ranks without a document.
    numbers = np.array([document_of.get(id_, NEVER_SHOWN) for id_ in ranked.doc_ids] + [NO_DOCUMENT])
    query_of = {id_: number for number, id_ in enumerate(shown.query_ids)}
    queries = np.array([query_of.get(id_, -1) for id_ in ranked.query_ids], np.int64)
    n_systems, _, depth = ranked.lists.shape
    targets = np.full((n_systems, len(shown.query_ids), cutoff), NO_DOCUMENT)
    targets[:, queries[queries >= 0], :depth] = numbers[ranked.lists[:, queries >= 0]]
    return targets


def missing_query_notes(ranked: RankedLists, targets: Ints, shown: ShownDocuments) -> list[str]:
    """A note for each system that lacks queries of the log. Raises InputError for one that lacks all."""
    notes = []
    for name, target in zip(ranked.systems, targets, strict=True):
        is_missing = (target == NO_DOCUMENT).all(axis=1)
        if is_missing.all():
            raise InputError(f"{name} has no query of the log; check that their queries are written alike")
        if is_missing.any():
            ids = [shown.query_ids[query] for query in np.flatnonzero(is_missing).tolist()]
            notes.append(
                f"{name} lacks {len(ids):,} of {pluralise_queries(len(shown.query_ids))} of the log "
                f"({first_names(ids)}); no clicks count there"
            )
    return notes


def estimate_system(name: str, target: Ints, logged: LoggedSlots, settings: ClickEstimateSettings) -> ClickEstimate:
    """The estimate of a system. target: (queries, ranks)."""
    weight = (target[logged.query, logged.rank] == logged.document) / logged.propensity
    weights = logged.by_cluster(weight)
    expected = logged.sums_of_queries((target != NO_DOCUMENT).astype(np.float64))
    used = expected.any(axis=1)  # ranks at which the run has a document
    clipped = weight if settings.largest_weight is None else np.minimum(weight, settings.largest_weight)
    n_effective = min(
        effective_number(clipped[logged.rank == rank]) if weights[rank].any() else 0.0
        for rank in np.flatnonzero(used).tolist()
    )
    support = ClusterSums(sums=weights.sum(axis=0)[None], weights=expected.sum(axis=0))
    reason = reason_against(float(support.means[0]), float(support.standard_errors[0]), n_effective, logged)
    if reason:
        nan = float("nan")
        return ClickEstimate(name, nan, nan, nan, nan, float(support.means[0]), n_effective, reason)
    values, masses, shares = logged.by_cluster(clipped * logged.clicks), logged.impressions, np.ones(logged.n_ranks)
    df = effective_number(logged.impressions) - 1
    if settings.estimator == "dr":
        own, predicted = predicted_clicks(target, logged)
        values = predicted + logged.by_cluster(weight * (logged.clicks - own))
    elif settings.estimator == "snips":
        shares = expected.sum(axis=1) / logged.n
        df = effective_number(weights.sum(axis=0)) - 1
    value, gaps = 0.0, np.zeros(masses.size)
    for rank in np.flatnonzero(used).tolist():
        mass = weights[rank] if settings.estimator == "snips" else masses
        sums = ClusterSums(sums=values[[rank]], weights=mass)
        value += shares[rank] * float(sums.means[0])
        gaps += shares[rank] * sums.gaps[0]
    error, low, high = jackknife_interval(value, gaps, df, settings.confidence_level)
    return ClickEstimate(name, value, low, high, error, float(support.means[0]), n_effective)


def reason_against(support: float, error: float, n_effective: float, logged: LoggedSlots) -> str:
    """Why the weights cannot carry an estimate; "" if they can."""
    tolerance = TOLERANCE if logged.is_frequency or np.isnan(error) else max(TOLERANCE, ERRORS * error)
    if abs(support - 1) > tolerance:
        cause = (
            "the log seldom shows its documents at their ranks"
            if support < 1
            else "the propensities of the log are too small"
        )
        return f"the mean weight is {support:.2f} of what is expected: {cause}; choose a smaller cutoff (--cutoff)"
    if n_effective < FEWEST:
        return (
            f"the weights at a rank are worth {n_effective:.1f} impressions, fewer than {FEWEST}; choose a smaller "
            "cutoff (--cutoff)"
        )
    return ""


def predicted_clicks(target: Ints, logged: LoggedSlots) -> tuple[Floats, Floats]:
    """Clicks that are predicted from the other half of the clusters.

    target: (queries, ranks) documents of the system.

    Returns
    -------
    tuple
        (slots) of the documents of the log, and (ranks, clusters) sums over impressions of those of the system.
    """
    pairs, place = np.unique(logged.pair, return_inverse=True)
    target_pair = np.arange(len(target))[:, None] * logged.n_documents + target
    target_place = np.minimum(np.searchsorted(pairs, target_pair), pairs.size - 1)
    is_shown = (target >= 0) & (pairs[target_place] == target_pair)
    half, halves = logged.cluster % 2, np.arange(logged.impressions.size) % 2
    own, sums = np.zeros(place.size), np.zeros((logged.n_ranks, logged.impressions.size))
    for learnt_from in (0, 1):
        used = half == learnt_from
        clicks = np.bincount(logged.rank[used], logged.clicks[used], logged.n_ranks)
        through = clicks / np.maximum(np.bincount(logged.rank[used], minlength=logged.n_ranks), 1)
        attraction = (np.bincount(place[used], logged.clicks[used], pairs.size) + PRIOR) / (
            np.bincount(place[used], through[logged.rank[used]], pairs.size) + PRIOR
        )
        predicted = through * np.where(is_shown, attraction[target_place], 1.0) * (target != NO_DOCUMENT)
        own[~used] = (through[logged.rank] * attraction[place])[~used]
        sums[:, halves != learnt_from] = logged.sums_of_queries(predicted)[:, halves != learnt_from]
    return own, sums
