"""The decision by one measure: is the mean difference shown to be above minus the margin, or below 0, or neither?

Differences are oriented: above 0 where the new system is better.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from math import ceil, ldexp
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.comparison.gate.settings import GateSettings
from rankscope.errors import ParameterError
from rankscope.kernels.rounding_ties import NOISE, at_most
from rankscope.stats.betting import betting_test
from rankscope.stats.cluster_sums import ClusterSums, cluster_sums
from rankscope.stats.distributions import special, t_pvalue
from rankscope.stats.inputs import is_constant, scale_rows
from rankscope.stats.intervals import tango_interval, tango_pvalue
from rankscope.stats.paired_tests import bootstrap_test, randomisation_test
from rankscope.stats.power import queries_for_t
from rankscope.stats.rare_losses import FEW, is_skewed_down, least_mean, losing, skewed_t_pvalue
from rankscope.typing import Bools, Floats, Ints

__all__ = [
    "EXIT_CODES",
    "PASS",
    "PLAIN",
    "RARE_LOSSES",
    "SAME_LISTS",
    "SKEWNESS",
    "UNDECIDED",
    "VERDICTS",
    "WORSE",
    "Criterion",
    "Decision",
    "Evidence",
    "decide",
    "formula_pvalues",
    "scale_to_unit",
    "skewness_of",
    "verdict_codes",
    "worst",
]


PASS, UNDECIDED, WORSE = "pass", "undecided", "worse"
#: From the best to the worst; the verdict on several measures is the worst of theirs.
VERDICTS = (PASS, UNDECIDED, WORSE)
EXIT_CODES = dict(zip(VERDICTS, (0, 4, 3), strict=True))
#: What else than the tests decides.
SAME_LISTS, RARE_LOSSES, SKEWNESS = "same lists", "rare losses", "skewness"
#: Queries that are independent and count the same.
PLAIN: Mapping[str, Any] = {"clusters": None, "weights": None}


@dataclass(frozen=True, kw_only=True)
class Criterion:
    """What the differences by one measure have to show.

    Attributes
    ----------
    margin
        Largest acceptable loss of the mean.
    level
        Level of each one-sided test at this look.
    largest_loss
        The largest loss that one query can have; None if that is not known.
    are_outcomes
        Whether all differences are of values 0 and 1.
    test, n_resamples, seed
        The test, and its resamples.
    power
        Power for the number of fresh queries.
    alpha
        Level for the number of fresh queries, which are one look.
    can_be_worse
        Whether the verdict can be "worse", since a correction of its p-value leaves it significant.
    """

    margin: float
    level: float = 0.05
    largest_loss: float | None = None
    are_outcomes: bool = False
    test: str = "t"
    n_resamples: int = 10_000
    seed: int = 0
    power: float = 0.8
    alpha: float = 0.05
    can_be_worse: bool = True

    @classmethod
    def of(cls, settings: GateSettings, margin: float, **values: Any) -> Criterion:
        """The criterion of settings, at their level if no other is among the values."""
        names = ("test", "n_resamples", "seed", "power", "alpha")
        fields = {"level": settings.alpha, **{name: getattr(settings, name) for name in names}, **values}
        return cls(margin=margin, **fields)


class Decision(NamedTuple):
    """The verdict on one measure, with its numbers.

    Attributes
    ----------
    verdict
        The name of the verdict.
    mean
        The mean difference, above 0 where the new system is better.
    low, high
        One-sided bounds of the mean difference; NaN, as the p-values, if the differences are constant.
    pvalue_noninferior, pvalue_worse
        P-values of the two tests against the margin.
    n_fresh
        Fresh queries with which an equally good system would pass; None if the verdict is not undecided, or no number
        would do.
    is_constant
        Whether the differences are constant.
    clusters_fresh
        The same in clusters of queries, if there are clusters.
    level
        Level of each test.
    test
        The test: that of the settings, or tango for outcomes 0 and 1.
    n_losses
        How many queries, or clusters, carry a loss; None where the largest loss is not known.
    share_of_losses
        The largest share of such queries that may lose; NaN where enough differ.
    least_mean
        The mean difference if they lose all that they can; NaN where enough differ.
    pvalue_skewed
        The p-value of "not worse by the margin" corrected for skewness; NaN where differences are not skewed down.
    reason
        What else than its tests decided: `SAME_LISTS`, or why a pass by the test is undecided, `RARE_LOSSES` or
        `SKEWNESS`; empty where nothing did.
    """

    verdict: str
    mean: float
    low: float
    high: float
    pvalue_noninferior: float
    pvalue_worse: float
    n_fresh: int | None
    is_constant: bool
    clusters_fresh: int | None = None
    level: float = 0.05
    test: str = "t"
    n_losses: int | None = None
    share_of_losses: float = np.nan
    least_mean: float = np.nan
    pvalue_skewed: float = np.nan
    reason: str = ""


class Evidence(NamedTuple):
    """What differences say, for one sample or several, (samples); of clusters, where there are clusters.

    Attributes
    ----------
    n, df
        Number of queries, or of clusters; degrees of freedom.
    mean, error
        The mean difference and its standard error.
    skewness
        Skewness of the differences.
    n_losses, n_differing
        How many carry a loss, and how many a loss or a gain.
    n_gains
        How many gain at all.
    mean_of_others
        The mean difference of those that carry no loss.
    is_constant
        Whether all differences of queries are one.
    is_degenerate
        Whether those of clusters are, so that nothing says how they vary.
    """

    n: Ints
    df: Floats
    mean: Floats
    error: Floats
    skewness: Floats
    n_losses: Ints
    n_differing: Ints
    n_gains: Ints
    mean_of_others: Floats
    is_constant: Bools
    is_degenerate: Bools


def decide(differences: Floats, criterion: Criterion, sample: Mapping[str, Any] = PLAIN) -> Decision:
    """The verdict on one measure.

    "pass": a one-sided test (of differences + margin) refutes at the level that the mean difference is at most -margin,
    and neither rare large losses nor skewness can explain that. Else "worse": a test refutes that it is at least 0, and
    skewness cannot explain that. Else "undecided". One query or cluster, or clusters that all have the same mean:
    undecided. A constant difference needs no test: it passes if it is at least -margin and no loss can hide, it is
    worse if it is below -margin.

    Parameters
    ----------
    differences
        The differences by query, (queries); for betting in the order in which they are bet on.
    criterion
        What they have to show.
    sample
        Clusters and weights of the queries.
    """
    differences, criterion, power = scale_to_unit(differences, criterion)
    evidence = evidence_of(differences, criterion, sample)
    numbers: dict[str, Any] = {"level": criterion.level, "test": "tango" if criterion.are_outcomes else criterion.test}
    mean, n_units = float(evidence.mean[0]), int(evidence.n[0])
    missing_numbers = (np.nan,) * 4
    if n_units == 1:
        return Decision(UNDECIDED, ldexp(mean, power), *missing_numbers, None, True, **numbers)
    if evidence.is_degenerate[0]:
        return Decision(UNDECIDED, ldexp(mean, power), *missing_numbers, None, False, **numbers)
    if criterion.test == "betting":
        return decide_by_betting(differences, criterion, power)
    tests = pvalues_of(differences, criterion, sample, evidence)
    codes, share, least, skewed = verdict_codes(evidence, criterion, *tests)
    verdict, constant = VERDICTS[int(codes[0])], bool(evidence.is_constant[0]) and not criterion.are_outcomes
    if criterion.largest_loss is not None:
        numbers["n_losses"] = int(evidence.n_losses[0])
    numbers |= {"share_of_losses": float(share[0]), "pvalue_skewed": float(skewed[0])}
    with np.errstate(over="ignore"):  # at a level near 0 the bounds may be beyond float64
        low, high = (np.nan, np.nan) if constant else bounds_of(differences, criterion, evidence)
        scaled_mean, low, high, least_mean = np.ldexp([mean, low, high, float(least[0])], power).tolist()
    fresh = fresh_units(evidence, criterion, float(share[0])) if verdict == UNDECIDED else None
    if verdict == UNDECIDED and (constant or at_most(tests[0][0], criterion.level)):
        numbers["reason"] = RARE_LOSSES if float(least[0]) < -criterion.margin else SKEWNESS
    is_clustered = sample["clusters"] is not None
    n_fresh = fresh if not is_clustered or fresh is None else ceil(fresh * differences.size / n_units)
    pvalues = (np.nan, np.nan) if constant else (float(tests[0][0]), float(tests[1][0]))
    return Decision(
        verdict,
        *(scaled_mean, low, high, *pvalues, n_fresh, constant),
        clusters_fresh=fresh if is_clustered else None,
        least_mean=least_mean,
        **numbers,
    )


def evidence_of(differences: Floats, criterion: Criterion, sample: Mapping[str, Any]) -> Evidence:
    """What the differences of one sample say."""
    n = differences.size
    units = cluster_sums(differences[None], **sample)
    is_plain = sample["clusters"] is None and sample["weights"] is None
    unit_means = units.sums[0] / units.weights
    mean, n_units = float(differences.mean()) if is_plain else float(units.means[0]), units.n
    constant = bool(is_constant(differences[None])[0])
    degenerate = not constant and bool(units.degenerate[0])
    if n_units == 1:
        error = np.nan
    else:
        error = float(differences.std(ddof=1) / np.sqrt(n)) if is_plain else float(units.standard_errors[0])
    gaps = differences - mean if is_plain else units.gaps[0]
    return Evidence(
        n=np.array([n_units]),
        df=np.array([n - 1 if is_plain else units.df], np.float64),
        mean=np.array([mean]),
        error=np.array([error]),
        skewness=np.zeros(1) if constant or n_units == 1 else skewness_of(gaps[None]),
        **counts_of(unit_means[None], units, criterion.largest_loss),
        is_constant=np.array([constant]),
        is_degenerate=np.array([degenerate]),
    )


def skewness_of(gaps: Floats) -> Floats:
    """(samples) the skewness of deviations from the mean, (samples, units)."""
    gaps = gaps / np.maximum(np.abs(gaps).max(axis=1, keepdims=True), np.finfo(np.float64).tiny)
    second = (gaps * gaps).mean(axis=1)
    return np.asarray((gaps**3).mean(axis=1) / np.maximum(second**1.5, np.finfo(np.float64).tiny))


def counts_of(unit_means: Floats, units: ClusterSums, largest_loss: float | None) -> dict[str, Any]:
    """How many units carry a loss or a gain, and what the others have on average."""
    loses, differs = losing(unit_means, np.inf if largest_loss is None else largest_loss)
    stays = ~loses[0]
    total = float(units.weights[stays].sum())
    return {
        "n_losses": loses.sum(axis=1),
        "n_differing": differs.sum(axis=1),
        "n_gains": (unit_means > 0).sum(axis=1),
        "mean_of_others": np.array([float(units.sums[0][stays].sum()) / total if total else 0.0]),
    }


def scale_to_unit(differences: Floats, criterion: Criterion) -> tuple[Floats, Criterion, int]:
    """Differences scaled so that their squares are finite, the criterion in that unit, and the unit's power of 2."""
    rows, powers = scale_rows(differences[None])
    power = int(powers[0])
    if not power:
        return differences, criterion, 0
    largest = ldexp(1.0, min(power + 800, 1000))  # what is so far above the differences has the same effect
    loss = criterion.largest_loss
    return (
        rows[0],
        replace(
            criterion,
            margin=ldexp(min(criterion.margin, largest), -power),
            largest_loss=None if loss is None else ldexp(min(loss, largest), -power),
        ),
        power,
    )


