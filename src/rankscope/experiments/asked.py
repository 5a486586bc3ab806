"""What is asked of a cross-validation beside its rankers, checked before anything is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rankscope.comparison.compare import check_settings
from rankscope.comparison.methods import ComparisonSettings
from rankscope.errors import UnknownName
from rankscope.evaluation.conventions import Plan
from rankscope.experiments.blended import BLEND_NAME, BlendSettings, validate_blend
from rankscope.experiments.measured_folds import plan_measures
from rankscope.experiments.models import RankerModels
from rankscope.measures.base import Measure
from rankscope.stats.inputs import check_count, seed_of

__all__ = ["CrossValidationSettings", "validate_settings"]


@dataclass(frozen=True, kw_only=True)
class CrossValidationSettings:
    """Parameters of `cross_validate`, checked. seed: the first of `seeds`. plan: measures and conventions."""

    plan: Plan
    seeds: int
    seed: int
    baseline: str | None
    test: str
    importance: bool
    blending: BlendSettings | None


def validate_settings(
    models: RankerModels,
    measures: str | Measure | Sequence[str | Measure] | None,
    *,
    seeds: int,
    rng: Any,
    baseline: str | None = None,
    test: str = "t",
    importance: bool = False,
    blend: str | bool | None = None,
    rel: int = 1,
    no_relevant: str | None = None,
    workers: int = 1,
) -> CrossValidationSettings:
    """Raises ParameterError and UnknownName as `cross_validate` does."""
    check_count("seeds", seeds)
    seed = seed_of(rng)
    blending = validate_blend(blend, models.names, models.fixed, seeds)
    named = (*models.names, *([BLEND_NAME] if blending is not None else []))
    if baseline is not None and baseline not in named:
        raise UnknownName("ranker", str(baseline), named, "; it was asked for as the baseline")
    if workers != 1:
        models.check_sending()
    check_settings(ComparisonSettings(test=test, seed=seed), baseline)
    plan = plan_measures(measures, rel, no_relevant)
    return CrossValidationSettings(
        plan=plan, seeds=seeds, seed=seed, baseline=baseline, test=test, importance=importance, blending=blending
    )
