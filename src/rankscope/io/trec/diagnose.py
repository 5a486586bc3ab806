"""Advice on files that cannot be read as TREC's lines, by the first line that does not fit."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

from rankscope.data.row_tables import LISTS, SCHEMAS, SPAN_ADVICE, has_span_columns
from rankscope.errors import InputError
from rankscope.io.core import NUMBER, is_file, looks_like_trec, open_binary, sniff, source_name

__all__ = [
    "line_advice",
    "looks_like_rank_table",
]


#: Words in a header above TREC's lines.
HEADER_WORDS = {"q0", "iter", "iteration", "rank", "tag", "runid"}.union(
    *(column.names for schema in SCHEMAS.values() for column in schema.columns)
)
#: Names that a list of ids has, and nothing else.
LIST_NAMES = {name for column in LISTS.values() for name in column.names if name.endswith("ids")}
HEADER = "query_id,doc_id,score (judgments: relevance), with commas, semicolons or tabs between the names"
#: Lines that are checked for a table of ranks; bytes that are read for them, and of any other line.
FEW, HEAD = 4, 1 << 16


class Line(NamedTuple):
    """The first line that is not TREC's.

    Attributes
    ----------
    content
        The line.
    n_fields
        Number of its fields; 0 if the number is right and one of the fields is invalid.
    is_first
        Whether it is the first line.
    """

    content: bytes
    n_fields: int
    is_first: bool

    @property
    def is_table_row(self) -> bool:
        """Whether it may be the first row of a table, which has no blanks between its fields."""
        return self.is_first and self.n_fields == 1

    @property
    def cells(self) -> list[bytes]:
        """Its cells, if it belongs to a table."""
        has_tabs = b"\t" in self.content.strip()
        separated = has_tabs or self.n_fields == 1
        return self.content.strip().split(b"\t" if has_tabs else b",") if separated else self.content.split()

    @property
    def names(self) -> list[str]:
        """Its cells as names of columns."""
        return [cell.strip().strip(b'"').decode("utf-8", "replace") for cell in self.cells]


class Signature(NamedTuple):
    """What a line shows a file to be.

    Attributes
    ----------
    matches
        Whether a line shows it.
    advice
        What to do.
    """

    matches: Callable[[Line], bool]
    advice: str


def line_advice(line: bytes, n_fields: int, *, is_first: bool) -> str | None:
    """Advice on an invalid line, if it shows what the file is; the arguments are those of `Line`."""
    cut = Line(line[:HEAD], n_fields, is_first)  # split into words, millions of commas take a hundred times their bytes
    return next((signature.advice for signature in SIGNATURES if signature.matches(cut)), None)


def is_file_start(line: Line) -> bool:
    """Whether the number of fields of a file's first line is wrong."""
    return line.is_first and bool(line.n_fields)


def is_header(line: Line) -> bool:
    """Whether the line names TREC's columns."""
    words = {word.lower() for word in line.content.decode("utf-8", "replace").split()}
    return line.n_fields != 1 and len(words & HEADER_WORDS) > 2


def is_table_header(line: Line) -> bool:
    """Whether the line has several cells and no number, as the header of a table."""
    separated = b"\t" in line.content.strip() or line.n_fields == 1
    cells = line.content.split(b";") if has_semicolons(line) else line.cells
    return (
        is_file_start(line)
        and separated
        and len(cells) > 1
        and not any(NUMBER.fullmatch(cell.strip()) for cell in cells)
    )


def has_semicolons(line: Line) -> bool:
    return line.is_table_row and line.content.count(b";") > line.content.count(b",")


