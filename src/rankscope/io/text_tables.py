"""Texts of documents: the title, or the beginning, of some documents of a table."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from rankscope.data.tables import Column, Schema, Table, list_columns, table_of_frame
from rankscope.data.text import replace_invalid_utf8
from rankscope.errors import InputError
from rankscope.io.core import columns_of, is_path
from rankscope.io.tables import read_table

__all__ = [
    "TEXT_COLUMNS",
    "read_texts",
]


SCHEMA = Schema(
    columns=(
        Column(
            name="text_id",
            aliases=(
                *("doc_id", "document_id", "document", "docid", "doc", "docno", "_id", "id", "pid", "passage_id"),
                *("corpus_id", "corpus-id"),
            ),
            required=True,
        ),
        Column(name="title", aliases=("name", "headline", "heading")),
        Column(name="text", aliases=("body", "content", "contents", "passage", "abstract", "document_text")),
    ),
    expected="texts of documents: a line of names (text_id,title,text) and a line for each document",
)
#: What the columns of such a table are called.
TEXT_COLUMNS = tuple(column.name for column in SCHEMA.columns)
#: Characters of a text that are kept.
MAX_LENGTH = 200


def read_texts(texts: Any, documents: Collection[str], columns: Mapping[str, str] | None = None) -> dict[str, str]:
    """The title of each document, or the beginning of its text where it has none, in one line.

    Parameters
    ----------
    texts
        A file (CSV, TSV, JSON lines, a JSON list of objects, Parquet), a data frame, a mapping of columns, or a mapping
        {document: text}.
    documents
        The documents that are wanted; of the others nothing is kept.
    columns
        What the columns are called, as {"title": "headline"}.

    Raises
    ------
    InputError
        The table cannot be read, or has neither titles nor texts.
    """
    if isinstance(texts, Mapping) and all(isinstance(text, str) for text in texts.values()):
        return {document: one_line(texts[document]) for document in documents if document in texts}
    if is_path(texts):
        table = read_table(texts, SCHEMA, {**columns_of(texts), **(columns or {})})
    else:
        table = table_of_frame(texts, "texts", SCHEMA, columns or {})
    return texts_of_table(table, documents)


def texts_of_table(table: Table, documents: Collection[str]) -> dict[str, str]:
    import polars as pl

    own_names = [table.columns[name] for name in ("title", "text") if name in table]
    if not own_names:
        raise InputError(
            f"{table.where}: no column 'title' or 'text' among {list_columns(table.frame.columns)}; rename one of "
            "them, or say which it is: --columns text=NAME (in Python columns=)"
        )
    ids = table.ids("text_id")
    name_of = {replace_invalid_utf8(document): document for document in documents}
    is_wanted = ids.is_in(pl.Series(list(name_of), dtype=pl.String).implode())
    texts: dict[str, str] = {}
    columns = [table.texts(own_name).filter(is_wanted).to_list() for own_name in own_names]
    for document, *cells in zip(ids.filter(is_wanted).to_list(), *columns, strict=True):
        text = next(filter(None, map(one_line, cells)), "")
        if text:
            texts.setdefault(name_of[document], text)
    return texts


def one_line(text: str) -> str:
    """The beginning of a text without line ends."""
    return " ".join(text[: 4 * MAX_LENGTH].split())[:MAX_LENGTH]
