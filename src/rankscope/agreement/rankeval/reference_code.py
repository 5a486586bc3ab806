"""The numbers of RankEval's reference code (2014, commit 6b5fea5), errors included: the preset "rankeval".

Each function gives the values of the tool's corresponding function; docs/differences.md lists where they differ from
its paper. Measures run on hits here too: where the tool's gains overwrite each other, hits are those of the remaining
items.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from rankscope.agreement.judgments import refuse_item
from rankscope.agreement.rankeval.kendall_tau import TauCounts, erfc, tau_counts
from rankscope.agreement.rankeval.measures import count_ranks, farr, gold_of_best, hits_of_ranks, relevance_of_ranks
from rankscope.agreement.rankeval.paired_ranks import PairedRanks, apply_in_chunks
from rankscope.data.rankings import Rankings
from rankscope.errors import InputError, ParameterError
from rankscope.kernels.pairs import count_pairs_by_row
from rankscope.measures.cascade import ERR
from rankscope.measures.graded import nDCG
from rankscope.typing import Floats

__all__ = [
    "all_metrics",
    "as_printed",
    "ndgc_err",
    "set_taus",
    "tau_and_counts",
    "tau_prob",
    "tool_table",
]


#: The square root of 2, in the tool's digits.
ROOT = 1.4142136


def as_printed(value: float) -> str:
    """A number as Python 2 prints it: 12 significant digits, and always a point or an exponent in a float."""
    if isinstance(value, int):
        return str(value)
    text = f"{value:.12g}"
    return text if any(sign in text for sign in ".en") else f"{text}.0"


def tool_table(rankings: Rankings, gold: str, predicted: str) -> PairedRanks:
    """Two columns as the tool reads them: -1 is a rank like others (point 5). Raises InputError, ParameterError."""
    for name in (gold, predicted):
        missing = np.flatnonzero(np.isnan(rankings.column(name)))
        if missing.size:
            refuse_item(rankings, int(missing[0]), name, "expected a number; RankEval stops here")
        if name in rankings.score_columns:
            raise ParameterError(
                f"{name} holds scores (higher is better), but RankEval takes ranks; convert them to ranks"
            )
    return PairedRanks(rankings.table(gold), rankings.table(predicted))


def tau_prob(tau: npt.ArrayLike, pairs: npt.ArrayLike) -> Floats:
    """The p-value, with the number of pairs in the place of that of items (point 1); variance 1 for 0 or 1 pairs."""
    n = np.asarray(pairs, np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = np.where(n >= 2, (4 * n + 10) / (9 * n * (n - 1)), 1.0)
        z = np.asarray(tau, np.float64) / np.sqrt(variance)
    return erfc(np.abs(z) / ROOT)


def tau_and_counts(
    table: PairedRanks,
    *,
    exclude_ties: bool = True,
    penalize_ties: bool = True,
    invert_ranks: bool = False,
    ties: str = "ceiling",
) -> TauCounts:
    """The tool's counts of pairs. invert_ranks skips items whose normalised rank by the person is 1 (point 6).

    ties: the normalisation, which changes nothing else.
    """
    options = {"exclude_gold_ties": exclude_ties, "penalise_predicted_ties": penalize_ties}
    all_items = tau_counts(table.pair_counts, **options)
    if not invert_ranks:
        return all_items
    gold = np.where(table.gold_ranks(ties) == 1, np.nan, table.gold)
    remaining = tau_counts(count_pairs_by_row(gold, -table.predicted), **options)
    return TauCounts(
        remaining.concordant, remaining.discordant, all_items.pairs, all_items.gold_ties, all_items.predicted_ties
    )


def ndgc_err(table: PairedRanks, k: int | None = None) -> tuple[Floats, Floats]:
    """(lists) nDCG and ERR over gains that overwrite each other where the machine ties (point 8). k: of nDCG only."""
    values = apply_in_chunks(lambda chunk: overwritten(chunk, k), table)
    return values[:, 0], values[:, 1]


def overwritten(table: PairedRanks, k: int | None) -> Floats:
    """(lists, 2) nDCG and ERR of the remaining items."""
    ranks = table.predicted_ranks()
    places = np.where(table.present, ranks, 1).astype(np.int64) - 1
    rows, columns = np.nonzero(table.present)
    last = np.full(table.gold.shape, -1, np.int64)
    last[rows, places[rows, columns]] = columns  # of several items the last remains
    remaining = table.present & (np.take_along_axis(last, places, axis=1) == np.arange(table.gold.shape[1]))
    relevance = relevance_of_ranks(table)
    values = np.full((len(table), 2), np.nan)
    for n in np.unique(table.lengths[table.lengths > 0]).tolist():
        list_indices = np.flatnonzero(table.lengths == n)
        hits = hits_of_ranks(
            table.rows(list_indices),
            relevance[list_indices],
            ranks=ranks[list_indices],
            ranked_items=remaining[list_indices],
        )
        values[list_indices, 0] = nDCG(gain="exp", ideal="listed", cutoff=k)(hits)
        values[list_indices, 1] = ERR(gmax=n)(hits)
    return values


def set_taus(table: PairedRanks, *, penalize_ties: bool = True) -> dict[str, float | int]:
    """The keys that begin with tau. Raises InputError where no pair counts: the tool divides by zero (point 10)."""
    counts = tau_and_counts(table, penalize_ties=penalize_ties)
    valid, pairs = int(counts.valid.sum()), int(counts.pairs.sum())
    refuse_pairless(valid)
    tau = counts.micro
    taus = counts.tau
    pvalues = tau_prob(taus, counts.valid)
    used = ~np.isnan(taus) & (taus != 0) & (pvalues != 0)  # point 2
    n_tied = int(np.count_nonzero(counts.predicted_ties))
    return {
        "tau": tau,
        "tau_prob": float(tau_prob(tau, valid)),
        "tau_avg_seg": float(taus[used].mean()) if used.any() else math.nan,
        "tau_avg_seg_prob": float(np.prod(pvalues[used])),  # point 3
        "tau_concordant": int(counts.concordant.sum()),
        "tau_discordant": int(counts.discordant.sum()),
        "tau_valid_pairs": valid,
        "tau_all_pairs": pairs,
        "tau_original_ties": int(counts.gold_ties.sum()),
        "tau_predicted_ties": int(counts.predicted_ties.sum()),
        # Point 4: the ties of the last list only; and sentences over the items of the last list.
        "tau_predicted_ties_per": 100.0 * int(counts.predicted_ties[-1]) / pairs,
        "tau_sentence_ties": n_tied,
        "tau_sentence_ties_per": 100.0 * n_tied / int(table.lengths[-1]),
    }


def refuse_pairless(valid: int) -> None:
    if not valid:
        raise InputError(
            "no pair counts: people tie all items of every list, or each list has one item; RankEval divides by zero "
            "here; expected a list in which one item is better than another"
        )


def all_metrics(table: PairedRanks) -> dict[str, float | int]:
    """All values that the tool prints, by its sorted keys. Raises InputError as `set_taus`, and for an empty list."""
    if not len(table) or not table.lengths.all():
        problem = f"judgment {int(np.argmin(table.lengths)) + 1} has no items" if len(table) else "there is no judgment"
        raise InputError(f"{problem}, expected at least one; RankEval has no values here")
    ndgc, err = ndgc_err(table, int(table.lengths[0]))  # point 9
    metrics: dict[str, float | int] = {
        **set_taus(table),
        "mrr": float(farr(table).mean()),
        "ndgc": float(ndgc.mean()),
        "err": float(err.mean()),
        "avg_predicted_ranked": float(gold_of_best(table).mean()),
    }
    best = count_ranks(gold_of_best(table, "minimize"))
    for rank, share in zip(best.ranks.tolist(), best.share.tolist(), strict=True):
        metrics[f"bph_{rank}"] = round(share, 2)
    return dict(sorted(metrics.items()))
