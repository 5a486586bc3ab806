"""A lexicon: translation probabilities of words, and scores of sentence pairs.

Sentences of one group share most of their words, so each probability is looked up once a group and then only fetched
for each pair of words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.data.text import pluralise
from rankscope.errors import InputError
from rankscope.kernels.order import ranges
from rankscope.kernels.segments import bounds, group_of, sum_by_group
from rankscope.translation.token_lists import TokenLists, slices_by_size, sorted_unique
from rankscope.translation.tokenisation import as_lines
from rankscope.typing import Bools, Floats, Ints

__all__ = [
    "FLOOR",
    "LexicalScores",
    "Lexicon",
    "LexiconWords",
    "copied_words",
    "summed_by_word",
]


#: Pairs of words at a time: their arrays fit into the cache.
CELLS_AT_ONCE = 1 << 19


@dataclass(frozen=True, eq=False)
class LexiconWords:
    """The words of sentences that are in a lexicon.

    Attributes
    ----------
    tokens
        Their numbers.
    offsets
        Where sentences begin.
    positions
        Their positions among all words.
    """

    tokens: Ints
    offsets: Ints
    positions: Ints

    @classmethod
    def of(cls, sentences: TokenLists, numbers: dict[str, int]) -> LexiconWords:
        tokens = sentences.numbers_in(numbers)[sentences.tokens]
        positions = np.flatnonzero(tokens >= 0)
        lengths = np.bincount(sentences.sentence[positions], minlength=len(sentences))
        return cls(tokens[positions], bounds(lengths), positions)

    def take(self, index: Ints) -> LexiconWords:
        lengths = np.diff(self.offsets)[index]
        positions = ranges(self.offsets[index], lengths)
        return LexiconWords(self.tokens[positions], bounds(lengths), self.positions[positions])


def copied_words(sources: TokenLists, targets: TokenLists) -> Bools:
    """(target tokens) whether the source sentence has the same word."""
    stride = len(sources.words) + 1
    source_numbers = targets.numbers_in({word: i for i, word in enumerate(sources.words)})[targets.tokens]
    source_keys = sorted_unique(sources.sentence * stride + sources.tokens)
    target_keys = targets.sentence * stride + source_numbers
    if not source_keys.size:
        return np.zeros(target_keys.size, np.bool_)
    key_index = np.minimum(np.searchsorted(source_keys, target_keys), source_keys.size - 1)
    return np.asarray((source_keys[key_index] == target_keys) & (source_numbers >= 0), np.bool_)


def summed_by_word(
    source: LexiconWords,
    target: LexiconWords,
    groups: Ints,
    n_tokens: int,
    probability: Callable[[Ints, Ints], Floats],
    progress: Callable[[float], Any] | None = None,
) -> Floats:
    """sum_j t(e|f_j) over the source sentence, for each target token; 0 for unknown words.

    Parameters
    ----------
    source, target
        Words of both sides.
    groups
        Sentences with one number are looked up together, (sentences).
    n_tokens
        Number of target tokens.
    probability
        t of source words and target words.
    progress
        Called with the share of the work that was just done.

    Returns
    -------
    array of shape (n_tokens)
        The sums.
    """
    token_sums = np.zeros(n_tokens)
    order = np.argsort(groups, kind="stable")
    work = (np.diff(source.offsets) * np.diff(target.offsets))[order]
    group_begins = np.flatnonzero(np.diff(groups[order], prepend=groups[order[:1]] - 1))
    group_work = np.add.reduceat(work, group_begins) if group_begins.size else work
    group_ends = np.append(group_begins[1:], order.size)
    for group_slice in slices_by_size(group_work, CELLS_AT_ONCE):
        rows = order[group_begins[group_slice.start] : group_ends[group_slice.stop - 1]]
        target_slice = target.take(rows)
        token_sums[target_slice.positions] = sums_of_slice(source.take(rows), target_slice, groups[rows], probability)
        if progress is not None:
            progress(rows.size / order.size)
    return token_sums


def sums_of_slice(
    source: LexiconWords, target: LexiconWords, groups: Ints, probability: Callable[[Ints, Ints], Floats]
) -> Floats:
    """(target tokens) the sums of `summed_by_word`, for sentences ordered by group."""
    group = np.cumsum(np.diff(groups, prepend=groups[0]) != 0)
    source_words, source_word_of_token, source_begins = distinct_words(source, group)
    target_words, target_word_of_token, target_begins = distinct_words(target, group)
    # A row for each source word of each group, with a cell for each target word of that group.
    group_of_word = group_of(source_begins)
    widths = np.diff(target_begins)[group_of_word]
    cells = ranges(target_begins[group_of_word], widths)
    table = probability(np.repeat(source_words, widths), target_words[cells])
    row = bounds(widths)[:-1][source_word_of_token]
    column = target_word_of_token - target_begins[group[group_of(target.offsets)]]
    # Each target token fetches its column from the rows of all source tokens of its sentence.
    sentence = group_of(target.offsets)
    lengths = np.diff(source.offsets)[sentence]
    token_probabilities = table[row[ranges(source.offsets[:-1][sentence], lengths)] + np.repeat(column, lengths)]
    begins = bounds(lengths)[:-1]
    nonempty = lengths > 0
    sums = np.zeros(lengths.size)
    if nonempty.any():
        sums[nonempty] = np.add.reduceat(token_probabilities, begins[nonempty])
    return sums


def distinct_words(sentences: LexiconWords, group: Ints) -> tuple[Ints, Ints, Ints]:
    """The distinct words of each group, rising; the index of each token's word; where the words of each group begin."""
    stride = int(sentences.tokens.max(initial=0)) + 1
    keys, word_of_token = np.unique(group[group_of(sentences.offsets)] * stride + sentences.tokens, return_inverse=True)
    sizes = np.bincount(keys // stride, minlength=int(group[-1]) + 1)
    return keys % stride, word_of_token, bounds(sizes)


#: Lower bound of a word's probability without smoothing.
FLOOR = 1e-7
#: With smoothing: the weight of the unigram; the bonus of an unknown word that occurs in the source as well.
UNIGRAM, COPY = 0.1, 0.1


@dataclass(frozen=True)
class LexicalScores:
    """Natural logarithms of P(target | source), one per sentence; higher is more likely.

    Attributes
    ----------
    plain
        Without smoothing; may be above 0.
    smoothed
        With smoothing; at most 0.
    """

    plain: Floats
    smoothed: Floats


@dataclass(frozen=True, eq=False, repr=False)
class Lexicon:
    """The probabilities t(e|f) that the source word f is translated by the target word e; see `train_lexicon`.

    Attributes
    ----------
    source_words
        With the empty word first if `null` is set.
    target_words
        The target words.
    begins
        Where the translations of each source word begin, (source words + 1).
    targets
        Numbers of the target words of each, rising.
    probability
        Of each pair, as float32.
    counts
        How often each target word occurs in the training text.
    null
        Whether every source sentence has an empty word.
    likelihood
        Logarithm of the training text's probability before each iteration, and after the last.
    """

    source_words: tuple[str, ...]
    target_words: tuple[str, ...]
    begins: Ints
    targets: npt.NDArray[np.int32]
    probability: npt.NDArray[np.float32]
    counts: Ints
    null: bool
    likelihood: tuple[float, ...] = field(default=())

    def __repr__(self) -> str:
        sides = (
            f"{pluralise(len(self.source_words), 'source word')}, {pluralise(len(self.target_words), 'target word')}"
        )
        return f"Lexicon({sides}, {pluralise(self.targets.size, 'pair')})"

    @cached_property
    def source_numbers(self) -> dict[str, int]:
        return {word: i for i, word in enumerate(self.source_words)}

    @cached_property
    def target_numbers(self) -> dict[str, int]:
        return {word: i for i, word in enumerate(self.target_words)}

    @cached_property
    def keys(self) -> Ints:
        """(pairs) source times the number of target words, plus target: rising."""
        source = np.repeat(np.arange(len(self.source_words)), np.diff(self.begins))
        return source * len(self.target_words) + self.targets

    def translations(self, word: str, limit: int | None = None) -> dict[str, float]:
        """The translations of a source word with their probabilities, the most likely first; none of an unknown one.

        Parameters
        ----------
        word
            The source word.
        limit
            Largest number of translations. Default: all.

        Examples
        --------
        >>> from rankscope.translation import train_lexicon
        >>> lexicon = train_lexicon(["das haus", "das buch"], ["the house", "the book"], null=False)
        >>> list(lexicon.translations("das", 1))
        ['the']
        """
        source = self.source_numbers.get(word)
        if source is None:
            return {}
        translation_slice = slice(int(self.begins[source]), int(self.begins[source + 1]))
        order = np.argsort(-self.probability[translation_slice], kind="stable")[:limit]
        return {
            self.target_words[e]: p
            for e, p in zip(
                self.targets[translation_slice][order].tolist(),
                self.probability[translation_slice][order].tolist(),
                strict=True,
            )
        }

    def scores(
        self,
        sources: Iterable[str] | TokenLists,
        targets: Iterable[str] | TokenLists,
        *,
        groups: npt.ArrayLike | None = None,
        progress: Callable[[float], Any] | None = None,
    ) -> LexicalScores:
        """Natural logarithm of the probability of each target sentence, given its source; higher is more likely.

        Parameters
        ----------
        sources, targets
            Tokenised texts of the same number of sentences.
        groups
            Numbers of sentences; sentences with one number have much in common, as the outputs of many systems for one
            source: it is then quicker, with the same values.
        progress
            Called with the share of the work that was just done.

        Returns
        -------
        LexicalScores
            An empty target gives 0; an empty source has only the empty word.

        Raises
        ------
        InputError
            Numbers of sentences or groups differ.
        ParameterError
            There is one text instead of a list.

        Notes
        -----
        plain: P(e|f) = prod_i sum_j t(e_i|f_j), each factor at least 1e-7; without the factor of the length it is not a
        probability and can be above 0. smoothed: prod_i of .9 (sum_j t(e_i|f_j) + .1 [e_i occurs in the source and is
        not a word of t])/(l + 1) + .1 p(e_i), with l words in the source, and p the share of the training text that e_i
        is, with one added to each count and an unknown word counted. f_j are the words of the source, and the empty one
        if the lexicon has it.

        References
        ----------
        Brown et al. (1993), "The mathematics of statistical machine translation", model 1, without the length; Li,
        Jiang and Wang (2013).

        Examples
        --------
        >>> from rankscope.translation import train_lexicon
        >>> lexicon = train_lexicon(["das haus", "das buch"], ["the house", "the book"], null=False)
        >>> found = lexicon.scores(["das buch", "das buch"], ["the book", "the house"])
        >>> bool(found.plain[0] > found.plain[1]), bool(found.smoothed[0] > found.smoothed[1])
        (True, True)
        """
        token_lists = [
            sentences if isinstance(sentences, TokenLists) else TokenLists.of(as_lines(sentences, what))
            for sentences, what in ((sources, "sources"), (targets, "targets"))
        ]
        source, target = token_lists
        if len(source) != len(target):
            raise InputError(
                f"{pluralise(len(source), 'source')} and {len(target):,} targets, expected as many of each"
            )
        group_numbers = np.arange(len(source)) if groups is None else np.asarray(groups, np.int64)
        if group_numbers.shape != (len(source),):
            raise InputError(
                f"{group_numbers.size:,} groups for {pluralise(len(source), 'sentence')}, expected one each"
            )
        translation_sums = summed_by_word(
            LexiconWords.of(source, self.source_numbers),
            LexiconWords.of(target, self.target_numbers),
            group_numbers,
            target.tokens.size,
            self.probabilities,
            progress,
        )
        return self.sum_by_sentence(source, target, translation_sums)

    def probabilities(self, source: Ints, target: Ints) -> Floats:
        """t(e|f) of pairs of words; 0 for pairs that never occurred together.

        Parameters
        ----------
        source, target
            The numbers of the words of each pair, (pairs).
        """
        pair_keys = source * len(self.target_words) + target
        pair_index = np.minimum(np.searchsorted(self.keys, pair_keys), self.keys.size - 1)
        return np.where(self.keys[pair_index] == pair_keys, self.probability[pair_index], 0.0)

    def sum_by_sentence(self, source: TokenLists, target: TokenLists, translation_sums: Floats) -> LexicalScores:
        """Sums of logarithms by sentence.

        Parameters
        ----------
        source, target
            The sentences, as many of each.
        translation_sums
            The sum of t over the words of the source for each word of the targets, (target tokens).
        """
        n, sentence = len(target), target.sentence
        target_numbers = target.numbers_in(self.target_numbers)[target.tokens]
        unknown = target_numbers < 0
        if self.null:
            all_targets = np.arange(len(self.target_words))
            null_probabilities = np.append(self.probabilities(np.zeros_like(all_targets), all_targets), 0.0)
            translation_sums = translation_sums + null_probabilities[target_numbers]
        counts = np.append(self.counts, 0)[target_numbers]
        unigram = (counts + 1) / (self.counts.sum() + self.counts.size + 1)
        copy_bonus = COPY * (unknown & copied_words(source, target))
        smoothed = (1 - UNIGRAM) * (translation_sums + copy_bonus) / (source.lengths[sentence] + 1) + UNIGRAM * unigram
        plain = np.log(np.maximum(translation_sums, FLOOR))
        return LexicalScores(sum_by_group(plain, sentence, n), sum_by_group(np.log(smoothed), sentence, n))
