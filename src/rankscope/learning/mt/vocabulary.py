"""Words as whole numbers, and sentences as one array of them.

Words are bytes between blanks of ASCII (space, tab, CR, vertical tab, form feed; and NUL, as lmplz has it). Other
blanks of Unicode, such as the no-break space, stand inside words.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from itertools import repeat

import numpy as np

from rankscope.errors import InputError, ParameterError
from rankscope.learning.mt.sentence_blocks import Sentences, sentence_blocks
from rankscope.typing import Ints

__all__ = ["END", "RESERVED", "START", "UNKNOWN", "Numbers", "learned_tokens", "refuse_reserved", "tokens_of"]

#: The numbers of what stands in every vocabulary, and how texts write it.
UNKNOWN, START, END = range(3)
RESERVED = (b"<unk>", b"<s>", b"</s>")

Numbers = dict[bytes, int]


def learned_tokens(source: Sentences) -> tuple[Ints, list[bytes]]:
    """All tokens of a text, each sentence between START and END; and the words, by the order of their first place.

    Raises InputError as `sentence_blocks`, for a text without words, and for a word that is reserved.
    """
    numbers: defaultdict[bytes, int] = defaultdict()
    numbers.default_factory = numbers.__len__  # a new word gets the next number
    for word in RESERVED:
        numbers[word]
    parts = []
    for block in sentence_blocks(source):
        words = marked_words(block.text)
        part = np.fromiter(map(numbers.__getitem__, words), np.int64, len(words))
        lines = block.text.count(b"\n")
        if np.bincount(part, minlength=3)[:3].tolist() != [0, lines, lines]:
            refuse_reserved(block.lines(), block.place)
        parts.append(part)
    if len(numbers) == len(RESERVED):
        name = "the file" if isinstance(source, str) or not isinstance(source, Iterable) else "the list of sentences"
        raise InputError(f"{name} has no word, expected sentences to learn from")
    return np.concatenate(parts), list(numbers)


def marked_words(text: bytes) -> list[bytes]:
    """The words of lines, with the marks of start and end around each line."""
    words = (b"<s> " + text.replace(b"\n", b" </s> <s> ")).split()
    words.pop()  # that of a line that does not come
    return words


def refuse_reserved(lines: Iterable[bytes], place: Callable[[int], str]) -> None:
    """Raise InputError for a word that is a mark of the model's own. place: what line i, from 0, is called."""
    for i, line in enumerate(lines):
        if any(mark in line for mark in RESERVED):  # rarely; it may be a part of a longer word
            for word in line.split():
                if word in RESERVED:
                    raise InputError(
                        f"{place(i)}: the word {word.decode()}, a mark of the model's own, expected none in a text "
                        "that it learns from; take it out or write it otherwise"
                    )


def tokens_of(sentences: Iterable[str], numbers: Numbers) -> Iterator[Ints]:
    """The tokens of so many sentences at a time, each between START and END.

    A word that is not known, or reserved, is UNKNOWN. Raises ParameterError for one text instead of many, InputError
    as `sentence_blocks`.
    """
    if isinstance(sentences, (str, bytes)):
        raise ParameterError("sentences is one text, expected a list of sentences; write [sentence]")
    for block in sentence_blocks(list(sentences)):
        text = block.text
        if any(word in text for word in RESERVED):
            text = b"".join(b" ".join(map(unreserved, line.split())) + b"\n" for line in block.lines())
        words = marked_words(text)
        yield np.fromiter(map(numbers.get, words, repeat(UNKNOWN)), np.int64, len(words))


def unreserved(word: bytes) -> bytes:
    """The word, or another that no model knows where it is reserved."""
    return RESERVED[UNKNOWN] if word in RESERVED else word
