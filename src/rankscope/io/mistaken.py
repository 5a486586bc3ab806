"""What a file may be that cannot be read as TREC's lines: told by the first line that does not fit."""

from __future__ import annotations

from rankscope.io.sniff import NUMBER

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
    if first and (fields == 3 or (fields == 1 and (b"," in line or b";" in line))):
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
