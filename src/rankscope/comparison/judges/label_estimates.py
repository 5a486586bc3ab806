"""Agreement of raters on labels with bootstrap intervals: of every two, of all together, of machines beside people.

Every statistic is a function of tables of labels, and each item, or each cluster of items, adds its part to these
tables. So all resamples are one product of a sparse matrix with how often each item is in each resample. Items that all
raters labelled alike are counted together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import Any, NamedTuple

import numpy as np

from rankscope.kernels.resample import bootstrap_repeats, draw
from rankscope.stats.confusion import AVERAGED
from rankscope.stats.inputs import as_generator
from rankscope.stats.intervals import expanded_bca_ends
from rankscope.stats.label_tables import (
    CellCounts,
    Cells,
    agreement,
    alpha,
    cells_of,
    chance_agreement,
    class_rates,
    divide,
    graded_weights,
    gwet,
    gwet_value,
    kappa,
    matthews_correlation,
    matthews_of_label,
)
from rankscope.typing import Floats, Ints

__all__ = [
    "AgreementEstimates",
    "Ceiling",
    "CodedLabels",
    "Statistics",
    "estimate_agreement",
]


#: A statistic, and the label that it is about, or "".
Key = tuple[str, str]
#: Most different items that are left out one by one, for the skewness of a statistic, and most numbers of that; of more
#: items, a sample.
MAX_LEFT_OUT, MAX_NUMBERS = 20_000, 1 << 24
#: Most combinations of labels that are counted in a table.
MAX_KEYS = 1 << 20


@dataclass(frozen=True, eq=False, kw_only=True)
class CodedLabels:
    """Labels of several raters.

    Attributes
    ----------
    codes
        (raters, items) the index of each label; -1 where there is none.
    n_classes
        Number of labels.
    weights
        (items) how much an item counts.
    clusters
        (items) the cluster of each item; None if each is one of its own.
    """

    codes: Ints
    n_classes: int
    weights: Floats
    clusters: Ints | None


@dataclass(frozen=True, eq=False, kw_only=True)
class Statistics:
    """Which statistics are wanted.

    Attributes
    ----------
    positions
        (labels) of a scale; None if labels have no order, or there are two.
    positive
        The index of the positive label, for F and the rates; None without one.
    by_class
        Names of the labels, for rates of each of them; empty for none.
    positive_name
        The name of the positive label.
    beta
        Weight of recall in F.
    """

    positions: Floats | None
    positive: int | None
    positive_name: str
    by_class: tuple[str, ...]
    beta: float

    def of_pairs(self, tables: CellCounts) -> dict[Key, Floats]:
        """Each statistic of each table, (tables, resamples)."""
        statistics = {("agreement", ""): agreement(tables), ("chance_agreement", ""): chance_agreement(tables)}
        statistics["kappa", ""] = kappa(tables)
        weights = {} if self.positions is None else graded_weights(self.positions)
        statistics |= {(f"kappa_{name}", ""): kappa(tables, weight) for name, weight in weights.items()}
        statistics |= self.alphas(tables)
        statistics["ac1", ""] = gwet(tables)
        statistics |= {(f"ac2_{name}", ""): gwet(tables, weight) for name, weight in weights.items()}
        if self.positive is None:
            statistics["mcc", ""] = matthews_correlation(tables)
        else:
            rates = class_rates(tables, self.beta)
            statistics |= {(name, self.positive_name): rate[:, self.positive] for name, rate in rates.items()}
            statistics["mcc", self.positive_name] = matthews_of_label(tables, self.positive)
        return {**statistics, **self.class_rates(tables)} if self.by_class else statistics

    def alphas(self, tables: CellCounts) -> dict[Key, Floats]:
        """Krippendorff's alpha by level."""
        levels = ("nominal",) if self.positions is None else ("nominal", "ordinal", "interval")
        return {(f"alpha_{level}", ""): alpha(tables, level, self.positions) for level in levels}

    def class_rates(self, tables: CellCounts) -> dict[Key, Floats]:
        """The rates of each label, their means over the labels, and those of the pooled counts."""
        rates = class_rates(tables, self.beta)
        rates_by_label = {(name, label): rates[name][:, k] for k, label in enumerate(self.by_class) for name in rates}
        q = tables.cells.n_classes
        pooled = divide(tables.equal, tables.total)
        for name in AVERAGED:
            is_known = ~np.isnan(rates[name])
            total = np.where(is_known, rates[name], 0.0).sum(axis=1)
            n_known = is_known.sum(axis=1)
            rates_by_label[f"{name}_macro", ""] = np.where(n_known > 0, total / np.maximum(n_known, 1), np.nan)
            # Of the pooled counts, every wrong label is a false positive and a false negative.
            rates_by_label[f"{name}_micro", ""] = pooled if name != "specificity" else 1 - (1 - pooled) / (q - 1)
        return rates_by_label


