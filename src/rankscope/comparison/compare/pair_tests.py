"""A test run on the pairs of systems that are compared, in parts of bounded memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.comparison.common_queries import MeasureValues
from rankscope.comparison.compare.significance_tests import ComparisonSettings
from rankscope.errors import ParameterError
from rankscope.kernels.ties import NOISE, signs_of
from rankscope.stats.effects import Effects, effect_sizes
from rankscope.stats.inputs import all_zero, outcomes
from rankscope.stats.intervals import bootstrap_interval, t_interval
from rankscope.typing import Bools, Floats

__all__ = [
    "PairTestJob",
    "PairTestResults",
    "pair_slices",
    "run_tests",
]


#: Numbers in the matrix of differences of the pairs that are tested together: 8 MB. As many in all are enough for
#: several workers to be faster than one.
AT_ONCE = 1 << 20


@dataclass(frozen=True, eq=False, kw_only=True)
class PairTestResults:
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


class PairTestJob(NamedTuple):
    """What all parts share. first, second: both sides of each pair of systems."""

    matched: Sequence[MeasureValues]
    first: npt.NDArray[np.int64]
    second: npt.NDArray[np.int64]
    settings: ComparisonSettings


def run_tests(
    asked: PairTestJob, workers: int | None = None, progress: Callable[[int], Any] | None = None
) -> list[PairTestResults]:
    """Test all pairs by each measure; pairs in parts, so that memory is bounded however many there are.

    workers: processes that share the parts; None: all cores where that pays. The result is the same.
    """
    units = [(m, part) for m, one in enumerate(asked.matched) for part in pair_slices(asked.first.size, one.n)]
    parts: list[list[PairTestResults]] = [[] for _ in asked.matched]
    for (m, part), found in zip(units, run_parts(asked, units, workers), strict=True):
        parts[m].append(found)
        if progress is not None:
            progress(part.stop - part.start)
    tested = [found[0] if len(found) == 1 else concatenate_parts(found) for found in parts]
    if not asked.settings.of_all:
        return tested
    return [
        with_simultaneous_test(one, matched, asked.settings) for one, matched in zip(tested, asked.matched, strict=True)
    ]


def run_parts(asked: PairTestJob, units: Sequence[tuple[int, slice]], workers: int | None) -> Iterator[PairTestResults]:
    drawn = asked.settings.method.resampled or asked.settings.interval != "t"
    if workers is None and len(units) == 1 and not drawn:
        return iter([run_part(asked, units[0])])
    from rankscope.parallel import run_units, workers_for

    numbers = asked.first.size * sum(one.n for one in asked.matched)
    return run_units(run_part, units, workers=workers_for(workers, numbers >= AT_ONCE), shared=asked)


def run_part(asked: PairTestJob, unit: tuple[int, slice]) -> PairTestResults:
    """Some pairs by one measure."""
    matched, part = asked.matched[unit[0]], unit[1]
    differences = matched.differences(asked.first[part], asked.second[part])
    found = compute_part(differences, matched.sign, asked.settings)
    apart = np.where(np.abs(found.difference) <= NOISE * matched.scale, 0.0, found.difference)  # of equal means
    return replace(found, difference=apart)


def pair_slices(pairs: int, n: int) -> Iterator[slice]:
    size = max(1, AT_ONCE // n)
    for start in range(0, pairs, size):
        yield slice(start, min(start + size, pairs))


def compute_part(differences: Floats, sign: int, settings: ComparisonSettings) -> PairTestResults:
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
    direction = signs_of(differences.mean(axis=1), np.abs(differences).max(axis=1))
    notes: tuple[str, ...] = ()
    if settings.bayesian:
        found = settings.method.run(sign * differences, settings)
        posterior = np.array([found.worse, found.equal, found.better])
        if settings.method.normal:  # which is certain of what does not vary, be it two queries
            posterior[:, found.degenerate & ~equal] = np.nan
        error, degenerate, notes = found.error, found.degenerate, found.notes
        direction = sign * signs_of(found.better - found.worse, 1.0)
    elif not settings.of_all:
        test = settings.method.run(differences, settings)
        statistic, pvalue, error, degenerate = test.statistic, test.pvalue, test.error, test.degenerate
        notes = test.notes
        if settings.method.about in ("ranks", "signs"):
            signs = settings.method.about == "signs"
            won, lost = outcomes(differences, settings.rope if signs else 0.0)
            told = (won + lost).astype(np.float64)
            # As many wins as losses, or as much rank on both sides, would be half of all.
            half = told / 2 if signs else told * (told + 1) / 4
            direction = np.sign(test.statistic - half)  # whole or half numbers
    return PairTestResults(
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


def interval_of(differences: Floats, settings: ComparisonSettings) -> Floats:
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


def concatenate_parts(parts: list[PairTestResults]) -> PairTestResults:
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


def with_simultaneous_test(
    found: PairTestResults, matched: MeasureValues, settings: ComparisonSettings
) -> PairTestResults:
    """The p-values and intervals of a test of all systems at once; its pairs are in the order of `all_pairs`."""
    if matched.n < 2:
        raise ParameterError(f"test {settings.test!r} needs at least 2 queries, and {matched.n} has values; choose t")
    test = settings.method.run(matched.values, settings)
    own = settings.method.simultaneous  # of Nemenyi they are of mean ranks
    return replace(
        found,
        statistic=test.statistic,
        corrected=test.pvalue,
        error=test.error,
        direction=found.direction
        if settings.method.about == "means"
        else -signs_of(test.difference, len(matched.values)),  # of mean ranks, 1 the highest
        low=np.where(np.isnan(found.low), np.nan, test.low) if own else found.low,
        high=np.where(np.isnan(found.high), np.nan, test.high) if own else found.high,
        notes=tuple(dict.fromkeys((*test.notes, *found.notes))),
    )
