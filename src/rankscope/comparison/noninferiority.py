"""Is a system not worse by more than a margin? Decisions on an array of differences, which queries make them, and how
many queries one would take.

Differences here are oriented: above 0 where the new system is better.
"""

from __future__ import annotations

from math import ldexp
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.errors import ParameterError
from rankscope.kernels.ties import NOISE, at_most, order_of
from rankscope.stats.distributions import special, t_pvalue
from rankscope.stats.inputs import constant, levelled
from rankscope.stats.power import queries_for_t
from rankscope.stats.resampled import bootstrap_test, randomisation_test
from rankscope.typing import Bools, Floats

__all__ = ["PASS", "TESTS", "UNDECIDED", "VERDICTS", "WORSE", "Criterion", "Decision", "Turn", "decide", "turn_of"]

PASS, UNDECIDED, WORSE = "pass", "undecided", "worse"
#: From the best to the worst; the verdict on many measures is the worst of theirs.
VERDICTS = (PASS, UNDECIDED, WORSE)
#: Tests of a mean: shifted by the margin they ask whether the mean difference is above -margin. Those of ranks and of
#: signs ask about medians, which can be fine where the mean is not.
TESTS = ("t", "permutation", "bootstrap")


class Criterion(NamedTuple):
    """What it takes to pass. seed: of the resamples."""

    margin: float
    level: float
    test: str
    power: float
    n_resamples: int
    seed: int


class Decision(NamedTuple):
    """low, high: one-sided bounds of the mean difference, by t; NaN as p-values where the differences do not vary.

    n_needed: queries, by estimate, with which the decision would be made; None where it is made, or none would do.
    """

    verdict: str
    mean: float
    low: float
    high: float
    pvalue_noninferior: float
    pvalue_worse: float
    n_needed: int | None
    flat: bool


class Turn(NamedTuple):
    """The verdict without `queries` (places, in the order in which they are taken away).

    helped: whether they are those that the new system helps most; else those that it hurts most.
    """

    verdict: str
    queries: npt.NDArray[np.intp]
    helped: bool


def decide(differences: Floats, criterion: Criterion) -> Decision:
    """The verdict on one measure.

    "pass": that the mean difference is at most -margin is refuted at the level (test of differences + margin,
    one-sided). Else "worse": that it is at least 0 is refuted. Else "undecided". One query: undecided. A constant
    difference is no sample to test: it passes where it is at least -margin, else it is worse.
    """
    differences, criterion, power = scale_to_unit(differences, criterion)
    n, mean = differences.size, float(differences.mean())
    margin, level = criterion.margin, criterion.level
    nothing = (np.nan,) * 4
    if n == 1:
        return Decision(UNDECIDED, ldexp(mean, power), *nothing, None, True)
    if constant(differences[None])[0]:
        return Decision(verdict_of_constant(mean, margin), ldexp(mean, power), *nothing, None, True)
    sd = float(differences.std(ddof=1))
    reach = float(special().stdtrit(n - 1, 1 - level) * sd / np.sqrt(n))
    noninferior, worse = pvalues(differences, criterion)
    verdict = PASS if at_most(noninferior, level) else WORSE if at_most(worse, level) else UNDECIDED
    needed = queries_needed(mean, sd, criterion) if verdict == UNDECIDED else None
    with np.errstate(over="ignore"):  # at a level near 0 the ends may be beyond float64
        middle, low, high = np.ldexp([mean, mean - reach, mean + reach], power).tolist()
    return Decision(verdict, middle, low, high, noninferior, worse, needed, False)


def scale_to_unit(differences: Floats, criterion: Criterion) -> tuple[Floats, Criterion, int]:
    """Differences whose squares are numbers, the margin in their unit, and that as a power of 2."""
    rows, powers = levelled(differences[None])
    power = int(powers[0])
    if not power:
        return differences, criterion, 0
    most = ldexp(1.0, min(power + 800, 1000))  # any margin that is so much larger is as good
    margin = ldexp(min(criterion.margin, most), -power)
    return rows[0], criterion._replace(margin=margin), power


def verdict_of_constant(mean: float, margin: float) -> str:
    """The verdict on a difference that is the same on every query."""
    return PASS if mean >= -margin - NOISE * max(abs(mean), margin) else WORSE


