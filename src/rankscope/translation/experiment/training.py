"""Training of the metrics of one fold."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from rankscope.data.features import Features
from rankscope.data.hits import Hits
from rankscope.kernels.segments import place_in_group
from rankscope.learning.losses.registry import parse_loss
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


#: The models of the paper and a pointwise one, and their losses. Efron's average of tied ranks needs no random order.
LOSSES = {"ListNet": "listnet", "ListMLE": "listmle(ties='efron')", "RankNet": "ranknet", "pointwise": "squared"}
#: Chosen beforehand, and the same for all: how strongly weights are drawn to 0, and steps of a linear scorer.
WEIGHT_DECAY, STEPS = 1e-4, 500
#: A segment in so many is held out where training is to stop in time.
HELD_OUT = 10


class LearnedMetric(NamedTuple):
    """A loss on a set of features. columns: their names."""

    name: str
    loss: str
    features: str
    columns: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class PairTau(Measure):
    """Pairs of translations that are in people's order less those that are not; the mean over lists has the order of
    the segment tau over all of their pairs, and so stops training at the same epoch. In [-n, n], n the pairs of a list.
    """

    name = "PairTau"
    range = (-10.0, 10.0)
    needs_relevant = False
    source = "Callison-Burch et al. (2010), the numerator of their tau"

    def values(self, hits: Hits) -> Floats:
        lists = hits.offsets.size - 1
        grades = np.full((lists, int(np.diff(hits.offsets).max(initial=0))), np.nan)
        grades[np.repeat(np.arange(lists), np.diff(hits.offsets)), place_in_group(hits.offsets)] = hits.relevance
        first, second = np.triu_indices(grades.shape[1], 1)
        found: Floats = np.nan_to_num(np.sign(grades[:, first] - grades[:, second])).sum(axis=1)
        return found


class FoldTraining(NamedTuple):
    """train: judgments with all columns. test: (systems, lines, columns) translations to be scored. columns: names."""

    train: Features
    test: Reals
    columns: tuple[str, ...]
    models: tuple[LearnedMetric, ...]
    hidden: tuple[int, ...]
    seed: int


def random_models(models: Sequence[LearnedMetric], hidden: Sequence[int]) -> bool:
    """Whether another seed gives another ranker."""
    return bool(hidden) or any(parse_loss(model.loss).random for model in models)


def train_fold(trial: FoldTraining) -> Floats:
    """(models, systems, lines) scores, higher is better."""
    systems, lines, _ = trial.test.shape
    found = np.empty((len(trial.models), systems, lines))
    for m, model in enumerate(trial.models):
        places = [trial.columns.index(name) for name in model.columns]
        features = replace(trial.train, values=trial.train.values[:, places], names=model.columns, where=None)
        ranker = train_ranker(features, model.loss, trial.hidden, trial.seed)
        found[m] = ranker.predict(trial.test[:, :, places].reshape(-1, len(places))).reshape(systems, lines)
    return found


def train_ranker(features: Features, loss: str, hidden: tuple[int, ...], seed: int) -> Ranker:
    """A linear scorer on all lists; with hidden layers, stopped where the tau of segments held out is best.

    What a linear scorer minimises has one lowest point, which it is taken to: there is nothing to stop before.
    """
    if not hidden:
        ranker = Ranker(loss, hidden=(), epochs=STEPS, weight_decay=WEIGHT_DECAY, transform="standard", rng=seed)
        return ranker.fit(features)
    ranker = Ranker(loss, hidden=hidden, weight_decay=WEIGHT_DECAY, transform="standard", stop_on=PairTau(), rng=seed)
    held = np.array([is_held_out(name, seed) for name in features.query_ids])
    if not held.any() or held.all():
        return ranker.fit(features)
    return ranker.fit(features.select(np.flatnonzero(~held)), eval_set=features.select(np.flatnonzero(held)))


def is_held_out(name: str, seed: int) -> bool:
    """Whether a judgment is held out: those of one segment all are or none; names are as `lists_of_judgments` gives."""
    segment = name.rpartition("#")[0]
    return zlib.crc32(f"{seed} {segment}".encode()) % HELD_OUT == 0
