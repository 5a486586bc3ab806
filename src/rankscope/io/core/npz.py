"""Arrays in one file by name, as checkpoints and caches keep them; nothing in it is run."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.errors import InputError
from rankscope.io.core.atomic_write import write_chunks

__all__ = [
    "Arrays",
    "damaged_file_error",
    "read_arrays",
    "write_arrays",
]


Arrays = dict[str, npt.NDArray[Any]]
#: For the arrays of a file of so many bytes there is memory, once there was some to read it.
SMALL = 1 << 26


def write_arrays(path: Path, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    """Write them, whole or not at all. Raises OutputError."""
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)  # type: ignore[arg-type]  # names are no parameters of savez
    write_chunks(path, [buffer.getvalue()])


def read_arrays(path: Path) -> Arrays:
    """The arrays of a file. Raises InputError for one that cannot be read, or is damaged."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(
            f"{path}: cannot be read ({error.strerror or error}); check it, and the disk that it is on"
        ) from None
    try:
        # Of a damaged archive that it opened itself NumPy leaves the file open.
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if any(member.compress_type != zipfile.ZIP_STORED for member in archive.infolist()):
                raise damaged_file_error(path)  # what is packed may unpack to anything
        with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays.files}
    except MemoryError:
        if len(content) < SMALL:  # it says that it holds more than it does
            raise damaged_file_error(path) from None
        raise
    except Exception:  # whatever the bytes are, they are no arrays
        raise damaged_file_error(path) from None


def damaged_file_error(path: Path) -> InputError:
    return InputError(f"{path}: is damaged; remove this file, and its part is computed again")
