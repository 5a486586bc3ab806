"""Active choice: which items of a table people judge next, and how narrow intervals will be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from rankscope.data.result import Result
from rankscope.data.tables import NUMBER, Column, Table
from rankscope.data.text import first_names, pluralise
from rankscope.errors import InputError, ParameterError
from rankscope.judging.estimation.items import SCHEMA, Items, chances_of, cluster_codes, item_table, judged_order
from rankscope.judging.estimation.prediction_powered import pairs_of
from rankscope.judging.estimation.settings import ChoiceSettings
from rankscope.stats.cluster_sums import cluster_sums
from rankscope.stats.inputs import seed_of
from rankscope.stats.prediction_powered import (
    FEWEST,
    FEWEST_IN_STRATUM,
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
    values), chance (with which the item is judged, now or before) and chosen (1 for an item to judge next, else 0);
    then group with strata, cluster with clusters, and weight and cost if the table has them.

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
    design
        By names of further columns what the next estimate or choice takes: group with strata, cluster with clusters,
        weight and cost if the table has them; each (items in order).
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
    design: Mapping[str, list[Any]]
    settings: ChoiceSettings
    notes: tuple[str, ...]

    @property
    def n_chosen(self) -> int:
        """How many items are to be judged next."""
        return int(self.is_chosen.sum())

    @property
    def chosen_clusters(self) -> set[str] | None:
        """The clusters to be judged next; None if single items are chosen."""
        if not self.settings.clusters:
            return None
        clusters, is_chosen = self.design["cluster"], self.is_chosen.tolist()
        return {
            cluster or self.items.ids[item]
            for cluster, item, chosen in zip(clusters, self.order.tolist(), is_chosen, strict=True)
            if chosen
        }

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the tidy table."""
        return (*self.COLUMNS, *self.design)

    def records(self) -> Iterator[tuple[Any, ...]]:
        """The rows of the tidy table, by system; NaN where people have not judged an item."""
        is_judged = np.arange(self.order.size) < self.n_judged
        rows = [
            (self.items.ids[item], item, chance, chosen, judged, place)
            for place, (item, chance, chosen, judged) in enumerate(
                zip(
                    self.order.tolist(),
                    self.sampling.total_chances.tolist(),
                    self.is_chosen.tolist(),
                    is_judged.tolist(),
                    strict=True,
                )
            )
        ]
        design = list(zip(*self.design.values(), strict=True)) or [()] * self.order.size
        for s, system in enumerate(self.items.systems):
            human, machine = self.items.human[s].tolist(), self.items.machine[s].tolist()
            for name, item, chance, chosen, judged, place in rows:
                value = human[item] if judged else float("nan")
                yield (system, name, value, machine[item], chance, int(chosen), *design[place])

    def signature_parts(self) -> list[str]:
        settings = self.settings
        return [
            *(
                [f"active choice:{settings.budget:g}"]
                if settings.budget is not None
                else ["active choice", f"width:{settings.width:g}"]
            ),
            f"human:{settings.human}",
            f"machine:{settings.machine}",
            *([] if settings.positive is None else [f"positive:{settings.positive}"]),
            *([] if settings.baseline is None else [f"baseline:{settings.baseline}"]),
            f"population:{settings.population}",
            f"confidence:{settings.confidence_level:g}",
            f"items:{self.order.size}",
            *([f"strata:{len(set(self.design['group']))}:{settings.allocation}"] if settings.strata else []),
            *([f"clusters:{len(set(self.design['cluster']))}"] if settings.clusters else []),
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
    budget: float | None = None,
    width: float | None = None,
    positive: str | None = None,
    baseline: str | None = None,
    strata: bool = False,
    allocation: str = "neyman",
    clusters: bool = False,
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
        which an item was chosen so far); group and cluster only with `strata` and `clusters`.
    human
        Column of people's values, empty where people did not judge an item.
    machine
        Column of the machine's values, one for each item.
    budget
        What the new labels may cost on average; without a column of costs their number. Default: the least for the
        width.
    width
        Width that no interval is expected to exceed, from end to end: as few labels as that takes. Default: what the
        budget brings.
    positive
        Label whose share is estimated, where values are labels, as pass. Default: values are numbers.
    baseline
        Choose for the differences of the other systems from this one. Default: all pairs.
    strata
        Groups (column group) are strata, between which the labels are shared out, at least 2 in each. Default: False.
    allocation
        How labels are shared out between strata: as the number of items times the spread of people's values around the
        machine's (neyman), or as the number of items (proportional). One of 'neyman', 'proportional'. Default:
        'neyman'.
    clusters
        Whole clusters (column cluster) are chosen, with all of their items. Default: False.
    population
        Mean that is estimated: of the population from which the items come (source), or of these items only (items).
        One of 'source', 'items'. Default: 'source'.
    confidence_level
        Confidence level: the long-run share of such intervals that contain the true value. Default: 0.95.
    columns
        Column names in the table. NAME is system, query, group, cluster, weight, cost (of a label) or chance: the
        chance with which an item was chosen so far. Default: found by their usual names.
    rng
        Seed or `numpy.random.Generator`; None draws a new seed. The same seed gives the same results.

    Returns
    -------
    ItemChoice
        The chosen items, the chances, and the widths of intervals now, with these labels, and with as many at random.

    Raises
    ------
    InputError
        People judged fewer than 5 items or clusters, or parts of clusters; a cluster has items in several groups, or
        with several chances; and as `estimate_items`.
    ParameterError
        The budget is more than all other labels cost or less than 2 labels in each stratum, the width is reached
        already or not even by all labels, or a setting is out of range.
    UnknownName
        There is no such system.

    Notes
    -----
    Chances are those of `rankscope.stats.prediction_powered.active_sampling`: for the differences of systems, or for
    the mean if there is one system. Items are chosen by systematic sampling in random order, so that the number is near
    the expected one. The chances of the items judged so far are in the table, too, since all labels count in the next
    estimate; without a column of chances these items are taken as chosen at random, with strata within each. All chosen
    items must be judged.

    With clusters, a cluster is an item whose value is its mean, whose weight is that of its items and whose label costs
    as much as theirs: its chance rises with the root of its size. The next estimate takes the columns group and cluster
    from the table, too.

    References
    ----------
    Zrnic and Candès (2024), "Active statistical inference"; Neyman (1934).

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
        width=width,
        positive=positive,
        baseline=baseline,
        strata=strata,
        allocation=allocation,
        clusters=clusters,
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
    values = [items.human[:, order[:n]], items.machine[:, order]]
    if targets:
        values = [x[first] - x[second] for x in values]
    weights, costs = (
        bound.weights(bound.columns[name])[rows] if name in bound else None for name in ("weight", "cost")
    )
    chances = chances_of(bound, rows) if "chance" in bound else None
    groups = bound.ids("group").to_numpy()[rows].astype(str) if settings.strata else None
    strata = None if groups is None else np.unique(groups, return_inverse=True)[1]
    units = single = Units(n, values[0], values[1], weights, costs, chances, strata)
    clusters = None
    if settings.clusters:
        clusters = whole_clusters(bound, rows, n)
        refuse_unequal_clusters(bound, rows, clusters, settings)
        units = cluster_units(single, clusters)
        refuse_few_clusters(bound, units.n)
    now = half_widths_now(single, clusters, settings)
    sampling, is_chosen = draw(units, settings)
    if clusters is not None:
        is_chosen = is_chosen[clusters]
        sampling = replace(sampling, chances=sampling.chances[clusters], total_chances=sampling.total_chances[clusters])
    if strata is not None:
        notes += strata_notes(groups, settings)
    if clusters is not None:
        notes.append(
            "whole clusters are chosen, so that the next estimate must have the column cluster, as this table does"
        )
    notes.append(
        "all chosen items must be judged: an item without a label counts as not chosen, and chances would not hold"
    )
    return ItemChoice(
        items=items,
        order=order,
        n_judged=n,
        targets=tuple(targets) or items.systems,
        half_width_now=now,
        sampling=sampling,
        is_chosen=is_chosen,
        cost=float(is_chosen.sum() if costs is None else costs[is_chosen].sum()),
        design=design_columns(bound, rows, groups, settings),
        settings=settings,
        notes=tuple(notes),
    )


