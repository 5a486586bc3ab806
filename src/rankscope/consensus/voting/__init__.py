"""Voting rules: points for places, majorities, chains of majorities."""

from __future__ import annotations

from rankscope.registry import TYPE_CHECKING, lazy_attributes

if TYPE_CHECKING:
    from rankscope.consensus.voting.condorcet import majority_winners as majority_winners

HOMES = {
    "majority_winners": "condorcet",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
