"""Agreement on labels in many tables and resamples at once: kappa, alpha, AC1 and AC2, F and Matthews' correlation.

A table counts how often one rater gave a label (row) and another one a label (column). Only cells that occur are held.
Their counts in all resamples are one product of a sparse matrix, and each statistic is a function of these counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.typing import Floats, Ints

__all__ = [
    "CellCounts",
    "Cells",
    "agreement",
    "alpha",
    "cells_of",
    "chance_agreement",
    "class_rates",
    "divide",
    "graded_weights",
    "gwet",
    "gwet_value",
    "kappa",
    "matthews_correlation",
    "matthews_of_label",
]


#: A rest of a difference of equal numbers, relative to them.
ROUNDING = 1e-12


def divide(numerator: npt.NDArray[Any], denominator: npt.NDArray[Any]) -> Floats:
    """Numerator / denominator, NaN where the denominator is not above 0."""
    denominator = np.asarray(denominator, np.float64)
    undefined = np.full(np.broadcast(numerator, denominator).shape, np.nan)
    return np.asarray(
        np.divide(numerator, denominator, out=undefined, where=np.broadcast_to(denominator > 0, undefined.shape))
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class Cells:
    """The cells of tables that occur, in the order of the tables.

    Attributes
    ----------
    table, row, column
        Of each cell, its table and its two labels.
    n_tables, n_classes
        Numbers of tables and of labels.
    units
        (cells, units) what each unit adds to each cell, as a sparse matrix. A unit is an item, or a cluster of items.
    """

    table: Ints
    row: Ints
    column: Ints
    n_tables: int
    n_classes: int
    units: Any

    @property
    def width(self) -> int:
        """Numbers that one resample needs, for the size of chunks."""
        return max(self.table.size, self.n_tables * self.n_classes)

    def count(self, unit_counts: Floats) -> CellCounts:
        """The cells in resamples. unit_counts: (units, resamples) how often each unit is in each."""
        return CellCounts(self, np.asarray(self.units @ np.ascontiguousarray(unit_counts)))

    @cached_property
    def to_tables(self) -> Any:
        """(tables, cells) sums over the cells of a table."""
        return indicator(self.table, self.n_tables)

    @cached_property
    def to_rows(self) -> Any:
        """(tables x labels, cells) sums of rows."""
        return indicator(self.table * self.n_classes + self.row, self.n_tables * self.n_classes)

    @cached_property
    def to_columns(self) -> Any:
        """(tables x labels, cells) sums of columns."""
        return indicator(self.table * self.n_classes + self.column, self.n_tables * self.n_classes)


def indicator(group: Ints, n_groups: int) -> Any:
    """(groups, entries) a sparse matrix whose product with entries sums them by group."""
    from scipy import sparse

    return sparse.csr_array((np.ones(group.size), (group, np.arange(group.size))), shape=(n_groups, group.size))


def cells_of(
    table: Ints, row: Ints, column: Ints, unit: Ints, value: Floats, *, n_tables: int, n_classes: int, n_units: int
) -> Cells:
    """The cells of entries, each of which adds a value to the cell (row, column) of a table, for a unit."""
    from scipy import sparse

    keys, cell = np.unique((table * n_classes + row) * n_classes + column, return_inverse=True)
    units = sparse.csr_array((value, (cell, unit)), shape=(keys.size, n_units))
    return Cells(
        table=keys // n_classes**2,
        row=keys // n_classes % n_classes,
        column=keys % n_classes,
        n_tables=n_tables,
        n_classes=n_classes,
        units=units,
    )


@dataclass(frozen=True, eq=False)
class CellCounts:
    """Counts of cells, (cells, resamples), and the sums that statistics need."""

    cells: Cells
    counts: Floats

    @cached_property
    def total(self) -> Floats:
        """(tables, resamples)."""
        return np.asarray(self.cells.to_tables @ self.counts)

    @cached_property
    def rows(self) -> Floats:
        """(tables, labels, resamples)."""
        return self.by_label(self.cells.to_rows)

    @cached_property
    def columns(self) -> Floats:
        """(tables, labels, resamples)."""
        return self.by_label(self.cells.to_columns)

    @cached_property
    def both(self) -> Floats:
        """(tables, labels, resamples) rows and columns together."""
        return self.rows + self.columns

    def by_label(self, sums: Any) -> Floats:
        return np.asarray(sums @ self.counts).reshape(self.cells.n_tables, self.cells.n_classes, -1)

    @cached_property
    def diagonal(self) -> Floats:
        """(tables, labels, resamples) the cells of equal labels."""
        is_equal = self.cells.row == self.cells.column
        diagonal = np.zeros((self.cells.n_tables, self.cells.n_classes, self.counts.shape[1]))
        diagonal[self.cells.table[is_equal], self.cells.row[is_equal]] = self.counts[is_equal]
        return diagonal

    def weighted(self, weights: Floats) -> Floats:
        """(tables, resamples) the sum of counts times weights. weights: (labels, labels)."""
        return np.asarray(self.cells.to_tables @ (self.counts * weights[self.cells.row, self.cells.column][:, None]))

    @cached_property
    def equal(self) -> Floats:
        """(tables, resamples) how many agree."""
        return np.asarray(self.diagonal.sum(axis=1))


def graded_weights(positions: Floats) -> dict[str, Floats]:
    """Name of weights -> (labels, labels) 1 for equal labels, falling with the distance of their positions."""
    distance = np.abs(positions[:, None] - positions) / (positions[-1] - positions[0])
    return {"linear": 1 - distance, "quadratic": 1 - distance**2}


def agreement(tables: CellCounts) -> Floats:
    """The share of items with the same label from both, (tables, resamples) as all below."""
    return divide(tables.equal, tables.total)


def chance_agreement(tables: CellCounts) -> Floats:
    """The share of items with the same label by chance: sum_k p_k. p_.k."""
    return divide((tables.rows * tables.columns).sum(axis=1), tables.total**2)


def kappa(tables: CellCounts, weights: Floats | None = None) -> Floats:
    """Cohen's kappa, (p_o - p_e) / (1 - p_e); NaN where both give one label only."""
    total = tables.total
    if weights is None:
        observed, expected = tables.equal, (tables.rows * tables.columns).sum(axis=1)
    else:
        observed = tables.weighted(weights)
        expected = (np.einsum("kl,tlr->tkr", weights, tables.columns, optimize=True) * tables.rows).sum(axis=1)
    # Both sides times the square of the total: whole numbers stay whole.
    chance_disagreement = total**2 - expected
    return divide(
        observed * total - expected, np.where(chance_disagreement > ROUNDING * total**2, chance_disagreement, 0.0)
    )


