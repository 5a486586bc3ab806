"""Rankings merged query by query, as of several runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rankscope._version import __version__
from rankscope.consensus.base import Method, Note, Order
from rankscope.consensus.intervals import check_draws
from rankscope.consensus.merge import COLUMNS, Consensus, merge_votes, weights_signature
from rankscope.consensus.registry import method_by_name
from rankscope.consensus.run_votes import votes_of_runs
from rankscope.consensus.view import format_interval, format_rank, format_score, score_note
from rankscope.data.result import as_text, tidy_frame
from rankscope.data.run import Run
from rankscope.data.section import Section, Table
from rankscope.data.text import format_percent, format_value, join_names, pluralise_queries
from rankscope.data.votes import Votes
from rankscope.errors import InputError, ParameterError
from rankscope.stats.inputs import check_share, seed_of
from rankscope.typing import PathLike

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "QueryConsensus",
    "merge_queries",
    "merge_runs",
]


#: So many items of a query are shown; for programs all are there.
FIRST_ITEMS = 10
#: So many queries are named in a note; of more, how many they are is said.
QUERIES_LISTED = 4


@dataclass(frozen=True, eq=False, kw_only=True)
class QueryConsensus:
    """A consensus a query, each of its own items; `result["q1"]` is that of one query.

    query_ids: the queries; parts: the consensus of each. ties: how runs broke ties, empty where votes were no runs.
    notes: what a careful reader wants to know, once for all.
    """

    query_ids: tuple[str, ...]
    parts: tuple[Consensus, ...]
    ties: str
    notes: tuple[str, ...]

    def __getitem__(self, query: str) -> Consensus:
        """The consensus of a query. Raises InputError for one that there is not."""
        if query not in self.query_ids:
            raise InputError(f"no query {query!r}; there are {pluralise_queries(len(self.query_ids))}")
        return self.parts[self.query_ids.index(query)]

    @property
    def columns(self) -> tuple[str, ...]:
        """Those of the tidy table."""
        return ("query", *COLUMNS)

    def records(self) -> Iterator[tuple[Any, ...]]:
        """The rows of the tidy table, query by query, the best item first; NaN where there is no interval."""
        for query, part in zip(self.query_ids, self.parts, strict=True):
            for record in part.records():
                yield query, *record

    def frame(self) -> pl.DataFrame:
        """The tidy table as a polars frame; null where there is no interval."""
        return tidy_frame(self)

    def sections(self) -> tuple[Section, ...]:
        """The first items of each query, and how far the voters agree on it."""
        return self.first_items(), self.agreement()

    def first_items(self) -> Section:
        """What stands at the top of each query."""
        with_interval = any(part.n_resamples for part in self.parts)
        rows = []
        for query, part in zip(self.query_ids, self.parts, strict=True):
            for item, rank, score, low, high in list(part.records())[:FIRST_ITEMS]:
                cells = (query, item, format_rank(rank), format_score(score))
                rows.append((*cells, format_interval(low, high)) if with_interval else cells)
        columns: tuple[str, ...] = ("query", "item", "rank", "score")
        level = format_percent(self.parts[0].confidence_level)
        columns += (f"{level} interval of the rank",) if with_interval else ()
        long = sum(len(part.votes.items) > FIRST_ITEMS for part in self.parts)
        method = self.parts[0].found
        return Section(
            title="The consensus, query by query",
            sentence=f"Of {pluralise_queries(len(self.parts))}, by the method {method.method}.",
            table=Table(columns=columns, rows=tuple(rows), left=2),
            notes=(
                *((score_note(method),) * bool(method.meaning)),
                *((f"the first {FIRST_ITEMS} of each query are shown; csv, json and parquet hold all",) * bool(long)),
            ),
        )

    def agreement(self) -> Section:
        """How far the voters agree, on each query, and who agrees least."""
        rows = []
        for query, part in zip(self.query_ids, self.parts, strict=True):
            voters = part.voters
            numbers = (voters.concordance.w, voters.mean_tau)
            cells = (f"{len(part.votes.voters):,}", f"{len(part.votes.items):,}")
            rows.append((query, *cells, *(format_value(x, "mean") for x in numbers), part.condorcet_winner or "-"))
        w = [part.voters.concordance.w for part in self.parts if not np.isnan(part.voters.concordance.w)]
        mean = f" Its mean over queries is {np.mean(w):.4f}." if w else ""
        return Section(
            title="How far the voters agree, query by query",
            sentence=f"Kendall's W: 1, all voters have one order; 0, their ranks cancel out.{mean} The last column "
            "names the item that beats every other one, one against one, where there is such.",
            table=Table(columns=("query", "voters", "items", "Kendall's W", "mean tau", "beats all"), rows=tuple(rows)),
            folded=len(rows) > FIRST_ITEMS,
        )

    def signature(self) -> str:
        """Every setting that changes the numbers, in one line."""
        first = self.parts[0]
        parts = ["consensus by query", f"method:{first.found.method}", f"queries:{len(self.parts)}"]
        parts += [f"ties:{self.ties}"] if self.ties else []
        parts += self.weights()
        if first.n_resamples:
            parts.append(f"interval:bootstrap,{first.n_resamples},{first.confidence_level:g}")
        return " | ".join([*parts, f"rng:{first.seed}", f"rankscope {__version__}"])

    def weights(self) -> tuple[str, ...]:
        """Those of all voters; where a voter has several, each with its query."""
        every = zip(self.query_ids, self.parts, strict=True)
        said = [
            (query, name, weight)
            for query, part in every
            for name, weight in zip(part.votes.voters, part.votes.weights.tolist(), strict=True)
        ]
        once = dict.fromkeys((name, weight) for _, name, weight in said)
        if len({name for name, _ in once}) == len(once):
            return weights_signature(once)
        return weights_signature((f"{query}/{name}", weight) for query, name, weight in said)

    def __str__(self) -> str:
        return as_text(self)

    def __repr__(self) -> str:
        return f"QueryConsensus({pluralise_queries(len(self.parts))}, {self.parts[0].found.method!r})"


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
    everybody = {voter for one in votes.values() for voter in one.voters} if weights else set()
    for name in weights or ():
        if name not in everybody:
            raise InputError(f"a weight for {name!r}, who votes on no query; voters: {join_names(sorted(everybody))}")
    chosen, instead = method_by_name(method, **parameters).for_many()
    check_share("confidence_level", confidence_level)
    seed = seed_of(rng)
    parts = []
    for query, one in votes.items():
        own = {name: weight for name, weight in (weights or {}).items() if name in one.voters}
        try:
            own_votes = one.weighted(own) if own else one
            # Of the agreement of the voters only W is shown, so that no permutations are needed.
            parts.append(merge_votes(own_votes, chosen, n_resamples, confidence_level, seed, permutations=0))
        except InputError as error:
            raise InputError(f"query {query!r}: {error}") from None
        if progress is not None:
            progress(1.0)
    return QueryConsensus(
        query_ids=tuple(votes),
        parts=tuple(parts),
        ties=getattr(votes, "ties", ""),
        notes=(*getattr(votes, "notes", ()), *([instead] if instead else ()), *notes_by_query(tuple(votes), parts)),
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


def notes_by_query(names: tuple[str, ...], parts: Sequence[Consensus | Order]) -> tuple[str, ...]:
    """Each note once, with the queries that it is true of where that is not all, and without what differs among them.

    What says something of single votes only, as a p-value, is left out.
    """
    said: dict[str, list[str]] = {}
    for name, part in zip(names, parts, strict=True):
        for note in part.notes:
            general = note.general if isinstance(note, Note) else note
            if general:
                said.setdefault(general, []).append(name)
    return tuple(
        note if len(of) == len(parts) else f"{format_queries(of, len(parts))}: {note}" for note, of in said.items()
    )


def format_queries(some: list[str], total: int) -> str:
    if len(some) > QUERIES_LISTED:
        return f"in {len(some):,} of {pluralise_queries(total)}"
    return f"{'query' if len(some) == 1 else 'queries'} {join_names(some)}"
