"""Advice on files that cannot be read as TREC's lines, by the first line that does not fit."""

from __future__ import annotations

from contextlib import suppress

from rankscope.data.row_input import COLUMN_NAMES, SPAN_ADVICE, has_span_columns
from rankscope.errors import InputError
from rankscope.io.core import NUMBER, is_file, looks_like_trec, open_binary, sniff, source_name

__all__ = [
    "line_advice",
    "looks_like_rank_table",
]


#: Words in a header above TREC's lines.
HEADER_WORDS = {"q0", "iter", "iteration", "rank", "tag", "runid"}.union(*COLUMN_NAMES.values())
#: How comments begin in other formats.
COMMENTS = (b"//", b"%", b";", b"--")
HEADER = "query_id,doc_id,score (judgments: relevance), with commas or tabs between the names"
#: Lines that are checked for a table of ranks; bytes that are read for them, and of any other line.
FEW, HEAD = 4, 1 << 16


def line_advice(line: bytes, n_fields: int, *, is_first: bool) -> str | None:
    """Advice on an invalid line, if it shows what the file is.

    Parameters
    ----------
    line
        The line.
    n_fields
        Number of its fields; 0 if the number is right and one of the fields is invalid.
    is_first
        Whether it is the first line.
    """
    line = line[:HEAD]  # split into words, a line of millions of commas takes a hundred times its bytes
    if b"\r" in line.rstrip():
        return "the line ends are carriage returns; convert them to LF or CR LF"
    if b" qid:" in line or b"\tqid:" in line:
        return 'this looks like a LETOR or SVMlight file: read it with --input letor (in Python input="letor")'
    if line.startswith(COMMENTS):
        return "is it a comment? Those begin with #"
    if names_label_columns(line):
        return "this looks like a table of true and predicted labels: `rankscope agree labels` reads it"
    if n_fields == 1 and NUMBER.fullmatch(line.strip()):
        return (
            'this looks like LETOR predictions: --input letor (in Python input="letor") with the label file first '
            "(convert: --input letor --labels FILE)"
        )
    if n_fields != 1 and len({word.lower() for word in line.decode("utf-8", "replace").split()} & HEADER_WORDS) > 2:
        return "this is a header line, which TREC files do not have; remove it, or put # before it"
    return table_advice(line, n_fields) if is_first and n_fields else None


def table_advice(line: bytes, n_fields: int) -> str | None:
    """Advice on the first line of a file that may be a table."""
    if line.startswith((b"[", b"{")):
        return "this looks like JSON, expected {query: {document: number}} or one object per line; rewrite the file"
    if line.startswith(b"<<<<<<<"):
        return "git could not merge this file; resolve the conflict first"
    if line.startswith(b"<"):
        return "this looks like XML or another markup, as of topics; name another file"
    semicolons, commas = line.count(b";"), line.count(b",")
    if n_fields == 1 and semicolons > commas:
        return (
            "this looks like a table with semicolons between its columns; put tabs in their place (and points in that "
            "of decimal commas)"
        )
    if n_fields == 1 and line.count(b"|") > 1:
        return "there are | between the fields; put tabs in their place"
    has_tabs = b"\t" in line.strip()
    cells = line.strip().split(b"\t" if has_tabs else b",") if has_tabs or n_fields == 1 else line.split()
    if n_fields == 1 and looks_like_trec(b" ".join(cell.strip() for cell in cells)):
        return "there are commas between the fields; replace them by blanks or tabs"
    has_columns = len(cells) > 1 and (has_tabs or n_fields == 1)
    if has_columns and not any(NUMBER.fullmatch(cell.strip()) for cell in cells):
        names = [cell.strip().strip(b'"').decode("utf-8", "replace") for cell in cells]
        if has_span_columns(names):
            return SPAN_ADVICE
        return (
            "this looks like the header of a table, which needs query_id, doc_id and score (judgments: relevance); "
            "rename its columns; a table of ranks needs --input entity-ranks"
        )
    if n_fields == 3 or (n_fields == 1 and commas):
        return f"correct this line, or give a table a header line such as {HEADER}"
    return None


def names_label_columns(line: bytes) -> bool:
    """Whether the line names columns of true and of predicted labels."""
    from rankscope.io.tables import LABEL_COLUMNS as LABELS

    text = line.decode("utf-8", "replace").lower()
    columns = {cell.strip(" \"'\r\n") for cell in text.split("\t" if "\t" in text else ",")}
    return all(columns & set(names) for names in LABELS.values())


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
