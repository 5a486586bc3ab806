"""IBM model 1, trained by expectation-maximisation.

A sentence pair counts through its different words and how often each stands there: e and f that stand c and d times
have the expected count c d t(e|f) / sum over the source's words f' of d' t(e|f').
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
from rankscope.stats.inputs import check_count
from rankscope.translation.lexicon import Lexicon
from rankscope.translation.token_lists import TokenLists, slices_by_size, sorted_unique
from rankscope.translation.tokenisation import as_lines
from rankscope.typing import Floats, Ints, Ints32

__all__ = [
    "EMPTY",
    "train_lexicon",
]


#: The empty word, which stands in every source sentence.
EMPTY = ""
#: Pairs of words at a time.
CELLS_AT_ONCE = 1 << 18


def train_lexicon(
    sources: Iterable[str],
    targets: Iterable[str],
    *,
    iterations: int = 5,
    null: bool = True,
    progress: Callable[[float], Any] | None = None,
) -> Lexicon:
    """t(e|f), in [0, 1], of all words e of targets and f of sources that stand in one sentence pair: IBM model 1.

    It begins with all translations equally likely; no iteration lowers the likelihood of the text. sources, targets:
    tokenised texts, words between blanks, line by line translations of each other. Pairs of which one is empty teach
    nothing and are left out. iterations: at least 1. null: whether every source sentence holds the empty word as well.
    progress: told of the share of the work just done.

    Raises InputError for unequal numbers of lines, and where no pair has words on both sides; ParameterError for
    arguments. Source: Brown et al. (1993), "The mathematics of statistical machine translation", section 4.1; Koehn
    (2010), "Statistical machine translation", figure 4.3. Differs from NLTK, which counts a target word that stands
    twice in a sentence wrongly.

    >>> lexicon = train_lexicon(["das haus", "das buch", "ein buch"], ["the house", "the book", "a book"], null=False)
    >>> {e: round(p, 3) for e, p in lexicon.translations("buch").items()}
    {'book': 0.896, 'a': 0.06, 'the': 0.044}
    >>> bool(np.all(np.diff(lexicon.likelihood) >= 0))
    True
    """
    check_count("iterations", iterations, 1)
    source, target = (
        TokenLists.of(as_lines(lines, what)) for lines, what in ((sources, "sources"), (targets, "targets"))
    )
    if len(source) != len(target):
        raise InputError(
            f"{pluralise(len(source), 'line')} of sources and {len(target):,} of targets, expected as many: line by "
            "line translations"
        )
    kept = np.flatnonzero((source.lengths > 0) & (target.lengths > 0))
    if not kept.size:
        raise InputError("no pair of lines has words on both sides, expected text to learn from")
    source, target = source.take(kept), target.take(kept)
    counts = np.bincount(target.tokens, minlength=len(target.words))
    share = 1 / (iterations + 2)
    pairs = word_pairs(
        SentenceWords.of(source, null), SentenceWords.of(target, False), len(target.words), share, progress
    )
    probability, likelihood = run_em(pairs, len(target.words), iterations, share, progress)
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
    """The different words of each sentence. word, count: flat. offsets: of the sentences."""

    word: Ints
    count: Ints
    offsets: Ints

    @classmethod
    def of(cls, sentences: TokenLists, null: bool) -> SentenceWords:
        """null: whether the empty word, number 0, stands before the others, whose numbers then are one higher."""
        n = len(sentences.words) + null
        keys = sentences.sentence * n + sentences.tokens + null
        if null:
            keys = np.concatenate((keys, np.arange(len(sentences)) * n))
        found, count = np.unique(keys, return_counts=True)
        return cls(found % n, count, bounds(np.bincount(found // n, minlength=len(sentences))))


@dataclass(frozen=True, eq=False)
class PairBlock:
    """The pairs of words of some sentences: for each target word, one after the other, all words of its source.

    pair: which of the block's different pairs each is. place: of each different pair among those of the whole text.
    often: the pairs whose source word stands more than once, and how often. begin: where those of each target word
    begin. count: how often each target word stands there. words: in the source of each, for the likelihood.
    """

    pair: Ints32
    place: Ints32
    often: tuple[Ints32, Floats]
    begin: Ints
    count: Floats
    words: Floats

    def expected(self, probability: Floats) -> tuple[Floats, float]:
        """The expected count of each different pair, and the logarithm of the likelihood."""
        values = probability[self.place][self.pair]
        repeated, times = self.often
        values[repeated] *= times
        sums = np.add.reduceat(values, self.begin)
        likelihood = float(self.count @ np.log(sums / self.words))
        values *= np.repeat(self.count / sums, np.diff(self.begin, append=values.size))
        return sum_by_group(values, self.pair.astype(np.int64), self.place.size), likelihood


@dataclass(frozen=True, eq=False)
class WordPairs:
    """keys: of all different pairs, source word times the number of target words plus target word, rising. sizes: how
    many each source word has.
    """

    keys: Ints
    sizes: Ints
    blocks: list[PairBlock]


def word_pairs(
    source: SentenceWords, target: SentenceWords, width: int, share: float, progress: Callable[[float], Any] | None
) -> WordPairs:
    """All pairs of words of all sentences. width: how many target words there are."""
    work = np.diff(source.offsets) * np.diff(target.offsets)
    keys, blocks = [], []
    for part in slices_by_size(work, CELLS_AT_ONCE):
        own, block = pair_block(source, target, part, width)
        keys.append(own)
        blocks.append(block)
        if progress is not None:
            progress(share * float(work[part].sum() / work.sum()))
    all_keys = sorted_unique(np.concatenate(keys))
    for i, own in enumerate(keys):
        blocks[i] = replace(blocks[i], place=np.searchsorted(all_keys, own).astype(np.int32))
        keys[i] = own[:0]  # they fill much memory, and nobody asks again
    return WordPairs(all_keys, np.bincount(all_keys // width), blocks)


def pair_block(source: SentenceWords, target: SentenceWords, part: slice, width: int) -> tuple[Ints, PairBlock]:
    """The different pairs of some sentences, and a block that does not yet know their places."""
    f, e = (slice(int(side.offsets[part.start]), int(side.offsets[part.stop])) for side in (source, target))
    sentence = part.start + group_of(target.offsets[part.start : part.stop + 1] - target.offsets[part.start])
    lengths = np.diff(source.offsets)[sentence]
    cells = ranges(source.offsets[:-1][sentence], lengths)
    keys = source.word[cells] * width + np.repeat(target.word[e], lengths)
    own, pair = np.unique(keys, return_inverse=True)
    times = source.count[cells]
    repeated = np.flatnonzero(times > 1).astype(np.int32)
    words = np.add.reduceat(source.count[f], source.offsets[part.start : part.stop] - f.start)
    block = PairBlock(
        pair=pair.astype(np.int32),
        place=np.empty(0, np.int32),
        often=(repeated, times[repeated].astype(np.float64)),
        begin=bounds(lengths)[:-1],
        count=target.count[e].astype(np.float64),
        words=words[sentence - part.start].astype(np.float64),
    )
    return own, block


def run_em(
    pairs: WordPairs, width: int, iterations: int, share: float, progress: Callable[[float], Any] | None
) -> tuple[Floats, tuple[float, ...]]:
    """Probabilities of pairs, at first the same for all `width` target words; and the logarithm of the likelihood
    before each iteration and after the last.
    """
    probability, likelihood = np.full(pairs.keys.size, 1 / width), []
    begins = bounds(pairs.sizes)[:-1]
    for _ in range(iterations + 1):
        counts, total = np.zeros(pairs.keys.size), 0.0
        for block in pairs.blocks:
            expected, part = block.expected(probability)
            counts[block.place] += expected
            total += part
            if progress is not None:
                progress(share / len(pairs.blocks))
        likelihood.append(total)
        if len(likelihood) <= iterations:
            probability = counts / np.repeat(np.add.reduceat(counts, begins), pairs.sizes)
    return probability, tuple(likelihood)
