"""The tests by name, each called on the pairs of systems that are compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.comparison.matched import Matched
from rankscope.data.scores import Bools, Floats
from rankscope.errors import ParameterError
from rankscope.stats.bayes import Posterior, bayes_signed_rank_test, bayes_t_test
from rankscope.stats.effects import Effects, effect_sizes
from rankscope.stats.friedman import nemenyi_test
from rankscope.stats.inputs import all_zero, as_generator, outcomes
from rankscope.stats.intervals import bootstrap_interval, t_interval
from rankscope.stats.paired import PairedTest, sign_test, t_test, wilcoxon_test
from rankscope.stats.resampled import bootstrap_test, randomisation_test
from rankscope.stats.tukey import AllPairs, randomised_tukey_hsd, tukey_hsd

__all__ = [
    "INTERVALS",
    "OF_ALL",
    "RESAMPLED",
    "SIMULTANEOUS",
    "TESTS",
    "Settings",
    "Tested",
    "in_parts",
    "run_test",
    "seed_of",
]

#: Numbers in the matrix of differences of the pairs that are tested together: 32 MB.
AT_ONCE = 1 << 22

#: Test -> what it asks. The first five are of two systems; the next three of all at once, corrected for all pairs by
#: their own making; the last two give probabilities, not p-values.
TESTS = {
    "t": "Student's paired t-test of the mean difference",
    "permutation": "Fisher's randomisation test: sign flips of the differences",
    "bootstrap": "studentised bootstrap test of the mean difference",
    "wilcoxon": "Wilcoxon's signed rank test",
    "sign": "sign test: are as many queries won as lost",
    "tukey": "Tukey's honestly significant difference, queries as blocks",
    "randomised-tukey": "Tukey's HSD by permutations of each query's values",
    "nemenyi": "Nemenyi's test of mean ranks, after Friedman's",
    "bayes-t": "Bayesian correlated t-test",
    "bayes-signed-rank": "Bayesian signed rank test",
}
OF_ALL = ("tukey", "randomised-tukey", "nemenyi")
#: Tests whose intervals are their own, and hold all true differences at once.
SIMULTANEOUS = ("tukey", "randomised-tukey")
#: Tests that do not ask about means.
BY_RANKS = ("wilcoxon", "sign")
BAYESIAN = ("bayes-t", "bayes-signed-rank")
RESAMPLED = ("permutation", "bootstrap", "randomised-tukey", "bayes-signed-rank")
INTERVALS = ("t", "bca", "percentile")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How systems are compared; see `compare`. seed: what every draw begins with, so that all pairs share it."""

    test: str = "t"
    correction: str = "holm"
    family: str = "pairs"
    alternative: str = "two-sided"
    level: float = 0.05
    interval: str = "t"
    rope: float = 0.0
    n_resamples: int = 10_000
    seed: int = 0

    @property
    def of_all(self) -> bool:
        return self.test in OF_ALL

    @property
    def bayesian(self) -> bool:
        return self.test in BAYESIAN


@dataclass(frozen=True, eq=False, kw_only=True)
class Tested:
    """What was found of each pair; arrays of shape (pairs), NaN where there is no such number.

    direction: 1 where the test has the values of the first system higher, -1 lower; tests of ranks and signs may
    differ in that from the means. corrected: by the test itself, for all pairs; None where that is still to be done.
    posterior: the probabilities of a Bayesian test that the first system is worse, equal, better; else None.
    """

    difference: Floats
    low: Floats
    high: Floats
    statistic: Floats
    pvalue: Floats
    error: Floats
    degenerate: Bools
    direction: Floats
    effects: Effects
    corrected: Floats | None
    posterior: npt.NDArray[np.float64] | None  # (3, pairs)
    equal: Bools  # both have the same value on every query
    notes: tuple[str, ...]


def seed_of(rng: Any) -> int:
    """A seed for all that is to share its draws: `rng` itself where it is one."""
    if isinstance(rng, (int, np.integer)) and not isinstance(rng, bool):
        as_generator(rng)  # refuses negative ones
        return int(rng)
    return int(as_generator(rng).integers(1 << 32))


PAIRED: dict[str, Callable[[Floats, Settings], PairedTest]] = {
    "t": lambda d, s: t_test(d, alternative=s.alternative),
    "permutation": lambda d, s: randomisation_test(d, alternative=s.alternative, n_resamples=s.n_resamples, rng=s.seed),
    "bootstrap": lambda d, s: bootstrap_test(d, alternative=s.alternative, n_resamples=s.n_resamples, rng=s.seed),
    "wilcoxon": lambda d, s: wilcoxon_test(d, alternative=s.alternative),
    "sign": lambda d, s: sign_test(d, alternative=s.alternative, zone=s.rope),
}
POSTERIOR: dict[str, Callable[[Floats, Settings], Posterior]] = {
    "bayes-t": lambda d, s: bayes_t_test(d, rope=s.rope),
    "bayes-signed-rank": lambda d, s: bayes_signed_rank_test(d, rope=s.rope, n_resamples=s.n_resamples, rng=s.seed),
}
ALL_PAIRS: dict[str, Callable[[Floats, Settings], AllPairs]] = {
    "tukey": lambda x, s: tukey_hsd(x, confidence_level=1 - s.level),
    "randomised-tukey": lambda x, s: randomised_tukey_hsd(
        x, n_resamples=s.n_resamples, confidence_level=1 - s.level, rng=s.seed
    ),
    "nemenyi": lambda x, s: nemenyi_test(x, confidence_level=1 - s.level),
}


