"""Measures of many lists together, each a person's ranking of a few items against a machine's.

Each function takes the gold ranks and the predicted ones: as tables (lists, items), NaN behind the last item of a list;
as sequences of lists of any lengths; or as two names of columns, with rankings=. Lower is better; invert: the predicted
numbers are scores, of which the highest is the best (columns of scores are known as such). missing: with
rankings=, an item without one of the two ranks is refused ("error") or left out ("drop").

All raise InputError for unequal numbers of lists or items, a NaN in one table only, infinite values, what is no
number, and a gold rank below 0 (-1: not ranked); UnknownName for a column that there is not. A list without a
value is left out of a mean; where none has one, the mean is NaN.
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
    """Kendall's tau of every list, and the pairs that it is made of; `.tau` is NaN where no pair counts.

    The options are those of `per_segment.kendall_tau`. Raises as this module says.

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
    """Kendall's tau of all lists' pairs counted together; in [-1, 1], higher is better. Options: of `segment_taus`.

    Long lists weigh more than short ones. Raises as this module says. Source: Avramidis (2013).

    >>> micro_tau([[1, 2, 3], [1, 2]], [[1, 3, 2], [2, 2]])  # (2 - 2) / 4
    0.0
    """
    return segment_taus(gold, predicted, **options).micro


def macro_tau(gold: Any, predicted: Any, **options: Any) -> float:
    """The mean of the lists' taus; in [-1, 1], higher is better. Options: of `segment_taus`.

    Raises as this module says. Source: Avramidis (2013); RankEval's code leaves out lists with tau 0.

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
    """How probably a machine that ranks by chance gives such taus; in [0, 1], two-sided.

    method: "permutation": the machine's ranks are dealt out anew to the systems of each segment, n_resamples times, and
    the micro taus counted that are as far from their average. Judgments of one segment share the machine's ranks, and
    so one permutation. "fisher" and "stouffer" combine p-values of segments by the paper's formula
    (`per_segment.tau_pvalue`): the one asks whether any segment differs from chance, whichever way, the other whether
    all of them together lean one way. A segment's tau is of the pairs of all its judgments, whose taus are taken to
    vary wholly together: its p-value is no less than it should be for that. Both take chance to give 0, which is too
    much where ties of the machine count against it. NaN where no pair counts.

    segments: a name or number for each list that says of which segment it is; its items stand in the same places as
    in the other lists of the segment (NaN in both where a list lacks one). By default each list is of its own; with
    rankings= they are known.

    Raises as this module says; ParameterError for another method, or segments beside rankings.

    Source: Fisher (1932), section 21.1; Stouffer et al. (1949); agrees with scipy.stats.combine_pvalues.

    >>> round(tau_pvalue([[1, 2, 3, 4]] * 3, [[1, 2, 4, 3]] * 3, method="stouffer"), 4)  # z is 3 * 1.3587 / sqrt 3
    0.0186
    """
    check_choice("method", method, METHODS)
    check_count("n_resamples", n_resamples)
    table = paired_ranks_of(gold, predicted, rankings, invert, missing)
    groups = np.arange(len(table)) if segments is None else np.unique(np.asarray(segments), return_inverse=True)[1]
    if rankings is not None:
        if segments is not None:
            raise ParameterError("segments is given beside rankings, which know theirs; leave it out")
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
    """Mean reciprocal rank: the mean of `per_segment.farr`; in (0, 1], higher is better. Raises as this module says.

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
    """The mean of `per_segment.dcg`; at least 0, higher is better. Raises as this module says.

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
    """The mean of `per_segment.ndcg`; in [0, 1], higher is better. Raises as this module says.

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
    """The mean of `per_segment.err`; in [0, 1], higher is better. Raises as this module says.

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
    """How often the item that the machine ranks best has which rank by the person: ranks, counts, percent.

    Of several that the machine ties, the worst counts. Raises as this module says. Source: Avramidis (2013).

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
    """The mean of the person's ranks of what the machine ranks best; from 1 on, lower is better.

    Raises as this module says. Source: Avramidis (2013).

    >>> round(average_predicted([[1, 2, 3], [1, 2], [1, 2]], [[1, 3, 2], [2, 1], [1, 2]]), 4)  # (1 + 2 + 1) / 3
    1.3333
    """
    check_normalisation(normalise, "normalise")
    return nan_mean_of_list(gold_of_best(paired_ranks_of(gold, predicted, rankings, invert, missing), normalise))
