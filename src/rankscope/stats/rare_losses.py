"""Rare and large losses, which a test of a mean does not see: what no query shows may still happen on other ones.

If none of n queries shows a loss, no more follows than that at most about 3/n of all queries lose (the rule of three).
A t-test takes it for proof that none does; and where losses are few it takes too little from them, since t is skewed as
they are.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rankscope.kernels.rounding_ties import NOISE
from rankscope.stats.distributions import t_pvalue
from rankscope.stats.intervals import largest_share
from rankscope.typing import Bools, Floats

__all__ = [
    "FEW",
    "is_skewed_down",
    "least_mean",
    "losing",
    "skewed_t_pvalue",
]


#: A difference of at least this share of the largest possible one counts: so small ones say nothing of large ones.
SIZE = 1 / 20
#: Fewer than so many queries do not show how large differences are distributed.
FEW = 5


def losing(differences: Floats, largest_loss: float) -> tuple[Bools, Bools]:
    """Which differences are losses that count, and which are losses or gains that do.

    Parameters
    ----------
    differences
        Of any shape, below 0 for a loss.
    largest_loss
        The largest loss that there can be, as the range of a measure; a difference counts from a twentieth of it on.
    """
    least = SIZE * largest_loss * (1 - NOISE)
    return differences <= -least, np.abs(differences) >= least


def least_mean(
    n: npt.ArrayLike,
    n_losses: npt.ArrayLike,
    n_gains: npt.ArrayLike,
    mean_of_others: npt.ArrayLike,
    *,
    largest_loss: float,
    alpha: float,
) -> tuple[Floats, Floats]:
    """What rare large losses leave of a mean difference: the largest share of queries that may lose, and the mean then.

    Parameters
    ----------
    n
        Number of queries, of any shape.
    n_losses
        How many of them lose (`losing`).
    n_gains
        How many gain at all; fewer than 5 show no gain.
    mean_of_others
        Mean difference of those that do not lose.
    largest_loss
        The largest loss that there can be.
    alpha
        The chance to see so few losses if the share is as large as this.

    Returns
    -------
    share, mean
        The share of queries that may lose, and the mean difference if they lose all that there is to lose.

    Notes
    -----
    share is the upper end of Clopper and Pearson's interval; mean is (1 - share) times the mean of the others, less
    share times the largest loss. A system that is worse by the margin in truth either loses on so many queries that
    seeing no loss has a chance of at most alpha, or gains on the others too little for this mean to be above -margin.
    """
    share = largest_share(n_losses, n, alpha)
    gain = np.asarray(mean_of_others, np.float64)
    gain = np.where(np.asarray(n_gains) >= FEW, gain, np.minimum(gain, 0.0))
    return share, np.asarray((1 - share) * gain - share * largest_loss)


def is_skewed_down(skewness: npt.ArrayLike, n: npt.ArrayLike) -> Bools:
    """Whether a skewness is below 0 by more than its error of two standard errors, 2 sqrt(6 / n), explains."""
    return np.asarray(skewness) < -2 * np.sqrt(6 / np.asarray(n, np.float64))


def skewed_t_pvalue(statistic: Floats, skewness: npt.ArrayLike, n: npt.ArrayLike, df: npt.ArrayLike) -> Floats:
    """The p-value of a one-sided t-test of a mean above a number, corrected for the skewness of the values.

    Parameters
    ----------
    statistic
        The t statistic, of any shape.
    skewness
        Skewness of the values.
    n
        Number of values.
    df
        Degrees of freedom.

    Returns
    -------
    array
        Larger than that of t where values are skewed to the left, as by rare large losses.

    Notes
    -----
    With w = t / sqrt(n) and g the skewness, t is replaced by sqrt(n) (w + g w^2 / 3 + g^2 w^3 / 27 + g / (6 n)).

    References
    ----------
    Hall (1992), "On the removal of skewness by transformation", section 2; the first two terms are those of Johnson
    (1978), "Modified t tests and confidence intervals for asymmetrical populations".
    """
    root, g = np.sqrt(np.asarray(n, np.float64)), np.asarray(skewness, np.float64)
    w = np.asarray(statistic) / root
    with np.errstate(over="ignore", invalid="ignore"):
        corrected = root * (w + g * w**2 / 3 + g**2 * w**3 / 27 + g / (6 * root**2))
    corrected = np.where(np.isfinite(corrected), corrected, statistic)
    return t_pvalue(corrected, df, "greater")