def pvalues_of(
    differences: Floats, criterion: Criterion, sample: Mapping[str, Any], evidence: Evidence
) -> tuple[Floats, Floats]:
    """(samples) the p-values of "not worse by the margin" and of "worse", by the test of the criterion."""
    if criterion.are_outcomes or criterion.test == "t" or evidence.is_constant[0]:
        return formula_pvalues(evidence, criterion)
    test = randomisation_test if criterion.test == "permutation" else bootstrap_test
    options = {"n_resamples": criterion.n_resamples, "rng": criterion.seed, **sample}
    noninferior = test(differences + criterion.margin, alternative="greater", **options).pvalue
    worse = test(differences, alternative="less", **options).pvalue
    return np.array([float(noninferior)]), np.array([float(worse)])


def formula_pvalues(evidence: Evidence, criterion: Criterion) -> tuple[Floats, Floats]:
    """(samples) the p-values by t, or of outcomes by Tango's score test."""
    if criterion.are_outcomes:
        losses = evidence.n_losses
        wins = evidence.n_differing - losses
        return (
            tango_pvalue(wins, losses, evidence.n, criterion.margin),
            tango_pvalue(losses, wins, evidence.n, 0.0),
        )
    with np.errstate(divide="ignore", invalid="ignore"):
        return (
            t_pvalue((evidence.mean + criterion.margin) / evidence.error, evidence.df, "greater"),
            t_pvalue(evidence.mean / evidence.error, evidence.df, "less"),
        )


