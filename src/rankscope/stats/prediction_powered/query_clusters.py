"""Combined estimates where queries have clusters or weights, by the jackknife over clusters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.kernels.rounding_ties import NOISE
from rankscope.stats.cluster_sums import cluster_sums, effective_number
from rankscope.stats.inputs import is_constant
from rankscope.stats.prediction_powered.single_queries import FEWEST, Combined, quantile, slopes
from rankscope.typing import Bools, Floats

__all__ = [
    "clustered_estimates",
]


@dataclass(frozen=True, eq=False, kw_only=True)
class DualSums:
    """Sums by cluster of both kinds of values, times the weights of the queries.

    Attributes
    ----------
    h, m, a
        (lists, clusters) of people's values; of the machine's on the same queries; and on all queries.
    judged, all
        (clusters) of the weights of the queries that people judged, and of all.
    """

    h: Floats
    m: Floats
    a: Floats
    judged: Floats
    all: Floats

    @property
    def is_judged(self) -> Bools:
        """(clusters) whether people judged a query of each."""
        return np.asarray(self.judged > 0)

    def total(self, products: Floats, *, without: bool) -> Floats:
        """(lists, 1) sums over clusters; or (lists, clusters) without each of them."""
        sums = np.atleast_2d(products).sum(axis=1, keepdims=True)
        return np.asarray(sums - products if without else sums)

    def means(self, *, without: bool = False) -> tuple[Floats, Floats, Floats]:
        """People's mean, and the machine's on the same queries and on all; (lists, 1), or without each cluster."""
        totals = [self.total(x, without=without) for x in (self.h, self.m, self.a, self.judged, self.all)]
        return totals[0] / totals[3], totals[1] / totals[3], totals[2] / totals[4]

    def slope(self, *, without: bool = False) -> Floats:
        """The tuned weight of the machine, at least 0; (lists, 1), or without each cluster.

        With a_g and b_g what a cluster brings into people's mean, and into the machine's mean where people judged less
        that over all, it is sum a_g b_g / sum b_g^2.
        """

        def sum_of(x: Floats, y: Floats) -> Floats:
            return self.total(x * y, without=without)

        h, m, a = self.means(without=without)
        judged, all_ = (self.total(x, without=without) for x in (self.judged, self.all))
        hm = sum_of(self.h, self.m) - m * sum_of(self.h, self.judged) - h * sum_of(self.m, self.judged)
        hm += h * m * sum_of(self.judged, self.judged)
        ha = sum_of(self.h, self.a) - a * sum_of(self.h, self.all) - h * sum_of(self.a, self.judged)
        ha += h * a * sum_of(self.judged, self.all)
        mm = sum_of(self.m, self.m) - 2 * m * sum_of(self.m, self.judged) + m * m * sum_of(self.judged, self.judged)
        ma = sum_of(self.m, self.a) - a * sum_of(self.m, self.all) - m * sum_of(self.a, self.judged)
        ma += m * a * sum_of(self.judged, self.all)
        aa = sum_of(self.a, self.a) - 2 * a * sum_of(self.a, self.all) + a * a * sum_of(self.all, self.all)
        spread = mm / judged**2 - 2 * ma / judged / all_ + aa / all_**2
        noise = NOISE**2 * (self.a**2).sum(axis=1, keepdims=True) / all_**2  # what rounding leaves of equal values
        return slopes(hm / judged**2 - ha / judged / all_, np.where(spread > noise, spread, 0.0))


def dual_sums(h: Floats, all_machine: Floats, sample: Mapping[str, Any]) -> DualSums:
    """The sums of values less their means, so that nothing cancels. sample: clusters and weights of all queries."""
    n, n_all = h.shape[1], all_machine.shape[1]
    unit = np.arange(n_all) if sample["clusters"] is None else sample["clusters"]
    weights = np.ones(n_all) if sample["weights"] is None else sample["weights"]
    shared = {"clusters": unit, "weights": weights}
    is_judged = (np.arange(n_all) < n).astype(np.float64)
    human = np.zeros(all_machine.shape)
    human[:, :n] = h
    machine = all_machine - np.average(all_machine, axis=1, weights=weights)[:, None]
    machine[is_constant(all_machine)] = 0.0
    human_sums, machine_sums, all_sums = (cluster_sums(x, **shared) for x in (human, machine * is_judged, machine))
    return DualSums(
        h=human_sums.sums,
        m=machine_sums.sums,
        a=all_sums.sums,
        judged=cluster_sums(is_judged[None], **shared).sums[0],
        all=all_sums.weights,
    )


def clustered_estimates(
    h: Floats, all_machine: Floats, sample: Mapping[str, Any], machine_weight: float | None, confidence_level: float
) -> Combined:
    """The estimates by the jackknife over clusters. sample: clusters and weights of all queries."""
    centre = h.mean(axis=1, keepdims=True)
    sums = dual_sums(h - centre, all_machine, sample)
    n_judged, n_others = int(sums.is_judged.sum()), int((~sums.is_judged).sum())
    # Clusters with and without values of people are two samples, and n - 1 of n deletions leave a sample of each.
    share = np.where(sums.is_judged, (n_judged - 1) / n_judged, max(n_others - 1, 0) / max(n_others, 1))
    with np.errstate(invalid="ignore", divide="ignore"):  # nothing is left without a single cluster
        whole, parts = sums.means(), sums.means(without=True)
        human_variance = np.where(n_judged > 1, (share * (parts[0] - whole[0]) ** 2).sum(axis=1), np.nan)
        is_tuned = machine_weight is None
        can_tune = n_judged >= FEWEST and all_machine.shape[1] > h.shape[1]
        if machine_weight is not None:
            w = np.full((len(h), 1), float(machine_weight))
        else:
            w = sums.slope() if can_tune else np.zeros((len(h), 1))

        def estimate(means: tuple[Floats, Floats, Floats], weight: Floats) -> Floats:
            return means[0] + weight * (means[2] - means[1])

        combined = estimate(whole, w)
        variance = (share * (estimate(parts, w) - combined) ** 2).sum(axis=1)
        if is_tuned and can_tune:
            refitted = estimate(parts, sums.slope(without=True))
            variance = np.maximum(variance, (share * (refitted - combined) ** 2).sum(axis=1))
    if n_judged < 2 or (is_tuned and not can_tune):
        variance = np.full(len(h), np.nan)
    df = effective_number(sums.judged[sums.is_judged]) - (2 if is_tuned else 1)
    half_width = quantile(df, confidence_level) * np.sqrt(variance)
    return Combined(
        (centre + whole[0])[:, 0], (whole[2] - whole[1])[:, 0], w[:, 0], variance, half_width, human_variance
    )
