"""`write_features`: features of documents to LETOR's lines or a table, so that reading gives the same arrays."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from rankscope.data.features import Features
from rankscope.data.tables import is_index_name
from rankscope.errors import InputError, ParameterError
from rankscope.io.core import (
    check_writable,
    compress,
    format_numbers,
    interleave,
    pick_texts,
    split_compression_suffix,
    to_parquet,
    write_chunks,
    write_stdout,
)
from rankscope.io.letor.feature_columns import KEYS
from rankscope.io.tables import SEPARATORS
from rankscope.typing import PathLike

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "write_features",
]


#: Numbers that are formatted at a time.
PIECE = 1 << 20


def write_features(features: Features, path: PathLike) -> tuple[str, ...]:
    r"""Write documents as numbers.

    Parameters
    ----------
    features
        The documents.
    path
        `.csv`, `.tsv`, `.jsonl` and `.parquet` are tables with the columns query_id, relevance, doc_id (if documents
        have names) and the features; any other name, and "-" for standard output, means LETOR's lines, as SVMlight has
        them: `grade qid:query number:value ... #docid = X`. A further suffix `.gz` or `.zst` compresses. The file is
        written atomically.

    Returns
    -------
    tuple of str
        Notes on what the file does not hold.

    Raises
    ------
    InputError
        The format cannot hold an id, or a feature has the name of one of the other columns.
    ParameterError
        The path does not fit.
    OutputError
        The file cannot be written.

    Notes
    -----
    Kept are grades, queries, documents' names, and every bit of float32 (read with dtype="float64": of float64):
    numbers have the fewest digits that restore every bit in their type, and lines hold all features, zeros, too. Lines
    keep comments and have numbers for names: those of the features if they are rising whole numbers, else from 1 on.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from rankscope.data.features import Features
    >>> features = Features.of([[0.5, 1.0], [0.1, 0.0]], [2, 0], sizes=[2], query_ids=("10",), doc_ids=["D1", "D2"])
    >>> with TemporaryDirectory() as folder:
    ...     notes = write_features(features, Path(folder, "train.txt"))
    ...     print(Path(folder, "train.txt").read_text(), end="")
    2 qid:10 1:0.5 2:1 #docid = D1
    0 qid:10 1:0.1 2:0 #docid = D2
    """
    if not isinstance(features, Features):
        raise ParameterError(f"a {type(features).__name__}, expected Features; make them with Features.of")
    to_stdout = os.fspath(path) == "-"
    if not to_stdout:
        check_writable(path)
    stem, compression = split_compression_suffix(path)
    format_name = Path(stem).suffix.lower().removeprefix(".")
    if format_name in TABLES:
        refuse_names(features)
        refuse_texts(features, not_in_table, "begins or ends with a blank, is empty, or is not UTF-8", ".txt")
        notes, chunks = table_notes(features), TABLES[format_name](features)
    else:
        names, notes = feature_numbers(features.names)
        refuse_texts(features, not_in_line, "is empty, or holds a blank, a # or a line break", ".parquet")
        chunks = text_lines(features, names)
    chunks = compress(chunks, compression)
    if to_stdout:
        write_stdout(chunks)
    else:
        write_chunks(path, chunks)
    return notes


def row_slices(features: Features) -> Iterator[slice]:
    n_documents, width = features.values.shape
    step = max(PIECE // width, 1)
    return (slice(start, min(start + step, n_documents)) for start in range(0, n_documents, step))


# Lines


def feature_numbers(names: Sequence[str]) -> tuple[list[int], tuple[str, ...]]:
    """The numbers of the features, and a note where their names are lost or a reader will see more features."""
    numbers = [int(name) if name.isascii() and name.isdigit() and len(name) < 8 else -1 for name in names]
    if numbers[0] < 0 or any(b <= a for a, b in pairwise(numbers)):
        note = f"the names of the features ({names[0]!r}, ...) are not kept: they are numbered from 1 to {len(names)}"
        return list(range(1, len(names) + 1)), (note,)
    if numbers[-1] - min(numbers[0], 1) + 1 > len(numbers):
        return numbers, (f"the features keep their numbers, up to {numbers[-1]}: a reader adds those between as zeros",)
    return numbers, ()


def text_lines(features: Features, names: list[int]) -> Iterator[bytes]:
    prefixes = [f" qid:{name}".encode("utf-8", "surrogateescape") for name in features.query_ids]
    group = features.group
    for rows in row_slices(features):
        grades, queries = format_numbers(features.relevance[rows]), pick_texts(prefixes, group[rows])
        yield interleave(grades, queries, value_texts(features, rows, names), comments(features, rows), b"\n")


def value_texts(features: Features, rows: slice, names: list[int]) -> list[bytes]:
    """The features of some documents as " 1:0.5 2:0.25 ..."."""
    import polars as pl

    frame = pl.DataFrame({str(i): features.values[rows, i] for i in range(len(names))})
    columns = [
        text for i, number in enumerate(names) for text in (pl.lit(f" {number}:"), pl.col(str(i)).cast(pl.String))
    ]
    text = frame.select(pl.concat_str(columns)).write_csv(include_header=False, quote_style="never").encode()
    text = text.replace(b".0 ", b" ").replace(b".0\n", b"\n")  # whole numbers need no point
    return text.split(b"\n")[:-1]


def comments(features: Features, rows: slice) -> list[bytes]:
    """The comments behind the features, with the # that begins them."""
    docs, line_comments = features.doc_ids, features.comments
    if docs is None and line_comments is None:
        return [b""] * (rows.stop - rows.start)
    if docs is None:
        assert line_comments is not None
        texts = [f" # {text}" if text else "" for text in line_comments[rows]]
    elif line_comments is None:
        texts = [f" #docid = {doc}" for doc in docs[rows]]
    else:
        texts = [f" #docid = {doc} {text}".rstrip() for doc, text in zip(docs[rows], line_comments[rows], strict=True)]
    return [text.encode("utf-8", "surrogateescape") for text in texts]