class Units(NamedTuple):
    """What is chosen: items, or clusters by their means.

    Attributes
    ----------
    n
        How many people judged, the first ones.
    human, machine
        (lists, n) and (lists, N) the values.
    weights, costs, chances, strata
        (N) as for `active_sampling`; None without any. Clusters have one stratum at least, so that the budget is kept
        to by those that were not judged.
    """

    n: int
    human: Floats
    machine: Floats
    weights: Floats | None
    costs: Floats | None
    chances: Floats | None
    strata: Ints | None


def cluster_units(items: Units, clusters: Ints) -> Units:
    """The clusters of items as units. clusters: (items) their codes, of judged ones first."""
    n_items = clusters.size
    item_weights, item_costs = (np.ones(n_items) if x is None else x for x in (items.weights, items.costs))
    n_clusters = int(clusters[: items.n].max()) + 1
    of_human, of_machine = (
        cluster_sums(x * item_weights[: x.shape[1]], clusters[: x.shape[1]], None).sums
        for x in (items.human, items.machine)
    )
    sums: Floats = np.bincount(clusters, item_weights).astype(np.float64)
    first = np.unique(clusters, return_index=True)[1]
    return Units(
        n=n_clusters,
        human=of_human / sums[:n_clusters],
        machine=of_machine / sums,
        weights=sums,
        costs=np.bincount(clusters, item_costs).astype(np.float64),
        chances=None if items.chances is None else items.chances[first],
        strata=np.zeros(first.size, np.int64) if items.strata is None else items.strata[first],
    )


