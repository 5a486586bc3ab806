"""Voting rules: points for places, majorities, chains of majorities."""

from __future__ import annotations

from rankscope.registry import TYPE_CHECKING, lazy_attributes

if TYPE_CHECKING:
    from rankscope.consensus.voting.borda import Borda as Borda
    from rankscope.consensus.voting.borda import MeanRankAggregation as MeanRankAggregation
    from rankscope.consensus.voting.condorcet import condorcet_loser as condorcet_loser
    from rankscope.consensus.voting.condorcet import condorcet_winner as condorcet_winner
    from rankscope.consensus.voting.condorcet import smith_set as smith_set
    from rankscope.consensus.voting.copeland import Copeland as Copeland
    from rankscope.consensus.voting.median_rank import MedianRankAggregation as MedianRankAggregation
    from rankscope.consensus.voting.ranked_pairs import RankedPairs as RankedPairs
    from rankscope.consensus.voting.robust_rank_aggregation import RobustRank as RobustRank
    from rankscope.consensus.voting.schulze import Schulze as Schulze

HOMES = {
    "Borda": "borda",
    "Copeland": "copeland",
    "MeanRankAggregation": "borda",
    "MedianRankAggregation": "median_rank",
    "RankedPairs": "ranked_pairs",
    "RobustRank": "robust_rank_aggregation",
    "Schulze": "schulze",
    "condorcet_loser": "condorcet",
    "condorcet_winner": "condorcet",
    "smith_set": "condorcet",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
