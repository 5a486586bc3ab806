"""Interleaving and multileaving of runs: team draft, balanced, probabilistic, optimised."""

from __future__ import annotations

from rankscope.registry import TYPE_CHECKING, lazy_attributes

if TYPE_CHECKING:
    from rankscope.online.interleaving.interleaved_runs import Interleaving as Interleaving
    from rankscope.online.interleaving.interleaved_runs import interleave as interleave
    from rankscope.online.interleaving.interleaved_runs import interleave_runs as interleave_runs
    from rankscope.online.interleaving.ranked_lists import NO_DOCUMENT as NO_DOCUMENT
    from rankscope.online.interleaving.ranked_lists import RankedLists as RankedLists
    from rankscope.online.interleaving.ranked_lists import rank_runs as rank_runs
    from rankscope.online.interleaving.settings import METHODS as METHODS
    from rankscope.online.interleaving.settings import InterleavingSettings as InterleavingSettings

HOMES = {
    "METHODS": "settings",
    "NO_DOCUMENT": "ranked_lists",
    "Interleaving": "interleaved_runs",
    "InterleavingSettings": "settings",
    "RankedLists": "ranked_lists",
    "interleave": "interleaved_runs",
    "interleave_runs": "interleaved_runs",
    "rank_runs": "ranked_lists",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
