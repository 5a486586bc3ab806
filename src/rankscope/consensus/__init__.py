"""Many rankings and preferences into one order.

>>> import rankscope as rs
>>> found = rs.consensus.borda([["A", "B", "C"], ["A", "C", "B"], ["B", "A", "C"]])
>>> found.order, found.scores.tolist()
(('A', 'B', 'C'), [5.0, 3.0, 1.0])
"""

from __future__ import annotations

from rankscope.registry import lazy_attributes

#: Where each public name lives. Loaded when first asked for, so that no method is loaded for the sake of another.
HOMES = {
    "Borda": "positional",
    "Consensus": "merged",
    "Copeland": "majorities",
    "Footrule": "assignment",
    "Kemeny": "optimal",
    "Leaderboard": "board",
    "MC1": "chains",
    "MC2": "chains",
    "MC3": "chains",
    "MC4": "chains",
    "METHODS": "methods",
    "Mallows": "dispersion",
    "MeanRankAggregation": "positional",
    "MedianRankAggregation": "positional",
    "Method": "base",
    "Order": "base",
    "PlackettLuce": "worths",
    "QueryConsensus": "by_query",
    "RankedPairs": "locked_pairs",
    "RobustRank": "robust",
    "RunVotes": "run_votes",
    "Schulze": "widest_paths",
    "agreement_of_voters": "voters",
    "borda": "positional",
    "condorcet_loser": "majorities",
    "condorcet_winner": "majorities",
    "copeland": "majorities",
    "footrule": "assignment",
    "kemeny": "optimal",
    "leaderboard": "leaders",
    "mallows": "dispersion",
    "mc1": "chains",
    "mc2": "chains",
    "mc3": "chains",
    "mc4": "chains",
    "mean_rank": "positional",
    "median_rank": "positional",
    "merge_queries": "by_query",
    "merge_rankings": "merge",
    "merge_runs": "by_query",
    "plackett_luce": "worths",
    "plackett_luce_misfit": "misfit",
    "ranked_pairs": "locked_pairs",
    "robust_rank_aggregation": "robust",
    "robust_rank_pvalues": "robust",
    "sample_mallows": "samplers",
    "sample_plackett_luce": "samplers",
    "schulze": "widest_paths",
    "smith_set": "majorities",
    "vote_distances": "distances",
    "votes_of_runs": "run_votes",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
