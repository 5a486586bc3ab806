"""The results of training a ranker and a blend: loss and validation measure by epoch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rankscope.data.columns import column, digits, table_of
from rankscope.data.features import Features
from rankscope.data.grades import highest_grade
from rankscope.data.result import Result
from rankscope.data.section import Figure, Section
from rankscope.data.text import join_names, pluralise, pluralise_queries
from rankscope.learning.blend import Blend
from rankscope.learning.early_stopping import EarlyStopping
from rankscope.learning.features import negative_grade_notes
from rankscope.learning.lambdamart import LambdaMART, parse_objective
from rankscope.learning.losses import as_measure
from rankscope.learning.ranker import Ranker
from rankscope.learning.scaling import handful_of, usual_values
from rankscope.learning.settings import NETWORK_PARAMETERS

__all__ = [
    "BlendTraining",
    "Training",
    "epoch_curves",
    "ranker_signature",
]


#: A network diverged where its loss is this many times that of equal scores.
DIVERGED = 10.0


def ranker_signature(ranker: Ranker, *, validated: bool = True) -> str:
    """Every setting of a ranker that changes its numbers. validated: whether there were validation data."""
    parameters = ranker.get_params()
    loss = parse_objective(parameters.pop("loss"))
    if isinstance(loss, LambdaMART):
        tree_settings = {
            **loss.as_dict(),
            "min_documents": loss.min_documents or "auto",
            "features": loss.features or "auto",
            "objective": loss.objective_name,
        }
        unused_names = [*NETWORK_PARAMETERS, *([] if validated else ["stop_on"])]
        settings = {**tree_settings, **{name: value for name, value in parameters.items() if name not in unused_names}}
        if not validated:
            del settings["patience"]
        return " | ".join([loss.name, *(f"{name}:{value}" for name, value in settings.items())])
    hidden = "x".join(map(str, parameters.pop("hidden"))) or "none"
    unused_names = [] if validated else ["patience", "stop_on"]
    if not ranker.hidden:
        unused_names += ["dropout", "learning_rate", "batch_lists"] if loss.has_exact_gradient else ["dropout"]
    setting_texts = [f"{name}:{value}" for name, value in parameters.items() if name not in unused_names]
    return " | ".join([str(loss), f"hidden:{hidden}", *setting_texts])


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Training(Result):
    """A trained ranker with its losses and validation values by epoch.

    The tidy table has the columns model (from 1), epoch (from 1), part ("train" or "valid"), measure ("loss" or
    `stop_on`), value.

    Attributes
    ----------
    ranker
        The trained ranker.
    train
        The training lists.
    valid
        The validation lists; None if there are none.
    """

    COLUMNS = ("model", "epoch", "part", "measure", "value")

    ranker: Ranker
    train: Features
    valid: Features | None

    def records(self) -> Iterator[tuple[Any, ...]]:
        for m, model in enumerate(self.ranker.models_, 1):
            for part, measure, values in (
                ("train", "loss", model.losses),
                ("valid", str(self.ranker.stop_on), model.values),
            ):
                yield from ((m, epoch, part, measure, value) for epoch, value in enumerate(values, 1))

    @property
    def notes(self) -> tuple[str, ...]:
        notes = [*self.train.notes, *(self.valid.notes if self.valid is not None else ())]
        notes += negative_grade_notes(self.train) + self.feature_notes() + self.loss_notes()
        if self.valid is None:
            last_kept = "all trees were kept" if self.rounds == "trees" else "the last epoch was kept"
            notes.append(f"no validation data for early stopping: {last_kept}")
        elif any(len(model.values) > 1 and min(model.values) == max(model.values) for model in self.ranker.models_):
            notes.append(
                f"{self.ranker.stop_on} on {self.valid.name} is the same in every {self.rounds[:-1]}, so the first one "
                f"was kept; use validation data that can tell {self.rounds} apart"
            )
        elif any(
            model.best_epoch == model.epochs - 1 and model.epochs == self.ranker.rounds for model in self.ranker.models_
        ):
            notes.append(
                f"the last of {self.ranker.rounds} {self.rounds} was the best; more {self.rounds} may be better"
            )
        return tuple(notes)

    @property
    def rounds(self) -> str:
        """The name of a round of training, in the plural."""
        return "trees" if self.ranker.kind == "trees" else "epochs"

    @property
    def mean_kept(self) -> float:
        """The round that was kept, from 1; the mean over models."""
        return float(np.mean([model.best_epoch + 1 for model in self.ranker.models_]))

    @property
    def mean_value(self) -> float:
        """The validation value of the round that was kept; the mean over models."""
        return float(np.mean([model.values[model.best_epoch] for model in self.ranker.models_]))

    def feature_notes(self) -> list[str]:
        """Notes on features that vary in no document, or in too few to learn from."""
        values, names, train_name = self.train.values, self.train.names, self.train.name
        _, n_unusual = usual_values(values)
        constant = [name for name, n in zip(names, n_unusual.tolist(), strict=True) if not n]
        handful = handful_of(len(values))
        rare = {name: n for name, n in zip(names, n_unusual.tolist(), strict=True) if 0 < n <= handful}
        notes = []
        if constant:
            verb = "has" if len(constant) == 1 else "have"
            notes.append(
                f"{train_name}: {pluralise(len(constant), 'feature')} of {len(names)} {verb} the same value "
                f"for all documents and cannot help ({join_names(map(repr, constant))})"
            )
        if rare:
            verb = "varies" if len(rare) == 1 else "vary"
            counts = join_names(f"{name!r} in {n}" for name, n in rare.items())
            notes.append(
                f"{train_name}: {pluralise(len(rare), 'feature')} of {len(names)} {verb} in too few of {len(values):,} "
                f"documents to learn from ({counts}); networks and linear scorers do not use "
                f"{'it' if len(rare) == 1 else 'them'}"
            )
        return notes

    def loss_notes(self) -> list[str]:
        """A note where the loss of a network is far above that of equal scores."""
        ranker = self.ranker
        loss = parse_objective(ranker.loss)
        if isinstance(loss, LambdaMART) or not ranker.hidden:
            return []
        constant_loss, _ = loss(
            np.zeros(len(self.train)),
            self.train.relevance,
            self.train.offsets,
            rng=np.random.default_rng(0),
            max_grade=highest_grade(self.train.relevance),
        )
        worst_loss = max(model.losses[model.best_epoch] for model in ranker.models_)
        if worst_loss <= DIVERGED * max(constant_loss, 0.1):
            return []
        return [
            f"the loss is {worst_loss:.4g}, and {constant_loss:.4g} if all documents have the same score: the learning "
            f"rate {ranker.learning_rate:g} may be too large; try {ranker.learning_rate / 10:g}"
        ]

    def signature_parts(self) -> list[str]:
        return [
            ranker_signature(self.ranker, validated=self.valid is not None),
            f"train:{self.train.name}",
            *([] if self.valid is None else [f"valid:{self.valid.name}"]),
            f"features:{len(self.train.names)}",
        ]

    def sections(self) -> list[Section]:
        lists, documents = len(self.train.query_ids), len(self.train)
        models = self.ranker.models_
        sentence = (
            f"Trained on {pluralise_queries(lists)} with {pluralise(documents, 'document')} and "
            f"{pluralise(len(self.train.names), 'feature')}"
        )
        if self.valid is not None:
            value_source = "of the trees that were kept" if self.rounds == "trees" else "of its best epoch"
            is_mean = as_measure("stop_on", self.ranker.stop_on).summary == "mean"
            sentence += (
                f"; on {pluralise_queries(len(self.valid.query_ids))} of {self.valid.name} the "
                f"{'mean ' if is_mean else ''}"
                f"{self.ranker.stop_on} {value_source} is {self.mean_value:.4f}"
            )
        kept_values = [model.values[model.best_epoch] for model in models] if self.valid is not None else []
        kept_losses = [model.losses[model.best_epoch] for model in models] if models[0].losses else []
        table = table_of(
            column("model", range(1, len(models) + 1)),
            column(self.rounds, (model.epochs for model in models)),
            column("kept", (model.best_epoch + 1 for model in models)),
            column("loss", kept_losses, format_loss) if kept_losses else None,
            column(str(self.ranker.stop_on), kept_values, digits()) if kept_values else None,
        )
        names = [f"model {m}" for m in range(1, len(models) + 1)]
        return [
            Section(title="", sentence=sentence + ".", table=table),
            *epoch_curves(
                names, [model.values for model in models], str(self.ranker.stop_on), f"Validation by {self.rounds[:-1]}"
            ),
            *epoch_curves(names, [model.losses for model in models], "loss", f"Loss of training by {self.rounds[:-1]}"),
        ]

    def contents(self) -> str:
        """What it holds, in a few words."""
        models = pluralise(len(self.ranker.models_), "model")
        queries = pluralise_queries(len(self.train.query_ids))
        return f"{str(parse_objective(self.ranker.loss))!r}, {models}, {queries}"


def format_loss(loss: float) -> str:
    """A loss with four digits, with an exponent where it is very large."""
    return f"{loss:.4f}" if abs(loss) < 1e6 else f"{loss:.3e}"


def epoch_curves(names: list[str], curves: list[tuple[float, ...]], y_title: str, title: str) -> list[Section]:
    """A figure of values by epoch, a line a name; none where no curve has two points."""
    longest = max(map(len, curves), default=0)
    if longest < 2:
        return []
    values = np.full((len(names), longest), np.nan)
    for row, curve in zip(values, curves, strict=True):
        row[: len(curve)] = curve
    x = list(range(1, longest + 1))
    data = {"x": x, "x_title": "epoch", "measures": names, "values": values, "y_title": y_title}
    return [Section(title=title, figure=Figure("condition_lines", data), folded=True)]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class BlendTraining(Result):
    """A trained blend with the training of each of its rankers.

    The tidy table has the column ranker and those of `Training`.

    Attributes
    ----------
    blend
        The trained blend.
    train
        The training lists.
    valid
        The validation lists; None if there are none.
    settings
        All settings that change the numbers, for the signature.
    """

    COLUMNS = ("ranker", "model", "epoch", "part", "measure", "value")

    blend: Blend
    train: Features
    valid: Features | None
    settings: Mapping[str, Any]

    @cached_property
    def trainings(self) -> dict[str, Training]:
        """The training of each ranker, by name."""
        names = self.blend.parameters_["rankers"]
        return {
            name: Training(ranker=ranker, train=self.train, valid=self.valid)
            for name, ranker in zip(names, self.blend.rankers_, strict=True)
        }

    def records(self) -> Iterator[tuple[Any, ...]]:
        for name, training in self.trainings.items():
            yield from ((name, *row) for row in training.records())

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes that all rankers share, then those of single rankers."""
        notes_by_ranker = {name: training.notes for name, training in self.trainings.items()}
        shared_notes = [
            note
            for note in next(iter(notes_by_ranker.values()))
            if all(note in notes for notes in notes_by_ranker.values())
        ]
        ranker_notes = [
            f"{name}: {note}" for name, notes in notes_by_ranker.items() for note in notes if note not in shared_notes
        ]
        return (*shared_notes, *ranker_notes)

    @cached_property
    def value(self) -> float | None:
        """The value of `stop_on` for the blend on the validation lists; None without."""
        if self.valid is None:
            return None
        first_ranker = self.blend.rankers_[0]
        max_grade = max(highest_grade(features.relevance) for features in (self.train, self.valid))
        stopping = EarlyStopping(self.valid, as_measure("stop_on", first_ranker.stop_on), 1, max_grade=max_grade)
        scores = self.blend.predict(self.valid)
        order = self.valid.order
        stopping.add_epoch(scores if order is None else scores[order])
        return stopping.values[0]

    def signature_parts(self) -> list[str]:
        settings = [f"{name}:{value}" for name, value in self.settings.items()]
        data = [f"train:{self.train.name}", *([] if self.valid is None else [f"valid:{self.valid.name}"])]
        return ["blend", *settings, *data, f"features:{len(self.train.names)}"]

    def sections(self) -> list[Section]:
        n, value = len(self.trainings), self.value
        sentence = (
            f"Trained a blend of {pluralise(n, 'ranker')} on {pluralise_queries(len(self.train.query_ids))} with "
            f"{pluralise(len(self.train), 'document')} and {pluralise(len(self.train.names), 'feature')}"
        )
        measure = str(self.blend.rankers_[0].stop_on)
        if self.valid is not None and value is not None:
            mean_word = "mean " if as_measure("stop_on", self.blend.rankers_[0].stop_on).summary == "mean" else ""
            sentence += (
                f"; on {pluralise_queries(len(self.valid.query_ids))} of {self.valid.name} the {mean_word}{measure} of "
                f"the blend is {value:.4f}"
            )
        trainings = self.trainings.values()
        table = table_of(
            column("ranker", self.trainings, name=True),
            column("kept", trainings, lambda training: f"{training.mean_kept:.4g} {training.rounds}"),
            column(measure, (training.mean_value for training in trainings), digits()) if self.valid else None,
            column("weight", self.blend.combination_.weights, digits(2)),
        )
        first_models = [training.ranker.models_[0] for training in trainings]
        return [
            Section(title="", sentence=sentence + ".", table=table),
            *epoch_curves(
                list(self.trainings), [model.values for model in first_models], measure, "Validation by epoch or tree"
            ),
        ]

    def contents(self) -> str:
        """What it holds, in a few words."""
        return f"{pluralise(len(self.trainings), 'ranker')}, {pluralise_queries(len(self.train.query_ids))}"
