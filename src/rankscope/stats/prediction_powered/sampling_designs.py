"""Estimates under sampling designs: strata, clusters, weights and unequal chances of being judged by people, all by one
jackknife over clusters within strata.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from rankscope.kernels.rounding_ties import NOISE
from rankscope.stats.cluster_sums import cluster_sums, effective_number
from rankscope.stats.distributions import special
from rankscope.stats.inputs import is_constant
from rankscope.stats.prediction_powered.single_queries import FEWEST, Combined, slopes
from rankscope.typing import Bools, Floats, Ints

__all__ = [
    "Design",
    "designed_estimates",
    "designed_interval",
]


#: Strata with fewer judged units share one weight of the machine: one from so few is too uncertain.
FEWEST_ALONE = 20
#: So many standard errors of the variance among judged units are no sign that the machine's values vary more elsewhere.
SIGNIFICANT = 2.0


@dataclass(frozen=True, eq=False, kw_only=True)
class Design:
    """How queries were drawn, and which of them people judged: the first n of them.

    Attributes
    ----------
    n, n_all
        Numbers of queries that people judged, and of all.
    clusters
        (N) codes of clusters; None if all queries are independent.
    weights
        (N) how much each query counts; None if all count the same.
    strata
        (N) codes of strata; None if there is one.
    chances
        (n) the chance with which each was chosen for people; None if it was the same for all of a stratum.
    is_finite
        Whether the mean over these queries is wanted, not that of the population from which they come.
    """

    n: int
    n_all: int
    clusters: Ints | None = None
    weights: Floats | None = None
    strata: Ints | None = None
    chances: Floats | None = None
    is_finite: bool = False

    @property
    def is_simple(self) -> bool:
        """Whether all queries are independent, count the same, and had the same chance, from a large population."""
        parts = (self.clusters, self.weights, self.strata, self.chances)
        return not self.is_finite and all(part is None for part in parts)

    @property
    def has_clusters_and_weights_only(self) -> bool:
        return not self.is_finite and self.strata is None and self.chances is None

    @property
    def units(self) -> Ints:
        """(N) the unit that was drawn, of each query: its cluster, or itself.

        Of a mean over these queries themselves, where people judged parts of clusters, it was queries that were drawn,
        and clusters say nothing.
        """
        alone = np.arange(self.n_all)
        if self.clusters is None:
            return alone
        has_parts = np.intersect1d(self.clusters[: self.n], self.clusters[self.n :]).size > 0
        return alone if self.is_finite and has_parts else self.clusters


@dataclass(frozen=True, eq=False, kw_only=True)
class Stratum:
    """Sums by unit of both kinds of values, times the weights of the queries.

    Attributes
    ----------
    share
        Share of the stratum in the weight of all queries.
    h, m, a
        (lists, units) of people's values and of the machine's on the same queries, over the chances of these; and of
        the machine's on all queries.
    judged, all
        (units) of the weights of the queries that people judged, over their chances, and of all.
    uncertain
        (units) the share of its squared deviation that is uncertain: 1; of a mean over these queries themselves, 1 less
        the chance to be judged.
    is_finite
        Whether the mean over these queries is wanted, so that the machine's over all is known.
    """

    share: float
    h: Floats
    m: Floats
    a: Floats
    judged: Floats
    all: Floats
    uncertain: Floats
    is_finite: bool

    @cached_property
    def is_judged(self) -> Bools:
        """(units) whether people judged a query of each."""
        return np.asarray(self.judged > 0)

    @cached_property
    def n_judged(self) -> int:
        """Units of which people judged a query."""
        return int(self.is_judged.sum())

    @cached_property
    def factors(self) -> Floats:
        """(units) by which squares of deviations without a unit are multiplied.

        Units with and without values of people are two samples, and n - 1 of n deletions leave a sample of each.
        """
        n_others = self.judged.size - self.n_judged
        of_judged, of_others = ((n - 1) / n if n else 0.0 for n in (self.n_judged, n_others))
        return np.where(self.is_judged, of_judged, of_others) * self.uncertain

    @cached_property
    def df(self) -> float:
        """The effective number of judged units, less 1; of those that were sure to be judged, none is uncertain."""
        sizes = (np.sqrt(self.uncertain) * self.judged)[self.is_judged]
        return effective_number(sizes) - 1 if sizes.any() else np.inf

    def missing_spread(self, *, without: bool) -> Floats:
        """How much more the machine's values vary over all units than over the judged ones, two standard errors of the
        latter allowed, at least 1; (lists, 1), or without each unit.
        """

        def variance(x: Floats, sizes: Floats, *, without: bool) -> Floats:
            squares = np.divide(x**2, sizes, out=np.zeros(x.shape), where=sizes > 0)
            n, x_sum, size = (self.total(y, without=without) for y in ((sizes > 0).astype(np.float64), x, sizes))
            return (self.total(squares, without=without) - x_sum**2 / size) / size * n / (n - 1)

        of_judged, of_all = variance(self.m, self.judged, without=without), variance(self.a, self.all, without=False)
        gaps = self.m - self.m.sum(axis=1, keepdims=True) / self.judged.sum() * self.judged
        squares = np.divide(gaps**2, self.judged, out=np.zeros(gaps.shape), where=self.judged > 0)
        totals = squares.sum(axis=1, keepdims=True)
        shares = np.divide(squares, totals, out=np.zeros(gaps.shape), where=totals > 0)
        relative_error = np.sqrt(np.maximum((shares**2).sum(axis=1, keepdims=True) - 1 / max(self.n_judged, 1), 0))
        most = of_judged * (1 + SIGNIFICANT * relative_error)
        return np.asarray(np.maximum(np.divide(of_all, most, out=np.ones(most.shape), where=most > 0), 1.0))

    def total(self, products: Floats, *, without: bool) -> Floats:
        """(lists, 1) sums over units; or (lists, units) without each of them."""
        sums = np.atleast_2d(products).sum(axis=1, keepdims=True)
        return np.asarray(sums - products if without else sums)

    def means(self, *, without: bool = False) -> tuple[Floats, Floats, Floats]:
        """People's mean, and the machine's on the same queries and on all; (lists, 1), or without each unit."""
        h, m, judged = (self.total(x, without=without) for x in (self.h, self.m, self.judged))
        a, all_ = (self.total(x, without=without and not self.is_finite) for x in (self.a, self.all))
        return h / judged, m / judged, a / all_

    def regression(self, *, without: bool = False) -> tuple[Floats, Floats]:
        """Numerator and denominator of the tuned weight of the machine; (lists, 1), or without each unit.

        With a_g and b_g what a unit brings into people's mean, and into the machine's mean where people judged less
        that over all, they are sum a_g b_g and sum b_g^2, which is increased where the machine's values vary
        significantly more over all units than over these: a line through few similar values says little about distant
        ones.
        """

        def sum_of(x: Floats, y: Floats) -> Floats:
            return self.total(self.uncertain * x * y, without=without)

        h, m, a = self.means(without=without)
        judged, all_ = (self.total(x, without=without) for x in (self.judged, self.all))
        hm = sum_of(self.h, self.m) - m * sum_of(self.h, self.judged) - h * sum_of(self.m, self.judged)
        hm += h * m * sum_of(self.judged, self.judged)
        mm = sum_of(self.m, self.m) - 2 * m * sum_of(self.m, self.judged) + m * m * sum_of(self.judged, self.judged)
        noise = NOISE**2 * (self.a**2).sum(axis=1, keepdims=True) / all_**2  # what rounding leaves of equal values
        if self.is_finite:
            products, spread = hm / judged**2, mm / judged**2
        else:
            ha = sum_of(self.h, self.a) - a * sum_of(self.h, self.all) - h * sum_of(self.a, self.judged)
            ha += h * a * sum_of(self.judged, self.all)
            ma = sum_of(self.m, self.a) - a * sum_of(self.m, self.all) - m * sum_of(self.a, self.judged)
            ma += m * a * sum_of(self.judged, self.all)
            aa = sum_of(self.a, self.a) - 2 * a * sum_of(self.a, self.all) + a * a * sum_of(self.all, self.all)
            products = hm / judged**2 - ha / judged / all_
            spread = mm / judged**2 - 2 * ma / judged / all_ + aa / all_**2
        return products, np.where(spread > noise, spread * self.missing_spread(without=without), 0.0)


def strata_of(h: Floats, all_machine: Floats | None, design: Design) -> list[Stratum]:
    """The sums of values less their means, so that nothing cancels, a stratum after the other.

    all_machine: (lists, N); None: sums of people's values only, by the units that they judged.
    """
    n, n_all = design.n, design.n_all
    weights = np.ones(n_all) if design.weights is None else design.weights
    codes = np.zeros(n_all, np.int64) if design.strata is None else design.strata
    units, total = design.units, float(weights.sum())
    strata = []
    for code in range(int(codes.max()) + 1):
        rows = np.flatnonzero(codes == code)
        judged_rows = rows[rows < n]
        own_weights = weights[rows] / weights[rows].max()
        judged_weights = own_weights[: judged_rows.size]  # judged queries are the first
        if design.chances is not None:
            judged_weights = judged_weights / design.chances[judged_rows]
        n_judged = cluster_sums((rows < n)[None].astype(np.float64), units[rows], None).sums[0]
        is_judged = n_judged > 0
        uncertain = uncertain_shares(design, rows, units, n_judged)

        def judged_sums(values: Floats, row_units: Ints = units[judged_rows], of: Floats = judged_weights) -> Floats:
            return cluster_sums(values * of, row_units, None).sums

        of_h, of_judged = judged_sums(h[:, judged_rows]), judged_sums(np.ones((1, judged_rows.size)))[0]
        share = float(weights[rows].sum()) / total
        if all_machine is None:
            nothing = np.zeros((1, of_judged.size))
            strata.append(
                Stratum(
                    h=of_h,
                    m=nothing,
                    a=nothing,
                    judged=of_judged,
                    all=of_judged,
                    uncertain=uncertain[is_judged],
                    share=share,
                    is_finite=design.is_finite,
                )
            )
            continue
        machine = all_machine[:, rows]
        machine = machine - np.average(machine, axis=1, weights=own_weights)[:, None]
        machine[is_constant(all_machine[:, rows])] = 0.0
        of_m = judged_sums(machine[:, : judged_rows.size])
        sums = np.zeros((2 * len(h) + 1, is_judged.size))
        sums[:, is_judged] = np.concatenate((of_h, of_m, of_judged[None]))
        strata.append(
            Stratum(
                h=sums[: len(h)],
                m=sums[len(h) : -1],
                a=cluster_sums(machine * own_weights, units[rows], None).sums,
                judged=sums[-1],
                all=cluster_sums(own_weights[None], units[rows], None).sums[0],
                uncertain=uncertain,
                share=share,
                is_finite=design.is_finite,
            )
        )
    return strata


def uncertain_shares(design: Design, rows: Ints, units: Ints, n_judged: Floats) -> Floats:
    """(units) the share of each unit's squared deviation that is uncertain. n_judged: (units) queries of people."""
    if not design.is_finite:
        return np.ones(n_judged.size)
    if design.chances is None:
        return np.where(n_judged > 0, 1 - (n_judged > 0).mean(), 0.0)
    judged_rows = rows[rows < design.n]
    position = np.unique(units[rows], return_inverse=True)[1][: judged_rows.size]  # judged queries are the first
    lowest = np.ones(n_judged.size)
    np.minimum.at(lowest, position, design.chances[judged_rows])
    return 1 - lowest