def bounds_of(differences: Floats, criterion: Criterion, evidence: Evidence) -> tuple[float, float]:
    """The one-sided bounds of the mean difference: of outcomes Tango's, else by t. NaN where the level is 0."""
    if criterion.level == 0:
        return np.nan, np.nan
    if criterion.are_outcomes:
        interval = tango_interval(differences, confidence_level=1 - 2 * criterion.level)
        return float(interval.low), float(interval.high)
    half_width = float(special().stdtrit(evidence.df[0], 1 - criterion.level) * evidence.error[0])
    return float(evidence.mean[0]) - half_width, float(evidence.mean[0]) + half_width


def verdict_codes(
    evidence: Evidence, criterion: Criterion, noninferior: Floats, worse: Floats
) -> tuple[npt.NDArray[np.int64], Floats, Floats, Floats]:
    """What the p-values decide, after a look at rare losses and at skewness.

    Parameters
    ----------
    evidence
        What the differences say, of arrays of shape (samples).
    criterion
        What they have to show.
    noninferior, worse
        P-values of "not worse by the margin" and of "worse", (samples).

    Returns
    -------
    codes
        Indices into `VERDICTS`.
    share, least
        The share of queries that may lose, and the mean difference then; NaN where enough queries differ.
    skewed
        The p-value corrected for skewness; NaN where differences are not skewed down.
    """
    margin, level = criterion.margin, criterion.level
    noise = NOISE * np.maximum(np.abs(evidence.mean), margin)
    with np.errstate(invalid="ignore"):
        passes, is_worse = at_most(noninferior, level), at_most(worse, level)
    if criterion.are_outcomes:
        share = least = skewed = np.full(evidence.n.shape, np.nan)
    else:
        passes = np.where(evidence.is_constant, evidence.mean >= -margin - noise, passes)
        is_worse = np.where(evidence.is_constant, evidence.mean < -margin - noise, is_worse)
        share, least = rare_losses(evidence, criterion)
        skewed = skewed_pvalues(evidence, criterion, margin)
        gains_hide = skewed_pvalues(mirrored(evidence), criterion, 0.0)
        with np.errstate(invalid="ignore"):
            passes &= ~(least < -margin - noise) & (np.isnan(skewed) | at_most(skewed, level))
            is_worse &= np.isnan(gains_hide) | at_most(gains_hide, level)
    is_worse &= criterion.can_be_worse | evidence.is_constant
    codes = np.where(passes, 0, np.where(is_worse, 2, 1))
    return np.where(evidence.is_degenerate, VERDICTS.index(UNDECIDED), codes), share, least, skewed


