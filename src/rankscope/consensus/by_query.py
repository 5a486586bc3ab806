"""Consensus by query: the rankings of each query, such as several runs, merged into one order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rankscope.consensus.base import Method, Note, Order, VoterWeights
from rankscope.consensus.intervals import ConsensusSettings
from rankscope.consensus.merge import Consensus, merge_votes, weights_signature
from rankscope.consensus.registry import method_by_name
from rankscope.consensus.run_votes import votes_of_runs
from rankscope.data.result import Result
from rankscope.data.run import Run
from rankscope.data.text import join_names, pluralise_queries
from rankscope.data.votes import Votes
from rankscope.errors import InputError, ParameterError
from rankscope.stats.inputs import seed_of
from rankscope.typing import PathLike

__all__ = [
    "QueryConsensus",
    "merge_queries",
    "merge_runs",
]


#: A note names at most this many queries; of more, it gives the number.
QUERIES_LISTED = 4


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class QueryConsensus(Result):
    """The consensus of each query, each of its own items; `result["q1"]` is that of one query.

    Attributes
    ----------
    query_ids
        The queries.
    results
        The `Consensus` of each query.
    ties
        How runs break ties; empty if the votes do not come from runs.
    settings
        The level of the intervals, and the seed.
    notes
        Warnings, each once for all its queries.
    """

    VIEW = "rankscope.consensus.view:query_sections"
    COLUMNS = ("query", *Consensus.COLUMNS)

    query_ids: tuple[str, ...]
    results: tuple[Consensus, ...]
    ties: str
    settings: ConsensusSettings
    notes: tuple[str, ...]

    def __getitem__(self, query: str) -> Consensus:
        """The consensus of a query; InputError if there is no such query."""
        if query not in self.query_ids:
            raise InputError(f"no query {query!r}; there are {pluralise_queries(len(self.query_ids))}")
        return self.results[self.query_ids.index(query)]

    def records(self) -> Iterator[tuple[Any, ...]]:
        """The rows of the tidy table, query by query, the best item first; NaN where there is no interval."""
        for query, consensus in zip(self.query_ids, self.results, strict=True):
            for record in consensus.records():
                yield query, *record

    def signature_parts(self) -> list[str]:
        """The settings that change the numbers."""
        first = self.results[0]
        fields = ["consensus by query", f"method:{first.ordering.method}", f"queries:{len(self.results)}"]
        fields += [f"ties:{self.ties}"] if self.ties else []
        fields += self.weights()
        if first.n_resamples:
            fields.append(f"interval:bootstrap,{first.n_resamples},{self.settings.confidence_level:g}")
        return [*fields, f"rng:{self.settings.seed}"]

    def weights(self) -> tuple[str, ...]:
        """The weights of all voters for the signature; where a voter has several, each with its query."""
        consensus_by_query = zip(self.query_ids, self.results, strict=True)
        voter_weights = [
            (query, name, weight)
            for query, consensus in consensus_by_query
            for name, weight in zip(consensus.votes.voters, consensus.votes.weights.tolist(), strict=True)
        ]
        distinct_weights = dict.fromkeys((name, weight) for _, name, weight in voter_weights)
        if len({name for name, _ in distinct_weights}) == len(distinct_weights):
            return weights_signature(distinct_weights)
        return weights_signature((f"{query}/{name}", weight) for query, name, weight in voter_weights)

    def contents(self) -> str:
        """What it holds, in a few words."""
        return f"{pluralise_queries(len(self.results))}, {self.results[0].ordering.method!r}"


def merge_queries(
    votes: Mapping[str, Votes],
    method: str | Method = "borda",
    *,
    weights: VoterWeights = None,
    n_resamples: int | None = None,
    confidence_level: float = 0.95,
    rng: Any = None,
    progress: Callable[[float], Any] | None = None,
    **parameters: Any,
) -> QueryConsensus:
    """Merge the rankings of each query into one order of its items.

    Parameters
    ----------
    votes
        The votes of each query, for example those of runs (`votes_of_runs`).
    method
        A name of `rankscope.consensus.METHODS`, or a method with its parameters.
    weights
        Weights of voters by name; they count on the queries on which the voter ranked something.
    n_resamples
        Number of resamples of the voters for the intervals of ranks, at least 20; 0 for no intervals. Default: 1,000,
        or fewer if they take long; 0 for runs.
    confidence_level
        Confidence level: the long-run share of such intervals that contain the true value. Default: 0.95.
    rng
        Seed or `numpy.random.Generator`; None draws a new seed. The same seed gives the same results.
    progress
        Called with 1 after each query.
    **parameters
        Parameters of the method, as `unranked`.

    Returns
    -------
    QueryConsensus
        The consensus of each query: `result["q1"]`.

    Raises
    ------
    InputError
        There is no query, or a weight is for a voter without votes; and as `merge_rankings`.
    UnknownName, ParameterError
        As `merge_rankings`.

    Notes
    -----
    All queries start with the same random seed. Orders of Kemeny and Mallows for more than 14 items that win in cycles
    are searched and not proved, unless `exact` or a `time_limit` for each query is given; a note says so.

    Examples
    --------
    >>> votes = {"q1": Votes.of([["A", "B"], ["B", "A"], ["B", "A"]]), "q2": Votes.of([["C", "D"], ["C", "D"]])}
    >>> found = merge_queries(votes, rng=1)
    >>> list(found.records())[0][:4], found["q2"].order
    (('q1', 'B', 1.0, 2.0), ('C', 'D'))
    """
    settings = ConsensusSettings(n_resamples=n_resamples, confidence_level=confidence_level, seed=seed_of(rng))
    chosen_method = method_by_name(method, **parameters)
    return merge_votes_by_query(votes, chosen_method, settings, weights=weights, progress=progress)


def merge_votes_by_query(
    votes: Mapping[str, Votes],
    method: Method,
    settings: ConsensusSettings,
    *,
    weights: VoterWeights = None,
    progress: Callable[[float], Any] | None = None,
) -> QueryConsensus:
    """As `merge_queries`, with its settings as objects."""
    if not votes:
        raise InputError("no query, expected at least one whose items were ranked")
    if weights is not None and not isinstance(weights, Mapping):
        raise ParameterError("weights is a list, expected a mapping of names: not all vote on all queries")
    voters = {voter for query_votes in votes.values() for voter in query_votes.voters} if weights else set()
    for name in weights or ():
        if name not in voters:
            raise InputError(f"a weight for {name!r}, who votes on no query; voters: {join_names(sorted(voters))}")
    method_for_many, replacement_note = method.for_many()
    settings = replace(settings, n_resamples=settings.n_resamples or 0)
    results = []
    for query, query_votes in votes.items():
        query_weights = {name: weight for name, weight in (weights or {}).items() if name in query_votes.voters}
        try:
            weighted_votes = query_votes.with_weights(query_weights) if query_weights else query_votes
            # The view shows only W of the agreement, so that no permutations are needed.
            results.append(merge_votes(weighted_votes, method_for_many, settings, permutations=0))
        except InputError as error:
            raise InputError(f"query {query!r}: {error}") from None
        if progress is not None:
            progress(1.0)
    return QueryConsensus(
        query_ids=tuple(votes),
        results=tuple(results),
        ties=getattr(votes, "ties", ""),
        settings=settings,
        notes=(
            *getattr(votes, "notes", ()),
            *([replacement_note] if replacement_note else ()),
            *notes_by_query(tuple(votes), results),
        ),
    )


def merge_runs(
    runs: Sequence[Run | PathLike | Any],
    method: str | Method = "borda",
    *,
    ties: str = "doc_id_desc",
    input: str | None = None,
    weights: VoterWeights = None,
    n_resamples: int | None = None,
    confidence_level: float = 0.95,
    rng: Any = None,
    progress: Callable[[float], Any] | None = None,
    **parameters: Any,
) -> QueryConsensus:
    """Merge several runs into one order of the documents of each query: each run votes by its ranks.

    Parameters
    ----------
    runs
        At least two runs, files, or other arguments of `Run`.
    method
        A name of `rankscope.consensus.METHODS`, or a method with its parameters.
    ties
        How documents with equal scores are ranked, as in `evaluate`; "average" leaves them tied.
    input
        Format of the files; detected by default.
    weights
        Weights of runs by name.
    n_resamples
        Number of resamples of the voters for the intervals of ranks, at least 20; 0 for no intervals. Default: 1,000,
        or fewer if they take long; 0 for runs.
    confidence_level
        Confidence level: the long-run share of such intervals that contain the true value. Default: 0.95.
    rng
        Seed or `numpy.random.Generator`; None draws a new seed. The same seed gives the same results.
    progress
        Called with 1 after each query.
    **parameters
        Parameters of the method, as `unranked`. A run does not rank the documents that it did not retrieve.

    Returns
    -------
    QueryConsensus
        The consensus of each query: `result["q1"]`.

    Raises
    ------
    InputError
        The runs cannot be merged, as `votes_of_runs`; and as `merge_queries`.
    UnknownName, ParameterError
        As `merge_queries`.

    Examples
    --------
    >>> runs = [{"q1": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"q1": {"a": 3.0, "c": 2.0, "b": 1.0}}]
    >>> merge_runs([Run(run, name=name) for run, name in zip(runs, "xy")], rng=1)["q1"].order
    ('a', 'b', 'c')
    """
    settings = ConsensusSettings(n_resamples=n_resamples, confidence_level=confidence_level, seed=seed_of(rng))
    chosen_method = method_by_name(method, **parameters)
    votes = votes_of_runs(runs, ties=ties, input=input)
    return merge_votes_by_query(votes, chosen_method, settings, weights=weights, progress=progress)


def notes_by_query(query_ids: tuple[str, ...], results: Sequence[Consensus | Order]) -> tuple[str, ...]:
    """Each note once, in its general form, with its queries where these are not all.

    Notes without a general form, such as a p-value of single votes, are skipped.
    """
    queries_by_note: dict[str, list[str]] = {}
    for query_id, result in zip(query_ids, results, strict=True):
        for note in result.notes:
            general = note.general if isinstance(note, Note) else note
            if general:
                queries_by_note.setdefault(general, []).append(query_id)
    return tuple(
        note if len(note_queries) == len(results) else f"{format_queries(note_queries, len(results))}: {note}"
        for note, note_queries in queries_by_note.items()
    )


def format_queries(query_ids: list[str], n_queries: int) -> str:
    """The queries of a note by name, or their number where they are many."""
    if len(query_ids) > QUERIES_LISTED:
        return f"in {len(query_ids):,} of {pluralise_queries(n_queries)}"
    return f"{'query' if len(query_ids) == 1 else 'queries'} {join_names(query_ids)}"