def add(parts: Iterable[Floats]) -> Floats:
    """The sum of arrays; 0 without any."""
    total = np.zeros(())
    for part in parts:
        total = np.asarray(total + part)
    return total


def designed_interval(
    values: Floats, design: Design, confidence_level: float, *, of_all: bool = False
) -> tuple[Floats, Floats, Floats]:
    """Means of values, half the widths of their intervals, and p-values of Student's test against 0; (lists).

    values: (lists, n) of the queries that people judged, or with of_all (lists, N) of all.
    """
    if of_all:
        design = Design(n=design.n_all, n_all=design.n_all, clusters=design.clusters, weights=design.weights,
                        strata=design.strata, is_finite=design.is_finite)  # fmt: skip
    centre = values.mean(axis=1, keepdims=True)
    strata = strata_of(values - centre, None, design)
    mean = centre[:, 0] + add(stratum.share * stratum.means()[0][:, 0] for stratum in strata)
    variances = [human_variance(stratum, people_gaps(stratum)) for stratum in strata]
    df = satterthwaite(variances, [stratum.df for stratum in strata])
    variance = add(variances)
    with np.errstate(invalid="ignore", divide="ignore"):  # nothing may vary
        pvalue = np.where((variance > 0) & (df > 0), 2 * special().stdtr(df, -np.abs(mean) / np.sqrt(variance)), np.nan)
    return mean, half_widths(df, variance, confidence_level), pvalue


