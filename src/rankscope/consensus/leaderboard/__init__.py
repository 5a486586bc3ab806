"""Leaderboards: ratings of systems from preferences."""

from __future__ import annotations

from rankscope.registry import TYPE_CHECKING, lazy_attributes

if TYPE_CHECKING:
    from rankscope.consensus.leaderboard.data import LeaderboardData as LeaderboardData
    from rankscope.consensus.leaderboard.data import column_of as column_of
    from rankscope.consensus.leaderboard.fit import fit_leaderboard as fit_leaderboard
    from rankscope.consensus.leaderboard.fit import leaderboard as leaderboard
    from rankscope.consensus.leaderboard.result import Leaderboard as Leaderboard
    from rankscope.consensus.leaderboard.settings import LeaderboardSettings as LeaderboardSettings

HOMES = {
    "Leaderboard": "result",
    "LeaderboardData": "data",
    "LeaderboardSettings": "settings",
    "column_of": "data",
    "fit_leaderboard": "fit",
    "leaderboard": "fit",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
