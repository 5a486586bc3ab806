"""The format elasticsearch: what `_search` and `_msearch` of Elasticsearch and OpenSearch answer, as a run.

A response does not say which query it answers. The query is named beside it (`{"query_id": "q1", "response": {...}}`,
an object a line or in a list), as the name of an object's entry (`{"q1": {...}}`), or in a file of queries in the order
of the responses (`--input elasticsearch:queries.tsv`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np

from rankscope.data.row_input import to_numbers
from rankscope.data.rows import first_duplicate
from rankscope.data.tables import shorten_value
from rankscope.data.text import json_value, pluralise
from rankscope.errors import InputError
from rankscope.io.core import FileContent, FileHead, Format, ReadRequest, open_binary, source_name
from rankscope.io.other_tools.json_entries import (
    DocumentList,
    empty_note,
    parse_entries,
    query_of_record,
    refuse_shape,
    rows_of_lists,
)

if TYPE_CHECKING:
    from rankscope.io.core import Source

__all__ = [
    "ELASTICSEARCH",
]


EXPECTED = "responses of _search or _msearch"
#: Hits within the hits of a response, the responses of `_msearch`, and an error in their place.
HITS = re.compile(rb'"hits"\s*:\s*\{[^\[\]]{0,400}"hits"\s*:\s*\[')
RESPONSES = re.compile(rb'^\{[^\[{]{0,400}"responses"\s*:\s*\[\s*\{')
ERROR = re.compile(rb'"error"\s*:\s*[{"].*"status"\s*:\s*\d{3}', re.DOTALL)
#: What stands beside the hits in every response.
SIGNS = (b'"timed_out"', b'"_shards"')
#: The names of a list of responses that answer several queries.
SEVERAL = "responses"
#: How to name queries, for messages.
NAMING = (
    'name it beside the response, as {"query_id": "q1", "response": {...}}, or name a file of all queries in this '
    "order, one a line: --input elasticsearch:FILE (in Python input='elasticsearch:FILE')"
)


class Response(NamedTuple):
    """A response to one query.

    Attributes
    ----------
    where
        Its place in the file.
    query
        Id of the query, None where nothing names it.
    content
        The response itself.
    """

    where: str
    query: str | None
    content: Mapping[str, Any]


def looks_like_responses(head: FileHead) -> bool:
    """Whether these are responses of a search engine."""
    if not head.text.startswith((b"{", b"[")):
        return False
    if all(sign in head.text for sign in SIGNS):
        return True
    return bool(RESPONSES.match(head.text) or HITS.search(head.text) or ERROR.search(head.text))


def read_responses(source: Source, request: ReadRequest) -> FileContent:
    """The hits of all responses, as a run. Raises InputError with the place in the file."""
    del request
    name = source.name
    responses = list(responses_in(parse_entries(source.read_bytes(), name, EXPECTED)))
    if not responses:
        raise InputError(f"{name}: no response, expected {EXPECTED}")
    responses = name_queries(responses, source)
    hit_lists = [hits_of(response) for response in responses]
    scores, score_notes = scores_of(responses, hit_lists, name)
    lists = []
    for response, hits, values in zip(responses, hit_lists, scores, strict=True):
        locate = partial(place_of_hit, response.where)
        try:
            docs = list(map(itemgetter("_id"), hits))
        except (KeyError, TypeError):
            refuse_hits(response.where, hits)
        lists.append(DocumentList(response.query, docs, values, response.where, locate))
    return FileContent(rows_of_lists(lists, name, "run"), notes=(*score_notes, *empty_note(lists, name)))


def place_of_hit(where: str, place: int) -> str:
    return at(where, f"hits.hits[{place}]")


def at(where: str, key: str) -> str:
    """The place of a value within another. where: the file, and perhaps a path in it."""
    return f"{where}.{key}" if ": " in where else f"{where}: {key}"


# Responses and their queries


def responses_in(entries: list[tuple[str, Any]]) -> Iterator[Response]:
    """The responses of all entries, in their order."""
    for where, entry in entries:
        if isinstance(entry, list):
            for place, item in enumerate(entry):
                yield from responses_of(item, at(where, f"[{place}]"))
        else:
            yield from responses_of(entry, where)


def responses_of(entry: Any, where: str) -> Iterator[Response]:
    """The responses in an object: it is one, holds one beside the query, holds several, or one for each query."""
    if not isinstance(entry, dict):
        refuse_shape(where, entry, EXPECTED)
    if isinstance(entry.get(SEVERAL), list):
        for place, item in enumerate(entry[SEVERAL]):
            yield from responses_of(item, at(where, f"{SEVERAL}[{place}]"))
        return
    if is_response(entry):
        yield Response(where, query_of_record(entry), entry)
        return
    inner = [key for key, value in entry.items() if isinstance(value, dict) and is_response(value)]
    if len(inner) == 1 and len(entry) > 1:
        yield Response(at(where, inner[0]), query_of_record(entry), entry[inner[0]])
        return
    if not inner or len(inner) < len(entry):
        odd = next((key for key in entry if key not in inner), None)
        problem = "an empty object" if odd is None else f"{shorten_value(odd)} holds {shorten_value(entry[odd])}"
        raise InputError(f"{where}: {problem}, expected hits.hits, as in {EXPECTED}; correct it")
    for query in inner:
        yield Response(at(where, query), query, entry[query])


def is_response(entry: Mapping[str, Any]) -> bool:
    """Whether an object is a response, or the error in place of one."""
    return isinstance(entry.get("hits"), dict) or "error" in entry


def name_queries(responses: list[Response], source: Source) -> list[Response]:
    """The responses with the queries that they answer.

    Raises InputError where nothing names a query, and for a file of queries that does not fit.
    """
    unnamed = [response for response in responses if response.query is None]
    if source.detail:
        if len(unnamed) < len(responses):
            place = next(response.where for response in responses if response.query is not None)
            raise InputError(f"{place}: the query is named here, so that no file of queries is needed; leave it out")
        queries = read_queries(source.detail)
        if len(queries) != len(responses):
            raise InputError(
                f"{source.name}: {pluralise(len(responses), 'response')}, and {source.detail} names "
                f"{len(queries)} queries; expected one for each response, in their order"
            )
        pairs = zip(responses, queries, strict=True)
        return [response._replace(query=query) for response, query in pairs]
    if not unnamed:
        return responses
    raise InputError(f"{unnamed[0].where}: nothing says which query this response answers; {NAMING}")


def read_queries(path: str) -> list[str]:
    """The ids of queries in a file: one a line, before a tab or alone, or an object a line with `_id` or `query_id`.

    A first line that names columns (`query_id`, tab, `text`) is skipped. Raises InputError.
    """
    name = source_name(path)
    with open_binary(path) as stream:
        lines = stream.read().decode("utf-8-sig", "surrogateescape").splitlines()
    queries = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        query = id_of_line(line)
        if query is None:
            raise InputError(f"{name}:{number}: no id of a query, expected one a line, before a tab or alone")
        queries.append(query)
    if queries and queries[0].lower() in ("query_id", "qid", "query-id", "_id") and "\t" in lines[0]:
        queries = queries[1:]
    repeated = first_duplicate(queries)
    if repeated is not None:
        raise InputError(
            f"{name}: query {queries[repeated]!r} is named twice, expected each once; remove one of the two"
        )
    return queries


def id_of_line(line: str) -> str | None:
    """The id of a query in a line of a file of queries."""
    if not line.lstrip().startswith("{"):
        return line.partition("\t")[0].strip() or None
    record = json_value(line)
    if not isinstance(record, dict):
        return None
    own = record.get("_id")
    return own if isinstance(own, str) and own else query_of_record(record)


# Hits


def hits_of(response: Response) -> list[Any]:
    """The hits of a response. Raises InputError for an error in their place, and where some are known to be missing."""
    where, content = response.where, response.content
    if "error" in content:
        raise InputError(
            f"{where}: an error in the place of hits ({error_reason(content['error'])}); send this query again, or "
            "remove it if it is to count as retrieving nothing"
        )
    if content.get("timed_out"):
        raise InputError(f"{where}: timed_out is true, so that hits may be missing; send this query again")
    shards = content.get("_shards")
    if isinstance(shards, dict) and shards.get("failed"):
        raise InputError(
            f"{where}: {shards['failed']} of {shards.get('total', 'its')} shards failed, so that hits are missing; "
            "send this query again"
        )
    hits = content["hits"].get("hits")
    total = content["hits"].get("total")
    n_matches = total.get("value") if isinstance(total, dict) else total
    if hits is None and n_matches == 0:
        return []
    if not isinstance(hits, list):
        refuse_shape(at(where, "hits.hits"), hits, "a list of hits")
    if not hits and isinstance(n_matches, int) and n_matches > 0:
        raise InputError(
            f"{where}: {n_matches} documents match, but hits.hits is empty; ask for hits (size above 0, from 0)"
        )
    return hits


def error_reason(error: Any) -> str:
    """The reason of an error in a response, shortened."""
    if isinstance(error, dict):
        error = error.get("reason") or error.get("type") or error
    text = error if isinstance(error, str) else repr(error)
    return text if len(text) <= 120 else text[:117] + "..."


def refuse_hits(where: str, hits: list[Any]) -> NoReturn:
    """Raise InputError for the first hit without an id."""
    for place, hit in enumerate(hits):
        if not isinstance(hit, dict) or "_id" not in hit:
            refuse_shape(place_of_hit(where, place), hit, "an object with _id; keep _id in the response (filter_path)")
    raise AssertionError("every hit has an id")


def scores_of(
    responses: list[Response], hit_lists: list[list[Any]], name: str
) -> tuple[list[list[Any]], tuple[str, ...]]:
    """The scores of all hits; minus the rank where hits have no scores, or are not ordered by them, with a note."""
    try:
        scores = [[hit.get("_score") for hit in hits] for hits in hit_lists]
    except AttributeError:
        place = next(i for i, hits in enumerate(hit_lists) if not all(isinstance(hit, dict) for hit in hits))
        refuse_hits(responses[place].where, hit_lists[place])
    n_missing = sum(values.count(None) for values in scores)
    reason = ""
    if n_missing and n_missing == sum(map(len, scores)):
        reason = "the hits have no scores"
    elif n_missing:
        index = next(i for i, values in enumerate(scores) if None in values)
        first = place_of_hit(responses[index].where, scores[index].index(None))
        raise InputError(f"{first}: no _score, which other hits have; expected scores of all hits or of none")
    elif any(map(is_rising, scores)):
        reason = "the hits are not ordered by their scores (as with sort or a rescorer)"
    if not reason:
        return scores, ()
    ranks = [[-float(rank) for rank in range(1, len(values) + 1)] for values in scores]
    return ranks, (f"{name}: {reason}; their order counts, and the score is minus the rank",)


def is_rising(values: list[Any]) -> bool:
    """Whether a score is above the one before it. False for values that are no numbers, which are refused later."""
    numbers = to_numbers(values, "score", False)
    return numbers is not None and bool((np.diff(numbers) > 0).any())


ELASTICSEARCH = Format(
    read=read_responses, sniff=looks_like_responses, detail="a file of queries in the order of the responses"
)