def people_gaps(stratum: Stratum) -> Floats:
    """(lists, units) people's mean without each unit, less that of all."""
    judged, h = float(stratum.judged.sum()), stratum.h.sum(axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):  # nothing is left without a single unit
        return np.asarray((h - stratum.h) / (judged - stratum.judged) - h / judged)


def human_variance(stratum: Stratum, gaps: Floats) -> Floats:
    """(lists) the variance of people's mean in a stratum, times the square of its share. gaps: as `people_gaps`."""
    if stratum.n_judged < 2 and stratum.uncertain[stratum.is_judged].any():
        return np.full(len(stratum.h), np.nan)
    return np.asarray(stratum.share**2 * square_sums(stratum, gaps))


def square_sums(stratum: Stratum, gaps: Floats) -> Floats:
    """(lists) the jackknife's sum of squares; gaps: (lists, units) estimates without each unit, less the estimate."""
    counts = stratum.factors > 0
    if not counts.all():  # a unit that does not count may have no gap
        gaps = np.where(counts, gaps, 0.0)
    return np.asarray(np.einsum("lu,lu,u->l", gaps, gaps, stratum.factors))


def satterthwaite(variances: Sequence[Floats], dfs: Sequence[float | Floats]) -> Floats:
    """(lists) degrees of freedom of a sum of independent variances (Satterthwaite, 1946); one of 0 does not count."""
    if len(variances) == 1:
        return np.broadcast_to(dfs[0], variances[0].shape)
    total = add(variances)
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = add(np.where(v > 0, v**2 / np.maximum(df, 1e-9), 0.0) for v, df in zip(variances, dfs, strict=True))
        return np.where(total > 0, total**2 / shares, np.inf)


