"""Ranks of metrics from the tests between them, and whether there are enough resamples for any."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankscope.agreement.metric_asked import TESTS, MetricComparisonSettings
from rankscope.kernels.ties import at_most
from rankscope.typing import Floats, Ints

__all__ = ["cluster_ranks", "few_resamples"]


def cluster_ranks(order: Sequence[int], pvalues: Floats, level: float) -> Ints:
    """(metrics) the rank of each: down the order a new one begins where a metric of the present one is better.

    order: metrics by falling value. pvalues: (metrics, metrics), symmetric; NaN is no difference. So no metric differs
    significantly from another one of its rank.

    Source: the metrics task since 2022, in mt-metrics-eval; there p must be below the level, here at or below it.

    >>> p = np.array([[np.nan, 0.3, 0.01], [0.3, np.nan, 0.2], [0.01, 0.2, np.nan]])
    >>> cluster_ranks([0, 1, 2], p, 0.05).tolist()  # the second is like the first, the third is worse than that
    [1, 1, 2]
    """
    ranks = np.ones(len(order), np.int64)
    rank, start = 1, 0
    for place, m in enumerate(order):
        if at_most(pvalues[list(order[start:place]), m], level).any():
            rank, start = rank + 1, place
        ranks[m] = rank
    return ranks


def few_resamples(tests: Sequence[str], metrics: int, asked: MetricComparisonSettings) -> list[str]:
    """A note where not even the least p-value that there can be is significant after its correction."""
    family = metrics * (metrics - 1) // 2
    if asked.correction not in ("holm", "bonferroni") or not any(TESTS[test] for test in tests):
        return []
    doubled = asked.alternative == "two-sided" and any(TESTS[test] == "values" for test in tests)
    least = family * (2 if doubled else 1)
    if at_most(least / (1 + asked.n_resamples), asked.significance):
        return []
    what = f"the correction of {family} tests" if family > 1 else f"significance {asked.significance:g}"
    needed = int(np.ceil(least / asked.significance))
    return [
        f"with {asked.n_resamples:,} resamples no p-value is low enough for {what}; take "
        f"{needed:,} or more (--resamples){', or another correction' if family > 1 else ''}"
    ]
