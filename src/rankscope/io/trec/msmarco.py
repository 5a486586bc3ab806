"""The format msmarco: runs of MS MARCO's leaderboards, `query document rank`, without scores."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rankscope.data.rows import Rows, decode_id
from rankscope.errors import InputError
from rankscope.io.core import FileContent, FileHead, Format, LineLayout, ReadRequest
from rankscope.io.trec.format import Grammar, advise_on_line, read_rows, read_trec
from rankscope.kernels.numbers import parse_integers
from rankscope.kernels.segments import group_of, place_in_group
from rankscope.typing import Ints

if TYPE_CHECKING:
    from rankscope.io.core import Source

__all__ = [
    "MSMARCO",
]


RANKS = Grammar(
    LineLayout(3, 3, (0, 1, 2), "3 (query document rank)", advise_on_line), "rank", np.int64, parse_integers
)


def looks_like_ranks(head: FileHead) -> bool:
    """Whether the first line has three fields and the last could be a rank."""
    fields = head.line.split(None, 3)
    return len(fields) == 3 and fields[2].isdigit()


def read_ranks(source: Source, request: ReadRequest) -> FileContent:
    """The documents of each query by rank: the score is minus the rank.

    Raises InputError where the ranks of a query are not 1, 2, 3, ...: the numbers may be scores, of which the highest
    are the best. Also raises it where judgments are expected. If the format was not named, raises InputError where the
    numbers fall from line to line, as scores do, and ParameterError where all are 1, as judgments may be.
    """
    if (request.kind or request.hint) == "qrels":
        return read_trec(source, request._replace(kind="qrels"))  # raises the error
    rows, n_ungrouped = read_rows(source, source.name, RANKS, source.size)
    query_index = group_of(rows.offsets)
    order = np.lexsort((rows.values, query_index))
    mismatches = np.flatnonzero(rows.values[order] != place_in_group(rows.offsets) + 1)
    if mismatches.size:
        row = int(order[mismatches[0]])
        location = rows.where(int(rows.docs.starts[row]))
        rank_text = f"rank {rows.values[row]} of query {decode_id(rows.query_ids[query_index[row]])!r}"
        raise InputError(
            f"{location}: {rank_text}, expected the ranks 1, 2, 3, ... of each query, each once "
            "(the line is query document rank); where these are scores or judgments, put a line such as "
            "query_id,doc_id,score (judgments: relevance) above them, with commas or tabs as the lines have"
        )
    if not source.named:
        refuse_doubtful(rows, query_index, source.name, request)
    return FileContent(replace(rows, values=-rows.values.astype(np.float64)), n_ungrouped)


def refuse_doubtful(rows: Rows, query_index: Ints, name: str, request: ReadRequest) -> None:
    """Raise for ranks that could also be scores or judgments. query_index: (rows)."""
    steps = np.diff(rows.values)[np.diff(query_index) == 0]
    if not steps.size:  # also the judgments of collections with one judged document per query
        request.either(name, "the number is 1 in all lines, which may be ranks or judgments")
    elif np.all(steps < 0):
        raise InputError(
            f"{name}: the last of the three columns falls from line to line in each query, as scores do, expected "
            'ranks from 1 on; for ranks all the same add --input msmarco (in Python input="msmarco"), for scores put a '
            "line such as query_id,doc_id,score above them, with commas or tabs as the lines have"
        )


MSMARCO = Format(read=read_ranks, sniff=looks_like_ranks)
