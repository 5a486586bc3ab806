"""Language models as files: ARPA or compact, told by name when they are written and by content when they are read."""

from __future__ import annotations

import io
from itertools import chain
from pathlib import Path

from rankscope.io.packed import split_compression_suffix
from rankscope.io.streams import empty_file_error, open_binary, source_name
from rankscope.io.write import compress, write_chunks
from rankscope.learning.mt.arpa_reading import read_arpa
from rankscope.learning.mt.arpa_writing import arpa_chunks
from rankscope.learning.mt.array_files import magic_stem
from rankscope.learning.mt.compact import LANGUAGE_MODEL_MAGIC, compact_chunks, read_compact
from rankscope.learning.mt.language_model import LanguageModel
from rankscope.stats.inputs import check_choice
from rankscope.typing import PathLike

__all__ = ["load_language_model", "save_language_model"]

FORMS = ("arpa", "compact")


def save_language_model(model: LanguageModel, path: PathLike, *, form: str | None = None) -> None:
    """Write a model, whole or not at all; compressed where the name ends with .gz or .zst.

    form: `arpa`, a text that KenLM, SRILM and others read, log10 with nine digits; or `compact`, binary, read ten times
    as fast, with every bit. None: ARPA where the name ends with .arpa (before .gz or .zst), else compact.

    Raises OutputError where it cannot be written, ParameterError for another form.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from rankscope.learning.mt import train_language_model
    >>> model = train_language_model(["a b", "a c", "a b"], order=2)
    >>> with TemporaryDirectory() as folder:
    ...     save_language_model(model, Path(folder, "small.arpa.gz"))
    ...     again = load_language_model(Path(folder, "small.arpa.gz"))
    >>> again
    LanguageModel(order 2, 6 words, 5 n-grams of that order)
    """
    stem, packing = split_compression_suffix(path)
    if form is None:
        form = "arpa" if Path(stem).suffix.lower() == ".arpa" else "compact"
    check_choice("form", form, FORMS)
    chunks = arpa_chunks(model) if form == "arpa" else compact_chunks(model)
    write_chunks(path, compress(chunks, packing))


def load_language_model(path: PathLike) -> LanguageModel:
    """A model from a file: compact, as rankscope wrote it, or ARPA of any tool; also compressed.

    ARPA: fields stand between blanks or tabs, lines may end with CRLF, a missing back-off is 0, -99 and -inf stand for
    the logarithm of 0. Without <unk>, unknown words count with log10 -100, as in KenLM, which the notes say. Pruned
    models may lack the n-gram without the first word, never the one without the last. Nothing in a file is run.

    Raises InputError for what is no model, damaged or cut short: with the line in ARPA. An example is at
    `save_language_model`.
    """
    name = source_name(path)
    with open_binary(path) as stream:
        start = stream.read(len(LANGUAGE_MODEL_MAGIC))
        if not start:
            raise empty_file_error(name, "a language model")
        if start.startswith(magic_stem(LANGUAGE_MODEL_MAGIC)):
            return read_compact(start + stream.read(), name)
        lines = io.BytesIO(start + stream.readline())  # which breaks lines at LF
        return read_arpa(chain(lines, stream), name)
