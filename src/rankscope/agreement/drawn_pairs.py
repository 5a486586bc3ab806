"""Pairs of systems on a segment, of samples given as counts: a pair counts as often as both its systems together."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from rankscope.agreement.drawn_cells import weighted_mean
from rankscope.agreement.pair_counts import pair_places
from rankscope.agreement.segment_sums import divide_or_nan
from rankscope.agreement.swapped_pairs import gold_signs, signs_of
from rankscope.typing import Floats

__all__ = ["accuracy_of_samples", "tau_of_samples"]

SampleStatistic = Callable[[Floats, Floats], Floats]


def metric_signs(metric: Floats, epsilon: float) -> npt.NDArray[np.int8]:
    """(segments, pairs) the sign of the metric's differences."""
    first, second = pair_places(len(metric))
    return signs_of(metric.T[:, first] - metric.T[:, second], epsilon)


def accuracy_of_samples(gold: Floats, metric: Floats, epsilon: float, grouping: str) -> SampleStatistic:
    """acc_eq as a function of how often each system and segment counts; copies of one system tie on both sides."""
    people, there = gold_signs(gold)
    right = ((metric_signs(metric, epsilon) == people) & there).astype(np.float64)
    counted = there.astype(np.float64)
    present = (~np.isnan(gold)).astype(np.float64)
    first, second = pair_places(len(gold))

    def values(of_systems: Floats, of_segments: Floats) -> Floats:
        both = of_systems[:, first] * of_systems[:, second]
        copies = (of_systems * (of_systems - 1) / 2) @ present
        above, below = (both @ table.T + copies for table in (right, counted))
        if grouping == "segment":
            return weighted_mean(divide_or_nan(above, below), of_segments)
        above, below = (np.einsum("rn,rn->r", side, of_segments) for side in (above, below))
        return divide_or_nan(above, below)

    return values


def tau_of_samples(gold: Floats, metric: Floats) -> SampleStatistic:
    """Kendall's tau-b of each segment, the mean of those that have one; as `accuracy_of_samples`."""
    people, there = gold_signs(gold)
    signs = metric_signs(metric, 0.0)
    tables = [table.astype(np.float64) for table in (signs * people, (people != 0), (signs != 0) & there)]
    first, second = pair_places(len(gold))

    def values(of_systems: Floats, of_segments: Floats) -> Floats:
        both = of_systems[:, first] * of_systems[:, second]
        surplus, untied_gold, untied = (both @ table.T for table in tables)
        return weighted_mean(divide_or_nan(surplus, np.sqrt(untied_gold * untied)), of_segments)

    return values
