"""N-gram matches: how many n-grams of each output occur in its references, for all outputs at once.

Each distinct n-gram of the references of a segment has a number, its place. An n-gram of an output can have one only
where its first n - 1 words have one. So a place and a word give the next place, and each order looks up fewer n-grams.
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
    """Counts of n-grams, whole numbers except for an averaged reference; (orders, outputs).

    Attributes
    ----------
    matches
        n-grams of the output that the references have, too.
    totals
        All n-grams of the output.
    reference_totals
        All n-grams of the first reference.
    """

    matches: Numbers
    totals: Numbers
    reference_totals: Numbers


def ngram_matches(
    outputs: TokenLists, segments: Ints, references: Sequence[TokenLists], orders: int = 4
) -> NgramMatches:
    """Count the n-grams of each output that its references have, too.

    Parameters
    ----------
    outputs
        The outputs.
    segments
        Line of the references that each output belongs to, (outputs).
    references
        The references; all texts number words alike.
    orders
        Highest order.

    Returns
    -------
    NgramMatches
        Each n-gram counts at most as often as in the reference that has it most often. Texts that are empty or shorter
        than n have no n-grams.

    References
    ----------
    Papineni et al. (2002), "BLEU", section 2.1; the counts of sacrebleu.

    Examples
    --------
    >>> from collections import defaultdict
    >>> numbers = defaultdict(); numbers.default_factory = numbers.__len__
    >>> output, reference = (TokenLists.split([text.split()], numbers) for text in ("the the cat", "the cat sat"))
    >>> found = ngram_matches(output, np.array([0]), [reference], 2)
    >>> found.matches.tolist(), found.totals.tolist()
    ([[2], [1]], [[3], [2]])
    """
    n_outputs = len(outputs)
    matches = np.zeros((orders, n_outputs), np.int64)
    vocabulary_size = 1 + max(int(texts.tokens.max(initial=0)) for texts in (outputs, *references))
    output_places = NgramPlaces.at_start(outputs, segments)
    reference_places = [NgramPlaces.at_start(reference, np.arange(len(reference))) for reference in references]
    for k in range(orders):
        reference_keys = [places.keys(vocabulary_size, k) for places in reference_places]
        unique_keys = sorted_unique(np.concatenate(reference_keys))
        for places, keys in zip(reference_places, reference_keys, strict=True):
            places.move(np.searchsorted(unique_keys, keys))
        max_counts = np.max(
            [np.bincount(text_places.place, minlength=unique_keys.size) for text_places in reference_places], axis=0
        )
        output_places.move(places_in(unique_keys, output_places.keys(vocabulary_size, k)))
        row_place_keys, counts = np.unique(
            output_places.row * unique_keys.size + output_places.place, return_counts=True
        )
        if row_place_keys.size:
            row, place = np.divmod(row_place_keys, unique_keys.size)
            matches[k] = np.bincount(row, np.minimum(counts, max_counts[place]), n_outputs)
    reference_lengths = references[0].lengths[segments]
    return NgramMatches(matches, ngram_totals(outputs.lengths, orders), ngram_totals(reference_lengths, orders))


class NgramPlaces:
    """The n-grams of some texts that have a place: row (the text), place, start and end of the text."""

    def __init__(self, texts: TokenLists, row: Ints, place: Ints, start: Ints, end: Ints) -> None:
        self.tokens = texts.tokens
        self.row, self.place, self.start, self.end = row, place, start, end

    @classmethod
    def at_start(cls, texts: TokenLists, segments: Ints) -> NgramPlaces:
        """The empty n-grams, before the first word: the place is the segment."""
        row = group_of(texts.offsets)
        return cls(texts, row, segments[row], np.arange(row.size), texts.offsets[1:][row])

    def keys(self, vocabulary_size: int, k: int) -> Ints:
        """The key of each n-gram's next place. N-grams at the end of their text are dropped."""
        self.keep(self.start + k < self.end)
        return self.place * vocabulary_size + self.tokens[self.start + k]

    def move(self, place: Ints) -> None:
        """Set the next place; n-grams without one, -1, are dropped."""
        self.place = place
        self.keep(place >= 0)

    def keep(self, mask: npt.NDArray[np.bool_]) -> None:
        if not mask.all():
            self.row, self.place, self.start, self.end = (
                array[mask] for array in (self.row, self.place, self.start, self.end)
            )


def places_in(sorted_keys: Ints, keys: Ints) -> Ints:
    """The index of each key among the sorted ones; -1 where it is missing."""
    if not sorted_keys.size:
        return np.full(keys.size, -1)
    key_index = np.minimum(np.searchsorted(sorted_keys, keys), sorted_keys.size - 1)
    return np.where(sorted_keys[key_index] == keys, key_index, -1)


def ngram_totals(lengths: Ints, orders: int) -> Ints:
    """(orders, texts) how many n-grams texts of these lengths have."""
    return np.asarray(np.maximum(lengths - np.arange(orders)[:, None], 0), np.int64)


def closest_lengths(lengths: Ints, segments: Ints, references: Sequence[Ints]) -> Ints:
    """The length of the reference that is closest to the output's; of two the shorter one; (outputs).

    >>> closest_lengths(np.array([5]), np.array([0]), [np.array([7]), np.array([3]), np.array([9])]).tolist()
    [3]
    """
    candidate_lengths = np.sort(np.stack([reference[segments] for reference in references]), axis=0)
    closest = np.argmin(np.abs(candidate_lengths - lengths), axis=0)
    return np.asarray(candidate_lengths[closest, np.arange(lengths.size)], np.int64)
