"""Correlations of two lists: Pearson, Spearman, Kendall a, b and c, with p-values and intervals; matrices of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.errors import ParameterError
from rankscope.kernels.resample import draw
from rankscope.stats.correlation_intervals import ends
from rankscope.stats.correlation_pvalues import kendall_pvalues, permutation_pvalues, t_pvalues
from rankscope.stats.correlation_values import STATISTICS, ListPairs, matrix_of, pairs_of
from rankscope.stats.inputs import as_generator, check_alternative, check_choice, check_count, check_share, numbers
from rankscope.typing import Bools, Floats

__all__ = ["STATISTICS", "Correlation", "correlation_matrix", "correlation_test"]

INTERVALS = ("fisher", "bootstrap")
PVALUES = ("auto", "permutation")


@dataclass(frozen=True, eq=False, kw_only=True)
class Correlation:
    """A correlation, for each pair of lists; arrays of shape (lists), or () where one pair was given.

    value: in [-1, 1], NaN where it is undefined. pvalue: how often lists without any connection would be as far from 0
    (alternative "two-sided"), as high ("greater") or as low ("less"). exact: of each, all orders were counted. error:
    standard error of a p-value from permutations, else 0. low, high: the interval at `confidence_level`, always
    two-sided; NaN where there is none. n: items. n_resamples: bootstrap samples or permutations, 0 where there were
    none. degenerate: where a list has one value only. notes: what to know before believing it.
    """

    statistic: str
    value: Floats
    pvalue: Floats
    alternative: str
    exact: Bools
    error: Floats
    low: Floats
    high: Floats
    confidence_level: float
    interval: str
    n: int
    n_resamples: int
    degenerate: Bools
    notes: tuple[str, ...]


def correlation_test(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    *,
    statistic: str = "kendall_b",
    alternative: str = "two-sided",
    confidence_level: float = 0.95,
    interval: str = "fisher",
    pvalue: str = "auto",
    n_resamples: int = 10_000,
    rng: Any = None,
) -> Correlation:
    """How far two lists of numbers rise and fall together: in [-1, 1]; 1 together, -1 against each other.

    statistic: "pearson", along a straight line; "spearman", of the ranks; "kendall_a", "kendall_b", "kendall_c", the
    pairs of items ordered alike less those ordered the other way round, over all pairs, over those not tied, and for
    lists of few values.
    x, y: (items) or (lists, items), item by item in one order; each list with the one in its place.

    pvalue: "auto", of Pearson and Spearman Student's t with n - 2 degrees of freedom; of Kendall exact without ties up
    to 33 items (or with at most one pair out of order either way), else normal with the variance of these ties. The
    three taus share C - D and so their p-value. "permutation": (1 + count) / (1 + n_resamples), or count / n! where n!
    is at most n_resamples; two-sided counts values as far from 0.
    interval: "fisher", tanh(atanh(r) -+ z sqrt(v)), v = 1 / (n - 3) of Pearson, (1 + r^2 / 2) / (n - 3) of Spearman,
    .437 / (n - 4) of Kendall, an approximation for normal values, rough with many ties and for ranks beyond .8;
    "bootstrap", BCa over items, leaving out samples in which a list has one value only.

    A list of one value: value NaN (of "kendall_a" 0), p-value and interval NaN, flagged as degenerate. Correlations of
    1 and -1, and too few items for v: the interval is NaN, with a note. Two items: p = 1 of Pearson and Spearman.
    Raises ParameterError for NaN or infinite values, lists of two lengths, fewer than two items, unknown names.

    Source: Pearson (1895), Spearman (1904), Kendall (1938; 1945), Stuart (1953); Fieller, Hartley and Pearson (1957),
    Bonett and Wright (2000) for v. Values and p-values agree with scipy.stats.pearsonr, spearmanr and kendalltau.

    >>> found = correlation_test([1, 2, 3, 4, 5, 6], [1, 3, 2, 4, 6, 5])
    >>> round(float(found.value), 4), round(float(found.pvalue), 4)  # 13 pairs alike, 2 not
    (0.7333, 0.0556)
    >>> round(float(found.low), 4), round(float(found.high), 4)
    (0.0197, 0.9519)
    """
    check_choice("statistic", statistic, STATISTICS)
    check_alternative(alternative)
    check_share("confidence_level", confidence_level)
    check_choice("interval", interval, INTERVALS)
    check_choice("pvalue", pvalue, PVALUES)
    check_count("n_resamples", n_resamples)
    a, b = as_lists(x, "values of x"), as_lists(y, "values of y")
    if a.shape != b.shape:
        raise ParameterError(f"x has shape {a.shape} and y {b.shape}, expected one shape, (items) or (lists, items)")
    generator = as_generator(rng)
    pairs = pairs_of(np.atleast_2d(a), np.atleast_2d(b), statistic)
    p, exact, error = pvalues(pairs, alternative, pvalue, n_resamples, generator)
    low, high, notes = ends(pairs, confidence_level, interval, n_resamples, generator)
    permuted = pvalue == "permutation" and not pairs.flat.all() and not exact.any()
    shape = a.shape[:-1]
    return Correlation(
        statistic=statistic,
        value=pairs.value.reshape(shape),
        pvalue=p.reshape(shape),
        alternative=alternative,
        exact=exact.reshape(shape),
        error=error.reshape(shape),
        low=low.reshape(shape),
        high=high.reshape(shape),
        confidence_level=confidence_level,
        interval=interval,
        n=pairs.n,
        n_resamples=n_resamples if permuted or interval == "bootstrap" else 0,
        degenerate=pairs.flat.reshape(shape),
        notes=notes,
    )


def correlation_matrix(rows: npt.ArrayLike, *, statistic: str = "kendall_b") -> Floats:
    """(k, k) the correlation of every two of k lists; in [-1, 1], symmetric, its diagonal 1.

    rows: (k, items). statistic: as for `correlation_test`. Of a list of one value NaN ("kendall_a" 0 with others),
    also on the diagonal; "kendall_a" of a list with ties and itself is the share of its pairs that are not tied,
    and "kendall_c" may be below 1 as well. Raises ParameterError for NaN, other shapes, fewer than two items.

    Source: as `correlation_test`; agrees with pandas.DataFrame(rows).T.corr().

    >>> correlation_matrix([[1, 2, 3, 4], [1, 2, 4, 3], [4, 3, 2, 1]]).round(4).tolist()
    [[1.0, 0.6667, -1.0], [0.6667, 1.0, -0.6667], [-1.0, -0.6667, 1.0]]
    """
    check_choice("statistic", statistic, STATISTICS)
    lists = as_lists(rows, "rows")
    if lists.ndim != 2:
        raise ParameterError(f"the rows have shape {lists.shape}, expected (lists, items)")
    return matrix_of(lists, statistic)


def as_lists(values: npt.ArrayLike, what: str) -> Floats:
    found = numbers(values, what)
    if found.ndim not in (1, 2) or found.shape[-1] < 2:
        raise ParameterError(
            f"the {what} have shape {found.shape}, expected (items) or (lists, items) with at least 2 items"
        )
    return found


def pvalues(
    pairs: ListPairs, alternative: str, pvalue: str, n_resamples: int, rng: np.random.Generator
) -> tuple[Floats, Bools, Floats]:
    """(lists) each: the p-values, whether all orders were counted, their standard errors."""
    good = ~pairs.flat
    p, error, exact = np.full(good.size, np.nan), np.zeros(good.size), np.zeros(good.size, np.bool_)
    of_pairs = pairs.statistic.startswith("kendall")
    ranks = (pairs.ranks_x.rows(good), pairs.ranks_y.rows(good)) if of_pairs else None
    if pvalue == "permutation":
        by_rank = (pairs.ranks_x.doubled_ranks, pairs.ranks_y.doubled_ranks)
        a, b = (pairs.x, pairs.y) if pairs.statistic == "pearson" else by_rank
        a, b = (v[good] - v[good].mean(axis=1, keepdims=True) for v in (a, b))
        found = permutation_pvalues(a, b, ranks, alternative, draw(rng, n_resamples))
        p[good], error[good], exact[good] = found.pvalue, found.error, found.exact
    elif ranks is not None:
        p[good], exact[good] = kendall_pvalues(pairs.surplus[good], *ranks, alternative)
    else:
        p[good] = t_pvalues(pairs.value[good], pairs.n, alternative)
    return p, exact, error
