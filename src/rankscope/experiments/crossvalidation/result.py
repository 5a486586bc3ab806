"""The result of a cross-validation: values by ranker and fold, tests between rankers, and the size of noise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.comparison.compare import Comparison
from rankscope.data.result import Result
from rankscope.data.text import join_names, pluralise
from rankscope.experiments.crossvalidation.blends import BlendComposition
from rankscope.experiments.crossvalidation.fold_values import FoldValues
from rankscope.experiments.permutation_importance import FeatureImportance
from rankscope.kernels.rounding_ties import order_of
from rankscope.stats.distributions import special
from rankscope.stats.intervals import t_interval
from rankscope.typing import Floats

if TYPE_CHECKING:
    from rankscope.comparison.compare import MeasureComparison

__all__ = [
    "CrossValidation",
    "Noise",
    "noise_of_means",
    "noise_of_pairs",
    "seeds_note",
]


class Noise(NamedTuple):
    """(pairs) the difference of two means that chance alone can make: by queries, seeds (NaN: unknown), both."""

    queries: Floats
    seeds: Floats
    both: Floats


def noise_of_means(differences: Floats, deviation: Floats, *, seeds: int, alpha: float = 0.05) -> Noise:
    """The distances that two equally good rankers exceed in a share `alpha` of experiments.

    Parameters
    ----------
    differences
        The differences of the values of two rankers, each the mean over seeds, (pairs, queries).
    deviation
        The standard deviation over seeds of either's mean, (2, pairs): 0 for a ranker that is the same for all seeds,
        NaN if it is unknown.
    seeds
        Number of seeds, k.
    alpha
        The share of experiments.

    Returns
    -------
    Noise
        The distances by queries, by seeds and by both, (pairs). NaN for a pair that never differs, or always by the
        same; if the deviation is unknown, both is that of queries.

    Notes
    -----
    queries: t s / sqrt(n), s the standard deviation of the n differences, t Student's with n - 1 degrees of freedom.
    seeds: t sqrt(v / k + w / k) of the variances v and w over seeds. both: t sqrt(s^2 / n + v / k + w / k). There, t
    has as many degrees of freedom as such a sum of variances: a variance of 2 or 3 seeds is itself hardly known, so t
    is larger. The share is met well from 3 seeds on (2 to 6 % where it should be 5 %), and roughly with 2 (2 to 9 %).

    References
    ----------
    Welch (1947); Satterthwaite (1946), equation 17, for the degrees of freedom.

    Examples
    --------
    >>> found = noise_of_means(np.array([[0.1, 0.2, 0.0, 0.3]]), np.array([[0.1], [0.0]]), seeds=2)
    >>> found.queries.round(4), found.seeds.round(4)  # 3.182 * .1291 / 2; 12.706 * .1 / sqrt(2)
    (array([0.2054]), array([0.8985]))
    """
    n = differences.shape[1]
    constant = t_interval(differences).degenerate
    query_variance = np.where(constant, np.nan, differences.var(axis=1, ddof=1) / n if n > 1 else np.nan)
    seed_variances = deviation**2 / seeds
    has_seeds = ~np.isnan(seed_variances).any(axis=0)
    variances = np.vstack([query_variance, np.where(has_seeds, seed_variances, 0.0)])
    freedom = np.array([[n - 1.0], [seeds - 1.0], [seeds - 1.0]])
    return Noise(
        queries=threshold(variances[:1], freedom[:1], alpha),
        seeds=np.where(has_seeds & ~constant, threshold(variances[1:], freedom[1:], alpha), np.nan),
        both=threshold(variances, freedom, alpha),
    )


def threshold(variances: Floats, freedom: Floats, alpha: float) -> Floats:
    """(pairs) t times the root of the sum of variances, (terms, pairs); 0 where all are 0. freedom: (terms, 1)."""
    total = variances.sum(axis=0)
    denominator = np.divide(variances**2, freedom, out=np.zeros_like(variances), where=freedom > 0).sum(axis=0)
    positive = denominator > 0
    degrees = np.divide(total**2, denominator, out=np.full_like(total, np.inf), where=positive)
    t = special().stdtrit(np.where(positive, degrees, 1.0), 1 - alpha / 2)
    return np.asarray(np.where(np.isnan(total), np.nan, np.where(positive, t, 0.0) * np.sqrt(total)))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class CrossValidation(Result):
    """Rankers (models) tested on every fold, each trained from several seeds, as `cross_validate` returns it.

    The tidy table has the columns model, fold ("all" for the queries of all folds), part ("test", "valid"), measure,
    value.

    Attributes
    ----------
    models
        The names of the rankers.
    folds
        The names of the folds.
    test, valid
        Values on the test lists and on the validation lists; `test.scores` are `Scores`, for `rankscope.compare` and
        all other analyses.
    fixed
        Whether all seeds give the same ranker, for each model.
    comparison
        The comparison of all models on all test queries; None for a single model.
    curves
        The measure of early stopping by epoch, for each model and fold, from the first seed.
    stop_on
        The measure of early stopping of each model.
    best_epochs
        (seeds, models, folds) the best epoch; NaN for a blend.
    seconds
        (seeds, models, folds) CPU time of training; for a blend that of all parts.
    at_end
        Whether the last epoch was ever the best, for each model.
    feature_names
        The names of the features.
    importance
        (seeds times folds, models, features) the loss of the first measure when a feature is shuffled, NaN for a blend;
        None if it was not computed.
    grades
        The grades of the test lists, in rising order; the lowest of each bin if they are many fractions.
    grades_are_bins
        Whether they are bins.
    rank_counts
        (models, grades, ranges of ranks) the number of documents of each grade in each range, the mean over seeds.
    data_notes
        Notes on the data.
    blend
        The composition of the last model, if it is a blend of the others.
    """

    #: The view of the result.
    VIEW = "rankscope.experiments.crossvalidation.view:crossvalidation_sections"
    COLUMNS = ("model", "fold", "part", "measure", "value")

    models: tuple[str, ...]
    folds: tuple[str, ...]
    test: FoldValues
    valid: FoldValues
    fixed: tuple[bool, ...]
    comparison: Comparison | None
    curves: tuple[tuple[tuple[float, ...], ...], ...]
    stop_on: tuple[str, ...]
    best_epochs: Floats
    seconds: Floats
    at_end: npt.NDArray[np.bool_]
    feature_names: tuple[str, ...]
    importance: Floats | None
    grades: tuple[float, ...]
    rank_counts: Floats
    data_notes: tuple[str, ...] = ()
    blend: BlendComposition | None = None
    grades_are_bins: bool = False

    def records(self) -> Iterator[tuple[Any, ...]]:
        """A row a model, fold, part and measure; NaN where no query of the fold has a value."""
        parts = (("test", self.test), ("valid", self.valid))
        tables = {
            fold: [
                (part, (fold_values.overall if k == len(self.folds) else fold_values.of_fold(k)))
                for part, fold_values in parts
            ]
            for k, fold in enumerate((*self.folds, "all"))
        }
        for m, model in enumerate(self.models):
            for fold, values in tables.items():
                for part, table in values:
                    for name, value in zip(self.measures, table[m].tolist(), strict=True):
                        yield model, fold, part, name, value

    @property
    def measures(self) -> tuple[str, ...]:
        """The names of the measures."""
        return self.test.scores.measure_names

    @property
    def seeds(self) -> int:
        """From how many seeds each was trained."""
        return len(self.test.by_seed)

    @property
    def order(self) -> tuple[int, ...]:
        """The models, the best by the first measure first."""
        means = self.test.overall[:, 0]
        return tuple(order_of(-self.test.scores.sign(self.measures[0]) * means).tolist())

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know: of the data, of the training, and of the comparison."""
        notes = [*self.data_notes]
        fixed_names = [name for name, is_fixed in zip(self.models, self.fixed, strict=True) if is_fixed]
        if fixed_names and self.seeds > 1:
            notes.append(f"{join_names(fixed_names)}: all seeds give the same ranker, which was trained once per fold")
        unfinished_names = [name for name, at_end in zip(self.models, self.at_end, strict=True) if at_end]
        if unfinished_names:
            notes.append(
                f"{join_names(unfinished_names)}: the last epoch was the best at least once; more epochs may be better"
            )
        notes += seeds_note(self)
        comparison_notes = self.comparison.notes if self.comparison is not None else self.test.scores.notes
        return tuple(dict.fromkeys((*notes, *comparison_notes)))

    @property
    def feature_importance(self) -> FeatureImportance | None:
        """What features are worth, the best ranker first, a blend left out; None where nobody asked."""
        if self.importance is None:
            return None
        model_indices = [m for m in self.order if not np.isnan(self.importance[:, m]).any()]
        drops = self.importance.reshape(self.seeds, len(self.folds), len(self.models), -1)
        return FeatureImportance(
            models=tuple(self.models[m] for m in model_indices),
            features=self.feature_names,
            measure=self.measures[0],
            drops=tuple(drops[:1, :, m] if self.fixed[m] else drops[:, :, m] for m in model_indices),
            value=value_label(self),
            change_verb="falls" if self.test.scores.sign(self.measures[0]) > 0 else "rises",
            cross_validation_parts=tuple(self.signature_parts()),
        )

    def signature_parts(self) -> list[str]:
        signature = self.test.scores.signature() if self.comparison is None else self.comparison.signature()
        return signature.split(" | ")[:-1]

    def contents(self) -> str:
        """What it holds, in a few words."""
        contents = f"{pluralise(len(self.models), 'model')}, {pluralise(len(self.folds), 'fold')}"
        return f"{contents}, {pluralise(self.seeds, 'seed')}, {pluralise(len(self.measures), 'measure')}"


