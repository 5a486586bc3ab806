"""chrF of many outputs at once, and how alike an output is to the other systems' outputs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rankscope.learning.mt.ngram_matches import NgramMatches, ngram_matches
from rankscope.learning.mt.token_lists import TokenLists, slices_by_size
from rankscope.typing import Floats, Ints

__all__ = ["BETA", "ORDERS", "character_f", "f_score"]


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
