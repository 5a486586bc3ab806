"""Whether the models know the texts' words: another language's model gives numbers too, and they mean nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from rankscope.learning.mt.feature_columns import COLUMNS
from rankscope.learning.mt.prepared import PreparedTexts
from rankscope.learning.mt.token_lists import TokenLists

__all__ = ["vocabulary_notes"]

#: Texts of the model's language have far fewer words that it does not know.
MOST_UNKNOWN = 0.5


def vocabulary_notes(texts: PreparedTexts, names: Iterable[str]) -> list[str]:
    """A note for each side of a model, of those that these features use, that knows less than half of its words."""
    used = {COLUMNS[name].model for name in names}
    source, output, _ = texts.tokens
    checks: list[tuple[str, str, TokenLists, Callable[[str], bool]]] = []
    if "language_model" in used and (model := texts.language_model) is not None:
        checks.append(("language_model", "outputs", output, lambda word: word.encode() in model.numbers))
    for role, lexicon, first, second in (
        ("forward", texts.forward, source, output),
        ("backward", texts.backward, output, source),
    ):
        if role in used and lexicon is not None:
            sides = ("sources", "outputs") if role == "forward" else ("outputs", "sources")
            checks.append((role, sides[0], first, lexicon.source_numbers.__contains__))
            checks.append((role, sides[1], second, lexicon.target_numbers.__contains__))
    notes = []
    for role, side, words, knows in checks:
        share = unknown_share(words, knows)
        if share > MOST_UNKNOWN:
            notes.append(
                f"{role} does not know {share:.0%} of the words of the {side}: it may be of another language, or the "
                "two lexicons are exchanged"
            )
    return notes


def unknown_share(texts: TokenLists, knows: Callable[[str], bool]) -> float:
    """The share of tokens that are not known; 0 where there are none."""
    if not texts.tokens.size:
        return 0.0
    strange = np.fromiter((not knows(word) for word in texts.words), np.bool_, len(texts.words))
    return float(strange[texts.tokens].mean())
