"""Active choice: which items of a table people judge next, and how narrow intervals will be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rankscope.data.result import Result
from rankscope.data.tables import NUMBER, Column
from rankscope.data.text import pluralise
from rankscope.errors import InputError
from rankscope.judging.estimation.items import SCHEMA, Items, chances_of, item_table, judged_order
from rankscope.judging.estimation.prediction_powered import pairs_of
from rankscope.judging.estimation.settings import ChoiceSettings
from rankscope.stats.inputs import seed_of
from rankscope.stats.prediction_powered import (
    FEWEST,
    ActiveSampling,
    active_sampling,
    prediction_powered,
    systematic_sample,
)
from rankscope.typing import Bools, Floats, Ints

__all__ = [
    "ItemChoice",
    "choose_items",
    "choose_table_items",
]


COSTLY = replace(SCHEMA, columns=(*SCHEMA.columns, Column(name="cost", aliases=("price",), kind=NUMBER)))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ItemChoice(Result):
    """Items that people judge next.

    `frame()` is the table for the next estimate, an item of a system a row: system, query, human and machine (the
    values), chance (with which the item is judged, now or before) and chosen (1 for an item to judge next, else 0).

    Attributes
    ----------
    items
        The items.
    order
        Indices of the items that every system has, those that people judged first.
    n_judged
        How many people judged so far.
    targets
        Names of what is estimated: systems, or differences of two.
    half_width_now
        (targets) half the widths of the intervals so far.
    sampling
        The chances, and how narrow intervals will be.
    is_chosen
        (items in order) whether an item is to be judged next.
    cost
        What the labels of the chosen items cost.
    settings
        The settings of the choice.
    notes
        What a reader should know.
    """

    VIEW = "rankscope.judging.estimation.view:choice_sections"
    COLUMNS = ("system", "query", "human", "machine", "chance", "chosen")

    items: Items
    order: Ints
    n_judged: int
    targets: tuple[str, ...]
    half_width_now: Floats
    sampling: ActiveSampling
    is_chosen: Bools
    cost: float
    settings: ChoiceSettings
    notes: tuple[str, ...]

    @property
    def n_chosen(self) -> int:
        """How many items are to be judged next."""
        return int(self.is_chosen.sum())

    def records(self) -> Iterator[tuple[Any, ...]]:
        """The rows of the tidy table, by system; NaN where people have not judged an item."""
        is_judged = np.arange(self.order.size) < self.n_judged
        rows = [
            (self.items.ids[item], item, chance, chosen, judged)
            for item, chance, chosen, judged in zip(
                self.order.tolist(),
                self.sampling.total_chances.tolist(),
                self.is_chosen.tolist(),
                is_judged.tolist(),
                strict=True,
            )
        ]
        for s, system in enumerate(self.items.systems):
            human, machine = self.items.human[s].tolist(), self.items.machine[s].tolist()
            for name, item, chance, chosen, judged in rows:
                yield (system, name, human[item] if judged else float("nan"), machine[item], chance, int(chosen))

    def signature_parts(self) -> list[str]:
        settings = self.settings
        return [
            f"active choice:{settings.budget:g}",
            f"human:{settings.human}",
            f"machine:{settings.machine}",
            *([] if settings.positive is None else [f"positive:{settings.positive}"]),
            *([] if settings.baseline is None else [f"baseline:{settings.baseline}"]),
            f"population:{settings.population}",
            f"confidence:{settings.confidence_level:g}",
            f"items:{self.order.size}",
            f"rng:{settings.seed}",
        ]

    def contents(self) -> str:
        """What it holds, in a few words."""
        return f"{self.n_chosen:,} of {pluralise(self.order.size - self.n_judged, 'item')} to judge next"


def choose_items(
    table: Any,
    *,
    human: str,
    machine: str,
    budget: float,
    positive: str | None = None,
    baseline: str | None = None,
    population: str = "source",
    confidence_level: float = 0.95,
    columns: Mapping[str, str] | None = None,
    rng: Any = None,
) -> ItemChoice:
    """Choose which items of a table people judge next, so that intervals become narrow soonest.

    Parameters
    ----------
    table
        A table as for `estimate_items`. Columns cost (of a label) and weight count if there are any, and chance (with
        which an item was chosen so far); clusters and groups do not.
    human
        Column of people's values, empty where people did not judge an item.
    machine
        Column of the machine's values, one for each item.
    budget
        What the new labels may cost on average; without a column of costs their number.
    positive
        Label whose share is estimated, where values are labels, as pass. Default: values are numbers.
    baseline
        Choose for the differences of the other systems from this one. Default: all pairs.
    population
        Mean that is estimated: of the population from which the items come (source), or of these items only (items).
        One of 'source', 'items'. Default: 'source'.
    confidence_level
        Confidence level: the long-run share of such intervals that contain the true value. Default: 0.95.
    columns
        Column names in the table. NAME is system, query, weight, cost (of a label) or chance: the chance with which an
        item was chosen so far. Default: found by their usual names.
    rng
        Seed or `numpy.random.Generator`; None draws a new seed. The same seed gives the same results.

    Returns
    -------
    ItemChoice
        The chosen items, the chances, and the widths of intervals now, with these labels, and with as many at random.

    Raises
    ------
    InputError
        People judged fewer than 5 items, and as `estimate_items`.
    ParameterError
        The budget is more than all other labels cost, or a setting is out of range.
    UnknownName
        There is no such system.

    Notes
    -----
    Chances are those of `rankscope.stats.prediction_powered.active_sampling`: for the differences of systems, or for
    the mean if there is one system. Items are chosen by systematic sampling in random order, so that the number is near
    the expected one. The chances of the items judged so far are in the table, too, since all labels count in the next
    estimate; without a column of chances these items are taken as chosen at random. All chosen items must be judged.

    References
    ----------
    Zrnic and Candès (2024), "Active statistical inference".

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"llm": [0.1, 0.9] * 20, "people": [0.1, 0.9, 0.1, 0.2, 0.1, 0.5] * 2 + [None] * 28})
    >>> found = choose_items(table, human="people", machine="llm", budget=10, rng=1)
    >>> low, high = found.sampling.chances[-2:].round(2).tolist()  # the machine errs on high values
    >>> low < high
    True
    """
    settings = ChoiceSettings(
        human=human,
        machine=machine,
        budget=budget,
        positive=positive,
        baseline=baseline,
        population=population,
        confidence_level=confidence_level,
        columns=columns,
        seed=seed_of(rng),
    )
    return choose_table_items(table, settings)


def choose_table_items(table: Any, settings: ChoiceSettings) -> ItemChoice:
    """As `choose_items`, with its settings as one object."""
    bound, items = item_table(table, COSTLY, settings)
    order, n, notes = judged_order(bound, items, settings.human)
    if n < FEWEST:
        raise InputError(
            f"{bound.name}: people judged {pluralise(n, 'item')}, expected at least {FEWEST} to tell where the machine "
            "errs; have a few judged that are chosen at random"
        )
    if n == order.size:
        raise InputError(f"{bound.name}: people judged all {n} items, expected some that they did not; nothing is left")
    rows = items.first_rows[order]
    first, second = pairs_of(items.systems, settings.baseline)
    targets = [f"{items.systems[i]} - {items.systems[j]}" for i, j in zip(first.tolist(), second.tolist(), strict=True)]
    values = [items.human[:, order[:n]], items.machine[:, order[:n]], items.machine[:, order[n:]]]
    if targets:
        values = [x[first] - x[second] for x in values]
    weights, costs = (
        bound.weights(bound.columns[name])[rows] if name in bound else None for name in ("weight", "cost")
    )
    chances = chances_of(bound, rows) if "chance" in bound else None
    sampling = active_sampling(
        *values,
        budget=settings.budget,
        chances=chances,
        weights=weights,
        costs=costs,
        population=settings.population,
        confidence_level=settings.confidence_level,
    )
    now = prediction_powered(
        *values,
        weights=weights,
        chances=None if chances is None else chances[:n],
        population=settings.population,
        confidence_level=settings.confidence_level,
    )
    is_chosen = np.zeros(order.size, np.bool_)
    is_chosen[n:] = systematic_sample(sampling.chances[n:], np.random.default_rng(settings.seed))
    notes.append(
        "all chosen items must be judged: an item without a label counts as not chosen, and chances would not hold"
    )
    return ItemChoice(
        items=items,
        order=order,
        n_judged=n,
        targets=tuple(targets) or items.systems,
        half_width_now=(now.combined_high - now.combined_low) / 2,
        sampling=sampling,
        is_chosen=is_chosen,
        cost=float(is_chosen.sum() if costs is None else costs[is_chosen].sum()),
        settings=settings,
        notes=tuple(notes),
    )
