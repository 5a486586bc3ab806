"""Whether two texts of records (CSV, JSON, JSONL) hold the same, numbers being compared as numbers."""

from __future__ import annotations

import csv
import io
import json
import re
from typing import Any

from helpers.same import assert_same_numbers


def assert_same_records(text: str, expected: str, format_: str) -> None:
    """Both texts hold the same records: fields, their order and types, names, integers and the layout exactly, floats
    as numbers, to a relative 1e-9: what is printed in full is a sum, a function from a library or the end of a search
    for a maximum that stops at the precision of a double. NaN equals NaN only.
    """
    read = RECORDS[format_]
    assert_same_numbers(read(text), read(expected), same_types=True)
    assert layout(text) == layout(expected)


def csv_records(text: str) -> list[list[str | float]]:
    return [[csv_field(field) for field in row] for row in csv.reader(io.StringIO(text, newline=""))]


def csv_field(field: str) -> str | float:
    """A float where it is written as one in full, else the text: 1 is none, nor is 0.50."""
    try:
        return float(field) if repr(float(field)) == field else field
    except ValueError:
        return field


def json_records(text: str) -> Any:
    return json.loads(text, object_pairs_hook=list)  # pairs: the order of fields counts


def jsonl_records(text: str) -> list[Any]:
    return [json_records(line) for line in text.splitlines()]


#: How the formats for programs are read.
RECORDS = {"csv": csv_records, "json": json_records, "jsonl": jsonl_records}


def layout(text: str) -> str:
    """The text without its numbers."""
    return re.sub(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?", "#", text)
