"""The formats search-relevance and rre: judgments in JSON of OpenSearch's Search Relevance Workbench, and of RRE.

The first is the body that is sent to `_plugins/_search_relevance/judgments`, or the answer that is fetched from there.
The second is a file of ratings of the Rated Ranking Evaluator, also as Quepid exports it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rankscope.data.text import pluralise
from rankscope.errors import InputError
from rankscope.io.core import FileContent, FileHead, Format, ReadRequest
from rankscope.io.json_dicts import parse_json
from rankscope.io.other_tools.json_entries import DocumentList, number_of_text, refuse_shape, rows_of_lists

if TYPE_CHECKING:
    from rankscope.io.core import Source

__all__ = [
    "RRE",
    "SEARCH_RELEVANCE",
]


RATINGS = "judgmentRatings"
LIST_SHAPE = f'{{"{RATINGS}": [{{"query": ..., "ratings": [{{"docId": ..., "rating": ...}}]}}]}}'
RRE_SHAPE = '{"query_groups": [{"queries": [...], "relevant_documents": {document: {"gain": number}}}]}'
#: What only RRE's ratings hold.
GROUPS = re.compile(rb'"query_groups"\s*:\s*\[|"queries"\s*:\s*\[\s*\{[^\[\]]{0,400}"placeholders"\s*:\s*\{')


# OpenSearch


def read_judgment_list(source: Source, request: ReadRequest) -> FileContent:
    """The judgments of one judgment list. Raises InputError."""
    del request
    name = source.name
    place, judgment_list = judgment_list_of(parse_json(source.read_bytes(), name, shape=LIST_SHAPE), name)
    status = judgment_list.get("status")
    if status not in (None, "COMPLETED"):
        raise InputError(f"{name}: the status of the judgment list is {status}, expected COMPLETED; fetch it again")
    entries = judgment_list[RATINGS]
    if not isinstance(entries, list):
        refuse_shape(f"{name}: {place}{RATINGS}", entries, "a list of queries with ratings")
    lists = [
        rated_list(entry, f"{name}: {place}{RATINGS}[{number}]", "query", "docId")
        for number, entry in enumerate(entries)
    ]
    return FileContent(rows_of_lists(lists, name, "qrels"))


def judgment_list_of(data: Any, name: str) -> tuple[str, dict[str, Any]]:
    """The judgment list in what was sent or fetched, and the beginning of its path."""
    if isinstance(data, dict) and RATINGS in data:
        return "", data
    hits = data.get("hits", {}) if isinstance(data, dict) else {}
    hits = hits.get("hits") if isinstance(hits, dict) else None
    if not isinstance(hits, list) or not hits:
        raise InputError(f"{name}: no judgment list, expected {LIST_SHAPE}; export it again")
    if len(hits) > 1:
        raise InputError(f"{name}: {len(hits)} judgment lists, expected one; fetch one of them by its id")
    source = hits[0].get("_source") if isinstance(hits[0], dict) else None
    if not isinstance(source, dict) or RATINGS not in source:
        refuse_shape(f"{name}: hits.hits[0]._source", source, f"an object with {RATINGS}")
    return "hits.hits[0]._source.", source


def rated_list(entry: Any, where: str, query_key: str, doc_key: str) -> DocumentList:
    """A query with a list of ratings. query_key, doc_key: what its ids are called."""
    if not isinstance(entry, dict) or not isinstance(entry.get("ratings"), list) or query_key not in entry:
        refuse_shape(where, entry, f"an object with {query_key} and ratings")
    ratings = entry["ratings"]
    for number, rating in enumerate(ratings):
        if not isinstance(rating, dict) or doc_key not in rating or "rating" not in rating:
            refuse_shape(f"{where}.ratings[{number}]", rating, f"an object with {doc_key} and rating")
    return DocumentList(
        entry[query_key],
        [rating[doc_key] for rating in ratings],
        [number_of_text(rating["rating"]) for rating in ratings],
        where,
        lambda place: f"{where}.ratings[{place}]",
    )


# RRE


def read_rre(source: Source, request: ReadRequest) -> FileContent:
    """The judgments in a file of ratings of RRE; each query of a group has those of the group.

    The id of a query is what stands for `$query` in its template, or for the only placeholder. Raises InputError.
    """
    del request
    name = source.name
    data = parse_json(source.read_bytes(), name, shape=RRE_SHAPE)
    if not isinstance(data, dict):
        refuse_shape(name, data, RRE_SHAPE)
    judged: dict[str, tuple[Any, DocumentList]] = {}
    n_same = 0
    for where, query, documents, documents_where in rre_queries(data, f"{name}: "):
        if query in judged:
            if judged[query][0] == documents:
                n_same += 1
                continue
            raise InputError(
                f"{where}: query {query!r} has other judgments than at {judged[query][1].where}; give one of the two "
                "another text, or remove it"
            )
        judged[query] = (documents, graded_list(query, documents, where, documents_where))
    if not judged:
        raise InputError(f"{name}: no queries, expected {RRE_SHAPE}")
    notes = (
        (f"{name}: {pluralise(n_same, 'query', 'queries')} with the text and the judgments of another counted once",)
        if n_same
        else ()
    )
    return FileContent(rows_of_lists([entry for _, entry in judged.values()], name, "qrels"), notes=notes)


def rre_queries(node: dict[str, Any], where: str) -> Iterator[tuple[str, str, Any, str]]:
    """All queries: their place, id, judgments and the place of these."""
    for key in ("topics", "query_groups"):
        children = node.get(key, [])
        if not isinstance(children, list):
            refuse_shape(f"{where}{key}", children, "a list")
        for number, child in enumerate(children):
            place = f"{where}{key}[{number}]"
            if not isinstance(child, dict):
                refuse_shape(place, child, "an object")
            yield from rre_queries(child, f"{place}.")
    queries = node.get("queries", [])
    if not isinstance(queries, list):
        refuse_shape(f"{where}queries", queries, "a list")
    for number, query in enumerate(queries):
        place = f"{where}queries[{number}]"
        if not isinstance(query, dict):
            refuse_shape(place, query, "an object with placeholders")
        owner, owner_place = (query, f"{place}.") if "relevant_documents" in query else (node, where)
        if "relevant_documents" not in owner:
            raise InputError(f"{place}: no relevant_documents here or in its group, expected {RRE_SHAPE}; add them")
        yield place, rre_query_id(query, place), owner["relevant_documents"], f"{owner_place}relevant_documents"


def rre_query_id(query: dict[str, Any], where: str) -> str:
    """What stands for `$query`, or for the only placeholder."""
    placeholders = query.get("placeholders", {key: value for key, value in query.items() if key.startswith("$")})
    texts = placeholders if isinstance(placeholders, dict) else {}
    text = texts.get("$query")
    if text is None and len(texts) == 1:
        (text,) = texts.values()
    if not isinstance(text, str) or not text:
        refuse_shape(f"{where}.placeholders", placeholders, "a text for $query, which is the id of the query")
    return text


def graded_list(query: str, documents: Any, where: str, documents_where: str) -> DocumentList:
    """Judgments as {document: {"gain": number}}, or as {gain: [document, ...]}."""
    if not isinstance(documents, dict):
        refuse_shape(documents_where, documents, 'an object {document: {"gain": number}} or {gain: [documents]}')
    docs, values, paths = [], [], []
    for key, value in documents.items():
        if isinstance(value, list):
            docs += value
            values += [number_of_text(key)] * len(value)
            paths += [f"{key}[{place}]" for place in range(len(value))]
        elif isinstance(value, dict) and "gain" in value:
            docs.append(key)
            values.append(number_of_text(value["gain"]))
            paths.append(key)
        else:
            refuse_shape(f"{documents_where}.{key}", value, 'a list of documents, or {"gain": number}')
    return DocumentList(query, docs, values, where, lambda place: f"{where} (relevant_documents.{paths[place]})")


SEARCH_RELEVANCE = Format(
    read=read_judgment_list,
    sniff=lambda head: head.text.startswith(b"{") and f'"{RATINGS}"'.encode() in head.text,
)


def looks_like_rre(head: FileHead) -> bool:
    """Whether this is a file of ratings of RRE."""
    return head.text.startswith(b"{") and GROUPS.search(head.text) is not None


RRE = Format(read=read_rre, sniff=looks_like_rre)
