"""PERM-BOTH: what the difference of two metrics would be, had each cell's two scores changed places by chance."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rankscope.agreement.calibration import calibrate
from rankscope.agreement.conventions import CONVENTIONS
from rankscope.agreement.metric_statistics import values_of_stack
from rankscope.agreement.swapped_cells import mean_differences, pearson_differences
from rankscope.agreement.swapped_epsilons import best_accuracy_differences
from rankscope.agreement.swapped_pairs import accuracy_differences, tau_differences
from rankscope.agreement.swapped_taus import flat_tau_differences
from rankscope.kernels.resample import Draws
from rankscope.kernels.swaps import swap_bits
from rankscope.typing import Floats

__all__ = ["permuted_differences", "plain_differences"]


def permuted_differences(
    gold: Floats,
    pair: Floats,
    statistic: str,
    grouping: str,
    epsilons: Floats | None,
    draws: Draws,
    swap: str,
    soft: Draws,
    observed: float | None = None,
) -> Iterator[Floats]:
    """(resamples), chunk by chunk: the statistic of the first metric less that of the second, after the swaps.

    gold: (systems, segments), pair: (2, systems, segments), NaN alike, on one scale. epsilons: (2) those of acc_eq,
    None to find them anew for each permuted metric. observed: where given, values that are certainly on one side of it
    may be rough.
    """
    if statistic == "acc_eq":
        if epsilons is None:
            return best_accuracy_differences(gold, pair, grouping, draws, swap)
        return accuracy_differences(gold, pair, epsilons, grouping, draws, swap)
    if grouping == "means" and statistic != "soft_pairwise_accuracy":
        return mean_differences(gold, pair, statistic, draws, swap)
    if statistic == "pearson":
        return pearson_differences(gold, pair, grouping, draws, swap)
    if statistic == "kendall_b" and grouping == "segment":
        return tau_differences(gold, pair, draws, swap)
    if statistic == "kendall_b" and grouping == "none":
        return flat_tau_differences(gold, pair, draws, swap, observed)
    return plain_differences(gold, pair, statistic, grouping, epsilons, draws, swap, soft)


def plain_differences(
    gold: Floats,
    pair: Floats,
    statistic: str,
    grouping: str,
    epsilons: Floats | None,
    draws: Draws,
    swap: str,
    soft: Draws,
) -> Iterator[Floats]:
    """As above, in the plain way that all have: every permuted matrix is put together, and its statistic taken."""
    first, second = pair
    for bits in swap_bits(draws, gold.shape, swap):
        swapped = bits.swapaxes(1, 2).astype(np.bool_)
        values = []
        for k, (one, other) in enumerate(((second, first), (first, second))):
            stack = np.where(swapped, one, other)
            if statistic == "acc_eq" and epsilons is None:
                values.append(best_values(gold, stack, grouping))
            else:
                epsilon = np.nan if epsilons is None else float(epsilons[k])
                values.append(values_of_stack(gold, stack, statistic, grouping, epsilon, soft)[0])
        yield values[0] - values[1]


def best_values(gold: Floats, stack: Floats, grouping: str) -> Floats:
    """(matrices) acc_eq of each, with the epsilon that suits it best."""
    convention = CONVENTIONS["acc_eq"]
    return np.array([calibrate(gold.T, matrix.T, convention=convention, grouping=grouping).value for matrix in stack])
