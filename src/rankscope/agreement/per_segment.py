"""Measures of one list: the ranks that people give a few items, compared with predicted ranks.

Each function takes the gold ranks and the predicted ones, in one order of the items, 1 the best (any numbers, of which
the lowest is the best), as lists, arrays or `rs.Ranking`.
"""

from __future__ import annotations

from typing import Any

from rankscope.agreement.rankeval import as_list, count_pairs, gold_of_best, tau_counts, tau_pvalues
from rankscope.agreement.rankeval import dcg as dcg_of
from rankscope.agreement.rankeval import err as err_of
from rankscope.agreement.rankeval import farr as farr_of
from rankscope.agreement.rankeval import ndcg as ndcg_of
from rankscope.data.ranking import check_normalisation
from rankscope.stats.inputs import check_count

__all__ = [
    "best_predicted_vs_human",
    "dcg",
    "err",
    "farr",
    "kendall_tau",
    "ndcg",
    "tau_pvalue",
]


def kendall_tau(
    gold: Any,
    predicted: Any,
    *,
    exclude_gold_ties: bool = True,
    penalise_predicted_ties: bool = True,
    invert: bool = False,
) -> float:
    """Kendall's tau, (agreeing - disagreeing) / (agreeing + disagreeing) pairs; in [-1, 1], higher is better.

    Parameters
    ----------
    gold, predicted
        Ranks by people and by the prediction, in the same order of the items; the lowest number is the best.
        Lists, arrays or `rs.Ranking`.
    exclude_gold_ties
        Skip pairs that people tie. If False, they agree if the prediction ties them and disagree otherwise.
        Default: True.
    penalise_predicted_ties
        Count pairs that only the prediction ties as disagreeing. If False, skip them, which is the original
        tau. Default: True.
    invert
        Read the predicted numbers as scores, of which the highest is the best. Default: False.

    Returns
    -------
    float
        The tau; NaN if no pair counts: one item, or all tied by people.

    Raises
    ------
    InputError
        The lists have no items or different lengths, or hold NaN, infinite values, what is no number, or a gold
        rank below 0 (-1 means not ranked).

    Notes
    -----
    No normalisation of ties changes it.

    References
    ----------
    Kendall (1938); penalised as in Callison-Burch et al. (2008); options of RankEval.

    Examples
    --------
    >>> kendall_tau([1, 2, 3, 3], [3, 4, 1, 2])  # 1 of 5 pairs agrees, the tied pair is skipped
    -0.6
    >>> kendall_tau([1, 2, 3], [1, 1, 2]), kendall_tau([1, 2, 3], [1, 1, 2], penalise_predicted_ties=False)
    (0.3333333333333333, 1.0)
    """
    counts = tau_counts(
        count_pairs(as_list(gold, predicted, invert=invert)),
        exclude_gold_ties=exclude_gold_ties,
        penalise_predicted_ties=penalise_predicted_ties,
    )
    return float(counts.tau[0])


def tau_pvalue(tau: float, n: int) -> float:
    """The two-sided p-value of a tau of n items, by a normal approximation; in [0, 1].

    Parameters
    ----------
    tau
        Kendall's tau.
    n
        How many items were ranked.

    Returns
    -------
    float
        erfc(|z| / sqrt 2), where z = tau / sqrt((4n + 10) / (9n(n - 1))). NaN for fewer than two items, or a
        tau that is NaN.

    Raises
    ------
    ParameterError
        `n` is no whole number.

    Notes
    -----
    The approximation is coarse for short lists: for 4 items in full agreement it gives .042, and the exact value is
    2/24 = .083 (both directions).

    References
    ----------
    Avramidis (2013), with the number of ranked items; RankEval's code has that of pairs there.

    Examples
    --------
    >>> round(tau_pvalue(1.0, 4), 4)
    0.0415
    """
    check_count("n", n, minimum=0)
    return float(tau_pvalues(tau, n))


def farr(gold: Any, predicted: Any, *, normalise: str = "ceiling", invert: bool = False) -> float:
    """First answer reciprocal rank, 1 / the predicted rank of the best item by people; in (0, 1], higher is better.

    Parameters
    ----------
    gold, predicted
        Ranks by people and by the prediction, in the same order of the items; the lowest number is the best.
        Lists, arrays or `rs.Ranking`.
    normalise
        Ranks of tied items in the prediction: "ceiling" (their last place), "floor", "middle" or "minimize".
        Default: "ceiling".
    invert
        Read the predicted numbers as scores, of which the highest is the best. Default: False.

    Returns
    -------
    float
        The reciprocal rank. Of several best items, the one with the best predicted rank counts.

    Raises
    ------
    InputError
        The lists have no items or different lengths, or hold NaN, infinite values, what is no number, or a gold
        rank below 0 (-1 means not ranked).
    ParameterError
        `normalise` is no normalisation.

    References
    ----------
    Radev et al. (2002), as in Avramidis (2013).

    Examples
    --------
    >>> farr([1, 2, 3, 3], [3, 4, 1, 2])
    0.3333333333333333
    """
    check_normalisation(normalise, "normalise")
    return float(farr_of(as_list(gold, predicted, invert=invert), normalise)[0])


