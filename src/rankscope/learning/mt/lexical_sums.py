"""Sums of lexical probabilities over the words of each source, of all words of all targets at once.

Sentences of one group have most of their words in common, so each probability is looked up once a group, and then only
fetched for each pair of words.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.kernels.order import ranges
from rankscope.kernels.segments import bounds, group_of
from rankscope.learning.mt.token_lists import TokenLists, slices_by_size, sorted_unique
from rankscope.typing import Bools, Floats, Ints

__all__ = ["LexiconWords", "copied_words", "summed_by_word"]


#: Pairs of words at a time: what they need stays near the processor.
CELLS_AT_ONCE = 1 << 19


@dataclass(frozen=True, eq=False)
class LexiconWords:
    """The words of sentences that a lexicon has. tokens: their numbers. offsets: of the sentences. where: their places
    among all words.
    """

    tokens: Ints
    offsets: Ints
    where: Ints

    @classmethod
    def of(cls, sentences: TokenLists, numbers: dict[str, int]) -> LexiconWords:
        tokens = sentences.numbered_by(numbers)[sentences.tokens]
        where = np.flatnonzero(tokens >= 0)
        lengths = np.bincount(sentences.sentence[where], minlength=len(sentences))
        return cls(tokens[where], bounds(lengths), where)

    def take(self, index: Ints) -> LexiconWords:
        lengths = np.diff(self.offsets)[index]
        places = ranges(self.offsets[index], lengths)
        return LexiconWords(self.tokens[places], bounds(lengths), self.where[places])


def copied_words(sources: TokenLists, targets: TokenLists) -> Bools:
    """(target tokens) whether the source of the sentence has the same word."""
    n = len(sources.words) + 1
    same = targets.numbered_by({word: i for i, word in enumerate(sources.words)})[targets.tokens]
    there = sorted_unique(sources.sentence * n + sources.tokens)
    wanted = targets.sentence * n + same
    if not there.size:
        return np.zeros(wanted.size, np.bool_)
    place = np.minimum(np.searchsorted(there, wanted), there.size - 1)
    return np.asarray((there[place] == wanted) & (same >= 0), np.bool_)


def summed_by_word(
    source: LexiconWords,
    target: LexiconWords,
    groups: Ints,
    n: int,
    probability: Callable[[Ints, Ints], Floats],
    progress: Callable[[float], Any] | None = None,
) -> Floats:
    """(target tokens, of all n) sum_j t(e|f_j) over the source of the sentence; 0 for words that are not known.

    groups: (sentences) those that are looked up together. probability: t of source words and target words. progress:
    told of the share of the work just done.
    """
    found = np.zeros(n)
    order = np.argsort(groups, kind="stable")
    work = (np.diff(source.offsets) * np.diff(target.offsets))[order]
    first = np.flatnonzero(np.diff(groups[order], prepend=groups[order[:1]] - 1))
    whole = np.add.reduceat(work, first) if first.size else work
    ends = np.append(first[1:], order.size)
    for piece in slices_by_size(whole, CELLS_AT_ONCE):
        rows = order[first[piece.start] : ends[piece.stop - 1]]
        part = target.take(rows)
        found[part.where] = sums_of_slice(source.take(rows), part, groups[rows], probability)
        if progress is not None:
            progress(rows.size / order.size)
    return found


def sums_of_slice(
    source: LexiconWords, target: LexiconWords, groups: Ints, probability: Callable[[Ints, Ints], Floats]
) -> Floats:
    """(target tokens) the sums; sentences of one group lie together."""
    group = np.cumsum(np.diff(groups, prepend=groups[0]) != 0)
    words, word_of_token, words_begin = distinct_words(source, group)
    others, other_of_token, others_begin = distinct_words(target, group)
    # A row for each source word of each group, with a cell for each target word of that group.
    group_of_word = group_of(words_begin)
    width = np.diff(others_begin)[group_of_word]
    cells = ranges(others_begin[group_of_word], width)
    table = probability(np.repeat(words, width), others[cells])
    row = bounds(width)[:-1][word_of_token]
    column = other_of_token - others_begin[group[group_of(target.offsets)]]
    # Each target token fetches its column from the rows of all source tokens of its sentence.
    sentence = group_of(target.offsets)
    lengths = np.diff(source.offsets)[sentence]
    fetched = table[row[ranges(source.offsets[:-1][sentence], lengths)] + np.repeat(column, lengths)]
    begin = bounds(lengths)[:-1]
    some = lengths > 0
    sums = np.zeros(lengths.size)
    if some.any():
        sums[some] = np.add.reduceat(fetched, begin[some])
    return sums


def distinct_words(known: LexiconWords, group: Ints) -> tuple[Ints, Ints, Ints]:
    """The different words of each group, rising; which of them each token is; where those of each group begin."""
    n = int(known.tokens.max(initial=0)) + 1
    keys, which = np.unique(group[group_of(known.offsets)] * n + known.tokens, return_inverse=True)
    sizes = np.bincount(keys // n, minlength=int(group[-1]) + 1)
    return keys % n, which, bounds(sizes)
