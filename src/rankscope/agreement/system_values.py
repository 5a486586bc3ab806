"""The statistic of each metric on the systems of one language pair: as it is, on drawn segments, between its ends."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rankscope.agreement.soft_pairs import soft_draws, soft_pairwise_accuracies
from rankscope.agreement.system_asked import SystemSettings
from rankscope.agreement.system_inputs import MatchedSystems
from rankscope.agreement.system_statistics import ACCURACY, SOFT, system_statistic
from rankscope.agreement.system_sums import bootstrap_systems
from rankscope.kernels.resample import Draws, draw
from rankscope.stats.correlation_intervals import fisher_ends
from rankscope.stats.intervals import percentile_ends
from rankscope.typing import Bools, Floats, Ints

__all__ = ["SystemValues", "compute_values", "summaries"]


def signed_statistic(table: Floats, asked: SystemSettings) -> Floats:
    """(metrics) the statistic with its sign; table: (1 + metrics, systems), people's first."""
    metrics = table[1:]
    return system_statistic(np.broadcast_to(table[0], metrics.shape), metrics, asked.statistic)


def statistic_values(one: MatchedSystems, kept: Bools, asked: SystemSettings) -> Floats:
    """(metrics) the statistic as it is shown; kept: (systems) which count."""
    if asked.statistic == SOFT:
        draws = soft_draws(asked.seed, one.pair, asked.n_resamples)
        return np.array([soft_accuracy_value(one, m, kept, draws) for m in range(len(one.metrics))])
    found = signed_statistic(one.oriented()[:, kept], asked)
    return np.abs(found) if asked.absolute else found


def soft_accuracy_value(one: MatchedSystems, m: int, kept: Bools, draws: Draws) -> float:
    """Soft pairwise accuracy of one metric, on the translations of which both sides have a score."""
    people, metric = one.tables(m)
    return float(soft_pairwise_accuracies(people[kept], metric[None, kept], draws)[0])


def pair_stream(one: MatchedSystems, asked: SystemSettings) -> np.random.Generator:
    """By the name of the language pair: what is drawn does not depend on which others were asked for."""
    return np.random.default_rng([asked.seed, zlib.crc32(one.pair.encode("utf-8", "surrogateescape"))])


def resample_statistic(one: MatchedSystems, kept: Bools, asked: SystemSettings) -> Floats:
    """(metrics, resamples) the statistic on segments drawn with replacement; NaN where there is one segment only."""
    if one.people.counted_segments() < 2:
        return np.full((len(one.metrics), asked.n_resamples), np.nan)
    # A model that drew its own resamples drew no segments of the metrics'.
    sums = [one.people, *(one.metrics if one.people.drawn is None else [])]
    drawn = bootstrap_systems(sums, draw(pair_stream(one, asked), asked.n_resamples))
    drawn += [np.tile(metric.values, (asked.n_resamples, 1)) for metric in one.metrics[len(drawn) - 1 :]]
    signs = [1.0 if up else -1.0 for up in (one.people_higher, *one.higher)]
    people, *metrics = (side[:, kept] * sign for side, sign in zip(drawn, signs, strict=True))
    found = np.stack([system_statistic(people, metric, asked.statistic) for metric in metrics])
    return np.abs(found) if asked.absolute else found


def fisher_intervals(values: Floats, sizes: Ints, asked: SystemSettings) -> tuple[Floats, Floats]:
    """(metrics, pairs) the ends of the intervals; NaN of 1 and -1, and of too few systems."""
    least = 5 if asked.statistic.startswith("kendall") else 4
    low, high = np.full((2, *values.shape), np.nan)
    for p, n in enumerate(sizes.tolist()):
        good = ~np.isnan(values[:, p]) & (np.abs(values[:, p]) < 1)
        if n >= least:
            found = fisher_ends(values[good, p], n, asked.statistic, asked.confidence_level)
            low[good, p], high[good, p] = found
    if not asked.absolute:
        return low, high
    across = np.where((low < 0) & (high > 0), 0.0, np.minimum(np.abs(low), np.abs(high)))
    return across, np.maximum(np.abs(low), np.abs(high))


class SystemValues(NamedTuple):
    """Of each metric and language pair: see `SystemAgreement`; drawn: (metrics, pairs, resamples), or None."""

    value: Floats
    low: Floats
    high: Floats
    without: Floats
    drawn: Floats | None


def compute_values(
    compared: Sequence[MatchedSystems],
    kept: Sequence[Bools],
    far: Sequence[Bools],
    asked: SystemSettings,
    interval: str,
) -> SystemValues:
    """The statistic with its intervals; kept, far: of each language pair, (systems) which count, which are far."""
    value = np.stack([statistic_values(one, which, asked) for one, which in zip(compared, kept, strict=True)], axis=1)
    low, high, without = np.full((3, *value.shape), np.nan)
    for p, (one, which) in enumerate(zip(compared, far, strict=True)):
        if which.any() and np.count_nonzero(~which) > 2:
            without[:, p] = statistic_values(one, ~which, asked)
    drawn = None
    if interval == "segments":
        drawn = np.stack(
            [resample_statistic(one, which, asked) for one, which in zip(compared, kept, strict=True)], axis=1
        )
        low, high = percentile_ends(drawn, asked.confidence_level)
    elif interval == "fisher":
        found = [signed_statistic(one.oriented()[:, which], asked) for one, which in zip(compared, kept, strict=True)]
        sizes = np.array([int(np.count_nonzero(which)) for which in kept])
        low, high = fisher_intervals(np.stack(found, axis=1), sizes, asked)
    return SystemValues(value, low, high, without, drawn)


def summaries(cells: SystemValues, weights: Floats, shares: Floats, asked: SystemSettings) -> dict[str, Floats]:
    """The average over language pairs, and of an accuracy the share of all pairs of systems, with their intervals."""
    found: dict[str, Floats] = {}
    for name, by in (("average", weights), ("pooled", shares)):
        low, high, value = np.full((3, len(cells.value)), np.nan)
        if name == "average" or asked.statistic == ACCURACY:
            value = cells.value @ by
            if cells.drawn is not None:
                low, high = percentile_ends(np.einsum("mpr,p->mr", cells.drawn, by), asked.confidence_level)
        found |= {name: value, f"{name}_low": low, f"{name}_high": high}
    return found
