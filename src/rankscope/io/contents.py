"""What a file holds, judgments or a run: told by content where it can be told, and asked for where not."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from rankscope.data.frames import COLUMN_NAMES
from rankscope.data.qrels import Qrels
from rankscope.data.rows import Rows
from rankscope.data.run import Run
from rankscope.data.subtopics import merge_subtopics
from rankscope.errors import InputError, ParameterError
from rankscope.io.blocks import IS_SPACE, NEWLINE
from rankscope.io.entity_ranks import read_entity_ranks
from rankscope.io.json_dicts import all_whole, by_subtopic, dict_rows, load_dicts
from rankscope.io.letor import Labels, prediction_run, read_labels
from rankscope.io.read import PathLike, Source, all_rows, apart_note, file_stem, open_source
from rankscope.io.render import is_run, plain_column
from rankscope.io.streams import open_binary, source_name
from rankscope.io.tables import SEPARATORS, read_table
from rankscope.io.trec import RUN, SUBTOPIC_QRELS
from rankscope.kernels.text import Fields, as_fields, equal, hashes

__all__ = ["OTHERS", "Content", "of_memory", "read_content"]

#: Lines that are looked at at a time.
PIECE = 65_536
VALUES = {"qrels": "relevance", "run": "score"}


class Content(NamedTuple):
    """Rows, checked: no document twice, all numbers finite. name: the run's; tagged: the input itself said it."""

    rows: Rows
    shown: str  # how messages name the input
    name: str = "run"
    tagged: bool = False
    notes: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        return "run" if is_run(self.rows) else "qrels"


def read_content(
    path: PathLike, *, input: str | None, kind: str | None, hint: str | None, labels: PathLike | None
) -> Content:
    """Read a file in any format. kind: "qrels" or "run", where the user says so; hint: what to take it for in doubt.

    Raises InputError for what cannot be read, ParameterError where the content does not tell what it is.
    """
    if input in OTHERS:
        content = OTHERS[input](path, labels, kind or hint)
        if kind not in (None, content.kind):
            raise ParameterError(f"--kind {kind}: {content.shown} is read as {content.kind}; leave --kind out")
        return checked(content)
    if labels is not None:
        raise ParameterError("labels belong to a file of predictions; name its format with --input letor")
    with open_binary(path) as stream:
        source = open_source(stream, path, input)
        read = {"trec": read_trec, "json": read_dicts}.get(source.format, read_columns)
        return checked(read(source, file_stem(path), kind, hint))


def checked(content: Content) -> Content:
    rows = content.rows
    if rows.subtopics is None:
        rows.refuse_duplicates(rows.keys(np.arange(len(rows.query_ids))))
    else:
        merge_subtopics(rows)  # refuses what stands twice
    return content


def of_memory(data: Qrels | Run) -> Content:
    """Judgments or a run held in memory."""
    if isinstance(data, Qrels):
        return checked(Content(qrels_rows(data), "the qrels"))
    shown = f"run {data.name!r}"
    rows = data._rows
    if rows is None:
        assert data._mapping is not None
        rows = dict_rows(data._mapping, shown, "score")
    return checked(Content(rows, shown, data.name, True, data.notes))


def qrels_rows(data: Qrels) -> Rows:
    ids, docs = list(data.codes), data._docs
    if data.subtopics is None:
        return Rows(ids, data.offsets, docs, hashes(docs), data.relevance, str)
    by = data.subtopics
    docs = docs.take(by.judged + data.offsets[by.query])
    return Rows(ids, by.offsets, docs, hashes(docs), by.relevance, str, by.ids)


# TREC's lines


def read_trec(source: Source, stem: str, kind: str | None, hint: str | None) -> Content:
    del hint  # the number of fields tells
    kind = kind or trec_kind(source.head.removeprefix(b"\xef\xbb\xbf"), source.name)
    tag = source.tag if kind == "run" else None
    rows, apart = all_rows(source, SUBTOPIC_QRELS if kind == "qrels" else RUN)
    notes = []
    if kind == "run":
        notes += [apart_note(source.name, apart)] if apart else []
        if tag is not None and other_tags(rows, tag.encode("utf-8", "surrogateescape")):
            notes.append(f"{source.name}: its lines end in several tags; only the first, {tag!r}, is kept")
    elif rows.subtopics is not None and plain_column(rows.subtopics):
        rows = Rows(rows.query_ids, rows.offsets, rows.docs, rows.hashes, rows.values, rows.where)
    return Content(rows, source.name, tag or stem, tag is not None, tuple(notes))


