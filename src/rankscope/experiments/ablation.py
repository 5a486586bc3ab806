"""Ablation: what a ranker loses without groups of features."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rankscope.comparison.compare import MeasureComparison
from rankscope.data.features import Features
from rankscope.data.result import as_text, tidy_frame
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
from rankscope.kernels.ties import order_of
from rankscope.learning.ranker import Ranker
from rankscope.measures.base import Measure
from rankscope.typing import Floats, PathLike

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "FeatureAblation",
    "ablate",
    "feature_groups",
    "parse_group",
]


NUMBER_SPAN = re.compile(r"(\d+)-(\d+)")
FORM = "expected NAME=FEATURE,..., as bm25=1-5,7 or titles=title*,url"
#: More features than these have no table.
MAX_FEATURES = 1_000_000


def parse_group(text: str) -> tuple[str, tuple[str, ...]]:
    """The name of a group, and what it is made of: features, spans of numbers, beginnings of names with a star.

    One beginning alone needs no name. Raises ParameterError for another form.

    >>> parse_group("bm25=1-3,7"), parse_group("title_*")
    (('bm25', ('1-3', '7')), ('title_', ('title_*',)))
    """
    if not isinstance(text, str):
        raise ParameterError(f"cannot read the group {text!r}; {FORM}")
    name, equals, rest = text.partition("=")
    if not equals:
        name, rest = text.removesuffix("*"), text
        if not text.endswith("*") or not name:
            raise ParameterError(f"cannot read the group {text!r}; {FORM}")
    members = tuple(part.strip() for part in rest.split(","))
    if not name.strip() or not all(members):
        raise ParameterError(f"cannot read the group {text!r}; {FORM}")
    return name.strip(), members


def feature_groups(
    asked: Mapping[str, Sequence[str]] | Sequence[str], names: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """The features of each group, among these names, in their order. asked: texts, or groups of features by name.

    Raises UnknownName for a feature that there is not, ParameterError for a group that comes twice, begins no name, is
    all features or has none, and for what is no text.
    """
    if isinstance(asked, str):
        asked = [asked]
    if not isinstance(asked, (Mapping, Sequence)):
        raise ParameterError(f"cannot read the groups {asked!r}; {FORM}")
    given = list(asked.items()) if isinstance(asked, Mapping) else [parse_group(text) for text in asked]
    if not given:
        raise ParameterError(f"no group of features to leave out; {FORM}")
    found: dict[str, tuple[str, ...]] = {}
    for name, members in given:
        if name in found:
            raise ParameterError(f"the group {name!r} was given twice, expected each once")
        texts = [members] if isinstance(members, str) else members
        if not isinstance(texts, Sequence) or not texts or not all(isinstance(text, str) for text in texts):
            raise ParameterError(f"the group {name!r} is {members!r}, expected names of features, as ['1', 'title*']")
        chosen = {one for text in texts for one in matching_features(text, names)}
        found[name] = tuple(one for one in names if one in chosen)
        if len(found[name]) == len(names):
            raise ParameterError(
                f"the group {name!r} holds {'both' if len(names) == 2 else f'all {len(names)}'} features, and nothing "
                "can be learned without them; leave some out of it"
            )
    return found


def matching_features(text: str, names: Sequence[str]) -> Sequence[str]:
    """The features that a part of a group names."""
    if text in names:
        return (text,)
    if text.endswith("*"):
        found = [one for one in names if one.startswith(text[:-1])]
        if not found:
            raise UnknownName("beginning of a feature's name", text, names)
        return found
    span = NUMBER_SPAN.fullmatch(text)
    if span is None:
        raise UnknownName("feature", text, names)
    first, last = int(span[1]), int(span[2])
    if first > last or last - first > MAX_FEATURES:
        raise ParameterError(f"{text} is no span of {pluralise(len(names), 'feature')}; give the lower number first")
    found = [str(i) for i in range(first, last + 1)]
    for one in found:
        if one not in names:
            raise UnknownName("feature", one, names)
    return found


@dataclass(frozen=True, eq=False, kw_only=True)
class FeatureAblation:
    """model: the ranker. groups: the features of each. tested: the cross-validation of the ranker with all features,
    and without each group, under `names`.

    columns: model, group, features (how many), measure, with (the value with all), without, lost (above 0: worse
    without), low and high (of lost), pvalue, pvalue_corrected.
    """

    model: str
    groups: Mapping[str, tuple[str, ...]]
    tested: CrossValidation
    names: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        return (
            *("model", "group", "features", "measure", "with", "without"),
            *("lost", "low", "high", "pvalue", "pvalue_corrected"),
        )

    def records(self) -> Iterator[tuple[Any, ...]]:
        """A row a measure and group, in the order in which they were given."""
        for part in self.parts:
            lost, low, high, place = self.found(part)
            for g, (group, features) in enumerate(self.groups.items()):
                i = int(place[g])
                values = (float(part.means[0]), float(part.means[g + 1]), float(lost[g]), float(low[g]), float(high[g]))
                ends = (float(part.pvalue[i]), float(part.pvalue_corrected[i]))
                yield self.model, group, len(features), part.measure, *values, *ends

    @property
    def parts(self) -> Sequence[MeasureComparison]:
        """The comparison with the whole ranker, by measure."""
        assert self.tested.comparison is not None  # of two rankers at least
        return self.tested.comparison.parts

    def found(self, part: MeasureComparison) -> tuple[Floats, Floats, Floats, npt.NDArray[np.int64]]:
        """(groups) what was lost, its interval, and the place of the pair."""
        place = np.array([part.pair(0, g + 1) for g in range(len(self.groups))])
        sign = np.where(part.first[place] == 0, 1.0, -1.0) * part.matched.sign
        ends = np.stack([sign * part.low[place], sign * part.high[place]])
        return sign * part.difference[place], ends.min(axis=0), ends.max(axis=0), place

    def lost(self, measure: object) -> Floats:
        """(groups) by how much the mean is worse without each. Raises UnknownName for a measure that is not there."""
        assert self.tested.comparison is not None
        return self.found(self.tested.comparison[measure])[0]

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know."""
        return self.tested.notes

    def signature(self) -> str:
        """Every setting that changes the numbers, in one line."""
        groups = " ".join(f"{name}[{','.join(features)}]" for name, features in self.groups.items())
        return self.tested.signature(groups=groups)

    def sections(self) -> Sequence[Section]:
        """A table a measure, what is lost most first; what a single feature is worth is another question."""
        return [self.section(part, m) for m, part in enumerate(self.parts)]

    def section(self, part: MeasureComparison, place: int) -> Section:
        lost, low, high, pairs = self.found(part)
        sizes = {group: len(features) for group, features in self.groups.items()}
        rows: list[tuple[Cell, ...]] = []
        for g in order_of(-lost, part.matched.scale).tolist():
            group = list(sizes)[g]
            cells = (
                format_number(float(part.means[g + 1])),
                format_number(float(lost[g])),
                format_interval(low[g], high[g]),
            )
            rows.append((group, str(sizes[group]), *cells, format_p_cell(float(part.pvalue_corrected[pairs[g]]))))
        level = f"{100 * (1 - part.level):g} % interval"
        table = Table(columns=("without", "features", part.measure, "lost", level, "p"), rows=tuple(rows))
        return Section(
            title=f"{self.model}: {part.measure} without groups of features",
            sentence=self.sentence(part) if place == 0 else "",
            table=table,
            notes=("lost: above 0 where the ranker is worse without the group; p: corrected for the number of groups",),
            folded=place > 0,
        )

    def sentence(self, part: MeasureComparison) -> str:
        """Which groups were shown to be worth something."""
        groups = list(self.groups)
        worse = [group for g, group in enumerate(groups) if part.beats[0, g + 1]]
        better = [group for g, group in enumerate(groups) if part.beats[g + 1, 0]]
        open_ = [group for group in groups if group not in worse and group not in better]
        said = [
            f"With all {pluralise(len(self.tested.feature_names), 'feature')} {self.model} has a "
            f"{value_label(self.tested)} of {format_number(float(part.means[0]))} on the test lists"
        ]
        said += [f"trained without {join_names(worse)} it is worse"] if worse else []
        said += [f"without {join_names(better)} it is better"] if better else []
        said += (
            [f"that {join_names(open_)} {'is' if len(open_) == 1 else 'are'} worth anything was not shown"]
            if open_
            else []
        )
        return "; ".join(said) + ". Groups that say the same stand in for each other."

    def frame(self) -> pl.DataFrame:
        """The tidy table as a polars frame; null where there is no value."""
        return tidy_frame(self)

    def __str__(self) -> str:
        return as_text(self)

    def __repr__(self) -> str:
        return f"FeatureAblation({self.model!r}, {pluralise(len(self.groups), 'group')})"


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
            parse_group(text)  # refused before anything is read
    models = parse_rankers(loss, parameters)
    if len(models.names) != 1:
        raise ParameterError(
            f"groups of features are left out of one ranker, and there are {len(models.names)}; do it once for each"
        )
    settings = {"seeds": seeds, "rng": rng, "test": test, "rel": rel, "no_relevant": no_relevant, "workers": workers}
    asked = validate_settings(models, measures, **settings)
    data = read_folds(source, folds=folds, rng=asked.seed, cache=cache, progress=reading)
    found = feature_groups(groups, data.feature_names)
    every = without_each(models, found)
    whole = cross_validate_folds(
        data, every, replace(asked, baseline=every.names[0]), workers=workers, progress=progress
    )
    return FeatureAblation(model=models.names[0], groups=found, tested=whole, names=every.names[1:])


def without_each(models: RankerModels, groups: Mapping[str, Sequence[str]]) -> RankerModels:
    """The ranker with all features, then without each group."""
    n = 1 + len(groups)
    return RankerModels(
        names=(models.names[0], *(f"{models.names[0]} without {name}" for name in groups)),
        parameters=models.parameters * n,
        fixed=models.fixed * n,
        makers=models.makers * n,
        without=((), *(tuple(one) for one in groups.values())),
    )
