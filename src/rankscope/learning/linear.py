"""A linear scorer trained on all lists at once by L-BFGS."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rankscope.data.features import Features
from rankscope.data.grades import highest_grade
from rankscope.errors import InputError
from rankscope.learning.early_stopping import EarlyStopping
from rankscope.learning.features import informative_lists
from rankscope.learning.losses import Loss
from rankscope.learning.network import TrainedNetwork, Weights, score_documents
from rankscope.typing import Floats, Floats32

__all__ = [
    "train_linear",
]


def train_linear(
    values: Floats32,
    features: Features,
    loss: Loss,
    *,
    l2: float,
    iterations: int,
    stopping: EarlyStopping | None = None,
    valid_values: Floats32 | None = None,
    rng: np.random.Generator | None = None,
    progress: Callable[[int], Any] | None = None,
) -> TrainedNetwork:
    """The weights that minimise the loss plus l2 / 2 times their squares; an iteration counts as an epoch.

    A loss that draws random numbers draws the same ones in every call, since the minimiser needs a fixed function.
    Raises InputError where the loss is no number.
    """
    from scipy.optimize import minimize

    max_grade = highest_grade(features.relevance)
    lists = informative_lists(features)
    if lists.size < len(features.query_ids):
        values, features = values[np.isin(features.group, lists)], features.select(lists)
    seed = int((rng or np.random.default_rng(0)).integers(2**63))
    table = values.astype(np.float64)
    losses: list[float] = []
    best_weights = np.zeros(table.shape[1])
    last_trial: list[tuple[Floats, float]] = []  # the last weights that were tried, and their loss

    def objective(weights: Floats) -> tuple[float, Floats]:
        loss_rng = np.random.default_rng(seed)
        value, slope = loss(table @ weights, features.relevance, features.offsets, rng=loss_rng, max_grade=max_grade)
        if not np.isfinite(value):
            raise InputError(f"the loss {loss} is {value}, expected a number; scale the features")
        last_trial[:] = [(weights.copy(), value)]
        return value + l2 / 2 * float(weights @ weights), slope @ table + l2 * weights

    def record_iteration(weights: Floats) -> None:
        nonlocal best_weights
        if not np.array_equal(last_trial[0][0], weights):  # a search ends with the weights that it tried last
            objective(weights)
        losses.append(last_trial[0][1])
        if progress is not None:
            progress(1)
        if stopping is None or valid_values is None:
            best_weights = weights.copy()
            return
        if stopping.add_epoch(score_documents(as_layer(weights), valid_values)):  # by the weights as they are kept
            best_weights = weights.copy()
        if stopping.should_stop:
            raise StopIteration  # ends the search

    minimize(
        objective, best_weights, jac=True, method="L-BFGS-B", callback=record_iteration, options={"maxiter": iterations}
    )
    if not losses:  # no iteration: no feature varies, or no step made the loss smaller
        record_iteration(best_weights)
    best_epoch = len(losses) - 1 if stopping is None else stopping.best_epoch
    return TrainedNetwork(
        weights=as_layer(best_weights),
        losses=tuple(losses),
        values=() if stopping is None else tuple(stopping.values),
        best_epoch=best_epoch,
    )


def as_layer(weights: Floats) -> Weights:
    """The last layer of a network without hidden ones."""
    return [weights[:, None].astype(np.float32), np.zeros(1, np.float32)]