class Ceiling(NamedTuple):
    """A machine beside people.

    Attributes
    ----------
    machine
        Index of the machine.
    left_out
        Index of the person who is left out, and whose agreement with the others stands beside the machine's; None for
        the mean over all people.
    """

    machine: int
    left_out: int | None


@dataclass(frozen=True, eq=False, kw_only=True)
class AgreementEstimates:
    """Values and intervals of statistics; rows are groups of raters, pairs of raters, and ceilings.

    Attributes
    ----------
    keys
        The statistics.
    groups
        Indices of the raters of each group.
    pairs
        Indices of the two raters of each pair.
    ceilings
        The machines beside people; each has three rows: machine, people, difference.
    values, low, high
        (statistics, rows), NaN where there is none.
    share_undefined
        (statistics, rows) the share of resamples without a value.
    n_units
        What was drawn: items or clusters.
    """

    keys: tuple[Key, ...]
    groups: tuple[tuple[int, ...], ...]
    pairs: tuple[tuple[int, int], ...]
    ceilings: tuple[Ceiling, ...]
    values: Floats
    low: Floats
    high: Floats
    share_undefined: Floats
    n_units: int

    def row_of_pair(self, i: int) -> int:
        return len(self.groups) + i

    def row_of_ceiling(self, i: int) -> int:
        """The row of the machine; those of people and difference follow."""
        return len(self.groups) + len(self.pairs) + 3 * i


def estimate_agreement(
    labels: CodedLabels,
    statistics: Statistics,
    *,
    groups: Sequence[Sequence[int]],
    people: Sequence[int],
    machines: Sequence[int],
    confidence_level: float,
    n_resamples: int,
    rng: Any,
) -> AgreementEstimates:
    """All statistics with their intervals. Pairs without an item in common are skipped."""
    labels, unit, repeats = distinct_units(labels)
    tables = RaterTables.of(labels, unit, repeats.size, groups, people, machines)
    keys, values = tables.of_samples(repeats[:, None].astype(np.float64), statistics)
    point = values[:, :, 0]
    samples = np.empty((*point.shape, n_resamples))
    n_done = 0
    for counts in bootstrap_repeats(draw(as_generator(rng), n_resamples), repeats, tables.width):
        samples[:, :, n_done : n_done + len(counts)] = tables.of_samples(counts.T, statistics)[1]
        n_done += len(counts)
    left_out, weights = tables.leave_out(repeats, statistics, len(keys))
    # The units that a row is about are those without which one of its statistics is another number.
    changes = np.abs(left_out - point[:, :, None]) > 0
    n = np.maximum((changes.any(axis=0) * weights).sum(axis=1), 2.0)
    share_undefined = np.isnan(samples).mean(axis=2)
    low, high = np.empty(point.shape), np.empty(point.shape)
    for i in range(len(keys)):  # of one statistic at a time, to bound memory
        low[i], high[i] = expanded_bca_ends(point[i], samples[i], left_out[i], weights, n, confidence_level)
    return AgreementEstimates(
        keys=keys,
        groups=tuple(map(tuple, groups)),
        pairs=tuple(zip(tables.pairs[0].tolist(), tables.pairs[1].tolist(), strict=True)),
        ceilings=tables.ceilings,
        values=point,
        low=low,
        high=high,
        share_undefined=share_undefined,
        n_units=int(repeats.sum()),
    )


