"""Leaderboards: ratings of systems from preferences."""

from __future__ import annotations

from rankscope.registry import TYPE_CHECKING, lazy_attributes

if TYPE_CHECKING:
    from rankscope.consensus.leaderboards.data import LeaderboardData as LeaderboardData
    from rankscope.consensus.leaderboards.data import column_of as column_of
    from rankscope.consensus.leaderboards.fit import FEWEST as FEWEST
    from rankscope.consensus.leaderboards.fit import INTERVALS as INTERVALS
    from rankscope.consensus.leaderboards.fit import MODELS as MODELS
    from rankscope.consensus.leaderboards.fit import SCALES as SCALES
    from rankscope.consensus.leaderboards.fit import UNRANKED_CHOICES as UNRANKED_CHOICES
    from rankscope.consensus.leaderboards.fit import leaderboard as leaderboard
    from rankscope.consensus.leaderboards.result import Leaderboard as Leaderboard

HOMES = {
    "FEWEST": "fit",
    "INTERVALS": "fit",
    "UNRANKED_CHOICES": "fit",
    "Leaderboard": "result",
    "LeaderboardData": "data",
    "MODELS": "fit",
    "SCALES": "fit",
    "column_of": "data",
    "leaderboard": "fit",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