def dcg(gold: Any, predicted: Any, *, cutoff: int | None = None, invert: bool = False) -> float:
    """Discounted cumulative gain of the predicted order; at least 0, higher is better.

    Parameters
    ----------
    gold, predicted
        Ranks by people and by the prediction, in the same order of the items; the lowest number is the best.
        Lists, arrays or `rs.Ranking`.
    cutoff
        Use the first `cutoff` items only. Default: all items.
    invert
        Read the predicted numbers as scores, of which the highest is the best. Default: False.

    Returns
    -------
    float
        The sum over ranks i up to the cutoff of (2^rel_i - 1) / log2(i + 1), where rel = n - gold rank + 1 with
        ceiling ranks of n items. Items that the prediction ties have the mean over their orders.

    Raises
    ------
    InputError
        The lists have no items or different lengths, or hold NaN, infinite values, what is no number, or a gold
        rank below 0 (-1 means not ranked).
    ParameterError
        The cutoff is below 1, or there are more than 900 items.

    References
    ----------
    Järvelin and Kekäläinen (2002), with gains of Burges et al. (2005), as in Avramidis (2013).

    Examples
    --------
    >>> dcg([1, 2], [1, 2]) - 1 / 1.584962500721156  # 2^2 - 1 at rank 1, 2^1 - 1 at rank 2: log2(3) = 1.585
    3.0
    """
    return float(dcg_of(as_list(gold, predicted, invert=invert), cutoff)[0])


def ndcg(gold: Any, predicted: Any, *, cutoff: int | None = None, invert: bool = False) -> float:
    """DCG divided by that of people's own order; in [0, 1], higher is better.

    Parameters
    ----------
    gold, predicted
        Ranks by people and by the prediction, in the same order of the items; the lowest number is the best.
        Lists, arrays or `rs.Ranking`.
    cutoff
        Use the first `cutoff` items only. Default: all items.
    invert
        Read the predicted numbers as scores, of which the highest is the best. Default: False.

    Returns
    -------
    float
        The normalised gain, otherwise as `dcg`.

    Raises
    ------
    InputError
        The lists have no items or different lengths, or hold NaN, infinite values, what is no number, or a gold
        rank below 0 (-1 means not ranked).
    ParameterError
        The cutoff is below 1, or there are more than 900 items.

    References
    ----------
    Järvelin and Kekäläinen (2002), with gains of Burges et al. (2005), as in Avramidis (2013).

    Examples
    --------
    >>> ndcg([2, 1, 3], [2, 1, 3]), ndcg([1, 1], [1, 1])
    (1.0, 1.0)
    """
    return float(ndcg_of(as_list(gold, predicted, invert=invert), cutoff)[0])


def err(gold: Any, predicted: Any, *, cutoff: int | None = None, invert: bool = False) -> float:
    """Expected reciprocal rank at which a reader of the predicted order stops; in [0, 1], higher is better.

    Parameters
    ----------
    gold, predicted
        Ranks by people and by the prediction, in the same order of the items; the lowest number is the best.
        Lists, arrays or `rs.Ranking`.
    cutoff
        Use the first `cutoff` items only. Default: all items.
    invert
        Read the predicted numbers as scores, of which the highest is the best. Default: False.

    Returns
    -------
    float
        The sum over r of (1 / r) R_r prod over i < r of (1 - R_i), where R = (2^rel - 1) / 2^n, rel is as in
        `dcg`, and there are n items. Items that the prediction ties have the mean over their orders.

    Raises
    ------
    InputError
        The lists have no items or different lengths, or hold NaN, infinite values, what is no number, or a gold
        rank below 0 (-1 means not ranked).
    ParameterError
        The cutoff is below 1.

    References
    ----------
    Chapelle et al. (2009), as in Avramidis (2013).

    Examples
    --------
    >>> err([1, 2], [1, 2])  # 3/4 + 1/2 * 1/4 * 1/4
    0.78125
    """
    return float(err_of(as_list(gold, predicted, invert=invert), cutoff)[0])


def best_predicted_vs_human(gold: Any, predicted: Any, *, normalise: str = "ceiling", invert: bool = False) -> float:
    """People's rank of the item that the prediction ranks best; from 1 on, lower is better.

    Parameters
    ----------
    gold, predicted
        Ranks by people and by the prediction, in the same order of the items; the lowest number is the best.
        Lists, arrays or `rs.Ranking`.
    normalise
        Ranks of tied items by people: "ceiling" (their last place), "floor", "middle" or "minimize". Default:
        "ceiling".
    invert
        Read the predicted numbers as scores, of which the highest is the best. Default: False.

    Returns
    -------
    float
        The rank. If the prediction ranks several items best, the worst counts.

    Raises
    ------
    InputError
        The lists have no items or different lengths, or hold NaN, infinite values, what is no number, or a gold
        rank below 0 (-1 means not ranked).
    ParameterError
        `normalise` is no normalisation.

    References
    ----------
    Avramidis (2013).

    Examples
    --------
    >>> best_predicted_vs_human([1, 2, 3, 3], [3, 4, 1, 2])
    4.0
    """
    check_normalisation(normalise, "normalise")
    return float(gold_of_best(as_list(gold, predicted, invert=invert), normalise)[0])
