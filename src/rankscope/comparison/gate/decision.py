"""The decision by one measure: is the mean difference shown to be above minus the margin, or below 0, or neither?

Differences are oriented: above 0 where the new system is better.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from math import ceil, ldexp
from typing import Any, NamedTuple

import numpy as np

from rankscope.comparison.gate.settings import GateSettings
from rankscope.errors import ParameterError
from rankscope.kernels.rounding_ties import NOISE, at_most
from rankscope.stats.cluster_sums import cluster_sums
from rankscope.stats.distributions import special, t_pvalue
from rankscope.stats.inputs import is_constant, scale_rows
from rankscope.stats.paired_tests import bootstrap_test, randomisation_test
from rankscope.stats.power import queries_for_t
from rankscope.typing import Floats

__all__ = [
    "EXIT_CODES",
    "PASS",
    "PLAIN",
    "UNDECIDED",
    "VERDICTS",
    "WORSE",
    "Decision",
    "decide",
    "scale_to_unit",
    "worst",
]


PASS, UNDECIDED, WORSE = "pass", "undecided", "worse"
#: From the best to the worst; the verdict on several measures is the worst of theirs.
VERDICTS = (PASS, UNDECIDED, WORSE)
EXIT_CODES = dict(zip(VERDICTS, (0, 4, 3), strict=True))
#: Queries that are independent and count the same.
PLAIN: Mapping[str, Any] = {"clusters": None, "weights": None}


class Decision(NamedTuple):
    """The verdict on one measure, with its numbers.

    Attributes
    ----------
    verdict
        The name of the verdict.
    mean
        The mean difference, above 0 where the new system is better.
    low, high
        One-sided bounds of the mean difference, by t; NaN, as the p-values, if the differences are constant.
    pvalue_noninferior, pvalue_worse
        P-values of the two tests against the margin.
    n_needed
        An estimate of the queries that would decide; None if the verdict is not undecided, or no number would do.
    is_constant
        Whether the differences are constant.
    clusters_needed
        The same in clusters of queries, if there are clusters.
    """

    verdict: str
    mean: float
    low: float
    high: float
    pvalue_noninferior: float
    pvalue_worse: float
    n_needed: int | None
    is_constant: bool
    clusters_needed: int | None = None


def decide(
    differences: Floats, settings: GateSettings, sample: Mapping[str, Any] = PLAIN, *, can_be_worse: bool = True
) -> Decision:
    """The verdict on one measure.

    "pass": a one-sided test (of differences + margin) refutes at the level that the mean difference is at most -margin.
    Else "worse": a test refutes that it is at least 0. Else "undecided". One query or cluster, or clusters that all
    have the same mean: undecided. A constant difference needs no test: it passes if it is at least -margin, else it is
    worse.

    Parameters
    ----------
    differences
        The differences by query, (queries).
    settings
        The settings of the gate.
    sample
        Clusters and weights of the queries.
    can_be_worse
        Whether the verdict can be "worse", since a correction of its p-value leaves it significant.
    """
    differences, settings, power = scale_to_unit(differences, settings)
    estimate = estimate_mean(differences, sample)
    mean, margin, alpha = estimate.mean, settings.margin, settings.alpha
    missing_numbers = (np.nan,) * 4
    if estimate.n_units == 1:
        return Decision(UNDECIDED, ldexp(mean, power), *missing_numbers, None, True)
    if is_constant(differences[None])[0]:
        return Decision(verdict_of_constant(mean, margin), ldexp(mean, power), *missing_numbers, None, True)
    if estimate.sd == 0:
        return Decision(UNDECIDED, ldexp(mean, power), *missing_numbers, None, False)
    half_width = float(special().stdtrit(estimate.df, 1 - alpha) * estimate.sd / np.sqrt(estimate.n_units))
    noninferior, worse = pvalues(differences, settings, sample, estimate)
    is_worse = can_be_worse and at_most(worse, alpha)
    verdict = PASS if at_most(noninferior, alpha) else WORSE if is_worse else UNDECIDED
    n_needed = queries_needed(mean, estimate.sd, settings) if verdict == UNDECIDED else None
    clusters_needed = n_needed if sample["clusters"] is not None else None
    if clusters_needed is not None:
        n_needed = ceil(clusters_needed * differences.size / estimate.n_units)
    with np.errstate(over="ignore"):  # at a level near 0 the bounds may be beyond float64
        scaled_mean, low, high = np.ldexp([mean, mean - half_width, mean + half_width], power).tolist()
    return Decision(verdict, scaled_mean, low, high, noninferior, worse, n_needed, False, clusters_needed)


class MeanEstimate(NamedTuple):
    """A mean difference, and how much it varies.

    Attributes
    ----------
    mean
        The mean, weighted if there are weights.
    sd
        Standard deviation of the differences; with clusters or weights the standard error times the square root of
        the number of units. 0 if the means of all clusters are equal.
    df
        Degrees of freedom.
    n_units
        How many queries, or clusters of queries.
    """

    mean: float
    sd: float
    df: float
    n_units: int


def estimate_mean(differences: Floats, sample: Mapping[str, Any]) -> MeanEstimate:
    """The mean difference. sample: clusters and weights of the queries."""
    n = differences.size
    if sample["clusters"] is None and sample["weights"] is None:
        return MeanEstimate(float(differences.mean()), float(differences.std(ddof=1)) if n > 1 else np.nan, n - 1, n)
    units = cluster_sums(differences[None], **sample)
    mean, n = float(units.means[0]), units.n
    sd = 0.0 if units.degenerate[0] else float(units.standard_errors[0] * np.sqrt(n))
    return MeanEstimate(mean, sd, units.df, n)


def scale_to_unit(differences: Floats, settings: GateSettings) -> tuple[Floats, GateSettings, int]:
    """Differences scaled so that their squares are finite, the settings in that unit, and the unit's power of 2."""
    rows, powers = scale_rows(differences[None])
    power = int(powers[0])
    if not power:
        return differences, settings, 0
    largest_margin = ldexp(1.0, min(power + 800, 1000))  # a margin so far above the differences has the same effect
    margin = ldexp(min(settings.margin, largest_margin), -power)
    return rows[0], replace(settings, margin=margin), power


