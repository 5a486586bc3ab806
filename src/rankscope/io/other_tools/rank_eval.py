"""The format rank-eval: requests of `_rank_eval` as judgments, and its responses as a run or judgments."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from rankscope.errors import InputError
from rankscope.io.core import FileContent, FileHead, Format, ReadRequest
from rankscope.io.json_dicts import parse_json
from rankscope.io.other_tools.json_entries import DocumentList, empty_note, refuse_shape, rows_of_lists
from rankscope.io.other_tools.rating_lists import rated_list

if TYPE_CHECKING:
    from rankscope.io.core import Source

__all__ = [
    "RANK_EVAL",
    "details_of",
]


#: How a request and a response begin.
REQUEST = re.compile(rb'"requests"\s*:\s*\[\s*\{')
RESPONSE = re.compile(rb'"details"\s*:\s*\{')
SHAPE = "a request of _rank_eval with requests and ratings, or its response with details"


def looks_like_rank_eval(head: FileHead) -> bool:
    """Whether this is a request or a response of `_rank_eval`."""
    if not head.text.startswith(b"{"):
        return False
    is_request = REQUEST.search(head.text) is not None and b'"ratings"' in head.text
    return is_request or (RESPONSE.search(head.text) is not None and b'"metric_score"' in head.text)


def read_rank_eval(source: Source, request: ReadRequest) -> FileContent:
    """Judgments of a request; of a response the hits as a run, or their ratings. Raises InputError."""
    name = source.name
    data = parse_json(source.read_bytes(), name, shape=SHAPE)
    if isinstance(data, dict) and "requests" in data:
        if not isinstance(data["requests"], list):
            refuse_shape(f"{name}: requests", data["requests"], "a list")
        lists = [rated_list(entry, f"{name}: requests[{i}]", "id", "_id") for i, entry in enumerate(data["requests"])]
        return FileContent(rows_of_lists(lists, name, "qrels"))
    details, path = details_of(data, name)
    kind = request.resolved_kind(name, "hits with ratings, which may be a run or judgments")
    lists = [detail_list(query, detail, f"{name}: {path}{query}", kind) for query, detail in details.items()]
    if kind == "run":
        return FileContent(rows_of_lists(lists, name, "run"), notes=empty_note(lists, name))
    note = (
        f"{name}: judgments only of documents that this search retrieved, as a response of _rank_eval holds them; "
        "its request holds all"
    )
    return FileContent(rows_of_lists(lists, name, "qrels"), notes=(note,))


def details_of(data: Any, name: str) -> tuple[dict[str, Any], str]:
    """The details of a response by query, and their path. Raises InputError where a query failed."""
    path = ""
    if isinstance(data, dict) and isinstance(data.get("rank_eval"), dict):
        data, path = data["rank_eval"], "rank_eval."
    if not isinstance(data, dict) or not isinstance(data.get("details"), dict):
        refuse_shape(name, data, SHAPE)
    for query in data.get("failures") or ():
        raise InputError(f"{name}: {path}failures.{query}: this query failed; correct it and send the request again")
    return data["details"], f"{path}details."


def detail_list(query: str, detail: Any, where: str, kind: str) -> DocumentList:
    """The hits of a query, or those of them that have a rating."""
    hits = detail.get("hits") if isinstance(detail, dict) else None
    if not isinstance(hits, list):
        refuse_shape(where, detail, "an object with hits")
    docs, values, places = [], [], []
    for place, entry in enumerate(hits):
        hit = entry.get("hit") if isinstance(entry, dict) else None
        if not isinstance(hit, dict) or "_id" not in hit:
            refuse_shape(f"{where}.hits[{place}]", entry, "an object with hit and rating")
        if kind == "run":
            values.append(-float(place + 1))
        elif entry.get("rating") is not None:
            values.append(entry["rating"])
        else:
            continue
        docs.append(hit["_id"])
        places.append(place)
    return DocumentList(query, docs, values, where, lambda place: f"{where}.hits[{places[place]}]")


RANK_EVAL = Format(read=read_rank_eval, sniff=looks_like_rank_eval)
