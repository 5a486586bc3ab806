"""Modified Kneser-Ney smoothing, interpolated, of all n-grams of an order at once.

u(w|h) = (c(hw) - D(c(hw))) / sum of c(h.), gamma(h) = sum of D(c(h.)) / sum of c(h.),
p(w|h) = u(w|h) + gamma(h) p(w|h'), with h' the context without its first word, and the uniform distribution over all
words but <s> below order 1. c is the count in the text for n-grams of the highest order and for those that begin with
<s>, before which nothing can stand; for others the number of different words that stand before them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rankscope.learning.mt.discounts import FALLBACK, Discounts, check_fallback, discounts_of_order
from rankscope.learning.mt.language_model import LOG_ZERO, LanguageModel, NgramLevel
from rankscope.learning.mt.ngram_counts import CountedNgrams, context_and_word, count_ngrams
from rankscope.learning.mt.sentence_blocks import Sentences
from rankscope.learning.mt.vocabulary import START, learned_tokens
from rankscope.stats.inputs import check_choice
from rankscope.typing import Floats, Ints

__all__ = ["ORDERS", "train_language_model"]


ORDERS = (2, 3, 4, 5, 6)


def train_language_model(
    source: Sentences,
    *,
    order: int = 4,
    fallback: Sequence[float] | None = FALLBACK,
    progress: Callable[[float], Any] | None = None,
) -> LanguageModel:
    """An n-gram model of a text, with modified Kneser-Ney smoothing, interpolated, nothing pruned.

    source: the path of a file with a sentence a line (also .gz and .zst), or sentences. Words stand between blanks;
    lower-casing and tokenisation are the caller's. An empty line is a sentence without words. order: 2 to 6.
    fallback: the discounts D1, D2, D3+ of an order whose counts of counts give none, as in very small texts, which the
    model's notes then say; None refuses such a text. progress: told of the share of the work just done.

    Raises InputError for a text without words, bytes that are not UTF-8 and words <s>, </s>, <unk>, with the line;
    ParameterError for an order or a fallback out of range.
    Source: Chen and Goodman (1998), "An empirical study of smoothing techniques for language modeling", section 3;
    agrees with KenLM's lmplz: discounts to their six recorded digits, log10 probabilities to 1e-6.

    >>> model = train_language_model(["a b", "a c", "a b"], order=2)
    >>> model
    LanguageModel(order 2, 6 words, 5 n-grams of that order)
    >>> float((10 ** model.following("a")).sum().round(6))
    1.0
    """
    check_choice("order", order, ORDERS)  # type: ignore[arg-type]  # numbers are named as well as words
    settled = check_fallback(fallback)

    def tell() -> None:
        if progress is not None:
            progress(1 / (2 * order + 1))

    tokens, words = learned_tokens(source)
    tell()
    grams = []
    for found in count_ngrams(tokens, len(words), order):
        grams.append(found)
        tell()
    del tokens
    estimated = KneserNeyLevels(len(words), settled)
    for k, gram in enumerate(grams):
        estimated.add(gram, grams[k + 1] if k + 1 < order else None)
        tell()
    return LanguageModel(tuple(words), tuple(estimated.levels()), tuple(estimated.discounts), tuple(estimated.notes))


class KneserNeyLevels:
    """Probabilities and back-offs, order by order. The back-offs of an order are found with the next one."""

    def __init__(self, words: int, fallback: Discounts | None) -> None:
        self.words, self.fallback = words, fallback
        self.keys: list[Ints] = []
        self.probabilities: list[Floats] = []
        self.backoffs: list[Floats] = []
        self.discounts: list[Discounts] = []
        self.notes: list[str] = []

    def add(self, grams: CountedNgrams, longer: CountedNgrams | None) -> None:
        """The n-grams of the next order, and those that are a word longer, where there are any."""
        counts = adjusted_counts(grams, longer)
        if not self.keys:
            counts[START] = 0  # never predicted, so that it takes no part in the distribution of words
        discounts, note = discounts_of_order(counts, len(self.keys) + 1, self.fallback)
        self.discounts.append(discounts)
        self.notes += [] if note is None else [note]
        off = np.array([0.0, *discounts])[np.minimum(counts, 3)]
        if not self.keys:
            total = counts.sum()
            probabilities = (counts - off + off.sum() / (self.words - 1)) / total
            probabilities[START] = 0.0
        else:
            context, _ = context_and_word(grams.keys, self.words)
            n = self.keys[-1].size
            total = np.bincount(context, counts, n)
            followed = total > 0
            gamma = np.ones(n)
            gamma[followed] = np.bincount(context, off, n)[followed] / total[followed]
            self.backoffs.append(gamma)
            probabilities = (counts - off) / total[context] + gamma[context] * self.probabilities[-1][grams.shorter]
        self.keys.append(grams.keys)
        self.probabilities.append(probabilities)

    def levels(self) -> list[NgramLevel]:
        """The orders of a model: logarithms."""
        backoffs = [*self.backoffs, np.ones(self.keys[-1].size)]
        return [
            NgramLevel(keys, log10_or_zero(probabilities), np.log10(backoff))
            for keys, probabilities, backoff in zip(self.keys, self.probabilities, backoffs, strict=True)
        ]


def adjusted_counts(grams: CountedNgrams, longer: CountedNgrams | None) -> Ints:
    """How often an n-gram counts: by its places, or by the different words before it."""
    if longer is None:
        return grams.counts
    return np.where(grams.starts, grams.counts, np.bincount(longer.shorter, minlength=grams.keys.size))


def log10_or_zero(probabilities: Floats) -> Floats:
    return np.log10(probabilities, out=np.full(probabilities.size, LOG_ZERO), where=probabilities > 0)
