"""What a command prints, and what it printed when its golden file was written.

RANKSCOPE_UPDATE_GOLDEN=1 pytest tests/golden writes the files anew; look at their difference before keeping it.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from rankscope.cli.main import main

COLLECTION = Path(__file__).parent / "collection"
NUMBER = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")


def printed(args: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> str:
    """In the folder where it is called, without a word on standard error; any version."""
    main(list(args))
    captured = capsys.readouterr()
    assert captured.err == ""
    return re.sub(r"rankscope \d[\w.+-]*", "rankscope VERSION", captured.out)


def kept(path: Path, text: str) -> str:
    """What the file holds; the text from now on, where files are written anew."""
    if os.environ.get("RANKSCOPE_UPDATE_GOLDEN") == "1":
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
    return path.read_bytes().decode()


def same_numbers(found: str, expected: str) -> None:
    """Letter for letter but for the last digits of numbers, which another library of functions may round otherwise."""
    assert NUMBER.sub("#", found) == NUMBER.sub("#", expected)
    numbers = ([float(x) for x in NUMBER.findall(text)] for text in (found, expected))
    assert next(numbers) == pytest.approx(next(numbers), rel=1e-9, abs=1e-12)
