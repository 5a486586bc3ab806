"""Files of labels of LETOR and SVMlight, `label qid:query ...`: their documents, and these as judgments.

Accepted: LETOR 3 and 4 (`#docid = X` behind the features), MSLR (no comment), any comment, spaces or tabs, CRLF, blank
lines, lines that begin with `#`, queries in any order or mixed. The features are not read.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.data.qrels import Qrels
from rankscope.data.rows import Interner, RowKind, Rows, decode_ids, group_rows
from rankscope.errors import InputError
from rankscope.io.core import BlockReader, LineBlock, Source, open_binary, open_source
from rankscope.io.letor.fields import BLOCK_SIZE, CollectedFields
from rankscope.io.letor.label_lines import EXPECTED, BlockDocuments, LineParser, read_documents
from rankscope.kernels.text import Fields, as_fields, hashes
from rankscope.typing import Grades, Ints, PathLike

__all__ = [
    "LetorLabels",
    "label_qrels",
    "labels_from_source",
    "read_labels",
]


@dataclass(frozen=True, eq=False, kw_only=True)
class LetorLabels:
    """The n documents of a label file, in the order of its lines.

    Attributes
    ----------
    name
        Name of the file.
    relevance
        Grades, (n).
    query_index
        Index into `ids` of each document, (n).
    ids
        The queries (what follows `qid:`) in the order in which they first occur.
    docs
        Ids in the comments `#docid = X`, (n); None if a line has none.
    lines
        Number of each line, (n).
    """

    name: str
    relevance: Grades
    query_index: Ints
    ids: list[bytes]
    docs: Fields | None
    lines: Ints

    @property
    def query_ids(self) -> tuple[str, ...]:
        return tuple(decode_ids(self.ids))

    @property
    def is_grouped(self) -> bool:
        """Whether the lines of each query are together."""
        return 1 + int(np.count_nonzero(np.diff(self.query_index))) == len(self.ids)

    @cached_property
    def documents(self) -> tuple[Fields, npt.NDArray[np.uint64], str | None]:
        """Ids of the documents and their hashes, (n), and a note on repeated ids.

        Documents are named by line numbers if a line has no `#docid`, or a query has the same `#docid` twice.
        """
        note = None
        if self.docs is not None:
            docs_and_hashes = self.docs, hashes(self.docs)
            rows, _ = group_rows(self.ids, self.query_index, *docs_and_hashes, self.relevance, self.locator(self.docs))
            try:
                rows.refuse_duplicates(rows.keys(np.arange(len(self.ids))))
                return *docs_and_hashes, None
            except InputError as error:
                note = f"{str(error).split(';')[0]}; all documents are named by the numbers of their lines"
        numbers = as_fields([b"%d" % line for line in self.lines.tolist()])
        return numbers, hashes(numbers), note

    def locator(self, docs: Fields) -> Callable[[int], str]:
        """A function that gives file:line of a byte in the documents' ids."""
        return lambda position: f"{self.name}:{self.lines[np.searchsorted(docs.starts, position, side='right') - 1]}"

    def rows(self, values: npt.NDArray[Any], kind: RowKind) -> tuple[Rows, int]:
        """Rows of one value per document, grouped by query, and how many queries had lines that were not together."""
        docs, doc_hashes, _ = self.documents
        return group_rows(self.ids, self.query_index, docs, doc_hashes, values, self.locator(docs), kind=kind)

    def __len__(self) -> int:
        """The number of documents."""
        return int(self.relevance.size)

    def __repr__(self) -> str:
        return f"LetorLabels({self.name!r}, {len(self.ids)} queries, {len(self)} documents)"


def read_labels(path: PathLike, *, progress: Callable[[int], Any] | None = None) -> LetorLabels:
    r"""Read the labels of a LETOR or SVMlight file.

    Parameters
    ----------
    path
        File; "-" is standard input. gzip and Zstandard are detected from the content.
    progress
        Called with the bytes of each block.

    Returns
    -------
    LetorLabels
        The labels. The file is read in blocks: memory grows with the number of lines, not with their features.

    Raises
    ------
    InputError
        With file and line: a line lacks `qid:`, a label is not a finite number, or the file is empty.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "test.txt")
    ...     _ = path.write_text("2 qid:10 1:0.5 2:1 #docid = D1\n0 qid:10 1:0.1 2:0 #docid = D2\n")
    ...     labels = read_labels(path)
    >>> labels.query_ids, labels.relevance.tolist()
    (('10',), [2, 0])
    """
    with open_binary(path) as stream:
        source = open_source(stream, path, None)  # refuses files of other programs by their first bytes
        return labels_from_source(source, progress)


def labels_from_source(
    source: Source,
    progress: Callable[[int], Any] | None = None,
    *,
    size: int | None = None,
    on_block: Callable[[LineBlock, BlockDocuments], None] | None = None,
    parse: LineParser = read_documents,
) -> LetorLabels:
    """As `read_labels`. size: bytes that are read at a time. on_block: called with each block and its documents.

    parse: reads the lines of a block; that of another tool takes and refuses what the tool does.
    """
    blocks: list[BlockDocuments] = []
    interner, docs, all_named = Interner(), CollectedFields(), True
    reader = BlockReader(source, source.name, size or BLOCK_SIZE, progress)
    block = reader.next()
    while block is not None:
        documents = parse(block, interner)
        if documents is not None:
            all_named = all_named and documents.docs is not None
            if all_named and documents.docs is not None:
                docs.add(documents.docs)
            if on_block is not None:
                on_block(block, documents)
            blocks.append(documents._replace(docs=None, spans=None))
        block = reader.next(block.end)
    if not blocks:
        raise InputError(f"{source.name}: no data, only comments and blank lines; expected {EXPECTED}")
    return LetorLabels(
        name=source.name,
        relevance=np.concatenate([documents.relevance for documents in blocks]),
        query_index=np.concatenate([documents.query for documents in blocks]),
        ids=list(interner.ids),
        docs=docs.fields() if all_named else None,
        lines=np.concatenate([documents.lines for documents in blocks]),
    )


def label_qrels(labels: LetorLabels) -> Qrels:
    """The labels as judgments.

    Parameters
    ----------
    labels
        The labels.

    Returns
    -------
    Qrels
        A document's id is that of its comment (`#docid = X`), or, if a line has none or a query has one twice, the
        number of its line.
    """
    return Qrels.from_rows(labels.rows(labels.relevance, "qrels")[0])
