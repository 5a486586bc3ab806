"""Notes on clusters and weights of queries: how many there are, how far queries agree, and what they are worth."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rankscope.data.text import pluralise
from rankscope.stats.cluster_sums import design_effect, effective_number
from rankscope.typing import Floats, Ints

__all__ = [
    "cluster_notes",
    "plural_of",
    "size_text",
    "weight_notes",
]


#: Fewer clusters get a note.
FEW_CLUSTERS = 10


def cluster_notes(
    clusters: Ints | None, correlations: npt.ArrayLike, values: str = "differences", unit: str = "query"
) -> list[str]:
    """How many clusters there are, how far their queries agree, and how many independent queries they are worth.

    Parameters
    ----------
    clusters
        (queries) the cluster of each query; None if all are independent, which needs no note.
    correlations
        How far values within a cluster correlate; NaN where that is unknown.
    values
        What correlates.
    unit
        What is in the clusters: "query" or "item".
    """
    if clusters is None:
        return []
    n = clusters.size
    sizes = np.unique(clusters, return_counts=True)[1]
    n_clusters = sizes.size
    each = unit if sizes.max() == 1 else plural_of(unit)
    note = f"{pluralise(n_clusters, 'cluster')} of {size_text(sizes)} {each}"
    known = np.asarray(correlations, np.float64).ravel()
    known = known[~np.isnan(known)]
    if known.size:
        low, high = known.min(), known.max()
        correlate = f"{low:.2f}" if round(high - low, 2) == 0 else f"{low:.2f} to {high:.2f}"
        worth = n / design_effect(clusters, np.array([high, low]))
        low_worth, high_worth = np.round(worth).astype(np.int64).tolist()
        worth_text = f"{low_worth:,}" if low_worth == high_worth else f"{low_worth:,} to {high_worth:,}"
        note += (
            f"; {values} within a cluster correlate {correlate}, so {pluralise(n, unit, plural_of(unit))} carry as "
            f"much as {worth_text}"
        )
    if n_clusters >= FEW_CLUSTERS:
        return [note]
    return [
        note,
        f"{n_clusters} clusters are few: only large differences can be significant, and p and intervals are rough if "
        "differences are skewed",
    ]


def size_text(sizes: npt.NDArray[np.int64]) -> str:
    """One size, or from the smallest to the largest."""
    low, high = int(sizes.min()), int(sizes.max())
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def weight_notes(weights: Floats | None, unit: str = "query") -> list[str]:
    """How many queries, or items, of one weight these are worth."""
    if weights is None:
        return []
    units = plural_of(unit)
    return [
        f"weights of {pluralise(weights.size, unit, units)}: means carry as much as those of "
        f"{effective_number(weights):.1f} {units} of one weight"
    ]


def plural_of(unit: str) -> str:
    return "queries" if unit == "query" else f"{unit}s"
