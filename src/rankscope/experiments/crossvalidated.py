"""What a cross-validation found: values by ranker and fold, tests between rankers, and what a report shows of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rankscope.comparison.comparison import Comparison
from rankscope.data.sections import Section, as_text, tidy_frame
from rankscope.data.wording import join_names, pluralise
from rankscope.experiments.blended import BlendComposition
from rankscope.experiments.crossvalidation_words import seeds_note, value_label
from rankscope.experiments.feature_importance import FeatureImportance
from rankscope.experiments.measured_folds import FoldValues
from rankscope.kernels.ties import order_of
from rankscope.typing import Floats

if TYPE_CHECKING:
    import polars as pl

__all__ = ["CrossValidation"]


@dataclass(frozen=True, eq=False, kw_only=True)
class CrossValidation:
    """Rankers (models) tested on every fold, each trained from several seeds.

    test, valid: values on the lists of either kind; `test.scores` are `Scores`, for `rankscope.compare` and all else.
    fixed: of each model, whether its seeds give one and the same ranker. comparison: of all models on all test queries;
    None of one. courses: of each model and fold, the watched measure (stop_on) by epoch, from the first seed.
    best_epochs, seconds (of CPU, training and selection): (seeds, models, folds). at_end: of each model, whether the
    last epoch allowed was ever the best. importance: (units, models, features) what the first measure loses when a
    feature is shuffled; None where nobody asked. grades, places: (models, grades, ranges of ranks) how many documents
    of each grade were put where, the mean over seeds. data_notes: on the files. blended: where the last model is a
    blend of the others, what it was made of; its best epochs and importance are NaN, its seconds those of all parts.

    columns: model, fold ("all": over the queries of all folds), part ("test", "valid"), measure, value.
    """

    models: tuple[str, ...]
    folds: tuple[str, ...]
    test: FoldValues
    valid: FoldValues
    fixed: tuple[bool, ...]
    comparison: Comparison | None
    courses: tuple[tuple[tuple[float, ...], ...], ...]
    stop_on: tuple[str, ...]
    best_epochs: Floats
    seconds: Floats
    at_end: npt.NDArray[np.bool_]
    feature_names: tuple[str, ...]
    importance: Floats | None
    grades: tuple[int, ...]
    places: Floats
    data_notes: tuple[str, ...] = ()
    blended: BlendComposition | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        return ("model", "fold", "part", "measure", "value")

    def records(self) -> Iterator[tuple[Any, ...]]:
        """A row a model, fold, part and measure; NaN where no query of the fold has a value."""
        parts = (("test", self.test), ("valid", self.valid))
        tables = {
            fold: [(part, (found.overall if k == len(self.folds) else found.of_fold(k))) for part, found in parts]
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
        found = [*self.data_notes]
        fixed = [name for name, same in zip(self.models, self.fixed, strict=True) if same]
        if fixed and self.seeds > 1:
            found.append(f"{join_names(fixed)}: all seeds give the same ranker, which was trained once a fold")
        ended = [name for name, at_end in zip(self.models, self.at_end, strict=True) if at_end]
        if ended:
            found.append(f"{join_names(ended)}: the last epoch was the best at least once; more of them may do better")
        found += seeds_note(self)
        scores = self.comparison.notes if self.comparison is not None else self.test.scores.notes
        return tuple(dict.fromkeys((*found, *scores)))

    @property
    def feature_importance(self) -> FeatureImportance | None:
        """What features are worth, the best ranker first, a blend left out; None where nobody asked."""
        if self.importance is None:
            return None
        told = [m for m in self.order if not np.isnan(self.importance[:, m]).any()]
        every = self.importance.reshape(self.seeds, len(self.folds), len(self.models), -1)
        return FeatureImportance(
            models=tuple(self.models[m] for m in told),
            features=self.feature_names,
            measure=self.measures[0],
            drops=tuple(every[:1, :, m] if self.fixed[m] else every[:, :, m] for m in told),
            value=value_label(self),
            falls="falls" if self.test.scores.sign(self.measures[0]) > 0 else "rises",
            settings=self.signature(),
        )

    def sections(self) -> Sequence[Section]:
        """What a report shows."""
        from rankscope.experiments.crossvalidation_shown import crossvalidation_sections  # knows this class

        return crossvalidation_sections(self)

    def signature(self, **more: str) -> str:
        """Every setting that changes the numbers, in one line. more: settings to stand there, too."""
        found = self.test.scores.signature() if self.comparison is None else self.comparison.signature()
        settings, _, version = found.rpartition(" | ")
        return " | ".join((settings, *(f"{key}:{value}" for key, value in more.items()), version))

    def frame(self) -> pl.DataFrame:
        """The tidy table as a polars frame; null where there is no value."""
        return tidy_frame(self)

    def __str__(self) -> str:
        return as_text(self)

    def __repr__(self) -> str:
        many = f"{pluralise(len(self.models), 'model')}, {pluralise(len(self.folds), 'fold')}"
        return f"CrossValidation({many}, {pluralise(self.seeds, 'seed')}, {len(self.measures)} measures)"