def alpha(tables: CellCounts, level: str, positions: Floats | None = None) -> Floats:
    """Krippendorff's alpha, 1 - D_o / D_e; NaN where all labels are one. positions: of the labels, for "interval"."""
    cells, both = tables.cells, tables.both
    n = 2 * tables.total
    if level == "nominal":
        observed, expected = tables.total - tables.equal, n**2 - (both**2).sum(axis=1)
    else:
        if level == "ordinal":  # middle ranks
            x = np.cumsum(both, axis=1) - both / 2
        else:
            scale = np.asarray(positions, np.float64)
            x = np.broadcast_to((scale - scale.mean())[:, None], both.shape)
        gap = x[cells.table, cells.row] - x[cells.table, cells.column]
        observed = np.asarray(cells.to_tables @ (tables.counts * gap**2))
        mean = divide((both * x).sum(axis=1), n)
        expected = 2 * n * (both * (x - mean[:, None]) ** 2).sum(axis=1)
    # D_o = 2 observed / n, D_e = expected / (n (n - 1)).
    is_single = both.max(axis=1, initial=0.0) >= n * (1 - ROUNDING)
    return 1 - divide(2 * observed * (n - 1), np.where(is_single, 0.0, expected))


def gwet(tables: CellCounts, weights: Floats | None = None) -> Floats:
    """Gwet's AC1 of two raters, or with weights AC2."""
    observed = tables.equal if weights is None else tables.weighted(weights)
    return gwet_value(divide(observed, tables.total), divide(tables.both, 2 * tables.total[:, None]), weights)


def gwet_value(observed: Floats, shares: Floats, weights: Floats | None = None) -> Floats:
    """(p_a - p_e) / (1 - p_e), p_e = sum w_kl / (q (q - 1)) sum_k pi_k (1 - pi_k).

    observed: (tables, resamples). shares: (tables, labels, resamples) pi of the q labels.
    """
    q = shares.shape[1]
    total = float(q if weights is None else weights.sum())
    expected = total / (q * (q - 1)) * (shares * (1 - shares)).sum(axis=1)
    return divide(observed - expected, 1 - expected)


def matthews_correlation(tables: CellCounts) -> Floats:
    """Matthews' correlation of any number of labels; NaN where a rater gives one label only."""
    total, rows, columns = tables.total, tables.rows, tables.columns
    variances = [total**2 - (side**2).sum(axis=1) for side in (rows, columns)]
    variances = [np.where(side > ROUNDING * total**2, side, 0.0) for side in variances]
    return divide(tables.equal * total - (rows * columns).sum(axis=1), np.sqrt(variances[0]) * np.sqrt(variances[1]))


def matthews_of_label(tables: CellCounts, label: int) -> Floats:
    """Matthews' correlation of one label against all others together; NaN as above."""
    total, tp = tables.total, tables.diagonal[:, label]
    true, predicted = tables.rows[:, label], tables.columns[:, label]
    return divide(
        tp * total - true * predicted, np.sqrt(true * (total - true)) * np.sqrt(predicted * (total - predicted))
    )


def class_rates(tables: CellCounts, beta: float) -> dict[str, Floats]:
    """Name of the rate -> (tables, labels, resamples), each label against all others, the rows being the truth."""
    tp, true, predicted = tables.diagonal, tables.rows, tables.columns
    negatives = tables.total[:, None] - true
    return {
        "precision": divide(tp, predicted),
        "recall": divide(tp, true),
        "specificity": divide(negatives - predicted + tp, negatives),
        "fpr": divide(predicted - tp, negatives),
        "fnr": divide(true - tp, true),
        "fscore": divide((1 + beta**2) * tp, beta**2 * true + predicted),
    }
