"""The "buckets" forms of Dunaiski's tool: counts by permille of N ranked items.

T_i entities have rank i or less, i = 1 ... 1000, and each bucket is w = N / 1000 items wide. Ranks are not converted:
the tool takes them as permilles already. Each function gives (2, queries): values, and the number of entities that each
rests on as the tool counts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankscope.data.hits import Hits
from rankscope.kernels.gain import discount_log2
from rankscope.kernels.segments import sum_by_group
from rankscope.measures.base import ratio
from rankscope.measures.curves import sums_up_to
from rankscope.measures.cutoffs import query_cutoff
from rankscope.typing import Floats, Ints

__all__ = [
    "Buckets",
    "average_precision",
    "depth_of",
    "interpolated_precision",
    "make",
    "ndcg",
    "precision",
    "precision_recall_area",
    "recall",
    "roc_area",
]


COUNT = 1000


class Buckets(NamedTuple):
    """Counts of a set of queries.

    Attributes
    ----------
    hits
        The hits.
    rel
        Lowest grade that counts as relevant.
    n
        Number R of relevant documents, (queries).
    up_to
        T_1 to T_1000, (queries, 1000).
    query, bucket
        Query and bucket i of each entity up to rank 1,000, (entities).
    size
        Number N of ranked items.
    """

    hits: Hits
    rel: float
    n: Floats
    up_to: Floats
    query: Ints
    bucket: Ints
    size: int

    @property
    def width(self) -> float:
        return self.size / COUNT

    @property
    def ends(self) -> Floats:
        """(1000) how many items there are up to the end of each bucket."""
        return np.arange(1.0, COUNT + 1) * self.width

    @property
    def precisions(self) -> Floats:
        """(queries, 1000) T_i / (i w), which may exceed 1."""
        return self.up_to / self.ends

    @property
    def highest(self) -> Floats:
        """(queries, 1000) the highest precision of each bucket and those behind it."""

        def compute() -> Floats:
            return np.maximum.accumulate(self.precisions[:, ::-1], axis=1)[:, ::-1]

        return self.hits.cached(("highest by permille", self.rel, self.size), compute)


class CutoffPlace(NamedTuple):
    """Cutoffs of queries in buckets.

    Attributes
    ----------
    k
        Cutoff of each query.
    n_whole
        Complete buckets within k.
    fraction
        Part of the next bucket.
    n
        Entities within k, interpolated.
    """

    k: Floats
    n_whole: Ints
    fraction: Floats
    n: Floats


def make(hits: Hits, rel: float) -> Buckets:
    """The counts, computed once for these hits."""
    up_to = hits.cached(("buckets", rel), lambda: sums_up_to(hits, rel, None, 1, COUNT))
    rows = np.flatnonzero(hits.relevant(rel) & (hits.rank <= COUNT))
    bucket = np.ceil(hits.rank[rows]).astype(np.int64)
    return Buckets(hits, rel, hits.n_relevant(rel), up_to, hits.query[rows], bucket, hits.collection_size or 0)


def depth_of(table: Buckets, cutoff: int | str | None) -> Floats:
    """(queries) a cutoff in items: a number as it is, a query's own cutoff times w; infinite without one."""
    if cutoff is None or isinstance(cutoff, int):
        return np.full(table.n.size, np.inf if cutoff is None else cutoff)
    return query_cutoff(table.hits, cutoff, table.rel, rounded=cutoff != "median") * table.width


def value_in_bucket(values: Floats, bucket: Ints) -> Floats:
    """(queries) the value of this bucket, from 1; 0 for bucket 0 and for 1001."""
    index = np.clip(bucket - 1, 0, COUNT - 1)
    return np.where((bucket >= 1) & (bucket <= COUNT), values[np.arange(bucket.size), index], 0.0)


def locate_cutoffs(table: Buckets, k: Floats) -> CutoffPlace:
    """The position of k: in the first bucket i with i w > k. From N on: behind all buckets, with no entity."""
    beyond = k >= table.size
    n_whole = np.floor(np.where(beyond, 0.0, k) / table.width).astype(np.int64)
    n_whole += (n_whole + 1) * table.width <= k  # where the division was rounded
    n_whole -= n_whole * table.width > k
    n_whole = np.where(beyond, COUNT, n_whole)
    fraction = np.where(beyond, 0.0, (k - n_whole * table.width) / table.width)
    n_before = value_in_bucket(table.up_to, n_whole)
    n = np.where(
        beyond, 0.0, n_before + (value_in_bucket(table.up_to, np.minimum(n_whole + 1, COUNT)) - n_before) * fraction
    )
    return CutoffPlace(k, n_whole, fraction, n)