def half_widths(df: Floats, variance: Floats, confidence_level: float) -> Floats:
    """(lists) half the widths of intervals by Student's t; NaN without a degree of freedom, 0 where nothing varies."""
    with np.errstate(invalid="ignore"):
        quantiles = np.where(df > 0, special().stdtrit(np.where(df > 0, df, 1.0), (1 + confidence_level) / 2), np.nan)
    return np.where(variance == 0, np.where(df > 0, 0.0, variance * np.nan), quantiles * np.sqrt(variance))


def designed_estimates(
    h: Floats, all_machine: Floats, design: Design, machine_weight: float | None, confidence_level: float
) -> Combined:
    """The estimates under a design, by the jackknife over units within strata."""
    centre = h.mean(axis=1, keepdims=True)
    strata = strata_of(h - centre, all_machine, design)
    can_tune = any(stratum.n_judged >= FEWEST for stratum in strata) or sum(s.n_judged for s in strata) >= 2 * FEWEST
    can_tune &= design.n_all > design.n
    with np.errstate(invalid="ignore", divide="ignore"):  # nothing is left without a single unit
        means, means_without = [s.means() for s in strata], [s.means(without=True) for s in strata]
        shifts = [s.share * (of[2] - of[1]) for s, of in zip(strata, means, strict=True)]
        human_variances = [
            human_variance(s, without[0] - of[0]) for s, of, without in zip(strata, means, means_without, strict=True)
        ]
        if machine_weight is not None:
            tuning = [Tuning(np.full((len(h), 1), float(machine_weight)))] * len(strata)
        else:
            tuning = tune_weights(strata) if can_tune else [Tuning(np.zeros((len(h), 1)))] * len(strata)
        fixed, refitted, left_out = [], [], []
        for g, s in enumerate(strata):
            gap_h, gap_m, gap_a = (x - y for x, y in zip(means_without[g], means[g], strict=True))
            gaps = s.share * (gap_h + tuning[g].weight * (gap_a - gap_m))
            fixed.append(square_sums(s, gaps))
            weight_without = tuning[g].weight_without
            if weight_without is None:
                refitted.append(fixed[g])
                left_out.append(fixed[g])
                continue
            sharing = add(shifts[k] for k in range(len(strata)) if k != g and k in tuning[g].strata)
            shift_without = s.share * (means_without[g][2] - means_without[g][1]) + sharing
            refitted.append(square_sums(s, gaps + (weight_without - tuning[g].weight) * shift_without))
            left_out.append(square_sums(s, s.share * (gap_h + weight_without * (gap_a - gap_m))))
        variance = np.maximum(add(fixed), add(refitted))
        if not design.has_clusters_and_weights_only:
            variance = np.maximum(variance, add(left_out))
    if machine_weight is None and not can_tune:
        variance = np.full(len(h), np.nan)
    dfs = [
        s.df - (1 / len(t.strata) if t.strata else float(machine_weight is None))
        for s, t in zip(strata, tuning, strict=True)
    ]
    df = satterthwaite(fixed, dfs)
    return Combined(
        human_mean=centre[:, 0] + add(s.share * of[0][:, 0] for s, of in zip(strata, means, strict=True)),
        adjustment=add(t.weight * shift for t, shift in zip(tuning, shifts, strict=True))[:, 0],
        weight=add(s.share * t.weight for s, t in zip(strata, tuning, strict=True))[:, 0],
        variance=variance,
        half_width=half_widths(df, variance, confidence_level),
        human_variance=add(human_variances),
    )


