"""Many rankings merged into one order, with intervals of its ranks and the agreement of the voters."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rankscope.consensus.base import Method, Order
from rankscope.consensus.intervals import affordable_draws, check_draws, no_intervals, rank_intervals
from rankscope.consensus.pairwise import refuse_items
from rankscope.consensus.registry import method_by_name, steps_of, width_of
from rankscope.consensus.voter_agreement import VoterAgreement, agreement_of_voters
from rankscope.consensus.voting import condorcet_winner, smith_set
from rankscope.data.result import Result
from rankscope.data.text import join_names, pluralise, replace_invalid_utf8
from rankscope.data.votes import NameList, Votes
from rankscope.errors import InputError, in_one_line
from rankscope.stats.inputs import as_generator, check_share, seed_of
from rankscope.typing import Floats

if TYPE_CHECKING:
    pass

__all__ = [
    "Consensus",
    "merge_rankings",
    "merge_votes",
    "weights_signature",
]


#: A signature names at most this many voters; of more, it has their number, least and greatest weight, and a digest.
WEIGHTS_LISTED = 10


def weights_signature(weights: Iterable[tuple[str, float]]) -> tuple[str, ...]:
    """The part of a signature for who does not weigh 1; none where all do. weights: of voters by name; may repeat.

    >>> weights_signature([("Ann", 1.0), ("Bob", 0.5), ("Bob", 0.5)])
    ('weights:Bob=0.5',)
    >>> weights_signature([(f"v{i}", 2.0 + i) for i in range(300)])
    ('weights:300 from 2 to 301,sha256:fe8c8d26',)
    """
    unequal = [(name, weight) for name, weight in dict.fromkeys(weights) if weight != 1]
    if not unequal:
        return ()
    entries = [f"{in_one_line(replace_invalid_utf8(name))}={format_weight(weight)}" for name, weight in unequal]
    if len(entries) <= WEIGHTS_LISTED:
        return (f"weights:{','.join(entries)}",)
    lowest, highest = (format_weight(extreme(weight for _, weight in unequal)) for extreme in (min, max))
    digest = hashlib.sha256("\n".join(sorted(entries)).encode()).hexdigest()[:8]
    return (f"weights:{len(entries):,} from {lowest} to {highest},sha256:{digest}",)


def format_weight(weight: float) -> str:
    """A weight in few digits where these are exact."""
    return f"{weight:g}" if float(f"{weight:g}") == weight else repr(weight)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Consensus(Result):
    """Many rankings merged into one.

    found: the order with scores and ranks, an `Order`; votes: what it was made of. low, high: (items) between which
    ranks an item lies if other voters of the same kind vote, NaN where no interval was made. voters: how far they
    agree. condorcet_winner: who beats every other item one against one; None where nobody does. smith_set: the fewest
    items that beat every other one. unranked: where items stand that a voter left out.
    """

    VIEW = "rankscope.consensus.view:consensus_sections"
    COLUMNS = ("item", "rank", "score", "low", "high")

    ordering: Order
    votes: Votes
    low: Floats
    high: Floats
    voters: VoterAgreement
    condorcet_winner: str | None
    smith_set: tuple[str, ...]
    unranked: str
    n_resamples: int
    confidence_level: float
    seed: int
    notes: tuple[str, ...]

    @property
    def order(self) -> tuple[str, ...]:
        """The items, the best first, as in `Order.order`."""
        return self.ordering.order

    def __getitem__(self, item: str) -> float:
        """The score of an item. Raises InputError for one that is not among the votes."""
        if item not in self.ordering.items:
            raise InputError(f"no item {item!r} among the votes; items: {join_names(self.ordering.items)}")
        return self.ordering[item]

    def records(self) -> Iterator[tuple[Any, ...]]:
        """The rows of the tidy table, the best item first; NaN where there is no interval."""
        for i in self.places():
            numbers = (self.ordering.ranks[i], self.ordering.scores[i], self.low[i], self.high[i])
            yield self.ordering.items[i], *(float(x) for x in numbers)

    def places(self) -> list[int]:
        """Where the items stand among the votes, the best first."""
        return self.ordering.places()

    def signature_parts(self) -> list[str]:
        """The settings that change the numbers."""
        fields = [
            "consensus",
            f"method:{self.ordering.method}",
            f"voters:{len(self.votes.voters)}",
            f"items:{len(self.votes.items)}",
        ]
        fields += weights_signature(zip(self.votes.voters, self.votes.weights.tolist(), strict=True))
        if self.n_resamples:
            fields.append(f"interval:bootstrap,{self.n_resamples},{self.confidence_level:g}")
        fields += [f"agreement:{self.voters.concordance.method}", f"rng:{self.seed}"]
        return fields

    def contents(self) -> str:
        """What it holds, in a few words."""
        n = pluralise(len(self.votes.items), "item")
        return f"{n} by {pluralise(len(self.votes.voters), 'voter')}, {self.ordering.method!r}"


#: Permutations behind the p-value of the voters' agreement.
PERMUTATIONS = 9999


def merge_rankings(
    rankings: Votes | Iterable[NameList | Mapping[str, float | None]] | Mapping[str, Any],
    method: str | Method = "borda",
    *,
    weights: Sequence[float] | Mapping[str, float] | None = None,
    n_resamples: int | None = None,
    confidence_level: float = 0.95,
    rng: Any = None,
    **parameters: Any,
) -> Consensus:
    """One order of many rankings: full or partial, with ties, by voters of any weight.

    rankings: lists of names, the best first (a list within: tied), or mappings of names to ranks, one a voter; a
    mapping of voters' names to such; `Votes`. method: a name of `rankscope.consensus.METHODS`, or a method with its
    parameters. weights: one a voter, or by name, above 0. parameters: of the method, as `unranked`, which says where
    items stand that a voter left out: "average", "worst", "optimistic", for some methods "ignore".

    n_resamples: draws of as many voters with replacement behind the intervals of the ranks, at least 20; 0: no
    intervals; None: 1,000, or fewer or none, with a note, where the method, or comparing its ranks, would take more
    than 4 billion steps for them. rng: where random numbers begin; one is drawn and shown otherwise. An interval goes
    from the place behind all items that are above this one in (1 + confidence_level) / 2 of the draws or more to the
    place before all that are as often below it, and never leaves out the rank itself. A tie has the first of its ranks.

    Raises InputError for votes that are none, as `Votes.of`, and on more than 6,000 items, since who wins one against
    one is told of all pairs; UnknownName for another method; ParameterError for a
    parameter that the method does not take, and for values out of range.

    Source: the method's. Kendall's W and tau-b of the voters: see `rankscope.stats.concordance_test` and `mean_taus`.

    >>> found = merge_rankings([["A", "B", "C"], ["A", "C", "B"], ["B", "A", "C"]], rng=1)
    >>> found.order, [found[item] for item in "ABC"]
    (('A', 'B', 'C'), [5.0, 3.0, 1.0])
    >>> found.condorcet_winner, round(found.voters.concordance.w, 4)
    ('A', 0.4444)
    """
    votes = Votes.of(rankings, weights=weights)
    chosen_method = method_by_name(method, **parameters)
    check_share("confidence_level", confidence_level)
    if n_resamples is not None:
        check_draws(n_resamples)
    return merge_votes(votes, chosen_method, n_resamples, confidence_level, seed_of(rng))


def merge_votes(
    votes: Votes,
    method: Method,
    n_resamples: int | None,
    confidence_level: float,
    seed: int,
    permutations: int = PERMUTATIONS,
) -> Consensus:
    """`merge_rankings` with checked arguments. permutations: behind the p-value of the voters' agreement."""
    n_items = len(votes.items)
    refuse_items(n_items)  # the result says who wins one against one, whatever the method
    order = method.order(votes)
    n_draws, draw_notes = (
        (n_resamples, ()) if n_resamples is not None else affordable_draws(steps_of(method, votes), n_items)
    )
    intervals = no_intervals(n_items, draw_notes)
    if n_draws:
        intervals = rank_intervals(
            method,
            votes,
            order.ranks,
            n_resamples=n_draws,
            confidence_level=confidence_level,
            width=width_of(method, votes),
            rng=as_generator([seed, 1]),
        )
    unranked = getattr(method, "unranked", "average")
    return Consensus(
        ordering=order,
        votes=votes,
        low=intervals.low,
        high=intervals.high,
        voters=agreement_of_voters(votes, order.ranks, n_resamples=permutations, rng=as_generator([seed, 2])),
        condorcet_winner=condorcet_winner(votes, unranked=unranked),
        smith_set=smith_set(votes, unranked=unranked),
        unranked=unranked,
        n_resamples=intervals.n_resamples,
        confidence_level=confidence_level,
        seed=seed,
        notes=tuple(dict.fromkeys([*votes.notes, *order.notes, *draw_notes, *intervals.notes])),
    )
