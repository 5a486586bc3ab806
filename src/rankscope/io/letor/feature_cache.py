"""The cache of features: a binary copy beside their file, mapped into memory in a hundredth of the time of reading the
text; also notes on numbers that float32 cannot tell apart.

It is a file of arrays whose header names the source. A cache is valid as long as its source is unchanged by size and
times, or, where it was touched or copied, by SHA-256.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.data.features import Features
from rankscope.errors import InputError, OutputError, ParameterError
from rankscope.io.core import (
    Arrays,
    DamagedFile,
    damage,
    file_digest,
    file_stem,
    magic_stem,
    pack_arrays,
    refuse_overwriting,
    source_name,
    split_arrays,
    split_header,
    write_chunks,
)
from rankscope.io.letor.feature_lines import Dtype
from rankscope.typing import PathLike, Reals

__all__ = [
    "read_cached",
    "refuse_cache",
    "rounding_notes",
]


#: From this number on float32 skips whole numbers.
EXACT = 2.0**24
#: A feature gets a note if its range has fewer steps of float32 than this.
STEPS = 1 << 16


def rounding_notes(values: Reals, names: Sequence[str], name: str) -> list[str]:
    """A note for each feature of float32 that is large and varies little, as times in seconds since 1970.

    Zeros are ignored: they may stand for missing values.

    >>> times = np.float32([[1_700_000_000], [1_700_010_000]])
    >>> rounding_notes(times, ["time"], "test")[0].partition(";")[0]
    "test: the numbers of feature 'time', 1700000000 to 1700009984, are kept in steps of 128 only (float32)"
    """
    if values.dtype != np.float32:
        return []
    notes = []
    largest = np.maximum(values.max(axis=0), -values.min(axis=0))
    for column in np.flatnonzero(largest >= EXACT).tolist():
        numbers = values[:, column]
        numbers = numbers[numbers != 0]
        low, high = float(numbers.min()), float(numbers.max())
        step = 2.0 ** (int(np.log2(largest[column])) - 23)
        if 0 < high - low < STEPS * step:
            notes.append(
                f"{name}: the numbers of feature {names[column]!r}, {low:.10g} to {high:.10g}, are kept in steps of "
                f"{step:g} only (float32); if less makes a difference, write them less their lowest, or in Python read "
                "with dtype='float64'"
            )
    return notes


SUFFIX = ".rscache"
#: Increase the number when the layout of the cache or the parsing of files changes.
MAGIC = b"rankscope features 3\n"
#: A file that changed less than this many seconds before its cache was written may have changed again within one tick
#: of the clock.
TICK = 2.0


class NotACache(Exception):
    """The file with the cache's name is not a cache."""


def refuse_cache(path: PathLike, cache: bool | PathLike) -> None:
    """Raise ParameterError where a cache is not possible."""
    if source_name(path) == "<stdin>":
        raise ParameterError("cache belongs to a file, and standard input is none; leave it out")
    if not os.path.isfile(path):
        if os.path.exists(path):
            raise ParameterError(f"{path}: cache belongs to a file that can be read again; leave it out")
        raise InputError(f"{path}: no such file; check the path")
    refuse_overwriting(cache_path(path, cache), [path])


def cache_path(path: PathLike, cache: bool | PathLike) -> Path:
    return Path(os.fspath(path) + SUFFIX) if isinstance(cache, bool) else Path(cache)


def read_cached(path: PathLike, cache: bool | PathLike, dtype: Dtype, read: Callable[[], Features]) -> Features:
    """The features from a valid cache, else from the file; in that case the cache is written.

    Parameters
    ----------
    path
        The file.
    cache
        True for the file beside it, or where the cache is.
    dtype
        "float32" or "float64".
    read
        Reads the file.

    Returns
    -------
    Features
        A damaged cache, or one that cannot be written, is only a note: the features are then read from the file.
    """
    cache_file = cache_path(path, cache)
    note, may_write = None, True
    try:
        cached = load_cache(cache_file, path, dtype)
        if cached is not None:
            return cached
    except NotACache:
        note, may_write = f"{cache_file}: no cache of features; left as it is, and the file was read", False
    except DamagedFile as error:
        note = f"{cache_file}: the cache is damaged ({error}); the file was read, and the cache written again"
    times_before = file_times(path)
    features = read()
    if may_write:
        try:
            save_cache(features, cache_file, path, times_before)
        except (OutputError, InputError) as error:
            note = f"no cache was written: {error}"
    return features if note is None else replace(features, notes=(*features.notes, note), where=None)


