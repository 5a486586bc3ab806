"""Write the measures of predicted ranks, as they are declared, into docs/rankeval.md and into the docstrings.

Run by `make docs`; a test compares.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from pathlib import Path

from rankscope.agreement.rankeval import measures
from rankscope.agreement.rankeval.measures import SEGMENT_MEASURES, SET_MEASURES, RankMeasure

PAGE = Path(__file__).with_name("rankeval.md")
SOURCE = Path(measures.__file__)
WIDTH = 118
#: The line of a docstring behind which the measures stand.
MARK = "    Measures, with their ranges and the options that apply:\n"
#: The heads of the tables in the page.
HEADS = {"of a list": SEGMENT_MEASURES, "of a set": SET_MEASURES}


def main() -> None:
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    SOURCE.write_text(with_entries(SOURCE.read_text(encoding="utf-8")), encoding="utf-8")


def with_tables(page: str) -> str:
    """The page with its two tables of measures."""
    for head, table in HEADS.items():
        begin = f"| {head} | "
        pattern = re.compile(rf"^{re.escape(begin)}.*\n(?:\|.*\n)*", re.MULTILINE)
        rows = [f"{begin}what it measures | range | options in Python | source |", "|:--|:--|:--|:--|:--|"]
        rows += [
            f"| {measure.name} | {measure.text} | {measure.range} | {', '.join(measure.options)} | {measure.source} |"
            for measure in table.values()
        ]
        page, count = pattern.subn(lambda _, rows=rows: "\n".join(rows) + "\n", page)
        assert count == 1, head
    return page


def with_entries(source: str) -> str:
    """The source with the measures in the docstrings of `per_segment` and `per_set`."""
    first, *parts = source.split(MARK)
    assert len(parts) == len(HEADS)
    done = [first]
    for part, table in zip(parts, HEADS.values(), strict=True):
        following = re.search(r"^    \S.*\n    -{3,}\n", part, re.MULTILINE)
        assert following is not None
        done.append(f"\n{entries(table)}\n{part[following.start() :]}")
    return MARK.join(done)


def entries(table: Mapping[str, RankMeasure]) -> str:
    """The lines of a docstring on each measure."""
    return "".join(
        textwrap.fill(
            f"- {measure.name}: {measure.text}; {measure.range}. "
            + (f"Options: {', '.join(measure.options)}." if measure.options else "No options.")
            + (f" {measure.source}." if measure.source else ""),
            WIDTH,
            initial_indent="    ",
            subsequent_indent="      ",
            break_long_words=False,
            break_on_hyphens=False,
        )
        + "\n"
        for measure in table.values()
    )


if __name__ == "__main__":
    main()
