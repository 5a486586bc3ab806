"""Random search for settings of rankers: spaces, trials and their log, the result."""

from __future__ import annotations

from rankscope.registry import TYPE_CHECKING, lazy_attributes

if TYPE_CHECKING:
    from rankscope.experiments.random_search.result import Search as Search
    from rankscope.experiments.random_search.run import SearchSettings as SearchSettings
    from rankscope.experiments.random_search.run import search as search
    from rankscope.experiments.random_search.run import search_experiment as search_experiment
    from rankscope.experiments.random_search.spaces import SPACES as SPACES
    from rankscope.experiments.random_search.trial_log import SearchLog as SearchLog
    from rankscope.experiments.random_search.trial_log import Trial as Trial

HOMES = {
    "SPACES": "spaces",
    "Search": "result",
    "SearchLog": "trial_log",
    "SearchSettings": "run",
    "Trial": "trial_log",
    "search": "run",
    "search_experiment": "run",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
