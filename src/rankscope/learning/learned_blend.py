"""What training a blend came to: its parts, each as a training of its own, and what they are worth together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from rankscope._version import __version__
from rankscope.data.features import Features
from rankscope.data.sections import Section, Table, as_text, tidy_frame
from rankscope.data.wording import pluralise, pluralise_queries
from rankscope.learning.blending import Blend
from rankscope.learning.learned import Training, epoch_curves
from rankscope.learning.losses.named import as_measure
from rankscope.learning.stopping import EarlyStopping

if TYPE_CHECKING:
    import polars as pl

__all__ = ["BlendTraining"]


@dataclass(frozen=True, eq=False, kw_only=True)
class BlendTraining:
    """A blend that was trained, what on, and the lists that its rankers were watched on (None: none).

    settings: all that changes numbers, for the signature. columns: ranker, and those of `Training`.
    """

    blend: Blend
    train: Features
    valid: Features | None
    settings: Mapping[str, Any]

    @property
    def columns(self) -> tuple[str, ...]:
        return ("ranker", "model", "epoch", "part", "measure", "value")

    @cached_property
    def parts(self) -> dict[str, Training]:
        """Of each ranker, by name, its own training."""
        names = self.blend.parameters_["rankers"]
        return {
            name: Training(ranker=one, train=self.train, valid=self.valid)
            for name, one in zip(names, self.blend.rankers_, strict=True)
        }

    def records(self) -> Iterator[tuple[Any, ...]]:
        for name, part in self.parts.items():
            yield from ((name, *row) for row in part.records())

    @property
    def notes(self) -> tuple[str, ...]:
        """What is to be said of every part once, then what is of one alone."""
        each = {name: part.notes for name, part in self.parts.items()}
        shared = [note for note in next(iter(each.values())) if all(note in notes for notes in each.values())]
        own = [f"{name}: {note}" for name, notes in each.items() for note in notes if note not in shared]
        return (*shared, *own)

    @cached_property
    def value(self) -> float | None:
        """The measure that was watched, of the blend on the validation lists; None without."""
        if self.valid is None:
            return None
        first = self.blend.rankers_[0]
        highest = max(int(one.relevance.max()) for one in (self.train, self.valid))
        watch = EarlyStopping(self.valid, as_measure("stop_on", first.stop_on), 1, max_grade=highest)
        scores = self.blend.predict(self.valid)
        order = self.valid.order
        watch.better(scores if order is None else scores[order])
        return watch.values[0]

    def signature(self) -> str:
        shown = [f"{name}:{value}" for name, value in self.settings.items()]
        data = [f"train:{self.train.name}", *([] if self.valid is None else [f"valid:{self.valid.name}"])]
        return " | ".join(["blend", *shown, *data, f"features:{len(self.train.names)}", f"rankscope {__version__}"])

    def sections(self) -> list[Section]:
        n, value = len(self.parts), self.value
        sentence = (
            f"Trained a blend of {pluralise(n, 'ranker')} on {pluralise_queries(len(self.train.query_ids))} with "
            f"{pluralise(len(self.train), 'document')} and {pluralise(len(self.train.names), 'feature')}"
        )
        measure = str(self.blend.rankers_[0].stop_on)
        if self.valid is not None and value is not None:
            a_mean = "mean " if as_measure("stop_on", self.blend.rankers_[0].stop_on).summary == "mean" else ""
            sentence += (
                f"; on {pluralise_queries(len(self.valid.query_ids))} of {self.valid.name} the {a_mean}{measure} of the blend is "
                f"{value:.4f}"
            )
        rows = []
        for (name, part), weight in zip(self.parts.items(), self.blend.combination_.weights.tolist(), strict=True):
            models = part.ranker.models_
            kept = f"{np.mean([model.best_epoch + 1 for model in models]):.4g}"
            own = [f"{np.mean([model.values[model.best_epoch] for model in models]):.4f}"] if self.valid else []
            rows.append((name, f"{kept} {part.rounds}", *own, f"{weight:.2f}"))
        headings = ("ranker", "kept", *([measure] if self.valid is not None else []), "weight")
        first = [part.ranker.models_[0] for part in self.parts.values()]
        return [
            Section(title="", sentence=sentence + ".", table=Table(columns=headings, rows=tuple(rows), left=1)),
            *epoch_curves(list(self.parts), [one.values for one in first], measure, "Validation by epoch or tree"),
        ]

    def frame(self) -> pl.DataFrame:
        return tidy_frame(self)

    def __str__(self) -> str:
        return as_text(self)

    def __repr__(self) -> str:
        return f"BlendTraining({pluralise(len(self.parts), 'ranker')}, {pluralise_queries(len(self.train.query_ids))})"
