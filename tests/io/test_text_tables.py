"""Titles or beginnings of documents, from any table."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from helpers.messages import mentions

from rankscope.errors import InputError
from rankscope.io.text_tables import MAX_LENGTH, read_texts

ROWS = [
    {"doc_id": "d1", "title": "A title", "text": "its text"},
    {"doc_id": "d2", "title": "", "text": "two\n  lines"},
    {"doc_id": "d3", "title": None, "text": "x" * 1000},
    {"doc_id": "d4", "title": "not wanted", "text": ""},
    {"doc_id": "d1", "title": "a second time", "text": ""},
]
WANTED = {"d1", "d2", "d3", "missing"}
EXPECTED = {"d1": "A title", "d2": "two lines", "d3": "x" * MAX_LENGTH}


def test_a_title_or_the_beginning_of_the_text_is_kept_of_the_wanted_documents(tmp_path: Path) -> None:
    frame = pl.DataFrame(ROWS)
    lines = tmp_path / "texts.jsonl"
    lines.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    frame.write_csv(tmp_path / "texts.csv")
    frame.write_parquet(tmp_path / "texts.parquet")
    for texts in (frame, lines, tmp_path / "texts.csv", tmp_path / "texts.parquet"):
        assert read_texts(texts, WANTED) == EXPECTED


def test_a_mapping_of_documents_to_texts_is_taken_too() -> None:
    assert read_texts({"d2": "two\n  lines", "d9": "no"}, WANTED) == {"d2": "two lines"}


def test_columns_have_other_names_if_these_are_said() -> None:
    frame = pl.DataFrame({"nr": ["d1"], "kopf": ["A title"]})
    assert read_texts(frame, WANTED, {"text_id": "nr", "title": "kopf"}) == {"d1": "A title"}


def test_a_table_without_titles_and_texts_is_refused() -> None:
    with pytest.raises(InputError) as raised:
        read_texts(pl.DataFrame({"doc_id": ["d1"], "url": ["x"]}), WANTED)
    assert mentions(raised.value, "title", "text", "url", "--columns")