def trec_kind(head: bytes, name: str) -> str:
    """By the number of fields of the first line that holds data."""
    for number, line in enumerate(head.split(b"\n"), 1):
        fields = line.split()
        if not fields or line.startswith(b"#"):
            continue
        if fields[1:2] and fields[1].startswith(b"qid:"):
            raise InputError(f"{name}:{number}: this looks like a LETOR or SVMlight file: read it with --input letor")
        if len(fields) == 1:
            raise InputError(
                f"{name}:{number}: 1 field, expected 4 (judgments) or 6 (a run); predictions are read with "
                "--input letor --labels FILE, and other formats with --input"
            )
        if len(fields) < 4:
            raise InputError(
                f"{name}:{number}: {len(fields)} fields, expected 4 (query 0 document relevance) or 6 (query Q0 doc "
                "rank score tag); correct this line, or name the format that this file has"
            )
        return "qrels" if len(fields) == 4 else "run"
    return "run"  # nothing there, which the reader says


def other_tags(rows: Rows, tag: bytes) -> bool:
    """Whether any line ends in another tag than this."""
    buffer = rows.docs.buffer
    starts = np.sort(rows.docs.starts)
    wanted = as_fields([tag])
    for a in range(0, starts.size, PIECE):
        part = starts[a : a + PIECE]
        begin, end = int(part[0]), int(starts[min(a + PIECE, starts.size - 1)])
        stop = end if a + PIECE < starts.size else buffer.size
        newlines = np.flatnonzero(buffer[begin:stop] == NEWLINE) + begin
        ends = newlines[np.searchsorted(newlines, part)]
        while (blank := IS_SPACE[buffer[ends - 1]]).any():
            ends = ends - blank
        begins = np.maximum(ends - len(tag), 1)
        same = equal(Fields(buffer, begins, np.full(ends.size, len(tag))), wanted.take(np.zeros(ends.size, np.intp)))
        same &= IS_SPACE[buffer[begins - 1]]
        if not same.all():
            return True
    return False


# Tables


def read_columns(source: Source, stem: str, kind: str | None, hint: str | None) -> Content:
    content = source.rest()
    refuse_empty(content, source.name)
    columns = column_names(content.removeprefix(b"\xef\xbb\xbf"), source.format)
    found = kind or table_kind(columns, source.name, hint)
    rows, apart = read_table(content, source.name, source.format, VALUES[found])
    if kind is None and found == "run" and all_whole(rows.values):  # so are judgments of BEIR and of ranx
        found = hint or ask(source.name, "whole numbers in the column of scores, which may be judgments")
        if found == "qrels":
            rows, apart = read_table(content, source.name, source.format, VALUES[found])
    notes = [apart_note(source.name, apart)] if apart and found == "run" else []
    left = unused(columns, found)
    if left:
        many = "the column" if len(left) == 1 else "the columns"
        notes.append(f"{source.name}: {many} {', '.join(map(repr, left))} left out: formats of rankings have none such")
    return Content(rows, source.name, stem, False, tuple(notes))


def refuse_empty(content: bytes, name: str) -> None:
    if not content.strip():
        raise InputError(f"{name}: the file is empty, expected at least one line")


def column_names(content: bytes, format_: str) -> list[str]:
    """Empty where they cannot be read, which the reader will say."""
    if format_ == "parquet":
        import polars as pl

        try:
            return list(pl.read_parquet_schema(io.BytesIO(content)))
        except (pl.exceptions.PolarsError, OSError, ValueError, RuntimeError):
            return []
    lines = io.BytesIO(content)
    line = next((line for line in lines if line.strip() and not line.startswith(b"#")), b"").decode("utf-8", "replace")
    try:
        if format_ == "jsonl":
            return list(json.loads(line))
        return next(csv.reader([line], delimiter=SEPARATORS[format_]))
    except (ValueError, TypeError, RecursionError, StopIteration, csv.Error):
        return []


