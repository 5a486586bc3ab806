"""The experiment of Li, Jiang and Wang (2013): metrics learned from people's rankings, tested on WMT12."""

from __future__ import annotations

from rankscope.registry import TYPE_CHECKING, lazy_attributes

if TYPE_CHECKING:
    from rankscope.translation.experiment.feature_tables import FEATURE_SETS as FEATURE_SETS
    from rankscope.translation.experiment.protocols import PROTOCOLS as PROTOCOLS
    from rankscope.translation.experiment.result import TranslationExperiment as TranslationExperiment
    from rankscope.translation.experiment.result import lines_of_tests as lines_of_tests
    from rankscope.translation.experiment.result import score_lines as score_lines
    from rankscope.translation.experiment.run import run_experiment as run_experiment
    from rankscope.translation.experiment.run import translation_experiment as translation_experiment
    from rankscope.translation.experiment.settings import ExperimentSettings as ExperimentSettings
    from rankscope.translation.experiment.training import LOSSES as LOSSES
    from rankscope.translation.experiment.wmt_campaigns import PAIRS as PAIRS

HOMES = {
    "ExperimentSettings": "settings",
    "FEATURE_SETS": "feature_tables",
    "LOSSES": "training",
    "PAIRS": "wmt_campaigns",
    "PROTOCOLS": "protocols",
    "TranslationExperiment": "result",
    "lines_of_tests": "result",
    "run_experiment": "run",
    "score_lines": "result",
    "translation_experiment": "run",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