def distinct_units(labels: CodedLabels) -> tuple[CodedLabels, Ints, Ints]:
    """The different items, the unit of each, and how many items or clusters each unit stands for."""
    if labels.clusters is not None:
        _, unit = np.unique(labels.clusters, return_inverse=True)
        return labels, unit, np.ones(int(unit.max()) + 1, np.int64)
    if (n_keys := (labels.n_classes + 1) ** len(labels.codes)) <= MAX_KEYS and (labels.weights == 1).all():
        key = labels.codes[0] + 1
        for codes in labels.codes[1:]:
            key = key * (labels.n_classes + 1) + codes + 1
        counts = np.bincount(key, minlength=n_keys)
        occurring = np.flatnonzero(counts)
        repeats = counts[occurring]
        distinct_codes = np.stack(np.unravel_index(occurring, (labels.n_classes + 1,) * len(labels.codes))) - 1
        weights = np.ones(occurring.size)
    else:
        _, key = np.unique(labels.weights, return_inverse=True)
        for codes in labels.codes:  # numbers of the rows so far, so that no product overflows
            _, key = np.unique(key * (labels.n_classes + 1) + codes + 1, return_inverse=True)
        _, first, repeats = np.unique(key, return_index=True, return_counts=True)
        distinct_codes, weights = labels.codes[:, first], labels.weights[first]
    distinct = CodedLabels(codes=distinct_codes, n_classes=labels.n_classes, weights=weights, clusters=None)
    return distinct, np.arange(repeats.size), repeats


class TableEntries(NamedTuple):
    """What items add to cells of tables: the table, both labels, the item and the value of each."""

    table: Ints
    row: Ints
    column: Ints
    item: Ints
    value: Floats


def pair_entries(labels: CodedLabels, first: Ints, second: Ints, also: Ints | None = None) -> TableEntries:
    """A table for each two raters, of the items that both labelled, and a third one, if `also` is given."""
    present = labels.codes >= 0
    both = present[first] & present[second]
    if also is not None:
        both &= present[also]
    table, item = np.nonzero(both)
    return TableEntries(
        table, labels.codes[first[table], item], labels.codes[second[table], item], item, labels.weights[item]
    )


def group_entries(labels: CodedLabels, group: Sequence[int]) -> tuple[TableEntries, Floats]:
    """All pairs of labels of the raters of a group in table 0, and the number of labels of the item of each."""
    pairs = np.array(list(combinations(group, 2)), np.int64).T
    entries = pair_entries(labels, pairs[0], pairs[1])
    n_labels = (labels.codes[list(group)] >= 0).sum(axis=0)
    return entries._replace(table=np.zeros_like(entries.table)), n_labels[entries.item].astype(np.float64)