#: What the first invalid line of a file shows, and what to do; the first that matches counts.
SIGNATURES = (
    Signature(
        lambda line: b"\r" in line.content.rstrip(),
        "the line ends are carriage returns; convert them to LF or CR LF",
    ),
    Signature(
        lambda line: b" qid:" in line.content or b"\tqid:" in line.content,
        'this looks like a LETOR or SVMlight file: read it with --input letor (in Python input="letor")',
    ),
    Signature(
        lambda line: line.content.startswith((b"//", b"%", b";", b"--")),
        "is it a comment? Those begin with #",
    ),
    Signature(
        lambda line: names_label_columns(line.content),
        "this looks like a table of true and predicted labels: `rankscope agree labels` reads it",
    ),
    Signature(
        lambda line: line.n_fields == 1 and NUMBER.fullmatch(line.content.strip()) is not None,
        'this looks like LETOR predictions: --input letor (in Python input="letor") with the label file first '
        "(convert: --input letor --labels FILE)",
    ),
    Signature(is_header, "this is a header line, which TREC files do not have; remove it, or put # before it"),
    Signature(
        lambda line: is_file_start(line) and line.content.startswith((b"[", b"{")),
        "this looks like JSON, expected {query: {document: number}} or one object per line; rewrite the file",
    ),
    Signature(
        lambda line: is_file_start(line) and line.content.startswith(b"<<<<<<<"),
        "git could not merge this file; resolve the conflict first",
    ),
    Signature(
        lambda line: is_file_start(line) and line.content.startswith(b"<"),
        "this looks like XML or another markup, as of topics; name another file",
    ),
    Signature(
        lambda line: line.is_table_row and line.content.count(b"|") > 1 and not has_semicolons(line),
        "there are | between the fields; put tabs in their place",
    ),
    Signature(
        lambda line: line.is_table_row and looks_like_trec(b" ".join(cell.strip() for cell in line.cells)),
        "there are commas between the fields; replace them by blanks or tabs",
    ),
    Signature(lambda line: is_table_header(line) and has_span_columns(line.names), SPAN_ADVICE),
    Signature(
        lambda line: is_table_header(line) and set(map(str.lower, line.names)) >= {"system", "query"},
        "this looks like a table of scores, which compare, plan and report take alone, in the place of judgments and "
        "runs",
    ),
    Signature(
        lambda line: is_table_header(line) and not LIST_NAMES.isdisjoint(map(str.lower, line.names)),
        "lists of ids in a table are text; write one object of JSON per line (pandas: to_json(path, "
        'orient="records", lines=True)), each with its list',
    ),
    Signature(
        is_table_header,
        "this looks like the header of a table, which needs query_id, doc_id and score (judgments: relevance); rename "
        "its columns, or say what they are called: --columns query_id=NAME,doc_id=NAME (in Python columns=); a table "
        "of ranks needs --input entity-ranks",
    ),
    Signature(
        lambda line: (
            is_file_start(line)
            and (line.n_fields == 3 or has_semicolons(line) or (line.n_fields == 1 and b"," in line.content))
        ),
        f"correct this line, or give a table a header line such as {HEADER}",
    ),
)


def names_label_columns(line: bytes) -> bool:
    """Whether the line names columns of true and of predicted labels."""
    from rankscope.io.tables import LABELS

    text = line.decode("utf-8", "replace").lower()
    columns = [cell.strip(" \"'\r\n") for cell in text.split("\t" if "\t" in text else ",")]
    return len(LABELS.match(columns, {})) == len(LABELS.columns)


def looks_like_rank_table(path: str) -> bool:
    """Whether a file begins like a table of ranks: a header, then lines of a name and numbers."""
    head = b""
    with suppress(InputError, OSError):
        if is_file(path):
            with open_binary(path) as stream:
                head = stream.read(HEAD)
            if sniff(head, source_name(path)) != "trec":
                return False
    lines = [line for line in head.splitlines() if line.strip()][:FEW]
    rows = [[cell.strip() for cell in line.split(b"\t" if b"\t" in lines[0] else b",")] for line in lines]
    if len(rows) < 2 or len(rows[0]) < 2 or any(len(row) != len(rows[0]) for row in rows):
        return False
    is_numeric = [all(not cell or NUMBER.fullmatch(cell) for cell in row[1:]) for row in rows]
    return all(is_numeric[1:]) and not any(NUMBER.fullmatch(cell) for cell in rows[0][1:])
