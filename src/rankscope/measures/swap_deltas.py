"""By how much a measure changes if two documents of a list change places, in closed form for all pairs at once."""

from __future__ import annotations

import numpy as np

from rankscope.data.hits import Hits
from rankscope.kernels.segments import cumulative_product, cumulative_sum
from rankscope.typing import Bools, Floats, Ints

__all__ = [
    "precision_sum_changes",
    "reciprocal_rank_changes",
    "stopping_changes",
    "sum_changes",
]


#: So many at least go on behind any document: of fewer no difference from 1 is left.
LEAST_LEFT = 2.0**-53


def sum_changes(gain: Floats, worth: Floats, first: Ints, second: Ints) -> Floats:
    """(pairs) of a sum over the hits of what a document gains, times what its rank is worth."""
    return np.asarray((gain[first] - gain[second]) * (worth[second] - worth[first]))


def upper_lower(hits: Hits, first: Ints, second: Ints) -> tuple[Ints, Ints]:
    """The two hits of each pair, the one that ranks higher first."""
    swapped = hits.rank[first] > hits.rank[second]
    return np.where(swapped, second, first), np.where(swapped, first, second)


def precision_sum_changes(hits: Hits, relevant: Bools, worth: Floats, first: Ints, second: Ints) -> Floats:
    """(pairs) of the sum over relevant hits of how many relevant ones rank as high, times what its rank is worth.

    worth: (hits) 1 / rank within the cutoff, 0 beyond.
    """
    i, j = upper_lower(hits, first, second)
    counts = hits.before(relevant).astype(np.float64)
    sums = cumulative_sum(worth * relevant, hits.offsets)
    between = sums[j] - relevant[j] * worth[j] - sums[i]
    falls = (counts[j] * worth[j]) - (counts[i] + 1) * worth[i] - between  # the upper one is relevant
    rises = (counts[i] + 1) * worth[i] - (counts[j] + 1) * worth[j] + between  # the lower one is
    return np.asarray(np.where(relevant[i] == relevant[j], 0.0, np.where(relevant[i], falls, rises)))


def reciprocal_rank_changes(hits: Hits, relevant: Bools, worth: Floats, first: Ints, second: Ints) -> Floats:
    """(pairs) of what the rank of the first relevant hit is worth."""
    i, j = upper_lower(hits, first, second)
    place = hits.before(relevant)
    rows = np.flatnonzero(relevant)
    one = np.zeros(len(hits))  # what the rank of the first relevant hit of each query is worth, and of the second
    two = np.zeros(len(hits))
    for found, which in ((one, 0), (two, 1)):
        chosen = rows[place[rows] == which]
        found[hits.query[chosen]] = worth[chosen]
    query = hits.query[i]
    falls = np.where(place[i] == 0, np.maximum(two[query], worth[j]) - one[query], 0.0)
    rises = np.maximum(worth[i] - one[query], 0.0)
    return np.asarray(np.where(relevant[i] == relevant[j], 0.0, np.where(relevant[i], falls, rises)))


def stopping_changes(hits: Hits, stop: Floats, worth: Floats, first: Ints, second: Ints) -> Floats:
    """(pairs) of the expected worth of the rank where a reader stops; stop: (hits) the chance at each, at most 1."""
    i, j = upper_lower(hits, first, second)
    left = np.maximum(1.0 - stop, LEAST_LEFT)
    reached = cumulative_product(left, hits.offsets) / left
    # Summed from below, where few come: between two places nothing is then lost to what was found above both.
    turned = (stop.size - hits.offsets)[::-1]
    below = np.append(cumulative_sum((worth * stop * reached)[::-1], turned)[::-1], 0.0)
    between = below[i + 1] - below[j]
    later = (between + worth[j] * reached[j]) / left[i]  # of those who come past the upper place
    return np.asarray((stop[j] - stop[i]) * (worth[i] * reached[i] - later))
