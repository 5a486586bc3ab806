"""A folder that holds what was computed, by what it was computed of: a second protocol does not compute it anew."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from rankscope.errors import InputError, OutputError
from rankscope.io.kept_arrays import Arrays, read_arrays, write_arrays
from rankscope.typing import PathLike

__all__ = ["ArrayCache", "text_digest"]


def text_digest(*texts: object) -> str:
    """A hash of texts, and of lists of texts, that differs where they do.

    >>> text_digest(["ab", "c"]) == text_digest(["a", "bc"])
    False
    """
    content = json.dumps(texts, ensure_ascii=True, default=list).encode()
    return hashlib.sha256(content).hexdigest()[:16]


class ArrayCache:
    """Arrays in one file a piece of work. folder: None keeps nothing; made where it is not there."""

    def __init__(self, folder: PathLike | None) -> None:
        self.folder = None if folder is None else Path(folder)

    def get(
        self,
        name: str,
        settings: Mapping[str, Any],
        make: Callable[[], Arrays],
        shapes: Mapping[str, tuple[int | None, ...]],
    ) -> Arrays:
        """What was kept under this name and these settings, or else what `make` gives, kept from now on.

        settings: all that changes the arrays, texts by their digest; a file of others is another file. shapes: by name,
        what a file has to hold; None is any length.
        Raises InputError for a file that is damaged or holds other arrays, OutputError where none can be written.
        """
        if self.folder is None:
            return make()
        path = self.folder / f"{name}-{text_digest(json.dumps(dict(settings), sort_keys=True))}.npz"
        if path.exists():
            kept = read_arrays(path)
            if not has_shapes(kept, shapes):
                raise InputError(f"{path}: holds other arrays than {name}; remove this file, and it is computed again")
            return kept
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(
                f"{self.folder}: no folder can be made there ({error.strerror}); choose another"
            ) from None
        found = make()
        write_arrays(path, found)
        return found


def has_shapes(arrays: Arrays, shapes: Mapping[str, tuple[int | None, ...]]) -> bool:
    """Whether these are the arrays that are expected."""
    return arrays.keys() == shapes.keys() and all(
        array.ndim == len(shapes[name]) and all(n in (m, None) for m, n in zip(array.shape, shapes[name], strict=True))
        for name, array in arrays.items()
    )
