"""Importance of features for a ranker that is trained already, on lists with grades."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rankscope.data.features import Features
from rankscope.data.grades import highest_grade
from rankscope.data.scores import summarise
from rankscope.errors import InputError, ParameterError
from rankscope.evaluation.conventions import Plan
from rankscope.experiments.crossvalidation import LINEAR_PREFIX, TORCH_PREFIX, FoldLists
from rankscope.experiments.crossvalidation.fold_values import plan_measures
from rankscope.experiments.crossvalidation.settings import no_relevant_field
from rankscope.experiments.permutation_importance import REPEATS, FeatureImportance, shuffled_values
from rankscope.io.letor import read_features
from rankscope.learning.features import match_features, negative_grade_notes
from rankscope.learning.lambdamart import parse_objective
from rankscope.measures.base import Measure
from rankscope.settings import Settings, count, grade_level, seed_field
from rankscope.stats.inputs import seed_of
from rankscope.typing import PathLike

__all__ = [
    "DEFAULT_MEASURE",
    "ImportanceSettings",
    "feature_importance",
    "importance_plan",
    "importance_with_plan",
]


DEFAULT_MEASURE = "nDCG@10"


@dataclass(frozen=True, kw_only=True)
class ImportanceSettings(Settings):
    """How the importance of features is computed; see `feature_importance`."""

    FUNCTIONS = ("rankscope.experiments:feature_importance",)
    COMMANDS = ("features importance",)

    repeats: int = count(REPEATS, help="How often each feature is shuffled.")
    rel: float = grade_level()
    no_relevant: str | None = no_relevant_field()
    seed: int = seed_field()


def importance_plan(measure: str | Measure, settings: ImportanceSettings) -> Plan:
    """The measure and its conventions. Raises UnknownName and ParameterError."""
    return plan_measures(measure, settings.rel, settings.no_relevant)


def feature_importance(
    ranker: Any,
    source: PathLike | Features,
    measure: str | Measure = DEFAULT_MEASURE,
    *,
    repeats: int = 3,
    rel: float = 1,
    no_relevant: str | None = None,
    rng: Any = 0,
    progress: Callable[[float], Any] | None = None,
) -> FeatureImportance:
    """By how much a measure becomes worse when the values of a feature are shuffled, for a trained ranker.

    Parameters
    ----------
    ranker
        The trained ranker: a `Ranker`, `TorchRanker` or `Blend`, as `load_ranker` reads it.
    source
        Lists with grades, which the ranker has not seen: a file, or `Features`.
    measure
        A measure. Default: nDCG@10.
    repeats
        How often each feature is shuffled. Default: 3.
    rel
        Lowest relevance that counts as relevant. Default: 1.
    no_relevant
        Queries without relevant documents: give them the value that the measure defines (zero), skip them (drop), or
        give them 1 (one). One of 'zero', 'drop', 'one'. Default: zero.
    rng
        Seed or `numpy.random.Generator`; None draws a new seed. The same seed gives the same results.
    progress
        Called with the share of the work just done.

    Returns
    -------
    FeatureImportance
        The mean drop over queries for each feature, with Student's 95 % interval.

    Raises
    ------
    InputError
        There are no grades, or the features are not those of the training.
    ParameterError
        The ranker is not fitted, or an argument is out of range.
    UnknownName
        The measure does not exist.

    Notes
    -----
    Each feature is shuffled among all documents of all queries. The interval is over queries, for this ranker;
    `cross_validate` with importance=True shows how the importance varies between rankers of several folds and seeds.
    For a measure that is no mean over queries, such as GMAP, there is no interval. Equal scores are ordered at random.

    References
    ----------
    Breiman (2001), section 10, with the measure in the place of the error.

    Examples
    --------
    >>> from rankscope.learning import Ranker
    >>> rng = np.random.default_rng(1)
    >>> X = rng.normal(size=(120, 2))
    >>> features = Features.of(X, (X[:, 0] > 0).astype(int), sizes=[6] * 20)
    >>> result = feature_importance(Ranker(hidden=()).fit(features), features, "RR")
    >>> [row[1] for row in result.records() if row[4] > 0]  # whose interval is above 0
    ['1']
    """
    settings = ImportanceSettings(repeats=repeats, rel=rel, no_relevant=no_relevant, seed=seed_of(rng))
    plan = importance_plan(measure, settings)
    if not hasattr(ranker, "feature_names_"):
        raise ParameterError(f"this {type(ranker).__name__} is not fitted; call fit first")
    features = source if isinstance(source, Features) else read_features(source)
    return importance_with_plan(ranker, match_features(features, ranker.feature_names_), plan, settings, progress)


def importance_with_plan(
    ranker: Any,
    features: Features,
    plan: Plan,
    settings: ImportanceSettings,
    progress: Callable[[float], Any] | None = None,
) -> FeatureImportance:
    """As `feature_importance`, of features in the order of the ranker, with measure and settings as objects."""
    if not features.graded:
        raise InputError(f"{features.name}: no grades, expected lists with grades to measure the ranking by; add them")
    measured = FoldLists([features], [features.name], plan, highest_grade(features.relevance))
    rng = np.random.default_rng([settings.seed, 1])  # the stream of a cross-validation
    values, shuffles = shuffled_values(ranker, features, measured.lists[0], plan, repeats=settings.repeats, rng=rng)
    name, measure = ranker_name(ranker), plan.measures[0]
    scores = ranker.predict(replace(features, order=None, where=None))
    setting_texts = {"ranker": name, "data": features.name, "repeats": str(settings.repeats), "rng": str(settings.seed)}
    fold_values = measured.measure({(0, 0, 0): scores}, (1, 1), setting_texts, (name,))
    is_mean, sign = measure.summary == "mean", -1.0 if measure.higher_is_better is False else 1.0
    defined = ~np.isnan(values)
    drops = np.zeros((int(defined.sum()) if is_mean else 1, len(features.names)))
    for j, shuffled in shuffles:
        if is_mean:
            drops[:, j] = sign * (values - shuffled.mean(axis=0))[defined]
        else:
            summaries = summarise(np.vstack([values, shuffled])[:, None], [measure.summary])[:, 0]
            drops[:, j] = sign * (summaries[0] - summaries[1:].mean())
        if progress is not None:
            progress(1 / len(features.names))
    return FeatureImportance(
        models=(name,),
        features=features.names,
        measure=plan.names[0],
        drops=(drops[None],),
        value=f"mean {plan.names[0]}" if is_mean else plan.names[0],
        change_verb="falls" if sign > 0 else "rises",
        cross_validation_parts=tuple(fold_values.scores.signature_parts()),
        units="queries",
        data_notes=(*features.notes, *negative_grade_notes(features), *fold_values.scores.notes),
    )


def ranker_name(ranker: Any) -> str:
    """The loss of a trained ranker, with the prefix of its kind; "blend" of a blend."""
    if ranker.kind == "blend":  # whose loss is that of its weights
        return "blend"
    loss = ranker.loss
    name = loss if isinstance(loss, str) else str(parse_objective(loss))
    if ranker.kind == "torch":
        return TORCH_PREFIX + name
    return LINEAR_PREFIX + name if ranker.kind == "network" and not ranker.hidden else name
