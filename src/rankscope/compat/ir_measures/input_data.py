"""Judgments and runs as ir_measures takes them: dicts, data frames, named tuples."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, groupby
from operator import attrgetter
from typing import Any

from rankscope.data.grades import refuse_fractions
from rankscope.data.qrels import Qrels
from rankscope.data.row_input import is_mapping_of_mappings
from rankscope.data.run import Run
from rankscope.errors import InputError

__all__ = [
    "read_judgments",
    "read_lists",
]


#: The subtopic where none is named.
ONLY_SUBTOPIC = "0"
JUDGMENT, SCORED = ("query_id", "doc_id", "relevance"), ("query_id", "doc_id", "score")


def read_judgments(data: Any, by_subtopic: bool) -> tuple[Qrels | None, set[str]]:
    """Judgments (None where there are none), and their queries.

    by_subtopic: whether a measure needs subtopics. Otherwise they are read only where the iteration differs between
    lines: then a document may occur more than once, and its highest relevance counts.
    """
    if isinstance(data, Qrels):
        return whole_qrels(data), set(data.query_ids)
    if isinstance(data, Mapping):
        if not is_mapping_of_mappings(data):
            raise InputError("qrels: a mapping whose values are not mappings; expected {query: {document: relevance}}")
        judgments: dict[str, Any] = {query: docs for query, docs in data.items() if docs}
        without_subtopics = not any(
            isinstance(docs, Mapping) for group in judgments.values() for docs in group.values()
        )
        if by_subtopic and without_subtopics:
            judgments = {query: {ONLY_SUBTOPIC: docs} for query, docs in judgments.items()}
        return (whole_qrels(Qrels(judgments)) if judgments else None), set(data)
    table = columns(data, "qrels", JUDGMENT, "iteration")
    if table is None:
        return None, set()
    subtopics = table.pop("iteration", None)
    if subtopics is not None and (by_subtopic or len(set(subtopics)) > 1):
        table["subtopic"] = subtopics
    elif by_subtopic:
        table["subtopic"] = [ONLY_SUBTOPIC] * len(table["query_id"])
    qrels = whole_qrels(Qrels(table))
    return qrels, set(qrels.query_ids)


def whole_qrels(qrels: Qrels) -> Qrels:
    """The judgments. Raises InputError for a grade that is a fraction, which ir_measures' providers do not take."""
    refuse_fractions(qrels.relevance, "qrels", "ir_measures", "use rankscope.evaluate, which takes fractions")
    return qrels


def read_lists(data: Any) -> Run | None:
    """A run; None where it is empty. Named tuples are read one query at a time."""
    if isinstance(data, Run):
        return data
    if isinstance(data, Mapping):
        return Run(data)
    if is_rows(data):
        lists = group_by_query(iter(data))
        return Run(lists) if lists else None
    table = columns(data, "run", SCORED)
    return None if table is None else Run(table)


def group_by_query(rows: Iterator[Any]) -> dict[str, dict[str, float]]:
    """Named tuples as `{query: {document: score}}`. Raises InputError for a document that a query holds twice."""
    lists: dict[str, dict[str, float]] = {}
    first_row = next(rows, None)
    if first_row is None:
        return lists
    refuse_missing_fields(SCORED, list(getattr(first_row, "_fields", ())), "run")
    query_id, doc_id, score = map(attrgetter, SCORED)
    try:
        for query, group in groupby(chain([first_row], rows), query_id):
            group_rows = list(group)
            docs = dict(zip(map(doc_id, group_rows), map(score, group_rows), strict=True))
            docs_before = lists.setdefault(query, docs)
            if len(docs) < len(group_rows) or (docs_before is not docs and docs_before.keys() & docs.keys()):
                doc_counts = Counter(chain(docs_before if docs_before is not docs else (), map(doc_id, group_rows)))
                repeated = next(doc for doc, n in doc_counts.items() if n > 1)
                raise InputError(
                    f"run: document {repeated!r} of query {query!r} stands twice; expected each document once a query; "
                    "remove one of the two"
                )
            docs_before.update(docs)
    except (AttributeError, TypeError) as error:
        raise InputError(f"run: a row cannot be read ({error}); {expected_form(SCORED)}") from None
    return lists


def is_rows(data: Any) -> bool:
    """Whether the data are an iterable of named tuples."""
    return isinstance(data, Iterable) and not isinstance(data, (str, bytes)) and not hasattr(data, "columns")


def refuse_missing_fields(required: tuple[str, ...], present: list[str], kind: str) -> None:
    """Raise InputError unless all required fields are present."""
    missing = [name for name in required if name not in present]
    if missing:
        present_text = ", ".join(map(repr, present)) or "no fields"
        raise InputError(f"{kind}: no {missing[0]!r} among {present_text}; {expected_form(required)}")


def columns(data: Any, kind: str, required: tuple[str, ...], optional: str | None = None) -> dict[str, Any] | None:
    """The columns of a data frame or of named tuples; None where there are no rows."""
    if hasattr(data, "columns"):
        present = [str(name) for name in data.columns]
        table = {name: data[name] for name in (*required, optional) if name in present}
    elif is_rows(data):
        rows = list(data)
        present = list(getattr(rows[0], "_fields", ())) if rows else list(required)
        table = {name: field_values(rows, name, kind) for name in (*required, optional) if name in present}
    else:
        raise InputError(f"{kind}: a {type(data).__name__}; {expected_form(required)}")
    refuse_missing_fields(required, present, kind)
    if not len(table[required[0]]):
        return None
    return {name: as_polars_values(column) for name, column in table.items()}


def expected_form(required: tuple[str, ...]) -> str:
    """The end of a message: which forms of data are expected. required: the columns, the value last."""
    value = required[-1]
    return (
        f"expected {{query: {{document: {value}}}}}, a data frame with columns {', '.join(required)}, "
        "or named tuples with these fields"
    )


def field_values(rows: list[Any], name: str, kind: str) -> Any:
    """One field of all tuples; numbers as an array, so that integers and floats may be mixed."""
    try:
        values = list(map(attrgetter(name), rows))
        return array("d", values) if name in ("relevance", "score") else values
    except (AttributeError, TypeError, OverflowError) as error:
        raise InputError(f"{kind}: the field {name!r} of a row cannot be read ({error}); correct that row") from None


def as_polars_values(column: Any) -> Any:
    """A column of any library in a form that polars accepts."""
    kind = getattr(getattr(column, "dtype", None), "kind", "")
    if kind and kind in "iuf":
        return column.to_numpy()
    return column.tolist() if hasattr(column, "tolist") else list(column)
