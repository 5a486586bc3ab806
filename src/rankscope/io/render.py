"""Judgments and runs as the bytes of a file, in every format that is read: piece by piece, without loss.

Scores are written with the fewest digits that give every bit back. What a format cannot hold is refused before the
first byte.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.data.rows import Interner, Rows, name_of, names_of
from rankscope.errors import InputError
from rankscope.io.json_dicts import pack_lz4
from rankscope.kernels.order import order_falling
from rankscope.kernels.segments import group_of, place_in_group
from rankscope.kernels.text import Fields, as_fields, decode

if TYPE_CHECKING:
    import polars as pl

__all__ = ["OUTPUTS", "plain_column", "ranks", "refuse_unwritable", "render"]

Ints = npt.NDArray[np.int64]

#: Formats that are written, as `--to` names them.
OUTPUTS = {
    "trec": "TREC's lines",
    "csv": "commas, a header line",
    "tsv": "tabs, a header line",
    "jsonl": "one JSON object a line",
    "json": "{query: {document: number}}",
    "parquet": "Apache Parquet",
    "lz4": "ranx's .lz4",
    "letor": "LETOR's lines of labels; of a run, its scores line by line",
}
SEPARATORS = {"csv": ",", "tsv": "\t"}
#: Rows that are rendered at a time.
PIECE = 65_536
BLANKS = b" \t\n\v\f\r\0"  # what ends a field of TREC's lines, and what makes a file binary
BOM = b"\xef\xbb\xbf"
NO_COLUMN = (b"0", b"Q0")


class Piece(NamedTuple):
    """Some rows. queries: (n) the index of each one's query."""

    queries: Ints
    docs: list[bytes]
    subtopics: list[bytes] | None
    values: npt.NDArray[Any]


def render(rows: Rows, form: str, *, name: str = "run") -> Iterator[bytes]:
    """The file, piece by piece: a run where the values are float64, judgments where they are int64.

    form: one of OUTPUTS. name: the tag of a run's lines in TREC's format. Rows keep their order (by subtopic in JSON).
    Call `refuse_unwritable` first: ids are not checked here.
    """
    if form == "trec":
        return run_lines(rows, name) if is_run(rows) else qrels_lines(rows)
    if form == "letor":
        return score_lines(rows) if is_run(rows) else label_lines(rows)
    if form in SEPARATORS:
        return (
            frame.write_csv(include_header=not i, separator=SEPARATORS[form]).encode()
            for i, frame in enumerate(frames(rows))
        )
    if form == "jsonl":
        return (frame.write_ndjson().encode() for frame in frames(rows))
    if form == "parquet":
        return parquet(rows)
    if form == "lz4":
        return iter([pack_lz4(dict(dicts(rows)), "the output")])
    return json_lines(rows)


def is_run(rows: Rows) -> bool:
    return rows.values.dtype == np.float64


def pieces(rows: Rows) -> Iterator[Piece]:
    for a in range(0, rows.values.size, PIECE):
        part = slice(a, min(a + PIECE, rows.values.size))
        queries = np.searchsorted(rows.offsets, np.arange(part.start, part.stop), side="right") - 1
        subtopics = None if rows.subtopics is None else decode(cut(rows.subtopics, part))
        yield Piece(queries, decode(cut(rows.docs, part)), subtopics, rows.values[part])


def cut(fields: Fields, part: slice) -> Fields:
    return Fields(fields.buffer, fields.starts[part], fields.lengths[part])


def run_lines(rows: Rows, name: str) -> Iterator[bytes]:
    heads = [id_ + b" Q0 " for id_ in rows.query_ids]
    rank = ranks(rows)
    shown = [b" %d " % r for r in range(int(rank.max(initial=0)) + 1)]
    tail = b" " + name.encode("utf-8", "surrogateescape") + b"\n"
    done = 0
    for piece in pieces(rows):
        n = len(piece.docs)
        yield interleaved(
            pick(heads, piece.queries), piece.docs, pick(shown, rank[done : done + n]), numbers(piece.values), tail
        )
        done += n


