"""A run that a program hands over piece by piece: (query, documents, scores), or data frames."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import Any

import numpy as np

from rankscope.data.frames import RowLocation, columns_of_frame, required_columns, to_frame, type_with_article
from rankscope.data.rows import CHUNK, are_valid_ids
from rankscope.data.stretches import RowBatch, row_batch
from rankscope.errors import InputError
from rankscope.kernels.text import encode, hashes
from rankscope.typing import Ints

__all__ = ["PieceReader", "detect_pieces"]

#: Reads pieces; (the pieces, what messages call the run).
PieceReader = Callable[[Iterator[Any], str], Iterator[RowBatch]]


def detect_pieces(data: Iterator[Any]) -> tuple[PieceReader | None, Iterator[Any]]:
    """What reads these pieces of one run, None where they are none; and the iterator, from its first item on."""
    for first in data:
        if is_scored_list(first):
            return batches_from_lists, chain([first], data)
        return (batches_from_frames if is_tabular(first) else None), chain([first], data)
    return None, data


def is_scored_list(piece: Any) -> bool:
    """Whether it is a query with documents and scores."""
    return isinstance(piece, tuple) and len(piece) == 3 and hasattr(piece[1], "__len__") and not is_text(piece[1])


def is_text(x: Any) -> bool:
    return isinstance(x, (str, bytes))


def is_tabular(piece: Any) -> bool:
    """Whether it is a data frame or a mapping of columns."""
    if isinstance(piece, Mapping):
        columns = piece.values()
        return bool(piece) and all(
            hasattr(c, "__len__") and not is_text(c) and not isinstance(c, Mapping) for c in columns
        )
    return hasattr(piece, "__arrow_c_stream__") or hasattr(piece, "columns")


def batches_from_lists(pieces: Iterator[Any], name: str) -> Iterator[RowBatch]:
    """Some thousand documents at a time."""
    waiting: list[tuple[str, list[str], Any]] = []
    last: str | None = None
    size = done = 0
    for piece in pieces:
        one = check_scored_list(piece, name)
        if one[0] == last:
            raise InputError(f"{name}: query {last!r} comes twice, expected it once with all its documents")
        last = one[0]
        waiting.append(one)
        size += len(one[1])
        if size >= CHUNK:
            yield batch_of_lists(waiting, done)
            waiting, size, done = [], 0, done + size
    if waiting:
        yield batch_of_lists(waiting, done)


def check_scored_list(piece: Any, name: str) -> tuple[str, list[str], np.ndarray[Any, np.dtype[np.float64]]]:
    """A query, its documents and scores, checked."""
    if not is_scored_list(piece):
        raise InputError(f"{name}: {type_with_article(piece)} among its pieces, expected (query, documents, scores)")
    query, docs, given = piece
    try:
        good = are_valid_ids([query])
    except (TypeError, UnicodeEncodeError):
        good = False
    if not good:
        raise InputError(f"{name}: the query id {query!r} is no string or empty; use str(...)")
    docs = docs.tolist() if isinstance(docs, np.ndarray) else list(docs)
    bad = [doc for doc in docs if not isinstance(doc, str) or not doc]
    try:
        good = not bad and are_valid_ids(docs)
    except UnicodeEncodeError:
        good = False
    if not good:
        what = f"{bad[0]!r} is no string or empty" if bad else "one is no valid Unicode"
        raise InputError(f"{name}: of the document ids of query {query!r} {what}, expected ids; use str(...)")
    scores = np.asarray(given)
    if scores.shape != (len(docs),):
        raise InputError(
            f"{name}: query {query!r} has {len(docs)} documents and scores of shape {scores.shape}, expected one each"
        )
    if docs and (scores.dtype.kind not in "fiub" or not np.isfinite(scores).all()):
        raise InputError(f"{name}: the scores of query {query!r} are not all finite numbers; correct them")
    return query, docs, scores.astype(np.float64)


def batch_of_lists(lists: list[tuple[str, list[str], Any]], first: int) -> RowBatch:
    """first: the number of the first document."""
    sizes = np.array([scores.size for _, _, scores in lists])
    docs = encode([doc for _, docs, _ in lists for doc in docs])
    values = np.concatenate([scores for _, _, scores in lists])
    numbers: Ints = np.arange(first, first + values.size)
    return RowBatch(encode([q for q, _, _ in lists]), np.cumsum(sizes) - sizes, docs, hashes(docs), values, numbers)


def batches_from_frames(pieces: Iterator[Any], name: str) -> Iterator[RowBatch]:
    """A frame at a time."""
    import polars as pl

    done = 0
    for piece in pieces:
        try:
            if not is_tabular(piece):
                raise TypeError
            frame = to_frame(piece)
        except (TypeError, ValueError, RuntimeError, pl.exceptions.PolarsError):
            raise InputError(
                f"{name}: {type_with_article(piece)} among its pieces, expected data frames with query_id, doc_id, score"
            ) from None
        if frame.height:
            names = required_columns(frame.columns, "score", name)
            found = columns_of_frame(frame, "score", RowLocation(name, done, lines=False), names)
            yield row_batch(found.queries, found.docs, found.values, np.arange(done, done + frame.height))
            done += frame.height
