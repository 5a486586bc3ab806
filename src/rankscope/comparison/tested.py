"""A test called on the pairs of systems that are compared, in parts of bounded memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.comparison.matched import Matched
from rankscope.comparison.methods import Settings
from rankscope.data.scores import Bools, Floats
from rankscope.errors import ParameterError
from rankscope.stats.effects import Effects, effect_sizes
from rankscope.stats.inputs import all_zero, outcomes
from rankscope.stats.intervals import bootstrap_interval, t_interval

__all__ = ["Tested", "in_parts", "run_test"]

#: Numbers in the matrix of differences of the pairs that are tested together: 32 MB.
AT_ONCE = 1 << 22


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
        parts.append(part_of(matched.values[first[part]] - matched.values[second[part]], matched.sign, settings))
        if progress is not None:
            progress(part.stop - part.start)
    found = parts[0] if len(parts) == 1 else put_together(parts)
    return with_all_pairs(found, matched, settings) if settings.of_all else found


def in_parts(pairs: int, n: int) -> Iterator[slice]:
    size = max(1, AT_ONCE // n)
    for start in range(0, pairs, size):
        yield slice(start, min(start + size, pairs))


def part_of(differences: Floats, sign: int, settings: Settings) -> Tested:
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
        found = settings.method.run(sign * differences, settings)
        posterior = np.array([found.worse, found.equal, found.better])
        if settings.method.normal:  # which is certain of what does not vary, be it two queries
            posterior[:, found.degenerate & ~equal] = np.nan
        error, degenerate, notes = found.error, found.degenerate, found.notes
        direction = sign * np.sign(found.better - found.worse)
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
    test = settings.method.run(matched.values, settings)
    own = settings.method.simultaneous  # of Nemenyi they are of mean ranks
    return replace(
        found,
        statistic=test.statistic,
        corrected=test.pvalue,
        error=test.error,
        direction=found.direction
        if settings.method.about == "means"
        else -np.sign(test.difference),  # of mean ranks, 1 the highest
        low=np.where(np.isnan(found.low), np.nan, test.low) if own else found.low,
        high=np.where(np.isnan(found.high), np.nan, test.high) if own else found.high,
        notes=tuple(dict.fromkeys((*test.notes, *found.notes))),
    )
