"""A linear scorer trained on all lists at once by L-BFGS."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rankscope.data.features import Features
from rankscope.errors import InputError
from rankscope.learning.early_stopping import EarlyStopping
from rankscope.learning.features import informative_lists
from rankscope.learning.losses.registry import Loss
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
    watch: EarlyStopping | None = None,
    validation: Floats32 | None = None,
    rng: np.random.Generator | None = None,
    progress: Callable[[int], Any] | None = None,
) -> TrainedNetwork:
    """The weights that minimise the loss and l2 / 2 times their squares; an iteration counts as an epoch.

    A loss that draws random numbers draws the same ones in every call, or there would be nothing to minimise.
    Raises InputError where the loss is no number.
    """
    from scipy.optimize import minimize

    highest = int(features.relevance.max())
    lists = informative_lists(features)
    if lists.size < len(features.query_ids):
        chosen = features.select(lists)
        rows = np.isin(features.group, lists)
        values, features = values[rows], chosen
    seed = int((rng or np.random.default_rng(0)).integers(2**63))
    table = values.astype(np.float64)
    losses: list[float] = []
    best = np.zeros(table.shape[1])
    seen: list[tuple[Floats, float]] = []  # the last weights that were tried, and their loss

    def objective(weights: Floats) -> tuple[float, Floats]:
        draws = np.random.default_rng(seed)
        value, slope = loss(table @ weights, features.relevance, features.offsets, rng=draws, max_grade=highest)
        if not np.isfinite(value):
            raise InputError(f"the loss {loss} is {value}, expected a number; scale the features")
        seen[:] = [(weights.copy(), value)]
        return value + l2 / 2 * float(weights @ weights), slope @ table + l2 * weights

    def after(weights: Floats) -> None:
        nonlocal best
        if not np.array_equal(seen[0][0], weights):  # those that a search ends with are those that it tried last
            objective(weights)
        losses.append(seen[0][1])
        if progress is not None:
            progress(1)
        if watch is None or validation is None:
            best = weights.copy()
            return
        if watch.better(score_documents(as_layer(weights), validation)):  # as what is kept will score them
            best = weights.copy()
        if watch.over:
            raise StopIteration  # which ends the search

    minimize(objective, best, jac=True, method="L-BFGS-B", callback=after, options={"maxiter": iterations})
    if not losses:  # there was nothing to search for: no feature varies, or no step made the loss smaller
        after(best)
    kept = len(losses) - 1 if watch is None else watch.best_epoch
    return TrainedNetwork(
        weights=as_layer(best),
        losses=tuple(losses),
        values=() if watch is None else tuple(watch.values),
        best_epoch=kept,
    )


def as_layer(weights: Floats) -> Weights:
    """The last layer of a network without hidden ones."""
    return [weights[:, None].astype(np.float32), np.zeros(1, np.float32)]
