"""`read_features`: features of documents, from LETOR and SVMlight text or from tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from rankscope.data.features import Features
from rankscope.data.rows import decode_ids
from rankscope.errors import InputError, ParameterError
from rankscope.io.core import (
    NUMBER,
    PARQUET_MAGIC,
    LineBlock,
    Source,
    columns_of,
    file_stem,
    open_binary,
    parse_head,
    refuse_foreign,
    source_name,
    with_columns,
)
from rankscope.io.letor.feature_cache import read_cached, refuse_cache, rounding_notes
from rankscope.io.letor.feature_columns import FEATURES, features_of_table, refuse_second_key
from rankscope.io.letor.feature_lines import Dtype, GrowingTable, trim_ends, trim_starts
from rankscope.io.letor.fields import CollectedFields
from rankscope.io.letor.label_lines import EXPECTED, BlockDocuments
from rankscope.io.letor.labels import LetorLabels, labels_from_source, read_labels
from rankscope.io.tables import parse_table, read_table
from rankscope.kernels.text import Fields, decode
from rankscope.typing import Ints, PathLike

__all__ = [
    "locate_row",
    "read_features",
]


RELEVANCE = ("needed", "optional")
DTYPES: dict[str, Dtype] = {"float32": np.float32, "float64": np.float64}


def read_features(
    path: PathLike,
    *,
    n_features: int | None = None,
    columns: Sequence[str | int] | Mapping[str, str] | None = None,
    cache: bool | PathLike | None = None,
    dtype: str = "float32",
    relevance: str = "needed",
    progress: Callable[[int], Any] | None = None,
) -> Features:
    r"""Read the documents of a file as numbers, grouped by query.

    Parameters
    ----------
    path
        File; "-" is standard input. Compression is detected from the content.
    n_features
        Number of features: more raise an error, fewer are filled up with zeros. Default: as many as there are.
    columns
        Names (numbers) of the features to read, in that order. Without it, a table with two columns that may be those
        of queries, of grades or of documents raises an error, since as a feature one of them would leak what is to be
        learned.
    cache
        True for a binary copy beside the file (NAME.rscache), or where to keep one. It is read instead as long as the
        file is the same, and its arrays are then mapped from the disk and read-only.
    dtype
        "float32" or "float64". float32 is what float64 rounds to, and a note names features of which that leaves
        little.
    relevance
        "needed", or "optional" for tables to be scored, whose column of grades may be empty or missing: grades are then
        0.
    progress
        Called with the bytes of each block.

    Returns
    -------
    Features
        Its notes tell what was regrouped, missing or skipped.

    Raises
    ------
    InputError
        With file and line: a line lacks `qid:`, a grade is not a number, a field is not number:value, a feature
        occurs twice or out of order, a value is NaN or infinite, there are features beyond n_features, a column has no
        name or that of another, a row has another length, or there are no data.
    ParameterError
        Arguments do not fit.

    Notes
    -----
    LETOR and SVMlight (`grade qid:query number:value ... #docid = X`): features are numbered from 1 in rising order,
    missing ones are 0; a file that numbers from 0 keeps its numbers, with a note.

    CSV, TSV, JSON lines and Parquet: one row per document, with a column of queries (query_id, qid, query), one of
    grades (relevance, label, grade, rel), optionally one of documents (doc_id, docid); the others are features. An
    empty cell, null or NaN is missing and 0, with a note, as are columns without any number, which are skipped; true
    and false are 1 and 0. Lines of a query that are not together are regrouped, with a note.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "train.txt")
    ...     _ = path.write_text("2 qid:10 1:0.5 3:1 #docid = D1\n0 qid:10 2:0.25 #docid = D2\n")
    ...     features = read_features(path)
    >>> features.values.tolist(), features.relevance.tolist(), features.doc_ids
    ([[0.5, 0.0, 1.0], [0.0, 0.25, 0.0]], [2, 0], ['D1', 'D2'])
    """
    if dtype not in DTYPES:
        raise ParameterError(f"dtype {dtype!r}, expected 'float32' or 'float64'")
    if n_features is not None and (isinstance(n_features, bool) or n_features != int(n_features) or n_features < 1):
        raise ParameterError(f"n_features {n_features!r}, expected a whole number from 1")
    if relevance not in RELEVANCE:
        raise ParameterError(f"relevance {relevance!r}, expected 'needed' or 'optional'")
    if isinstance(columns, Mapping):
        path, columns = with_columns(path, columns), None
    if columns_of(path) and not (cache is None or cache is False):
        raise ParameterError(
            "a cache (cache, --cache) holds no names of columns (columns, --columns); leave one of them out"
        )
    selected = None if columns is None else [str(column) for column in columns]
    request = FeatureRequest(DTYPES[dtype], selected, relevance == "needed")
    if cache is None or cache is False:
        features = read_uncached(path, request, None if n_features is None else int(n_features), progress)
    else:
        refuse_cache(path, cache)
        features = read_cached(path, cache, request.dtype, lambda: read_uncached(path, request, None, progress))
        if selected is None:  # the cache may have been written by a call that named columns
            refuse_second_key(features.names, source_name(path))
        if request.needs_grades and not features.graded:  # or by one that asked for no grades
            raise InputError(f"{source_name(path)}: no column of grades ('relevance'), expected one; add it")
        features = pad_features(features, n_features)
    return features if selected is None else select_features(features, selected)


class FeatureRequest(NamedTuple):
    """What to read from a file.

    Attributes
    ----------
    dtype
        "float32" or "float64".
    columns
        Selected features, if any.
    needs_grades
        Whether grades are required.
    """

    dtype: Dtype
    columns: list[str] | None
    needs_grades: bool


def read_uncached(
    path: PathLike, request: FeatureRequest, n_features: int | None, progress: Callable[[int], Any] | None
) -> Features:
    """Read a file without cache, with all its features, and with notes on those that are rounded."""
    features = read_file(path, request, n_features, progress)
    notes = rounding_notes(features.values, features.names, features.name)
    return replace(features, notes=(*features.notes, *notes), where=None) if notes else features


def read_file(
    path: PathLike, request: FeatureRequest, n_features: int | None, progress: Callable[[int], Any] | None
) -> Features:
    """Read a file, without notes on rounding."""
    with open_binary(path) as stream:
        source = Source(stream, path, "letor")  # detected below: the table of formats is for judgments and runs
        refuse_foreign(source.head, source.name)
        refuse_lines_without_grade(source.head, source.name)
        if is_feature_table(source.head):
            content = source.read_bytes()
            if progress is not None:
                progress(len(content))
            table = parse_table(content, source.name, FEATURES, source.columns)
            features = features_of_table(
                table, request.dtype, file_stem(path), columns=request.columns, graded=request.needs_grades
            )
            return pad_features(features, n_features)
        refuse_semicolons(source.head, source.name)
        feature_table = GrowingTable(request.dtype, n_features, source.size)
        comments = Comments()

        def add_block(block: LineBlock, documents: BlockDocuments) -> None:
            feature_table.add(block, documents)
            comments.add(block, documents)

        labels = labels_from_source(source, progress, on_block=add_block)
    if feature_table.last_number < 0:
        raise InputError(f"{source.name}: no line has features, expected {EXPECTED}")
    return features_of_labels(labels, feature_table, comments, file_stem(path))


def is_feature_table(head: bytes) -> bool:
    """Whether a file with these first bytes has named columns, and is not lines of `grade qid:query ...`."""
    line = parse_head(head).line
    if head.startswith(PARQUET_MAGIC) or line.startswith(b"{"):
        return True
    fields = line.replace(b",", b"\t").split(None, 2)
    return len(fields) > 1 and not fields[1].startswith(b"qid:") and NUMBER.fullmatch(fields[0]) is None


def refuse_lines_without_grade(head: bytes, name: str) -> None:
    """Raise for lines of LETOR that begin with the query."""
    parsed = parse_head(head)
    if re.match(rb"qid:\S+\s+\d+:", parsed.line):
        raise InputError(
            f"{name}: lines that begin with 'qid:', expected grade qid:query number:value; put 0 in front of each if "
            "there are no grades, as by sed 's/^/0 /'"
        )


def refuse_semicolons(head: bytes, name: str) -> None:
    """Raise for a table with semicolons, as spreadsheets write it in locales with decimal commas."""
    line = parse_head(head).line
    if line.count(b";") > 1 and b"qid:" not in line and b"," not in line and b"\t" not in line:
        raise InputError(
            f"{name}: a table with semicolons between the columns, expected commas or tabs, and points in decimals; "
            "write it so, in a spreadsheet as CSV UTF-8 of an English locale, in pandas with to_csv(sep=',')"
        )


def features_of_labels(labels: LetorLabels, table: GrowingTable, comments: Comments, name: str) -> Features:
    """The features from labels, values and comments of the lines."""
    docs, texts = comments.split(labels.docs)
    notes = (f"{labels.name}: the features are numbered from 0",) if table.first_number == 0 else ()
    return Features.of(
        table.finish(name),
        labels.relevance,
        labels.query_index,
        query_ids=labels.query_ids,
        names=table.names(),
        doc_ids=docs,
        comments=texts,
        name=name,
        notes=notes,
        where=lambda row: f"{labels.name}:{labels.lines[row]}",
    )


class Comments:
    """The comments behind `#`. If all lines of the file have `docid = X` there, without this prefix."""

    def __init__(self) -> None:
        self.texts = CollectedFields()
        #: (documents) the length of the prefix with the document's name.
        self.prefix_lengths: list[Ints] = []

    def add(self, block: LineBlock, documents: BlockDocuments) -> None:
        assert documents.spans is not None
        bytes_, (_, stops, ends) = block.array, documents.spans
        starts = np.minimum(stops + 1, ends)
        ends = trim_ends(bytes_, starts, ends)
        self.texts.add(Fields(bytes_, starts, ends - starts))
        self.prefix_lengths.append(
            starts * 0 if documents.docs is None else documents.docs.starts + documents.docs.lengths - starts
        )

    def split(self, docs: Fields | None) -> tuple[list[str] | None, list[str] | None]:
        """The names of the documents, and the remaining texts; None where there are none."""
        ids, texts = None, self.texts.fields()
        if docs is not None:
            ids, prefix_lengths = decode_ids(decode(docs)), np.concatenate(self.prefix_lengths)
            texts = Fields(texts.buffer, texts.starts + prefix_lengths, texts.lengths - prefix_lengths)
        if not texts.lengths.any():
            return ids, None
        ends = texts.starts + texts.lengths
        starts = trim_starts(texts.buffer, texts.starts, ends)
        return ids, decode_ids(decode(Fields(texts.buffer, starts, ends - starts)))


def pad_features(features: Features, n_features: int | None) -> Features:
    """The features with columns of zeros added up to `n_features`."""
    if n_features is None or len(features.names) == n_features:
        return features
    n_documents, width = features.values.shape
    if width > n_features:
        raise InputError(f"{features.name}: {width} features, expected at most {n_features} (n_features)")
    values = np.zeros((n_documents, n_features), features.values.dtype)
    values[:, :width] = features.values
    names = [*features.names, *next_names(features.names, n_features - width)]
    return replace(features, values=values, names=tuple(names), where=None)


def next_names(names: Sequence[str], count: int) -> list[str]:
    """The next `count` unused names: consecutive numbers."""
    first_number = (
        int(names[-1]) + 1 if names[-1].isascii() and names[-1].isdigit() and len(names[-1]) < 9 else len(names) + 1
    )
    return [str(number) for number in range(first_number, first_number + count)]


def select_features(features: Features, columns: Sequence[str]) -> Features:
    """The features of these names."""
    names = {*features.names, *features.empty}
    missing = [name for name in columns if name not in names]
    if missing:
        raise InputError(
            f"{features.name}: no feature {missing[0]!r} among {len(features.names)} ({features.names[0]!r} to "
            f"{features.names[-1]!r}); name one of those"
        )
    if not columns:
        raise ParameterError("columns is empty, expected the name of at least one feature")
    return features.select_features(columns)


#: Bytes that are enough to detect the format of a file.
HEAD = 1 << 16


def locate_row(path: PathLike, row: int) -> str:
    """The "file:line" of a document, by its index from 0; reads the file again if possible.

    >>> locate_row("-", 4)
    '<stdin>, document 5'
    """
    name = source_name(path)
    try:
        if name == "<stdin>":  # cannot be read again
            raise InputError("")
        with open_binary(path) as stream:
            is_table = is_feature_table(stream.read(HEAD))
        if is_table:
            return read_table(path, FEATURES, columns_of(path)).locate(row)
        return f"{name}:{read_labels(path).lines[row]}"
    except (InputError, OSError, IndexError):  # a pipe, or a file that has changed
        return f"{name}, document {row + 1}"
