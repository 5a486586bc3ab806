"""Sentences as one flat array of word numbers, with offsets."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.kernels.order import ranges
from rankscope.kernels.segments import bounds, group_of
from rankscope.typing import Ints

__all__ = [
    "TokenLists",
    "slices_by_size",
    "sorted_unique",
]


@dataclass(frozen=True, eq=False)
class TokenLists:
    """Sentences as numbers of words.

    Attributes
    ----------
    words
        Word of each number.
    tokens
        Words of all sentences.
    offsets
        Where each sentence begins.

    Examples
    --------
    >>> found = TokenLists.of(["a b a", "", "c a"])
    >>> found.words, found.tokens.tolist(), found.offsets.tolist()
    (('a', 'b', 'c'), [0, 1, 0, 2, 0], [0, 3, 3, 5])
    """

    words: tuple[str, ...]
    tokens: Ints
    offsets: Ints

    @classmethod
    def of(cls, sentences: Iterable[str]) -> TokenLists:
        """From texts whose words stand between blanks."""
        numbers: defaultdict[str, int] = defaultdict()
        numbers.default_factory = numbers.__len__  # a new word gets the next number
        return cls.split([sentence.split() for sentence in sentences], numbers)

    @classmethod
    def of_characters(cls, sentences: Sequence[str]) -> TokenLists:
        """Each character a word. The numbers are those of the characters; `words` is empty."""
        lengths = np.fromiter(map(len, sentences), np.int64, len(sentences))
        text = "".join(sentences).encode("utf-32-le", "surrogatepass")
        return cls((), np.frombuffer(text, np.uint32).astype(np.int64), bounds(lengths))

    @classmethod
    def split(cls, sentences: Sequence[list[str]], numbers: defaultdict[str, int]) -> TokenLists:
        lengths = np.fromiter(map(len, sentences), np.int64, len(sentences))
        word_numbers = (numbers[word] for sentence in sentences for word in sentence)
        tokens = np.fromiter(word_numbers, np.int64, int(lengths.sum()))
        return cls(tuple(numbers), tokens, bounds(lengths))

    def __len__(self) -> int:
        """How many sentences."""
        return self.offsets.size - 1

    @property
    def lengths(self) -> Ints:
        """(sentences) how many words each has."""
        return np.diff(self.offsets)

    @property
    def sentence(self) -> Ints:
        """(tokens) the sentence of each."""
        return group_of(self.offsets)

    def take(self, index: npt.NDArray[Any]) -> TokenLists:
        """Some of the sentences; an index may occur several times."""
        lengths = self.lengths[index]
        return TokenLists(self.words, self.tokens[ranges(self.offsets[index], lengths)], bounds(lengths))

    def numbers_in(self, words: dict[str, int]) -> Ints:
        """(words) the number of each word in another vocabulary; -1 for words that it lacks."""
        return np.fromiter(map(words.get, self.words, repeat(-1)), np.int64, len(self.words))


def sorted_unique(keys: Ints) -> Ints:
    """The distinct keys, rising. np.unique hashes, which takes five times as long where nearly all differ."""
    sorted_keys = np.sort(keys)
    is_first = np.ones(sorted_keys.size, np.bool_)
    is_first[1:] = sorted_keys[1:] != sorted_keys[:-1]
    return sorted_keys[is_first]


def slices_by_size(sizes: Ints, max_size: int) -> list[slice]:
    """Slices of neighbours, each with a total of about `max_size` and at least one element; none for empty sizes.

    >>> slices_by_size(np.array([4, 4, 9, 1, 1]), 8)
    [slice(0, 2, None), slice(2, 3, None), slice(3, 5, None)]
    """
    if not sizes.size:
        return []
    preceding_size = np.cumsum(sizes) - sizes
    piece_index = preceding_size // max_size
    piece_starts = np.flatnonzero(np.diff(piece_index, prepend=-1))
    return [
        slice(int(start), int(stop)) for start, stop in zip(piece_starts, [*piece_starts[1:], sizes.size], strict=True)
    ]
