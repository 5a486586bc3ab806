"""What a ranker lost without each group of features, with intervals and tests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rankscope.comparison.comparison import MeasureComparison
from rankscope.data.cells import format_interval, format_number
from rankscope.data.sections import Cell, Section, Table, as_text, tidy_frame
from rankscope.data.wording import format_p_cell, join_names, pluralise
from rankscope.experiments.crossvalidated import CrossValidation
from rankscope.experiments.crossvalidation_words import value_label
from rankscope.kernels.ties import order_of
from rankscope.typing import Floats

if TYPE_CHECKING:
    import polars as pl

__all__ = ["FeatureAblation"]


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
