"""LETOR's two files as its perl scripts read them: their patterns, perl's numbers, and what they refuse."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.data.rows import Interner, combined_keys, decode_id
from rankscope.errors import RankscopeError, in_one_line
from rankscope.io.blocks import BOM, SPACE, BlockReader, LineBlock
from rankscope.io.letor import line_query_codes, names_query
from rankscope.io.letor_fields import (
    BLOCK_SIZE,
    BlockLines,
    CollectedFields,
    begin_with,
    comment_places,
    field_ends,
    find_lines,
    leading_fields,
    single_numbers,
)
from rankscope.io.read import open_source
from rankscope.io.streams import open_binary, source_name
from rankscope.kernels.numbers import parse_floats
from rankscope.kernels.order import repeated
from rankscope.kernels.text import Fields, decode, hashes
from rankscope.typing import Bools, Bytes, Floats, Ints, PathLike

__all__ = ["VERSIONS", "ScoredDocuments", "Stopped", "Script", "perl_number", "read_documents"]


#: The label of a line whose label is in no script's table.
UNKNOWN_LABEL = 10


class Stopped(RankscopeError):
    """The script stops here: it prints the message on standard output and ends with this exit code."""

    def __init__(self, message: str, code: int = 254) -> None:
        super().__init__(message)
        self.code = code

    def __str__(self) -> str:
        """As the script prints it: a line of the file with its tabs and carriage returns, below another line."""
        return re.sub(r"[^\n\r\t]+", lambda found: in_one_line(found[0]), str(self.args[0]))


@dataclass(frozen=True, kw_only=True)
class Script:
    """What one script holds true. gains: of the labels 0, 1, ..., others gain 0; relevant: the least label that counts.

    comment: what stands before each of the comment's values, the first of which is the document; nothing where a line
    needs no comment, and a document is its line. to_the_end: whether nothing may follow the comment. positions: the
    most that are printed.
    """

    pattern: re.Pattern[bytes]
    comment: tuple[bytes, ...]
    to_the_end: bool = False
    gains: tuple[float, ...] = (0.0, 1.0, 3.0)
    relevant: int = 1
    positions: int = 10


LINE_BEGIN = rb"(\d+) qid:(\S+)"
#: The preset of each script.
VERSIONS = {
    "letor3": Script(
        pattern=re.compile(LINE_BEGIN + rb".*?#docid = (\S+)\Z"), comment=(b"#docid = ",), to_the_end=True, positions=16
    ),
    "letor4": Script(
        pattern=re.compile(LINE_BEGIN + rb".*?#docid = (\S+) inc = (\S+) prob = (\S+)"),
        comment=(b"#docid = ", b" inc = ", b" prob = "),
    ),
    "mslr": Script(pattern=re.compile(LINE_BEGIN), comment=(), gains=(0.0, 1.0, 3.0, 7.0, 15.0), relevant=2),
}


class ScoredDocuments(NamedTuple):
    """All n documents in the order of the lines. label: (n) OTHER where it is none of 0 to 9; query: (n) into ids."""

    label: npt.NDArray[np.uint8]
    query: Ints
    ids: list[bytes]
    scores: Floats


class LetorBlock(NamedTuple):
    """The documents of one block, up to the first line that does not parse (`bad`; -1 where all do)."""

    label: npt.NDArray[np.uint8]
    queries: Fields
    docs: Fields | None
    bad: int


def read_documents(test: PathLike, predictions: PathLike, version: Script) -> ScoredDocuments:
    """Both files, line beside line, without the lines that a repeated document id overwrites.

    Raises Stopped where the script stops, InputError for a file that cannot be opened or holds no line.
    """
    scores = read_scores(predictions)
    interner, docs = Interner(), CollectedFields()
    labels, codes = [], []
    read = 0
    with open_binary(test) as stream:
        source = open_source(stream, test, None)
        reader = BlockReader(source, source.name, BLOCK_SIZE)
        block = reader.next()
        while block is not None:
            lines = find_lines(block, comments=bool(version.comment))
            if block.first_line < 1 and scores.size:  # a byte order mark is no label
                first = block.buffer[block.begin + 3 : block.buffer.find(b"\n", block.begin + 3)]
                raise cannot_parse(test, 1, BOM + first)
            part = read_part(block, lines, version)
            good = lines.starts.size if part.bad < 0 else part.bad
            if read + good > scores.size or (part.bad >= 0 and read + good == scores.size):
                raise Stopped(f"Error to read {source_name(predictions)} at line {scores.size + 1}.")
            if part.bad >= 0:
                raise cannot_parse(test, read + part.bad + 1, lines.text(part.bad))
            codes.append(line_query_codes(part.queries, interner))
            labels.append(part.label)
            if part.docs is not None:
                docs.add(part.docs)
            read += good
            block = reader.next(block.end)
    listed = ScoredDocuments(np.concatenate(labels), np.concatenate(codes), list(interner.ids), scores[:read])
    return drop_overwritten(listed, docs.fields()) if version.comment else listed


def cannot_parse(path: PathLike, number: int, line: bytes) -> Stopped:
    return Stopped(f"Error to parse {source_name(path)} at line {number}:\n{decode_id(line)}")


def read_part(block: LineBlock, lines: BlockLines, version: Script) -> LetorBlock:
    """The lines of a block: at once where they are as usual, the others one by one with the script's pattern."""
    data = lines.buffer
    starts, lengths = leading_fields(data, lines.starts, lines.ends, 2)
    places, sizes = starts[:, 0], lengths[:, 0]
    digit = data[places] - np.uint8(ord("0"))
    good = (places == lines.starts) & (sizes == 1) & (digit < 10)  # longer labels are in no table
    good &= single_blank_between(data, places + sizes, starts[:, 1])
    good &= names_query(Fields(data, starts[:, 1], lengths[:, 1]))
    queries = Fields(data, starts[:, 1] + 4, lengths[:, 1] - 4)
    docs = None
    if version.comment:
        docs, named = comment_ids(lines, version)
        good &= named & (docs.starts - len(version.comment[0]) >= queries.starts + queries.lengths)
    bad = -1
    for row in np.flatnonzero(~good).tolist():
        found = version.pattern.match(block.buffer, int(lines.starts[row]), int(lines.ends[row]))
        if found is None:
            bad = row
            break
        digit[row] = int(found[1]) if len(found[1]) == 1 else UNKNOWN_LABEL
        queries.starts[row], queries.lengths[row] = found.start(2), found.end(2) - found.start(2)
        if docs is not None:
            docs.starts[row], docs.lengths[row] = found.start(3), found.end(3) - found.start(3)
    return LetorBlock(digit, queries, docs, bad)