def run_test(
    matched: Matched,
    first: npt.NDArray[np.int64],
    second: npt.NDArray[np.int64],
    settings: Settings,
    progress: Callable[[int], Any] | None = None,
) -> Tested:
    """Test the pairs (first, second) of systems; pairs in parts, so that memory is bounded however many there are."""
    parts = []
    for part in in_parts(first.size, matched.n):
        parts.append(test_part(matched.values[first[part]] - matched.values[second[part]], matched.sign, settings))
        if progress is not None:
            progress(part.stop - part.start)
    found = parts[0] if len(parts) == 1 else put_together(parts)
    return with_all_pairs(found, matched, settings) if settings.of_all else found


def in_parts(pairs: int, n: int) -> Iterator[slice]:
    size = max(1, AT_ONCE // n)
    for start in range(0, pairs, size):
        yield slice(start, min(start + size, pairs))


def test_part(differences: Floats, sign: int, settings: Settings) -> Tested:
    """One part of the pairs. sign: -1 where lower is better, so that a win is a win."""
    ends = interval_of(differences, settings)
    effects = effect_sizes(differences, confidence_level=1 - settings.level, zone=settings.rope)
    if sign < 0:
        effects = replace(effects, wins=effects.losses, losses=effects.wins, superiority=1 - effects.superiority)
    nothing = np.full(len(differences), np.nan)
    equal = all_zero(differences)
    posterior = None
    statistic = pvalue = error = nothing
    degenerate = np.zeros(len(differences), np.bool_)
    direction = np.sign(differences.mean(axis=1))
    notes: tuple[str, ...] = ()
    if settings.bayesian:
        found = POSTERIOR[settings.test](sign * differences, settings)
        posterior = np.array([found.worse, found.equal, found.better])
        if settings.test == "bayes-t":  # which is certain of what does not vary, be it two queries
            posterior[:, found.degenerate & ~equal] = np.nan
        error, degenerate, notes = found.error, found.degenerate, found.notes
        direction = sign * np.sign(found.better - found.worse)
    elif not settings.of_all:
        test = PAIRED[settings.test](differences, settings)
        statistic, pvalue, error, degenerate = test.statistic, test.pvalue, test.error, test.degenerate
        notes = test.notes
        if settings.test in BY_RANKS:
            won, lost = outcomes(differences, settings.rope if settings.test == "sign" else 0.0)
            told = (won + lost).astype(np.float64)
            # As many wins as losses, or as much rank on both sides, would be half of all.
            half = told / 2 if settings.test == "sign" else told * (told + 1) / 4
            direction = np.sign(test.statistic - half)
    return Tested(
        difference=differences.mean(axis=1),
        low=ends[0],
        high=ends[1],
        statistic=statistic,
        pvalue=pvalue,
        error=error,
        degenerate=degenerate,
        direction=direction,
        effects=effects,
        corrected=None,
        posterior=posterior,
        equal=equal,
        notes=tuple(dict.fromkeys((*notes, *effects.notes))),
    )


def interval_of(differences: Floats, settings: Settings) -> Floats:
    """(2, pairs) the ends of the interval of each mean difference; NaN where one that varies not leaves it no width."""
    level = 1 - settings.level
    if settings.interval == "t":
        found = t_interval(differences, confidence_level=level)
    else:
        found = bootstrap_interval(
            differences,
            method=settings.interval,
            confidence_level=level,
            n_resamples=settings.n_resamples,
            rng=settings.seed,
        )
    unknown = found.degenerate & ~all_zero(differences)
    return np.where(unknown, np.nan, np.array([found.low, found.high]))


def put_together(parts: list[Tested]) -> Tested:
    """All parts as one."""
    names = ("difference", "low", "high", "statistic", "pvalue", "error", "degenerate", "direction", "equal")
    joined: dict[str, Any] = {name: np.concatenate([getattr(part, name) for part in parts]) for name in names}
    effects = parts[0].effects
    arrays = ("mean", "cohens_d", "hedges_g", "low", "high", "superiority", "wins", "ties", "losses", "degenerate")
    sizes: dict[str, Any] = {a: np.concatenate([getattr(part.effects, a) for part in parts]) for a in arrays}
    posteriors = [part.posterior for part in parts if part.posterior is not None]
    return replace(
        parts[0],
        **joined,
        effects=replace(effects, **sizes),
        posterior=np.concatenate(posteriors, axis=1) if posteriors else None,
        notes=tuple(dict.fromkeys(note for part in parts for note in part.notes)),
    )


def with_all_pairs(found: Tested, matched: Matched, settings: Settings) -> Tested:
    """The p-values and intervals of a test of all systems at once; its pairs are in the order of `all_pairs`."""
    if matched.n < 2:
        raise ParameterError(f"test {settings.test!r} needs at least 2 queries, and {matched.n} has values; choose t")
    test = ALL_PAIRS[settings.test](matched.values, settings)
    own = settings.test in SIMULTANEOUS  # of Nemenyi they are of mean ranks
    return replace(
        found,
        statistic=test.statistic,
        corrected=test.pvalue,
        error=test.error,
        direction=found.direction if own else -np.sign(test.difference),  # of mean ranks, 1 the highest
        low=np.where(np.isnan(found.low), np.nan, test.low) if own else found.low,
        high=np.where(np.isnan(found.high), np.nan, test.high) if own else found.high,
        notes=tuple(dict.fromkeys((*test.notes, *found.notes))),
    )
