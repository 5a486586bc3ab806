"""The texts of a language pair as features need them; each form is made once, where it is asked for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from rankscope.learning.mt.consensus_f import consensus_f
from rankscope.learning.mt.language_model import LanguageModel
from rankscope.learning.mt.lexicon import LexicalScores, Lexicon
from rankscope.learning.mt.ngram_matches import NgramMatches, closest_lengths, ngram_matches
from rankscope.learning.mt.token_lists import TokenLists
from rankscope.learning.mt.tokenisation import tokenised
from rankscope.typing import Floats, Ints

__all__ = ["PreparedTexts"]


WORD_ORDERS = 4


class PreparedTexts:
    """Rows are outputs, system after system, and of each all segments."""

    def __init__(
        self,
        sources: Sequence[str],
        references: Sequence[Sequence[str]],
        outputs: Mapping[str, Sequence[str]],
        language_model: LanguageModel | None,
        forward: Lexicon | None,
        backward: Lexicon | None,
    ) -> None:
        self.sources, self.references = sources, references
        self.outputs = [line for lines in outputs.values() for line in lines]
        self.n_systems = len(outputs)
        self.language_model, self.forward, self.backward = language_model, forward, backward

    @cached_property
    def segments(self) -> Ints:
        """(rows) the segment of each."""
        return np.tile(np.arange(len(self.sources)), self.n_systems)

    @cached_property
    def texts(self) -> list[str]:
        """(rows) the outputs, tokenised."""
        return tokenised(self.outputs)

    @cached_property
    def tokens(self) -> tuple[TokenLists, TokenLists, list[TokenLists]]:
        """The words of sources, outputs and references, numbered alike."""
        numbers: defaultdict[str, int] = defaultdict()
        numbers.default_factory = numbers.__len__
        sides = [tokenised(self.sources), self.texts, *map(tokenised, self.references)]
        found = [TokenLists.split([text.split() for text in side], numbers) for side in sides]
        words = tuple(numbers)  # all of them, whichever side has them
        source, output, *references = (TokenLists(words, side.tokens, side.offsets) for side in found)
        return source, output, references

    @cached_property
    def matches(self) -> NgramMatches:
        """Of word n-grams."""
        _, output, references = self.tokens
        return ngram_matches(output, self.segments, references, WORD_ORDERS)

    @cached_property
    def log_precisions(self) -> Floats:
        """(orders, rows) the k-th order without a match counts 1 / (2^k max(total, 1))."""
        matches, total = self.matches.matches, np.maximum(self.matches.totals, 1)
        halvings = np.cumsum(matches == 0, axis=0)
        return np.log(np.where(matches > 0, matches, 0.5**halvings) / total)

    @cached_property
    def log_brevity(self) -> Floats:
        """(rows) min(0, 1 - reference's length / output's length)."""
        _, output, references = self.tokens
        closest = closest_lengths(output.lengths, self.segments, [side.lengths for side in references])
        return np.minimum(0.0, 1 - closest / np.maximum(output.lengths, 1))

    @cached_property
    def lexical_forward(self) -> LexicalScores:
        assert self.forward is not None
        source, output, _ = self.tokens
        return self.forward.scores(source.take(self.segments), output, groups=self.segments)

    @cached_property
    def lexical_backward(self) -> LexicalScores:
        assert self.backward is not None
        source, output, _ = self.tokens
        return self.backward.scores(output, source.take(self.segments), groups=self.segments)

    @cached_property
    def consensus(self) -> Floats:
        """(rows) how alike each output is to the other systems' ones."""
        return consensus_f(self.outputs, self.segments)

    def of_systems(self, values: Floats) -> Floats:
        """(rows) the mean over the system's rows."""
        return np.repeat(values.reshape(self.n_systems, -1).mean(axis=1), len(self.sources))