def file_times(path: PathLike) -> dict[str, int]:
    """The metadata of a file that change with its content."""
    status = os.stat(path)
    return {"size": status.st_size, "mtime": status.st_mtime_ns, "ctime": status.st_ctime_ns, "inode": status.st_ino}


# Writing


def save_cache(features: Features, cache_file: Path, path: PathLike, times_before: dict[str, int]) -> None:
    """Write the cache, all or nothing. times_before: the times of the source before it was read."""
    digest = file_digest(path)
    if file_times(path) != times_before:  # the file is being written
        return
    arrays: Arrays = {"values": features.values, "relevance": features.relevance, "offsets": features.offsets}
    if features.order is not None:
        arrays["order"] = features.order
    for name in ("doc_ids", "comments"):
        texts = getattr(features, name)
        if texts is not None:
            arrays[name] = np.frombuffer(json.dumps(list(texts)).encode(), np.uint8)
    header = {
        "source": {**times_before, "sha256": digest},
        "written": time.time(),
        "query_ids": features.query_ids,
        "names": features.names,
        "name": features.name,
        "path": source_name(path),
        "notes": features.notes,
        "empty": features.empty,
        "graded": features.graded,
    }
    write_chunks(cache_file, pack_arrays(MAGIC, header, arrays), is_result=False)


# Reading


def load_cache(cache_file: Path, path: PathLike, dtype: Dtype) -> Features | None:
    """The features in a cache; None where there is no cache, or it is outdated.

    Raises NotACache and DamagedFile.
    """
    if not os.path.isfile(cache_file):
        return None
    try:
        with open(cache_file, "rb") as file:
            first_bytes = file.read(len(MAGIC))
    except OSError as error:
        raise DamagedFile(damage(error)) from None
    if not first_bytes.startswith(magic_stem(MAGIC)):
        raise NotACache
    if first_bytes != MAGIC:
        return None  # of another version
    try:
        header, body = split_header(MAGIC, np.memmap(cache_file, np.uint8, "r").data)
        if not is_cache_of(header, path):
            return None
        return features_of_cache(header, split_arrays(header, body), dtype, path)
    except Exception as error:  # damaged bytes can raise anything
        raise DamagedFile(damage(error)) from None


def is_cache_of(header: dict[str, Any], path: PathLike) -> bool:
    """Whether the source is unchanged. Its bytes are read only where its times differ."""
    times, source = file_times(path), header["source"]
    if times["size"] != source["size"]:
        return False
    digest = source["sha256"]
    if all(times[name] == source[name] for name in times) and times["ctime"] / 1e9 < header["written"] - TICK:
        return True
    return bool(digest) and file_digest(path) == digest


def features_of_cache(header: dict[str, Any], arrays: Arrays, dtype: Dtype, path: PathLike) -> Features | None:
    """The features from the arrays of a cache; None where they have less precision than `dtype`.

    path: of the source, which may have been renamed since its cache was written.
    """
    if arrays["values"].dtype == np.float32 and dtype is np.float64:
        return None
    values: Reals = arrays["values"].astype(dtype, copy=False)
    name, path_name = file_stem(path), source_name(path)
    notes = [rename_note(note, {header["path"]: path_name, header["name"]: name}) for note in header["notes"]]
    if values.dtype != arrays["values"].dtype:
        notes += rounding_notes(values, header["names"], name)
    return Features(
        values=values,
        relevance=arrays["relevance"],
        offsets=arrays["offsets"],
        query_ids=tuple(header["query_ids"]),
        names=tuple(header["names"]),
        order=arrays.get("order"),
        name=name,
        notes=tuple(notes),
        empty=tuple(header["empty"]),
        graded=bool(header["graded"]),
        doc_ids=decode_texts(arrays.get("doc_ids")),
        comments=decode_texts(arrays.get("comments")),
    )


def rename_note(note: str, names: dict[str, str]) -> str:
    """A note with the new name of the file that it begins with."""
    for old, new in names.items():
        if note.startswith(f"{old}: "):
            return new + note[len(old) :]
    return note


def decode_texts(array: npt.NDArray[np.uint8] | None) -> list[str] | None:
    texts: list[str] | None = None if array is None else json.loads(array.tobytes())
    return texts
