"""A back-off n-gram model: log10 probabilities of words after words, and the n-grams of a text.

An n-gram is a row of its order: the number of the row of its first n - 1 words (its context), times the size of the
vocabulary, plus its last word, is its key, one 64-bit number. Rows are in order of their keys, and so of their words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.data.text import pluralise
from rankscope.errors import InputError
from rankscope.translation.language_model.vocabulary import END, START, UNKNOWN, Numbers, tokens_of
from rankscope.typing import Floats, Ints

__all__ = [
    "LOG_ZERO",
    "CountedNgrams",
    "LanguageModel",
    "NgramLevel",
    "SentenceScores",
    "TokenScores",
    "context_and_word",
    "count_ngrams",
    "find_rows",
]


#: So many keys or more are sorted before they are looked up: neighbours are found in the processor's cache.
MANY = 4096


class CountedNgrams(NamedTuple):
    """The n-grams of one order, by row.

    shorter: the row, one order lower, of all words but the first. counts: how often they occur. starts: whether the
    first word is the start of a sentence.
    """

    keys: Ints
    shorter: Ints
    counts: Ints
    starts: npt.NDArray[np.bool_]


def context_and_word(keys: Ints, words: int) -> tuple[Ints, Ints]:
    """The rows of the contexts, and the last words. words: how many the vocabulary has."""
    context = keys // words
    return context, keys - context * words


def count_ngrams(tokens: Ints, words: int, order: int) -> Iterator[CountedNgrams]:
    """The n-grams of each order, from 1 on; none reaches over the end of a sentence. Of order 1 every word is a row."""
    numbers = np.arange(words)
    starts = numbers == START
    yield CountedNgrams(numbers, np.zeros(words, np.int64), np.bincount(tokens, minlength=words), starts)
    rows = tokens  # of each place of the text: the row of the n-gram that ends there, or -1
    for _ in range(2, order + 1):
        ends = np.flatnonzero((rows[:-1] >= 0) & (tokens[1:] != START)) + 1
        keys = rows[ends - 1] * words + tokens[ends]
        by_key = np.argsort(keys)
        in_order = keys[by_key]
        new = np.ones(keys.size, np.bool_)
        new[1:] = in_order[1:] != in_order[:-1]
        first = np.flatnonzero(new)
        keys = in_order[first]
        starts = starts[keys // words]
        yield CountedNgrams(keys, rows[ends[by_key[first]]], np.diff(first, append=in_order.size), starts)
        longer = np.full(tokens.size, -1)
        longer[ends[by_key]] = np.cumsum(new) - 1
        rows = longer


def find_rows(keys: Ints, wanted: Ints) -> Ints:
    """Where each wanted key stands among sorted keys; -1 where it does not."""
    if not keys.size:
        return np.full(wanted.size, -1)
    if wanted.size < MANY:
        rows = np.minimum(np.searchsorted(keys, wanted), keys.size - 1)
        return np.where(keys[rows] == wanted, rows, -1)
    by_key = np.argsort(wanted)
    in_order = wanted[by_key]
    place = np.minimum(np.searchsorted(keys, in_order), keys.size - 1)
    rows = np.empty(wanted.size, np.int64)
    rows[by_key] = np.where(keys[place] == in_order, place, -1)
    return rows


#: What ARPA files write for the logarithm of 0.
LOG_ZERO = -99.0


class NgramLevel(NamedTuple):
    """The n-grams of one order: keys as in `ngram_counts`, rising; log10 of each one's probability and of its back-off.

    Of order 1, row i is word i. A back-off is 0 where nothing is known to follow.
    """

    keys: Ints
    log10: Floats
    backoff: Floats


class SentenceScores(NamedTuple):
    """Of each sentence: log10 of its probability, its words that the model does not know, its tokens with the end."""

    log10: Floats
    unknown: Ints
    tokens: Ints


class TokenScores(NamedTuple):
    """Of each token, the end of each sentence included: log10 of its probability after those before it; the length of
    the longest n-gram of the model that ends there; whether the word is unknown. offsets: (sentences + 1) where those
    of each sentence begin.
    """

    log10: Floats
    matched: Ints
    unknown: npt.NDArray[np.bool_]
    offsets: Ints


@dataclass(frozen=True, eq=False, repr=False)
class LanguageModel:
    """An n-gram model with back-off weights, as `train_language_model` and `load_language_model` give it.

    words: (vocabulary) as UTF-8, the first three <unk>, <s>, </s>. levels: one an order, from 1 on. discounts: of each
    order D1, D2 and D3+; none in a model that was read from ARPA. notes: what was decided on the way.
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
    def numbers(self) -> Numbers:
        """The number of each word."""
        return {word: i for i, word in enumerate(self.words)}

    def scores(self, sentences: Iterable[str]) -> SentenceScores:
        """Of each sentence log10 of its probability, at most 0 and higher for what is more likely, with <s> before and
        </s> behind it; how many of its words the model does not know; and of how many tokens it is, with its end.

        sentences: texts whose words stand between blanks; lower-casing and tokenisation are the caller's. An empty one
        has the probability that a sentence ends at once. An unknown word has the probability of <unk>; so have <s>,
        </s> and <unk> where they stand in a text. No sentences give empty arrays.

        Raises ParameterError for one text instead of many, InputError for what is no text.
        Source: the recursion p(w|h) = p*(w|h) where the n-gram is there, else backoff(h) p(w|h') (Katz 1987); agrees
        with KenLM's query to 1e-4 a sentence.

        >>> from rankscope.translation import train_language_model
        >>> model = train_language_model(["a b", "a c", "a b"], order=2)
        >>> found = model.scores(["a b", "b a", "a x"])
        >>> found.log10.round(3), found.unknown, found.tokens
        (array([-1.562, -2.26 , -2.436]), array([0, 0, 1]), array([3, 3, 3]))
        """
        each = self.token_scores(sentences)
        begin = each.offsets[:-1]
        if not begin.size:  # reduceat wants at least one
            return SentenceScores(np.empty(0), np.empty(0, np.int64), np.empty(0, np.int64))
        unknown = np.add.reduceat(each.unknown, begin, dtype=np.int64)
        return SentenceScores(np.add.reduceat(each.log10, begin), unknown, np.diff(each.offsets))

    def token_scores(self, sentences: Iterable[str]) -> TokenScores:
        """As `scores`, of each token. Raises the same.

        >>> from rankscope.translation import train_language_model
        >>> found = train_language_model(["a b", "a c", "a b"], order=2).token_scores(["a x", "b"])
        >>> found.log10.round(3), found.matched, found.offsets
        (array([-0.699, -1.214, -0.523, -0.699, -0.323]), array([2, 1, 1, 1, 2]), array([0, 3, 5]))
        """
        log10, matched, unknown, sizes = [np.empty(0)], [np.empty(0, np.int64)], [np.empty(0, np.bool_)], [0]
        for tokens in tokens_of(sentences, self.numbers):
            scores, lengths = self.walk(tokens)
            asked = tokens != START
            log10.append(scores[asked])
            matched.append(lengths[asked])
            unknown.append(tokens[asked] == UNKNOWN)
            ends = np.flatnonzero(tokens[asked] == END)
            sizes.extend(np.diff(ends, prepend=-1).tolist())
        return TokenScores(
            np.concatenate(log10), np.concatenate(matched), np.concatenate(unknown), np.cumsum(sizes, dtype=np.int64)
        )

    def walk(self, tokens: Ints) -> tuple[Floats, Ints]:
        """Of each token log10 of its probability, and the length of the longest n-gram that ends there.

        From short contexts to long ones: where a longer n-gram is known its probability counts, elsewhere what was
        found so far times the back-off of the context, where that is known.
        """
        inside = tokens != START
        scores, rows = self.levels[0].log10[tokens], tokens
        lengths = np.ones(tokens.size, np.int64)
        for k, (shorter, level) in enumerate(zip(self.levels, self.levels[1:], strict=False), 2):
            context = np.full(tokens.size, -1)
            context[1:] = rows[:-1]
            known = np.flatnonzero(inside & (context >= 0))
            before = context[known]
            found = find_rows(level.keys, before * len(self.words) + tokens[known])
            there = found >= 0
            scores[known] += shorter.backoff[before]
            scores[known[there]] = level.log10[found[there]]
            lengths[known[there]] = k
            rows = np.full(tokens.size, -1)
            rows[known] = found
        return scores, lengths

    def following(self, context: str) -> Floats:
        """(words) log10 of the probability of each word after these; of <s>, which follows nothing, -99.

        context: words between blanks, of which the last order - 1 count; <s> before them is the start of a sentence.
        Unknown words are <unk>. Over all words but <s> the probabilities of a model trained here add up to 1.
        Raises InputError for more than one line.

        >>> from rankscope.translation import train_language_model
        >>> model = train_language_model(["a b", "a c", "a b"], order=2)
        >>> after = dict(zip(model.words, model.following("<s> a").round(3).tolist(), strict=True))
        >>> after[b"b"], after[b"c"], after[b"</s>"]
        (-0.539, -0.463, -0.737)
        """
        if "\n" in context:
            raise InputError("the context has more than one line, expected the words before one")
        given = [self.numbers.get(word, UNKNOWN) for word in context.encode().split()]
        n, found = len(self.words), self.levels[0].log10.copy()
        for k in range(1, self.order):
            history = given[-k:]
            if len(history) < k:
                break
            row = self.row_of(history)
            if row < 0:
                continue
            longer = self.levels[k]
            found += self.levels[k - 1].backoff[row]
            begin, end = np.searchsorted(longer.keys, [row * n, (row + 1) * n])
            found[longer.keys[begin:end] - row * n] = longer.log10[begin:end]
        found[START] = self.levels[0].log10[START]
        return found

    def row_of(self, words: list[int]) -> int:
        """The row of an n-gram among those of its order; -1 where the model does not have it."""
        row = words[0]
        for level, word in zip(self.levels[1:], words[1:], strict=False):
            row = int(find_rows(level.keys, np.array([row * len(self.words) + word]))[0])
            if row < 0:
                return -1
        return row

    def perplexity(self, sentences: Iterable[str], *, unknown: bool = True) -> float:
        """10 to the power of -(mean of log10 over all tokens, ends of sentences included): at least 1, lower is better.

        unknown: whether words that the model does not know count, with the probability of <unk>. Only perplexities of
        models with the same vocabulary can be compared. Raises as `scores`, and InputError where no token counts.

        >>> from rankscope.translation import train_language_model
        >>> model = train_language_model(["a b", "a c", "a b"], order=2)
        >>> round(model.perplexity(["a b", "a x"]), 3), round(model.perplexity(["a b", "a x"], unknown=False), 3)
        (4.637, 3.603)
        """
        each = self.token_scores(sentences)
        counting = each.log10 if unknown else each.log10[~each.unknown]
        if not counting.size:
            raise InputError("there are no sentences, expected at least one to find the perplexity of")
        return float(10.0 ** -counting.mean())
