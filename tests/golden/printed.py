"""What a command prints, and what it printed when its golden file was written.

Tables (text, markdown, LaTeX, trec_eval's lines) are the same letter for letter: they round far above the last bits of
a number, and test_rounding_edges.py finds the numbers for which that is not so. CSV, JSON and JSONL hold numbers in
full, whose last bits differ between processors: they are compared by `assert_same_records`.

RANKSCOPE_UPDATE_GOLDEN=1 pytest tests/golden writes the files anew; look at their difference before keeping it.
"""

from __future__ import annotations

import csv
import io
import json
import math
import os
import re
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest

from rankscope.cli.main import main

COLLECTION = Path(__file__).parent / "collection"

#: How far a number may be from that of the golden file: all that is printed in full is a sum, a function from a
#: library or the end of a search for a maximum that stops at the precision of a double.
RELATIVE = 1e-9
#: The difference of two equal numbers of the size of 1, which need not come out as 0.
ABSOLUTE = 1e-12


def printed(args: Sequence[str], capsys: pytest.CaptureFixture[str]) -> str:
    """In the folder where it is called, without a word on standard error; any version."""
    main(list(args))
    captured = capsys.readouterr()
    assert captured.err == ""
    return re.sub(r"rankscope \d[\w.+-]*", "rankscope VERSION", captured.out)


def assert_as_before(path: Path, args: Sequence[str], capsys: pytest.CaptureFixture[str]) -> None:
    """What the command prints is in the golden file, as far as its format holds still; and in it from now on, where
    files are written anew.
    """
    text = printed(args, capsys)
    if os.environ.get("RANKSCOPE_UPDATE_GOLDEN") == "1":
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
    expected = path.read_bytes().decode()
    if output_format(args) in RECORDS:
        assert_same_records(text, expected, output_format(args))
    else:
        assert text == expected


def output_format(args: Sequence[str]) -> str:
    return args[args.index("--format") + 1] if "--format" in args else "table"


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
