"""What a script reads: the documents of both files, by `rankscope.io.letor` with the script's own idea of a line."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.compat.letor.perl import perl_number
from rankscope.compat.letor.scripts import UNKNOWN_LABEL, Script, Stopped
from rankscope.data.rows import Interner, combined_keys, decode_id
from rankscope.io.core import BOM, SPACE, LineBlock, open_binary, open_source, source_name
from rankscope.io.letor import (
    BlockDocuments,
    BlockLines,
    comment_starts,
    comment_values,
    find_lines,
    labels_from_source,
    leading_fields,
    line_query_codes,
    names_query,
    number_blocks,
)
from rankscope.kernels.numbers import parse_floats
from rankscope.kernels.order import repeated
from rankscope.kernels.text import Fields, decode, hashes
from rankscope.typing import Bools, Bytes, Floats, Grades, Ints, PathLike

__all__ = [
    "ScoredDocuments",
    "read_documents",
]


class ScoredDocuments(NamedTuple):
    """All n documents in the order of the lines.

    Attributes
    ----------
    label
        Label, UNKNOWN_LABEL if not 0 to 9, (n).
    query
        Index into `ids`, (n).
    ids
        The queries.
    scores
        Predictions, (n).
    """

    label: Grades
    query: Ints
    ids: list[bytes]
    scores: Floats


def read_documents(test: PathLike, predictions: PathLike, script: Script) -> ScoredDocuments:
    """Read both files, without the lines that a repeated document id overwrites.

    Parameters
    ----------
    test, predictions
        Labels, and one score per line.
    script
        Conventions of the script.

    Returns
    -------
    ScoredDocuments
        The documents with their scores.

    Raises
    ------
    Stopped
        The script stops here.
    InputError
        A file cannot be opened or has no lines.
    """
    scores = read_scores(predictions)
    parse = partial(parse_block, script=script, test=test, predictions=predictions, n_scores=scores.size)
    with open_binary(test) as stream:
        labels = labels_from_source(open_source(stream, test, None), parse=parse)
    documents = ScoredDocuments(labels.relevance, labels.query_index, labels.ids, scores[: len(labels)])
    return documents if labels.docs is None else drop_overwritten(documents, labels.docs)


def cannot_parse(path: PathLike, number: int, line: bytes) -> Stopped:
    """The end of a script at a line of another form than its own."""
    return Stopped(f"Error to parse {source_name(path)} at line {number}:\n{decode_id(line)}")


def parse_block(
    block: LineBlock, interner: Interner, *, script: Script, test: PathLike, predictions: PathLike, n_scores: int
) -> BlockDocuments:
    """The documents of a block: each line is one. Raises Stopped at the first line without a score, or of another form
    than the script's.
    """
    lines = find_lines(block, comments=bool(script.comment))
    if block.first_line < 1 and n_scores:  # a byte order mark is no label
        first_line = block.buffer[block.begin + 3 : block.buffer.find(b"\n", block.begin + 3)]
        raise cannot_parse(test, 1, BOM + first_line)
    labels, queries, docs, is_usual = usual_lines(lines, script)
    n_read, invalid = lines.first_line - 1, -1
    for row in np.flatnonzero(~is_usual).tolist():
        match = script.pattern.match(block.buffer, int(lines.starts[row]), int(lines.ends[row]))
        if match is None:
            invalid = row
            break
        labels[row] = int(match[1]) if len(match[1]) == 1 else UNKNOWN_LABEL
        queries.starts[row], queries.lengths[row] = match.start(2), match.end(2) - match.start(2)
        if docs is not None:
            docs.starts[row], docs.lengths[row] = match.start(3), match.end(3) - match.start(3)
    n_needed = n_read + (lines.starts.size if invalid < 0 else invalid + 1)  # it reads the score of a line first
    if n_needed > n_scores:
        raise Stopped(f"Error to read {source_name(predictions)} at line {n_scores + 1}.")
    if invalid >= 0:
        raise cannot_parse(test, n_read + invalid + 1, lines.text(invalid))
    numbers = lines.first_line + np.arange(lines.starts.size)
    return BlockDocuments(labels.astype(np.int64), line_query_codes(queries, interner), numbers, docs, None)


def usual_lines(lines: BlockLines, script: Script) -> tuple[npt.NDArray[np.uint8], Fields, Fields | None, Bools]:
    """The labels, queries and ids of lines as all files of LETOR have them, and which lines are such."""
    data = lines.buffer
    starts, lengths = leading_fields(data, lines.starts, lines.ends, 2)
    label_starts, label_lengths = starts[:, 0], lengths[:, 0]
    labels = data[label_starts] - np.uint8(ord("0"))
    is_usual = (label_starts == lines.starts) & (label_lengths == 1) & (labels < 10)  # longer labels are in no table
    is_usual &= single_blank_between(data, label_starts + label_lengths, starts[:, 1])
    is_usual &= names_query(Fields(data, starts[:, 1], lengths[:, 1]))
    queries = Fields(data, starts[:, 1] + 4, lengths[:, 1] - 4)
    if not script.comment:
        return labels, queries, None, is_usual
    values, has_values, stops = comment_values(data, comment_starts(lines), lines.ends, script.comment)
    docs = values[0]
    is_usual &= has_values & (docs.starts - len(script.comment[0]) >= queries.starts + queries.lengths)
    if script.to_the_end:
        is_usual &= stops == lines.ends
    return labels, queries, docs, is_usual


def single_blank_between(data: Bytes, ends: Ints, starts: Ints) -> Bools:
    """Whether exactly one space separates two fields."""
    return np.asarray((starts == ends + 1) & (data[ends] == SPACE))


def drop_overwritten(documents: ScoredDocuments, docs: Fields) -> ScoredDocuments:
    """Keep only the last line of each document of a query, as a hash does."""
    n = docs.starts.size
    keys = combined_keys(hashes(docs), np.arange(n + 1), documents.query)
    if not repeated(keys):
        return documents
    order = np.argsort(keys, kind="stable")
    repeats = np.flatnonzero(keys[order[1:]] == keys[order[:-1]])
    candidates = np.unique(np.concatenate((order[repeats], order[repeats + 1])))
    document_keys = zip(documents.query[candidates].tolist(), decode(docs.take(candidates)), strict=True)
    last_line = dict(zip(document_keys, candidates.tolist(), strict=True))
    is_kept = np.ones(n, np.bool_)
    is_kept[candidates] = False
    is_kept[list(last_line.values())] = True
    return ScoredDocuments(documents.label[is_kept], documents.query[is_kept], documents.ids, documents.scores[is_kept])


def read_scores(path: PathLike) -> Floats:
    """One number a line, by perl's rules; a blank line is 0. A file without lines has no numbers."""
    score_blocks: list[Floats] = [np.empty(0)]
    with open_binary(path) as stream:
        source = open_source(stream, path, None)
        for block, lines, fields, _ in number_blocks(source) if source.head else ():
            values, bad_rows = parse_floats(fields)
            is_blank = fields.lengths == 0
            values[is_blank] = 0.0
            for row in bad_rows[~is_blank[bad_rows]].tolist():  # rare: no plain numbers
                values[row] = perl_number(lines.text(row))
            if block.first_line < 1:  # a byte order mark is no number
                values[:1] = 0.0
            score_blocks.append(values)
    return np.concatenate(score_blocks)
