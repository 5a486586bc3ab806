"""Ablation: the loss of a ranker that is trained without groups of features."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.comparison.compare import MeasureComparison
from rankscope.data.columns import column, digits, interval, table_of
from rankscope.data.features import Features
from rankscope.data.result import Result
from rankscope.data.section import Section
from rankscope.data.text import format_number, format_p_cell, format_percent, join_names, pluralise
from rankscope.errors import ParameterError, UnknownName
from rankscope.experiments.crossvalidation import (
    AnalysisSettings,
    CrossValidation,
    CrossValidationSettings,
    Experiment,
    RankerModels,
    cross_validate_folds,
    parse_rankers,
    prepare_experiment,
    read_folds,
    value_label,
)
from rankscope.kernels.rounding_ties import order_of
from rankscope.learning.ranker import Ranker
from rankscope.measures.base import Measure
from rankscope.stats.inputs import seed_of
from rankscope.typing import Floats, PathLike

__all__ = [
    "FeatureAblation",
    "ablate",
    "ablate_experiment",
    "feature_groups",
    "parse_group",
    "prepare_ablation",
]


NUMBER_SPAN = re.compile(r"(\d+)-(\d+)")
FORM = "expected NAME=FEATURE,..., as bm25=1-5,7 or titles=title*,url"
#: Limit of a span of numbers.
MAX_FEATURES = 1_000_000


def parse_group(text: str) -> tuple[str, tuple[str, ...]]:
    """The name of a group, and what it is made of: features, spans of numbers, beginnings of names with a star.

    One beginning alone needs no name. Raises ParameterError for another form.

    >>> parse_group("bm25=1-3,7"), parse_group("title_*")
    (('bm25', ('1-3', '7')), ('title_', ('title_*',)))
    """
    if not isinstance(text, str):
        raise ParameterError(f"cannot read the group {text!r}; {FORM}")
    name, equals, members_text = text.partition("=")
    if not equals:
        name, members_text = text.removesuffix("*"), text
        if not text.endswith("*") or not name:
            raise ParameterError(f"cannot read the group {text!r}; {FORM}")
    members = tuple(member.strip() for member in members_text.split(","))
    if not name.strip() or not all(members):
        raise ParameterError(f"cannot read the group {text!r}; {FORM}")
    return name.strip(), members


def feature_groups(
    groups: Mapping[str, Sequence[str]] | Sequence[str], names: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """The features of each group, in the order of all names. groups: texts, or features by the name of the group.

    Raises UnknownName for an unknown feature, ParameterError for a group that occurs twice, begins no name, holds all
    features or none, and for what is no text.
    """
    if isinstance(groups, str):
        groups = [groups]
    if not isinstance(groups, (Mapping, Sequence)):
        raise ParameterError(f"cannot read the groups {groups!r}; {FORM}")
    named_groups = list(groups.items()) if isinstance(groups, Mapping) else [parse_group(text) for text in groups]
    if not named_groups:
        raise ParameterError(f"no group of features to remove; {FORM}")
    features_of_group: dict[str, tuple[str, ...]] = {}
    for group, members in named_groups:
        if group in features_of_group:
            raise ParameterError(f"the group {group!r} was given twice, expected each once")
        texts = [members] if isinstance(members, str) else members
        if not isinstance(texts, Sequence) or not texts or not all(isinstance(text, str) for text in texts):
            raise ParameterError(f"the group {group!r} is {members!r}, expected names of features, as ['1', 'title*']")
        selected = {feature for text in texts for feature in matching_features(text, names)}
        features_of_group[group] = tuple(feature for feature in names if feature in selected)
        if len(features_of_group[group]) == len(names):
            raise ParameterError(
                f"the group {group!r} holds {'both' if len(names) == 2 else f'all {len(names)}'} features, and nothing "
                "can be learned without them; remove some from it"
            )
    return features_of_group


def matching_features(text: str, names: Sequence[str]) -> Sequence[str]:
    """The features that a member of a group names: a name, a prefix with a star, or a span of numbers."""
    if text in names:
        return (text,)
    if text.endswith("*"):
        matches = [name for name in names if name.startswith(text[:-1])]
        if not matches:
            raise UnknownName("beginning of a feature's name", text, names)
        return matches
    span = NUMBER_SPAN.fullmatch(text)
    if span is None:
        raise UnknownName("feature", text, names)
    first, last = int(span[1]), int(span[2])
    if first > last or last - first > MAX_FEATURES:
        raise ParameterError(
            f"{text} is not a range of {pluralise(len(names), 'feature')}; give the lower number first"
        )
    matches = [str(i) for i in range(first, last + 1)]
    for name in matches:
        if name not in names:
            raise UnknownName("feature", name, names)
    return matches


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class FeatureAblation(Result):
    """By how much a ranker is worse without groups of features, as `ablate` returns it.

    The tidy table has the columns model, group, features (their number), measure, with (the value with all features),
    without, lost (above 0: worse without), low and high (of lost), pvalue, pvalue_corrected.

    Attributes
    ----------
    model
        The name of the ranker.
    groups
        The features of each group.
    cross_validation
        The cross-validation of the ranker with all features and without each group.
    names
        The names of the rankers without a group, in the order of the groups.
    """

    COLUMNS = (
        *("model", "group", "features", "measure", "with", "without"),
        *("lost", "low", "high", "pvalue", "pvalue_corrected"),
    )

    model: str
    groups: Mapping[str, tuple[str, ...]]
    cross_validation: CrossValidation
    names: tuple[str, ...]

    def records(self) -> Iterator[tuple[Any, ...]]:
        """A row a measure and group, in the order in which they were given."""
        for comparison in self.comparisons:
            lost, low, high, pair_index = self.losses_and_intervals(comparison)
            for g, (group, features) in enumerate(self.groups.items()):
                i = int(pair_index[g])
                means = (float(comparison.means[0]), float(comparison.means[g + 1]))
                losses = (float(lost[g]), float(low[g]), float(high[g]))
                pvalues = (float(comparison.pvalue[i]), float(comparison.pvalue_corrected[i]))
                yield self.model, group, len(features), comparison.measure, *means, *losses, *pvalues

    @property
    def comparisons(self) -> Sequence[MeasureComparison]:
        """The comparison with the full ranker, by measure."""
        assert self.cross_validation.comparison is not None  # there are at least two rankers
        return self.cross_validation.comparison.comparisons

    def losses_and_intervals(
        self, comparison: MeasureComparison
    ) -> tuple[Floats, Floats, Floats, npt.NDArray[np.int64]]:
        """The losses by group, the lower and the upper ends of their intervals, and the indices of the pairs.

        Parameters
        ----------
        comparison
            The comparison by one measure.

        Returns
        -------
        tuple of arrays of shape (groups)
            The losses, their lower and upper ends, and the index of each pair in the comparison.
        """
        pair_index = np.array([comparison.pair_index(0, g + 1) for g in range(len(self.groups))])
        sign = np.where(comparison.first[pair_index] == 0, 1.0, -1.0) * comparison.measure_values.sign
        interval = np.stack([sign * comparison.low[pair_index], sign * comparison.high[pair_index]])
        return sign * comparison.difference[pair_index], interval.min(axis=0), interval.max(axis=0), pair_index

    def lost(self, measure: object) -> Floats:
        """By how much the mean is worse without each group.

        Parameters
        ----------
        measure
            The measure.

        Returns
        -------
        array of shape (groups)
            The losses, above 0 if the ranker is worse without the group.

        Raises
        ------
        UnknownName
            The measure is unknown.
        """
        assert self.cross_validation.comparison is not None
        return self.losses_and_intervals(self.cross_validation.comparison[measure])[0]

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know."""
        return self.cross_validation.notes

    def signature_parts(self) -> list[str]:
        groups = " ".join(f"{name}[{','.join(features)}]" for name, features in self.groups.items())
        return [*self.cross_validation.signature_parts(), f"groups:{groups}"]

    def sections(self) -> Sequence[Section]:
        """A table a measure, the largest loss first."""
        return [self.section(comparison, m) for m, comparison in enumerate(self.comparisons)]

    def section(self, comparison: MeasureComparison, position: int) -> Section:
        """The table of one measure, the largest loss first.

        Parameters
        ----------
        comparison
            The comparison by this measure.
        position
            Its index among the measures; only the first one has a sentence and is not folded.
        """
        lost, low, high, pair_index = self.losses_and_intervals(comparison)
        order = order_of(-lost, comparison.measure_values.scale)
        groups = [list(self.groups)[g] for g in order.tolist()]
        table = table_of(
            column("without", groups, name=True),
            column("features", [len(self.groups[group]) for group in groups]),
            column(comparison.measure, comparison.means[order + 1], digits()),
            column("lost", lost[order], digits()),
            column(
                f"{format_percent(1 - comparison.alpha)} interval",
                zip(low[order], high[order], strict=True),
                interval(),
            ),
            column("p", comparison.pvalue_corrected[pair_index[order]], format_p_cell),
        )
        return Section(
            title=f"{self.model}: {comparison.measure} without groups of features",
            sentence=self.sentence(comparison) if position == 0 else "",
            table=table,
            notes=("lost: above 0 if the ranker is worse without the group; p: corrected for the number of groups",),
            folded=position > 0,
        )

    def sentence(self, comparison: MeasureComparison) -> str:
        """Which groups make a significant difference.

        Parameters
        ----------
        comparison
            The comparison by one measure.
        """
        groups = list(self.groups)
        worse = [group for g, group in enumerate(groups) if comparison.beats[0, g + 1]]
        better = [group for g, group in enumerate(groups) if comparison.beats[g + 1, 0]]
        undecided = [group for group in groups if group not in worse and group not in better]
        clauses = [
            f"With all {pluralise(len(self.cross_validation.feature_names), 'feature')} {self.model} has a "
            f"{value_label(self.cross_validation)} of {format_number(float(comparison.means[0]))} on the test lists"
        ]
        clauses += [f"it is significantly worse if trained without {join_names(worse)}"] if worse else []
        clauses += [f"it is significantly better without {join_names(better)}"] if better else []
        clauses += [f"no significant difference was found for {join_names(undecided)}"] if undecided else []
        return "; ".join(clauses) + ". Groups that carry the same information can replace each other."

    def contents(self) -> str:
        """What it holds, in a few words."""
        return f"{self.model!r}, {pluralise(len(self.groups), 'group')}"


