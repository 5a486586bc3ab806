"""Text as large pieces of whole lines, a sentence each, in UTF-8: of a file, or of sentences that are in memory."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from rankscope.errors import InputError
from rankscope.io.blocks import BOM
from rankscope.io.streams import open_binary, source_name

__all__ = ["SentenceBlock", "Sentences", "sentence_blocks"]

Sentences = str | os.PathLike[str] | Iterable[str]

#: Of a file, bytes that are read at a time; of sentences in memory, sentences.
BYTES, SENTENCES = 1 << 22, 20_000


class SentenceBlock(NamedTuple):
    """Lines, each ended by LF. first: how many stand before them. source: the file; empty for sentences in memory."""

    text: bytes
    first: int
    source: str

    def lines(self) -> list[bytes]:
        return self.text.split(b"\n")[:-1]

    def place(self, i: int) -> str:
        """How an error names the i-th line, counted from 0."""
        number = self.first + i + 1
        return f"{self.source}:{number}" if self.source else f"sentence {number}"


def sentence_blocks(source: Sentences) -> Iterator[SentenceBlock]:
    """The blocks of a file, named by its path, or of an iterable of sentences. Lines end at LF only.

    An LF inside a sentence in memory counts as a blank, and so does NUL everywhere. Raises InputError for what cannot
    be read, and with its line for what is no text or not UTF-8.
    """
    blocks = blocks_of_file(source) if isinstance(source, (str, os.PathLike)) else blocks_of_sentences(source)
    for block in blocks:
        yield block._replace(text=block.text.replace(b"\0", b" ")) if b"\0" in block.text else block


def blocks_of_file(path: str | os.PathLike[str]) -> Iterator[SentenceBlock]:
    first, name = 0, source_name(path)
    with open_binary(path) as stream:
        while text := stream.read(BYTES):
            text += stream.readline()
            if not first:
                text = text.removeprefix(BOM)
            if text and not text.endswith(b"\n"):
                text += b"\n"
            block = SentenceBlock(text, first, name)
            check_utf8(block)
            yield block
            first += text.count(b"\n")


def check_utf8(block: SentenceBlock) -> None:
    if block.text.isascii():
        return
    try:
        block.text.decode("utf-8")
    except UnicodeDecodeError as error:
        place = block.place(block.text.count(b"\n", 0, error.start))
        raise InputError(f"{place}: bytes that are not UTF-8, expected text; convert it") from None


def blocks_of_sentences(sentences: Iterable[str]) -> Iterator[SentenceBlock]:
    first, rest = 0, iter(sentences)
    while part := list(islice(rest, SENTENCES)):
        yield SentenceBlock(encode_sentences(part, first), first, "")
        first += len(part)


def encode_sentences(part: list[str], first: int) -> bytes:
    """Sentences as lines. first: how many stand before them."""
    try:
        text = "\n".join(part)
        if text.count("\n") != len(part) - 1:
            text = "\n".join(sentence.replace("\n", " ") for sentence in part)
        return f"{text}\n".encode()
    except TypeError:
        wrong = next(i for i, sentence in enumerate(part) if not isinstance(sentence, str))
        raise InputError(
            f"sentence {first + wrong + 1} is of type {type(part[wrong]).__name__}, expected a text, words with blanks "
            "between them; join its words"
        ) from None
    except UnicodeEncodeError:
        wrong = next(i for i, sentence in enumerate(part) if any("\ud800" <= c <= "\udfff" for c in sentence))
        raise InputError(
            f"sentence {first + wrong + 1}: holds a lone surrogate, which is no character; read it as UTF-8"
        ) from None
