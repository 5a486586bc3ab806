"""How many n-grams of each output its references have, too, of all outputs at once.

Each different n-gram of the references of a segment has a place. An n-gram of an output can only have one where its
first n - 1 words have one, so that a place and a word find the next place, and ever fewer are looked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.kernels.segments import group_of
from rankscope.translation.token_lists import TokenLists, sorted_unique
from rankscope.typing import Ints

__all__ = [
    "NgramMatches",
    "closest_lengths",
    "ngram_matches",
    "ngram_totals",
]


Numbers = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class NgramMatches:
    """matches, totals, reference_totals: (orders, outputs) how many n-grams the references have, too; all of the
    output; all of the first reference. Whole numbers, but for a reference that is an average.
    """

    matches: Numbers
    totals: Numbers
    reference_totals: Numbers


def ngram_matches(
    outputs: TokenLists, segments: Ints, references: Sequence[TokenLists], orders: int = 4
) -> NgramMatches:
    """Of each output, how many n-grams of each order its references have, each at most as often as that reference which
    has it most often; and how many there are.

    segments: (outputs) which line of the references each belongs to. All number words alike. Raises nothing for texts
    that are empty or shorter than n, which have no n-grams. Source: Papineni et al. (2002), "BLEU", section 2.1; the
    counts of sacrebleu.

    >>> from collections import defaultdict
    >>> numbers = defaultdict(); numbers.default_factory = numbers.__len__
    >>> output, reference = (TokenLists.split([text.split()], numbers) for text in ("the the cat", "the cat sat"))
    >>> found = ngram_matches(output, np.array([0]), [reference], 2)
    >>> found.matches.tolist(), found.totals.tolist()
    ([[2], [1]], [[3], [2]])
    """
    n = len(outputs)
    found = np.zeros((orders, n), np.int64)
    width = 1 + max(int(side.tokens.max(initial=0)) for side in (outputs, *references))
    ours = NgramPlaces.at_start(outputs, segments)
    theirs = [NgramPlaces.at_start(reference, np.arange(len(reference))) for reference in references]
    for k in range(orders):
        keys = [side.keys(width, k) for side in theirs]
        there = sorted_unique(np.concatenate(keys))
        for side, key in zip(theirs, keys, strict=True):
            side.move(np.searchsorted(there, key))
        most = np.max([np.bincount(side.place, minlength=there.size) for side in theirs], axis=0)
        ours.move(places_in(there, ours.keys(width, k)))
        again, count = np.unique(ours.row * there.size + ours.place, return_counts=True)
        if again.size:
            row, place = np.divmod(again, there.size)
            found[k] = np.bincount(row, np.minimum(count, most[place]), n)
    lengths = references[0].lengths[segments]
    return NgramMatches(found, ngram_totals(outputs.lengths, orders), ngram_totals(lengths, orders))


class NgramPlaces:
    """The n-grams of some texts that have a place: where each begins, in which text, and its place."""

    def __init__(self, texts: TokenLists, row: Ints, place: Ints, start: Ints, end: Ints) -> None:
        self.tokens = texts.tokens
        self.row, self.place, self.start, self.end = row, place, start, end

    @classmethod
    def at_start(cls, texts: TokenLists, segments: Ints) -> NgramPlaces:
        """Before the first word: the place is the segment."""
        row = group_of(texts.offsets)
        return cls(texts, row, segments[row], np.arange(row.size), texts.offsets[1:][row])

    def keys(self, width: int, k: int) -> Ints:
        """What finds the next place. Those that end before a further word are forgotten."""
        self.keep(self.start + k < self.end)
        return self.place * width + self.tokens[self.start + k]

    def move(self, place: Ints) -> None:
        """To the next place; those that have none, which is -1, are forgotten."""
        self.place = place
        self.keep(place >= 0)

    def keep(self, mask: npt.NDArray[np.bool_]) -> None:
        if not mask.all():
            self.row, self.place, self.start, self.end = (
                part[mask] for part in (self.row, self.place, self.start, self.end)
            )


def places_in(there: Ints, keys: Ints) -> Ints:
    """The place of each key among those that rise; -1 where it is none of them."""
    if not there.size:
        return np.full(keys.size, -1)
    place = np.minimum(np.searchsorted(there, keys), there.size - 1)
    return np.where(there[place] == keys, place, -1)


def ngram_totals(lengths: Ints, orders: int) -> Ints:
    """(orders, texts) how many n-grams texts of these lengths have."""
    return np.asarray(np.maximum(lengths - np.arange(orders)[:, None], 0), np.int64)


def closest_lengths(lengths: Ints, segments: Ints, references: Sequence[Ints]) -> Ints:
    """(outputs) of the lengths of the references, the one that is closest to the output's; of two the shorter one.

    >>> closest_lengths(np.array([5]), np.array([0]), [np.array([7]), np.array([3]), np.array([9])]).tolist()
    [3]
    """
    table = np.sort(np.stack([reference[segments] for reference in references]), axis=0)
    best = np.argmin(np.abs(table - lengths), axis=0)
    return np.asarray(table[best, np.arange(lengths.size)], np.int64)
