"""Tests of two systems on the same queries by resampling: Fisher's randomisation and the bootstrap."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.kernels.resample import bootstrap_moments, draw, exact_flip_sums, flip_sums
from rankscope.kernels.ties import NOISE
from rankscope.stats.inputs import (
    all_zero,
    as_differences,
    as_generator,
    check_alternative,
    check_count,
    constant,
    levelled,
)
from rankscope.stats.paired import PairedTest, flat_notes
from rankscope.typing import Bools, Floats

__all__ = ["bootstrap_test", "monte_carlo", "randomisation_test"]


def monte_carlo(count: Floats, n_resamples: int) -> tuple[Floats, Floats]:
    """P = (1 + count) / (1 + n_resamples), never 0, and its standard error.

    What was observed is one of the cases: so the test keeps its level, with however few resamples.
    Source: Phipson and Smyth (2010); Davison and Hinkley (1997).
    """
    pvalue = (1.0 + count) / (1.0 + n_resamples)
    return pvalue, np.sqrt(pvalue * (1 - pvalue) / (n_resamples + 1))


def count_extreme(chunks: Iterable[Floats], observed: Floats, within: Floats, alternative: str) -> Floats:
    """(pairs) how many resamples are at least as extreme; equal up to rounding is as extreme."""
    count = np.zeros(observed.size)
    for sums in chunks:
        if alternative == "two-sided":
            count += (np.abs(sums) >= np.abs(observed) - within).sum(axis=0)
        elif alternative == "greater":
            count += (sums >= observed - within).sum(axis=0)
        else:
            count += (sums <= observed + within).sum(axis=0)
    return count


def randomisation_test(
    differences: npt.ArrayLike,
    *,
    alternative: str = "two-sided",
    n_resamples: int = 10_000,
    rng: Any = None,
) -> PairedTest:
    """Fisher's randomisation test: were the systems equal, each difference might as well have the other sign.

    statistic: the mean difference; unbounded, above 0 where the first system is better. p: the share of vectors of
    signs with a mean at least as far from 0 as the observed one. Where all 2^n vectors are at most `n_resamples`,
    each is counted once and p = count / 2^n; else they are drawn, and p = (1 + count) / (1 + n_resamples).
    All pairs get the same signs, and the same `rng` gives the same p on any machine. All differences 0: p = 1.
    Raises ParameterError for NaN.

    Source: Fisher (1935); Smucker, Allan and Carterette (2007); agrees with scipy.stats.permutation_test of "samples".

    >>> result = randomisation_test([0.1, 0.2, 0.0, 0.3])  # 4 of 16: the three others all positive, or all negative
    >>> float(result.pvalue), result.exact
    (0.25, True)
    """
    check_alternative(alternative)
    check_count("n_resamples", n_resamples)
    rows, shape = as_differences(differences)
    rows, power = levelled(rows)
    generator = as_generator(rng)
    n = rows.shape[1]
    exact = n < 31 and 2**n <= n_resamples
    chunks = exact_flip_sums(rows) if exact else flip_sums(rows, draw(generator, n_resamples))
    count = count_extreme(chunks, rows.sum(axis=1), NOISE * np.abs(rows).sum(axis=1), alternative)
    pvalue, error = (count / 2**n, np.zeros(len(rows))) if exact else monte_carlo(count, n_resamples)
    equal = all_zero(rows)
    one = ("one query: no difference of it can be told from chance",) if n == 1 else ()
    return PairedTest(
        test="randomisation",
        statistic=np.ldexp(rows.mean(axis=1), power).reshape(shape),
        pvalue=pvalue.reshape(shape),
        alternative=alternative,
        n=n,
        n_resamples=0 if exact else n_resamples,
        exact=exact,
        error=np.where(equal, 0.0, error).reshape(shape),
        degenerate=np.zeros(shape, np.bool_),
        notes=one or flat_notes(rows, equal),
    )


def bootstrap_test(
    differences: npt.ArrayLike,
    *,
    alternative: str = "two-sided",
    n_resamples: int = 10_000,
    rng: Any = None,
) -> PairedTest:
    """The studentised bootstrap shift test: what t would be, were the mean difference 0.

    statistic: t = mean / (s / sqrt(n)). The differences less their mean are resampled with replacement; p = (1 + the
    resamples whose t is at least as extreme) / (1 + n_resamples). A resample of one value alone has no s: its t is
    infinite, or 0 where that value is 0, so that few queries make p large, not small. All differences 0: statistic 0
    and p = 1. One query, or the same difference on every query: statistic and p are NaN, flagged as degenerate.
    All pairs get the same resamples. Raises ParameterError for NaN.

    Source: Efron and Tibshirani (1993), chapter 16; Sakai (2006), who has count / n_resamples.

    >>> result = bootstrap_test([0.1, 0.2, 0.0, 0.3, 0.1, 0.2], n_resamples=999, rng=1)
    >>> round(float(result.statistic), 4), bool(0.001 <= result.pvalue <= 0.1)
    (3.5032, True)
    """
    check_alternative(alternative)
    check_count("n_resamples", n_resamples)
    rows, shape = as_differences(differences)
    rows, _ = levelled(rows)
    draws = draw(as_generator(rng), n_resamples)
    n = rows.shape[1]
    flat = constant(rows) | (n == 1)
    statistic, pvalue, error = (np.full(len(rows), np.nan) for _ in range(3))
    some = rows[~flat]
    if some.size:
        spread = some.std(axis=1, ddof=1)
        statistic[~flat] = some.mean(axis=1) / (spread / np.sqrt(n))
        observed = statistic[~flat]
        # In units of s, so that one bound of rounding serves all pairs.
        shifted = (some - some.mean(axis=1, keepdims=True)) / spread[:, None]
        resampled = (studentised(mean, square, n) for mean, square in bootstrap_moments(shifted, draws))
        # A mean of 0 is one only to the last bits of the values, of which t is as many times as there are roots of n.
        count = count_extreme(resampled, observed, NOISE * (np.abs(observed) + np.sqrt(n)), alternative)
        pvalue[~flat], error[~flat] = monte_carlo(count, n_resamples)
    equal = all_zero(rows)
    statistic[equal], pvalue[equal], error[equal] = 0.0, 1.0, 0.0
    return PairedTest(
        test="bootstrap",
        statistic=statistic.reshape(shape),
        pvalue=pvalue.reshape(shape),
        alternative=alternative,
        n=n,
        n_resamples=n_resamples,
        exact=False,
        error=error.reshape(shape),
        degenerate=flat.reshape(shape),
        notes=flat_notes(rows, flat),
    )


def studentised(mean: Floats, square: Floats, n: int) -> Floats:
    """T of each resample from its mean and mean square."""
    variance = square - mean * mean
    alone: Bools = variance <= NOISE * square  # one value only, up to rounding
    with np.errstate(divide="ignore", invalid="ignore"):
        t = mean / np.sqrt(variance / (n - 1))
    t[alone] = np.where(np.abs(mean[alone]) > NOISE, np.copysign(np.inf, mean[alone]), 0.0)
    return np.asarray(t)
