"""Lists of documents in JSON: each query with its ids and numbers, and the path of each in the file, for messages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any, NoReturn

import numpy as np

from rankscope.data.row_input import EXPECTED, make_rows, refuse_bad_ids, to_numbers
from rankscope.data.row_tables import LIST_QUERY_NAMES
from rankscope.data.rows import RowKind, Rows
from rankscope.data.tables import shorten_value
from rankscope.data.text import first_names, pluralise_queries
from rankscope.errors import InputError
from rankscope.io.core import VALUES
from rankscope.io.json_dicts import parse_json

__all__ = [
    "DocumentList",
    "empty_note",
    "number_of_text",
    "parse_entries",
    "query_of_record",
    "refuse_shape",
    "rows_of_lists",
]


@dataclass(frozen=True)
class DocumentList:
    """The documents of one query.

    Attributes
    ----------
    query
        Id of the query.
    docs
        Ids of the documents.
    values
        Their scores or relevances.
    where
        Place of the query in the file, as "x.json: responses[3]".
    locate
        Place of a document in the file, given its index, as "x.json: responses[3].hits.hits[7]".
    """

    query: Any
    docs: list[Any]
    values: list[Any]
    where: str
    locate: Callable[[int], str]


def rows_of_lists(lists: list[DocumentList], name: str, kind: RowKind) -> Rows:
    """The lists as rows, with queries without documents.

    Raises InputError where a query is named twice, an id is no text, a value no number, or all lists are empty.
    """
    first_place: dict[str, str] = {}
    for entry in lists:
        refuse_bad_ids([entry.query], entry.where, "query")
        if (first := first_place.setdefault(entry.query, entry.where)) is not entry.where:
            raise InputError(
                f"{entry.where}: query {entry.query!r} occurs twice, first at {first}; expected one list for each "
                "query; remove one of the two"
            )
    lengths = np.fromiter((len(entry.docs) for entry in lists), np.int64, len(lists))
    ends = np.cumsum(lengths)
    if not lengths.any():
        raise InputError(f"{name}: no documents in any of {len(lists)} lists, expected at least one")

    def locate(row: int) -> str:
        index = int(np.searchsorted(ends, row, side="right"))
        return lists[index].locate(row - int(ends[index] - lengths[index]))

    value_field = VALUES[kind]
    values = to_numbers(list(chain.from_iterable(entry.values for entry in lists)), value_field, False)
    if values is None:
        refuse_bad_values(lists, value_field)
    docs = list(chain.from_iterable(entry.docs for entry in lists))
    return make_rows([entry.query for entry in lists], lengths, docs, values, name, kind, locate=locate)


def refuse_bad_values(lists: Iterable[DocumentList], value_field: str) -> NoReturn:
    """Raise InputError for the first value that is no number."""
    for entry in lists:
        for place, value in enumerate(entry.values):
            if to_numbers([value], value_field, False) is None:
                raise InputError(
                    f"{entry.locate(place)}: {value_field} {shorten_value(value)}, expected {EXPECTED[value_field]}"
                )
    raise AssertionError("every value is a number")


def refuse_shape(where: str, value: Any, expected: str) -> NoReturn:
    """Raise InputError for a value that is not what is expected."""
    advice = "" if ";" in expected else "; correct it"
    raise InputError(f"{where}: {shorten_value(value)}, expected {expected}{advice}")


def number_of_text(value: Any) -> Any:
    """A number that is written as text, as "3.000"; other values as they are."""
    if not isinstance(value, str):
        return value
    try:
        return float(value)
    except ValueError:
        return value


def query_of_record(record: Mapping[str, Any]) -> str | None:
    """The id of the query in an object, by one of its usual names; None without one.

    A name whose value is an object, as a search engine's `query`, is passed over.
    """
    by_name = {key.strip().lower(): value for key, value in record.items()}
    for name in LIST_QUERY_NAMES:
        value = by_name.get(name)
        if isinstance(value, (str, int)) and not isinstance(value, bool):
            return str(value)
    return None


def parse_entries(content: bytes, name: str, expected: str) -> list[tuple[str, Any]]:
    """The objects of a file and where each stands: one a line, or one JSON value of all lines.

    Objects may repeat a name: that they were written by a program is taken for granted. Raises InputError.
    """
    head, _, rest = content.lstrip().partition(b"\n")
    if rest.strip() and head.rstrip().endswith(b"}"):
        entries = []
        for number, line in enumerate(content.split(b"\n"), 1):
            if line.strip():
                value = parse_json(line, name, shape=expected, first_line=number, unique=False)
                entries.append((f"{name}:{number}", value))
        return entries
    return [(name, parse_json(content, name, shape=expected, unique=False))]


def empty_note(lists: Iterable[DocumentList], name: str) -> tuple[str, ...]:
    """A note on queries that retrieved nothing."""
    empty = [entry.query for entry in lists if not entry.docs]
    if not empty:
        return ()
    return (f"{name}: {pluralise_queries(len(empty))} retrieved nothing, which counts as 0 ({first_names(empty)})",)
