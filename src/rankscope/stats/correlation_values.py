"""Values of correlations, of many pairs of lists at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rankscope.stats.inputs import constant
from rankscope.stats.rank_rows import RankedRows, rank_rows, surplus_by_row
from rankscope.typing import Bools, Floats

__all__ = ["STATISTICS", "ListPairs", "matrix_of", "normed", "pairs_of"]

STATISTICS = ("pearson", "spearman", "kendall_a", "kendall_b", "kendall_c")
#: A correlation so close to 1 or -1 is that, but for rounding.
EXACTLY = 1e-14


@dataclass(frozen=True, eq=False)
class ListPairs:
    """Two tables of lists (lists, items), and what is counted in them once."""

    x: Floats
    y: Floats
    statistic: str
    ranks_x: RankedRows
    ranks_y: RankedRows
    surplus: npt.NDArray[np.int64]
    value: Floats
    flat: Bools

    @property
    def n(self) -> int:
        return int(self.x.shape[1])


def pairs_of(x: Floats, y: Floats, statistic: str) -> ListPairs:
    ranks_x, ranks_y = rank_rows(x), rank_rows(y)
    flat = (constant(x) | constant(y)) if statistic == "pearson" else (ranks_x.distinct == 1) | (ranks_y.distinct == 1)
    surplus = np.zeros(len(x), np.int64)
    if statistic in ("pearson", "spearman"):
        a, b = (x, y) if statistic == "pearson" else (ranks_x.doubled_ranks, ranks_y.doubled_ranks)
        value = np.where(flat, np.nan, (normed(a) * normed(b)).sum(axis=1))
        value = snap(value)
    else:
        surplus = surplus_by_row(ranks_x, ranks_y)
        value = taus(surplus, ranks_x, ranks_y, statistic)
    return ListPairs(x, y, statistic, ranks_x, ranks_y, surplus, value, flat)


def taus(surplus: npt.NDArray[np.int64], x: RankedRows, y: RankedRows, statistic: str) -> Floats:
    """Kendall's tau from C - D; NaN where a list has one value, but for "kendall_a"."""
    n = x.codes.shape[1]
    pairs = n * (n - 1) // 2
    if statistic == "kendall_a":
        return np.asarray(surplus / pairs)
    if statistic == "kendall_b":
        whole = np.sqrt((pairs - x.tied).astype(np.float64) * (pairs - y.tied))
    else:
        fewer = np.minimum(x.distinct, y.distinct)
        whole = n * n * (fewer - 1) / fewer / 2
    found = np.divide(surplus, whole, out=np.full(whole.shape, np.nan), where=whole > 0)
    return snap(np.clip(found, -1.0, 1.0))


def normed(rows: Floats) -> Floats:
    """Each list less its mean, of length 1; NaN of a list of one value."""
    centred = rows - rows.mean(axis=1, keepdims=True)
    greatest = np.abs(centred).max(axis=1, keepdims=True)
    centred = np.divide(centred, greatest, out=np.full(rows.shape, np.nan), where=greatest > 0)
    return np.asarray(centred / np.sqrt((centred * centred).sum(axis=1, keepdims=True)))


def product_moments(rows: Floats, flat: Bools) -> Floats:
    units = normed(rows)
    matrix = np.where(flat[:, None] | flat, np.nan, snap(units @ units.T))
    np.fill_diagonal(matrix, np.where(flat, np.nan, 1.0))
    return matrix


def snap(values: Floats) -> Floats:
    """1 and -1 where only rounding is between."""
    return np.asarray(np.where(np.abs(values) >= 1 - EXACTLY, np.sign(values), values))


def matrix_of(rows: Floats, statistic: str) -> Floats:
    """(k, k) of k lists; see `correlation_matrix`."""
    if statistic == "pearson":
        return product_moments(rows, constant(rows))
    ranks = rank_rows(rows)
    if statistic == "spearman":
        return product_moments(ranks.doubled_ranks, ranks.distinct == 1)
    k = len(rows)
    matrix = np.empty((k, k))
    for i in range(k):  # one list with all that follow, so that no table holds all pairs
        x, y = ranks.rows([i]), ranks.rows(np.arange(i, k))
        matrix[i, i:] = matrix[i:, i] = taus(surplus_by_row(x, y), x, y, statistic)
    return matrix