def verdict_of_constant(mean: float, margin: float) -> str:
    """The verdict on a difference that is the same on every query."""
    return PASS if mean >= -margin - NOISE * max(abs(mean), margin) else WORSE


def pvalues(
    differences: Floats, settings: GateSettings, sample: Mapping[str, Any], estimate: MeanEstimate
) -> tuple[float, float]:
    """The p-values of "not worse by the margin" and of "worse"."""
    if settings.test == "t":
        mean, error, df = estimate.mean, estimate.sd / np.sqrt(estimate.n_units), estimate.df
        noninferior = t_pvalue((mean + settings.margin) / error, df, "greater")
        return float(noninferior), float(t_pvalue(mean / error, df, "less"))
    test = randomisation_test if settings.test == "permutation" else bootstrap_test
    options = {"n_resamples": settings.n_resamples, "rng": settings.seed, **sample}
    noninferior = test(differences + settings.margin, alternative="greater", **options).pvalue
    return float(noninferior), float(test(differences, alternative="less", **options).pvalue)


def queries_needed(mean: float, sd: float, settings: GateSettings) -> int | None:
    """Queries with which a t-test decides, with the power of the settings, if the observed mean and sd are true."""
    options = {"power": settings.power, "alpha": settings.alpha}
    estimates = []
    for difference, alternative in ((mean + settings.margin, "greater"), (mean, "less")):
        if difference != 0 and (difference > 0) == (alternative == "greater"):
            try:
                estimates.append(queries_for_t(difference, sd, alternative=alternative, **options))
            except ParameterError:  # more than the search allows
                continue
    return min(estimates, default=None)


def worst(verdicts: Iterable[str]) -> str:
    """The worst of these verdicts."""
    return max(verdicts, key=VERDICTS.index)
