"""Lines of labels: blocks of bytes to grades, queries, and ids in comments, without parsing the features.

A line is `label qid:query feature:value ... #docid = X`. `read_documents` takes what all tools write, and names the
line of anything else; tools that take something else read blocks by a function of theirs (`LineParser`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, NoReturn

import numpy as np

from rankscope.data.grades import EXPECTED_GRADE, as_grades, invalid_grades
from rankscope.data.rows import Interner, decode_id
from rankscope.errors import InputError
from rankscope.io.core import NUMBER, LineBlock, find_lone_returns, looks_like_trec, refuse_returns
from rankscope.io.letor.fields import (
    BlockLines,
    begin_with,
    comment_starts,
    equal_word,
    field_ends,
    find_lines,
    leading_fields,
)
from rankscope.kernels.numbers import parse_floats, parse_integers
from rankscope.kernels.text import Fields, changes, decode, words
from rankscope.typing import Bools, Bytes, Grades, Ints

__all__ = [
    "EXPECTED",
    "BlockDocuments",
    "FeatureSpans",
    "LineParser",
    "comment_values",
    "line_query_codes",
    "names_query",
    "read_documents",
]


EXPECTED = "label qid:query feature:value ..."
QID, FOUR_BYTES = np.uint64(int.from_bytes(b"qid:", "little")), np.uint64(0xFFFFFFFF)
DOCID = b"#docid = "


#: Reads the documents of a block; None where it holds none. Query ids are numbered by the interner.
LineParser = Callable[[LineBlock, Interner], "BlockDocuments | None"]


class FeatureSpans(NamedTuple):
    """The positions of each document's features in the block's buffer, (n).

    Attributes
    ----------
    begins
        The blank after the query.
    stops
        Start of the comment, or end of the line.
    ends
        The newline.
    """

    begins: Ints
    stops: Ints
    ends: Ints


class BlockDocuments(NamedTuple):
    """The documents of one block.

    Attributes
    ----------
    relevance, query, lines
        Grade, query and line of each document.
    docs, spans
        Ids and positions of features; valid as long as the block.
    """

    relevance: Grades
    query: Ints
    lines: Ints
    docs: Fields | None
    spans: FeatureSpans | None


def read_documents(block: LineBlock, interner: Interner) -> BlockDocuments | None:
    """The documents of a block; None where it holds none. Raises InputError for an invalid line."""
    lines = find_lines(block, comments=True)
    refuse_returns(block, find_lone_returns(block))
    comments = comment_starts(lines)
    starts, lengths = leading_fields(lines.buffer, lines.starts, comments, 2)
    rows = np.flatnonzero(lengths[:, 0] > 0)  # other lines are blank or comments
    if not rows.size:
        return None
    if rows.size < lengths.shape[0]:
        starts, lengths, comments = starts[rows], lengths[rows], comments[rows]
    labels = Fields(lines.buffer, starts[:, 0], lengths[:, 0])
    query_fields = Fields(lines.buffer, starts[:, 1], lengths[:, 1])
    relevance, is_grade = label_grades(labels)
    has_query = names_query(query_fields)
    if not (is_grade & has_query).all():
        refuse_line(block, lines, rows, labels, query_fields, has_query, int(np.argmin(is_grade & has_query)))
    queries = Fields(lines.buffer, query_fields.starts + 4, query_fields.lengths - 4)
    ends_in_hash = (query_fields.starts + query_fields.lengths == comments) & (comments < lines.ends[rows])
    if ends_in_hash.any():  # part of the id, or a comment? Two queries could become one.
        row = int(np.argmax(ends_in_hash))
        query_id = decode_id(decode(queries.take(np.array([row])))[0])
        raise InputError(
            f"{block.name}:{lines.first_line + int(rows[row])}: a # directly after the query id {query_id!r}, expected "
            "a blank before a comment and no # in an id; rename the query or add the blank"
        )
    ends = lines.ends[rows]
    docs = comment_ids(lines.buffer, comments, ends)
    spans = FeatureSpans(query_fields.starts + query_fields.lengths, comments, ends)
    return BlockDocuments(relevance, line_query_codes(queries, interner), lines.first_line + rows, docs, spans)


def line_query_codes(queries: Fields, interner: Interner) -> Ints:
    """The code of each line's query, looked up once for consecutive lines."""
    first_lines = np.flatnonzero(np.concatenate((np.ones(1, np.bool_), changes(queries))))
    return np.repeat(interner.codes(queries.take(first_lines)), np.diff(np.append(first_lines, queries.starts.size)))


