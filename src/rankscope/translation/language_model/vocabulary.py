"""Vocabularies: words as numbers, and text as large blocks of complete sentences.

Words are bytes between blanks of ASCII (space, tab, CR, vertical tab, form feed; and NUL, as lmplz has it). Other
blanks of Unicode, such as the no-break space, stand inside words.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from rankscope.errors import InputError, ParameterError
from rankscope.io.core import BOM, open_binary, source_name
from rankscope.kernels.key_index import EMPTY, KeyIndex
from rankscope.kernels.order import repeated
from rankscope.kernels.text import PADDING, Fields, as_fields, equal, hashes
from rankscope.typing import Ints

__all__ = [
    "END",
    "RESERVED",
    "START",
    "UNKNOWN",
    "Numbers",
    "SentenceBlock",
    "Sentences",
    "WordIndex",
    "learned_tokens",
    "refuse_reserved",
    "sentence_blocks",
    "tokens_of",
]


Sentences = str | os.PathLike[str] | Iterable[str]
#: Size of a block: bytes of a file, sentences in memory.
BYTES, SENTENCES = 1 << 22, 20_000


class SentenceBlock(NamedTuple):
    """Lines, each ended by LF.

    Attributes
    ----------
    text
        The lines.
    n_before
        Number of lines before them.
    source
        The file; "" for sentences in memory.
    """

    text: bytes
    n_before: int
    source: str

    def lines(self) -> list[bytes]:
        return self.text.split(b"\n")[:-1]

    def location(self, i: int) -> str:
        """How an error names the i-th line, counted from 0."""
        number = self.n_before + i + 1
        return f"{self.source}:{number}" if self.source else f"sentence {number}"


def sentence_blocks(source: Sentences) -> Iterator[SentenceBlock]:
    """The blocks of a file, named by its path, or of an iterable of sentences. Lines end at LF only.

    Parameters
    ----------
    source
        Path or sentences. An LF inside a sentence in memory counts as a blank, and so does NUL everywhere.

    Raises
    ------
    InputError
        The file cannot be read, or (with its line) a sentence is not a text or not UTF-8.
    """
    blocks = blocks_of_file(source) if isinstance(source, (str, os.PathLike)) else blocks_of_sentences(source)
    for block in blocks:
        yield block._replace(text=block.text.replace(b"\0", b" ")) if b"\0" in block.text else block


def blocks_of_file(path: str | os.PathLike[str]) -> Iterator[SentenceBlock]:
    n_before, name = 0, source_name(path)
    with open_binary(path) as stream:
        while text := stream.read(BYTES):
            text += stream.readline()
            if not n_before:
                text = text.removeprefix(BOM)
            if text and not text.endswith(b"\n"):
                text += b"\n"
            block = SentenceBlock(text, n_before, name)
            check_utf8(block)
            yield block
            n_before += text.count(b"\n")


def check_utf8(block: SentenceBlock) -> None:
    if block.text.isascii():
        return
    try:
        block.text.decode("utf-8")
    except UnicodeDecodeError as error:
        location = block.location(block.text.count(b"\n", 0, error.start))
        raise InputError(f"{location}: bytes that are not UTF-8, expected text; convert it") from None


def blocks_of_sentences(sentences: Iterable[str]) -> Iterator[SentenceBlock]:
    n_before, remaining = 0, iter(sentences)
    while batch := list(islice(remaining, SENTENCES)):
        yield SentenceBlock(encode_sentences(batch, n_before), n_before, "")
        n_before += len(batch)


def encode_sentences(sentences: list[str], n_before: int) -> bytes:
    """Sentences as lines. n_before: the number of sentences before them."""
    try:
        text = "\n".join(sentences)
        if text.count("\n") != len(sentences) - 1:
            text = "\n".join(sentence.replace("\n", " ") for sentence in sentences)
        return f"{text}\n".encode()
    except TypeError:
        wrong_index = next(i for i, sentence in enumerate(sentences) if not isinstance(sentence, str))
        type_name = type(sentences[wrong_index]).__name__
        raise InputError(
            f"sentence {n_before + wrong_index + 1} is of type {type_name}, expected a text, words with blanks "
            "between them; join its words"
        ) from None
    except UnicodeEncodeError:
        wrong_index = next(
            i for i, sentence in enumerate(sentences) if any("\ud800" <= c <= "\udfff" for c in sentence)
        )
        raise InputError(
            f"sentence {n_before + wrong_index + 1}: holds a lone surrogate, which is no character; read it as UTF-8"
        ) from None


#: Which bytes separate words; NUL pads the buffer that the words stand in.
IS_BLANK = np.zeros(256, np.bool_)
IS_BLANK[list(b"\0 \t\n\r\x0b\x0c")] = True
NEWLINE = ord("\n")
#: The numbers and spellings of the reserved words of every vocabulary.
UNKNOWN, START, END = range(3)
RESERVED = (b"<unk>", b"<s>", b"</s>")
Numbers = dict[bytes, int]


def learned_tokens(source: Sentences) -> tuple[Ints, list[bytes]]:
    """All tokens of a text, each sentence between START and END; and the words, in the order of their first place.

    Parameters
    ----------
    source
        Path or sentences.

    Returns
    -------
    tokens, words
        Numbers of words, and the words.

    Raises
    ------
    InputError
        As for `sentence_blocks`, or the text has no words, or a reserved one.
    """
    numbers: defaultdict[bytes, int] = defaultdict()
    numbers.default_factory = numbers.__len__  # a new word gets the next number
    for word in RESERVED:
        numbers[word]
    token_blocks = []
    for block in sentence_blocks(source):
        words = marked_words(block.text)
        tokens = np.fromiter(map(numbers.__getitem__, words), np.int64, len(words))
        n_lines = block.text.count(b"\n")
        if np.bincount(tokens, minlength=3)[:3].tolist() != [0, n_lines, n_lines]:
            refuse_reserved(block.lines(), block.location)
        token_blocks.append(tokens)
    if len(numbers) == len(RESERVED):
        name = "the file" if isinstance(source, str) or not isinstance(source, Iterable) else "the list of sentences"
        raise InputError(f"{name} has no word, expected sentences to learn from")
    return np.concatenate(token_blocks), list(numbers)


def marked_words(text: bytes) -> list[bytes]:
    """The words of lines, with <s> and </s> around each line."""
    words = (b"<s> " + text.replace(b"\n", b" </s> <s> ")).split()
    words.pop()  # the <s> after the last line
    return words


def refuse_reserved(lines: Iterable[bytes], line_name: Callable[[int], str]) -> None:
    """Raise InputError for a reserved word. line_name: gives the name of line i, from 0, for the message."""
    for i, line in enumerate(lines):
        if any(mark in line for mark in RESERVED):  # rare; it may be a part of a longer word
            for word in line.split():
                if word in RESERVED:
                    raise InputError(
                        f"{line_name(i)}: the word {word.decode()}, which is reserved for the model, expected none in "
                        "training text; remove or rename it"
                    )


class WordIndex:
    """The numbers of words, found for all words of a text at once.

    Parameters
    ----------
    words
        The words in the order of their numbers, each once.
    """

    def __init__(self, words: Sequence[bytes]) -> None:
        self.words, self.seed = as_fields(list(words)), 0
        keys = hashes(self.words)
        while repeated(keys) or (keys == EMPTY).any():  # two words share a hash, or one has none: try others
            self.seed += 1
            keys = hashes(self.words, self.seed)
        signed_keys = keys.view(np.int64)
        self.numbers = np.argsort(signed_keys)
        self.index = KeyIndex(signed_keys[self.numbers])

    def find(self, words: Fields) -> Ints:
        """The number of each word; -1 for an unknown one."""
        rows = self.index.find(hashes(words, self.seed).view(np.int64))
        numbers = np.where(rows >= 0, self.numbers[rows], -1)
        # Of one length up to eight bytes, different words have different hashes.
        numbers[self.words.lengths[numbers] != words.lengths] = -1
        long = np.flatnonzero((numbers >= 0) & (words.lengths > 8))
        numbers[long[~equal(words.take(long), self.words.take(numbers[long]))]] = -1
        return numbers


def tokens_of(sentences: Iterable[str], index: WordIndex) -> Iterator[Ints]:
    """The tokens of blocks of sentences, each sentence between START and END.

    Parameters
    ----------
    sentences
        The sentences.
    index
        The words; an unknown or reserved word is UNKNOWN.

    Raises
    ------
    ParameterError
        There is one text instead of a list.
    InputError
        As for `sentence_blocks`.
    """
    if isinstance(sentences, (str, bytes)):
        raise ParameterError("sentences is one text, expected a list of sentences; write [sentence]")
    for block in sentence_blocks(list(sentences)):
        words, line_ends = split_words(block.text)
        numbers = index.find(words)
        numbers[numbers < len(RESERVED)] = UNKNOWN
        ends = line_ends + 2 * np.arange(line_ends.size) + 1
        tokens = np.empty(numbers.size + 2 * ends.size, np.int64)
        is_word = np.ones(tokens.size, np.bool_)
        starts = np.append(0, ends[:-1] + 1)
        tokens[starts], tokens[ends] = START, END
        is_word[starts] = is_word[ends] = False
        tokens[is_word] = numbers
        yield tokens


def split_words(text: bytes) -> tuple[Fields, Ints]:
    """The words of lines, and for each line how many words stand before its end."""
    buffer = np.frombuffer(b"".join((bytes(PADDING), text, bytes(PADDING))), np.uint8)
    is_blank = IS_BLANK[buffer[PADDING - 1 : buffer.size - PADDING]]  # from a byte before the text on
    edges = np.flatnonzero(is_blank[1:] != is_blank[:-1])  # words begin and end in turn, and the text ends with LF
    starts, ends = edges[::2] + PADDING, edges[1::2] + PADDING
    lines = np.flatnonzero(buffer == NEWLINE)
    return Fields(buffer, starts, ends - starts), np.searchsorted(starts, lines)
