"""Prevalence from an imperfect judge: the share of positive items, corrected for its error rates (Rogan and Gladen)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rankscope.errors import ParameterError
from rankscope.stats.distributions import special
from rankscope.stats.inputs import check_share
from rankscope.typing import Floats

__all__ = [
    "Prevalence",
    "rogan_gladen",
]


@dataclass(frozen=True, eq=False, kw_only=True)
class Prevalence:
    """The share of positive items, corrected for the errors of the judge; arrays have the shape of the counts.

    Attributes
    ----------
    apparent
        The share of items that the judge calls positive.
    value
        The corrected share, in [0, 1]; NaN if the judge is no better than chance, and without items.
    low, high
        Its confidence interval.
    confidence_level
        The level of the interval.
    """

    apparent: Floats
    value: Floats
    low: Floats
    high: Floats
    confidence_level: float


def rogan_gladen(
    positives: npt.ArrayLike,
    n: npt.ArrayLike,
    *,
    true_positives: npt.ArrayLike,
    false_negatives: npt.ArrayLike,
    true_negatives: npt.ArrayLike,
    false_positives: npt.ArrayLike,
    confidence_level: float = 0.95,
) -> Prevalence:
    """The share of truly positive items among those that only an imperfect judge judged.

    Parameters
    ----------
    positives, n
        How many of these items the judge calls positive, and how many there are.
    true_positives, false_negatives
        Of other items that are truly positive: how many the judge calls positive, and how many it does not.
    true_negatives, false_positives
        Of other items that are truly negative: how many the judge calls negative, and how many it does not.
    confidence_level
        Level of the interval, in (0, 1).

    Returns
    -------
    Prevalence
        The corrected share with its interval. Counts may be arrays of one shape.

    Raises
    ------
    ParameterError
        A count is not finite or is below 0, there are more positives than items, or the level is out of range.

    Notes
    -----
    value = (apparent + specificity - 1) / (sensitivity + specificity - 1), clipped to [0, 1]. It holds if the judge
    errs as often on these items as on those with known truth. The interval is that of Lang and Reiczigel: counts get
    z^2 and two more observations, half of them positive, before the delta method, and the centre is moved by a term in
    z^2. A judge whose sensitivity and specificity sum to 1 or less has no corrected share.

    References
    ----------
    Rogan and Gladen (1978), "Estimating prevalence from the results of a screening test"; Lang and Reiczigel (2014),
    "Confidence limits for prevalence of disease adjusted for estimated sensitivity and specificity".

    Examples
    --------
    >>> share = rogan_gladen(40, 100, true_positives=90, false_negatives=10, true_negatives=80, false_positives=20)
    >>> round(float(share.value), 4), round(float(share.low), 4), round(float(share.high), 4)
    (0.2857, 0.1198, 0.4433)
    """
    check_share("confidence_level", confidence_level)
    counts = [
        np.asarray(count, np.float64)
        for count in (positives, n, true_positives, false_negatives, true_negatives, false_positives)
    ]
    if any(not np.isfinite(count).all() or (count < 0).any() for count in counts):
        raise ParameterError("a count is below 0 or not finite, expected numbers of items")
    n_positive, n_items, tp, fn, tn, fp = counts
    if (n_positive > n_items).any():
        raise ParameterError("there are more positives than items, expected at most n")
    z = float(special().ndtri((1 + confidence_level) / 2))
    with np.errstate(divide="ignore", invalid="ignore"):
        apparent = n_positive / n_items
        sensitivity, specificity = tp / (tp + fn), tn / (tn + fp)
        youden = sensitivity + specificity - 1
        value = np.clip((apparent + specificity - 1) / youden, 0, 1)
        # The same of counts with more observations, half of them positive.
        share, n_share = (n_positive + z**2 / 2) / (n_items + z**2), n_items + z**2
        adjusted_sensitivity, n_sensitivity = (tp + 1) / (tp + fn + 2), tp + fn + 2
        adjusted_specificity, n_specificity = (tn + 1) / (tn + fp + 2), tn + fp + 2
        adjusted_youden = adjusted_sensitivity + adjusted_specificity - 1
        centre = (share + adjusted_specificity - 1) / adjusted_youden
        of_share = share * (1 - share) / n_share
        of_sensitivity = adjusted_sensitivity * (1 - adjusted_sensitivity) / n_sensitivity
        of_specificity = adjusted_specificity * (1 - adjusted_specificity) / n_specificity
        error = np.sqrt(of_share + centre**2 * of_sensitivity + (1 - centre) ** 2 * of_specificity) / adjusted_youden
        middle = centre + 2 * z**2 * (centre * of_sensitivity - (1 - centre) * of_specificity)
        low, high = (np.clip(middle + side * error, 0, 1) for side in (-z, z))
    is_defined = (n_items > 0) & (youden > 0) & (adjusted_youden > 0)
    return Prevalence(
        apparent=apparent,
        value=np.where(is_defined, value, np.nan),
        low=np.where(is_defined, low, np.nan),
        high=np.where(is_defined, high, np.nan),
        confidence_level=confidence_level,
    )
