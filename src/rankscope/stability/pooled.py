"""What the values of one draw say, taken together: power of a test of all pairs, reliability, agreement of halves."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from rankscope.kernels.ties import at_most
from rankscope.stability.conditions import Condition
from rankscope.stability.halves import half_agreement, usual_sizes
from rankscope.stability.sampling import stream
from rankscope.stats.reliability import from_squares, mean_squares
from rankscope.stats.tukey import randomised_tukey_hsd
from rankscope.typing import Floats

__all__ = ["RELIABILITY", "halves_of", "reliability_of", "tukey_rates"]


#: What is kept of each measure's generalisability, in this order.
RELIABILITY = (
    "relative",
    "relative_low",
    "relative_high",
    "absolute",
    "absolute_low",
    "absolute_high",
    "needed_relative",
    "needed_relative_low",
    "needed_relative_high",
    "needed_absolute",
    "needed_absolute_low",
    "needed_absolute_high",
)
#: Of so many draws mean squares are averaged.
DRAWS = 50
#: The coefficient that the number of queries needed is for.
TARGET = 0.95


def complete_queries(values: Floats) -> Floats:
    """(systems, queries) the queries where all systems have a value."""
    return values[:, ~np.isnan(values).any(axis=0)]


def tukey_rates(pool: Floats, levels: tuple[float, ...], n_resamples: int, seed: int, condition: Condition) -> Floats:
    """(measures, levels) percent of pairs that randomised Tukey HSD tells apart, corrected for all pairs.

    pool: (measures, systems, queries), NaN where there is no value. NaN where a measure has fewer than 2 queries.
    """
    found = np.full((len(pool), len(levels)), np.nan)
    for m, values in enumerate(map(complete_queries, pool)):
        if values.shape[1] >= 2:
            rng = stream(seed, condition, 0, 2)
            pvalue = randomised_tukey_hsd(values, n_resamples=n_resamples, rng=rng).pvalue
            found[m] = [100 * float(at_most(pvalue, level).mean()) for level in levels]
    return found


def reliability_of(pools: Sequence[Floats], size: int) -> Floats:
    """(measures, 12) the numbers of `RELIABILITY`, for means over `size` queries; NaN of fewer than 2 queries.

    pools: values (measures, systems, queries) of some draws, whose mean squares are averaged, so that no single draw
    decides. Draws in which a measure lacks values of more queries than in others are left out for it.
    """
    found = np.full((len(pools[0]), len(RELIABILITY)), np.nan)
    for m in range(len(found)):
        some = [values for values in (complete_queries(pool[m]) for pool in pools[:DRAWS]) if values.shape[1] >= 2]
        if some:
            most = max(values.shape[1] for values in some)
            squares = [mean_squares(values) for values in some if values.shape[1] == most]
            one = from_squares(squares, 0.95, TARGET, size)
            found[m] = [getattr(one, name) for name in RELIABILITY]
    return found


def halves_of(pool: Floats, iterations: int, seed: int, condition: Condition) -> tuple[Floats, Floats]:
    """Sizes (k) and (6, measures, k) tau, tau_AP and their percentiles, of two disjoint sets of that size.

    Measures without a value on some query use the others; where sizes differ by that, the largest are NaN.
    """
    sizes = usual_sizes(pool.shape[2])
    found = np.full((6, len(pool), len(sizes)), np.nan)
    seed_ = int(stream(seed, condition, 0, 3).integers(1 << 62))
    complete = ~np.isnan(pool).any(axis=1)
    kinds, kind_of = np.unique(complete, axis=0, return_inverse=True)
    for kind, mask in enumerate(kinds):
        which = np.flatnonzero(kind_of.ravel() == kind)
        fitting = [size for size in sizes if 2 * size <= mask.sum()]
        if fitting:
            one = half_agreement(pool[which][:, :, mask], fitting, iterations=iterations, rng=seed_)
            for k, name in enumerate(("tau", "tau_low", "tau_high", "tau_ap", "tau_ap_low", "tau_ap_high")):
                found[k][which, : len(fitting)] = getattr(one, name)
    return np.array(sizes, np.float64), found


def format_needed(value: float) -> str:
    """How many queries, as people read it."""
    return "-" if math.isnan(value) else "none will do" if math.isinf(value) else f"{value:,.0f}"
