"""Cross-validation of rankers over the folds of a data set."""

from __future__ import annotations

from rankscope.registry import TYPE_CHECKING, lazy_attributes

if TYPE_CHECKING:
    from rankscope.experiments.crossvalidation.blends import untrained_blend as untrained_blend
    from rankscope.experiments.crossvalidation.fold_task import FoldResult as FoldResult
    from rankscope.experiments.crossvalidation.fold_task import FoldTask as FoldTask
    from rankscope.experiments.crossvalidation.fold_task import run_fold_task as run_fold_task
    from rankscope.experiments.crossvalidation.fold_values import DEFAULT_MEASURES as DEFAULT_MEASURES
    from rankscope.experiments.crossvalidation.fold_values import FoldLists as FoldLists
    from rankscope.experiments.crossvalidation.fold_values import FoldValues as FoldValues
    from rankscope.experiments.crossvalidation.folds import Fold as Fold
    from rankscope.experiments.crossvalidation.folds import FoldSet as FoldSet
    from rankscope.experiments.crossvalidation.folds import join_features as join_features
    from rankscope.experiments.crossvalidation.folds import read_folds as read_folds
    from rankscope.experiments.crossvalidation.folds import source_files as source_files
    from rankscope.experiments.crossvalidation.models import LINEAR_PREFIX as LINEAR_PREFIX
    from rankscope.experiments.crossvalidation.models import TORCH_PREFIX as TORCH_PREFIX
    from rankscope.experiments.crossvalidation.models import RankerModels as RankerModels
    from rankscope.experiments.crossvalidation.models import parse_rankers as parse_rankers
    from rankscope.experiments.crossvalidation.models import ranker_models as ranker_models
    from rankscope.experiments.crossvalidation.result import CrossValidation as CrossValidation
    from rankscope.experiments.crossvalidation.result import value_label as value_label
    from rankscope.experiments.crossvalidation.run import cross_validate as cross_validate
    from rankscope.experiments.crossvalidation.run import cross_validate_experiment as cross_validate_experiment
    from rankscope.experiments.crossvalidation.run import cross_validate_folds as cross_validate_folds
    from rankscope.experiments.crossvalidation.run import task_keys as task_keys
    from rankscope.experiments.crossvalidation.settings import AnalysisSettings as AnalysisSettings
    from rankscope.experiments.crossvalidation.settings import CrossValidationSettings as CrossValidationSettings
    from rankscope.experiments.crossvalidation.settings import Experiment as Experiment
    from rankscope.experiments.crossvalidation.settings import blend_choice as blend_choice
    from rankscope.experiments.crossvalidation.settings import prepare_experiment as prepare_experiment

HOMES = {
    "AnalysisSettings": "settings",
    "Experiment": "settings",
    "blend_choice": "settings",
    "prepare_experiment": "settings",
    "cross_validate_experiment": "run",
    "CrossValidation": "result",
    "CrossValidationSettings": "settings",
    "DEFAULT_MEASURES": "fold_values",
    "Fold": "folds",
    "FoldLists": "fold_values",
    "FoldResult": "fold_task",
    "FoldTask": "fold_task",
    "FoldSet": "folds",
    "FoldValues": "fold_values",
    "LINEAR_PREFIX": "models",
    "RankerModels": "models",
    "TORCH_PREFIX": "models",
    "cross_validate": "run",
    "cross_validate_folds": "run",
    "join_features": "folds",
    "parse_rankers": "models",
    "read_folds": "folds",
    "run_fold_task": "fold_task",
    "source_files": "folds",
    "task_keys": "run",
    "untrained_blend": "blends",
    "ranker_models": "models",
    "value_label": "result",
}

__all__ = sorted(HOMES)

__getattr__, __dir__ = lazy_attributes(__name__, HOMES)
