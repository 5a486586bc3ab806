"""Training of the learned metrics of one fold."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from rankscope.data.features import Features
from rankscope.data.hits import Hits
from rankscope.kernels.segments import place_in_group
from rankscope.learning.losses import parse_loss
from rankscope.learning.ranker import Ranker
from rankscope.measures.base import Measure
from rankscope.typing import Floats, Reals

__all__ = [
    "LOSSES",
    "FoldTraining",
    "LearnedMetric",
    "PairTau",
    "train_fold",
]


#: Losses of the paper's models and of a pointwise one. Efron's average of tied ranks needs no random order.
LOSSES = {"ListNet": "listnet", "ListMLE": "listmle(ties='efron')", "RankNet": "ranknet", "pointwise": "squared"}
#: Fixed beforehand, the same for all models: weight decay, and steps of a linear scorer.
WEIGHT_DECAY, STEPS = 1e-4, 500
#: With early stopping, one segment in so many is held out.
HELD_OUT = 10


class LearnedMetric(NamedTuple):
    """A loss on a set of features.

    Attributes
    ----------
    name
        Name of the model.
    loss
        The loss.
    features
        Name of the set of features.
    columns
        Names of the features.
    """

    name: str
    loss: str
    features: str
    columns: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class PairTau(Measure):
    """Pairs of translations in people's order less the others; in [-n, n], n the number of pairs of a list.

    The mean over lists orders models as the segment tau over all of their pairs does, and so stops training at the same
    epoch.
    """

    name = "PairTau"
    range = (-10.0, 10.0)
    needs_relevant = False
    source = "Callison-Burch et al. (2010), the numerator of their tau"

    def values(self, hits: Hits) -> Floats:
        n_lists = hits.offsets.size - 1
        grades = np.full((n_lists, int(np.diff(hits.offsets).max(initial=0))), np.nan)
        grades[np.repeat(np.arange(n_lists), np.diff(hits.offsets)), place_in_group(hits.offsets)] = hits.relevance
        first, second = np.triu_indices(grades.shape[1], 1)
        values: Floats = np.nan_to_num(np.sign(grades[:, first] - grades[:, second])).sum(axis=1)
        return values


class FoldTraining(NamedTuple):
    """The training of one fold.

    Attributes
    ----------
    train
        Judgments with all columns.
    test
        Translations to score, (systems, lines, columns).
    columns
        Names of the columns.
    models
        Models to train.
    hidden
        Sizes of hidden layers.
    seed
        Random seed.
    """

    train: Features
    test: Reals
    columns: tuple[str, ...]
    models: tuple[LearnedMetric, ...]
    hidden: tuple[int, ...]
    seed: int


def random_models(models: Sequence[LearnedMetric], hidden: Sequence[int]) -> bool:
    """Whether another seed gives another ranker."""
    return bool(hidden) or any(parse_loss(model.loss).random for model in models)


def train_fold(training: FoldTraining) -> Floats:
    """(models, systems, lines) scores, higher is better."""
    systems, lines, _ = training.test.shape
    scores = np.empty((len(training.models), systems, lines))
    for m, model in enumerate(training.models):
        column_indices = [training.columns.index(name) for name in model.columns]
        features = replace(
            training.train, values=training.train.values[:, column_indices], names=model.columns, where=None
        )
        ranker = train_ranker(features, model.loss, training.hidden, training.seed)
        scores[m] = ranker.predict(training.test[:, :, column_indices].reshape(-1, len(column_indices))).reshape(
            systems, lines
        )
    return scores


def train_ranker(features: Features, loss: str, hidden: tuple[int, ...], seed: int) -> Ranker:
    """A linear scorer on all lists; with hidden layers, stopped where the tau of held-out segments is best.

    The loss of a linear scorer has one minimum, so that it is trained to the end.
    """
    if not hidden:
        ranker = Ranker(loss, hidden=(), epochs=STEPS, weight_decay=WEIGHT_DECAY, transform="standard", rng=seed)
        return ranker.fit(features)
    ranker = Ranker(loss, hidden=hidden, weight_decay=WEIGHT_DECAY, transform="standard", stop_on=PairTau(), rng=seed)
    held_out = np.array([is_held_out(name, seed) for name in features.query_ids])
    if not held_out.any() or held_out.all():
        return ranker.fit(features)
    return ranker.fit(features.select(np.flatnonzero(~held_out)), eval_set=features.select(np.flatnonzero(held_out)))


def is_held_out(name: str, seed: int) -> bool:
    """Whether a judgment is held out; all of a segment are or none. name: as `lists_of_judgments` gives it."""
    segment = name.rpartition("#")[0]
    return zlib.crc32(f"{seed} {segment}".encode()) % HELD_OUT == 0
