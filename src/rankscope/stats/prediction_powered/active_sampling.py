"""Active sampling: the chances with which items are judged next, so that intervals become narrow soonest."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import ceil
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.errors import ParameterError
from rankscope.stats.cluster_sums import checked_weights
from rankscope.stats.inputs import check_choice, check_share, is_real
from rankscope.stats.prediction_choices import ALLOCATIONS
from rankscope.stats.prediction_powered.combined import (
    as_lists,
    checked_chances,
    prediction_powered,
)
from rankscope.stats.prediction_powered.expected_width import fewest_enough
from rankscope.stats.prediction_powered.single_queries import FEWEST, quantile
from rankscope.typing import Bools, Floats, Ints

__all__ = [
    "FEWEST_IN_STRATUM",
    "ActiveSampling",
    "active_sampling",
    "chances_within",
    "systematic_sample",
]


#: Labels that every stratum must have: of fewer nothing says how they vary.
FEWEST_IN_STRATUM = 2
#: A budget of costs for a width is found in so many parts of what all other labels cost.
STEPS_OF_COST = 1000
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
    budget: float | None = None,
    width: float | None = None,
    chances: npt.ArrayLike | None = None,
    weights: npt.ArrayLike | None = None,
    costs: npt.ArrayLike | None = None,
    strata: npt.ArrayLike | None = None,
    allocation: str = "neyman",
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
    width
        In the place of a budget: the width that no expected interval may exceed. The smallest budget is found, in whole
        labels, or with costs in thousandths of what all other labels cost.
    chances
        (N) the chance with which each item was judged so far. None: n / N for all, within each stratum.
    weights
        (N) how much each item counts. None: all count the same.
    costs
        (N) what the label of each item costs. None: 1 for all.
    strata
        (N) the stratum of each item, between which the budget is shared out. None: there is one.
    allocation
        How it is shared out: "neyman", so that all labels, those so far included, are as a stratum's number of items
        times the spread of its residuals, over the root of what its labels cost; or "proportional", as its number of
        items. Every stratum has 2 labels, where it has 2 items.
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
        Shapes do not match, fewer than 5 items are judged or all are, there is not either a budget or a width, the
        budget is not above 0, more than all other labels cost, or too small for 2 labels in each stratum, or all labels
        together leave a wider interval.

    Notes
    -----
    The variance of the combined estimate has the part sum s^2 (1 / q - 1) / N^2, with s^2 the expected square of an
    item's residual and q its chance to be judged, before or next. It is least for a given cost if q is as s over the
    root of the cost, so far as q is neither above 1 nor below the chance that the item had before. A quarter of the
    labels is spread evenly.

    s^2 is the mean square of the residuals of the judged items nearest to this one by the machine's value. Its own
    residual does not count, so that its chance does not depend on its label, and the estimate from all labels stays
    unbiased but for small terms, although the chances were learned from some of them.

    With strata, residuals are from the mean of the stratum, and s^2 is that of its own judged items if these are 5 or
    more, drawn towards that of all as if 3 more items had it. The spread of a stratum is the root of its mean s^2.

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
    check_choice("allocation", allocation, ALLOCATIONS)
    h, m, u, _ = as_lists(human, machine, others)
    all_machine = np.concatenate((m, u), axis=1)
    n, n_all = h.shape[1], all_machine.shape[1]
    if n < FEWEST or n == n_all:
        raise ParameterError(f"people judged {n} of {n_all} items, expected at least {FEWEST} of them and not all")
    if (budget is None) == (width is None):
        raise ParameterError(f"budget is {budget!r} and width {width!r}, expected a number for one of them")
    codes = None if strata is None else stratum_codes(strata, n_all)
    before = chances_before(chances, n, n_all, codes)
    shares = checked_weights(weights, n_all)
    shares = shares / shares.mean()
    prices = np.ones(n_all) if costs is None else checked_weights(costs, n_all) * np.max(np.asarray(costs, np.float64))
    result = prediction_powered(h, m, u, chances=before[:n], weights=shares, population=population)
    w = np.atleast_1d(result.weight)
    squares, deviations = stratified_squares(h, all_machine, w, before[:n], shares, codes)
    human_variance = (
        np.zeros(len(h))
        if population == "items"
        else np.average(deviations**2, axis=1, weights=shares[:n] / before[:n]) * (shares**2).mean() / n_all
    )
    outlay = Outlay(
        n=n,
        before=before,
        prices=prices,
        shares=shares,
        squares=squares,
        human_variance=human_variance,
        strata=codes,
        allocation=allocation,
        confidence_level=confidence_level,
    )
    if budget is None:
        budget = outlay.budget_for(width, 1.0 if costs is None else outlay.most / STEPS_OF_COST)
    outlay.check_budget(budget)
    after = outlay.chances(budget)
    half_widths = [outlay.half_widths(x, outlay.n_labels(after)) for x in (after, outlay.even(budget))]
    return ActiveSampling(
        chances=after,
        total_chances=before + (1 - before) * after,
        half_width=half_widths[0],
        half_width_even=half_widths[1],
        n_labels=outlay.n_labels(after),
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class Outlay:
    """What labels of people would bring.

    Attributes
    ----------
    n
        How many items people judged, the first ones.
    before
        (N) the chance with which each item was judged so far.
    prices, shares
        (N) what its label costs, and how much it counts, 1 on average.
    squares
        (lists, N) the expected square of its residual.
    human_variance
        (lists) what remains of the variance if people judge all items.
    strata
        (N) codes of strata; None if there is one.
    allocation
        How a budget is shared out between them.
    confidence_level
        Level of the intervals.
    """

    n: int
    before: Floats
    prices: Floats
    shares: Floats
    squares: Floats
    human_variance: Floats
    strata: Ints | None
    allocation: str
    confidence_level: float

    @cached_property
    def open(self) -> Floats:
        """(N) how far each label is still to be had: the chance that the item was not judged; with strata, whose
        numbers of labels are to be kept to, 1 where it was not.
        """
        if self.strata is None:
            return 1 - self.before
        return (np.arange(self.before.size) >= self.n).astype(np.float64)

    @cached_property
    def most(self) -> float:
        """What all other labels cost."""
        return float((self.open * self.prices).sum())

    @cached_property
    def importance(self) -> Floats:
        """(N) the expected squares of residuals in units of those of their list, averaged over lists."""
        scale = self.squares.mean(axis=1, keepdims=True)
        return np.asarray(
            np.divide(self.squares, scale, out=np.ones_like(self.squares), where=scale > 0).mean(axis=0), np.float64
        )

    @cached_property
    def scores(self) -> Floats:
        """(N) what chances are proportional to at best."""
        return np.asarray(self.shares * np.sqrt(self.importance / self.prices))

    @cached_property
    def rooms(self) -> Rooms:
        """What the strata hold. Only with strata."""
        assert self.strata is not None
        sizes = np.bincount(self.strata)
        judged = np.bincount(self.strata[: self.n], minlength=sizes.size)
        prices = np.bincount(self.strata, self.open * self.prices, sizes.size) / np.maximum(sizes - judged, 1)
        spread = np.sqrt(np.bincount(self.strata, self.shares**2 * self.importance, sizes.size) / sizes)
        is_neyman = self.allocation == "neyman" and (spread > 0).any()
        return Rooms(
            judged=judged,
            free=sizes - judged,
            needed=np.minimum(np.maximum(FEWEST_IN_STRATUM - judged, 0), sizes - judged),
            prices=prices,
            scores=sizes * spread / np.sqrt(np.where(prices > 0, prices, 1.0)) if is_neyman else sizes.astype(float),
        )

    def check_budget(self, budget: Any) -> None:
        """Raise ParameterError for a budget that cannot be spent, or is too small for 2 labels in each stratum."""
        if not (is_real(budget) and 0 < budget <= self.most * (1 + 1e-9)):
            raise ParameterError(
                f"budget is {budget!r}, expected a number above 0 and at most {self.most:g}, what all other labels cost"
            )
        if self.strata is not None and budget < self.rooms.least * (1 - 1e-9):
            raise ParameterError(
                f"budget is {budget:g}, expected at least {self.rooms.least:g}, so that each of {self.rooms.free.size} "
                f"strata has {FEWEST_IN_STRATUM} labels; raise it, or join strata"
            )

    def chances(self, budget: float) -> Floats:
        """(N) the chance with which each item is judged next, if it was not judged before."""
        if self.strata is None:
            return chances_within(self.scores, self.before, self.open * self.prices, budget, self.even(budget))
        after, labels = np.zeros(self.before.size), self.rooms.shared_out(budget)
        for g in np.flatnonzero(labels > 0).tolist():
            rows = np.flatnonzero(self.strata == g)
            is_free = self.open[rows]
            even = np.full(rows.size, min(1.0, labels[g] / self.rooms.free[g]))
            own_budget = labels[g] * self.rooms.prices[g]
            own = chances_within(self.scores[rows], self.before[rows], is_free * self.prices[rows], own_budget, even)
            has_enough = (own * is_free).sum() >= self.rooms.needed[g] - 1e-9  # not if dear ones are likelier
            after[rows] = own if has_enough else even
        return after

    def even(self, budget: float) -> Floats:
        """(N) the chance of each if all have the same."""
        return np.full(self.before.size, min(1.0, budget / self.most))

    def n_labels(self, after: Floats) -> float:
        """The expected number of new labels."""
        return float((self.open * after).sum())

    def half_widths(self, after: Floats, n_labels: float) -> Floats:
        """(lists) half the expected widths of the intervals."""
        q = self.before + (1 - self.before) * after
        with np.errstate(divide="ignore"):  # a stratum that nobody judges
            variance = (self.shares**2 * self.squares * (1 / q - 1)).sum(axis=1) / self.before.size**2
        return np.asarray(
            quantile(self.n + n_labels - 2, self.confidence_level) * np.sqrt(self.human_variance + variance)
        )

    def budget_for(self, width: Any, step: float) -> float:
        """The smallest budget, in steps, with which no interval is expected to be wider. Raises ParameterError if all
        labels are not enough.
        """
        if not (is_real(width) and width > 0):
            raise ParameterError(f"width is {width!r}, expected a number above 0")

        def budget_of(k: int) -> float:
            return min(k * step, self.most)

        def widest(k: int) -> float:
            after = self.chances(budget_of(k))
            return float(2 * self.half_widths(after, self.n_labels(after)).max())

        last = ceil(self.most / step - 1e-9)
        least = 1 if self.strata is None else max(1, ceil(self.rooms.least / step - 1e-9))
        k = fewest_enough(lambda k: widest(k) <= width, least, max(least, last))
        if k is None:
            raise ParameterError(
                f"width is {width:g}, but with labels of all items intervals are still {widest(last):.4g} wide; "
                "expected a greater width, or more items"
            )
        return budget_of(k)


class Rooms(NamedTuple):
    """What strata hold; all (strata).

    Attributes
    ----------
    judged, free, needed
        Numbers of items: judged, not judged, and those that must be judged next, so that 2 are.
    prices
        What a label of those not judged costs on average.
    scores
        What the numbers of all labels are proportional to at best.
    """

    judged: Ints
    free: Ints
    needed: Ints
    prices: Floats
    scores: Floats

    @property
    def least(self) -> float:
        """What the labels cost that must be had."""
        return float((self.needed * self.prices).sum())

    def shared_out(self, budget: float) -> Floats:
        """(strata) numbers of new labels that cost the budget."""

        def labels(level: float) -> Floats:
            return np.clip(level * self.scores - self.judged, self.needed, self.free)

        low, high = 0.0, float(((self.judged + self.free) / np.maximum(self.scores, 1e-12)).max())
        for _ in range(STEPS):
            level = (low + high) / 2
            low, high = (level, high) if (labels(level) * self.prices).sum() < budget else (low, level)
        return labels(high)


def chances_before(chances: npt.ArrayLike | None, n: int, n_all: int, strata: Ints | None) -> Floats:
    """(N) the chance with which each item was judged so far; without any, the share of its stratum that was."""
    if chances is not None:
        return checked_chances(chances, n_all)
    if strata is None:
        return np.full(n_all, n / n_all)
    sizes = np.bincount(strata)
    return (np.bincount(strata[:n], minlength=sizes.size) / sizes)[strata]


def stratum_codes(strata: npt.ArrayLike, n_all: int) -> Ints:
    """(N) codes of strata. Raises ParameterError if they are not one for each item."""
    labels = np.asarray(strata)
    if labels.shape != (n_all,):
        raise ParameterError(f"strata have shape {labels.shape}, expected one for each of {n_all} items")
    return np.asarray(np.unique(labels, return_inverse=True)[1], np.int64)


def stratified_squares(
    h: Floats, all_machine: Floats, w: Floats, chances: Floats, shares: Floats, strata: Ints | None
) -> tuple[Floats, Floats]:
    """(lists, N) the expected square of each item's residual, and (lists, n) deviations of people's values from their
    mean; of a stratum with 5 judged items or more by its own.
    """
    n = h.shape[1]
    deviations = h - h.mean(axis=1, keepdims=True)
    squares = residual_squares(h, all_machine, w, chances, shares)
    if strata is None:
        return squares, deviations
    n_judged = np.bincount(strata[:n], minlength=int(strata.max()) + 1)
    for g in np.flatnonzero(n_judged >= FEWEST).tolist():
        rows = np.flatnonzero(strata == g)
        judged = rows[: n_judged[g]]
        own = residual_squares(h[:, judged], all_machine[:, rows], w, chances[judged], shares[rows])
        squares[:, rows] = (n_judged[g] * own + PRIOR * squares[:, rows]) / (n_judged[g] + PRIOR)
        deviations[:, judged] = h[:, judged] - h[:, judged].mean(axis=1, keepdims=True)
    return squares, deviations


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


def systematic_sample(chances: Floats, rng: np.random.Generator, strata: Ints | None = None) -> Bools:
    """(items) which are chosen, each with its chance: in random order, an item at every whole sum of chances.

    strata: (items) codes; items of a stratum follow one another, so that their number, too, is near the expected one.
    """
    order = rng.permutation(chances.size)
    if strata is not None:
        order = order[np.argsort(strata[order], kind="stable")]
    ends = np.floor(np.cumsum(chances[order]) + rng.random())
    is_chosen = np.zeros(chances.size, np.bool_)
    is_chosen[order] = np.diff(ends, prepend=0.0) > 0
    return is_chosen
