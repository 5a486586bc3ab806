"""Whether two texts of records (CSV, JSON, JSONL) hold the same, numbers being compared as numbers."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from itertools import zip_longest
from typing import Any

import pytest

#: How far a number may be from that of the golden file: all that is printed in full is a sum, a function from a
#: library or the end of a search for a maximum that stops at the precision of a double.
RELATIVE = 1e-9
#: The difference of two equal numbers of the size of 1, which need not come out as 0.
ABSOLUTE = 1e-12


def assert_same_records(text: str, expected: str, format_: str) -> None:
    """Both texts hold the same records: fields, their order and types, names, integers and the layout exactly, floats
    as numbers. NaN equals NaN only.
    """
    read = RECORDS[format_]
    assert_same_value(read(text), read(expected), format_)
    assert layout(text) == layout(expected)


def assert_same_value(value: Any, expected: Any, place: str) -> None:
    assert type(value) is type(expected), f"{place}: {value!r}, expected {expected!r}"
    if isinstance(expected, list | tuple):
        for i, (one, other) in enumerate(zip_longest(value, expected, fillvalue=...)):
            assert_same_value(one, other, f"{place}[{i}]")
    elif isinstance(expected, float) and math.isfinite(expected):
        assert value == pytest.approx(expected, rel=RELATIVE, abs=ABSOLUTE), place
    else:
        assert repr(value) == repr(expected), place


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