def single_blank_between(data: Bytes, ends: Ints, starts: Ints) -> Bools:
    """Whether one space and nothing else stands between two fields."""
    return np.asarray((starts == ends + 1) & (data[ends] == SPACE))


def comment_ids(lines: BlockLines, version: Script) -> tuple[Fields, Bools]:
    """The document ids of the comments from the first `#` on, and whether each comment is as the script has it."""
    buffer, place = lines.buffer, comment_places(lines)
    good = np.ones(place.size, np.bool_)
    values: list[tuple[Ints, Ints]] = []
    for literal in version.comment:
        start = np.minimum(place + len(literal), lines.ends)
        end = field_ends(buffer, start)
        good &= begin_with(buffer, place, literal) & (end > start)
        values.append((start, end))
        place = end
    if version.to_the_end:
        good &= place == lines.ends
    start, end = values[0]
    return Fields(buffer, start, end - start), good


def drop_overwritten(listed: ScoredDocuments, docs: Fields) -> ScoredDocuments:
    """Of the lines of one document of a query only the last, as in a hash."""
    n = docs.starts.size
    keys = combined_keys(hashes(docs), np.arange(n + 1), listed.query)
    if not repeated(keys):
        return listed
    order = np.argsort(keys, kind="stable")
    level = np.flatnonzero(keys[order[1:]] == keys[order[:-1]])
    suspects = np.unique(np.concatenate((order[level], order[level + 1])))
    documents = zip(listed.query[suspects].tolist(), decode(docs.take(suspects)), strict=True)
    last = dict(zip(documents, suspects.tolist(), strict=True))
    kept = np.ones(n, np.bool_)
    kept[suspects] = False
    kept[list(last.values())] = True
    return ScoredDocuments(listed.label[kept], listed.query[kept], listed.ids, listed.scores[kept])


#: What perl takes of a text that is used as a number.
PERL_NUMBER = re.compile(
    rb"[ \t-\r]*([+-]?)(?:(inf|[qs]?nan)|1\.?#(inf|ind|[qs]?nan)|((?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?))", re.IGNORECASE
)


def perl_number(text: bytes) -> float:
    """The number at the beginning of a text, as perl has it; 0 where there is none.

    >>> perl_number(b" 1.5e3x"), perl_number(b"abc"), perl_number(b"-Infinity"), perl_number(b"0x10")
    (1500.0, 0.0, -inf, 0.0)
    """
    found = PERL_NUMBER.match(text)
    if found is None:
        return 0.0
    sign, name, windows, digits = found.groups()
    if digits is not None:
        return float(sign + digits)
    return float(sign + b"inf") if (name or windows).lower() == b"inf" else float("nan")


def read_scores(path: PathLike) -> Floats:
    """One number a line, as perl has it; a blank line is 0. A file without lines has no numbers."""
    found: list[Floats] = [np.empty(0)]
    with open_binary(path) as stream:
        source = open_source(stream, path, None)
        reader = BlockReader(source, source.name, BLOCK_SIZE)
        block = reader.next() if source.head else None
        while block is not None:
            lines, fields, _ = single_numbers(block)
            values, bad = parse_floats(fields)
            blank = fields.lengths == 0
            values[blank] = 0.0
            for row in bad[~blank[bad]].tolist():  # few: what is no plain number
                values[row] = perl_number(lines.text(row))
            if block.first_line < 1:  # a byte order mark is no number
                values[:1] = 0.0
            found.append(values)
            block = reader.next(block.end)
    return np.concatenate(found)
