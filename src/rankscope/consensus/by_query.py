"""Consensus by query: the rankings of each query, such as several runs, merged into one order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rankscope.consensus.base import Method, Note, Order
from rankscope.consensus.intervals import check_draws
from rankscope.consensus.merge import Consensus, merge_votes, weights_signature
from rankscope.consensus.registry import method_by_name
from rankscope.consensus.run_votes import votes_of_runs
from rankscope.consensus.view import format_interval, format_rank, format_score, score_note
from rankscope.data.result import Result
from rankscope.data.run import Run
from rankscope.data.section import Section, Table
from rankscope.data.text import format_percent, format_value, join_names, pluralise_queries
from rankscope.data.votes import Votes
from rankscope.errors import InputError, ParameterError
from rankscope.stats.inputs import check_share, seed_of
from rankscope.typing import PathLike

if TYPE_CHECKING:
    pass

__all__ = [
    "QueryConsensus",
    "merge_queries",
    "merge_runs",
]


#: How many items of a query are shown; csv, json and parquet hold all.
FIRST_ITEMS = 10
#: A note names at most this many queries; of more, it gives the number.
QUERIES_LISTED = 4


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class QueryConsensus(Result):
    """A consensus a query, each of its own items; `result["q1"]` is that of one query.

    query_ids: the queries; parts: the consensus of each. ties: how runs broke ties, empty where votes were no runs.
    notes: what a careful reader wants to know, once for all.
    """

    COLUMNS = ("query", *Consensus.COLUMNS)

    query_ids: tuple[str, ...]
    results: tuple[Consensus, ...]
    ties: str
    notes: tuple[str, ...]

    def __getitem__(self, query: str) -> Consensus:
        """The consensus of a query. Raises InputError for one that there is not."""
        if query not in self.query_ids:
            raise InputError(f"no query {query!r}; there are {pluralise_queries(len(self.query_ids))}")
        return self.results[self.query_ids.index(query)]

    def records(self) -> Iterator[tuple[Any, ...]]:
        """The rows of the tidy table, query by query, the best item first; NaN where there is no interval."""
        for query, consensus in zip(self.query_ids, self.results, strict=True):
            for record in consensus.records():
                yield query, *record

    def sections(self) -> tuple[Section, ...]:
        """The first items of each query, and how far the voters agree on it."""
        return self.first_items(), self.agreement()

    def first_items(self) -> Section:
        """The section of the best items of each query."""
        with_interval = any(consensus.n_resamples for consensus in self.results)
        rows = []
        for query, consensus in zip(self.query_ids, self.results, strict=True):
            for item, rank, score, low, high in list(consensus.records())[:FIRST_ITEMS]:
                cells = (query, item, format_rank(rank), format_score(score))
                rows.append((*cells, format_interval(low, high)) if with_interval else cells)
        columns: tuple[str, ...] = ("query", "item", "rank", "score")
        level = format_percent(self.results[0].confidence_level)
        columns += (f"{level} interval of the rank",) if with_interval else ()
        n_long = sum(len(consensus.votes.items) > FIRST_ITEMS for consensus in self.results)
        first_order = self.results[0].ordering
        return Section(
            title="The consensus, query by query",
            sentence=f"Of {pluralise_queries(len(self.results))}, by the method {first_order.method}.",
            table=Table(columns=columns, rows=tuple(rows), n_name_columns=2),
            notes=(
                *((score_note(first_order),) * bool(first_order.meaning)),
                *((f"the first {FIRST_ITEMS} of each query are shown; csv, json and parquet hold all",) * bool(n_long)),
            ),
        )

    def agreement(self) -> Section:
        """How far the voters agree, on each query, and who agrees least."""
        rows = []
        for query, consensus in zip(self.query_ids, self.results, strict=True):
            voters = consensus.voters
            numbers = (voters.concordance.w, voters.mean_tau)
            cells = (f"{len(consensus.votes.voters):,}", f"{len(consensus.votes.items):,}")
            rows.append((query, *cells, *(format_value(x, "mean") for x in numbers), consensus.condorcet_winner or "-"))
        w_values = [
            consensus.voters.concordance.w for consensus in self.results if not np.isnan(consensus.voters.concordance.w)
        ]
        mean = f" Its mean over queries is {np.mean(w_values):.4f}." if w_values else ""
        return Section(
            title="How far the voters agree, query by query",
            sentence=f"Kendall's W: 1, all voters have one order; 0, their ranks cancel out.{mean} The last column "
            "names the item that beats every other one, one against one, where there is such.",
            table=Table(columns=("query", "voters", "items", "Kendall's W", "mean tau", "beats all"), rows=tuple(rows)),
            folded=len(rows) > FIRST_ITEMS,
        )

    def signature_parts(self) -> list[str]:
        """The settings that change the numbers."""
        first = self.results[0]
        fields = ["consensus by query", f"method:{first.ordering.method}", f"queries:{len(self.results)}"]
        fields += [f"ties:{self.ties}"] if self.ties else []
        fields += self.weights()
        if first.n_resamples:
            fields.append(f"interval:bootstrap,{first.n_resamples},{first.confidence_level:g}")
        return [*fields, f"rng:{first.seed}"]

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
    weights: Sequence[float] | Mapping[str, float] | None = None,
    n_resamples: int = 0,
    confidence_level: float = 0.95,
    rng: Any = None,
    progress: Callable[[float], Any] | None = None,
    **parameters: Any,
) -> QueryConsensus:
    """One order of the items of each query, of many rankings of them; each query is merged for itself.

    votes: of each query, as `votes_of_runs` makes them of runs. n_resamples: 0, so that no intervals are made unless
    they are asked for. method, weights, confidence_level, rng, parameters: as `merge_rankings` takes them; a weight by
    name counts where the voter ranked something. Every query begins with the same random numbers. progress: told 1
    after each query. Kemeny's and Mallows' orders of more than 14 items that win in circles are searched and not
    proved, unless `exact` or a `time_limit` for each query is given; a note says so.

    Raises InputError for no query, and for a weight of somebody who votes on none; else as `merge_rankings`.

    >>> votes = {"q1": Votes.of([["A", "B"], ["B", "A"], ["B", "A"]]), "q2": Votes.of([["C", "D"], ["C", "D"]])}
    >>> found = merge_queries(votes, rng=1)
    >>> list(found.records())[0][:4], found["q2"].order
    (('q1', 'B', 1.0, 2.0), ('C', 'D'))
    """
    if not votes:
        raise InputError("no query, expected at least one whose items were ranked")
    check_draws(n_resamples)
    if weights is not None and not isinstance(weights, Mapping):
        raise ParameterError("weights is a list, expected a mapping of names: not all vote on all queries")
    voters = {voter for query_votes in votes.values() for voter in query_votes.voters} if weights else set()
    for name in weights or ():
        if name not in voters:
            raise InputError(f"a weight for {name!r}, who votes on no query; voters: {join_names(sorted(voters))}")
    chosen_method, replacement_note = method_by_name(method, **parameters).for_many()
    check_share("confidence_level", confidence_level)
    seed = seed_of(rng)
    results = []
    for query, query_votes in votes.items():
        query_weights = {name: weight for name, weight in (weights or {}).items() if name in query_votes.voters}
        try:
            weighted_votes = query_votes.with_weights(query_weights) if query_weights else query_votes
            # The view shows only W of the agreement, so that no permutations are needed.
            results.append(
                merge_votes(weighted_votes, chosen_method, n_resamples, confidence_level, seed, permutations=0)
            )
        except InputError as error:
            raise InputError(f"query {query!r}: {error}") from None
        if progress is not None:
            progress(1.0)
    return QueryConsensus(
        query_ids=tuple(votes),
        results=tuple(results),
        ties=getattr(votes, "ties", ""),
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
    **options: Any,
) -> QueryConsensus:
    """Several runs merged into one order of the documents of each query: each run votes by its ranks.

    runs: runs, files or what `Run` takes, at least two. ties, input: how they are ranked and read, as in `evaluate`.
    method, options: as `merge_queries` takes them. A document that a run did not retrieve is one that it did not rank.

    Raises InputError for runs that cannot be merged, as `votes_of_runs`, and as `merge_queries`.

    >>> runs = [{"q1": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"q1": {"a": 3.0, "c": 2.0, "b": 1.0}}]
    >>> merge_runs([Run(run, name=name) for run, name in zip(runs, "xy")], rng=1)["q1"].order
    ('a', 'b', 'c')
    """
    return merge_queries(votes_of_runs(runs, ties=ties, input=input), method, **options)


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
    if len(query_ids) > QUERIES_LISTED:
        return f"in {len(query_ids):,} of {pluralise_queries(n_queries)}"
    return f"{'query' if len(query_ids) == 1 else 'queries'} {join_names(query_ids)}"
