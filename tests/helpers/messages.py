"""What texts say: the names and numbers that they must mention, and whole texts in one golden file a family.

A test of behaviour asks for what a message is about: `assert mentions(result.notes, "bm25", 47, 50)`. Wording is held
once, in `tests/golden/messages/FAMILY.txt`: `SENTENCES = Messages("comparison")`, and in each test
`SENTENCES.check("one system is better", text)`.

RANKSCOPE_UPDATE_GOLDEN=1 pytest FILE writes the family's file anew; read the difference before keeping it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

from helpers.paths import TESTS

__all__ = ["Messages", "mentions"]

FOLDER = TESTS / "golden" / "messages"


def mentions(texts: object, *parts: object) -> bool:
    """Whether one text holds all parts: names as they are, numbers as whole numbers (47 is not in 147 or 47.5).

    texts: a text, an error, anything that prints itself, or several of these.
    """
    several = texts if isinstance(texts, Iterable) and not isinstance(texts, str) else (texts,)
    return any(all(_holds(str(text), part) for part in parts) for text in several)


def _holds(text: str, part: object) -> bool:
    if isinstance(part, int | float):
        return re.search(rf"(?<![\w.,-]){re.escape(str(part))}(?![\w]|[.,]\d)", text) is not None
    return str(part) in text


class Messages:
    """The texts of one family, each under the name of its case."""

    def __init__(self, family: str) -> None:
        self.path: Path = FOLDER / f"{family}.txt"
        content = self.path.read_text("utf-8") if self.path.exists() else ""
        self.texts = dict(re.findall(r"^# (.+)\n((?:(?!# ).*\n)+)", content, re.MULTILINE))

    def check(self, case: str, text: object) -> None:
        """Assert that the case says what its family's file says, but for space at the ends of lines."""
        lines = "\n".join(line.rstrip() for line in str(text).strip().splitlines()) + "\n"
        assert not re.search(r"^# ", lines, re.MULTILINE), "a line of the text looks like the name of a case"
        if os.environ.get("RANKSCOPE_UPDATE_GOLDEN") == "1":
            self.texts[case] = lines + "\n"
            self.path.parent.mkdir(exist_ok=True)
            self.path.write_text("".join(f"# {name}\n{text}" for name, text in sorted(self.texts.items())), "utf-8")
        assert lines.rstrip() == self.texts.get(case, "no such case in the file").rstrip(), f"{self.path.name}: {case}"