@dataclass(frozen=True, eq=False)
class RaterTables:
    """The tables that all statistics come from.

    Attributes
    ----------
    cells
        Tables of pairs, then of triples (of a machine, a person and another person, on what all three labelled), then
        two of each group: with the weights of Krippendorff's alpha, and with those of Gwet's coefficients.
    shares
        (groups x labels, units) what each unit adds to the shares of labels in a group, as a sparse matrix.
    pairs
        Two arrays of raters.
    n_triples
        Number of tables of triples.
    n_groups
        Number of groups.
    inside
        (groups, pairs) whether both raters of a pair are in the group.
    ceilings
        The machines beside people.
    machine_tables, people_tables
        Of each ceiling, the tables of the machine and of people, in the same order.
    """

    cells: Cells
    shares: Any
    pairs: tuple[Ints, Ints]
    n_triples: int
    n_groups: int
    inside: Any
    ceilings: tuple[Ceiling, ...]
    machine_tables: tuple[Ints, ...]
    people_tables: tuple[Ints, ...]

    @classmethod
    def of(
        cls,
        labels: CodedLabels,
        unit: Ints,
        n_units: int,
        groups: Sequence[Sequence[int]],
        people: Sequence[int],
        machines: Sequence[int],
    ) -> RaterTables:
        """The tables of these labels. unit: of each item."""
        present = (labels.codes >= 0).astype(np.float64)
        first, second = np.array(list(combinations([*people, *machines], 2)), np.int64).T
        has_common = (present @ present.T)[first, second] > 0
        first, second = first[has_common], second[has_common]
        parts = [pair_entries(labels, first, second)]
        # The reference of both is the other person: with the machine, and with the person who is left out.
        triples = np.array([(m, h, reference) for m in machines for h, reference in permutations(people, 2)], np.int64)
        machine, left_out, reference = triples.reshape(-1, 3).T
        parts += [
            pair_entries(labels, reference, machine, left_out),
            pair_entries(labels, reference, left_out, machine),
        ]
        n_tables = [first.size, machine.size, machine.size]
        for group in groups:
            entries, n_labels = group_entries(labels, group)
            parts += [
                entries._replace(value=entries.value / (n_labels - 1)),
                entries._replace(value=2 * entries.value / (n_labels * (n_labels - 1))),
            ]
            n_tables += [1, 1]
        offsets = np.concatenate(([0], np.cumsum(n_tables)))
        table = np.concatenate([part.table + offset for part, offset in zip(parts, offsets[:-1], strict=True)])
        row, column, item, value = (np.concatenate([part[field] for part in parts]) for field in range(1, 5))
        cells = cells_of(
            table,
            row,
            column,
            unit[item],
            value,
            n_tables=int(offsets[-1]),
            n_classes=labels.n_classes,
            n_units=n_units,
        )
        left_out_or_mean = (None, *people) if len(people) > 2 else (None,) * (len(people) == 2)
        ceilings = [Ceiling(m, h) for m in machines for h in left_out_or_mean]
        triples_of_ceiling = [
            np.flatnonzero((machine == c.machine) & ((left_out == c.left_out) if c.left_out is not None else True))
            for c in ceilings
        ]
        inside = np.array([np.isin(first, group) & np.isin(second, group) for group in groups], bool)
        return cls(
            cells,
            shares_of(labels, unit, n_units, groups),
            (first, second),
            2 * machine.size,
            len(groups),
            inside.reshape(len(groups), first.size),
            tuple(ceilings),
            tuple(first.size + tables for tables in triples_of_ceiling),
            tuple(first.size + machine.size + tables for tables in triples_of_ceiling),
        )

    @property
    def width(self) -> int:
        """Numbers that one resample needs."""
        return self.cells.width

    def of_samples(self, unit_counts: Floats, statistics: Statistics) -> tuple[tuple[Key, ...], Floats]:
        """The statistics, and (statistics, rows, resamples) their values. unit_counts: (units, resamples)."""
        unit_counts = np.ascontiguousarray(unit_counts)
        return self.evaluate(self.cells.count(unit_counts), np.asarray(self.shares @ unit_counts), statistics)

    def evaluate(self, tables: CellCounts, shares: Floats, statistics: Statistics) -> tuple[tuple[Key, ...], Floats]:
        """The same from counts of cells and (groups x labels, resamples) shares of labels."""
        statistic_values = statistics.of_pairs(tables)
        values = np.stack(list(statistic_values.values()))
        parts = [self.of_groups(tables, shares, statistic_values, statistics), values[:, : self.pairs[0].size]]
        for machine_tables, people_tables in zip(self.machine_tables, self.people_tables, strict=True):
            parts.append(beside_people(values, tables.total, machine_tables, people_tables))
        return tuple(statistic_values), np.concatenate(parts, axis=1)

    def of_groups(
        self, tables: CellCounts, shares: Floats, statistic_values: dict[Key, Floats], statistics: Statistics
    ) -> Floats:
        """(statistics, groups, resamples) of all raters of a group at once, or the mean over its pairs."""
        n_pairs, n_resamples = self.pairs[0].size, shares.shape[1]
        start = n_pairs + self.n_triples
        of_alpha, of_gwet = np.arange(start, start + 2 * self.n_groups).reshape(-1, 2).T
        by_label = shares.reshape(self.n_groups, self.cells.n_classes, n_resamples)
        label_shares = divide(by_label, by_label.sum(axis=1, keepdims=True))
        weights = {} if statistics.positions is None else graded_weights(statistics.positions)
        groups = np.empty((len(statistic_values), self.n_groups, n_resamples))
        for place, ((name, _), values) in enumerate(statistic_values.items()):
            if name == "agreement":
                groups[place] = values[of_gwet]
            elif name.startswith("alpha"):
                groups[place] = values[of_alpha]
            elif name.startswith("ac"):
                weight = None if name == "ac1" else weights[name.removeprefix("ac2_")]
                observed = (tables.equal if weight is None else tables.weighted(weight))[of_gwet]
                groups[place] = gwet_value(divide(observed, tables.total[of_gwet]), label_shares, weight)
            else:
                for group, pairs in enumerate(self.inside):
                    groups[place, group] = weighted_mean(values[:n_pairs][pairs], tables.total[:n_pairs][pairs])
        return groups

    def leave_out(self, repeats: Ints, statistics: Statistics, n_keys: int) -> tuple[Floats, Floats]:
        """(statistics, rows, units) each statistic without one item of each unit, and how many items stand for each."""
        n_units = repeats.size
        n_rows = self.n_groups + self.pairs[0].size + 3 * len(self.ceilings)
        sampled_units = np.arange(n_units)[:: -(-n_units // min(MAX_LEFT_OUT, MAX_NUMBERS // (n_rows * n_keys)))]
        weights = repeats[sampled_units] * (repeats.sum() / repeats[sampled_units].sum())
        by_unit, shares = self.cells.units.tocsc(), self.shares.tocsc()
        counts = repeats[:, None].astype(np.float64)
        all_cells, all_shares = self.cells.units @ counts, self.shares @ counts
        values_left = []
        for units in unit_chunks(sampled_units, self.width):
            # Below 0 is rounding.
            tables = CellCounts(self.cells, np.maximum(all_cells - by_unit[:, units].toarray(), 0.0))
            shares_left = np.maximum(all_shares - shares[:, units].toarray(), 0.0)
            values_left.append(self.evaluate(tables, shares_left, statistics)[1])
        return np.concatenate(values_left, axis=2), weights


def unit_chunks(units: Ints, width: int) -> Iterator[Ints]:
    """Units, as many at a time as memory allows."""
    size = max(1, (1 << 21) // max(width, 1))
    for start in range(0, units.size, size):
        yield units[start : start + size]


def shares_of(labels: CodedLabels, unit: Ints, n_units: int, groups: Sequence[Sequence[int]]) -> Any:
    """(groups x labels, units): an item adds its weight, split evenly among its labels."""
    from scipy import sparse

    rows, columns, values = [], [], []
    for g, group in enumerate(groups):
        codes = labels.codes[list(group)]
        rater, item = np.nonzero(codes >= 0)
        rows.append(g * labels.n_classes + codes[rater, item])
        columns.append(unit[item])
        values.append((labels.weights / np.maximum((codes >= 0).sum(axis=0), 1))[item])
    shape = (len(groups) * labels.n_classes, n_units)
    if not groups:
        return sparse.csr_array(shape)
    return sparse.csr_array((np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))), shape=shape)


def weighted_mean(values: Floats, weights: Floats) -> Floats:
    """(..., resamples) the mean over rows, of those with a value; NaN without one. Both: (..., rows, resamples)."""
    is_known = ~np.isnan(values)
    return divide((weights * np.where(is_known, values, 0.0)).sum(axis=-2), (weights * is_known).sum(axis=-2))


def beside_people(values: Floats, totals: Floats, machine_tables: Ints, people_tables: Ints) -> Floats:
    """(statistics, 3, resamples) the means of the machine and of people over their tables, and the difference.

    A table without a value is skipped together with the other one that it stands beside.
    """
    machine, people = values[:, machine_tables], values[:, people_tables]
    is_known = ~(np.isnan(machine) | np.isnan(people))
    weights = np.where(is_known, totals[machine_tables], 0.0)
    means = [weighted_mean(np.where(is_known, side, np.nan), weights) for side in (machine, people)]
    return np.stack((*means, means[0] - means[1]), axis=1)
