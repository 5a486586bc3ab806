"""Whether the columns of ranks and scores of a run are what they seem, as far as the first lines of its file tell.

Rankings are by falling score, whatever the ranks in the file. Where scores rise with the ranks, they are ranks or
distances in most cases, and all lists are read upside down. In TREC's lines both columns may be swapped, or shifted by
ids that hold blanks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from rankscope.io.core import BOM, Source

__all__ = [
    "column_note",
    "rising_score_note",
]


#: So many lines are looked at.
N_LINES = 1000
#: So many neighbours of a query must have scores that rise, and at most this share of all neighbours may fall.
MIN_RISING, MAX_FALLING_SHARE = 10, 0.05
#: So many lines of TREC's are looked at for columns that are swapped or shifted.
N_FIRST_LINES = 60
NUMBER = re.compile(rb"[-+]?[0-9]*\.?[0-9]+(?:[eE][-+]?[0-9]+)?")
#: The formats that have lines with columns of ranks and scores.
TABLES = ("csv", "tsv", "jsonl")
Line = tuple[bytes | str, float, float]


def column_note(source: Source) -> str:
    """A note where the columns of ranks and scores are hardly what they are read as; "" where nothing tells.

    source: an open run. Nothing is read: the first bytes are known.
    """
    if source.format == "trec":
        lines = list(islice(complete_lines(source.head), N_FIRST_LINES))
        if has_blank_ids(lines):
            return (
                f"{source.name}: ids hold blanks, at which lines are split, so that other fields are read as rank and "
                "score; write ids without blanks, or give a table (CSV, TSV with a header line)"
            )
        if has_swapped_columns(lines):
            return (
                f"{source.name}: rank and score seem to be swapped: the fifth field, the score, counts 1, 2, 3, and "
                "the fourth, the rank, has fractions; so the lists are read upside down; swap them"
            )
    return rising_score_note(source)


def has_blank_ids(lines: Iterable[bytes]) -> bool:
    """Whether an id between tabs holds a blank, or some lines have fields too many, a number in place of the tag."""
    n_lines = n_longer = 0
    for line in lines:
        if line.count(b"\t") == 5 and any(b" " in field.strip() for field in line.split(b"\t")[:3]):
            return True
        fields = line.split()
        n_lines += 1
        n_longer += len(fields) > 6 and NUMBER.fullmatch(fields[5]) is not None
    return 0 < n_longer < n_lines


def has_swapped_columns(lines: Iterable[bytes]) -> bool:
    """Whether all scores count from line to line of a query, and ranks have fractions."""
    last: dict[bytes | str, float] = {}
    n_steps, has_fractions = 0, False
    try:
        for query, rank, score in trec_lines(lines):
            if score != last.get(query, 0) + 1:
                return False
            n_steps += query in last
            last[query] = score
            has_fractions |= rank % 1 != 0
    except (ValueError, LookupError):  # the reader says what is wrong
        return False
    return has_fractions and n_steps >= MIN_RISING


def rising_score_note(source: Source) -> str:
    """A note where scores rise with the ranks in nearly all of the first lines; "" where not, or without both columns.

    source: an open run. Nothing is read: the first bytes are known.
    """
    lines = complete_lines(source.head)
    try:
        if source.format == "trec":
            rises = has_rising_scores(trec_lines(lines))
        else:
            rises = source.format in TABLES and has_rising_scores(table_lines(lines, source.format))
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):  # the reader says what is wrong
        return ""
    if not rises:
        return ""
    return (
        f"{source.name}: scores rise with the rank column, but documents are ranked by falling score, so the lists are "
        "read upside down; if lower scores are better here, as of ranks or distances, change their sign"
    )


def complete_lines(head: bytes) -> Iterator[bytes]:
    """The first lines, without the last one, which may be cut, and without comments and blank lines."""
    lines = head.removeprefix(BOM).split(b"\n", N_LINES)[:-1]
    return (line for line in lines if line.strip() and not line.startswith(b"#"))


def trec_lines(lines: Iterable[bytes]) -> Iterator[Line]:
    for line in lines:
        fields = line.split(None, 5)
        yield fields[0], float(fields[3]), float(fields[4])


def table_lines(lines: Iterable[bytes], format_name: str) -> Iterator[Line]:
    import json

    from rankscope.data.row_tables import SCHEMAS
    from rankscope.data.tables import find_column
    from rankscope.io.tables import first_rows

    if format_name == "jsonl":
        records: Iterable[dict[str, str]] = map(json.loads, lines)
    else:
        records = first_rows(b"\n".join(lines))
    columns: tuple[str, ...] | None = None
    for record in records:
        if columns is None:
            names = [SCHEMAS["score"].column(name).names for name in ("query_id", "rank", "score")]
            columns = tuple(find_column(list(record), options) or "" for options in names)
            if not all(columns):
                return
        query, rank, score = (record[column] for column in columns)
        yield query, float(rank), float(score)


def has_rising_scores(lines: Iterator[Line]) -> bool:
    """Whether scores rise with ranks from one line of a query to its next in nearly all cases."""
    last: dict[bytes | str, tuple[float, float]] = {}
    n_rising = n_falling = 0
    for query, rank, score in islice(lines, N_LINES):
        if query in last:
            last_rank, last_score = last[query]
            trend = (rank - last_rank) * (score - last_score)
            n_rising += trend > 0
            n_falling += trend < 0
            if n_falling > MAX_FALLING_SHARE * N_LINES:  # the usual case, known after few lines
                return False
        last[query] = rank, score
    return n_rising >= MIN_RISING and n_falling <= MAX_FALLING_SHARE * (n_rising + n_falling)