def qrels_lines(rows: Rows) -> Iterator[bytes]:
    heads = [id_ + b" " for id_ in rows.query_ids]
    for piece in pieces(rows):
        second = b"0" if piece.subtopics is None else piece.subtopics
        yield interleaved(pick(heads, piece.queries), second, b" ", piece.docs, b" ", numbers(piece.values), b"\n")


def label_lines(rows: Rows) -> Iterator[bytes]:
    """Judgments as LETOR has them: grade, query, and the document in the comment."""
    heads = [b" qid:" + id_ + b" #docid = " for id_ in rows.query_ids]
    for piece in pieces(rows):
        yield interleaved(numbers(piece.values), pick(heads, piece.queries), piece.docs, b"\n")


def score_lines(rows: Rows) -> Iterator[bytes]:
    """A run as a file of predictions: a score a line, in the order of the run."""
    for piece in pieces(rows):
        yield interleaved(numbers(piece.values), b"\n")


def pick(texts: list[bytes], index: Ints) -> list[bytes]:
    return list(map(texts.__getitem__, index.tolist()))


def numbers(values: npt.NDArray[Any]) -> list[bytes]:
    """Whole numbers as they are, scores with the fewest digits that give every bit back."""
    return "\n".join(map(repr, values.tolist())).encode().split(b"\n")


def interleaved(*columns: list[bytes] | bytes) -> bytes:
    """The columns line by line, joined; a column of bytes is the same on each line."""
    n = max(len(column) for column in columns if isinstance(column, list))
    parts = [b""] * (n * len(columns))
    for c, column in enumerate(columns):
        parts[c :: len(columns)] = column if isinstance(column, list) else [column] * n
    return b"".join(parts)


def ranks(rows: Rows) -> Ints:
    """(rows) the rank of each, from 1: by falling score within its query, equal scores in the order of the rows."""
    rank = place_in_group(rows.offsets) + 1
    rises = rows.values[1:] > rows.values[:-1]
    rises[rank[1:] == 1] = False  # the next query's first
    if not rises.any():
        return rank
    order = order_falling(rows.values, np.diff(rows.offsets))
    found = np.empty(rank.size, np.int64)
    found[order] = rank
    return found


def frames(rows: Rows) -> Iterator[pl.DataFrame]:
    import polars as pl

    queries = pl.Series(names_of(rows.query_ids), dtype=pl.String)
    for piece in pieces(rows):
        columns = {"query_id": queries.gather(piece.queries)}
        if piece.subtopics is not None:
            columns["subtopic"] = pl.Series(names_of(piece.subtopics), dtype=pl.String)
        columns["doc_id"] = pl.Series(names_of(piece.docs), dtype=pl.String)
        columns["score" if is_run(rows) else "relevance"] = pl.Series(piece.values)
        yield pl.DataFrame(columns)


def parquet(rows: Rows) -> Iterator[bytes]:
    import polars as pl

    file = io.BytesIO()
    pl.concat(frames(rows)).write_parquet(file)
    yield file.getvalue()


def json_lines(rows: Rows) -> Iterator[bytes]:
    """One object, a query a line."""
    before = "{\n"
    for query, docs in dicts(rows):
        yield f"{before}{json.dumps(query, ensure_ascii=False)}: {json.dumps(docs, ensure_ascii=False)}".encode()
        before = ",\n"
    yield b"\n}\n"


def dicts(rows: Rows) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each query with its documents; by subtopic, where there are subtopics."""
    if rows.subtopics is not None:
        yield from subtopic_dicts(rows, rows.subtopics)
        return
    for chunk in rows.chunks():
        docs, values = names_of(decode(chunk.docs)), chunk.values.tolist()
        lists = zip(names_of(chunk.query_ids), pairwise(chunk.offsets.tolist()), strict=True)
        for query, (a, b) in lists:
            yield query, dict(zip(docs[a:b], values[a:b], strict=True))


def subtopic_dicts(rows: Rows, subtopics: Fields) -> Iterator[tuple[str, dict[str, Any]]]:
    interner = Interner()
    code, query = interner.codes(subtopics), group_of(rows.offsets)
    order = np.lexsort((code, query))
    code, query = code[order], query[order]
    starts = np.flatnonzero(np.r_[True, (code[1:] != code[:-1]) | (query[1:] != query[:-1])])
    docs, values = names_of(decode(rows.docs.take(order))), rows.values[order].tolist()
    names = names_of(list(interner.ids))
    found: list[dict[str, Any]] = [{} for _ in rows.query_ids]
    bounds = pairwise([*starts.tolist(), order.size])
    for q, c, (a, b) in zip(query[starts].tolist(), code[starts].tolist(), bounds, strict=True):
        found[q][names[c]] = dict(zip(docs[a:b], values[a:b], strict=True))
    yield from zip(names_of(rows.query_ids), found, strict=True)


def plain_column(subtopics: Fields) -> bool:
    """Whether TREC's second column says nothing: 0 or Q0 on every line."""
    return set(decode(subtopics)) <= set(NO_COLUMN)


