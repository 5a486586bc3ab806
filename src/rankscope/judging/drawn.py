"""Were the queries that people judged drawn at random? What their place and the machine's values say."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankscope.data.wording import format_p_value
from rankscope.kernels.ties import join_ties
from rankscope.stats.distributions import special
from rankscope.typing import Bools, Floats

__all__ = ["randomness_notes", "rank_sum_pvalue"]

#: By chance alone, so many of random draws are doubted by each look.
LEVEL = 0.01


def randomness_notes(query_ids: Sequence[str], judged: Bools, values: Floats, measure: str) -> list[str]:
    """Notes where the draw does not look random. values: (queries) of the machine, on average over the systems."""
    notes: list[str] = []
    if judged.all() or not judged.any():
        return notes
    places = places_in_order(query_ids)
    p, side = rank_sum_pvalue(places, judged)
    n = int(judged.sum())
    ends = "last" if side > 0 else "first"
    extreme = places[judged].max() == n - 1 if side < 0 else places[judged].min() == judged.size - n
    if p < LEVEL:
        what = f"are the {ends} {n:,} in the order of ids" if extreme else f"stand among the {ends} in the order of ids"
        notes.append(f"the queries that people judged {what} (p {format_p_value(p)}): {DOUBT}")
    p, side = rank_sum_pvalue(values, judged)
    if p < LEVEL:
        than = "higher" if side > 0 else "lower"
        notes.append(
            f"by the machine {measure} is {than} on the queries that people judged than on the others (p {format_p_value(p)}): "
            + DOUBT
        )
    return notes


DOUBT = (
    "they were hardly drawn at random, and then neither estimate nor interval need hold for all queries; have queries "
    "judged that are drawn by lot"
)


def places_in_order(query_ids: Sequence[str]) -> Floats:
    """(queries) the place of each in the order of ids, as numbers where all are."""
    if all(query.isascii() and query.isdigit() for query in query_ids):
        order = sorted(range(len(query_ids)), key=lambda i: int(query_ids[i]))
    else:
        order = sorted(range(len(query_ids)), key=lambda i: query_ids[i].encode("utf-8", "surrogateescape"))
    places = np.empty(len(order))
    places[order] = np.arange(len(order))
    return places


def rank_sum_pvalue(values: Floats, judged: Bools) -> tuple[float, float]:
    """Two-sided p of Wilcoxon's rank sum of the judged against the others, by the normal approximation with ties and a
    correction of 1/2; and on which side the judged are, 1, -1 or 0. 1 where all values are one.

    Agrees with scipy.stats.mannwhitneyu(method="asymptotic").
    """
    codes, sizes = np.unique(join_ties(values[None])[0], return_inverse=True, return_counts=True)[1:]
    middle = np.cumsum(sizes) - (sizes - 1) / 2  # the mean rank of each group of ties
    n, total = int(judged.sum()), judged.size
    off = float(middle[codes][judged].sum() - n * (total + 1) / 2)
    ties = float((sizes**3.0 - sizes).sum())
    variance = n * (total - n) / 12 * (total + 1 - ties / (total * (total - 1)))
    if variance <= 0:
        return 1.0, 0.0
    z = max(abs(off) - 0.5, 0.0) / np.sqrt(variance)
    return min(1.0, float(2 * special().ndtr(-z))), float(np.sign(off))