def rare_losses(evidence: Evidence, criterion: Criterion) -> tuple[Floats, Floats]:
    """(samples) the largest share of queries that may lose, and the mean difference if they lose all there is to lose.

    NaN where losses are seen and enough queries differ to show how large they are, or the largest loss is not known.
    """
    if criterion.largest_loss is None or criterion.level == 0:
        return np.full(evidence.n.shape, np.nan), np.full(evidence.n.shape, np.nan)
    are_rare = (evidence.n_losses == 0) | (evidence.n_differing < FEW)
    share, least = least_mean(
        evidence.n,
        evidence.n_losses,
        evidence.n_gains,
        evidence.mean_of_others,
        largest_loss=criterion.largest_loss,
        alpha=criterion.level,
    )
    return np.where(are_rare, share, np.nan), np.where(are_rare, least, np.nan)


def mirrored(evidence: Evidence) -> Evidence:
    """The mean and the skewness of the differences with their signs changed."""
    return evidence._replace(mean=-evidence.mean, skewness=-evidence.skewness)


def skewed_pvalues(evidence: Evidence, criterion: Criterion, margin: float) -> Floats:
    """(samples) p-values of a mean above -margin, corrected for skewness; NaN where differences are not skewed down, or
    the test sees to that.
    """
    if criterion.test == "bootstrap":
        return np.full(evidence.n.shape, np.nan)
    applies = is_skewed_down(evidence.skewness, evidence.n) & ~evidence.is_constant
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = (evidence.mean + margin) / evidence.error
    corrected = skewed_t_pvalue(np.where(applies, statistic, 0.0), evidence.skewness, evidence.n, evidence.df)
    return np.where(applies, corrected, np.nan)


