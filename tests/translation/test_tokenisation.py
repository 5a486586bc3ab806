"""Words are those of sacrebleu's BLEU."""

import sys

import pytest
from helpers.properties import examples
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics.bleu import BLEU

from rankscope.errors import InputError, ParameterError
from rankscope.translation import tokenised


@given(st.lists(st.text(max_size=20), max_size=5))
@examples(60)
def test_words_are_those_that_sacrebleu_counts(lines):
    bleu = BLEU(lowercase=True, tokenize="13a")
    assert tokenised(lines) == [bleu._preprocess_segment(line) for line in lines]


def test_cr_nbsp_and_tabs_are_blanks_and_empty_lines_stay():
    assert tokenised(["A\u00a0B\tc\r", " \r", ""]) == ["a b c", "", ""]


def test_one_text_in_the_place_of_many_is_refused():
    with pytest.raises(ParameterError, match="lines is one text"):
        tokenised("a b")
    with pytest.raises(InputError, match=r"lines: line 2 .*NoneType"):
        tokenised(["a", None])


def test_without_sacrebleu_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "sacrebleu", None)
    with pytest.raises(ParameterError, match=r"pip install 'rankscope\[mt\]'"):
        tokenised(["a"])
