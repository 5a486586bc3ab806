"""A back-off n-gram model: log10 probabilities of words given the words before them.

An n-gram is a row of its order: the number of the row of its first n - 1 words (its context), times the size of the
vocabulary, plus its last word, is its key, one 64-bit number. Rows are in order of their keys, and so of their words.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.data.text import pluralise
from rankscope.errors import InputError
from rankscope.kernels.key_index import KeyIndex
from rankscope.kernels.segments import bounds
from rankscope.translation.language_model.vocabulary import END, START, UNKNOWN, WordIndex, tokens_of
from rankscope.typing import Floats, Ints

__all__ = [
    "LOG_ZERO",
    "LanguageModel",
    "NgramLevel",
    "SentenceScores",
    "TokenScores",
    "context_and_word",
]


def context_and_word(keys: Ints, n_words: int) -> tuple[Ints, Ints]:
    """The rows of the contexts, and the last words. n_words: the size of the vocabulary."""
    context = keys // n_words
    return context, keys - context * n_words


#: The logarithm of 0 in ARPA files.
LOG_ZERO = -99.0


@dataclass(frozen=True, eq=False)
class NgramLevel:
    """The n-grams of one order. In order 1, row i is word i.

    Attributes
    ----------
    keys
        Their keys, rising.
    log10
        log10 of the probabilities.
    backoff
        log10 of the back-offs; 0 if nothing is known to follow.
    """

    keys: Ints
    log10: Floats
    backoff: Floats

    @cached_property
    def index(self) -> KeyIndex:
        """Finds the row of an n-gram."""
        return KeyIndex(self.keys)


class SentenceScores(NamedTuple):
    """Scores of sentences.

    Attributes
    ----------
    log10
        log10 of the probability of each sentence.
    unknown
        Number of its words that the model does not know.
    tokens
        Number of its tokens, including its end.
    """

    log10: Floats
    unknown: Ints
    tokens: Ints


class TokenScores(NamedTuple):
    """Scores of tokens, including the end of each sentence.

    Attributes
    ----------
    log10
        log10 of the probability of each token after those before it.
    matched
        Length of the longest n-gram of the model that ends there.
    unknown
        Whether the word is unknown.
    offsets
        Where the tokens of each sentence begin, (sentences + 1).
    """

    log10: Floats
    matched: Ints
    unknown: npt.NDArray[np.bool_]
    offsets: Ints


@dataclass(frozen=True, eq=False, repr=False)
class LanguageModel:
    """An n-gram model with back-off weights, as `train_language_model` and `load_language_model` give it.

    Attributes
    ----------
    words
        The vocabulary as UTF-8, the first three <unk>, <s>, </s>.
    levels
        n-grams of each order, from 1 on.
    discounts
        D1, D2 and D3+ of each order; none in a model that was read from ARPA.
    notes
        What a reader should know.
    """

    words: tuple[bytes, ...]
    levels: tuple[NgramLevel, ...]
    discounts: tuple[tuple[float, float, float], ...] = ()
    notes: tuple[str, ...] = field(default=())

    @property
    def order(self) -> int:
        """The length of the longest n-grams."""
        return len(self.levels)

    def __repr__(self) -> str:
        longest = pluralise(len(self.levels[-1].keys), "n-gram")
        return f"LanguageModel(order {self.order}, {pluralise(len(self.words), 'word')}, {longest} of that order)"

    @cached_property
    def numbers(self) -> dict[bytes, int]:
        """The number of each word."""
        return {word: i for i, word in enumerate(self.words)}

    @cached_property
    def word_index(self) -> WordIndex:
        """Finds the numbers of many words."""
        return WordIndex(self.words)

    def scores(self, sentences: Iterable[str]) -> SentenceScores:
        """The log10 probability of each sentence, with <s> before and </s> after it; at most 0, higher is more likely.

        Parameters
        ----------
        sentences
            Texts whose words are separated by blanks; lower-casing and tokenisation are up to the caller. An unknown
            word has the probability of <unk>, as have <s>, </s> and <unk> inside a text.

        Returns
        -------
        SentenceScores
            Log10 probabilities, numbers of unknown words, and numbers of tokens including the end. An empty sentence
            has the probability that a sentence ends at once. No sentences give empty arrays.

        Raises
        ------
        ParameterError
            There is one text instead of a list.
        InputError
            A sentence is not a text.

        References
        ----------
        The recursion p(w|h) = p*(w|h) if the n-gram exists, else backoff(h) p(w|h') (Katz 1987); agrees with KenLM's
        query to 1e-4 per sentence.

        Examples
        --------
        >>> from rankscope.translation import train_language_model
        >>> model = train_language_model(["a b", "a c", "a b"], order=2)
        >>> found = model.scores(["a b", "b a", "a x"])
        >>> found.log10.round(3), found.unknown, found.tokens
        (array([-1.562, -2.26 , -2.436]), array([0, 0, 1]), array([3, 3, 3]))
        """
        token_scores = self.token_scores(sentences)
        begins = token_scores.offsets[:-1]
        if not begins.size:  # reduceat wants at least one
            return SentenceScores(np.empty(0), np.empty(0, np.int64), np.empty(0, np.int64))
        unknown = np.add.reduceat(token_scores.unknown, begins, dtype=np.int64)
        return SentenceScores(np.add.reduceat(token_scores.log10, begins), unknown, np.diff(token_scores.offsets))

    def token_scores(self, sentences: Iterable[str]) -> TokenScores:
        """As `scores`, for each token.

        Parameters
        ----------
        sentences
            As for `scores`.

        Returns
        -------
        TokenScores
            Scores of all tokens.

        Raises
        ------
        ParameterError, InputError
            As for `scores`.

        Examples
        --------
        >>> from rankscope.translation import train_language_model
        >>> found = train_language_model(["a b", "a c", "a b"], order=2).token_scores(["a x", "b"])
        >>> found.log10.round(3), found.matched, found.offsets
        (array([-0.699, -1.214, -0.523, -0.699, -0.323]), array([2, 1, 1, 1, 2]), array([0, 3, 5]))
        """
        log10, matched, unknown, sizes = (
            [np.empty(0)],
            [np.empty(0, np.int64)],
            [np.empty(0, np.bool_)],
            [np.empty(0, np.int64)],
        )
        for tokens in tokens_of(sentences, self.word_index):
            is_scored = tokens != START
            scores, lengths = self.score_tokens(tokens)
            scored_tokens = tokens[is_scored]
            log10.append(scores[is_scored])
            matched.append(lengths[is_scored])
            unknown.append(scored_tokens == UNKNOWN)
            sizes.append(np.diff(np.flatnonzero(scored_tokens == END), prepend=-1))
        return TokenScores(
            np.concatenate(log10), np.concatenate(matched), np.concatenate(unknown), bounds(np.concatenate(sizes))
        )

    def score_tokens(self, tokens: Ints) -> tuple[Floats, Ints]:
        """The log10 probability of each token, and the length of the longest n-gram that ends there.

        Parameters
        ----------
        tokens
            Numbers of words.

        Returns
        -------
        log10, matched
            Arrays of shape (tokens).

        Notes
        -----
        From short contexts to long ones: if the model has the longer n-gram its probability counts, else the
        probability of the shorter one times the back-off of the context, if the model has that.
        """
        scores, lengths = self.levels[0].log10[tokens], np.ones(tokens.size, np.int64)
        # The tokens whose context the model has, which begins as the word before, and the row of that context.
        positions = np.flatnonzero(tokens != START)
        context_rows = tokens[positions - 1]
        for k, (shorter, level) in enumerate(zip(self.levels, self.levels[1:], strict=False), 2):
            ngram_rows = level.index.find(context_rows * len(self.words) + tokens[positions])
            scores[positions] += shorter.backoff[context_rows]
            present = np.flatnonzero(ngram_rows >= 0)
            positions, context_rows = positions[present], ngram_rows[present]
            scores[positions] = level.log10[context_rows]
            lengths[positions] = k
            followed = np.flatnonzero(tokens[positions] != END)
            positions, context_rows = positions[followed] + 1, context_rows[followed]
        return scores, lengths

    def following(self, context: str) -> Floats:
        """The log10 probability of each word after a context; -99 for <s>, which follows nothing.

        Parameters
        ----------
        context
            Words separated by blanks, of which the last order - 1 count; <s> before them is the start of a sentence.
            Unknown words are <unk>.

        Returns
        -------
        array of shape (words)
            The probabilities of a model trained here add up to 1 over all words but <s>.

        Raises
        ------
        InputError
            There is more than one line.

        Examples
        --------
        >>> from rankscope.translation import train_language_model
        >>> model = train_language_model(["a b", "a c", "a b"], order=2)
        >>> after = dict(zip(model.words, model.following("<s> a").round(3).tolist(), strict=True))
        >>> after[b"b"], after[b"c"], after[b"</s>"]
        (-0.539, -0.463, -0.737)
        """
        if "\n" in context:
            raise InputError("the context has more than one line, expected the words before one")
        context_numbers = [self.numbers.get(word, UNKNOWN) for word in context.encode().split()]
        n_words, log10 = len(self.words), self.levels[0].log10.copy()
        for k in range(1, self.order):
            history = context_numbers[-k:]
            if len(history) < k:
                break
            row = self.row_of(history)
            if row < 0:
                continue
            level = self.levels[k]
            log10 += self.levels[k - 1].backoff[row]
            begin, end = np.searchsorted(level.keys, [row * n_words, (row + 1) * n_words])
            log10[level.keys[begin:end] - row * n_words] = level.log10[begin:end]
        log10[START] = self.levels[0].log10[START]
        return log10

    def row_of(self, words: list[int]) -> int:
        """The row of an n-gram among those of its order; -1 if the model does not have it.

        Parameters
        ----------
        words
            The numbers of its words, at least one.
        """
        row = words[0]
        for level, word in zip(self.levels[1:], words[1:], strict=False):
            row = int(level.index.find(np.array([row * len(self.words) + word]))[0])
            if row < 0:
                return -1
        return row

    def perplexity(self, sentences: Iterable[str], *, unknown: bool = True) -> float:
        """10 to the power of -(mean log10 probability of tokens and ends of sentences): at least 1, lower is better.

        Parameters
        ----------
        sentences
            As for `scores`.
        unknown
            Whether unknown words count, with the probability of <unk>.

        Returns
        -------
        float
            Only perplexities of models with the same vocabulary can be compared.

        Raises
        ------
        ParameterError
            As for `scores`.
        InputError
            As for `scores`, or no token counts.

        Examples
        --------
        >>> from rankscope.translation import train_language_model
        >>> model = train_language_model(["a b", "a c", "a b"], order=2)
        >>> round(model.perplexity(["a b", "a x"]), 3), round(model.perplexity(["a b", "a x"], unknown=False), 3)
        (4.637, 3.603)
        """
        token_scores = self.token_scores(sentences)
        log10 = token_scores.log10 if unknown else token_scores.log10[~token_scores.unknown]
        if not log10.size:
            raise InputError("there are no sentences, expected at least one to find the perplexity of")
        return float(10.0 ** -log10.mean())
