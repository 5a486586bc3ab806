"""Agreement of raters beyond chance: Cohen's kappa of two raters, Krippendorff's alpha and Gwet's AC of any number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.errors import InputError, ParameterError
from rankscope.stats.confusion import Label, count_labels
from rankscope.stats.distributions import special
from rankscope.stats.inputs import check_choice, check_share
from rankscope.stats.label_tables import gwet_value
from rankscope.typing import Bools, Floats

__all__ = [
    "LEVELS",
    "WEIGHTS",
    "Alpha",
    "Gwet",
    "Kappa",
    "cohens_kappa",
    "gwets_ac",
    "krippendorffs_alpha",
]


#: The power of the distance between two classes by which agreement falls.
WEIGHTS = {"linear": 1, "quadratic": 2}
FEW = 30
ROUGH = f"fewer than {FEW} items: the interval of kappa is that of large samples, and rough here"
ONE_CLASS = "both judges gave every item one and the same label: kappa divides 0 by 0 and has no value"
#: Levels of measurement: values differ or not; differ in order; differ by a distance.
LEVELS = ("nominal", "ordinal", "interval")


@dataclass(frozen=True, eq=False, kw_only=True)
class Kappa:
    """Agreement of two judges beyond chance.

    Attributes
    ----------
    value
        (agreement - chance) / (1 - chance), at most 1, 0 if they agree as often as by chance; NaN if chance alone is
        full agreement.
    agreement
        (Weighted) share of items on which they agree.
    chance
        The same for two judges who assign labels at random, each as often as these did.
    standard_error
        Standard error in large samples.
    low, high
        Interval at `confidence_level`, cut at -1 and 1; NaN, with a note, if the standard error is 0 for lack of
        variation (full agreement, or one judge with a single label).
    confidence_level
        Level of the interval.
    weights
        Weights of disagreements: None, "linear" or "quadratic".
    n
        Number of items.
    notes
        What a reader should know.
    """

    value: float
    agreement: float
    chance: float
    standard_error: float
    low: float
    high: float
    confidence_level: float
    weights: str | None
    n: int
    notes: tuple[str, ...]


def cohens_kappa(
    a: Any,
    b: Any = None,
    *,
    weights: str | None = None,
    labels: Sequence[Label] | None = None,
    positions: npt.ArrayLike | None = None,
    confidence_level: float = 0.95,
) -> Kappa:
    """Cohen's kappa: agreement of two judges beyond chance; at most 1, higher is better.

    Parameters
    ----------
    a
        One label per item from the first judge; or, alone, a square table of counts.
    b
        One label per item from the second judge.
    weights
        None, w_ij = 1 if i = j, else 0; "linear", 1 - |x_i - x_j| / range; "quadratic", 1 - (x_i - x_j)^2 / range^2.
    labels
        The classes in their order, which weights go by. Default: those that occur, in rising order.
    positions
        Positions x of the classes on their scale. Default: 0, 1, 2, ...
    confidence_level
        Level of the interval, in (0, 1).

    Returns
    -------
    Kappa
        NaN, with a note, if there is only one class.

    Raises
    ------
    InputError
        As for `confusion_matrix`.
    ParameterError
        Weights are unknown, positions do not rise, or the level is outside (0, 1).

    Notes
    -----
    kappa = (p_o - p_e) / (1 - p_e), p_o = sum w_ij p_ij, p_e = sum w_ij p_i. p_.j.

    References
    ----------
    Cohen (1960; 1968); standard error: Fleiss, Cohen and Everitt (1969). Agrees with scikit-learn's cohen_kappa_score
    and statsmodels' cohens_kappa.

    Examples
    --------
    >>> result = cohens_kappa(["yes", "yes", "no", "no", "no"], ["yes", "no", "no", "no", "no"])
    >>> round(result.agreement, 2), round(result.chance, 2), round(result.value, 4)  # (.8 - .56) / (1 - .56)
    (0.8, 0.56, 0.5455)
    """
    if weights is not None:
        check_choice("weights", weights, tuple(WEIGHTS))
    check_share("confidence_level", confidence_level)
    _, counts = count_labels(a, b, labels)
    n = int(counts.sum())
    p = counts / n
    row_shares, column_shares = p.sum(axis=1), p.sum(axis=0)
    w = agreement_weights(len(counts), weights, positions)
    agreement, chance = float((w * p).sum()), float(row_shares @ w @ column_shares)
    # Decided by integers: 1 - chance may be a rounding error.
    one_class = int(np.diagonal(counts).max()) == n
    value = float("nan") if one_class else (agreement - chance) / (1 - chance)
    error = float("nan") if one_class else standard_error(p, w, agreement, chance) / float(np.sqrt(n))
    variation_notes = no_variation(counts, n) if error == 0 else ()
    half_width = float("nan") if variation_notes else float(special().ndtri((1 + confidence_level) / 2)) * error
    return Kappa(
        value=value,
        agreement=agreement,
        chance=chance,
        standard_error=error,
        low=float(np.maximum(value - half_width, -1.0)),
        high=float(np.minimum(value + half_width, 1.0)),
        confidence_level=confidence_level,
        weights=weights,
        n=n,
        notes=(ONE_CLASS,) if one_class else variation_notes or ((ROUGH,) if n < FEW else ()),
    )


def no_variation(counts: npt.NDArray[np.int64], n: int) -> tuple[str, ...]:
    """A note where the formula of the standard error gives 0, which says nothing about the precision of kappa."""
    if int(np.trace(counts)) == n:
        return ("the judges agree on every item: the large-sample interval of kappa has no width and is not shown",)
    if n in (int(counts.sum(axis=0).max()), int(counts.sum(axis=1).max())):
        return ("one judge gave every item the same label: kappa is 0 whatever the other did, and has no interval",)
    return ("these items do not vary in what kappa counts: its large-sample interval has no width and is not shown",)


def standard_error(p: Floats, w: Floats, agreement: float, chance: float) -> float:
    """The standard error of weighted kappa, times sqrt(n); kappa has weights 1 and 0."""
    mean = (w @ p.sum(axis=0))[:, None] + (p.sum(axis=1) @ w)[None, :]
    mean_square = float((p * (w * (1 - chance) - mean * (1 - agreement)) ** 2).sum())
    variance = mean_square - (agreement * chance - 2 * chance + agreement) ** 2
    # Less is rounding of a difference of numbers up to 1.
    return 0.0 if variance < 1e-14 else float(np.sqrt(variance)) / (1 - chance) ** 2


def agreement_weights(k: int, weights: str | None, positions: npt.ArrayLike | None) -> Floats:
    """(classes, classes) the weights of agreement: 1 for equal classes, falling with their distance."""
    x = np.arange(k, dtype=np.float64) if positions is None else np.asarray(positions, np.float64)
    if x.shape != (k,) or not np.isfinite(x).all() or (np.diff(x) <= 0).any():
        raise ParameterError(f"positions have shape {x.shape}, expected {k} rising numbers, one a class")
    if weights is None or k == 1:
        return np.eye(k)
    distance = np.abs(x[:, None] - x) / (x[-1] - x[0])
    return np.asarray(1 - distance ** WEIGHTS[weights])


@dataclass(frozen=True, eq=False, kw_only=True)
class Alpha:
    """Krippendorff's alpha.

    Attributes
    ----------
    value
        1 - observed / expected disagreement, at most 1, 0 if the judges disagree as by chance; NaN if all values are
        equal.
    level
        Level of measurement: "nominal", "ordinal" or "interval".
    observed, expected
        Disagreements, in the unit of the level.
    units
        Number of units with two values or more; only these count.
    n
        Number of their values.
    notes
        What a reader should know.
    """

    value: float
    level: str
    observed: float
    expected: float
    units: int
    n: int
    notes: tuple[str, ...]


def krippendorffs_alpha(ratings: npt.ArrayLike, *, level: str = "ordinal") -> Alpha:
    """Krippendorff's alpha: agreement of any number of judges beyond chance; at most 1, higher is better.

    Parameters
    ----------
    ratings
        Ratings, (judges, units), numbers, NaN if a judge has no value; units with fewer than two values do not count.
    level
        What a difference is: "nominal", 1 if values differ; "ordinal", how many values lie between (ends count half);
        "interval", the distance.

    Returns
    -------
    Alpha
        NaN, with a note, if all values are equal.

    Raises
    ------
    InputError
        No unit has two values, a value is infinite, or the shape is wrong.
    ParameterError
        The level is unknown.

    Notes
    -----
    alpha = 1 - D_o / D_e: the mean squared difference of two values of one unit over that of any two values. With the
    middle ranks of the order as values, the ordinal difference is their distance.

    References
    ----------
    Krippendorff (2004; 2011, "Computing Krippendorff's alpha-reliability"); agrees with the package krippendorff.

    Examples
    --------
    >>> result = krippendorffs_alpha([[1, 2, 3, 3], [1, 2, 3, 2]], level="nominal")
    >>> round(result.value, 4)  # 1 - (8 - 1) (2 differing) / (2 (2 x 3 + 2 x 3 + 3 x 3))
    0.6667
    """
    check_choice("level", level, LEVELS)
    x, unit = pairable(ratings)
    _, unit = np.unique(unit, return_inverse=True)
    sizes = np.bincount(unit).astype(np.float64)
    values, codes, value_counts = np.unique(x, return_inverse=True, return_counts=True)
    n = x.size
    if level == "nominal":
        # A unit's ordered pairs of two values are all its pairs less those of equal values.
        _, first_rows, n_same = np.unique(unit * values.size + codes, return_index=True, return_counts=True)
        n_same_pairs = np.bincount(unit[first_rows], n_same * (n_same - 1.0), sizes.size)
        observed = float(((sizes * (sizes - 1) - n_same_pairs) / (sizes - 1)).sum() / n)
        expected = float((n * (n - 1.0) - (value_counts * (value_counts - 1.0)).sum()) / (n * (n - 1.0)))
    else:
        # The sum over ordered pairs of (x_i - x_j)^2 is 2 m sum x^2 - 2 (sum x)^2.
        scale = np.cumsum(value_counts) - value_counts / 2 if level == "ordinal" else values
        y = (scale - (scale @ value_counts) / n)[codes]
        within = np.bincount(unit, y * y) * sizes - np.bincount(unit, y) ** 2
        observed = float((2 * within / (sizes - 1)).sum() / n)
        expected = float(2 * (y @ y) / (n - 1))
    one_value = values.size == 1
    return Alpha(
        value=float("nan") if one_value else 1 - observed / expected,
        level=level,
        observed=observed,
        expected=expected,
        units=int(sizes.size),
        n=n,
        notes=("all values are one: alpha divides 0 by 0 and has no value",) if one_value else (),
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class Gwet:
    """Gwet's AC1 or AC2.

    Attributes
    ----------
    value
        (agreement - chance) / (1 - chance), at most 1, 0 if raters agree as often as by chance.
    agreement
        (Weighted) mean over units of the share of pairs of raters that agree.
    chance
        The same by chance.
    weights
        Weights of disagreements: None for AC1, "linear" or "quadratic" for AC2.
    n
        Number of units with two values or more.
    """

    value: float
    agreement: float
    chance: float
    weights: str | None
    n: int


def gwets_ac(ratings: npt.ArrayLike, *, weights: str | None = None, classes: Sequence[float] | None = None) -> Gwet:
    """Gwet's AC1, and with weights AC2: agreement of any number of raters beyond chance; at most 1, higher is better.

    Parameters
    ----------
    ratings
        Ratings, (raters, units), numbers, NaN if a rater has no value.
    weights
        None for AC1; "linear", w_kl = 1 - |x_k - x_l| / range, or "quadratic", 1 - (x_k - x_l)^2 / range^2, for AC2.
    classes
        All values that raters could give, in rising order; their number changes chance. Default: those that occur.

    Returns
    -------
    Gwet
        Units with one value count for the shares of the classes only.

    Raises
    ------
    InputError
        No unit has two values, all values are equal, one is none of the classes or infinite, or the shape is wrong.
    ParameterError
        The weights are unknown, or classes do not rise.

    Notes
    -----
    AC = (p_a - p_e) / (1 - p_e); p_a: mean over units with r >= 2 ratings of sum_k r_k (r*_k - 1) / (r (r - 1)), r*_k =
    sum_l w_kl r_l; p_e = sum_kl w_kl / (q (q - 1)) sum_k pi_k (1 - pi_k), pi_k the mean share of class k of q.

    References
    ----------
    Gwet (2008), "Computing inter-rater reliability and its variance in the presence of high agreement"; Gwet (2014),
    "Handbook of Inter-Rater Reliability".

    Examples
    --------
    >>> result = gwets_ac([[1, 1, 2, 2, 2], [1, 2, 2, 2, 2]])  # p_e = 2 (.3 x .7)
    >>> round(result.agreement, 2), round(result.chance, 2), round(result.value, 4)
    (0.8, 0.42, 0.6552)
    """
    if weights is not None:
        check_choice("weights", weights, tuple(WEIGHTS))
    pairable(ratings)  # refuses what is no table of ratings
    table = np.asarray(ratings, np.float64)
    unit, _ = np.nonzero(~np.isnan(table.T))
    values = table.T[~np.isnan(table.T)]
    labels = np.unique(values) if classes is None else np.asarray(classes, np.float64)
    w = agreement_weights(labels.size, weights, labels)
    if labels.size < 2:
        raise InputError("all values are one, expected at least 2; with one class, agreement is no more than chance")
    codes = np.minimum(np.searchsorted(labels, values), labels.size - 1)
    if (unknown := labels[codes] != values).any():
        raise InputError(f"the value {values[unknown][0]:g} is none of the classes; add it to classes or correct it")
    counts = np.bincount(unit * labels.size + codes, minlength=table.shape[1] * labels.size)
    r = counts.reshape(table.shape[1], labels.size).astype(np.float64)
    n_ratings = r.sum(axis=1)
    several = r[n_ratings > 1]
    agreeing = (several * (several @ w - 1)).sum(axis=1)
    observed = float((agreeing / (several.sum(axis=1) * (several.sum(axis=1) - 1))).mean())
    shares = (r[n_ratings > 0] / n_ratings[n_ratings > 0, None]).mean(axis=0)
    value = float(gwet_value(np.array([[observed]]), shares[None, :, None], None if weights is None else w)[0, 0])
    chance = float(w.sum() / (labels.size * (labels.size - 1)) * (shares * (1 - shares)).sum())
    return Gwet(value=value, agreement=observed, chance=chance, weights=weights, n=len(several))


def pairable(ratings: npt.ArrayLike) -> tuple[Floats, npt.NDArray[np.int64]]:
    """The values of units that have at least two values, and the unit of each."""
    try:
        table = np.asarray(ratings, np.float64)
    except (TypeError, ValueError):
        raise InputError(
            "the ratings are not a table of numbers; expected (judges, units), NaN where there is none"
        ) from None
    if table.ndim != 2:
        raise InputError(f"the ratings have shape {table.shape}, expected (judges, units)")
    present: Bools = ~np.isnan(table)
    if np.isinf(table).any():
        raise InputError("some ratings are infinite; expected finite numbers, NaN where a judge has no value")
    is_pairable = present & (present.sum(axis=0) >= 2)
    if not is_pairable.any():
        raise InputError(
            f"none of the {table.shape[1]} units has values of two judges; expected at least one unit that two judged"
        )
    return table.T[is_pairable.T], np.nonzero(is_pairable.T)[0]