def ablate(
    source: PathLike | Features,
    groups: str | Sequence[str] | Mapping[str, Sequence[str]],
    ranker: str | Ranker | Mapping[str, Ranker] = "listnet",
    measures: str | Measure | Sequence[str | Measure] | None = None,
    *,
    folds: int | None = None,
    seeds: int = 3,
    test: str = "t",
    rel: float = 1,
    no_relevant: str | None = None,
    rng: Any = 0,
    cache: bool = False,
    workers: int = 1,
    reading: Callable[[int], Any] | None = None,
    progress: Callable[[float], Any] | None = None,
) -> FeatureAblation:
    """Cross-validate one ranker with all features and, trained anew, without each group of them; test the differences.

    Parameters
    ----------
    source
        A folder of folds, a file, or `Features`, as in `cross_validate`.
    groups
        Groups of features: texts as "bm25=1-5,7" (features by number) or "titles=title*,url" (by name or prefix), or a
        mapping from the name of a group to its features.
    ranker
        A loss or a ranker, as in `cross_validate`.
    measures
        A measure or a list of measures; the first is the one that sentences are about. Default: nDCG@10 and AP.
    folds
        Number of folds into which the queries of a single file are split at random. Default: 5.
    seeds
        Number of times that each ranker is trained, each time from another random seed. Default: 3.
    test
        Significance test of the differences between rankers. One of 't', 'permutation', 'bootstrap', 'wilcoxon',
        'sign', 'mcnemar', 'tukey', 'randomised-tukey', 'max-t', 'max-t-bootstrap', 'nemenyi', 'bayes-t',
        'bayes-signed-rank'. Default: 't'.
    rel
        Lowest relevance that counts as relevant. Default: 1.
    no_relevant
        Queries without relevant documents: give them the value that the measure defines (zero), skip them (drop), or
        give them 1 (one). One of 'zero', 'drop', 'one'. Default: zero.
    rng
        Seed or `numpy.random.Generator`; None draws a new seed. The same seed gives the same results.
    cache
        Keep binary copies of the files beside them, and read these next time.
    workers
        Number of processes; the results do not depend on it.
    reading
        Called with the number of bytes read.
    progress
        Called with the share of the work just done.

    Returns
    -------
    FeatureAblation
        By how much each measure is worse without each group, with tests; p-values are corrected for the number of
        groups.

    Raises
    ------
    InputError, ParameterError, UnknownName
        As `cross_validate`; also for a feature that does not exist, a group of all features, a group that occurs twice,
        and for more than one ranker.

    Notes
    -----
    The loss is above 0 if the ranker is worse without the group, also by measures for which lower is better. If two
    groups carry the same information, neither may seem to matter: leave both out together in a third group.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> X = rng.normal(size=(120, 3))
    >>> features = Features.of(X, (X[:, 0] > 0).astype(int), sizes=[6] * 20)
    >>> result = ablate(features, ["first=1", "noise=2-3"], "linear:listnet", "RR", folds=4, seeds=1)
    >>> [(group, bool(lost > 0.1)) for group, lost in zip(result.groups, result.lost("RR"))]
    [('first', True), ('noise', False)]
    """
    settings = CrossValidationSettings(
        folds=folds, seeds=seeds, test=test, rel=rel, no_relevant=no_relevant, seed=seed_of(rng)
    )
    return ablate_experiment(
        source,
        groups,
        prepare_ablation(parse_rankers(ranker), measures, settings),
        cache=cache,
        workers=workers,
        reading=reading,
        progress=progress,
    )


