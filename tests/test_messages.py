"""The helpers that look at texts find what differs."""

from __future__ import annotations

import pytest
from helpers import messages
from helpers.messages import Messages, mentions


def test_numbers_are_whole_and_names_as_they_are() -> None:
    note = "run 'bm25' has no list for 47 of 1,500 queries (missing:zero), 0.25 of them"
    assert mentions(note, "bm25", 47, "missing:zero", 0.25)
    assert mentions([note, "x"], 47)
    assert mentions(ValueError(note), "1,500")
    for part in (4, 7, 147, 25, 500, 1, "bm26"):
        assert not mentions(note, part), part
    assert not mentions(("47", "bm25"), "bm25", 47)  # all in one text
    assert mentions("n is 3.", 3)
    assert not mentions("n is 3.5", 3)
    assert not mentions("n is -3", 3)


def test_a_case_is_compared_and_written_anew_when_asked(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(messages, "FOLDER", tmp_path)
    with pytest.raises(AssertionError, match=r"family\.txt: first"):
        Messages("family").check("first", "One line.\n\nAnd another.")
    monkeypatch.setenv("RANKSCOPE_UPDATE_GOLDEN", "1")
    written = Messages("family")
    written.check("second", "Two.")
    written.check("first", "One line.\n\nAnd another.")
    assert (tmp_path / "family.txt").read_text() == "# first\nOne line.\n\nAnd another.\n\n# second\nTwo.\n\n"
    monkeypatch.delenv("RANKSCOPE_UPDATE_GOLDEN")
    Messages("family").check("first", "One line.\n\nAnd another.")
    Messages("family").check("second", "Two.")
    with pytest.raises(AssertionError):
        Messages("family").check("second", "Three.")
