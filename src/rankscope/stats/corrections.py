"""Corrections of many p-values for their number."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rankscope.errors import ParameterError
from rankscope.stats.inputs import check_choice
from rankscope.typing import Floats

__all__ = ["CORRECTIONS", "Adjusted", "adjust_pvalues"]

#: Name -> what it keeps at the level.
CORRECTIONS = {
    "holm": "probability of any false finding",
    "bonferroni": "probability of any false finding",
    "hochberg": "probability of any false finding, if the tests are independent or positively dependent",
    "bh": "expected share of false findings, if the tests are independent or positively dependent",
    "none": "nothing: each test alone",
}


@dataclass(frozen=True, eq=False, kw_only=True)
class Adjusted:
    """Adjusted p-values, to be compared with the level as they are; in the shape given.

    family: how many tests were corrected together. controls: what stays at the level. NaN stays NaN.
    """

    pvalue: Floats
    method: str
    family: int
    controls: str


def adjust_pvalues(pvalues: npt.ArrayLike, *, method: str = "holm") -> Adjusted:
    """Adjust p-values for the number of tests; in [0, 1], never below what was given.

    method: "bonferroni" (p m), "holm" (default; step down, never larger than Bonferroni's), "hochberg" (step up),
    "bh" (Benjamini and Hochberg's false discovery rate), "none". All p-values of the array, of whatever shape, are one
    family: give those of all pairs and all measures together. A p-value of NaN, of a test that says nothing, counts
    in the family as 1. No p-value: nothing. Raises ParameterError for values outside [0, 1].

    Source: Holm (1979); Hochberg (1988); Benjamini and Hochberg (1995); agrees with statsmodels multipletests and R's
    p.adjust.

    >>> adjust_pvalues([0.01, 0.04, 0.03]).pvalue.tolist()
    [0.03, 0.06, 0.06]
    """
    check_choice("method", method, tuple(CORRECTIONS))
    given = np.asarray(pvalues, np.float64)
    if ((given < 0) | (given > 1)).any():
        wrong = given[(given < 0) | (given > 1)][0]
        raise ParameterError(f"a p-value is {wrong}, expected numbers in [0, 1] (or NaN for a test that says nothing)")
    flat = np.where(np.isnan(given), 1.0, given).ravel()
    adjusted = np.minimum(step(flat, method), 1.0).reshape(given.shape)
    adjusted[np.isnan(given)] = np.nan
    return Adjusted(pvalue=adjusted, method=method, family=given.size, controls=CORRECTIONS[method])


def step(pvalues: Floats, method: str) -> Floats:
    m = pvalues.size
    if method == "none":
        return pvalues
    if method == "bonferroni":
        return pvalues * m
    order = np.argsort(pvalues, kind="stable")
    place = np.arange(m)
    factor = m / (place + 1) if method == "bh" else m - place
    scaled = pvalues[order] * factor
    down = method == "holm"  # from the least p-value on; the others step up from the greatest
    scaled = np.maximum.accumulate(scaled) if down else np.minimum.accumulate(scaled[::-1])[::-1]
    adjusted = np.empty(m)
    adjusted[order] = scaled
    return adjusted
