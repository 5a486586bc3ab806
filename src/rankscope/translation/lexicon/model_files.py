"""Files of lexicons: binary, with every bit."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.errors import InputError
from rankscope.io.core import (
    Arrays,
    DamagedFile,
    compress,
    empty_file_error,
    load_arrays,
    magic_stem,
    open_binary,
    pack_arrays,
    source_name,
    write_chunks,
)
from rankscope.translation.lexicon.lexicon import Lexicon
from rankscope.typing import PathLike

__all__ = [
    "LEXICON_MAGIC",
    "load_lexicon",
    "save_lexicon",
]


#: Raise the number when the layout changes.
LEXICON_MAGIC = b"rankscope lexicon 3\n"
TYPES = {"begins": "<i8", "targets": "<i4", "probability": "<f4", "counts": "<i8"}


def save_lexicon(lexicon: Lexicon, path: PathLike) -> None:
    """Write a lexicon in binary, atomically; compressed if the name ends with .gz or .zst.

    Parameters
    ----------
    lexicon
        The lexicon; the same one gives the same bytes.
    path
        The file.

    Raises
    ------
    OutputError
        The file cannot be written.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from rankscope.translation import train_lexicon
    >>> lexicon = train_lexicon(["das haus", "das buch"], ["the house", "the book"])
    >>> with TemporaryDirectory() as folder:
    ...     save_lexicon(lexicon, Path(folder, "de-en.lexicon"))
    ...     again = load_lexicon(Path(folder, "de-en.lexicon"))
    >>> again, again.translations("haus") == lexicon.translations("haus")
    (Lexicon(4 source words, 3 target words, 10 pairs), True)
    """
    write_chunks(path, compress(lexicon_chunks(lexicon), Path(path).suffix))


def lexicon_chunks(lexicon: Lexicon) -> Iterator[bytes]:
    arrays: Arrays = {
        side: np.frombuffer("\n".join(words).encode("utf-8", "surrogatepass"), np.uint8)
        for side, words in (("source_words", lexicon.source_words), ("target_words", lexicon.target_words))
    }
    arrays |= {name: getattr(lexicon, name).astype(dtype, copy=False) for name, dtype in TYPES.items()}
    return pack_arrays(LEXICON_MAGIC, {"null": lexicon.null, "likelihood": lexicon.likelihood}, arrays)


def load_lexicon(path: PathLike) -> Lexicon:
    """Read a lexicon that `save_lexicon` wrote, bit for bit; also compressed.

    Parameters
    ----------
    path
        The file. Nothing in it is executed.

    Returns
    -------
    Lexicon
        The lexicon.

    Raises
    ------
    InputError
        The file is missing, no lexicon, damaged or cut short.

    Notes
    -----
    An example is at `save_lexicon`.
    """
    name = source_name(path)
    with open_binary(path) as stream:
        content = stream.read()
    if not content:
        raise empty_file_error(name, "a lexicon")

    def error_of(problem: str) -> InputError:
        return InputError(
            f"{name}: {problem}, expected a lexicon that `rankscope features lexicon` wrote; train it again"
        )

    if not content.startswith(magic_stem(LEXICON_MAGIC)):
        raise error_of("is no lexicon")
    return load_arrays(
        LEXICON_MAGIC, content, lexicon_of, lambda problem: error_of(f"is damaged or cut off ({problem})")
    )


def lexicon_of(header: dict[str, Any], arrays: Arrays) -> Lexicon:
    """The lexicon of a file's header and arrays. Raises DamagedFile, or another exception, where they do not fit."""
    source, target = (split_words(arrays[side]) for side in ("source_words", "target_words"))
    number_arrays = {name: arrays[name] for name in TYPES}
    if {name: array.dtype.str for name, array in number_arrays.items()} != TYPES:
        raise DamagedFile("the types of its numbers")
    if any(array.ndim != 1 for array in number_arrays.values()):
        raise DamagedFile("the shapes of its numbers")
    begins, targets, probability, counts = number_arrays.values()
    consistent = begins.size == len(source) + 1 and not begins[0] and begins[-1] == targets.size == probability.size
    if not consistent or not targets.size or counts.size != len(target) or (np.diff(begins) < 0).any():
        raise DamagedFile("its numbers of words")
    if targets.min() < 0 or targets.max() >= len(target) or not ((probability >= 0) & (probability <= 1.001)).all():
        raise DamagedFile("its translations")
    lexicon = Lexicon(
        source_words=source,
        target_words=target,
        begins=begins,
        targets=targets,
        probability=probability,
        counts=counts,
        null=bool(header["null"]),
        likelihood=tuple(map(float, header["likelihood"])),
    )
    if (np.diff(lexicon.keys) <= 0).any():
        raise DamagedFile("the order of its translations")
    return lexicon


def split_words(encoded: npt.NDArray[Any]) -> tuple[str, ...]:
    words = tuple(encoded.tobytes().decode("utf-8", "surrogatepass").split("\n"))
    if len(set(words)) < len(words):
        raise DamagedFile("its words")
    return words
