"""The measures as they are declared stand in the page and in the docstrings."""

from __future__ import annotations

import runpy

from helpers.paths import TESTS

ROOT = TESTS.parent


def test_the_page_and_the_docstrings_have_the_measures_that_make_docs_writes() -> None:
    made = runpy.run_path(str(ROOT / "docs" / "rank_measures.py"))
    for path, write in ((made["PAGE"], made["with_tables"]), (made["SOURCE"], made["with_entries"])):
        text = path.read_text("utf-8")
        assert write(text) == text, "run make docs"
        stale = text.replace("| nDCG |", "| other |").replace("- nDCG:", "- other:")
        assert write(stale) == text != stale
