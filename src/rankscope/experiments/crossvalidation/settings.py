"""The settings of a cross-validation, and the rankers, measures and settings of one, checked together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rankscope.comparison.compare import TESTS, ComparisonSettings
from rankscope.errors import UnknownName
from rankscope.evaluation.conventions import NO_RELEVANT, Plan
from rankscope.experiments.crossvalidation.blends import BLEND_NAME, check_blend
from rankscope.experiments.crossvalidation.fold_values import plan_measures
from rankscope.experiments.crossvalidation.folds import DEFAULT_FOLDS, MIN_PARTS
from rankscope.experiments.crossvalidation.models import RankerModels
from rankscope.learning.blend import COMBINATIONS, BlendSettings
from rankscope.measures.base import Measure
from rankscope.settings import Settings, choice, count, grade_level, seed_field, switch, text

__all__ = [
    "AnalysisSettings",
    "CrossValidationSettings",
    "Experiment",
    "blend_choice",
    "no_relevant_field",
    "prepare_experiment",
]


def no_relevant_field() -> str | None:
    """What queries without relevant documents count where rankers are measured."""
    return choice(
        None,
        NO_RELEVANT,
        help="Queries without relevant documents: give them the value that the measure defines (zero), skip them "
        "(drop), or give them 1 (one).",
        unset="zero",
    )


@dataclass(frozen=True, kw_only=True)
class CrossValidationSettings(Settings):
    """How rankers are trained and tested on folds; see `cross_validate`. seed: the first of `seeds`."""

    FUNCTIONS = (
        "rankscope.experiments:cross_validate",
        "rankscope.experiments:search",
        "rankscope.experiments:ablate",
    )
    COMMANDS = ("crossvalidate",)

    folds: int | None = count(
        None,
        minimum=MIN_PARTS,
        help="Number of folds into which the queries of a single file are split at random.",
        unset=str(DEFAULT_FOLDS),
    )
    seeds: int = count(3, help="Number of times that each ranker is trained, each time from another random seed.")
    test: str = choice("t", TESTS, kind="test", help="Significance test of the differences between rankers.")
    rel: float = grade_level()
    no_relevant: str | None = no_relevant_field()
    seed: int = seed_field()


@dataclass(frozen=True, kw_only=True)
class AnalysisSettings(Settings):
    """What is made of the trained rankers of a cross-validation."""

    FUNCTIONS = ("rankscope.experiments:cross_validate", "rankscope.experiments:search")
    COMMANDS = ("crossvalidate",)

    baseline: str | None = text(
        None, metavar="LOSS", help="Compare each of the other rankers with this one.", unset="compare all pairs"
    )
    importance: bool = switch(False, help="Compute the permutation importance of each feature.")
    blend: str | None = choice(
        None,
        COMBINATIONS,
        flag="",
        help="Add a ranker that blends all rankers from all seeds.",
        python_help="Add a ranker 'blend' that combines all rankers from all seeds, as `rankscope.learning.Blend` "
        "does: 'average', 'stacked', or True for 'average'. Default: no blend.",
    )


def blend_choice(blend: str | bool | None) -> str | None:
    """The argument `blend` as its field has it: True is the default way to blend, False is no blend."""
    if isinstance(blend, bool):
        return BlendSettings.how if blend else None
    return blend


@dataclass(frozen=True, eq=False, kw_only=True)
class Experiment:
    """The rankers, the measures and the settings of a cross-validation, which fit together.

    Attributes
    ----------
    models
        The rankers, untrained.
    plan
        The measures and their conventions.
    settings
        The settings of the cross-validation.
    comparison
        The settings of the comparison of the rankers.
    blending
        The settings of the blend; None for no blend.
    importance
        Whether the importance of features is computed.
    """

    models: RankerModels
    plan: Plan
    settings: CrossValidationSettings
    comparison: ComparisonSettings
    blending: BlendSettings | None = None
    importance: bool = False

    @property
    def seed(self) -> int:
        """The first seed."""
        return self.settings.seed


def prepare_experiment(
    models: RankerModels,
    measures: str | Measure | Sequence[str | Measure] | None,
    settings: CrossValidationSettings,
    analysis: AnalysisSettings,
) -> Experiment:
    """Check what belongs together. Raises ParameterError and UnknownName."""
    blending = None
    if analysis.blend is not None:
        blending = BlendSettings(how=analysis.blend)
        check_blend(models.names, models.seed_independent, settings.seeds)
    ranker_names = (*models.names, *([BLEND_NAME] if blending is not None else []))
    if analysis.baseline is not None and analysis.baseline not in ranker_names:
        raise UnknownName("ranker", analysis.baseline, ranker_names, "; the baseline must be one of the rankers")
    comparison = ComparisonSettings(test=settings.test, baseline=analysis.baseline, seed=settings.seed)
    return Experiment(
        models=models,
        plan=plan_measures(measures, settings.rel, settings.no_relevant),
        settings=settings,
        comparison=comparison.with_family(measures),
        blending=blending,
        importance=analysis.importance,
    )
