"""How alike an output is to what the other systems make of the same segment, on average over them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankscope.learning.mt.character_f import ORDERS, f_score, without_blanks
from rankscope.learning.mt.ngram_matches import NgramMatches, NgramPlaces, ngram_totals
from rankscope.learning.mt.token_lists import TokenLists, slices_by_size
from rankscope.typing import Floats, Ints

__all__ = ["consensus_f"]


#: Characters at a time.
NGRAMS_AT_ONCE = 1 << 19


def consensus_f(outputs: Sequence[str], segments: Ints) -> Floats:
    """Character F of each output, in [0, 100], higher is more alike, against the others of its segment.

    The others count as one reference, in which each n-gram stands as often as on average over them, and which is as
    long as they are on average; all else is as in chrF. An output that is alone in its segment gets 0, as does one
    without characters. segments: (outputs) the segment of each. Raises nothing.

    >>> consensus_f(["abc", "abc", "xyz"], np.array([0, 0, 0])).tolist()
    [50.0, 50.0, 0.0]
    """
    texts = TokenLists.of_characters([without_blanks(text) for text in outputs])
    order = np.argsort(segments, kind="stable")
    group = np.cumsum(np.diff(segments[order], prepend=segments[order[:1]]) != 0)
    found = np.zeros(len(outputs))
    sizes = np.bincount(group, texts.lengths[order])
    for piece in slices_by_size(sizes.astype(np.int64), NGRAMS_AT_ONCE):
        begin, end = np.searchsorted(group, [piece.start, piece.stop])
        rows = order[begin:end]
        found[rows] = consensus_of_slice(texts.take(rows), group[begin:end] - piece.start)
    return found


def consensus_of_slice(texts: TokenLists, group: Ints) -> Floats:
    """Of the outputs of some segments. group: (outputs) the segment of each."""
    n = len(texts)
    width = 1 + int(texts.tokens.max(initial=0))
    others = np.bincount(group)[group] - 1
    divisor = np.maximum(others, 1)
    places = NgramPlaces.at_start(texts, group)
    matches = np.zeros((ORDERS, n))
    for k in range(ORDERS):
        different, place = np.unique(places.keys(width, k), return_inverse=True)
        places.move(place)
        again, count = np.unique(places.row * max(different.size, 1) + place, return_counts=True)
        if not again.size:
            break
        row, which = np.divmod(again, different.size)
        elsewhere = np.bincount(place, minlength=different.size)[which] - count
        # Whole numbers until the end: n-grams are added in the order of their numbers, which hang on other segments.
        matches[k] = np.bincount(row, np.minimum(count * divisor[row], elsewhere), n) / divisor
    ours = ngram_totals(texts.lengths, ORDERS)
    sums = np.stack([np.bincount(group, row)[group] for row in ours])
    return np.where(others > 0, f_score(NgramMatches(matches, ours, (sums - ours) / divisor)), 0.0)