def seeds_note(result: CrossValidation) -> list[str]:
    """A note on pairs with a significant difference that queries and seeds together can make by chance."""
    doubtful_pairs = [
        f"{comparison.systems[comparison.first[i]]} and {comparison.systems[comparison.second[i]]} "
        f"({comparison.measure})"
        for comparison in (result.comparison.comparisons if result.comparison is not None else ())
        for i in np.flatnonzero(
            (comparison.decisions != 0) & within_noise(noise_of_pairs(result, comparison), comparison)
        ).tolist()
    ]
    if not doubtful_pairs:
        return []
    return [
        f"{join_names(doubtful_pairs)}: significant in the test, where only the queries are random, but not if the "
        "training seeds are random as well; use more seeds"
    ]


def within_noise(noise: Noise, comparison: MeasureComparison) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """(pairs) whether the difference is within the noise of queries and seeds."""
    return np.asarray((noise.seeds > 0) & (np.abs(comparison.difference) < noise.both))


def value_label(result: CrossValidation) -> str:
    """The first measure's value over all queries, in a sentence: "mean AP"; of GMAP, which is no mean, itself."""
    return f"mean {result.measures[0]}" if result.test.kinds[0] == "mean" else result.measures[0]


def noise_of_pairs(result: CrossValidation, comparison: MeasureComparison) -> Noise:
    """The noise of each pair; see `noise_of_means`.

    That of seeds is known for measures that are means, with two or more seeds or where seeds change no ranker.
    """
    differences = comparison.measure_values.differences(comparison.first, comparison.second)
    measure_index = result.test.scores.place_of(comparison.measure)
    deviation = np.full(len(result.models), np.nan)
    if result.test.kinds[measure_index] == "mean" and (result.seeds > 1 or all(result.fixed)):
        deviation = np.where(result.fixed, 0.0, np.nan_to_num(result.test.deviation[:, measure_index]))
    pair_deviations = np.stack([deviation[comparison.first], deviation[comparison.second]])
    return noise_of_means(differences, pair_deviations, seeds=result.seeds, alpha=comparison.alpha)
