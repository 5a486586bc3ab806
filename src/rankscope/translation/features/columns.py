"""The features: their descriptions, functions and models, and the prepared texts that they are computed from."""

from __future__ import annotations

import html
import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from rankscope.translation.features.chrf import character_f, consensus_f
from rankscope.translation.features.ngram_matches import NgramMatches, closest_lengths, ngram_matches
from rankscope.translation.language_model import LanguageModel
from rankscope.translation.lexicon import LexicalScores, Lexicon, copied_words
from rankscope.translation.token_lists import TokenLists
from rankscope.translation.tokenisation import tokenised
from rankscope.typing import Floats, Ints

__all__ = [
    "COLUMNS",
    "FeatureColumn",
    "PreparedTexts",
]


WORD_ORDERS = 4


class PreparedTexts:
    """Texts and models of one language pair. Rows are outputs: system after system, all segments of each."""

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
        """The words of sources, outputs and references, in one vocabulary."""
        numbers: defaultdict[str, int] = defaultdict()
        numbers.default_factory = numbers.__len__
        texts_by_side = [tokenised(self.sources), self.texts, *map(tokenised, self.references)]
        token_lists = [TokenLists.split([text.split() for text in side_texts], numbers) for side_texts in texts_by_side]
        words = tuple(numbers)  # the vocabulary of all texts
        source, output, *references = (TokenLists(words, tokens.tokens, tokens.offsets) for tokens in token_lists)
        return source, output, references

    @cached_property
    def matches(self) -> NgramMatches:
        """Matches of word n-grams."""
        _, output, references = self.tokens
        return ngram_matches(output, self.segments, references, WORD_ORDERS)

    @cached_property
    def log_precisions(self) -> Floats:
        """(orders, rows) logarithms of precisions; the k-th order without a match counts 1 / (2^k max(total, 1))."""
        matches, total = self.matches.matches, np.maximum(self.matches.totals, 1)
        halvings = np.cumsum(matches == 0, axis=0)
        return np.log(np.where(matches > 0, matches, 0.5**halvings) / total)

    @cached_property
    def log_brevity(self) -> Floats:
        """(rows) min(0, 1 - reference's length / output's length)."""
        _, output, references = self.tokens
        closest = closest_lengths(output.lengths, self.segments, [reference.lengths for reference in references])
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
        """(rows) how similar each output is to those of the other systems."""
        return consensus_f(self.outputs, self.segments)

    def system_means(self, values: Floats) -> Floats:
        """(rows) the mean over the system's rows."""
        return np.repeat(values.reshape(self.n_systems, -1).mean(axis=1), len(self.sources))


class FeatureColumn(NamedTuple):
    """A feature.

    Attributes
    ----------
    description
        What it is, in words.
    compute
        Gives the value of each row.
    model
        The model that it needs.
    work
        Its running time, approximately, in seconds for 100,000 outputs.
    """

    description: str
    compute: Callable[[PreparedTexts], Floats]
    model: str | None = None
    work: float = 1.0


def precision(order: int) -> FeatureColumn:
    text = f"logarithm of the precision of {order}-grams; the k-th order without a match counts 1/(2^k max(total, 1))"
    return FeatureColumn(text, lambda texts: texts.log_precisions[order - 1])


def bleu(texts: PreparedTexts) -> Floats:
    return np.asarray(np.exp(texts.log_precisions.mean(axis=0) + texts.log_brevity))


def log_probability(texts: PreparedTexts) -> Floats:
    """Each distinct output is scored once."""
    assert texts.language_model is not None
    index_by_text = {text: i for i, text in enumerate(dict.fromkeys(texts.texts))}
    log_probabilities = texts.language_model.scores(list(index_by_text)).log10 * math.log(10)
    return log_probabilities[[index_by_text[text] for text in texts.texts]]


def chrf_unescaped(texts: PreparedTexts) -> Floats:
    references = [[html.unescape(line) for line in lines] for lines in texts.references]
    return character_f([html.unescape(line) for line in texts.outputs], texts.segments, references)


def ter(texts: PreparedTexts) -> Floats:
    from sacrebleu.metrics.ter import TER

    metric = TER()
    segment_references = [list(segment_lines) for segment_lines in zip(*texts.references, strict=True)]
    pairs = zip(texts.outputs, texts.segments.tolist(), strict=True)
    return np.array([metric.sentence_score(output, segment_references[segment]).score for output, segment in pairs])


def untranslated(texts: PreparedTexts) -> Floats:
    """The number of words of the output that were copied from the source untranslated."""
    assert texts.language_model is not None
    source, output, references = texts.tokens
    numbers = texts.language_model.numbers
    out_of_vocabulary = np.fromiter(
        (word.encode() not in numbers for word in output.words), np.bool_, len(output.words)
    )
    is_untranslated = out_of_vocabulary[output.tokens] & copied_words(source.take(texts.segments), output)
    for reference in references:
        is_untranslated &= ~copied_words(reference.take(texts.segments), output)
    return np.bincount(output.sentence[is_untranslated], minlength=len(output)).astype(np.float64)


#: The features by name.
COLUMNS = {
    **{f"log_p{order}": precision(order) for order in range(1, 5)},
    "log_brevity": FeatureColumn(
        "min(0, 1 - length of the reference / length of the output)", lambda texts: texts.log_brevity
    ),
    "language_model": FeatureColumn("logarithm of the output's probability", log_probability, "language_model", 20),
    "length": FeatureColumn("words of the output", lambda texts: texts.tokens[1].lengths.astype(np.float64)),
    "forward": FeatureColumn(
        "logarithm of P(e|f), IBM model 1", lambda texts: texts.lexical_forward.plain, "forward", 10
    ),
    "backward": FeatureColumn(
        "logarithm of P(f|e), IBM model 1", lambda texts: texts.lexical_backward.plain, "backward", 10
    ),
    "forward_smoothed": FeatureColumn(
        "the same as forward, smoothed", lambda texts: texts.lexical_forward.smoothed, "forward", 10
    ),
    "backward_smoothed": FeatureColumn(
        "the same as backward, smoothed", lambda texts: texts.lexical_backward.smoothed, "backward", 10
    ),
    "BLEU": FeatureColumn("sentence BLEU of these precisions, in [0, 1]", bleu),
    "chrF": FeatureColumn(
        "chrF, in [0, 100]", lambda texts: character_f(texts.outputs, texts.segments, texts.references), None, 20
    ),
    "chrF_unescaped": FeatureColumn("chrF of texts in which &amp; is & and the like", chrf_unescaped, None, 20),
    "TER": FeatureColumn("translation edit rate, lower is better", ter, None, 500),
    "untranslated": FeatureColumn(
        "words that occur in the source, but neither in a reference nor in the language model's text",
        untranslated,
        "language_model",
    ),
    "consensus": FeatureColumn(
        "character F against the other systems' outputs of the segment, in [0, 100]",
        lambda texts: texts.consensus,
        None,
        30,
    ),
    "consensus_mean": FeatureColumn(
        "its mean over the segments of the system", lambda texts: texts.system_means(texts.consensus), None, 30
    ),
}
