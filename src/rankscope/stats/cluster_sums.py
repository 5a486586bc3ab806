"""Clusters and weights of queries: sums by cluster, the jackknife over clusters, and how many queries they are worth.

A weighted mean over queries is a quotient of two sums over clusters. So a cluster, with the sum of its values and that
of its weights, is the unit of tests and intervals; without clusters each query is one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from rankscope.errors import ParameterError
from rankscope.kernels.resample import Draws, bootstrap_counts
from rankscope.kernels.rounding_ties import NOISE
from rankscope.stats.inputs import as_differences, is_constant
from rankscope.typing import Bools, Floats, Ints

__all__ = [
    "ClusterSums",
    "checked_weights",
    "cluster_codes",
    "cluster_sums",
    "design_effect",
    "effective_number",
    "intraclass_correlation",
]


@dataclass(frozen=True, eq=False, kw_only=True)
class ClusterSums:
    """Sums by cluster, of which weighted means and their errors are computed.

    Attributes
    ----------
    sums
        (lists, clusters) sums of the values times their weights.
    weights
        (clusters) sums of the weights; without weights the number of queries.
    """

    sums: Floats
    weights: Floats

    @property
    def n(self) -> int:
        """The number of clusters."""
        return self.weights.size

    @cached_property
    def total(self) -> float:
        """The sum of all weights."""
        return float(self.weights.sum())

    @cached_property
    def means(self) -> Floats:
        """(lists) the weighted means."""
        return np.asarray(self.sums.sum(axis=1) / self.total)

    @cached_property
    def gaps(self) -> Floats:
        """(lists, clusters) the mean less the mean without each cluster."""
        return np.asarray(
            (self.sums - self.means[:, None] * self.weights) / (self.total - self.weights)
            if self.n > 1
            else np.full(self.sums.shape, np.nan)
        )

    @cached_property
    def standard_errors(self) -> Floats:
        """(lists) standard errors of the means by the jackknife over clusters; NaN for a single cluster.

        sqrt((G - 1) / G times the sum of the squares of `gaps`), known as CV3: MacKinnon, Nielsen and Webb (2023),
        "Fast and reliable jackknife and bootstrap methods for cluster-robust inference". For clusters of one size it
        is the usual cluster-robust error (CR1) of Liang and Zeger (1986); for clusters of one query, s / sqrt(n).
        """
        return np.asarray(np.sqrt((self.n - 1) / self.n * (self.gaps**2).sum(axis=1)))

    @property
    def df(self) -> float:
        """Degrees of freedom: the effective number of clusters less 1, which for clusters of one weight is G - 1.

        Errors of unequal clusters rest on the few that weigh most, as many as `effective_number` says.
        """
        return effective_number(self.weights) - 1

    @cached_property
    def degenerate(self) -> Bools:
        """(lists) where nothing says how means of clusters vary: there is one cluster, or all have the same mean."""
        return is_constant(self.sums / self.weights) | (self.n == 1)

    def resampled_means(self, draws: Draws) -> Floats:
        """(lists, resamples) the mean of each list in samples of clusters with replacement."""
        means = np.empty((len(self.sums), draws.n_resamples))
        n_done = 0
        for counts in bootstrap_counts(draws, self.n, len(self.sums)):
            block = slice(n_done, n_done + len(counts))
            means[:, block] = (self.sums @ counts.T) / (counts @ self.weights)
            n_done += len(counts)
        return means


def cluster_sums(rows: Floats, clusters: npt.ArrayLike | None, weights: npt.ArrayLike | None) -> ClusterSums:
    """Sums by cluster of lists of values.

    Parameters
    ----------
    rows
        (lists, queries) the values.
    clusters
        (queries) the cluster of each query, as any labels. None: each query is one.
    weights
        (queries) how much each query counts, above 0. None: all count the same.

    Raises
    ------
    ParameterError
        Clusters or weights are not one for each query, or a weight is not above 0.
    """
    n = rows.shape[1]
    weight_array = checked_weights(weights, n)
    weighted = rows if weights is None else rows * weight_array
    if clusters is None:
        return ClusterSums(sums=np.asarray(weighted), weights=weight_array)
    codes = cluster_codes(clusters, n)
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    return ClusterSums(
        sums=np.add.reduceat(weighted[:, order], starts, axis=1),
        weights=np.add.reduceat(weight_array[order], starts),
    )


def checked_weights(weights: npt.ArrayLike | None, n: int) -> Floats:
    """(queries) the weights, 1 for each where there are none. Raises ParameterError."""
    if weights is None:
        return np.ones(n)
    array = np.asarray(weights, np.float64)
    if array.shape != (n,):
        raise ParameterError(f"the weights have shape {array.shape}, expected one for each of {n} queries")
    invalid = np.flatnonzero(~((array > 0) & np.isfinite(array)))
    if invalid.size:
        raise ParameterError(
            f"weight {array[invalid[0]]:g} of query {int(invalid[0])}, expected a finite number above 0; leave the "
            "query out, or correct its weight"
        )
    return np.asarray(array / array.max())


def cluster_codes(clusters: npt.ArrayLike, n: int) -> Ints:
    """(queries) clusters as numbers from 0. Raises ParameterError for another number of them."""
    labels = np.asarray(clusters)
    if labels.shape != (n,):
        raise ParameterError(f"the clusters have shape {labels.shape}, expected one for each of {n} queries")
    return np.asarray(np.unique(labels, return_inverse=True)[1], np.int64)


def effective_number(weights: Floats) -> float:
    """How many values of one weight carry as much as these: (sum of weights)^2 / sum of their squares (Kish, 1965)."""
    return float(weights.sum() ** 2 / (weights * weights).sum())


def intraclass_correlation(values: npt.ArrayLike, clusters: npt.ArrayLike, *, pooled: bool = False) -> Floats:
    """How far values of one cluster agree beside those of others: their correlation within clusters.

    Parameters
    ----------
    values
        Differences or scores, (queries) or (lists, queries).
    clusters
        (queries) the cluster of each query.
    pooled
        One correlation of all lists, from the sums of their mean squares.

    Returns
    -------
    array
        (lists), or () for a single list or if pooled: at most 1, below 0 where values of one cluster differ more than
        by chance. NaN for one cluster, clusters of one query, or values that do not vary.

    Raises
    ------
    ParameterError
        A value is NaN, or there are not as many clusters as values.

    References
    ----------
    The estimator by analysis of variance, for clusters of unequal size: Donner (1986), "A review of inference
    procedures for the intraclass correlation coefficient in the one-way random effects model", section 2.

    Examples
    --------
    >>> intraclass_correlation([1.0, 1.0, 3.0, 3.0, 5.0, 5.0], [0, 0, 1, 1, 2, 2]).item()
    1.0
    """
    rows, shape = as_differences(values, "values")
    n = rows.shape[1]
    codes = cluster_codes(clusters, n)
    sizes = np.bincount(codes).astype(np.float64)
    n_clusters = sizes.size
    shape = () if pooled else shape
    if n_clusters in (1, n):
        return np.full(shape, np.nan)
    centred = rows - rows.mean(axis=1, keepdims=True)
    cluster_means = cluster_sums(centred, codes, None).sums / sizes
    between = (sizes * cluster_means**2).sum(axis=1) / (n_clusters - 1)
    within = ((centred - cluster_means[:, codes]) ** 2).sum(axis=1) / (n - n_clusters)
    # The size that clusters of one size would have for the same expectation.
    size = (n - (sizes**2).sum() / n) / (n_clusters - 1)
    scale = (rows * rows).mean(axis=1)
    if pooled:
        between, within, scale = (x.sum(keepdims=True) for x in (between, within, scale))
    total = between + (size - 1) * within
    correlation = np.divide(between - within, total, out=np.full(total.shape, np.nan), where=total > NOISE**2 * scale)
    return np.asarray(correlation.reshape(shape))


def design_effect(clusters: npt.ArrayLike, correlation: npt.ArrayLike) -> Floats:
    """By how much the variance of a mean exceeds that of independent queries: 1 + (m - 1) times the correlation.

    Parameters
    ----------
    clusters
        (queries) the cluster of each query.
    correlation
        The intraclass correlation; below 0 it is taken as 0, and NaN, too.

    Returns
    -------
    array
        The shape of `correlation`; at least 1.

    Raises
    ------
    ParameterError
        The clusters have more than one dimension.

    Notes
    -----
    m is the size of the cluster of a query, averaged over queries.

    References
    ----------
    Kish (1965), "Survey sampling", section 5.4.

    Examples
    --------
    >>> [round(design_effect([0, 0, 0, 1, 1, 1], correlation).item(), 3) for correlation in (0.5, -0.2)]
    [2.0, 1.0]
    """
    codes = cluster_codes(clusters, np.size(clusters))
    size = float((np.bincount(codes) ** 2).sum()) / codes.size
    return np.asarray(1 + (size - 1) * np.maximum(np.nan_to_num(np.asarray(correlation, np.float64)), 0.0))
