"""Ablation: the loss of a ranker that is trained without groups of features."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rankscope.comparison.compare import MeasureComparison
from rankscope.data.features import Features
from rankscope.data.result import Result
from rankscope.data.section import Cell, Section, Table
from rankscope.data.text import format_interval, format_number, format_p_cell, join_names, pluralise
from rankscope.errors import ParameterError, UnknownName
from rankscope.experiments.crossvalidation import (
    CrossValidation,
    RankerModels,
    cross_validate_folds,
    parse_rankers,
    read_folds,
    validate_settings,
    value_label,
)
from rankscope.kernels.rounding_ties import order_of
from rankscope.learning.ranker import Ranker
from rankscope.measures.base import Measure
from rankscope.typing import Floats, PathLike

if TYPE_CHECKING:
    pass

__all__ = [
    "FeatureAblation",
    "ablate",
    "feature_groups",
    "parse_group",
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
    """The features of each group, among these names, in their order. groups: texts, or groups of features by name.

    Raises UnknownName for an unknown feature, ParameterError for a group that occurs twice, begins no name, holds all
    features or none, and for what is no text.
    """
    if isinstance(groups, str):
        groups = [groups]
    if not isinstance(groups, (Mapping, Sequence)):
        raise ParameterError(f"cannot read the groups {groups!r}; {FORM}")
    named_groups = list(groups.items()) if isinstance(groups, Mapping) else [parse_group(text) for text in groups]
    if not named_groups:
        raise ParameterError(f"no group of features to leave out; {FORM}")
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
                "can be learned without them; leave some out of it"
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
        raise ParameterError(f"{text} is no span of {pluralise(len(names), 'feature')}; give the lower number first")
    matches = [str(i) for i in range(first, last + 1)]
    for name in matches:
        if name not in names:
            raise UnknownName("feature", name, names)
    return matches


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class FeatureAblation(Result):
    """model: the ranker. groups: the features of each. tested: the cross-validation of the ranker with all features,
    and without each group, under `names`.

    columns: model, group, features (how many), measure, with (the value with all), without, lost (above 0: worse
    without), low and high (of lost), pvalue, pvalue_corrected.
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
        """(groups) the loss, the ends of its interval, and the index of the pair in the comparison."""
        pair_index = np.array([comparison.pair_index(0, g + 1) for g in range(len(self.groups))])
        sign = np.where(comparison.first[pair_index] == 0, 1.0, -1.0) * comparison.measure_values.sign
        interval = np.stack([sign * comparison.low[pair_index], sign * comparison.high[pair_index]])
        return sign * comparison.difference[pair_index], interval.min(axis=0), interval.max(axis=0), pair_index

    def lost(self, measure: object) -> Floats:
        """(groups) by how much the mean is worse without each. Raises UnknownName for an unknown measure."""
        assert self.cross_validation.comparison is not None
        return self.losses_and_intervals(self.cross_validation.comparison[measure])[0]

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know."""
        return self.cross_validation.notes

    def signature(self) -> str:
        """Every setting that changes the numbers, in one line."""
        groups = " ".join(f"{name}[{','.join(features)}]" for name, features in self.groups.items())
        return self.cross_validation.signature(groups=groups)

    def sections(self) -> Sequence[Section]:
        """A table a measure, the largest loss first."""
        return [self.section(comparison, m) for m, comparison in enumerate(self.comparisons)]

    def section(self, comparison: MeasureComparison, position: int) -> Section:
        lost, low, high, pair_index = self.losses_and_intervals(comparison)
        sizes = {group: len(features) for group, features in self.groups.items()}
        rows: list[tuple[Cell, ...]] = []
        for g in order_of(-lost, comparison.measure_values.scale).tolist():
            group = list(sizes)[g]
            cells = (
                format_number(float(comparison.means[g + 1])),
                format_number(float(lost[g])),
                format_interval(low[g], high[g]),
            )
            pvalue = float(comparison.pvalue_corrected[pair_index[g]])
            rows.append((group, str(sizes[group]), *cells, format_p_cell(pvalue)))
        interval_title = f"{100 * (1 - comparison.level):g} % interval"
        columns = ("without", "features", comparison.measure, "lost", interval_title, "p")
        table = Table(columns=columns, rows=tuple(rows))
        return Section(
            title=f"{self.model}: {comparison.measure} without groups of features",
            sentence=self.sentence(comparison) if position == 0 else "",
            table=table,
            notes=("lost: above 0 where the ranker is worse without the group; p: corrected for the number of groups",),
            folded=position > 0,
        )

    def sentence(self, comparison: MeasureComparison) -> str:
        """Which groups make a significant difference."""
        groups = list(self.groups)
        worse = [group for g, group in enumerate(groups) if comparison.beats[0, g + 1]]
        better = [group for g, group in enumerate(groups) if comparison.beats[g + 1, 0]]
        undecided = [group for group in groups if group not in worse and group not in better]
        clauses = [
            f"With all {pluralise(len(self.cross_validation.feature_names), 'feature')} {self.model} has a "
            f"{value_label(self.cross_validation)} of {format_number(float(comparison.means[0]))} on the test lists"
        ]
        clauses += [f"trained without {join_names(worse)} it is worse"] if worse else []
        clauses += [f"without {join_names(better)} it is better"] if better else []
        clauses += (
            [f"that {join_names(undecided)} {'is' if len(undecided) == 1 else 'are'} worth anything was not shown"]
            if undecided
            else []
        )
        return "; ".join(clauses) + ". Groups that say the same stand in for each other."

    def contents(self) -> str:
        """What it holds, in a few words."""
        return f"{self.model!r}, {pluralise(len(self.groups), 'group')}"


def ablate(
    source: PathLike | Features,
    groups: str | Sequence[str] | Mapping[str, Sequence[str]],
    loss: str | Sequence[str] | Mapping[str, Ranker] = "listnet",
    measures: str | Measure | Sequence[str | Measure] | None = None,
    *,
    folds: int | None = None,
    seeds: int = 3,
    test: str = "t",
    rel: int = 1,
    no_relevant: str | None = None,
    cache: bool = False,
    workers: int = 1,
    rng: Any = 0,
    reading: Callable[[int], Any] | None = None,
    progress: Callable[[float], Any] | None = None,
    **parameters: Any,
) -> FeatureAblation:
    """Cross-validate one ranker with all features and, trained anew, without each group of them; test the differences.

    groups: texts as "bm25=1-5,7" (features by number), "titles=title*,url" (by name, or how names begin), or the
    features of each group by name. Where two groups say the same, each may seem worth nothing: leave both out together
    in a third one. What was lost is above 0 where the ranker is worse without the group, also by measures of which less
    is better. All else is of `cross_validate`; p-values are corrected for the number of groups.

    Raises what `cross_validate` raises; UnknownName for a feature that there is not; ParameterError for a group that is
    all features or comes twice, and for more than one ranker.

    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> X = rng.normal(size=(120, 3))
    >>> features = Features.of(X, (X[:, 0] > 0).astype(int), sizes=[6] * 20)
    >>> found = ablate(features, ["first=1", "noise=2-3"], "linear:listnet", "RR", folds=4, seeds=1)
    >>> [(group, bool(lost > 0.1)) for group, lost in zip(found.groups, found.lost("RR"))]
    [('first', True), ('noise', False)]
    """
    if isinstance(groups, Sequence):
        for text in [groups] if isinstance(groups, str) else groups:
            parse_group(text)  # raises before any file is read
    models = parse_rankers(loss, parameters)
    if len(models.names) != 1:
        raise ParameterError(
            f"groups of features are left out of one ranker, and there are {len(models.names)}; do it once for each"
        )
    options = {"seeds": seeds, "rng": rng, "test": test, "rel": rel, "no_relevant": no_relevant, "workers": workers}
    settings = validate_settings(models, measures, **options)
    fold_set = read_folds(source, folds=folds, rng=settings.seed, cache=cache, progress=reading)
    parsed_groups = feature_groups(groups, fold_set.feature_names)
    variants = without_each(models, parsed_groups)
    result = cross_validate_folds(
        fold_set, variants, replace(settings, baseline=variants.names[0]), workers=workers, progress=progress
    )
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
