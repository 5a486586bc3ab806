"""Measures of one list: a person's ranking of a few items against a machine's.

Each function takes the gold ranks and the predicted ones, in one order of the items, 1 the best (any numbers, of which
the lowest is the best), as lists, arrays or `rs.Ranking`. invert: the predicted numbers are scores, of which the
highest is the best. All raise InputError for no items, unequal numbers of them, NaN or infinite values, what is no
number, and a gold rank below 0: -1 says that nobody ranked the item.
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
    """Kendall's tau, (concordant - discordant) / (concordant + discordant) pairs; in [-1, 1], higher is better.

    exclude_gold_ties: pairs that the person ties are left out; otherwise they are concordant where the machine ties
    them too, and discordant elsewhere. penalise_predicted_ties: pairs that only the machine ties are discordant;
    otherwise they are left out (the original tau). No normalisation of ties changes it. NaN where no pair counts: one
    item, or all tied by the person.

    Raises InputError as this module says.

    Source: Kendall (1938); penalised as in Callison-Burch et al. (2008); options of RankEval.

    >>> kendall_tau([1, 2, 3, 3], [3, 4, 1, 2])  # 1 of 5 pairs agrees, the tied pair is left out
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
    """How probably chance is as far from 0 as a tau of n items: erfc(|z| / sqrt 2); in [0, 1].

    z = tau / sqrt((4n + 10) / (9n(n - 1))). NaN for fewer than two items, or a tau that is NaN. An approximation for
    short lists: of 4 items in full agreement, chance gives .042 by it and 2/24 = .083 in truth (both directions).

    Raises ParameterError for an n that is no whole number.

    Source: Avramidis (2013), with the number of ranked items; RankEval's code has that of pairs there.

    >>> round(tau_pvalue(1.0, 4), 4)
    0.0415
    """
    check_count("n", n, minimum=0)
    return float(tau_pvalues(tau, n))


def farr(gold: Any, predicted: Any, *, normalise: str = "ceiling", invert: bool = False) -> float:
    """First answer reciprocal rank: 1 / the machine's rank of the item that the person ranks best; in (0, 1].

    Higher is better. Of several best ones, that counts which the machine ranks highest. normalise: what the machine's
    ranks become before: "ceiling" (the last place of tied ones), "floor", "middle", "minimize".

    Raises InputError as this module says, ParameterError for another normalisation.

    Source: Radev et al. (2002), as in Avramidis (2013).

    >>> farr([1, 2, 3, 3], [3, 4, 1, 2])
    0.3333333333333333
    """
    check_normalisation(normalise, "normalise")
    return float(farr_of(as_list(gold, predicted, invert=invert), normalise)[0])


def dcg(gold: Any, predicted: Any, *, cutoff: int | None = None, invert: bool = False) -> float:
    """Discounted cumulated gain of the machine's order; at least 0, higher is better.

    sum over ranks i up to the cutoff of (2^rel_i - 1) / log2(i + 1), rel = n - gold rank + 1 with ceiling ranks of n
    items. Items that the machine ties have the mean over their orders.

    Raises InputError as this module says, ParameterError for a cutoff below 1 and for more than 900 items.

    Source: Järvelin and Kekäläinen (2002), with gains of Burges et al. (2005), as in Avramidis (2013).

    >>> dcg([1, 2], [1, 2]) - 1 / 1.584962500721156  # 2^2 - 1 at rank 1, 2^1 - 1 at rank 2: log2(3) = 1.585
    3.0
    """
    return float(dcg_of(as_list(gold, predicted, invert=invert), cutoff)[0])


def ndcg(gold: Any, predicted: Any, *, cutoff: int | None = None, invert: bool = False) -> float:
    """DCG over that of the person's own order; in [0, 1], higher is better. Parameters and errors as in `dcg`.

    Raises InputError and ParameterError as `dcg`.

    Source: as `dcg`.

    >>> ndcg([2, 1, 3], [2, 1, 3]), ndcg([1, 1], [1, 1])
    (1.0, 1.0)
    """
    return float(ndcg_of(as_list(gold, predicted, invert=invert), cutoff)[0])


def err(gold: Any, predicted: Any, *, cutoff: int | None = None, invert: bool = False) -> float:
    """Expected reciprocal rank of where a reader of the machine's order stops; in [0, 1], higher is better.

    sum over r of (1 / r) R_r prod over i < r of (1 - R_i), R = (2^rel - 1) / 2^n, rel as in `dcg` and n items. Items
    that the machine ties have the mean over their orders.

    Raises InputError as this module says, ParameterError for a cutoff below 1.

    Source: Chapelle et al. (2009), as in Avramidis (2013).

    >>> err([1, 2], [1, 2])  # 3/4 + 1/2 * 1/4 * 1/4
    0.78125
    """
    return float(err_of(as_list(gold, predicted, invert=invert), cutoff)[0])


def best_predicted_vs_human(gold: Any, predicted: Any, *, normalise: str = "ceiling", invert: bool = False) -> float:
    """The person's rank of the item that the machine ranks best; from 1 on, lower is better.

    Of several that the machine ties, the worst. normalise: what the person's ranks become before, as in `farr`.

    Raises InputError as this module says, ParameterError for another normalisation.

    Source: Avramidis (2013).

    >>> best_predicted_vs_human([1, 2, 3, 3], [3, 4, 1, 2])
    4.0
    """
    check_normalisation(normalise, "normalise")
    return float(gold_of_best(as_list(gold, predicted, invert=invert), normalise)[0])
