"""Consensus of rankings, and leaderboards from preferences (`rankscope.leaderboard`).

A method is a subclass of `Method` (`base`) in `voting`, `optimal` or `models`; `registry` lists all. `merge` computes
what a result shows whatever the method: order, intervals, agreement of the voters.

>>> import rankscope as rs
>>> result = rs.consensus.Borda().order([["A", "B", "C"], ["A", "C", "B"], ["B", "A", "C"]])
>>> result.order, result.scores.tolist()
(('A', 'B', 'C'), [5.0, 3.0, 1.0])
"""

from __future__ import annotations

from rankscope.registry import lazy_attributes

#: Where each public name lives. Loaded when first asked for, so that no method is loaded for the sake of another.
HOMES = {
    "Borda": "voting.borda",
    "Consensus": "merge",
    "Copeland": "voting.copeland",
    "Footrule": "optimal.footrule",
    "Kemeny": "optimal.kemeny",
    "MC1": "models.markov_chains",
    "MC2": "models.markov_chains",
    "MC3": "models.markov_chains",
    "MC4": "models.markov_chains",
    "METHODS": "registry",
    "Mallows": "models.mallows",
    "MeanRankAggregation": "voting.borda",
    "MedianRankAggregation": "voting.median_rank",
    "Method": "base",
    "Order": "base",
    "PlackettLuce": "models.plackett_luce",
    "QueryConsensus": "by_query",
    "RankedPairs": "voting.ranked_pairs",
    "RobustRank": "voting.robust_rank_aggregation",
    "RunVotes": "run_votes",
    "Schulze": "voting.schulze",
    "agreement_of_voters": "voter_agreement",
    "condorcet_loser": "voting.condorcet",
    "condorcet_winner": "voting.condorcet",
    "merge_queries": "by_query",
    "merge_rankings": "merge",
    "merge_runs": "by_query",
    "sample_mallows": "models.mallows",
    "sample_plackett_luce": "models.plackett_luce",
    "smith_set": "voting.condorcet",
    "vote_distances": "voter_agreement",
    "votes_of_runs": "run_votes",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
