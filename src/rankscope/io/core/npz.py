"""Named arrays in one file (.npz), for checkpoints and caches; loading never runs code."""

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
#: A file of fewer bytes that was read also fits into memory as arrays.
SMALL = 1 << 26


def write_arrays(path: Path, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    """Write the arrays, all or nothing. Raises OutputError."""
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)  # type: ignore[arg-type]  # names are no parameters of savez
    write_chunks(path, [buffer.getvalue()])


def read_arrays(path: Path) -> Arrays:
    """The arrays of a file. Raises InputError where it cannot be read or is damaged."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(
            f"{path}: cannot be read ({error.strerror or error}); check it, and the disk that it is on"
        ) from None
    try:
        # NumPy would leave a damaged archive open if it opened the file itself.
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if any(member.compress_type != zipfile.ZIP_STORED for member in archive.infolist()):
                raise damaged_file_error(path)  # compressed members could unpack to any size
        with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays.files}
    except MemoryError:
        if len(content) < SMALL:  # its header claims more than it holds
            raise damaged_file_error(path) from None
        raise
    except Exception:  # of many types, for bytes that are no arrays
        raise damaged_file_error(path) from None


def damaged_file_error(path: Path) -> InputError:
    return InputError(f"{path}: is damaged; remove this file, and its part is computed again")
