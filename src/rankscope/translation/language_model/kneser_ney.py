"""Interpolated modified Kneser-Ney smoothing, for all n-grams of an order at once.

u(w|h) = (c(hw) - D(c(hw))) / sum of c(h.), gamma(h) = sum of D(c(h.)) / sum of c(h.),
p(w|h) = u(w|h) + gamma(h) p(w|h'), with h' the context without its first word, and the uniform distribution over all
words but <s> below order 1. c is the count in the text for n-grams of the highest order and for those that begin with
<s>, before which nothing can stand; for others the number of different words that stand before them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.errors import InputError
from rankscope.settings import Number, Rule, Settings, count, declare
from rankscope.translation.language_model.backoff_model import (
    LOG_ZERO,
    LanguageModel,
    NgramLevel,
    context_and_word,
)
from rankscope.translation.language_model.vocabulary import START, Sentences, learned_tokens
from rankscope.typing import Floats, Ints

__all__ = [
    "FALLBACK",
    "ORDERS",
    "Discounts",
    "LanguageModelSettings",
    "closed_form",
    "discounts_of_order",
    "estimate_language_model",
    "train_language_model",
]


Discounts = tuple[float, float, float]
#: Discounts for text that is too small to estimate them.
FALLBACK: Discounts = (0.5, 1.0, 1.5)


class DiscountsRule(Rule):
    """Three discounts, each above 0 and at most the count that it is subtracted from, or None."""

    expected = "None or three discounts above 0, at most 1, 2 and 3, as (0.5, 1, 1.5)"

    def accepts(self, value: object) -> bool:
        if value is None:
            return True
        return (
            isinstance(value, tuple)
            and len(value) == 3
            and all(Number(0, i, low_open=True).accepts(discount) for i, discount in enumerate(value, 1))
        )


def as_discounts(fallback: Sequence[float] | None) -> Any:
    """The discounts as a tuple of floats; anything else as it is, for the rule to refuse."""
    try:
        return None if fallback is None else tuple(float(value) for value in fallback)
    except (TypeError, ValueError):
        return fallback


def closed_form(counts_of_counts: Sequence[int]) -> Discounts | None:
    """D1, D2, D3+ from how many n-grams have the counts 1, 2, 3, 4; None if these give none.

    Y = n1/(n1 + 2 n2), Di = i - (i + 1) Y n(i+1)/n(i) (Chen and Goodman 1998, equation 26).
    """
    if min(counts_of_counts[:3]) == 0:
        return None
    y = counts_of_counts[0] / (counts_of_counts[0] + 2 * counts_of_counts[1])
    d1, d2, d3 = (i - (i + 1) * y * counts_of_counts[i] / counts_of_counts[i - 1] for i in (1, 2, 3))
    return (d1, d2, d3) if min(d1, d2, d3) > 0 else None


def discounts_of_order(
    counts: npt.NDArray[np.int64], order: int, fallback: Discounts | None
) -> tuple[Discounts, str | None]:
    """The discounts of the n-grams of one order, and a note if they are the fallback.

    Parameters
    ----------
    counts
        Count of each n-gram.
    order
        The order.
    fallback
        Discounts to use if the estimates are degenerate; None for none.

    Returns
    -------
    discounts, note
        Three discounts, and a note or None.

    Raises
    ------
    InputError
        The estimates are degenerate and there is no fallback.
    """
    counts_of_counts = [int(n) for n in np.bincount(np.minimum(counts, 5), minlength=5)[1:5]]
    discounts = closed_form(counts_of_counts)
    if discounts is not None:
        return discounts, None
    counts_text = ", ".join(map(str, counts_of_counts))
    problem = (
        f"the discounts of order {order} cannot be estimated: numbers of n-grams with counts 1 to 4 are {counts_text}"
    )
    if fallback is None:
        raise InputError(
            f"{problem}; the text is too short or too repetitive: use more text, a lower order, or a fallback"
        )
    return fallback, f"{problem}; using {', '.join(f'{value:g}' for value in fallback)} (fallback)"


ORDERS = (2, 3, 4, 5, 6)


@dataclass(frozen=True, kw_only=True)
class LanguageModelSettings(Settings):
    """How a language model is trained; see `train_language_model`."""

    FUNCTIONS = ("rankscope.translation:train_language_model",)
    COMMANDS = ("features lm",)

    order: int = count(
        4,
        minimum=min(ORDERS),
        maximum=max(ORDERS),
        help="Order of the model: the number of words in its longest n-grams.",
    )
    fallback: tuple[float, float, float] | None = declare(
        DiscountsRule(),
        FALLBACK,
        "Discounts D1, D2, D3+ for orders whose counts of counts give none, as in very small texts; with None such a "
        "text raises an error.",
        flag="",
    )


def train_language_model(
    source: Sentences,
    *,
    order: int = 4,
    fallback: Sequence[float] | None = FALLBACK,
    progress: Callable[[float], Any] | None = None,
) -> LanguageModel:
    """Train an n-gram model with interpolated modified Kneser-Ney smoothing; no n-gram is pruned.

    Parameters
    ----------
    source
        Path of a file with one sentence per line (also .gz and .zst), or sentences. Words are separated by blanks;
        lower-casing and tokenisation are up to the caller. An empty line is a sentence without words.
    order
        Order of the model: the number of words in its longest n-grams. Default: 4.
    fallback
        Discounts D1, D2, D3+ for orders whose counts of counts give none, as in very small texts; with None such a text
        raises an error. Default: (0.5, 1.0, 1.5).
    progress
        Called with the share of the work that was just done.

    Returns
    -------
    LanguageModel
        Its notes say for which orders the fallback discounts were used.

    Raises
    ------
    ParameterError
        The order or the fallback is out of range.
    InputError
        The text has no words, is not UTF-8, or has the words <s>, </s> or <unk> (the message has the line); or it is
        too small to estimate discounts, and there is no fallback.

    References
    ----------
    Chen and Goodman (1998), "An empirical study of smoothing techniques for language modeling", section 3. Agrees with
    KenLM's lmplz: discounts to their six recorded digits, log10 probabilities to 1e-6.

    Examples
    --------
    >>> model = train_language_model(["a b", "a c", "a b"], order=2)
    >>> model
    LanguageModel(order 2, 6 words, 5 n-grams of that order)
    >>> float((10 ** model.following("a")).sum().round(6))
    1.0
    """
    settings = LanguageModelSettings(order=order, fallback=as_discounts(fallback))
    return estimate_language_model(source, settings, progress=progress)


def estimate_language_model(
    source: Sentences, settings: LanguageModelSettings, *, progress: Callable[[float], Any] | None = None
) -> LanguageModel:
    """As `train_language_model`, with its settings as one object."""
    order = settings.order

    def report_progress() -> None:
        if progress is not None:
            progress(1 / (2 * order + 1))

    tokens, words = learned_tokens(source)
    report_progress()
    ngrams_by_order = []
    for ngrams in count_ngrams(tokens, len(words), order):
        ngrams_by_order.append(ngrams)
        report_progress()
    del tokens
    estimator = KneserNeyLevels(len(words), settings.fallback)
    for k, ngrams in enumerate(ngrams_by_order):
        estimator.add(ngrams, ngrams_by_order[k + 1] if k + 1 < order else None)
        report_progress()
    return LanguageModel(tuple(words), tuple(estimator.levels()), tuple(estimator.discounts), tuple(estimator.notes))


class CountedNgrams(NamedTuple):
    """The n-grams of one order, by row.

    Attributes
    ----------
    keys
        Their keys, rising.
    shorter
        The row, one order lower, of all words but the first.
    counts
        How often they occur.
    starts
        Whether the first word is the start of a sentence.
    """

    keys: Ints
    shorter: Ints
    counts: Ints
    starts: npt.NDArray[np.bool_]


def count_ngrams(tokens: Ints, n_words: int, order: int) -> Iterator[CountedNgrams]:
    """The n-grams of each order, from 1 on, within sentences. Of order 1 every word has a row."""
    numbers = np.arange(n_words)
    starts = numbers == START
    yield CountedNgrams(numbers, np.zeros(n_words, np.int64), np.bincount(tokens, minlength=n_words), starts)
    rows = tokens  # for each token of the text: the row of the n-gram that ends there, or -1
    for _ in range(2, order + 1):
        ends = np.flatnonzero((rows[:-1] >= 0) & (tokens[1:] != START)) + 1
        keys = rows[ends - 1] * n_words + tokens[ends]
        key_order = np.argsort(keys)
        sorted_keys = keys[key_order]
        is_first = np.ones(keys.size, np.bool_)
        is_first[1:] = sorted_keys[1:] != sorted_keys[:-1]
        first_positions = np.flatnonzero(is_first)
        keys = sorted_keys[first_positions]
        starts = starts[keys // n_words]
        yield CountedNgrams(
            keys, rows[ends[key_order[first_positions]]], np.diff(first_positions, append=sorted_keys.size), starts
        )
        next_rows = np.full(tokens.size, -1)
        next_rows[ends[key_order]] = np.cumsum(is_first) - 1
        rows = next_rows


class KneserNeyLevels:
    """Probabilities and back-offs, order by order. The back-offs of an order are found with the next one."""

    def __init__(self, n_words: int, fallback: Discounts | None) -> None:
        self.n_words, self.fallback = n_words, fallback
        self.keys: list[Ints] = []
        self.probabilities: list[Floats] = []
        self.backoffs: list[Floats] = []
        self.discounts: list[Discounts] = []
        self.notes: list[str] = []

    def add(self, ngrams: CountedNgrams, longer: CountedNgrams | None) -> None:
        """Add the n-grams of the next order. longer: those of the order above; None for the highest order."""
        counts = adjusted_counts(ngrams, longer)
        if not self.keys:
            counts[START] = 0  # never predicted, so that it takes no part in the distribution of words
        discounts, note = discounts_of_order(counts, len(self.keys) + 1, self.fallback)
        self.discounts.append(discounts)
        self.notes += [] if note is None else [note]
        discount = np.array([0.0, *discounts])[np.minimum(counts, 3)]
        if not self.keys:
            total = counts.sum()
            probabilities = (counts - discount + discount.sum() / (self.n_words - 1)) / total
            probabilities[START] = 0.0
        else:
            context, _ = context_and_word(ngrams.keys, self.n_words)
            n_contexts = self.keys[-1].size
            total = np.bincount(context, counts, n_contexts)
            followed = total > 0
            gamma = np.ones(n_contexts)
            gamma[followed] = np.bincount(context, discount, n_contexts)[followed] / total[followed]
            self.backoffs.append(gamma)
            shorter = self.probabilities[-1][ngrams.shorter]
            probabilities = (counts - discount) / total[context] + gamma[context] * shorter
        self.keys.append(ngrams.keys)
        self.probabilities.append(probabilities)

    def levels(self) -> list[NgramLevel]:
        """The levels of a model, with logarithms."""
        backoffs = [*self.backoffs, np.ones(self.keys[-1].size)]
        return [
            NgramLevel(keys, log10_or_zero(probabilities), np.log10(backoff))
            for keys, probabilities, backoff in zip(self.keys, self.probabilities, backoffs, strict=True)
        ]


def adjusted_counts(ngrams: CountedNgrams, longer: CountedNgrams | None) -> Ints:
    """The count of each n-gram: its occurrences, or the number of distinct words before it."""
    if longer is None:
        return ngrams.counts
    return np.where(ngrams.starts, ngrams.counts, np.bincount(longer.shorter, minlength=ngrams.keys.size))


def log10_or_zero(probabilities: Floats) -> Floats:
    return np.log10(probabilities, out=np.full(probabilities.size, LOG_ZERO), where=probabilities > 0)
