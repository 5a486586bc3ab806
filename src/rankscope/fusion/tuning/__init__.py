"""Training of fusion: choice of methods and settings by judgments, learned parameters, their files."""

from __future__ import annotations

from rankscope.registry import TYPE_CHECKING, lazy_attributes

if TYPE_CHECKING:
    from rankscope.fusion.tuning.candidates import Candidate as Candidate
    from rankscope.fusion.tuning.candidates import TrainingSettings as TrainingSettings
    from rankscope.fusion.tuning.json_file import load_fusion as load_fusion
    from rankscope.fusion.tuning.json_file import save_fusion as save_fusion
    from rankscope.fusion.tuning.result import TrainedFusion as TrainedFusion
    from rankscope.fusion.tuning.training import train as train
    from rankscope.fusion.tuning.training import train_fusion as train_fusion

HOMES = {
    "Candidate": "candidates",
    "TrainedFusion": "result",
    "TrainingSettings": "candidates",
    "load_fusion": "json_file",
    "save_fusion": "json_file",
    "train": "training",
    "train_fusion": "training",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
