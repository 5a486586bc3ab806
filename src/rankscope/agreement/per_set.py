"""Measures of many lists together: the ranks that people give a few items, compared with predicted ranks.

Each function takes the gold ranks and the predicted ones: as tables (lists, items), NaN behind the last item of a list;
as sequences of lists of any lengths; or as two names of columns, with `rankings`. A list without a value is skipped in
a mean; if no list has one, the mean is NaN.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rankscope.agreement.rankeval import (
    PairedRanks,
    RankCounts,
    TauCounts,
    as_table,
    combine_by_fisher,
    combine_by_stouffer,
    count_pairs,
    count_ranks,
    erfc,
    gold_of_best,
    permutation_pvalue,
    segment_statistics,
    segments_of,
    table_of,
    tau_counts,
)
from rankscope.agreement.rankeval import dcg as dcg_of
from rankscope.agreement.rankeval import err as err_of
from rankscope.agreement.rankeval import farr as farr_of
from rankscope.agreement.rankeval import ndcg as ndcg_of
from rankscope.data.ranking import check_normalisation
from rankscope.data.rankings import Rankings
from rankscope.errors import InputError, ParameterError
from rankscope.kernels.means import nan_mean_of_list
from rankscope.stats.inputs import check_choice, check_count

__all__ = [
    "average_predicted",
    "best_predicted_vs_human",
    "dcg",
    "err",
    "macro_tau",
    "micro_tau",
    "mrr",
    "ndcg",
    "segment_taus",
    "tau_pvalue",
]


METHODS = ("fisher", "stouffer", "permutation")


def paired_ranks_of(gold: Any, predicted: Any, rankings: Rankings | None, invert: bool, missing: str) -> PairedRanks:
    """The given ranks, or columns of rankings, as a table."""
    if rankings is not None:
        if not isinstance(rankings, Rankings):
            raise ParameterError(f"rankings is of type {type(rankings).__name__}, expected Rankings; read a file first")
        if not isinstance(gold, str) or not isinstance(predicted, str):
            raise ParameterError("gold and predicted are names of columns where rankings is given, as 'rank', 'bleu'")
        return table_of(rankings, gold, predicted, missing=missing, invert=invert)[0]
    if isinstance(gold, str) or isinstance(predicted, str):
        raise ParameterError("gold and predicted are names of columns; say with rankings= of what")
    return as_table(gold, predicted, invert=invert)


def segment_taus(
    gold: Any,
    predicted: Any,
    *,
    rankings: Rankings | None = None,
    exclude_gold_ties: bool = True,
    penalise_predicted_ties: bool = True,
    invert: bool = False,
    missing: str = "error",
) -> TauCounts:
    """Kendall's tau of every list, and the pairs that it is made of.

    Parameters
    ----------
    gold, predicted
        Ranks by people and by the prediction: tables (lists, items) with NaN behind the last item of a list,
        sequences of lists of any lengths, or with `rankings` two names of columns. The lowest number is the
        best.
    rankings
        The rankings whose columns `gold` and `predicted` name. Default: None, for ranks themselves.
    exclude_gold_ties
        Skip pairs that people tie. If False, they agree if the prediction ties them and disagree otherwise.
        Default: True.
    penalise_predicted_ties
        Count pairs that only the prediction ties as disagreeing. If False, skip them, which is the original
        tau. Default: True.
    invert
        Read the predicted numbers as scores, of which the highest is the best. Default: False.
    missing
        With `rankings`, an item without a rank raises an error ("error") or is skipped ("drop"). Default:
        "error".

    Returns
    -------
    TauCounts
        The counts of pairs (lists); `.tau` is NaN where no pair counts.

    Raises
    ------
    InputError
        The numbers of lists or items differ, a NaN is in one table only, or a value is infinite, no number, or
        a gold rank below 0 (-1 means not ranked).
    UnknownName
        A column does not exist.

    Notes
    -----
    The options are those of `per_segment.kendall_tau`.

    Examples
    --------
    >>> found = segment_taus([[1, 2, 3], [1, 2]], [[1, 3, 2], [2, 2]])
    >>> found.tau.round(4).tolist(), found.concordant.tolist(), found.discordant.tolist()
    ([0.3333, -1.0], [2, 0], [1, 1])
    """
    return tau_counts(
        count_pairs(paired_ranks_of(gold, predicted, rankings, invert, missing)),
        exclude_gold_ties=exclude_gold_ties,
        penalise_predicted_ties=penalise_predicted_ties,
    )


def micro_tau(gold: Any, predicted: Any, **options: Any) -> float:
    """Kendall's tau of all lists' pairs counted together; in [-1, 1], higher is better.

    Parameters
    ----------
    gold, predicted
        Ranks by people and by the prediction: tables (lists, items) with NaN behind the last item of a list,
        sequences of lists of any lengths, or with `rankings` two names of columns. The lowest number is the
        best.
    **options
        The other arguments of `segment_taus`.

    Returns
    -------
    float
        The tau; NaN if no pair counts.

    Raises
    ------
    InputError
        The numbers of lists or items differ, a NaN is in one table only, or a value is infinite, no number, or
        a gold rank below 0 (-1 means not ranked).
    UnknownName
        A column does not exist.

    Notes
    -----
    Long lists weigh more than short ones.

    References
    ----------
    Avramidis (2013).

    Examples
    --------
    >>> micro_tau([[1, 2, 3], [1, 2]], [[1, 3, 2], [2, 2]])  # (2 - 2) / 4
    0.0
    """
    return segment_taus(gold, predicted, **options).micro


def macro_tau(gold: Any, predicted: Any, **options: Any) -> float:
    """The mean of the lists' taus; in [-1, 1], higher is better.

    Parameters
    ----------
    gold, predicted
        Ranks by people and by the prediction: tables (lists, items) with NaN behind the last item of a list,
        sequences of lists of any lengths, or with `rankings` two names of columns. The lowest number is the
        best.
    **options
        The other arguments of `segment_taus`.

    Returns
    -------
    float
        The mean over the lists that have a tau; NaN if none has.

    Raises
    ------
    InputError
        The numbers of lists or items differ, a NaN is in one table only, or a value is infinite, no number, or
        a gold rank below 0 (-1 means not ranked).
    UnknownName
        A column does not exist.

    Notes
    -----
    Long lists weigh as much as short ones.

    References
    ----------
    Avramidis (2013); RankEval's code skips lists with tau 0.

    Examples
    --------
    >>> round(macro_tau([[1, 2, 3], [1, 2]], [[1, 3, 2], [2, 2]]), 4)  # (1/3 - 1) / 2
    -0.3333
    """
    return segment_taus(gold, predicted, **options).macro


def tau_pvalue(
    gold: Any,
    predicted: Any,
    *,
    method: str = "permutation",
    rankings: Rankings | None = None,
    exclude_gold_ties: bool = True,
    penalise_predicted_ties: bool = True,
    invert: bool = False,
    missing: str = "error",
    segments: Any = None,
    n_resamples: int = 1_000,
    rng: Any = None,
) -> float:
    """The two-sided p-value of the taus of a prediction that might rank at random; in [0, 1].

    Parameters
    ----------
    gold, predicted
        Ranks by people and by the prediction: tables (lists, items) with NaN behind the last item of a list,
        sequences of lists of any lengths, or with `rankings` two names of columns. The lowest number is the
        best.
    method
        "permutation", "fisher" or "stouffer"; see Notes. Default: "permutation".
    rankings
        The rankings whose columns `gold` and `predicted` name. Default: None, for ranks themselves.
    exclude_gold_ties
        Skip pairs that people tie. If False, they agree if the prediction ties them and disagree otherwise.
        Default: True.
    penalise_predicted_ties
        Count pairs that only the prediction ties as disagreeing. If False, skip them, which is the original
        tau. Default: True.
    invert
        Read the predicted numbers as scores, of which the highest is the best. Default: False.
    missing
        With `rankings`, an item without a rank raises an error ("error") or is skipped ("drop"). Default:
        "error".
    segments
        A name or number of the segment of each list; its items have the same places as in the other lists of
        the segment (NaN in both where a list lacks one). Default: each list is a segment of its own; `rankings`
        know theirs.
    n_resamples
        Number of permutations. Default: 1000.
    rng
        Seed or `numpy.random.Generator`; None draws a new seed. The same seed gives the same results.

    Returns
    -------
    float
        The p-value; NaN if no pair counts.

    Raises
    ------
    InputError
        The numbers of lists or items differ, a NaN is in one table only, or a value is infinite, no number, or
        a gold rank below 0 (-1 means not ranked).
    UnknownName
        A column does not exist.
    ParameterError
        There is no such method, or segments are given beside rankings.

    Notes
    -----
    "permutation" assigns the predicted ranks to the systems of each segment at random and counts the micro taus
    that are at least as far from their average. Judgments of one segment share the predicted ranks, and so one
    permutation.

    "fisher" and "stouffer" combine the p-values of segments by the formula of `per_segment.tau_pvalue`: the former
    asks whether any segment differs from chance, in either direction, the latter whether all of them together lean
    one way. The tau of a segment is that of the pairs of all its judgments, which are treated as fully dependent,
    so that its p-value is not too small. Both assume an average of 0 by chance, which is too high if predicted ties
    are penalised.

    References
    ----------
    Fisher (1932), section 21.1; Stouffer et al. (1949); agrees with scipy.stats.combine_pvalues.

    Examples
    --------
    >>> round(tau_pvalue([[1, 2, 3, 4]] * 3, [[1, 2, 4, 3]] * 3, method="stouffer"), 4)  # z is 3 * 1.3587 / sqrt 3
    0.0186
    """
    check_choice("method", method, METHODS)
    check_count("n_resamples", n_resamples)
    table = paired_ranks_of(gold, predicted, rankings, invert, missing)
    groups = np.arange(len(table)) if segments is None else np.unique(np.asarray(segments), return_inverse=True)[1]
    if rankings is not None:
        if segments is not None:
            raise ParameterError("segments is given, but rankings already have segments; leave it out")
        groups = segments_of(rankings)
    if groups.shape != (len(table),):
        raise InputError(f"{groups.size} segments for {len(table)} lists, expected one each")
    if method == "permutation":
        return permutation_pvalue(
            table,
            groups,
            exclude_gold_ties=exclude_gold_ties,
            penalise_predicted_ties=penalise_predicted_ties,
            n_resamples=n_resamples,
            rng=rng,
        )
    taus = tau_counts(
        count_pairs(table), exclude_gold_ties=exclude_gold_ties, penalise_predicted_ties=penalise_predicted_ties
    )
    z = segment_statistics(taus, table.lengths, groups)
    return combine_by_fisher(erfc(np.abs(z) / np.sqrt(2.0))) if method == "fisher" else combine_by_stouffer(z)


def mrr(
    gold: Any,
    predicted: Any,
    *,
    rankings: Rankings | None = None,
    normalise: str = "ceiling",
    invert: bool = False,
    missing: str = "error",
) -> float:
    """Mean reciprocal rank: the mean of `per_segment.farr`; in (0, 1], higher is better.

    Parameters
    ----------
    gold, predicted
        Ranks by people and by the prediction: tables (lists, items) with NaN behind the last item of a list,
        sequences of lists of any lengths, or with `rankings` two names of columns. The lowest number is the
        best.
    rankings
        The rankings whose columns `gold` and `predicted` name. Default: None, for ranks themselves.
    normalise
        Ranks of tied items in the prediction: "ceiling" (their last place), "floor", "middle" or "minimize".
        Default: "ceiling".
    invert
        Read the predicted numbers as scores, of which the highest is the best. Default: False.
    missing
        With `rankings`, an item without a rank raises an error ("error") or is skipped ("drop"). Default:
        "error".

    Returns
    -------
    float
        The mean over lists.

    Raises
    ------
    InputError
        The numbers of lists or items differ, a NaN is in one table only, or a value is infinite, no number, or
        a gold rank below 0 (-1 means not ranked).
    UnknownName
        A column does not exist.
    ParameterError
        `normalise` is no normalisation.

    Examples
    --------
    >>> mrr([[1, 2, 3, 3], [2, 1]], [[3, 4, 1, 2], [1, 1]])  # (1/3 + 1/2) / 2
    0.41666666666666663
    """
    check_normalisation(normalise, "normalise")
    return nan_mean_of_list(farr_of(paired_ranks_of(gold, predicted, rankings, invert, missing), normalise))


def dcg(
    gold: Any,
    predicted: Any,
    *,
    rankings: Rankings | None = None,
    cutoff: int | None = None,
    invert: bool = False,
    missing: str = "error",
) -> float:
    """The mean of `per_segment.dcg`; at least 0, higher is better.

    Parameters
    ----------
    gold, predicted
        Ranks by people and by the prediction: tables (lists, items) with NaN behind the last item of a list,
        sequences of lists of any lengths, or with `rankings` two names of columns. The lowest number is the
        best.
    rankings
        The rankings whose columns `gold` and `predicted` name. Default: None, for ranks themselves.
    cutoff
        Use the first `cutoff` items only. Default: all items.
    invert
        Read the predicted numbers as scores, of which the highest is the best. Default: False.
    missing
        With `rankings`, an item without a rank raises an error ("error") or is skipped ("drop"). Default:
        "error".

    Returns
    -------
    float
        The mean over lists.

    Raises
    ------
    InputError
        The numbers of lists or items differ, a NaN is in one table only, or a value is infinite, no number, or
        a gold rank below 0 (-1 means not ranked).
    UnknownName
        A column does not exist.
    ParameterError
        The cutoff is below 1.

    Examples
    --------
    >>> dcg([[1, 2], [1, 2]], [[1, 2], [2, 1]], cutoff=1)  # (3 + 1) / 2
    2.0
    """
    return nan_mean_of_list(dcg_of(paired_ranks_of(gold, predicted, rankings, invert, missing), cutoff))


def ndcg(
    gold: Any,
    predicted: Any,
    *,
    rankings: Rankings | None = None,
    cutoff: int | None = None,
    invert: bool = False,
    missing: str = "error",
) -> float:
    """The mean of `per_segment.ndcg`; in [0, 1], higher is better.

    Parameters
    ----------
    gold, predicted
        Ranks by people and by the prediction: tables (lists, items) with NaN behind the last item of a list,
        sequences of lists of any lengths, or with `rankings` two names of columns. The lowest number is the
        best.
    rankings
        The rankings whose columns `gold` and `predicted` name. Default: None, for ranks themselves.
    cutoff
        Use the first `cutoff` items only. Default: all items.
    invert
        Read the predicted numbers as scores, of which the highest is the best. Default: False.
    missing
        With `rankings`, an item without a rank raises an error ("error") or is skipped ("drop"). Default:
        "error".

    Returns
    -------
    float
        The mean over lists.

    Raises
    ------
    InputError
        The numbers of lists or items differ, a NaN is in one table only, or a value is infinite, no number, or
        a gold rank below 0 (-1 means not ranked).
    UnknownName
        A column does not exist.
    ParameterError
        The cutoff is below 1.

    Examples
    --------
    >>> round(ndcg([[1, 2], [1, 2]], [[1, 2], [2, 1]], cutoff=1), 4)  # (1 + 1/3) / 2
    0.6667
    """
    return nan_mean_of_list(ndcg_of(paired_ranks_of(gold, predicted, rankings, invert, missing), cutoff))


def err(
    gold: Any,
    predicted: Any,
    *,
    rankings: Rankings | None = None,
    cutoff: int | None = None,
    invert: bool = False,
    missing: str = "error",
) -> float:
    """The mean of `per_segment.err`; in [0, 1], higher is better.

    Parameters
    ----------
    gold, predicted
        Ranks by people and by the prediction: tables (lists, items) with NaN behind the last item of a list,
        sequences of lists of any lengths, or with `rankings` two names of columns. The lowest number is the
        best.
    rankings
        The rankings whose columns `gold` and `predicted` name. Default: None, for ranks themselves.
    cutoff
        Use the first `cutoff` items only. Default: all items.
    invert
        Read the predicted numbers as scores, of which the highest is the best. Default: False.
    missing
        With `rankings`, an item without a rank raises an error ("error") or is skipped ("drop"). Default:
        "error".

    Returns
    -------
    float
        The mean over lists.

    Raises
    ------
    InputError
        The numbers of lists or items differ, a NaN is in one table only, or a value is infinite, no number, or
        a gold rank below 0 (-1 means not ranked).
    UnknownName
        A column does not exist.
    ParameterError
        The cutoff is below 1.

    Examples
    --------
    >>> err([[1, 2]], [[1, 2]])
    0.78125
    """
    return nan_mean_of_list(err_of(paired_ranks_of(gold, predicted, rankings, invert, missing), cutoff))


def best_predicted_vs_human(
    gold: Any,
    predicted: Any,
    *,
    rankings: Rankings | None = None,
    normalise: str = "ceiling",
    invert: bool = False,
    missing: str = "error",
) -> RankCounts:
    """How often people give each rank to the item that the prediction ranks best.

    Parameters
    ----------
    gold, predicted
        Ranks by people and by the prediction: tables (lists, items) with NaN behind the last item of a list,
        sequences of lists of any lengths, or with `rankings` two names of columns. The lowest number is the
        best.
    rankings
        The rankings whose columns `gold` and `predicted` name. Default: None, for ranks themselves.
    normalise
        Ranks of tied items by people: "ceiling" (their last place), "floor", "middle" or "minimize". Default:
        "ceiling".
    invert
        Read the predicted numbers as scores, of which the highest is the best. Default: False.
    missing
        With `rankings`, an item without a rank raises an error ("error") or is skipped ("drop"). Default:
        "error".

    Returns
    -------
    RankCounts
        Ranks, counts and percentages. If the prediction ranks several items best, the worst counts.

    Raises
    ------
    InputError
        The numbers of lists or items differ, a NaN is in one table only, or a value is infinite, no number, or
        a gold rank below 0 (-1 means not ranked).
    UnknownName
        A column does not exist.
    ParameterError
        `normalise` is no normalisation.

    References
    ----------
    Avramidis (2013).

    Examples
    --------
    >>> found = best_predicted_vs_human([[1, 2, 3], [1, 2], [1, 2]], [[1, 3, 2], [2, 1], [1, 2]])
    >>> found.ranks.tolist(), found.counts.tolist(), found.share.round(2).tolist()
    ([1.0, 2.0], [2, 1], [66.67, 33.33])
    """
    check_normalisation(normalise, "normalise")
    return count_ranks(gold_of_best(paired_ranks_of(gold, predicted, rankings, invert, missing), normalise))


def average_predicted(
    gold: Any,
    predicted: Any,
    *,
    rankings: Rankings | None = None,
    normalise: str = "ceiling",
    invert: bool = False,
    missing: str = "error",
) -> float:
    """The mean of people's ranks of the item that the prediction ranks best; from 1 on, lower is better.

    Parameters
    ----------
    gold, predicted
        Ranks by people and by the prediction: tables (lists, items) with NaN behind the last item of a list,
        sequences of lists of any lengths, or with `rankings` two names of columns. The lowest number is the
        best.
    rankings
        The rankings whose columns `gold` and `predicted` name. Default: None, for ranks themselves.
    normalise
        Ranks of tied items by people: "ceiling" (their last place), "floor", "middle" or "minimize". Default:
        "ceiling".
    invert
        Read the predicted numbers as scores, of which the highest is the best. Default: False.
    missing
        With `rankings`, an item without a rank raises an error ("error") or is skipped ("drop"). Default:
        "error".

    Returns
    -------
    float
        The mean over lists.

    Raises
    ------
    InputError
        The numbers of lists or items differ, a NaN is in one table only, or a value is infinite, no number, or
        a gold rank below 0 (-1 means not ranked).
    UnknownName
        A column does not exist.
    ParameterError
        `normalise` is no normalisation.

    References
    ----------
    Avramidis (2013).

    Examples
    --------
    >>> round(average_predicted([[1, 2, 3], [1, 2], [1, 2]], [[1, 3, 2], [2, 1], [1, 2]]), 4)  # (1 + 2 + 1) / 3
    1.3333
    """
    check_normalisation(normalise, "normalise")
    return nan_mean_of_list(gold_of_best(paired_ranks_of(gold, predicted, rankings, invert, missing), normalise))
