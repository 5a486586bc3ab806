"""Samples of Inspect (inspect_ai): the table of `samples_df`, and the samples in a log that is JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rankscope.data.tables import Table
from rankscope.data.text import json_value
from rankscope.errors import InputError

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "is_inspect_log",
    "is_sample_frame",
    "log_values",
    "sample_table",
]


#: System, measure and query of a value, the value, and where it stands.
Value = tuple[str, str, str, float, str]
#: What columns of scores begin with, and columns of what a dataset says of a sample.
SCORE, METADATA = "score_", "metadata_"
#: Columns that every table of samples has, with scores or without.
IDS = frozenset({"sample_id", "eval_id"})
#: Columns that may say which system answered, the best first.
SYSTEMS = ("model", "eval_id", "log")
#: Grades in words, as Inspect counts them.
GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}


def is_sample_frame(columns: Sequence[str]) -> bool:
    """Whether a table has the columns of `samples_df`."""
    names = set(columns)
    return {"id", "epoch"} <= names and (names >= IDS or any(name.startswith(SCORE) for name in names))


def sample_table(table: Table) -> tuple[Table, list[str], list[str]]:
    """A table of samples with columns system and query, the names of its measures, and notes.

    A query is called by its id, after the name of the task where there is one. Grades in words become numbers. The
    column that the user names as the system or query is taken instead. Raises InputError for a table without
    scores, whose other numbers are tokens and times.
    """
    import polars as pl

    if not any(name.startswith(SCORE) for name in table.frame.columns):
        raise InputError(
            f"{table.name}: samples without scores, expected a column {SCORE}SCORER; see the column 'error', or score "
            "the log first"
        )
    frame, notes = table.frame, []
    own_system = table.columns.get("system") or next((name for name in SYSTEMS if name in frame.columns), None)
    own_query = table.columns.get("query", "id")
    query = frame[own_query].cast(pl.String)
    if own_query == "id" and "task_name" in frame.columns:
        query = frame["task_name"].cast(pl.String) + "/" + query
    columns = {"query": query}
    if own_system is not None:
        columns["system"] = frame[own_system].cast(pl.String)
    if own_system in SYSTEMS[1:]:
        notes.append(
            f"{table.name}: no column 'model', so that systems are called by their {own_system}; read the model too: "
            "samples_df(..., columns=EvalModel + SampleSummary)"
        )
    measures, left_out = [], []
    for name in frame.columns:
        if name.startswith(METADATA):
            columns[name] = frame[name]
        elif name.startswith(SCORE):
            grades = as_grades(table, name)
            if grades is None:
                left_out.append(name)
                continue
            measure = name.removeprefix(SCORE)
            measure = name if measure in ("", "system", "query") else measure
            columns[measure] = grades
            measures.append(measure)
    if left_out:
        notes.append(f"{table.name}: no grades or numbers in {', '.join(map(repr, left_out))}: left out")
    bound: dict[str, str] = {name: name for name in columns if name in ("system", "query")}
    return replace(table, frame=pl.DataFrame(columns), columns=bound), measures, notes


def as_grades(table: Table, name: str) -> pl.Series | None:
    """The numbers of a column of scores; None where most cells hold neither a grade nor a number."""
    import polars as pl

    series, kind = table.frame[name], table.type_of(name)
    if kind != "text":
        return series if kind == "number" and series.null_count() < series.len() else None
    words = {text: str(grade) for word, grade in GRADES.items() for text in {word, word.capitalize(), word.upper()}}
    series = series.cast(pl.String)
    texts = series.str.strip_chars().replace(words)
    n_texts = int((series.is_not_null() & (series != "")).sum())
    n_grades = int(texts.cast(pl.Float64, strict=False).is_not_null().sum())
    return texts if n_grades >= max(n_texts - n_grades, 1) else None


def is_inspect_log(head: bytes) -> bool:
    """Whether this begins as a log of Inspect: one object with its version or status, and the evaluation."""
    start = head.lstrip()
    return start.startswith(b"{") and b'"eval"' in start and (b'"status"' in start or b'"version"' in start)


def log_values(content: bytes, name: str) -> tuple[list[Value], list[str]] | None:
    """The values of a log, and notes; None for another file.

    The system is the model, a query is task/id, a measure is the scorer, or scorer_key where it gives several values.
    Raises InputError for a log without samples.
    """
    log = json_value(content)
    evaluation = log.get("eval") if isinstance(log, dict) else None
    if not isinstance(evaluation, dict) or "model" not in evaluation:
        return None
    samples = log.get("samples")
    if not isinstance(samples, list) or not samples:
        raise InputError(f"{name}: a log without samples, expected one with them; read it where they are logged")
    system, task = str(evaluation["model"]), str(evaluation.get("task", "task"))
    cells: list[Value] = []
    unscored = []
    for number, sample in enumerate(samples):
        if not isinstance(sample, dict) or "id" not in sample:
            raise InputError(f"{name}: sample {number} has no id, expected an object with id and scores; correct it")
        where, query = f"{name}: sample {sample['id']!r}, epoch {sample.get('epoch', 1)}", f"{task}/{sample['id']}"
        graded = list(sample_grades(sample.get("scores"), where))
        cells += [(system, measure, query, value, where) for measure, value in graded]
        if not graded:
            unscored.append(query)
    if not cells:
        raise InputError(f"{name}: samples without scores, expected a value of a scorer for each; score the log first")
    # Their queries are there, without a value.
    cells += [(system, cells[0][1], query, math.nan, name) for query in unscored]
    return cells, [f"{name}: {len(unscored)} of {len(samples)} samples have no score"] if unscored else []


def sample_grades(scores: object, where: str) -> Iterator[tuple[str, float]]:
    """The values of a sample by measure. What is neither a grade nor a number is skipped, NaN is no value."""
    if not isinstance(scores, Mapping):
        return
    for scorer, score in scores.items():
        value = score.get("value") if isinstance(score, Mapping) else score
        parts = (
            {f"{scorer}_{key}": part for key, part in value.items()} if isinstance(value, Mapping) else {scorer: value}
        )
        for measure, part in parts.items():
            grade = as_grade(part)
            if grade is None:
                continue
            if math.isinf(grade):
                raise InputError(f"{where}: {measure} is {part!r}, expected a finite number; correct it")
            yield str(measure), grade


def as_grade(value: Any) -> float | None:
    """The number of a value, NaN for one that was not scored; None for what is no grade."""
    if isinstance(value, (bool, int, float)):
        return float(value)
    if not isinstance(value, str):
        return None
    text = value.strip()
    if text in GRADES or text.lower() in GRADES:
        return GRADES.get(text, GRADES.get(text.lower()))
    try:
        return float(text)
    except ValueError:
        return None