def decide_by_betting(differences: Floats, criterion: Criterion, power: int) -> Decision:
    """The verdict by bets on differences in their order; it holds for every distribution within the range."""
    if criterion.largest_loss is None:
        raise ParameterError("the test betting needs the range of the measure; name it with value_range (--range)")
    ends = {"low": -criterion.largest_loss, "high": criterion.largest_loss, "alpha": criterion.level}
    above = betting_test(differences, null=-criterion.margin, **ends)
    below = betting_test(-differences, null=0.0, **ends)
    noninferior, worse = float(above.pvalue), float(below.pvalue)
    is_worse = criterion.can_be_worse and at_most(worse, criterion.level)
    verdict = PASS if at_most(noninferior, criterion.level) else WORSE if is_worse else UNDECIDED
    mean, low, high = np.ldexp([float(differences.mean()), float(above.low), -float(below.low)], power).tolist()
    numbers = (mean, low, high, noninferior, worse, None, False)
    return Decision(verdict, *numbers, level=criterion.level, test="betting")


def fresh_units(evidence: Evidence, criterion: Criterion, share: float) -> int | None:
    """Fresh queries (or clusters) with which a system that is as good as the baseline passes, with the power.

    Their spread is taken to be the upper end of the one-sided interval, at the level of the power, of that of these
    queries: so not half of all such numbers are too small. Where losses are rare, as many queries as show that the
    largest share that may lose is small enough, if none loses.
    """
    if not criterion.margin:
        return None
    df = float(evidence.df[0])
    spread = float(evidence.error[0] * np.sqrt(evidence.n[0]))
    needed = 2
    if spread > 0:
        sd = spread * np.sqrt(df / special().chdtri(df, criterion.power))
        try:
            needed = queries_for_t(
                criterion.margin, sd, alternative="greater", power=criterion.power, alpha=criterion.alpha
            )
        except ParameterError:  # more than the search allows
            return None
    if criterion.are_outcomes and criterion.margin < 1:  # as many as the score test asks for where no outcome differs
        needed = max(needed, ceil(special().ndtri(criterion.alpha) ** 2 * (1 / criterion.margin - 1) - NOISE))
    if not np.isnan(share) and criterion.largest_loss:
        allowed = min(criterion.margin / criterion.largest_loss, 1 - NOISE)
        needed = max(needed, ceil(np.log(criterion.alpha) / np.log1p(-allowed) - NOISE))
    return needed


def worst(verdicts: Iterable[str]) -> str:
    """The worst of these verdicts."""
    return max(verdicts, key=VERDICTS.index)
