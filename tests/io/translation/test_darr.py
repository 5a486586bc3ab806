"""Pairs of a better and a worse translation: both forms of the lines, and what is refused."""

from __future__ import annotations

import pytest

from rankscope.errors import InputError
from rankscope.io.translation import read_better_pairs


def read(tmp_path, content):
    path = tmp_path / "darr.txt"
    path.write_text(content)
    return read_better_pairs(path)


@pytest.mark.parametrize(
    "content",
    [
        "17 de-en A de-en B\n\n3  fi-en\tC fi-en A\r\n",
        "LP SID BETTER WORSE\nde-en 17 A B\nfi-en 3 C A\n",
        "LP DATA SID BETTER WORSE\nde-en newstest2020 17 A B 31.5\nfi-en newstest2020 3 C A 26\n",
        "better,worse".replace(",", " ") + " segment pair\nA B 17 de-en\nC A 3 fi-en\n",
    ],
)
def test_each_line_is_a_judgment_of_two_items_the_better_one_first(tmp_path, content):
    found = read(tmp_path, content)
    assert list(zip(found.pair, found.segment, strict=True)) == [("de-en", "17"), ("fi-en", "3")]
    assert list(found.system) == ["A", "B", "C", "A"]
    assert found.table("rank").tolist() == [[1, 2], [1, 2]]


def test_pairs_that_repeat_or_contradict_each_other_stay_judgments_of_their_own(tmp_path):
    found = read(tmp_path, "1 de-en A de-en B\n1 de-en B de-en A\n1 de-en A de-en B\n")
    assert list(found.system) == ["A", "B", "B", "A", "A", "B"]


def test_without_a_column_of_pairs_all_are_of_one_without_a_name(tmp_path):
    assert read(tmp_path, "SID BETTER WORSE chrF\n7 A B 1\n").pair.names == ("",)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("17 de-en A de-en B\n17 de-en A\n", ":2: 3 fields, expected 5"),
        ("17 de-en A en-de B\n", ":1: language pairs 'de-en' and 'en-de'"),
        ("17 de-en A de-en A\n", ":1: system 'A' .*itself"),
        ("LP SID BETTER WORSE\nde-en 17 A\n", ":2: 3 fields, .*4"),
        ("LP SID BETTER WORSE\n", "header line"),
        ("\n\n", "the file is empty"),
    ],
)
def test_lines_that_cannot_be_read_are_named_by_file_and_line(tmp_path, content, said):
    with pytest.raises(InputError, match=r"darr\.txt.*" + said):
        read(tmp_path, content)
