"""What training came to: the course of the loss and of the measure that is watched."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rankscope._version import __version__
from rankscope.data.features import Features
from rankscope.data.sections import Figure, Section, Table, as_text, tidy_frame
from rankscope.data.wording import counted
from rankscope.learning.ranker import Ranker

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Training", "curves_of", "ranker_signature"]


def ranker_signature(ranker: Ranker) -> str:
    """Every setting of a ranker that changes its numbers."""
    parameters = ranker.get_params()
    loss = str(parameters.pop("loss"))
    hidden = "x".join(map(str, parameters.pop("hidden"))) or "none"
    unused = () if ranker.hidden else ("learning_rate", "batch_lists", "dropout")
    shown = [f"{name}:{value}" for name, value in parameters.items() if name not in unused]
    return " | ".join([loss, f"hidden:{hidden}", *shown])


@dataclass(frozen=True, eq=False, kw_only=True)
class Training:
    """A ranker that was trained, what on, and the lists that it was watched on (None: none).

    columns: model (from 1), epoch (from 1), part ("train" or "valid"), measure ("loss" or the one watched), value.
    """

    ranker: Ranker
    train: Features
    valid: Features | None

    @property
    def columns(self) -> tuple[str, ...]:
        return ("model", "epoch", "part", "measure", "value")

    def records(self) -> Iterator[tuple[Any, ...]]:
        for m, model in enumerate(self.ranker.models_, 1):
            for part, measure, values in (
                ("train", "loss", model.losses),
                ("valid", str(self.ranker.stop_on), model.values),
            ):
                yield from ((m, epoch, part, measure, value) for epoch, value in enumerate(values, 1))

    @property
    def notes(self) -> tuple[str, ...]:
        found = [*self.train.notes, *(self.valid.notes if self.valid is not None else ())]
        if self.valid is None:
            found.append("without validation data all epochs were trained and the last one was kept; give some")
        elif any(model.best_epoch == len(model.losses) - 1 for model in self.ranker.models_):
            found.append("the last epoch was the best: more of them may do better")
        return tuple(found)

    def signature(self) -> str:
        return (
            f"{ranker_signature(self.ranker)} | train:{self.train.name} | features:{len(self.train.names)} | "
            f"rankscope {__version__}"
        )

    def sections(self) -> list[Section]:
        lists, documents = len(self.train.query_ids), len(self.train)
        models = self.ranker.models_
        sentence = (
            f"Trained on {counted(lists, 'query', 'queries')} with {counted(documents, 'document')} and "
            f"{counted(len(self.train.names), 'feature')}"
        )
        rows = []
        for m, model in enumerate(models, 1):
            at = model.best_epoch
            value = f"{model.values[at]:.4f}" if model.values else ""
            rows.append((str(m), str(len(model.losses)), str(at + 1), f"{model.losses[at]:.4f}", value))
        if self.valid is not None:
            mean = float(np.mean([model.values[model.best_epoch] for model in models]))
            sentence += (
                f"; on {counted(len(self.valid.query_ids), 'query', 'queries')} of {self.valid.name} the mean "
                f"{self.ranker.stop_on} of its best epoch is {mean:.4f}"
            )
        headings = ("model", "epochs", "best", "loss", str(self.ranker.stop_on))
        keep = len(headings) if self.valid is not None else len(headings) - 1
        table = Table(columns=headings[:keep], rows=tuple(row[:keep] for row in rows), left=0)
        names = [f"model {m}" for m in range(1, len(models) + 1)]
        return [
            Section(title="", sentence=sentence + ".", table=table),
            *curves_of(names, [model.values for model in models], str(self.ranker.stop_on), "Validation by epoch"),
            *curves_of(names, [model.losses for model in models], "loss", "Loss of training by epoch"),
        ]

    def frame(self) -> pl.DataFrame:
        return tidy_frame(self)

    def __str__(self) -> str:
        return as_text(self)


def curves_of(names: list[str], courses: list[tuple[float, ...]], y_title: str, title: str) -> list[Section]:
    """A figure of values by epoch, a line a name; nothing where there is no course."""
    longest = max(map(len, courses), default=0)
    if longest < 2:
        return []
    values = np.full((len(names), longest), np.nan)
    for row, course in zip(values, courses, strict=True):
        row[: len(course)] = course
    x = list(range(1, longest + 1))
    data = {"x": x, "x_title": "epoch", "measures": names, "values": values, "y_title": y_title}
    return [Section(title=title, figure=Figure("condition_lines", data), folded=True)]
