"""The design of the queries at hand: clusters and weights, and what they do to the error of a mean."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor
from typing import Any

import numpy as np

from rankscope.comparison.common_queries import MeasureValues
from rankscope.stats.cluster_sums import cluster_sums, design_effect, effective_number, intraclass_correlation
from rankscope.stats.inputs import scale_table
from rankscope.typing import Floats

__all__ = [
    "ClusterDesign",
    "design_of",
]


#: Numbers of queries are rounded up except from within this of a whole one.
ROUNDING = 1e-9


@dataclass(frozen=True, kw_only=True)
class ClusterDesign:
    """What kind of sample the queries are; further ones are taken to be of the same kind.

    Attributes
    ----------
    n_clusters
        How many clusters the queries at hand have; None if all are independent.
    per_cluster
        Queries of a cluster, on average; 1 without clusters.
    size
        Queries of an effective cluster: one that weighs as much as that of a query does on average. 1 if all queries
        are independent and count the same.
    correlation
        How far differences within a cluster correlate; NaN if that is unknown.
    design_effect
        By how much the variance of a mean exceeds that of independent queries of one weight.
    deviation
        By how much the standard deviation of queries taken as independent is too low, as a factor.
    has_weights
        Whether queries have weights.
    """

    n_clusters: int | None = None
    per_cluster: float = 1.0
    size: float = 1.0
    correlation: float = np.nan
    design_effect: float = 1.0
    deviation: float = 1.0
    has_weights: bool = False

    @property
    def is_simple(self) -> bool:
        """Whether all queries are independent and count the same."""
        return self.n_clusters is None and not self.has_weights

    @property
    def kind(self) -> str:
        """What is drawn."""
        return "queries" if self.n_clusters is None else "clusters"

    @property
    def for_power(self) -> dict[str, float]:
        """The design as the functions of `rankscope.stats.power` take it."""
        return {"cluster_size": self.size, "design_effect": self.design_effect}

    def queries_of(self, n_clusters: int) -> int:
        """How many queries so many clusters have."""
        return ceil(n_clusters * self.per_cluster - ROUNDING)

    def clusters_of(self, n_queries: int) -> int:
        """The fewest clusters of which `queries_of` is at least so many."""
        return floor((n_queries - 1) / self.per_cluster + ROUNDING) + 1

    def complete(self, n_queries: int | None) -> int | None:
        """So many queries, in whole clusters; None stays None."""
        return None if n_queries is None else self.queries_of(self.clusters_of(n_queries))


def design_of(values: MeasureValues, baseline: int | None) -> ClusterDesign:
    """The design of the queries of these values. baseline: the index of the system that others are compared with.

    Without weights the design effect follows from the correlation within clusters, estimated from the differences of
    all pairs together. With weights it is what the jackknife finds: so it knows whether frequent queries differ more,
    or less, than rare ones.
    """
    if (values.clusters is None and values.weights is None) or values.n < 2:
        return ClusterDesign()
    rows, _ = scale_table(compared_rows(values.values, baseline))
    n = values.n
    weights = np.ones(n) if values.weights is None else values.weights
    codes = np.arange(n) if values.clusters is None else np.unique(values.clusters, return_inverse=True)[1]
    shape: dict[str, Any] = {
        "n_clusters": None if values.clusters is None else values.n_clusters,
        "per_cluster": n / values.n_clusters,
        "size": n / effective_number(np.bincount(codes, weights).astype(np.float64)),
        "correlation": (
            np.nan if values.clusters is None else float(intraclass_correlation(rows, values.clusters, pooled=True))
        ),
        "has_weights": values.weights is not None,
    }
    if values.weights is not None:
        variance = rows.var(axis=1, ddof=1).sum()
        of_mean = (cluster_sums(rows, **values.sample).standard_errors ** 2).sum()
        effect = float(n * of_mean / variance) if variance > 0 else 1.0
        return ClusterDesign(**shape, design_effect=effect)
    effect = float(design_effect(codes, shape["correlation"]))
    # Queries of one cluster vary less than those of several: the expected sum of squares is (n - effect) times the
    # variance.
    return ClusterDesign(**shape, design_effect=effect, deviation=float(np.sqrt((n - 1) / (n - effect))))


def compared_rows(x: Floats, baseline: int | None) -> Floats:
    """(lists, queries) differences to the baseline, or of two systems; of more systems, those to their mean.

    The sum of squares of the latter is that of the differences of all pairs, over the number of systems.
    """
    if len(x) == 2 or baseline is not None:
        reference = len(x) - 1 if baseline is None else baseline
        return np.asarray(np.delete(x, reference, axis=0) - x[reference])
    return np.asarray(x - x.mean(axis=0))