def precision(table: Buckets, k: Floats) -> Floats:
    """P@k."""
    n = locate_cutoffs(table, k).n
    return np.stack([np.minimum(1.0, ratio(n, k)), n])


def recall(table: Buckets, k: Floats) -> Floats:
    """Recall@k."""
    n = locate_cutoffs(table, k).n
    return np.stack([np.minimum(1.0, ratio(n, table.n)), n])


def average_precision(table: Buckets, k: Floats) -> Floats:
    """AP: the mean of min(1, T_i / (i w)) over all buckets; or over those within k, the partial one counted in full."""
    if np.isinf(k).all():
        return np.stack([np.minimum(1.0, table.precisions).mean(axis=1), table.n])
    cutoffs = locate_cutoffs(table, k)
    max_whole = int(cutoffs.n_whole.max(initial=0))
    precisions = np.minimum(1.0, table.up_to[:, :max_whole] / table.ends[:max_whole])
    total = np.where(np.arange(max_whole) < cutoffs.n_whole[:, None], precisions, 0.0).sum(axis=1)
    total += np.minimum(1.0, ratio(cutoffs.n, k))
    return np.stack([total / np.maximum(1.0, cutoffs.n_whole + cutoffs.fraction), cutoffs.n])


def interpolated_precision(table: Buckets) -> Floats:
    """AP with the highest T_j / (j w) from each bucket on; the tool counts buckets as entities."""
    return np.stack([table.highest.mean(axis=1), np.full(table.n.size, float(COUNT))])


def ndcg(table: Buckets, k: Floats) -> Floats:
    """Gains of entities in their bucket, discounted by log2(i + 1), over those of an ideal that fills the first."""
    cutoffs = locate_cutoffs(table, k)
    n_whole, fraction = cutoffs.n_whole, cutoffs.fraction
    discount = discount_log2(np.arange(1.0, COUNT + 2))
    # The possible gains depend on R alone, which most queries share.
    sizes, size_index = np.unique(table.n, return_inverse=True)
    bucket_gains = np.diff(np.minimum(sizes[:, None], table.ends), axis=1, prepend=0.0) * discount[:-1]
    bucket_gains = np.concatenate([np.zeros((sizes.size, 1)), bucket_gains, np.zeros((sizes.size, 1))], axis=1)
    ideal = np.cumsum(bucket_gains, axis=1)[size_index, n_whole] + fraction * bucket_gains[size_index, n_whole + 1]
    last_bucket = n_whole[table.query]
    shares = np.where(
        table.bucket <= last_bucket, 1.0, np.where(table.bucket == last_bucket + 1, fraction[table.query], 0.0)
    )
    gains = sum_by_group(shares * discount[table.bucket - 1], table.query, n_whole.size)
    return np.stack([ratio(gains, ideal), value_in_bucket(table.up_to, np.minimum(n_whole + 1, COUNT))])


def precision_recall_area(table: Buckets, interpolated: bool) -> Floats:
    """Trapezoids of precision, at most 1, over recall at the end of each bucket: one a bucket that holds an entity."""
    has_trapezoid = table.bucket > 1  # there is no trapezoid before the first bucket
    query, bucket_index = table.query[has_trapezoid], table.bucket[has_trapezoid] - 1

    def precision_in(index: Ints) -> Floats:
        precisions = table.highest[query, index] if interpolated else table.up_to[query, index] / table.ends[index]
        return np.minimum(1.0, precisions)

    area = sum_by_group((precision_in(bucket_index) + precision_in(bucket_index - 1)) / 2, query, table.n.size)
    return np.stack([ratio(area, table.n), np.maximum(table.up_to[:, -1] - 1, 0.0)])


def roc_area(table: Buckets) -> Floats:
    """Trapezoids of recall over the share of false positives at the end of each bucket."""
    true_positives = np.minimum(table.up_to, table.ends)
    n_negatives = (table.size - table.n)[:, None] + (table.up_to - true_positives)
    false_positive_rate = ratio(table.ends - true_positives, n_negatives)
    area = np.einsum("qi,qi->q", table.up_to[:, 1:] + table.up_to[:, :-1], np.diff(false_positive_rate, axis=1)) / 2
    return np.stack([ratio(area, table.n), table.n])