def pvalues(differences: Floats, criterion: Criterion) -> tuple[float, float]:
    """Of "not worse by the margin" and of "worse"."""
    shifted = differences + criterion.margin
    if criterion.test == "t":
        mean, error, df = differences.mean(), differences.std(ddof=1) / np.sqrt(differences.size), differences.size - 1
        noninferior = t_pvalue((mean + criterion.margin) / error, df, "greater")
        return float(noninferior), float(t_pvalue(mean / error, df, "less"))
    run = randomisation_test if criterion.test == "permutation" else bootstrap_test
    options = {"n_resamples": criterion.n_resamples, "rng": criterion.seed}
    noninferior = run(shifted, alternative="greater", **options).pvalue
    return float(noninferior), float(run(differences, alternative="less", **options).pvalue)


def queries_needed(mean: float, sd: float, criterion: Criterion) -> int | None:
    """Queries with which a t-test shows one of the two, with the power asked for, were the truth what was observed."""
    options = {"power": criterion.power, "level": criterion.level}
    found = []
    for difference, alternative in ((mean + criterion.margin, "greater"), (mean, "less")):
        if difference != 0 and (difference > 0) == (alternative == "greater"):
            try:
                found.append(queries_for_t(difference, sd, alternative=alternative, **options))
            except ParameterError:  # more than are looked for
                continue
    return min(found, default=None)


def turn_of(differences: Floats, verdict: str, criterion: Criterion) -> Turn | None:
    """The queries to take away, in order, until the t-test gives another verdict; None where it never does.

    Of a verdict "pass" the query that the new system helps most goes first, then the next; of "worse" the one that it
    hurts most. "undecided" can turn either way: both ends are tried, and the shorter way is taken. The last two queries
    stay. Queries chosen in another way might turn a verdict with fewer.
    """
    differences, criterion, _ = scale_to_unit(differences, criterion)
    ends = {PASS: (True,), WORSE: (False,), UNDECIDED: (False, True)}[verdict]
    ways = [turn_from(differences, verdict, criterion, helped=helped) for helped in ends]
    return min((way for way in ways if way is not None), key=lambda way: way.queries.size, default=None)


def turn_from(differences: Floats, verdict: str, criterion: Criterion, *, helped: bool) -> Turn | None:
    """As `turn_of`, from one end. All stages are computed at once, from sums over what is left."""
    if differences.size < 3:
        return None
    order = order_of(-differences if helped else differences)
    left = differences[order] - np.median(differences)
    stages = slice(0, differences.size - 1)  # what is left from each place on, two at least
    n = np.arange(differences.size, 1, -1)
    total, square = (np.cumsum(values[::-1])[::-1][stages] for values in (left, left * left))
    mean = total / n
    variance = np.maximum(square - total * mean, 0.0) / (n - 1)
    original = differences[order]
    furthest = np.maximum(np.abs(original), abs(original[-1]))  # they are sorted
    flat = (np.abs(original - original[-1]) <= 100 * NOISE * furthest)[stages]
    verdicts = verdicts_by_t(mean + np.median(differences), variance, n, flat, criterion)
    other = np.flatnonzero(verdicts[1:] != VERDICTS.index(verdict))
    if not other.size:
        return None
    gone = int(other[0]) + 1
    return Turn(VERDICTS[verdicts[gone]], order[:gone], helped)


def verdicts_by_t(
    mean: Floats, variance: Floats, n: npt.NDArray[np.int64], flat: Bools, criterion: Criterion
) -> npt.NDArray[np.int64]:
    """The places among `VERDICTS` of samples of which only means and variances are known."""
    margin, level = criterion.margin, criterion.level
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.sqrt(variance / n)
        passes = at_most(t_pvalue((mean + margin) / error, n - 1, "greater"), level)
        worse = at_most(t_pvalue(mean / error, n - 1, "less"), level)
    steady = mean >= -margin - NOISE * np.maximum(np.abs(mean), margin)
    found = np.where(passes, 0, np.where(worse, 2, 1))
    return np.where(flat, np.where(steady, 0, 2), found)
