"""Files of pools: judgments in any format, and JSONL with priorities."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator

from rankscope.io.convert import convert, parse_target, qrels_rows
from rankscope.io.core import compress, refuse_not_utf8, write_chunks, write_stdout
from rankscope.judging.pooling.judgment_pool import Pooled
from rankscope.judging.pooling.random_sample import Sampled
from rankscope.typing import PathLike

__all__ = [
    "check_pool_file",
    "write_pool",
]


JSONL = "jsonl"


def check_pool_file(path: PathLike, to: str | None) -> str:
    """The format by the file's name or by `to`; TREC's by default on standard output.

    Raises UnknownName, ParameterError.
    """
    return parse_target(path, "trec" if os.fspath(path) == "-" and to is None else to).format_name


def write_pool(pool: Pooled | Sampled, path: PathLike, to: str | None = None) -> None:
    """Write the documents to judge to a file (atomically).

    Parameters
    ----------
    pool
        What `pool` or `sample` returned.
    path
        File to write to; "-" is standard output.
    to
        Format, as for `convert`. Default: by the suffix of the file.

    Raises
    ------
    InputError
        Nothing is left to be judged.
    ParameterError, UnknownName
        The format is not known, or the suffix names none.
    OutputError
        The file cannot be written.

    Notes
    -----
    JSONL holds all of `documents()` of a pool, one line per document. Every other format holds judgments of relevance
    -1; of a sample, what its `qrels()` are.
    """
    format_name = check_pool_file(path, to)
    qrels = pool.qrels()
    if format_name != JSONL or isinstance(pool, Sampled):
        convert(qrels, path, to=format_name)
        return
    refuse_not_utf8(qrels_rows(qrels), "", "the pool")
    chunks = compress(jsonl_lines(pool), parse_target(path, to or format_name).compression)
    if os.fspath(path) == "-":
        write_stdout(chunks)
    else:
        write_chunks(path, chunks)


def jsonl_lines(pooled: Pooled) -> Iterator[bytes]:
    buffer = io.BytesIO()
    pooled.documents().write_ndjson(buffer)
    yield buffer.getvalue()
