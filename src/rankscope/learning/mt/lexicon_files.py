"""Lexicons in binary, as `array_files` has it: likelihoods in the header, words and probabilities in arrays."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from rankscope.errors import InputError
from rankscope.io.streams import empty_file_error, open_binary, source_name
from rankscope.io.write import compress, write_chunks
from rankscope.learning.mt.array_files import DamagedArrayFile, magic_stem, pack_arrays, unpack_arrays
from rankscope.learning.mt.lexicon import Lexicon
from rankscope.typing import PathLike

__all__ = ["load_lexicon", "save_lexicon"]


#: Raise the number when the layout changes.
LEXICON_MAGIC = b"rankscope lexicon 1\n"
TYPES = {"begins": "<i8", "targets": "<i4", "probability": "<f4", "counts": "<i8"}


def save_lexicon(lexicon: Lexicon, path: PathLike) -> None:
    """Write a lexicon in binary, whole or not at all; compressed where the name ends with .gz or .zst.

    The same lexicon gives the same bytes. Raises OutputError where it cannot be written.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from rankscope.learning.mt import train_lexicon
    >>> lexicon = train_lexicon(["das haus", "das buch"], ["the house", "the book"])
    >>> with TemporaryDirectory() as folder:
    ...     save_lexicon(lexicon, Path(folder, "de-en.lexicon"))
    ...     again = load_lexicon(Path(folder, "de-en.lexicon"))
    >>> again, again.translations("haus") == lexicon.translations("haus")
    (Lexicon(4 source words, 3 target words, 10 pairs), True)
    """
    write_chunks(path, compress(chunks_of(lexicon), Path(path).suffix))


def chunks_of(lexicon: Lexicon) -> Iterator[bytes]:
    words = {
        side: np.frombuffer("\n".join(found).encode("utf-8", "surrogatepass"), np.uint8)
        for side, found in (("source_words", lexicon.source_words), ("target_words", lexicon.target_words))
    }
    numbers = {name: np.ascontiguousarray(getattr(lexicon, name)).astype(kind) for name, kind in TYPES.items()}
    arrays: dict[str, npt.NDArray[Any]] = {**words, **numbers}
    return pack_arrays(LEXICON_MAGIC, {"null": lexicon.null, "likelihood": lexicon.likelihood}, arrays)


def load_lexicon(path: PathLike) -> Lexicon:
    """The lexicon of a file that `save_lexicon` wrote, bit for bit; also compressed. Nothing in it is run.

    Raises InputError for a file that is not there, is no lexicon, damaged or cut short. An example is at
    `save_lexicon`.
    """
    name = source_name(path)
    with open_binary(path) as stream:
        content = stream.read()
    if not content:
        raise empty_file_error(name, "a lexicon")
    if not content.startswith(magic_stem(LEXICON_MAGIC)):
        refuse(name, "is no lexicon")
    try:
        return rebuilt(content)
    except Exception as error:  # whatever the bytes are, they are no lexicon
        refuse(name, f"is damaged or cut off ({(str(error) or type(error).__name__).splitlines()[0][:120]})")


def refuse(name: str, why: str) -> NoReturn:
    raise InputError(
        f"{name}: {why}, expected a lexicon that `rankscope features lexicon` wrote; train it again"
    ) from None


def rebuilt(content: bytes) -> Lexicon:
    """Raises Damaged and others for what does not fit."""
    about, arrays = unpack_arrays(LEXICON_MAGIC, content)
    source, target = (split_words(arrays[side]) for side in ("source_words", "target_words"))
    parts = {name: arrays[name] for name in TYPES}
    if {name: array.dtype.str for name, array in parts.items()} != TYPES:
        raise DamagedArrayFile("the types of its numbers")
    begins, targets, probability, counts = parts.values()
    fits = begins.size == len(source) + 1 and not begins[0] and begins[-1] == targets.size == probability.size
    if not fits or not targets.size or counts.size != len(target) or (np.diff(begins) < 0).any():
        raise DamagedArrayFile("its numbers of words")
    if targets.min() < 0 or targets.max() >= len(target) or not ((probability >= 0) & (probability <= 1.001)).all():
        raise DamagedArrayFile("its translations")
    lexicon = Lexicon(
        source_words=source,
        target_words=target,
        begins=begins,
        targets=targets,
        probability=probability,
        counts=counts,
        null=bool(about["null"]),
        likelihood=tuple(map(float, about["likelihood"])),
    )
    if (np.diff(lexicon.keys) <= 0).any():
        raise DamagedArrayFile("the order of its translations")
    return lexicon


def split_words(found: npt.NDArray[Any]) -> tuple[str, ...]:
    words = tuple(found.tobytes().decode("utf-8", "surrogatepass").split("\n"))
    if len(set(words)) < len(words):
        raise DamagedArrayFile("its words")
    return words