# Tables


def feature_frames(features: Features) -> Iterator[pl.DataFrame]:
    import polars as pl

    queries = pl.Series(features.query_ids, dtype=pl.String)
    group = features.group
    for rows in row_slices(features):
        columns = {"query_id": queries.gather(group[rows]), "relevance": pl.Series(features.relevance[rows])}
        if features.doc_ids is not None:
            columns["doc_id"] = pl.Series(features.doc_ids[rows], dtype=pl.String)
        values = {name: pl.Series(features.values[rows, i]) for i, name in enumerate(features.names)}
        yield pl.DataFrame(columns | values)


def separated_writer(format_name: str) -> Callable[[Features], Iterator[bytes]]:
    def write(features: Features) -> Iterator[bytes]:
        for i, frame in enumerate(feature_frames(features)):
            yield frame.write_csv(include_header=not i, separator=SEPARATORS[format_name]).encode()

    return write


def json_lines(features: Features) -> Iterator[bytes]:
    import polars as pl

    for frame in feature_frames(features):  # as float64, the numbers of JSON
        yield frame.with_columns(pl.col(pl.Float32).cast(pl.Float64)).write_ndjson().encode()


def parquet_table(features: Features) -> Iterator[bytes]:
    import polars as pl

    yield to_parquet(pl.concat(feature_frames(features)))


TABLES: dict[str, Callable[[Features], Iterator[bytes]]] = {
    "csv": separated_writer("csv"),
    "tsv": separated_writer("tsv"),
    "jsonl": json_lines,
    "parquet": parquet_table,
}


def table_notes(features: Features) -> tuple[str, ...]:
    return () if features.comments is None else ("the comments of the lines are not kept: tables have none",)


# Refusals


def refuse_names(features: Features) -> None:
    """Raise for a feature that a reader of the table would read as another column."""
    reserved = {name for names in KEYS.values() for name in names}
    for name in features.names:
        if name.strip().lower() in reserved or is_index_name(name) or not_in_table(name):
            raise InputError(
                f"{features.name}: a feature is called {name!r}, which a reader takes for another column; rename it"
            )


def refuse_texts(features: Features, is_invalid: Callable[[str], bool], problem: str, suffix: str) -> None:
    """Raise for the first invalid id, and for a comment with a line break."""
    for id_kind, ids in (("query", features.query_ids), ("document", features.doc_ids or ())):
        invalid_id = next((name for name in ids if is_invalid(name)), None)
        if invalid_id is not None:
            raise InputError(
                f"{features.name}: the {id_kind} id {invalid_id!r} {problem}; write {suffix} instead, or rename it"
            )
    multiline = next((text for text in features.comments or () if len(text.splitlines()) > 1), None)
    if multiline is not None:
        raise InputError(f"{features.name}: the comment {multiline!r} has a line break; remove it")


def not_in_line(name: str) -> bool:
    return not name or "#" in name or any(blank in name for blank in " \t\n\v\f\r\0")


def not_in_table(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return True
    return not name or name != name.strip(" \t") or any(mark in name for mark in "\r\n\0")
