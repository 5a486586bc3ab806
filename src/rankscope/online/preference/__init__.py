"""Which of several interleaved systems users prefer, by their clicks."""

from __future__ import annotations

from rankscope.registry import TYPE_CHECKING, lazy_attributes

if TYPE_CHECKING:
    from rankscope.online.preference.inference import interleaving_test as interleaving_test
    from rankscope.online.preference.inference import run_interleaving_test as run_interleaving_test
    from rankscope.online.preference.result import InterleavingTest as InterleavingTest
    from rankscope.online.preference.settings import CLUSTERS as CLUSTERS
    from rankscope.online.preference.settings import InterleavingTestSettings as InterleavingTestSettings
    from rankscope.online.preference.view import pluralise_clusters as pluralise_clusters

HOMES = {
    "CLUSTERS": "settings",
    "InterleavingTest": "result",
    "InterleavingTestSettings": "settings",
    "interleaving_test": "inference",
    "pluralise_clusters": "view",
    "run_interleaving_test": "inference",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