def prepare_ablation(
    models: RankerModels, measures: str | Measure | Sequence[str | Measure] | None, settings: CrossValidationSettings
) -> Experiment:
    """Check what belongs together. Raises ParameterError and UnknownName."""
    if len(models.names) != 1:
        raise ParameterError(
            f"an ablation takes one ranker, and there are {len(models.names)}; run it for each separately"
        )
    return prepare_experiment(models, measures, settings, AnalysisSettings(baseline=models.names[0]))


def ablate_experiment(
    source: PathLike | Features,
    groups: str | Sequence[str] | Mapping[str, Sequence[str]],
    experiment: Experiment,
    *,
    cache: bool = False,
    workers: int = 1,
    reading: Callable[[int], Any] | None = None,
    progress: Callable[[float], Any] | None = None,
) -> FeatureAblation:
    """As `ablate`, with ranker, measures and settings as one object."""
    if isinstance(groups, Sequence):
        for text in [groups] if isinstance(groups, str) else groups:
            parse_group(text)  # raises before any file is read
    models, settings = experiment.models, experiment.settings
    if workers != 1:
        models.check_sending()
    fold_set = read_folds(source, folds=settings.folds, rng=settings.seed, cache=cache, progress=reading)
    parsed_groups = feature_groups(groups, fold_set.feature_names)
    variants = without_each(models, parsed_groups)
    result = cross_validate_folds(fold_set, replace(experiment, models=variants), workers=workers, progress=progress)
    return FeatureAblation(
        model=models.names[0], groups=parsed_groups, cross_validation=result, names=variants.names[1:]
    )


def without_each(models: RankerModels, groups: Mapping[str, Sequence[str]]) -> RankerModels:
    """The ranker with all features, then without each group."""
    n_models = 1 + len(groups)
    return RankerModels(
        names=(models.names[0], *(f"{models.names[0]} without {name}" for name in groups)),
        parameters=models.parameters * n_models,
        seed_independent=models.seed_independent * n_models,
        classes=models.classes * n_models,
        excluded_features=((), *(tuple(features) for features in groups.values())),
    )
