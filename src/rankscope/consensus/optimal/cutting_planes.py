"""The best order by integer programming; constraints against cycles of three items are added where needed."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rankscope.consensus.optimal.local_search import improve_orders, order_costs
from rankscope.typing import Floats, Indices, Ints

__all__ = [
    "ProvedOrder",
    "prove_order",
]


#: Cycles that are forbidden at once, the most violated first, in the linear and in the integer program.
AT_ONCE, AT_ONCE_INTEGER = 2000, 500
#: The tolerance of the solvers.
NEAR = 1e-6
#: Cycles that are tested at once.
HELD = 1 << 22


class ProvedOrder(NamedTuple):
    """order: the best found. cost: of it. bound: no order costs less; the cost itself where it is proved to be best."""

    order: Indices
    cost: float
    bound: float


@dataclass
class CuttingPlanes:
    """The state of the search for the best order of n items: the best so far, a lower bound, the decided pairs.

    A pair i < j is one variable: 1 where i is before j. `low`, `high`: (pairs) its bounds in any better order.
    Forbidden cycles, each of three items, are the constraints rows . x <= limits. `constant`: the cost where all
    variables are 0.

    Attributes
    ----------
    margins
        (items, items) whole numbers: by how much the voters prefer the item of the row to that of the column.
    best
        The best order so far.
    cost
        The cost of `best`: the margins that it reverses.
    bound
        No order costs less.
    deadline
        Time by `time.monotonic` at which the search ends. None for no limit.
    """

    margins: Floats
    best: Indices
    cost: float
    bound: float
    deadline: float | None

    def __post_init__(self) -> None:
        n = len(self.margins)
        self.pairs = np.triu_indices(n, 1)
        n_pairs = self.pairs[0].size
        self.variable = np.zeros((n, n), np.int64)
        self.variable[self.pairs] = np.arange(n_pairs)
        upper = self.margins[self.pairs]
        self.greatest = float(np.abs(upper).max(initial=1.0))
        # Scaled for the solver's tolerances. Costs are whole numbers, so a better order costs at least 1 less, or a
        # millionth of the greatest majority where that is more than the solver resolves.
        self.prices = -upper / self.greatest
        self.constant = float(np.maximum(upper, 0).sum())
        self.step = max(1 - NEAR, NEAR * self.greatest)
        self.low, self.high = np.zeros(n_pairs), np.ones(n_pairs)
        self.rows: Any = None
        self.limits = np.empty(0)

    @property
    def closed(self) -> bool:
        """Whether no order can be better than the best found."""
        return self.bound > self.cost - self.step

    @property
    def remaining(self) -> float | None:
        """Seconds until the deadline; None without one."""
        return None if self.deadline is None else self.deadline - time.monotonic()

    @property
    def out_of_time(self) -> bool:
        seconds = self.remaining
        return seconds is not None and seconds <= 0

    def solver_options(self) -> dict[str, float]:
        seconds = self.remaining
        return {} if seconds is None else {"time_limit": max(seconds, 0.01)}

    def raise_bound(self, bound: float) -> None:
        """Raise the lower bound, rounded up to a whole number."""
        next_integer = np.ceil(bound - NEAR * max(1.0, NEAR * self.greatest))
        self.bound = min(self.cost, max(self.bound, float(next_integer) if self.step < 1 else bound))

    def forbid(self, cycles: Ints) -> None:
        """Add rows for cycles (i, j, k): not all of i before j, j before k, k before i."""
        from scipy.sparse import csr_array, vstack

        successor = np.roll(cycles, -1, axis=1)
        ascending = cycles < successor
        columns = np.where(ascending, self.variable[cycles, successor], self.variable[successor, cycles])
        starts = np.arange(0, 3 * len(cycles) + 1, 3)
        signs = np.where(ascending, 1.0, -1.0)
        rows = csr_array((signs.ravel(), columns.ravel(), starts), shape=(len(cycles), self.prices.size))
        self.rows = rows if self.rows is None else vstack([self.rows, rows], format="csr")
        self.limits = np.r_[self.limits, 2.0 - (~ascending).sum(axis=1)]

    def violated_cycles(self, x: Floats, limit: int) -> Ints:
        """(cycles, 3) the most violated cycles of a solution, each with its smallest item first."""
        precedence = self.precedence_table(x)
        n = len(precedence)
        chunks = []
        items_at_once = max(1, HELD // n**2)
        for start in range(0, n, items_at_once):  # all cycles with a smallest item among these
            stop = start + items_at_once
            cycle_sums = precedence[start:stop, start:, None] + precedence[None, start:, start:]
            cycle_sums += precedence.T[start:stop, None, start:]
            i, j, k = np.nonzero(cycle_sums > 2 + NEAR)
            smallest_first = (i < j) & (i < k)
            i, j, k = i[smallest_first], j[smallest_first], k[smallest_first]
            chunks.append(
                np.stack([i + start, j + start, k + start, np.rint((cycle_sums[i, j, k] - 2) / NEAR)], axis=1)
            )
        cycles = np.concatenate(chunks).astype(np.int64)
        worst = np.argsort(-cycles[:, 3], kind="stable")[:limit]
        return cycles[worst, :3]

    def precedence_table(self, x: Floats) -> Floats:
        """(items, items) the value from 0 to 1 with which each item is before each other one."""
        n = len(self.margins)
        precedence = np.zeros((n, n))
        precedence[self.pairs] = x
        precedence.T[self.pairs] = 1 - x
        return precedence

    def try_order(self, x: Floats) -> None:
        """Round a solution to an order by row sums, improve it by moves, and keep it if it is the best so far."""
        order = np.argsort(-self.precedence_table(x).sum(axis=1), kind="stable")
        improved = improve_orders(self.margins, order[None])
        cost = float(order_costs(self.margins, improved)[0])
        if cost < self.cost - NEAR:
            self.best, self.cost = improved[0], cost

    def decide_pairs(self, duals: Floats) -> None:
        """A bound from the duals of a linear program, and the pairs that they decide in any better order.

        Any duals of at least 0 give a bound, so it holds whatever the solver's tolerance: the least cost of every pair,
        with each cycle charged its dual.
        """
        duals = np.maximum(duals, 0)
        reduced = self.prices + self.rows.T @ duals
        least_cost = np.where(reduced > 0, reduced * self.low, reduced * self.high).sum() - duals @ self.limits
        bound = self.constant + self.greatest * float(least_cost)
        self.raise_bound(bound)
        undecided = self.high > self.low
        is_decisive = bound + self.greatest * np.abs(reduced) > self.cost - self.step
        self.high[undecided & is_decisive & (reduced > 0)] = 0.0
        self.low[undecided & is_decisive & (reduced < 0)] = 1.0


def prove_order(margins: Floats, order: Indices, time_limit: float | None = None) -> ProvedOrder:
    """A best order, starting from a good one.

    Parameters
    ----------
    margins
        Whole numbers, antisymmetric, (items, items); an order costs those of the pairs that it reverses.
    order
        A good order, (items).
    time_limit
        Seconds, after which the search ends. Default: none.

    Returns
    -------
    ProvedOrder
        The best order, or at the time limit the best so far, with a lower bound of the cost.

    References
    ----------
    Grötschel, Juenger and Reinelt (1984), "A cutting plane algorithm for the linear ordering problem"; pairs are
    decided by their reduced costs.

    Examples
    --------
    >>> cycle = np.array([[0.0, 1.0, -3.0], [-1.0, 0.0, 2.0], [3.0, -2.0, 0.0]])
    >>> prove_order(cycle, np.array([0, 1, 2]))
    ProvedOrder(order=array([1, 2, 0]), cost=1.0, bound=1.0)
    """
    deadline = None if time_limit is None else time.monotonic() + time_limit
    cost = float(order_costs(margins, order[None])[0])
    search = CuttingPlanes(margins=margins, best=order, cost=cost, bound=0.0, deadline=deadline)
    solution = solve_relaxed(search)
    if solution is not None:
        solve_integer(search)
    return ProvedOrder(search.best, search.cost, search.bound)


def solve_relaxed(search: CuttingPlanes) -> Floats | None:
    """Solve linear programs with more and more cycles forbidden; the last solution, None where the search is done."""
    from scipy.optimize import linprog

    x = (search.margins[search.pairs] > 0).astype(np.float64)
    last_bound = -1.0
    while True:
        if search.closed or search.out_of_time:
            return None
        cycles = search.violated_cycles(x, AT_ONCE)
        if not len(cycles):
            return finish_if_integral(search, x)
        search.forbid(cycles)
        bounds = np.stack([search.low, search.high], axis=1)
        solution = linprog(
            search.prices,
            A_ub=search.rows,
            b_ub=search.limits,
            bounds=bounds,
            method="highs-ds",
            options=search.solver_options(),
        )
        if solution.status == 2:  # no better order is possible
            search.raise_bound(search.cost)
            return None
        if solution.x is None or solution.status != 0:
            return None
        x = solution.x
        search.try_order(x)
        search.decide_pairs(-solution.ineqlin.marginals)
        if search.bound > last_bound:  # else constraints could be added and removed for ever
            tight = search.limits - search.rows @ x < NEAR
            search.rows, search.limits, last_bound = search.rows[tight], search.limits[tight], search.bound


def finish_if_integral(search: CuttingPlanes, x: Floats) -> Floats | None:
    """For a solution without cycles: None where it is integral, which makes it the best order; else the solution."""
    if np.abs(x - np.rint(x)).max() > NEAR:
        return x
    search.try_order(x)
    search.raise_bound(search.cost)
    return None


def solve_integer(search: CuttingPlanes) -> None:
    """Solve integer programs for an order better than the best so far, with more and more cycles forbidden."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    all_integer = np.ones(search.prices.size)
    while not search.closed and not search.out_of_time:
        goal = (search.cost - search.step - search.constant) / search.greatest
        solution = milp(
            search.prices,
            integrality=all_integer,
            bounds=Bounds(search.low, search.high),
            constraints=[
                LinearConstraint(search.rows, -np.inf, search.limits),
                LinearConstraint(search.prices[None], -np.inf, goal + NEAR / search.greatest),
            ],
            options={"mip_rel_gap": 0.0, **search.solver_options()},
        )
        if solution.status == 2:
            search.raise_bound(search.cost)
            return
        if solution.mip_dual_bound is not None:
            search.raise_bound(search.constant + search.greatest * solution.mip_dual_bound - NEAR)
        if solution.x is None:
            return
        x = np.rint(solution.x)
        search.try_order(x)
        cycles = search.violated_cycles(x, AT_ONCE_INTEGER)
        if len(cycles):
            search.forbid(cycles)
        elif solution.status == 0:
            search.raise_bound(search.cost)
            return