class Tuning(NamedTuple):
    """The weight of the machine in a stratum.

    Attributes
    ----------
    weight
        (lists, 1) the weight.
    weight_without
        (lists, units) the weight without each unit of the stratum; None if it is not tuned.
    strata
        Indices of the strata that share the weight; none if it is not tuned.
    """

    weight: Floats
    weight_without: Floats | None = None
    strata: tuple[int, ...] = ()


def tune_weights(strata: Sequence[Stratum]) -> list[Tuning]:
    """The weight of the machine in each stratum: strata with few judged units share one."""
    regressions = [[s.n_judged**2 * x for x in s.regression()] for s in strata]  # each unit counts the same
    regressions_without = [[(s.n_judged - s.is_judged) ** 2 * x for x in s.regression(without=True)] for s in strata]
    small = tuple(g for g, s in enumerate(strata) if s.n_judged < FEWEST_ALONE)
    tuning = []
    for g in range(len(strata)):
        sharing = small if g in small else (g,)
        products, spread = (add(regressions[k][i] for k in sharing) for i in range(2))
        products_without, spread_without = (
            (
                total - part + without
                for total, part, without in zip((products, spread), regressions[g], regressions_without[g], strict=True)
            )
            if len(sharing) > 1
            else regressions_without[g]
        )
        tuning.append(Tuning(slopes(products, spread), slopes(products_without, spread_without), sharing))
    return tuning
