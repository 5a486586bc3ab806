"""Best orders under a distance between rankings."""

from __future__ import annotations

from rankscope.registry import TYPE_CHECKING, lazy_attributes

if TYPE_CHECKING:
    from rankscope.consensus.optimal.held_karp import HELD_KARP_ITEMS as HELD_KARP_ITEMS
    from rankscope.consensus.optimal.kemeny import Kemeny as Kemeny

HOMES = {
    "HELD_KARP_ITEMS": "held_karp",
    "Kemeny": "kemeny",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
