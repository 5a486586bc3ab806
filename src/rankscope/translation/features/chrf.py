"""chrF of many outputs at once, against references and against the other systems' outputs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankscope.translation.features.ngram_matches import NgramMatches, NgramPlaces, ngram_matches, ngram_totals
from rankscope.translation.token_lists import TokenLists, slices_by_size
from rankscope.typing import Floats, Ints

__all__ = [
    "BETA",
    "ORDERS",
    "character_f",
    "consensus_f",
    "f_score",
]


#: As sacrebleu has them: characters to sequences of six; recall counts twice as much.
ORDERS, BETA = 6, 2
#: Characters at a time: their places stay near the processor.
CHARACTERS_AT_ONCE = 1 << 18


def character_f(outputs: Sequence[str], segments: Ints, references: Sequence[Sequence[str]]) -> Floats:
    """chrF, in [0, 100], higher is better, of each output: character n-grams up to six, beta 2; blanks do not count.

    segments: (outputs) which line of the references each belongs to. Of several references the one that gives most
    counts. An empty output gives 0. Raises nothing. Source: Popović (2015), "chrF: character n-gram F-score for
    automatic MT evaluation"; agrees with sacrebleu's CHRF to the last bits.

    >>> character_f(["the cat"], np.array([0]), [["the cat"]]).tolist()
    [100.0]
    """
    ours = TokenLists.of_characters([without_blanks(text) for text in outputs])
    order = np.argsort(segments, kind="stable")
    best = np.zeros(len(outputs))
    for reference in references:
        theirs = TokenLists.of_characters([without_blanks(text) for text in reference])
        for piece in slices_by_size(ours.lengths[order], CHARACTERS_AT_ONCE):
            rows = order[piece]
            first, last = segments[rows[[0, -1]]].tolist()
            near = theirs.take(np.arange(first, last + 1))
            found = f_score(ngram_matches(ours.take(rows), segments[rows] - first, [near], ORDERS))
            best[rows] = np.maximum(best[rows], found)
    return best


def without_blanks(text: str) -> str:
    return "".join(text.split())


def f_score(counts: NgramMatches) -> Floats:
    """(outputs) from counts of n-grams: means of precision and recall over the orders that both sides have, put
    together.
    """
    ours, theirs = counts.totals, counts.reference_totals
    both = (ours > 0) & (theirs > 0)
    orders = np.maximum(both.sum(axis=0), 1)
    precision = np.where(both, counts.matches / np.where(both, ours, 1), 0.0).sum(axis=0) / orders
    recall = np.where(both, counts.matches / np.where(both, theirs, 1), 0.0).sum(axis=0) / orders
    weight = BETA**2
    below = weight * precision + recall
    return 100 * np.where(below > 0, (1 + weight) * precision * recall / np.where(below > 0, below, 1), 0.0)


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
