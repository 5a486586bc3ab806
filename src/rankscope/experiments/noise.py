"""How far two means come out apart by chance: by which queries were asked, and which seeds were drawn."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankscope.stats.distributions import special
from rankscope.stats.intervals import t_interval
from rankscope.typing import Floats

__all__ = ["Noise", "noise_of_means"]


class Noise(NamedTuple):
    """(pairs) how far two means must be apart to be more than chance: of queries, seeds (NaN: not known), both."""

    queries: Floats
    seeds: Floats
    both: Floats


def noise_of_means(apart: Floats, deviation: Floats, *, seeds: int, level: float = 0.05) -> Noise:
    """The distances that two equally good rankers exceed in a share `level` of experiments.

    apart: (pairs, queries) the differences of their values, each the mean over seeds. deviation: (2, pairs) the
    standard deviation over seeds of either's mean; 0 of one that is the same for all seeds, NaN where it is not known.
    seeds: how many, k.

    queries: t s / sqrt(n), s the standard deviation of the n differences, t Student's with n - 1 degrees of freedom.
    seeds: t sqrt(v / k + w / k) of the variances v and w over seeds; both: t sqrt(s^2 / n + v / k + w / k); t with as
    many degrees of freedom as such a sum of variances has (a variance of 2 or 3 seeds is itself hardly known, so that t
    is larger). NaN where a pair never differs, or always by the same; where seeds are not known, both is that of
    queries. The share is met well from 3 seeds on (2 to 6 % where it should be 5 %), and roughly with 2 (2 to 9 %).

    Source: Welch (1947); Satterthwaite (1946), equation 17, for the degrees of freedom.

    >>> found = noise_of_means(np.array([[0.1, 0.2, 0.0, 0.3]]), np.array([[0.1], [0.0]]), seeds=2)
    >>> found.queries.round(4), found.seeds.round(4)  # 3.182 * .1291 / 2; 12.706 * .1 / sqrt(2)
    (array([0.2054]), array([0.8985]))
    """
    n = apart.shape[1]
    flat = t_interval(apart).degenerate
    of_queries = np.where(flat, np.nan, apart.var(axis=1, ddof=1) / n if n > 1 else np.nan)
    of_seeds = deviation**2 / seeds
    known = ~np.isnan(of_seeds).any(axis=0)
    every = np.vstack([of_queries, np.where(known, of_seeds, 0.0)])
    freedom = np.array([[n - 1.0], [seeds - 1.0], [seeds - 1.0]])
    return Noise(
        queries=threshold(every[:1], freedom[:1], level),
        seeds=np.where(known & ~flat, threshold(every[1:], freedom[1:], level), np.nan),
        both=threshold(every, freedom, level),
    )


def threshold(variances: Floats, freedom: Floats, level: float) -> Floats:
    """(pairs) t times the root of the sum of variances, (parts, pairs); 0 where all are. freedom: (parts, 1)."""
    total = variances.sum(axis=0)
    parts = np.divide(variances**2, freedom, out=np.zeros_like(variances), where=freedom > 0).sum(axis=0)
    there = parts > 0
    degrees = np.divide(total**2, parts, out=np.full_like(total, np.inf), where=there)
    t = special().stdtrit(np.where(there, degrees, 1.0), 1 - level / 2)
    return np.asarray(np.where(np.isnan(total), np.nan, np.where(there, t, 0.0) * np.sqrt(total)))
