"""What a file may be that cannot be read as TREC's lines: told by the first line that does not fit."""

from __future__ import annotations

from rankscope.io.sniff import NUMBER, is_trec

__all__ = ["likely"]


def likely(line: bytes, fields: int, *, first: bool) -> str | None:
    """What to do about a line of so many fields, where it tells what the file is. first: whether it is the first."""
    if b"\r" in line.rstrip():
        return "the line ends are carriage returns; convert them to LF or CR LF"
    if b" qid:" in line or b"\tqid:" in line:
        return 'this looks like a LETOR or SVMlight file: read it with --input letor (in Python input="letor")'
    if are_labels(line):
        return "this looks like a table of true and predicted labels: `rankscope agree labels` reads it"
    if fields == 1 and NUMBER.fullmatch(line.strip()):
        return (
            'this looks like LETOR predictions: --input letor (in Python input="letor") with the label file first '
            "(convert: --labels FILE)"
        )
    return of_a_table(line, fields) if first else None


def of_a_table(line: bytes, fields: int) -> str | None:
    """What to do about the first line of a table that was not known as one."""
    if line.startswith((b"[", b"{")):
        return "this looks like JSON, expected {query: {document: number}} or an object a line; write it so"
    semicolons, commas = line.count(b";"), line.count(b",")
    if fields == 1 and semicolons > commas:
        return "this looks like a table with semicolons between its columns; put commas or tabs in their place"
    parts = line.strip().split(b",") if fields == 1 else line.split()
    if fields == 1 and is_trec(b" ".join(part.strip() for part in parts)):
        return "there are commas between the fields; put blanks or tabs in their place"
    if len(parts) not in (1, 5, 6) and not any(NUMBER.fullmatch(part.strip()) for part in parts):
        return (
            "this looks like the header of a table, expected query_id, doc_id and score (judgments: relevance) among "
            "its columns; rename them; a table of ranks is read with --input entity-ranks"
        )
    if fields == 3 or (fields == 1 and commas):
        return (
            "correct this line, or give a table a header line such as query_id,doc_id,score (judgments: relevance); "
            "a table of ranks is read with --input entity-ranks"
        )
    return None


def are_labels(line: bytes) -> bool:
    """Whether it names the columns of true and of predicted labels."""
    from rankscope.io.label_pairs import NAMES

    text = line.decode("utf-8", "replace").lower()
    columns = {part.strip(" \"'\r\n") for part in text.split("\t" if "\t" in text else ",")}
    return all(columns & set(names) for names in NAMES.values())