def refuse_unwritable(rows: Rows, form: str, name: str, shown: str) -> None:
    """Raise InputError for an id, or a run's name, that the format cannot hold. shown: what the rows were read from."""
    advice = "write jsonl, json or parquet instead"
    if form == "letor":
        if rows.subtopics is not None:
            raise InputError(f"{shown}: judgments by subtopic, which LETOR's lines cannot hold; {advice}")
        bad = next((id_ for id_ in rows.query_ids if b"#" in id_), None)
        if bad is not None:
            found = name_of(bad)
            raise InputError(f"{shown}: the query id {found!r} holds a #, which begins a comment there; {advice}")
    if form == "trec":
        refuse_lines(rows, name, shown, advice)
    if form in ("trec", "letor"):
        test: Callable[[list[bytes]], bool] = has_blank
        fault, fix = f"is empty or holds a blank, which ends a field of {form.upper()}'s lines", advice
    else:
        test, fault, fix = not_utf8, f"is not UTF-8, as {form} must be", "write trec instead"
    for what, ids in id_lists(rows):
        if test(ids):
            bad = next(id_ for id_ in ids if test([id_]))
            raise InputError(f"{shown}: the {what} id {name_of(bad)!r} {fault}; {fix}")
    if form in SEPARATORS:
        refuse_edges(rows, form, shown, advice)


def refuse_lines(rows: Rows, name: str, shown: str, advice: str) -> None:
    """Raise for what would be read as something else at the begin or end of TREC's lines."""
    tag = name.encode("utf-8", "surrogateescape")
    inside = tag.replace(b" ", b"").replace(b"\t", b"")  # which may stand inside it
    if is_run(rows) and (tag.strip() != tag or has_blank([inside])):
        raise InputError(
            f"{shown}: the run's name {name!r} is empty, or holds a line end or blanks around it, and cannot end "
            f"TREC's lines; name it otherwise, or {advice}"
        )
    for query in rows.query_ids:
        if query.startswith((b"#", BOM)):
            raise InputError(
                f"{shown}: the query id {name_of(query)!r} would be read as a comment or a byte order mark at the "
                f"begin of TREC's lines; {advice}"
            )


def id_lists(rows: Rows) -> Iterator[tuple[str, list[bytes]]]:
    yield "query", rows.query_ids
    for piece in pieces(rows):
        yield "document", piece.docs
        if piece.subtopics is not None:
            yield "subtopic", piece.subtopics


def has_blank(ids: list[bytes]) -> bool:
    together = b"".join(ids)
    return len(together.translate(None, BLANKS)) < len(together) or b"" in ids


def not_utf8(ids: list[bytes]) -> bool:
    try:
        b"\n".join(ids).decode()
    except UnicodeDecodeError:
        return True
    return False


def refuse_edges(rows: Rows, form: str, shown: str, advice: str) -> None:
    """Raise for an id with a blank at an end: readers of tables take blanks around a field away."""
    columns = {"query": as_fields(rows.query_ids), "document": rows.docs, "subtopic": rows.subtopics}
    for what, fields in columns.items():
        if fields is None:
            continue
        edges = fields.buffer[[fields.starts, fields.starts + fields.lengths - 1]]
        bad = np.flatnonzero(((edges == ord(" ")) | (edges == ord("\t"))).any(axis=0))
        if bad.size:
            id_ = name_of(decode(fields.take(bad[:1]))[0])
            raise InputError(
                f"{shown}: the {what} id {id_!r} begins or ends with a blank, which {form} does not keep; {advice}"
            )
