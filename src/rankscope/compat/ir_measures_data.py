"""What ir_measures takes for judgments and runs, as Qrels and Run: dicts, data frames, named tuples."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, groupby
from operator import attrgetter
from typing import Any

from rankscope.data.frames import is_mapping_of_mappings
from rankscope.data.qrels import Qrels
from rankscope.data.run import Run
from rankscope.errors import InputError

__all__ = ["read_judgments", "read_lists"]

#: The subtopic where none is named.
ONLY_SUBTOPIC = "0"
JUDGMENT, SCORED = ("query_id", "doc_id", "relevance"), ("query_id", "doc_id", "score")


def read_judgments(data: Any, by_subtopic: bool) -> tuple[Qrels | None, set[str]]:
    """Judgments, and the queries that they name; None where there are none.

    by_subtopic: whether a measure asks for subtopics. Otherwise they are read only where the iteration differs from
    line to line: then a document may stand more than once, and its highest relevance counts.
    """
    if isinstance(data, Qrels):
        return data, set(data.query_ids)
    if isinstance(data, Mapping):
        if not is_mapping_of_mappings(data):
            raise InputError("qrels: a mapping whose values are no mappings; expected {query: {document: relevance}}")
        judged: dict[str, Any] = {query: docs for query, docs in data.items() if docs}
        two_deep = not any(isinstance(docs, Mapping) for group in judged.values() for docs in group.values())
        if by_subtopic and two_deep:
            judged = {query: {ONLY_SUBTOPIC: docs} for query, docs in judged.items()}
        return (Qrels(judged) if judged else None), set(data)
    table = columns(data, "qrels", JUDGMENT, "iteration")
    if table is None:
        return None, set()
    subtopics = table.pop("iteration", None)
    if subtopics is not None and (by_subtopic or len(set(subtopics)) > 1):
        table["subtopic"] = subtopics
    elif by_subtopic:
        table["subtopic"] = [ONLY_SUBTOPIC] * len(table["query_id"])
    qrels = Qrels(table)
    return qrels, set(qrels.query_ids)


def read_lists(data: Any) -> Run | None:
    """A run; None where it lists nothing. Named tuples are taken one query at a time, and none is kept."""
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
    found: dict[str, dict[str, float]] = {}
    first = next(rows, None)
    if first is None:
        return found
    refuse_lacking(SCORED, list(getattr(first, "_fields", ())), "run")
    query_id, doc_id, score = map(attrgetter, SCORED)
    try:
        for query, group in groupby(chain([first], rows), query_id):
            listed = list(group)
            docs = dict(zip(map(doc_id, listed), map(score, listed), strict=True))
            before = found.setdefault(query, docs)
            if len(docs) < len(listed) or (before is not docs and before.keys() & docs.keys()):
                names = Counter(chain(before if before is not docs else (), map(doc_id, listed)))
                twice = next(doc for doc, times in names.items() if times > 1)
                raise InputError(
                    f"run: document {twice!r} of query {query!r} stands twice; expected each document once a query; "
                    "remove one of the two"
                )
            before.update(docs)
    except (AttributeError, TypeError) as error:
        raise InputError(f"run: a row cannot be read ({error}); {expected(SCORED)}") from None
    return found


def is_rows(data: Any) -> bool:
    """Whether it can only be an iterable of named tuples."""
    return isinstance(data, Iterable) and not isinstance(data, (str, bytes)) and not hasattr(data, "columns")


def refuse_lacking(wanted: tuple[str, ...], there: list[str], kind: str) -> None:
    """Raise InputError unless all wanted fields are there."""
    lacking = [name for name in wanted if name not in there]
    if lacking:
        found = ", ".join(map(repr, there)) or "no fields"
        raise InputError(f"{kind}: no {lacking[0]!r} among {found}; {expected(wanted)}")


def columns(data: Any, kind: str, wanted: tuple[str, ...], optional: str | None = None) -> dict[str, Any] | None:
    """The columns of a data frame or of named tuples; None where there are no rows."""
    if hasattr(data, "columns"):
        there = [str(name) for name in data.columns]
        table = {name: data[name] for name in (*wanted, optional) if name in there}
    elif is_rows(data):
        rows = list(data)
        there = list(getattr(rows[0], "_fields", ())) if rows else list(wanted)
        table = {name: field_values(rows, name, kind) for name in (*wanted, optional) if name in there}
    else:
        raise InputError(f"{kind}: a {type(data).__name__}; {expected(wanted)}")
    refuse_lacking(wanted, there, kind)
    if not len(table[wanted[0]]):
        return None
    return {name: as_polars_values(column) for name, column in table.items()}


def expected(wanted: tuple[str, ...]) -> str:
    value = wanted[-1]
    return (
        f"expected {{query: {{document: {value}}}}}, a data frame with columns {', '.join(wanted)}, "
        "or named tuples with these fields"
    )


def field_values(rows: list[Any], name: str, kind: str) -> Any:
    """One field of all tuples; numbers as an array, so that whole and broken ones may stand together."""
    try:
        found = list(map(attrgetter(name), rows))
        return array("d", found) if name in ("relevance", "score") else found
    except (AttributeError, TypeError, OverflowError) as error:
        raise InputError(f"{kind}: the field {name!r} of a row cannot be read ({error}); correct that row") from None


def as_polars_values(column: Any) -> Any:
    """A column as polars takes it, whatever library it is from."""
    kind = getattr(getattr(column, "dtype", None), "kind", "")
    if kind and kind in "iuf":
        return column.to_numpy()
    return column.tolist() if hasattr(column, "tolist") else list(column)
