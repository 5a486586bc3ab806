"""IBM model 1: with what probability a word translates another, and a sentence another."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.data.wording import pluralise
from rankscope.errors import InputError
from rankscope.kernels.segments import sum_by_group
from rankscope.learning.mt.lexical_sums import LexiconWords, copied_words, summed_by_word
from rankscope.learning.mt.token_lists import TokenLists
from rankscope.learning.mt.tokenisation import as_lines
from rankscope.typing import Floats, Ints

__all__ = ["FLOOR", "LexicalScores", "Lexicon"]


#: Below this no word's probability falls, where nothing is smoothed.
FLOOR = 1e-7
#: Smoothed: the weight of the unigram; what a word that nobody translated gains where it stands in the source as well.
UNIGRAM, COPY = 0.1, 0.1


@dataclass(frozen=True)
class LexicalScores:
    """Natural logarithms of P(target | source), one a sentence, at most 0 where smoothed; higher is more likely."""

    plain: Floats
    smoothed: Floats


@dataclass(frozen=True, eq=False, repr=False)
class Lexicon:
    """t(e|f): with what probability the source word f is translated by the target word e; see `train_lexicon`.

    source_words: with the empty word first, where `null` is set, which stands in every source sentence. begins: (source
    words + 1) where the translations of each begin. targets: rising numbers of target words of each. probability:
    float32, of each pair. counts: (target words) how often each stands in the training text. likelihood: the logarithm
    of the training text's probability before each iteration, and after the last.
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

    def translations(self, word: str, most: int | None = None) -> dict[str, float]:
        """The translations of a source word with their probabilities, the likeliest first; none of an unknown one.

        >>> from rankscope.learning.mt import train_lexicon
        >>> lexicon = train_lexicon(["das haus", "das buch"], ["the house", "the book"], null=False)
        >>> list(lexicon.translations("das", 1))
        ['the']
        """
        row = self.source_numbers.get(word)
        if row is None:
            return {}
        part = slice(int(self.begins[row]), int(self.begins[row + 1]))
        order = np.argsort(-self.probability[part], kind="stable")[:most]
        return {
            self.target_words[e]: p
            for e, p in zip(self.targets[part][order].tolist(), self.probability[part][order].tolist(), strict=True)
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

        plain: P(e|f) = prod_i sum_j t(e_i|f_j), each factor at least 1e-7; without the factor of the length it is no
        probability and can lie above 0. smoothed: prod_i of
        .9 (sum_j t(e_i|f_j) + .1 [e_i stands in the source and is no word of t])/(l + 1) + .1 p(e_i), l words in the
        source, p the share of the training text that e_i is, with one added to each count and an unknown word counted.
        f_j are the words of the source, and the empty one where the lexicon has it. An empty target gives 0; an empty
        source leaves the empty word alone.

        sources, targets: tokenised texts, equally many. groups: (sentences) numbers; sentences of one number have much
        in common, as the outputs of many systems for one source do: it is then quicker, with the same values. progress:
        told of the share of the work just done. Raises InputError for unequal numbers of sentences, or of groups,
        ParameterError for one text in the place of many.
        Source: Brown et al. (1993), "The mathematics of statistical machine translation", model 1, without the length;
        Li, Jiang and Wang (2013).

        >>> from rankscope.learning.mt import train_lexicon
        >>> lexicon = train_lexicon(["das haus", "das buch"], ["the house", "the book"], null=False)
        >>> found = lexicon.scores(["das buch", "das buch"], ["the book", "the house"])
        >>> bool(found.plain[0] > found.plain[1]), bool(found.smoothed[0] > found.smoothed[1])
        (True, True)
        """
        given = [
            part if isinstance(part, TokenLists) else TokenLists.of(as_lines(part, what))
            for part, what in ((sources, "sources"), (targets, "targets"))
        ]
        source, target = given
        if len(source) != len(target):
            raise InputError(
                f"{pluralise(len(source), 'source')} and {len(target):,} targets, expected as many of each"
            )
        together = np.arange(len(source)) if groups is None else np.asarray(groups, np.int64)
        if together.shape != (len(source),):
            raise InputError(f"{together.size:,} groups for {pluralise(len(source), 'sentence')}, expected one each")
        translated = summed_by_word(
            LexiconWords.of(source, self.source_numbers),
            LexiconWords.of(target, self.target_numbers),
            together,
            target.tokens.size,
            self.probabilities,
            progress,
        )
        return self.by_sentence(source, target, translated)

    def probabilities(self, source: Ints, target: Ints) -> Floats:
        """T of words by their numbers; 0 where they never stood together."""
        wanted = source * len(self.target_words) + target
        place = np.minimum(np.searchsorted(self.keys, wanted), self.keys.size - 1)
        return np.where(self.keys[place] == wanted, self.probability[place], 0.0)

    def by_sentence(self, source: TokenLists, target: TokenLists, translated: Floats) -> LexicalScores:
        """Logarithms, added up. translated: of each target token the sum of t over the words of its source."""
        n, sentence = len(target), target.sentence
        known = target.numbered_by(self.target_numbers)[target.tokens]
        unknown = known < 0
        if self.null:
            words = np.arange(len(self.target_words))
            empty = np.append(self.probabilities(np.zeros_like(words), words), 0.0)
            translated = translated + empty[known]
        counts = np.append(self.counts, 0)[known]
        alone = (counts + 1) / (self.counts.sum() + self.counts.size + 1)
        copied = COPY * (unknown & copied_words(source, target))
        smoothed = (1 - UNIGRAM) * (translated + copied) / (source.lengths[sentence] + 1) + UNIGRAM * alone
        plain = np.log(np.maximum(translated, FLOOR))
        return LexicalScores(sum_by_group(plain, sentence, n), sum_by_group(np.log(smoothed), sentence, n))
