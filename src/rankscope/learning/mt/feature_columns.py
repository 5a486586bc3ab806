"""Which features there are, what each is and needs, and how it is found."""

from __future__ import annotations

import html
import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from rankscope.learning.mt.character_f import character_f
from rankscope.learning.mt.lexical_sums import copied_words
from rankscope.learning.mt.prepared import PreparedTexts
from rankscope.typing import Floats

__all__ = ["COLUMNS", "FeatureColumn"]


class FeatureColumn(NamedTuple):
    """text: what it is. of: its value of each row. model: which it needs. work: about how long it takes, in seconds of
    100,000 outputs.
    """

    text: str
    of: Callable[[PreparedTexts], Floats]
    model: str | None = None
    work: float = 1.0


def precision(order: int) -> FeatureColumn:
    text = f"logarithm of the precision of {order}-grams; the k-th order without a match counts 1/(2^k max(total, 1))"
    return FeatureColumn(text, lambda texts: texts.log_precisions[order - 1])


def bleu(texts: PreparedTexts) -> Floats:
    return np.asarray(np.exp(texts.log_precisions.mean(axis=0) + texts.log_brevity))


def log_probability(texts: PreparedTexts) -> Floats:
    """Each different output is scored once."""
    assert texts.language_model is not None
    different = {text: i for i, text in enumerate(dict.fromkeys(texts.texts))}
    found = texts.language_model.scores(list(different)).log10 * math.log(10)
    return found[[different[text] for text in texts.texts]]


def chrf_unescaped(texts: PreparedTexts) -> Floats:
    references = [[html.unescape(line) for line in lines] for lines in texts.references]
    return character_f([html.unescape(line) for line in texts.outputs], texts.segments, references)


def ter(texts: PreparedTexts) -> Floats:
    from sacrebleu.metrics.ter import TER

    metric = TER()
    lines = [list(lines) for lines in zip(*texts.references, strict=True)]
    pairs = zip(texts.outputs, texts.segments.tolist(), strict=True)
    return np.array([metric.sentence_score(output, lines[i]).score for output, i in pairs])


def untranslated(texts: PreparedTexts) -> Floats:
    """How many words of the output are left over from the source."""
    assert texts.language_model is not None
    source, output, references = texts.tokens
    numbers = texts.language_model.numbers
    foreign = np.fromiter((word.encode() not in numbers for word in output.words), np.bool_, len(output.words))
    left = foreign[output.tokens] & copied_words(source.take(texts.segments), output)
    for reference in references:
        left &= ~copied_words(reference.take(texts.segments), output)
    return np.bincount(output.sentence[left], minlength=len(output)).astype(np.float64)


#: By name.
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
        "words that stand in the source, in no reference and not in the language model's text",
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
        "its mean over the segments of the system", lambda texts: texts.of_systems(texts.consensus), None, 30
    ),
}