def draw(units: Units, settings: ChoiceSettings) -> tuple[ActiveSampling, Bools]:
    """The chances of units, and which are chosen."""
    n = units.n
    sampling = active_sampling(
        units.human,
        units.machine[:, :n],
        units.machine[:, n:],
        budget=settings.budget,
        width=settings.width,
        chances=units.chances,
        weights=units.weights,
        costs=units.costs,
        strata=units.strata,
        allocation=settings.allocation,
        population=settings.population,
        confidence_level=settings.confidence_level,
    )
    is_chosen = np.zeros(units.machine.shape[1], np.bool_)
    rng = np.random.default_rng(settings.seed)
    is_chosen[n:] = systematic_sample(sampling.chances[n:], rng, None if units.strata is None else units.strata[n:])
    return sampling, is_chosen


def refuse_few_clusters(table: Table, n: int) -> None:
    """Raise InputError where people judged too few clusters."""
    if n < FEWEST:
        raise InputError(
            f"{table.name}: people judged {pluralise(n, 'cluster')}, expected at least {FEWEST} to tell where the "
            "machine errs; have a few judged that are chosen at random"
        )


def whole_clusters(table: Table, rows: Ints, n: int) -> Ints:
    """(items) codes of their clusters, of those that people judged first. Raises InputError for parts of clusters."""
    table.require("cluster")
    clusters = cluster_codes(table, rows)
    assert clusters is not None
    parts = np.intersect1d(clusters[:n], clusters[n:])
    if parts.size:
        row = int(rows[np.flatnonzero(clusters[:n] == parts[0])[0]])
        raise InputError(
            f"{table.locate(row)}: people judged some of the items of cluster "
            f"{table.names(table.columns['cluster'], required=False)[row]!r} only, and parts of "
            f"{pluralise(parts.size, 'cluster')} in all; expected whole clusters, which are to be chosen (--clusters, "
            "clusters=True); have the others judged, or choose items"
        )
    return clusters


def refuse_unequal_clusters(table: Table, rows: Ints, clusters: Ints, settings: ChoiceSettings) -> None:
    """Raise InputError for a cluster whose items have several groups or chances."""
    first = np.unique(clusters, return_index=True)[1]
    for name, counts in (("group", settings.strata), ("chance", "chance" in table)):
        if not counts:
            continue
        cells = table.texts(table.columns[name]).to_numpy()[rows]
        differs = cells != cells[first][clusters]
        if differs.any():
            item = int(differs.argmax())
            row = int(rows[item])
            cluster = table.names(table.columns["cluster"], required=False)[row]
            raise InputError(
                f"{table.locate(row)}: cluster {cluster!r} has the {name}s {cells[first][clusters][item]!r} and "
                f"{cells[item]!r}, expected the same of all its items, since whole clusters are chosen (--clusters, "
                "clusters=True); correct it, or name narrower clusters"
            )


def half_widths_now(items: Units, clusters: Ints | None, settings: ChoiceSettings) -> Floats:
    """(targets) half the widths of the intervals so far; NaN if a stratum has too few labels.

    Raises ParameterError if all are as narrow as they are to become.
    """
    n, strata = items.n, items.strata
    if strata is not None and (np.bincount(strata[:n], minlength=int(strata.max()) + 1) < FEWEST_IN_STRATUM).any():
        return np.full(len(items.human), np.nan)
    now = prediction_powered(
        items.human,
        items.machine[:, :n],
        items.machine[:, n:],
        clusters=clusters,
        weights=items.weights,
        strata=strata,
        chances=None if items.chances is None else items.chances[:n],
        population=settings.population,
        confidence_level=settings.confidence_level,
    )
    widths = np.asarray(now.combined_high - now.combined_low)
    if settings.width is not None and (widths <= settings.width).all():
        raise ParameterError(
            f"width is {settings.width:g}, and intervals are {widths.max():.4g} wide already; no label is needed, or "
            "name a smaller width"
        )
    return widths / 2


def strata_notes(groups: Any, settings: ChoiceSettings) -> list[str]:
    """How labels were shared out, and groups that are too small."""
    basis = {
        "neyman": "its number of {} times the spread of people's values around the machine's (Neyman)",
        "proportional": "its number of {}",
    }[settings.allocation].format("clusters" if settings.clusters else "items")
    notes = [
        f"labels are shared out between groups so that each has, with those so far, as near as possible to {basis}; "
        "the next estimate must have strata (--strata, strata=True)"
    ]
    names, counts = np.unique(groups, return_counts=True)
    if (counts < FEWEST_IN_STRATUM).any():
        small = first_names([repr(str(name)) for name in names[counts < FEWEST_IN_STRATUM]])
        notes.append(f"groups of a single item ({small}) can be no strata of an estimate; join them with others")
    return notes


def design_columns(table: Table, rows: Ints, groups: Any, settings: ChoiceSettings) -> dict[str, list[Any]]:
    """(items) by the names of columns what the next estimate or choice takes beside values and chances."""
    columns: dict[str, list[Any]] = {}
    if groups is not None:
        columns["group"] = [str(group) for group in groups]
    if settings.clusters:
        names = table.names(table.columns["cluster"], required=False).to_list()
        columns["cluster"] = [names[row] for row in rows.tolist()]
    for name in ("weight", "cost"):
        if name in table:
            columns[name] = table.numbers(table.columns[name])[rows].tolist()
    return columns
