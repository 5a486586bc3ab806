"""RankEval's output and functions (2014, commit 6b5fea5).

The names of keys and arguments are the tool's. docs/rankeval.md and docs/differences.md say what the numbers mean and
where rankscope's own differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rankscope.agreement.rankeval import (
    PairedRanks,
    all_metrics,
    as_printed,
    farr,
    set_taus,
    tau_and_counts,
    tau_prob,
    tool_table,
)
from rankscope.agreement.rankeval import ndgc_err as ndgc_err_of
from rankscope.data.ranking import check_normalisation, normalise_ranks
from rankscope.errors import InputError
from rankscope.io.core import source_name
from rankscope.io.translation import read_jcml
from rankscope.stats.inputs import check_count
from rankscope.typing import PathLike

__all__ = [
    "allmetrics",
    "kendall_tau",
    "kendall_tau_prob",
    "kendall_tau_set",
    "ndgc_err",
    "normalize",
    "rankeval_output",
    "reciprocal_rank",
]


Numbers = Sequence[float]


def normalize(ranks: Numbers, ties: str = "minimize") -> list[float]:
    """Ranking.normalize: ranks from 1 on.

    Parameters
    ----------
    ranks
        Ranks.
    ties
        "minimize" (the code's default), "floor", "ceiling" or "middle".

    Returns
    -------
    list of float
        The normalised ranks.

    Examples
    --------
    >>> normalize([1, 3, 3, 4, 5], "ceiling")
    [1.0, 3.0, 3.0, 4.0, 5.0]
    """
    check_normalisation(ties)
    normalised: list[float] = normalise_ranks(table_of_list(ranks, ranks).gold, ties)[0].tolist()
    return normalised


def kendall_tau(
    predicted: Numbers,
    original: Numbers,
    ties: str = "ceiling",
    exclude_ties: bool = True,
    penalize_predicted_ties: bool = True,
    invert_ranks: bool = False,
) -> dict[str, Any]:
    """segment.kendall_tau: tau, its p-value and the counts.

    Parameters
    ----------
    predicted, original
        Ranks of the same items.
    ties
        Normalisation, as for `normalize`.
    exclude_ties
        Skip pairs that are tied in the original.
    penalize_predicted_ties
        Count pairs that are tied only in the prediction as wrong.
    invert_ranks
        Skip pairs of items whose normalised original rank is 1.

    Returns
    -------
    dict
        Tau and p-value are None without a pair that counts. As in the code, all_pairs_count are the pairs that count,
        and pairs are all.

    Examples
    --------
    >>> round(kendall_tau([1, 2, 3, 4], [1, 2, 3, 4])["prob"], 6)  # from 6 pairs in the place of 4 items
    0.004832
    """
    check_normalisation(ties)
    counts = tau_and_counts(
        table_of_list(original, predicted),
        ties=ties,
        exclude_ties=exclude_ties,
        penalize_ties=penalize_predicted_ties,
        invert_ranks=invert_ranks,
    )
    n_valid = int(counts.valid[0])
    tau = float(counts.tau[0]) if n_valid else None
    return {
        "tau": tau,
        "prob": None if tau is None else float(tau_prob(tau, n_valid)),
        "concordant_count": int(counts.concordant[0]),
        "discordant_count": int(counts.discordant[0]),
        "all_pairs_count": n_valid,
        "original_ties": int(counts.gold_ties[0]),
        "predicted_ties": int(counts.predicted_ties[0]),
        "pairs": int(counts.pairs[0]),
    }


def kendall_tau_prob(tau: float, pairs: int) -> float:
    """segment.kendall_tau_prob: the p-value of a tau of so many pairs.

    Parameters
    ----------
    tau
        The value.
    pairs
        Number of pairs.

    Returns
    -------
    float
        The p-value.

    Examples
    --------
    >>> round(kendall_tau_prob(0.5, 6), 4)
    0.1588
    """
    check_count("pairs", pairs, minimum=0)
    return float(tau_prob(tau, pairs))


def ndgc_err(predicted: Numbers, original: Numbers, k: int | None = None) -> tuple[float, float]:
    """segment.ndgc_err: nDCG (to rank k) and ERR over gains that overwrite each other if predictions tie.

    Parameters
    ----------
    predicted, original
        Ranks of the same items.
    k
        Depth of nDCG. Default: all items.

    Returns
    -------
    ndcg, err
        Both values.

    Examples
    --------
    >>> [round(value, 4) for value in ndgc_err([1, 1], [1, 1])]  # one of two gains is left
    [0.6309, 0.125]
    """
    if k is not None:
        check_count("k", k)
    ndgc, err = ndgc_err_of(table_of_list(original, predicted), k)
    return float(ndgc[0]), float(err[0])


def reciprocal_rank(predicted: Numbers, original: Numbers, ties: str = "ceiling") -> float:
    """segment.reciprocal_rank: 1 / the predicted rank of the best.

    Parameters
    ----------
    predicted, original
        Ranks of the same items.
    ties
        Normalisation, as for `normalize`; with "ceiling" a tie for the first place gives 1/2.

    Returns
    -------
    float
        The value.

    Examples
    --------
    >>> reciprocal_rank([1, 1], [1, 2])
    0.5
    """
    check_normalisation(ties)
    return float(farr(table_of_list(original, predicted), ties)[0])


def kendall_tau_set(
    predicted: Sequence[Numbers], original: Sequence[Numbers], penalize_predicted_ties: bool = True
) -> dict[str, float | int]:
    """set.kendall_tau_set: the keys that begin with tau.

    Parameters
    ----------
    predicted, original
        Ranks of each list.
    penalize_predicted_ties
        Count pairs that are tied only in the prediction as wrong.

    Returns
    -------
    dict
        Key -> value.

    Raises
    ------
    InputError
        The tool divides by zero.

    Examples
    --------
    >>> kendall_tau_set([[1, 2, 3, 4]], [[1, 2, 4, 3]])["tau_concordant"]
    5
    """
    return set_taus(table_of_lists(original, predicted), penalize_ties=penalize_predicted_ties)


def allmetrics(predicted: Sequence[Numbers], original: Sequence[Numbers]) -> dict[str, float | int]:
    """set.allmetrics: everything that the tool prints, by its keys.

    Parameters
    ----------
    predicted, original
        Ranks of each list.

    Returns
    -------
    dict
        Key -> value.

    Raises
    ------
    InputError
        The tool divides by zero or stops, or numbers of lists or ranks differ, where the tool silently drops the rest.

    Examples
    --------
    >>> allmetrics([[1, 2, 3, 4]], [[1, 2, 4, 3]])["mrr"]
    1.0
    """
    return all_metrics(table_of_lists(original, predicted))


def rankeval_output(path: PathLike, predicted: str, original: str) -> str:
    r"""The output of `rankeval.py FILE PREDICTED ORIGINAL`: `key<TAB>value` by key, 12 significant digits.

    Parameters
    ----------
    path
        JCML file.
    predicted, original
        Attributes with the ranks.

    Returns
    -------
    str
        The text.

    Raises
    ------
    InputError
        The file is not JCML, a translation lacks one of the two ranks, or the tool divides by zero; the message begins
        with the file.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> items = '<tgt rank="1" mine="2"/><tgt rank="2" mine="1"/>'
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "made.jcml")
    ...     _ = path.write_text(f"<jcml><judgedsentence>{items}</judgedsentence></jcml>")
    ...     text = rankeval_output(path, "mine", "rank")
    >>> print(text.splitlines()[-1].expandtabs())
    tau_valid_pairs 1
    """
    rankings = read_jcml(path, list(dict.fromkeys([predicted, original])), by_place=True)
    try:
        values = all_metrics(tool_table(rankings, original, predicted))
    except InputError as error:
        raise InputError(f"{source_name(path)}: {error}") from None
    return "".join(f"{key}\t{as_printed(value)}\n" for key, value in values.items())


def table_of_list(original: Numbers, predicted: Numbers) -> PairedRanks:
    """As `table_of_lists`, of one list."""
    return table_of_lists([original], [predicted])


def table_of_lists(original: Sequence[Numbers], predicted: Sequence[Numbers]) -> PairedRanks:
    """Lists of ranks, where -1 is a rank like others, as in the tool. Raises InputError."""
    if len(original) != len(predicted):
        raise InputError(f"{len(predicted)} predicted lists and {len(original)} original ones, expected as many")
    lengths = np.array([len(ranks) for ranks in original], np.int64)
    for i, (original_ranks, predicted_ranks) in enumerate(zip(original, predicted, strict=True)):
        if len(original_ranks) != len(predicted_ranks) or not len(original_ranks):
            raise InputError(
                f"list {i + 1}: {len(predicted_ranks)} predicted ranks and {len(original_ranks)} original ones, "
                "expected as many"
            )
    tables = np.full((2, lengths.size, int(lengths.max(initial=0))), np.nan)
    present = np.arange(tables.shape[2]) < lengths[:, None]
    for table, lists in zip(tables, (original, predicted), strict=True):
        try:
            table[present] = np.array([rank for ranks in lists for rank in ranks], np.float64)
        except (TypeError, ValueError):
            raise InputError("a rank is not a number, expected numbers") from None
    if not np.isfinite(tables[:, present]).all():
        raise InputError("a rank is NaN or infinite, expected finite numbers")
    return PairedRanks(tables[0], tables[1])
