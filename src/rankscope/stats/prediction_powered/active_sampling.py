"""Active sampling: the chances with which items are judged next, so that intervals become narrow soonest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rankscope.errors import ParameterError
from rankscope.stats.cluster_sums import checked_weights
from rankscope.stats.inputs import check_share, is_real
from rankscope.stats.prediction_powered.combined import (
    as_lists,
    checked_chances,
    prediction_powered,
)
from rankscope.stats.prediction_powered.single_queries import FEWEST, quantile
from rankscope.typing import Bools, Floats

__all__ = [
    "ActiveSampling",
    "active_sampling",
    "chances_within",
    "systematic_sample",
]


#: Share of the labels that are spread evenly, since residuals are known from few items.
EVEN = 0.25
#: Neighbours by the machine's value whose residuals are averaged, in roots of the number of judged items; and as how
#: many of them the mean over all counts.
NEIGHBOURS, PRIOR = 1.5, 3.0
#: Steps of the bisection for the level of chances.
STEPS = 60


@dataclass(frozen=True, eq=False, kw_only=True)
class ActiveSampling:
    """Chances of items to be judged next.

    Attributes
    ----------
    chances
        (N) the chance with which each item is judged next, if it was not judged before; items are chosen independently.
    total_chances
        (N) the chance with which each is judged, before or next: what the estimate from all labels takes.
    half_width
        (lists) half the expected width of the intervals with the labels so far and these.
    half_width_even
        (lists) the same with as many labels at random.
    n_labels
        Expected number of new labels.
    """

    chances: Floats
    total_chances: Floats
    half_width: Floats
    half_width_even: Floats
    n_labels: float


def active_sampling(
    human: npt.ArrayLike,
    machine: npt.ArrayLike,
    others: npt.ArrayLike,
    *,
    budget: float,
    chances: npt.ArrayLike | None = None,
    weights: npt.ArrayLike | None = None,
    costs: npt.ArrayLike | None = None,
    population: str = "source",
    confidence_level: float = 0.95,
) -> ActiveSampling:
    """Choose chances to be judged next by how far people's values are from what the machine predicts.

    Parameters
    ----------
    human, machine, others
        Values as for `prediction_powered`: of people and of the machine on the n items judged so far, and of the
        machine on the N - n others. Intervals of all lists count alike, each in units of its own residuals.
    budget
        Expected cost of the new labels; without costs their number.
    chances
        (N) the chance with which each item was judged so far. None: n / N for all.
    weights
        (N) how much each item counts. None: all count the same.
    costs
        (N) what the label of each item costs. None: 1 for all.
    population
        As for `prediction_powered`.
    confidence_level
        Level of the intervals, in (0, 1).

    Returns
    -------
    ActiveSampling
        The chances, and how wide intervals will be.

    Raises
    ------
    ParameterError
        Shapes do not match, fewer than 5 items are judged or all are, or the budget is not above 0 or more than all
        other labels cost.

    Notes
    -----
    The variance of the combined estimate has the part sum s^2 (1 / q - 1) / N^2, with s^2 the expected square of an
    item's residual and q its chance to be judged, before or next. It is least for a given cost if q is as s over the
    root of the cost, so far as q is neither above 1 nor below the chance that the item had before. A quarter of the
    labels is spread evenly.

    s^2 is the mean square of the residuals of the judged items nearest to this one by the machine's value. Its own
    residual does not count, so that its chance does not depend on its label, and the estimate from all labels stays
    unbiased but for small terms, although the chances were learned from some of them.

    References
    ----------
    Zrnic and Candès (2024), "Active statistical inference"; Neyman (1934).

    Examples
    --------
    >>> machine = [0.1] * 6 + [0.9] * 6  # which errs on high values
    >>> human = [0.1] * 6 + [0.9, 0.1, 0.5, 0.9, 0.2, 0.4]
    >>> found = active_sampling(human, machine, [0.1] * 20 + [0.9] * 20, budget=8)
    >>> low, high = found.chances[12], found.chances[-1]
    >>> bool(low < high), round(float(found.n_labels), 6)
    (True, 8.0)
    """
    check_share("confidence_level", confidence_level)
    h, m, u, _ = as_lists(human, machine, others)
    all_machine = np.concatenate((m, u), axis=1)
    n, n_all = h.shape[1], all_machine.shape[1]
    if n < FEWEST or n == n_all:
        raise ParameterError(f"people judged {n} of {n_all} items, expected at least {FEWEST} of them and not all")
    before = np.full(n_all, n / n_all) if chances is None else checked_chances(chances, n_all)
    shares = checked_weights(weights, n_all)
    shares = shares / shares.mean()
    prices = np.ones(n_all) if costs is None else checked_weights(costs, n_all) * np.max(np.asarray(costs, np.float64))
    free = 1 - before  # the chance that an item is still to be judged
    most = float((free * prices).sum())
    if not (is_real(budget) and 0 < budget <= most * (1 + 1e-9)):
        raise ParameterError(
            f"budget is {budget!r}, expected a number above 0 and at most {most:g}, what all other labels cost"
        )
    result = prediction_powered(h, m, u, chances=before[:n], weights=shares, population=population)
    squares = residual_squares(h, all_machine, np.atleast_1d(result.weight), before[:n], shares)
    scale = squares.mean(axis=1, keepdims=True)
    importance = np.divide(squares, scale, out=np.ones_like(squares), where=scale > 0).mean(axis=0)
    even = np.full(n_all, min(1.0, budget / most))
    after = chances_within(shares * np.sqrt(importance / prices), before, free * prices, budget, even)
    total, total_even = before + free * after, before + free * even
    n_labels = float((free * after).sum())
    human_variance = (
        np.zeros(len(h))
        if population == "items"
        else np.average((h - h.mean(axis=1, keepdims=True)) ** 2, axis=1, weights=shares[:n] / before[:n])
        * (shares**2).mean()
        / n_all
    )
    half_widths = [
        quantile(n + n_labels - 2, confidence_level)
        * np.sqrt(human_variance + (shares**2 * squares * (1 / q - 1)).sum(axis=1) / n_all**2)
        for q in (total, total_even)
    ]
    return ActiveSampling(
        chances=after,
        total_chances=total,
        half_width=half_widths[0],
        half_width_even=half_widths[1],
        n_labels=n_labels,
    )


def residual_squares(h: Floats, all_machine: Floats, w: Floats, chances: Floats, shares: Floats) -> Floats:
    """(lists, N) the expected square of each item's residual, its own not counted."""
    n, n_all = h.shape[1], all_machine.shape[1]
    inverse = shares[:n] / chances
    m = all_machine[:, :n]
    residuals = h - w[:, None] * m
    residuals = residuals - np.average(residuals, axis=1, weights=inverse)[:, None]
    width = max(FEWEST, round(NEIGHBOURS * np.sqrt(n)))
    squares = np.empty(all_machine.shape)
    for i in range(len(h)):  # lists are systems and pairs
        order = np.argsort(m[i], kind="stable")
        ranked, sums = m[i, order], np.concatenate(([0.0], np.cumsum(residuals[i, order] ** 2)))
        left, right = (np.searchsorted(ranked, all_machine[i], side) for side in ("left", "right"))
        low = np.clip((left + right - width) // 2, 0, n - min(width, n))
        high = np.minimum(low + width, n)
        low, high = np.minimum(low, left), np.maximum(high, right)  # items of one value count together
        local, count = sums[high] - sums[low], (high - low).astype(np.float64)
        overall, number = np.full(n_all, sums[-1]), np.full(n_all, float(n))
        own = residuals[i] ** 2  # of a judged item, which lies in its own neighbourhood
        local[:n], overall[:n] = local[:n] - own, overall[:n] - own
        count[:n] -= 1
        number[:n] -= 1
        squares[i] = np.maximum(local + PRIOR * overall / number, 0.0) / (count + PRIOR)
    return squares


def chances_within(scores: Floats, before: Floats, expected_costs: Floats, budget: float, even: Floats) -> Floats:
    """(N) chances whose sum of expected costs is the budget; they bring the total chances near a multiple of scores.

    even: the chances that would spend the budget evenly, of which a share is spread so.
    """
    free = np.maximum(1 - before, 1e-12)
    to_spend = (1 - EVEN) * budget

    def spread(level: float) -> Floats:
        return np.asarray((1 - EVEN) * np.clip((level * scores - before) / free, 0.0, 1.0) + EVEN * even)

    low, high = 0.0, 1 / max(float(scores[scores > 0].min(initial=np.inf)), 1e-12) if (scores > 0).any() else 0.0
    if high == 0.0:
        return even
    for _ in range(STEPS):
        level = (low + high) / 2
        if float((expected_costs * (spread(level) - EVEN * even)).sum()) < to_spend:
            low = level
        else:
            high = level
    return spread(high)


def systematic_sample(chances: Floats, rng: np.random.Generator) -> Bools:
    """(items) which are chosen, each with its chance: in random order, an item at every whole sum of chances."""
    order = rng.permutation(chances.size)
    ends = np.floor(np.cumsum(chances[order]) + rng.random())
    is_chosen = np.zeros(chances.size, np.bool_)
    is_chosen[order] = np.diff(ends, prepend=0.0) > 0
    return is_chosen
