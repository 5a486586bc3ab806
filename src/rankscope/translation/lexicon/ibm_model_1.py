"""IBM model 1: a lexicon trained by expectation-maximisation.

A sentence pair is stored as its distinct words and their counts: e and f that occur c and d times have the expected
count c d t(e|f) / sum over the source's words f' of d' t(e|f').
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rankscope.data.text import pluralise
from rankscope.errors import InputError
from rankscope.kernels.order import ranges
from rankscope.kernels.segments import bounds, group_of, sum_by_group
from rankscope.settings import Settings, count, switch
from rankscope.translation.lexicon.lexicon import Lexicon
from rankscope.translation.token_lists import TokenLists, slices_by_size, sorted_unique
from rankscope.translation.tokenisation import as_lines
from rankscope.typing import Floats, Ints, Ints32

__all__ = [
    "EMPTY",
    "LexiconSettings",
    "estimate_lexicon",
    "train_lexicon",
]


#: The empty word, which is part of every source sentence.
EMPTY = ""
#: Pairs of words at a time.
CELLS_AT_ONCE = 1 << 18


@dataclass(frozen=True, kw_only=True)
class LexiconSettings(Settings):
    """How a lexicon is trained; see `train_lexicon`."""

    FUNCTIONS = ("rankscope.translation:train_lexicon",)
    COMMANDS = ("features lexicon",)

    iterations: int = count(5, help="Number of iterations of expectation-maximisation.")
    null: bool = switch(True, help="Add an empty word to every source sentence.")


def train_lexicon(
    sources: Iterable[str],
    targets: Iterable[str],
    *,
    iterations: int = 5,
    null: bool = True,
    progress: Callable[[float], Any] | None = None,
) -> Lexicon:
    """Train IBM model 1: the probabilities t(e|f) that the source word f is translated by the target word e.

    Parameters
    ----------
    sources, targets
        Tokenised texts, words separated by blanks; line n of the targets translates line n of the sources. Pairs with
        an empty side are skipped.
    iterations
        Number of iterations of expectation-maximisation. Default: 5.
    null
        Add an empty word to every source sentence. Default: True.
    progress
        Called with the share of the work that was just done.

    Returns
    -------
    Lexicon
        t(e|f), in [0, 1], for all words that occur together in a sentence pair.

    Raises
    ------
    ParameterError
        A setting is out of range.
    InputError
        The numbers of lines differ, or no pair has words on both sides.

    Notes
    -----
    Training starts with all translations equally likely; no iteration lowers the likelihood of the text. Differs from
    NLTK, which miscounts a target word that occurs twice in a sentence.

    References
    ----------
    Brown et al. (1993), "The mathematics of statistical machine translation", section 4.1; Koehn (2010), "Statistical
    machine translation", figure 4.3.

    Examples
    --------
    >>> lexicon = train_lexicon(["das haus", "das buch", "ein buch"], ["the house", "the book", "a book"], null=False)
    >>> {e: round(p, 3) for e, p in lexicon.translations("buch").items()}
    {'book': 0.896, 'a': 0.06, 'the': 0.044}
    >>> bool(np.all(np.diff(lexicon.likelihood) >= 0))
    True
    """
    return estimate_lexicon(sources, targets, LexiconSettings(iterations=iterations, null=null), progress=progress)


def estimate_lexicon(
    sources: Iterable[str],
    targets: Iterable[str],
    settings: LexiconSettings,
    *,
    progress: Callable[[float], Any] | None = None,
) -> Lexicon:
    """As `train_lexicon`, with its settings as one object."""
    iterations, null = settings.iterations, settings.null
    source, target = (
        TokenLists.of(as_lines(lines, what)) for lines, what in ((sources, "sources"), (targets, "targets"))
    )
    if len(source) != len(target):
        raise InputError(
            f"{pluralise(len(source), 'line')} of sources and {len(target):,} of targets, expected as many: line by "
            "line translations"
        )
    nonempty = np.flatnonzero((source.lengths > 0) & (target.lengths > 0))
    if not nonempty.size:
        raise InputError("no pair of lines has words on both sides, expected text to learn from")
    source, target = source.take(nonempty), target.take(nonempty)
    counts = np.bincount(target.tokens, minlength=len(target.words))
    step_share = 1 / (iterations + 2)
    pairs = word_pairs(
        SentenceWords.of(source, null), SentenceWords.of(target, False), len(target.words), step_share, progress
    )
    probability, likelihood = run_em(pairs, len(target.words), iterations, step_share, progress)
    f, e = np.divmod(pairs.keys, len(target.words))
    return Lexicon(
        source_words=((EMPTY,) if null else ()) + source.words,
        target_words=target.words,
        begins=bounds(np.bincount(f, minlength=len(source.words) + null)),
        targets=e.astype(np.int32),
        probability=probability.astype(np.float32),
        counts=counts,
        null=null,
        likelihood=likelihood,
    )


@dataclass(frozen=True, eq=False)
class SentenceWords:
    """The distinct words of each sentence.

    Attributes
    ----------
    word, count
        Number and count of each word, sentence after sentence.
    offsets
        Where the words of each sentence begin.
    """

    word: Ints
    count: Ints
    offsets: Ints

    @classmethod
    def of(cls, sentences: TokenLists, null: bool) -> SentenceWords:
        """null: whether the empty word, number 0, comes before the others, whose numbers are then one higher."""
        n_numbers = len(sentences.words) + null
        keys = sentences.sentence * n_numbers + sentences.tokens + null
        if null:
            keys = np.concatenate((keys, np.arange(len(sentences)) * n_numbers))
        unique_keys, counts = np.unique(keys, return_counts=True)
        return cls(
            unique_keys % n_numbers, counts, bounds(np.bincount(unique_keys // n_numbers, minlength=len(sentences)))
        )


@dataclass(frozen=True, eq=False)
class PairBlock:
    """The pairs of words of some sentences: for each target word, one after the other, all words of its source.

    Attributes
    ----------
    pair_index
        Index of each pair among the distinct pairs of the block.
    key_index
        Index of each distinct pair among those of the whole text.
    repeated_pairs
        The pairs whose source word occurs more than once, and how often.
    begins
        Where the pairs of each target word begin.
    counts
        How often each target word occurs in its sentence.
    source_lengths
        Length of the source of each target word, for the likelihood.
    """

    pair_index: Ints32
    key_index: Ints32
    repeated_pairs: tuple[Ints32, Floats]
    begins: Ints
    counts: Floats
    source_lengths: Floats

    def expected_counts(self, probability: Floats) -> tuple[Floats, float]:
        """The expected count of each distinct pair, and the logarithm of the likelihood."""
        values = probability[self.key_index][self.pair_index]
        repeated, times = self.repeated_pairs
        values[repeated] *= times
        sums = np.add.reduceat(values, self.begins)
        likelihood = float(self.counts @ np.log(sums / self.source_lengths))
        values *= np.repeat(self.counts / sums, np.diff(self.begins, append=values.size))
        return sum_by_group(values, self.pair_index.astype(np.int64), self.key_index.size), likelihood


@dataclass(frozen=True, eq=False)
class WordPairs:
    """The distinct pairs of words of a text.

    Attributes
    ----------
    keys
        Source word times the number of target words plus target word, rising.
    sizes
        Number of pairs of each source word.
    blocks
        The pairs by blocks of sentences.
    """

    keys: Ints
    sizes: Ints
    blocks: list[PairBlock]


def word_pairs(
    source: SentenceWords,
    target: SentenceWords,
    n_target_words: int,
    step_share: float,
    progress: Callable[[float], Any] | None,
) -> WordPairs:
    """All pairs of words of all sentences."""
    work = np.diff(source.offsets) * np.diff(target.offsets)
    keys, blocks = [], []
    for sentence_slice in slices_by_size(work, CELLS_AT_ONCE):
        block_keys, block = pair_block(source, target, sentence_slice, n_target_words)
        keys.append(block_keys)
        blocks.append(block)
        if progress is not None:
            progress(step_share * float(work[sentence_slice].sum() / work.sum()))
    all_keys = sorted_unique(np.concatenate(keys))
    for i, block_keys in enumerate(keys):
        blocks[i] = replace(blocks[i], key_index=np.searchsorted(all_keys, block_keys).astype(np.int32))
        keys[i] = block_keys[:0]  # frees their memory
    return WordPairs(all_keys, np.bincount(all_keys // n_target_words), blocks)


def pair_block(
    source: SentenceWords, target: SentenceWords, sentence_slice: slice, n_target_words: int
) -> tuple[Ints, PairBlock]:
    """The distinct pairs of some sentences, and their block, whose `place` is still empty."""
    source_slice, target_slice = (
        slice(int(sentences.offsets[sentence_slice.start]), int(sentences.offsets[sentence_slice.stop]))
        for sentences in (source, target)
    )
    sentence = sentence_slice.start + group_of(
        target.offsets[sentence_slice.start : sentence_slice.stop + 1] - target.offsets[sentence_slice.start]
    )
    lengths = np.diff(source.offsets)[sentence]
    source_positions = ranges(source.offsets[:-1][sentence], lengths)
    keys = source.word[source_positions] * n_target_words + np.repeat(target.word[target_slice], lengths)
    unique_keys, pair_index = np.unique(keys, return_inverse=True)
    source_counts = source.count[source_positions]
    repeated = np.flatnonzero(source_counts > 1).astype(np.int32)
    source_lengths = np.add.reduceat(
        source.count[source_slice], source.offsets[sentence_slice.start : sentence_slice.stop] - source_slice.start
    )
    block = PairBlock(
        pair_index=pair_index.astype(np.int32),
        key_index=np.empty(0, np.int32),
        repeated_pairs=(repeated, source_counts[repeated].astype(np.float64)),
        begins=bounds(lengths)[:-1],
        counts=target.count[target_slice].astype(np.float64),
        source_lengths=source_lengths[sentence - sentence_slice.start].astype(np.float64),
    )
    return unique_keys, block


def run_em(
    pairs: WordPairs, n_target_words: int, iterations: int, step_share: float, progress: Callable[[float], Any] | None
) -> tuple[Floats, tuple[float, ...]]:
    """Probabilities of pairs, and the logarithm of the likelihood before each iteration and after the last.

    Training starts with the same probability for all target words.
    """
    probability, likelihood = np.full(pairs.keys.size, 1 / n_target_words), []
    begins = bounds(pairs.sizes)[:-1]
    for _ in range(iterations + 1):
        counts, log_likelihood = np.zeros(pairs.keys.size), 0.0
        for block in pairs.blocks:
            expected, block_log_likelihood = block.expected_counts(probability)
            counts[block.key_index] += expected
            log_likelihood += block_log_likelihood
            if progress is not None:
                progress(step_share / len(pairs.blocks))
        likelihood.append(log_likelihood)
        if len(likelihood) <= iterations:
            probability = counts / np.repeat(np.add.reduceat(counts, begins), pairs.sizes)
    return probability, tuple(likelihood)
