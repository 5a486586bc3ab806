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
import numpy.typing as npt

from rankscope.errors import InputError, ParameterError
from rankscope.stats.inputs import check_choice
from rankscope.translation.language_model.backoff_model import (
    LOG_ZERO,
    CountedNgrams,
    LanguageModel,
    NgramLevel,
    context_and_word,
    count_ngrams,
)
from rankscope.translation.language_model.vocabulary import START, Sentences, learned_tokens
from rankscope.typing import Floats, Ints

__all__ = [
    "FALLBACK",
    "ORDERS",
    "Discounts",
    "check_fallback",
    "closed_form",
    "discounts_of_order",
    "train_language_model",
]


Discounts = tuple[float, float, float]
#: For text that is too small to find its own.
FALLBACK: Discounts = (0.5, 1.0, 1.5)


def check_fallback(fallback: Sequence[float] | None) -> Discounts | None:
    """Three discounts, each above 0 and at most the count that it is taken off. Raises ParameterError."""
    if fallback is None:
        return None
    try:
        one, two, more = (float(value) for value in fallback)
    except (TypeError, ValueError):
        one = two = more = float("nan")
    if not (0 < one <= 1 and 0 < two <= 2 and 0 < more <= 3):
        raise ParameterError(
            f"fallback is {fallback!r}, expected None or three discounts above 0, at most 1, 2 and 3, as (0.5, 1, 1.5)"
        )
    return one, two, more


def closed_form(seen: Sequence[int]) -> Discounts | None:
    """D1, D2, D3+ from how many n-grams have the counts 1, 2, 3, 4; None where these give none.

    Y = n1/(n1 + 2 n2), Di = i - (i + 1) Y n(i+1)/n(i) (Chen and Goodman 1998, equation 26).
    """
    if min(seen[:3]) == 0:
        return None
    y = seen[0] / (seen[0] + 2 * seen[1])
    one, two, more = (i - (i + 1) * y * seen[i] / seen[i - 1] for i in (1, 2, 3))
    return (one, two, more) if min(one, two, more) > 0 else None


def discounts_of_order(
    counts: npt.NDArray[np.int64], order: int, fallback: Discounts | None
) -> tuple[Discounts, str | None]:
    """The discounts of the n-grams of one order, and a note where they are the fallback.

    counts: of each n-gram. Raises InputError where they are degenerate and there is no fallback.
    """
    seen = [int(n) for n in np.bincount(np.minimum(counts, 5), minlength=5)[1:5]]
    found = closed_form(seen)
    if found is not None:
        return found, None
    each = ", ".join(map(str, seen))
    told = f"the discounts of order {order} cannot be found: of its n-grams {each} have the counts 1, 2, 3, 4"
    if fallback is None:
        raise InputError(f"{told}, too little or too repetitive text; take more, a lower order, or a fallback")
    return fallback, f"{told}; {', '.join(f'{value:g}' for value in fallback)} were taken (fallback)"


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
