"""What a command prints, and what it printed when its golden file was written.

Tables (text, markdown, LaTeX, trec_eval's lines) are the same letter for letter: they round far above the last bits of
a number, and test_rounding_edges.py finds the numbers for which that is not so. CSV, JSON and JSONL hold numbers in
full, whose last bits differ between processors: records.py compares them as numbers.

RANKSCOPE_UPDATE_GOLDEN=1 pytest tests/golden writes the files anew; look at their difference before keeping it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from helpers.golden_records import RECORDS, assert_same_records
from helpers.paths import TESTS

from rankscope.cli.main import main

COLLECTION = TESTS / "golden" / "collection"


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
