"""The format llama-index: a data set of questions that LlamaIndex saves, as judgments.

`{"queries": {id: text}, "corpus": {id: text}, "relevant_docs": {query: [document, ...]}, "mode": "text"}`. What its
evaluators return (`retrieved_ids`, `expected_ids`) is read as lists of ids.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from rankscope.errors import InputError
from rankscope.io.core import FileContent, Format, ReadRequest
from rankscope.io.json_dicts import parse_json
from rankscope.io.other_tools.json_entries import DocumentList, refuse_shape, rows_of_lists

if TYPE_CHECKING:
    from rankscope.io.core import Source

__all__ = [
    "LLAMA_INDEX",
]


JUDGMENTS = "relevant_docs"
SHAPE = f'{{"queries": {{id: text}}, "corpus": {{id: text}}, "{JUDGMENTS}": {{query: [document, ...]}}}}'
BEGIN = re.compile(rb'\{\s*"(queries|corpus|relevant_docs)"\s*:\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*["\[]')


def read_question_set(source: Source, request: ReadRequest) -> FileContent:
    """The relevant documents of all questions, with relevance 1. Raises InputError."""
    del request
    name = source.name
    data = parse_json(source.read_bytes(), name, shape=SHAPE)
    judged = data.get(JUDGMENTS) if isinstance(data, dict) else None
    if not isinstance(judged, dict):
        raise InputError(f"{name}: no {JUDGMENTS}, expected {SHAPE}; save the data set again")
    lists = [relevant_list(query, docs, f"{name}: {JUDGMENTS}.{query}") for query, docs in judged.items()]
    return FileContent(rows_of_lists(lists, name, "qrels"))


def relevant_list(query: str, docs: Any, where: str) -> DocumentList:
    if not isinstance(docs, list):
        refuse_shape(where, docs, "a list of ids")
    return DocumentList(query, docs, [1] * len(docs), where, lambda place: f"{where}[{place}]")


LLAMA_INDEX = Format(read=read_question_set, sniff=lambda head: BEGIN.match(head.text) is not None)
