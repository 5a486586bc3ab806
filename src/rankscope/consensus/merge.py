"""Many rankings merged into one order, with intervals of its ranks and the agreement of the voters."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rankscope.consensus.base import Method, Order
from rankscope.consensus.intervals import ConsensusSettings, affordable_draws, no_intervals, rank_intervals
from rankscope.consensus.pairwise import refuse_items
from rankscope.consensus.registry import method_by_name, steps_of, width_of
from rankscope.consensus.voter_agreement import VoterAgreement, agreement_of_voters
from rankscope.consensus.voting import majority_winners
from rankscope.data.result import Result
from rankscope.data.text import join_names, pluralise, replace_invalid_utf8
from rankscope.data.votes import NameList, Votes
from rankscope.errors import InputError, in_one_line
from rankscope.stats.inputs import as_generator, seed_of
from rankscope.typing import Floats

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

    Attributes
    ----------
    ordering
        The order with its scores and ranks, an `Order`.
    votes
        The votes that were merged.
    low, high
        (items) interval of each rank over voters; NaN without intervals.
    voters
        How much the voters agree.
    condorcet_winner
        The item that beats every other one, one against one; None if there is none.
    smith_set
        The smallest set of items that each beat every item outside.
    unranked
        The places of items that a voter did not rank.
    n_resamples
        Number of resamples behind the intervals; 0 without intervals.
    settings
        The level of the intervals, and the seed.
    notes
        Warnings about the votes, the method and the intervals.
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
    settings: ConsensusSettings
    notes: tuple[str, ...]

    @property
    def order(self) -> tuple[str, ...]:
        """The items, the best first; tied items by score, then as in the votes."""
        return self.ordering.order

    def __getitem__(self, item: str) -> float:
        """The score of an item; InputError if the votes do not have it."""
        if item not in self.ordering.items:
            raise InputError(f"no item {item!r} among the votes; items: {join_names(self.ordering.items)}")
        return self.ordering[item]

    def records(self) -> Iterator[tuple[Any, ...]]:
        """The rows of the tidy table, the best item first; NaN where there is no interval."""
        for i in self.places():
            numbers = (self.ordering.ranks[i], self.ordering.scores[i], self.low[i], self.high[i])
            yield self.ordering.items[i], *(float(x) for x in numbers)

    def places(self) -> list[int]:
        """The indices of the items in the votes, the best first."""
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
            fields.append(f"interval:bootstrap,{self.n_resamples},{self.settings.confidence_level:g}")
        fields += [f"agreement:{self.voters.concordance.method}", f"rng:{self.settings.seed}"]
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
    """Merge many rankings into one order: full or partial rankings, with ties, by voters of any weight.

    Parameters
    ----------
    rankings
        Lists of names, the best first (an inner list holds tied names), or mappings of names to ranks, one for each
        voter; a mapping of voters' names to these; or `Votes`.
    method
        A name of `rankscope.consensus.METHODS`, or a method with its parameters.
    weights
        Weight of each voter, above 0, as a list or by name. By default each voter counts 1.
    n_resamples
        Number of resamples of the voters for the intervals of ranks, at least 20; 0 for no intervals. Default: 1,000,
        or fewer if they take long; 0 for runs.
    confidence_level
        Confidence level: the long-run share of such intervals that contain the true value. Default: 0.95.
    rng
        Seed or `numpy.random.Generator`; None draws a new seed. The same seed gives the same results.
    **parameters
        Parameters of the method, as `unranked`.

    Returns
    -------
    Consensus
        The order, an interval of each rank, the agreement of the voters, and which item beats the others one against
        one. `print` shows sentences and tables, `frame()` is the tidy table.

    Raises
    ------
    InputError
        The rankings are not valid, see `Votes`, or there are more than 6,000 items, whose pairs are too many.
    UnknownName
        The method does not exist.
    ParameterError
        The method does not have a parameter, or a value is out of range.

    Notes
    -----
    The intervals come from a bootstrap over voters. An interval starts after all items that are above this one in at
    least (1 + confidence_level) / 2 of the resamples, ends before all items that are below it as often, and always
    includes the rank itself. Tied items share the first of their ranks. By default there are 1,000 resamples, or fewer
    or none, with a note, if the method or the comparison of its ranks would take more than 4 billion steps for them.

    References
    ----------
    Those of the method. For Kendall's W and tau-b of the voters see `rankscope.stats.concordance_test` and `mean_taus`.

    Examples
    --------
    >>> found = merge_rankings([["A", "B", "C"], ["A", "C", "B"], ["B", "A", "C"]], rng=1)
    >>> found.order, [found[item] for item in "ABC"]
    (('A', 'B', 'C'), [5.0, 3.0, 1.0])
    >>> found.condorcet_winner, round(found.voters.concordance.w, 4)
    ('A', 0.4444)
    """
    votes = Votes.of(rankings, weights=weights)
    settings = ConsensusSettings(n_resamples=n_resamples, confidence_level=confidence_level, seed=seed_of(rng))
    return merge_votes(votes, method_by_name(method, **parameters), settings)


def merge_votes(
    votes: Votes, method: Method, settings: ConsensusSettings, *, permutations: int = PERMUTATIONS
) -> Consensus:
    """As `merge_rankings`, with its settings as objects. permutations: for the p-value of the voters' agreement."""
    n_items = len(votes.items)
    refuse_items(n_items)  # the result says who wins one against one, whatever the method
    order = method.order(votes)
    n_draws, draw_notes = (
        affordable_draws(steps_of(method, votes), n_items)
        if settings.n_resamples is None
        else (settings.n_resamples, ())
    )
    intervals = no_intervals(n_items, draw_notes)
    if n_draws:
        intervals = rank_intervals(
            method,
            votes,
            order.ranks,
            n_resamples=n_draws,
            confidence_level=settings.confidence_level,
            width=width_of(method, votes),
            rng=as_generator([settings.seed, 1]),
        )
    unranked = getattr(method, "unranked", "average")
    winners = majority_winners(votes, unranked)
    return Consensus(
        ordering=order,
        votes=votes,
        low=intervals.low,
        high=intervals.high,
        voters=agreement_of_voters(votes, order.ranks, n_resamples=permutations, rng=as_generator([settings.seed, 2])),
        condorcet_winner=winners.condorcet_winner,
        smith_set=winners.smith_set,
        unranked=unranked,
        n_resamples=intervals.n_resamples,
        settings=settings,
        notes=tuple(dict.fromkeys([*votes.notes, *order.notes, *draw_notes, *intervals.notes])),
    )