def names_query(query_fields: Fields) -> Bools:
    """Whether each field is `qid:` followed by an id."""
    return np.asarray(((words(query_fields, 0) & FOUR_BYTES) == QID) & (query_fields.lengths > 4))


def label_grades(labels: Fields) -> tuple[Grades, Bools]:
    """The labels, and which are grades; 2.0 is whole, since some tools write all labels as floats."""
    numbers, invalid = parse_integers(labels)
    if not invalid.size:
        return numbers, ~invalid_grades(numbers)
    values, not_numbers = parse_floats(labels)
    values[not_numbers] = np.nan
    is_grade = ~invalid_grades(values)
    return (as_grades(values) if is_grade.all() else values), is_grade


def comment_ids(bytes_: Bytes, comments: Ints, ends: Ints) -> Fields | None:
    """The ids after `#docid =` in the comments; None where a line has no such comment."""
    if (comments >= ends).any():
        return None
    (docs,), is_valid, _ = comment_values(bytes_, comments, ends, (DOCID,))
    if is_valid.all():  # as LETOR writes it
        return docs
    starts, lengths = leading_fields(bytes_, comments, ends, 3, 48)
    has_docid = equal_word(bytes_, starts[:, 0], lengths[:, 0], b"#docid") & equal_word(
        bytes_, starts[:, 1], lengths[:, 1], b"="
    )
    if not (has_docid & (lengths[:, 2] > 0)).all():
        return None
    return Fields(bytes_, starts[:, 2], lengths[:, 2])


def comment_values(
    bytes_: Bytes, comments: Ints, ends: Ints, names: Sequence[bytes]
) -> tuple[list[Fields], Bools, Ints]:
    """The values behind these names, which follow each other exactly in each comment: fields up to the next white
    space; whether each comment has all of them; and where the last one ends.
    """
    position, is_valid = comments, np.ones(comments.size, np.bool_)
    values = []
    for name in names:
        starts = np.minimum(position + len(name), ends)
        is_valid &= begin_with(bytes_, position, name)
        stops = field_ends(bytes_, starts)
        is_valid &= stops > starts
        values.append(Fields(bytes_, starts, stops - starts))
        position = stops
    return values, is_valid, position


def refuse_line(
    block: LineBlock, lines: BlockLines, rows: Ints, labels: Fields, query_fields: Fields, has_query: Bools, row: int
) -> NoReturn:
    """Raise for an invalid line."""
    location = f"{block.name}:{lines.first_line + int(rows[row])}"
    row_index = np.array([row])
    if has_query[row]:
        text = decode_id(decode(labels.take(row_index))[0])
        raise InputError(
            f"{location}: label {text!r}, expected {EXPECTED_GRADE} (the line is {EXPECTED}); correct this line"
        )
    text = repr(decode_id(decode(query_fields.take(row_index))[0])) if query_fields.lengths[row] else "nothing"
    raise InputError(
        f"{location}: {text} after the label, expected qid: and the query's id (the line is {EXPECTED}); "
        f"{foreign_line_advice(lines.text(int(rows[row])))}"
    )


def foreign_line_advice(line: bytes) -> str:
    """Advice on a line without a query, by what it may be instead."""
    if looks_like_trec(line):
        return "this looks like judgments or a run; `rankscope features runs` makes feature lines from both"
    if b"qid:" in line:
        return "put qid: directly after the label"
    if NUMBER.fullmatch(line.strip()):
        return "this looks like predictions, or sizes of groups; if a command takes labels as well, name them first"
    if b"," in line:
        return "a table with commas needs a header line: query_id, relevance, and the features"
    return "add the query to every line, or name the format that this file has"