def table_kind(columns: list[str], name: str, hint: str | None) -> str:
    """By the column that holds the number: relevance or score."""
    there = {column.strip().lower() for column in columns}
    scores = there & set(COLUMN_NAMES["score"])
    grades = there & (set(COLUMN_NAMES["relevance"]) - set(COLUMN_NAMES["score"]))
    if scores and grades:
        return hint or ask(name, f"the columns {', '.join(map(repr, columns))} may be those of judgments or of a run")
    if columns and not scores and not grades:
        raise InputError(
            f"{name}: no column 'relevance' (judgments) or 'score' (a run) among {', '.join(map(repr, columns))}; "
            "rename one of them"
        )
    return "qrels" if grades else "run"


def ask(name: str, what: str) -> str:
    raise ParameterError(f"{name}: {what}; say which with --kind qrels or --kind run")


def unused(columns: list[str], kind: str) -> list[str]:
    """The columns that are not read."""
    there = {column.strip().lower(): column for column in reversed(columns)}
    fields = ["query_id", "doc_id", VALUES[kind], *(["subtopic"] if kind == "qrels" else [])]
    used = {next((there[called] for called in COLUMN_NAMES[field] if called in there), None) for field in fields}
    return [column for column in columns if column not in used]


# JSON


def read_dicts(source: Source, stem: str, kind: str | None, hint: str | None) -> Content:
    """Judgments where there are subtopics, a run where a number is no whole one."""
    content = source.rest()
    refuse_empty(content, source.name)
    data = load_dicts(content, source.name)
    del content  # not needed beside what it held
    if kind is None and by_subtopic(data):
        kind = "qrels"
    if kind is None:
        rows = dict_rows(data, source.name, "score")
        if not all_whole(rows.values):
            return Content(rows, source.name, stem)
        kind = hint or ask(source.name, "whole numbers only, which may be judgments or scores")
    return Content(dict_rows(data, source.name, VALUES[kind]), source.name, stem)


# LETOR


def letor_content(path: PathLike, labels: PathLike | None, kind: str | None, *, ranks: bool = False) -> Content:
    """A label file, or with the labels given a file of predictions."""
    del kind  # the labels tell
    if labels is None:
        if ranks:
            raise ParameterError("letor-ranks is a file of rank positions; name the label file with --labels")
        read = read_labels(path)
        return Content(read.rows(read.relevance)[0], read.name, notes=odd_note(read))
    if source_name(path) == source_name(labels) == "<stdin>":
        raise ParameterError("standard input (-) can stand for one file only")
    run = prediction_run(read_labels(labels), path, ranks=ranks)
    assert run._rows is not None
    return Content(run._rows, source_name(path), run.name, False, run.notes)


def odd_note(labels: Labels) -> tuple[str, ...]:
    note = labels.documents[2]
    return () if note is None else (note,)


# Tables of ranks


def entity_content(path: PathLike, labels: PathLike | None, kind: str | None) -> Content:
    """The entities as judgments, all relevant, or the ranks of the one system as a run: the score is minus the rank."""
    if labels is not None:
        raise ParameterError("labels belong to a file of predictions; name its format with --input letor")
    table = read_entity_ranks(path)
    if kind != "run":
        judged = {table.name: dict.fromkeys(table.entity_ids, 1)}
        lost = f"{source_name(path)}: the ranks of {', '.join(table.systems)} are not kept: judgments have none"
        rows = dict_rows(judged, source_name(path), "relevance")
        return Content(rows, source_name(path), notes=(*table.notes, lost))
    if len(table.systems) > 1:
        raise ParameterError(
            f"{source_name(path)}: a table of {len(table.systems)} systems ({', '.join(table.systems)}), and a run is "
            "of one; cut the table to the entities and one column"
        )
    scores = {table.name: dict(zip(table.entity_ids, (-table.ranks[0]).tolist(), strict=True))}
    rows = dict_rows(scores, source_name(path), "score")
    return Content(rows, source_name(path), table.systems[0], True, table.notes)


#: Formats that no content tells: name of `--input` -> what reads (file, label file, kind that was asked for).
OTHERS: dict[str, Callable[[PathLike, PathLike | None, str | None], Content]] = {
    "letor": letor_content,
    "letor-ranks": partial(letor_content, ranks=True),
    "entity-ranks": entity_content,
}
