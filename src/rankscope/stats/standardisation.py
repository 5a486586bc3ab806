"""Standardised scores: standard deviations above the mean of the systems on the same query."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.errors import ParameterError
from rankscope.kernels.rounding_ties import NOISE
from rankscope.stats.distributions import special
from rankscope.stats.inputs import check_choice, scale_rows
from rankscope.typing import Bools, Floats

__all__ = [
    "STANDARDISATIONS",
    "Standardised",
    "standardise_scores",
]


STANDARDISATIONS = ("z", "cdf")


class Standardised(NamedTuple):
    """Scores in units of their query, as `standardise_scores` gives them.

    Attributes
    ----------
    values
        Standardised scores, (systems, queries).
    is_constant
        Whether the reference systems do not differ on the query, or there is only one; (queries).
    """

    values: Floats
    is_constant: Bools


def standardise_scores(
    scores: npt.ArrayLike, *, reference: npt.ArrayLike | None = None, method: str = "z"
) -> Standardised:
    """Standardise scores by query: subtract the mean of the reference systems, divide by their standard deviation.

    Parameters
    ----------
    scores
        Scores, (systems, queries). NaN stays NaN and does not count.
    reference
        Scores of the reference systems, (other systems, the same queries). Default: the scores themselves.
    method
        "z": z = (x - mean_q) / sd_q, unbounded, 0 for an average system; "cdf": Phi(z) of the normal distribution, in
        [0, 1], .5 for an average system, so that no single query counts for much. Both keep the direction of the
        measure.

    Returns
    -------
    Standardised
        A query for which no reference system has a value is NaN for all. If the reference systems do not differ (or
        there is only one), every system gets 0, or .5.

    Raises
    ------
    ParameterError
        Shapes do not fit, or a value is infinite.

    Notes
    -----
    sd_q divides by the number of systems less 1: the systems are a sample of those that could be tried.

    References
    ----------
    Webber, Moffat and Zobel (SIGIR 2008); agrees with scipy.stats.zscore(ddof=1) and norm.cdf of it.

    Examples
    --------
    >>> standardise_scores([[0.25, 0.8], [0.5, 0.8], [0.75, 0.8]]).values.tolist()
    [[-1.0, 0.0], [0.0, 0.0], [1.0, 0.0]]
    """
    check_choice("method", method, STANDARDISATIONS)
    x = as_table(scores, "scores")
    reference_scores = x if reference is None else as_table(reference, "reference scores")
    if reference_scores.shape[1] != x.shape[1]:
        raise ParameterError(
            f"the reference scores are of {reference_scores.shape[1]} queries and the scores of {x.shape[1]}, expected "
            "the same"
        )
    present = ~np.isnan(reference_scores)
    _, exponent = scale_rows(np.where(present, reference_scores, 0.0).T)
    if exponent.any():
        x, reference_scores = np.ldexp(x, -exponent), np.ldexp(reference_scores, -exponent)
    n = present.sum(axis=0)
    filled = np.where(present, reference_scores, 0.0)
    mean = filled.sum(axis=0) / np.maximum(n, 1)
    deviations = np.where(present, reference_scores - mean, 0.0)
    sd = np.sqrt((deviations * deviations).sum(axis=0) / np.maximum(n - 1, 1))
    # Equal values less their mean leave up to this by rounding.
    flat = (n >= 1) & (
        np.abs(deviations).max(axis=0, initial=0.0) <= 100 * NOISE * np.abs(filled).max(axis=0, initial=0.0)
    )
    z = (x - mean) / np.where(flat | (n == 0), 1.0, sd)
    z[:, flat] = np.where(np.isnan(x[:, flat]), np.nan, 0.0)
    z[:, n == 0] = np.nan
    values = z if method == "z" else np.asarray(special().ndtr(z))
    return Standardised(values, flat)


def as_table(values: npt.ArrayLike, description: str) -> Floats:
    """(systems, queries), NaN where there is no value."""
    try:
        table = np.asarray(values, np.float64)
    except (TypeError, ValueError):
        raise ParameterError(f"the {description} are not a table of numbers; expected an array of float64") from None
    if table.ndim != 2 or not table.shape[0]:
        raise ParameterError(
            f"the {description} have shape {table.shape}, expected (systems, queries) with a system or more"
        )
    if np.isinf(table).any():
        raise ParameterError(
            f"{int(np.isinf(table).sum())} of {table.size} {description} are infinite, expected numbers"
        )
    return table
