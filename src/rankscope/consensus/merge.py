"""merge_rankings: votes in, one order out, with what is to be known of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rankscope.consensus.base import Method
from rankscope.consensus.intervals import affordable_draws, check_draws, no_intervals, rank_intervals
from rankscope.consensus.majorities import condorcet_winner, smith_set
from rankscope.consensus.merged import Consensus
from rankscope.consensus.methods import method_by_name, steps_of, width_of
from rankscope.consensus.pairwise import refuse_items
from rankscope.consensus.voters import agreement_of_voters
from rankscope.data.votes import NameList, Votes
from rankscope.stats.inputs import as_generator, check_share, seed_of

__all__ = ["merge_rankings", "merge_votes"]

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
    chosen = method_by_name(method, **parameters)
    check_share("confidence_level", confidence_level)
    if n_resamples is not None:
        check_draws(n_resamples)
    return merge_votes(votes, chosen, n_resamples, confidence_level, seed_of(rng))


def merge_votes(
    votes: Votes,
    method: Method,
    n_resamples: int | None,
    confidence_level: float,
    seed: int,
    permutations: int = PERMUTATIONS,
) -> Consensus:
    """The same where all is settled. permutations: behind the p-value of the voters' agreement."""
    items = len(votes.items)
    refuse_items(items)  # who wins one against one is told whatever the method
    found = method.order(votes)
    count, said = (n_resamples, ()) if n_resamples is not None else affordable_draws(steps_of(method, votes), items)
    intervals = no_intervals(items, said)
    if count:
        intervals = rank_intervals(
            method,
            votes,
            found.ranks,
            n_resamples=count,
            confidence_level=confidence_level,
            width=width_of(method, votes),
            rng=as_generator([seed, 1]),
        )
    unranked = getattr(method, "unranked", "average")
    return Consensus(
        found=found,
        votes=votes,
        low=intervals.low,
        high=intervals.high,
        voters=agreement_of_voters(votes, found.ranks, n_resamples=permutations, rng=as_generator([seed, 2])),
        condorcet_winner=condorcet_winner(votes, unranked=unranked),
        smith_set=smith_set(votes, unranked=unranked),
        unranked=unranked,
        n_resamples=intervals.n_resamples,
        confidence_level=confidence_level,
        seed=seed,
        notes=tuple(dict.fromkeys([*votes.notes, *found.notes, *said, *intervals.notes])),
    )
