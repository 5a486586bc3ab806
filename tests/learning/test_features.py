"""Features by name: what a model was trained on is found in a file whatever its order."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from helpers.messages import mentions
from hypothesis import given
from hypothesis import strategies as st

from rankscope import Features
from rankscope.errors import InputError
from rankscope.learning import match_features


def features(*names: str) -> Features:
    """Two documents; each feature's values are told by its name."""
    told = {name: float(sum(map(ord, name))) for name in names}
    return Features.of([[told[n] for n in names], [-told[n] for n in names]], names=names, name="test")


def test_columns_of_words_are_found_by_name_and_others_left_out_with_a_note() -> None:
    found = match_features(features("a", "b", "c", "d"), ("d", "b"))
    assert found.names == ("d", "b")
    assert found.values.tolist() == [[100.0, 98.0], [-100.0, -98.0]]
    assert len(found.notes) == 1
    assert mentions(found.notes, "test: ", "'a' and 'c'", "skipped")


def test_a_word_that_is_missing_is_refused_by_name() -> None:
    with pytest.raises(InputError) as caught:
        match_features(features("a", "c"), ("a", "b"))
    assert mentions(caught.value, "test: ", "'b'", "'a' and 'c'", "2 columns")
    with pytest.raises(InputError, match=r"'bm25' and 'clicks' .*'1' and '2'"):
        match_features(features("1", "2"), ("bm25", "clicks"))


def test_numbers_that_are_missing_are_zero_with_a_note() -> None:
    found = match_features(features("1", "2"), ("1", "2", "3", "4"))
    assert found.values.tolist() == [[49.0, 50.0, 0.0, 0.0], [-49.0, -50.0, 0.0, 0.0]]
    assert len(found.notes) == 1
    assert mentions(found.notes, "test: ", 2, 4, 0, "'3' and '4'")


def test_numbers_beyond_the_models_are_refused_with_both_counts() -> None:
    with pytest.raises(InputError) as caught:
        match_features(features("1", "2", "3"), ("1", "2"))
    assert mentions(caught.value, "test: ", 3, "'3'", 2, "'1' to '2'")


def test_a_file_that_counts_from_zero_is_not_taken_for_one_that_counts_from_one() -> None:
    with pytest.raises(InputError, match="'0' among them"):
        match_features(features("0", "1"), ("1", "2"))
    found = match_features(features("1", "2"), ("0", "1", "2"))  # no line had a feature 0
    assert found.values[0].tolist() == [0.0, 49.0, 50.0]


def test_where_nothing_is_to_be_done_nothing_is() -> None:
    data = features("a", "1")
    assert match_features(data, ("a", "1")) is data


@given(st.permutations(list("abcdef")), st.integers(1, 6))
def test_any_order_and_choice_agrees_with_a_loop(order: list[str], n: int) -> None:
    data = features(*"abcdef")
    found = match_features(data, order[:n])
    naive = [[row["abcdef".index(name)] for name in order[:n]] for row in data.values.tolist()]
    assert found.values.tolist() == naive


def test_everything_else_stays_as_it_is() -> None:
    data = Features.of(
        np.arange(6, dtype=np.float32).reshape(3, 2), [1, 0, 2], ["q", "r", "q"], names=("a", "b"), doc_ids=list("xyz")
    )
    found = match_features(data, ("b",))
    assert found.values.dtype == np.float32
    assert (found.query_ids, found.doc_ids, found.relevance.tolist()) == (("q", "r"), ["x", "z", "y"], [1, 2, 0])
    assert found.in_input_order([1.0, 2.0, 3.0]).tolist() == [1.0, 3.0, 2.0]
    assert found.notes[:-1] == data.notes
    assert mentions(found.notes[-1], "features: ", "'a'", "skipped")


def test_a_word_whose_column_is_empty_is_zero_with_a_note() -> None:
    data = replace(features("a", "c"), empty=("b", "d"), where=None)
    found = match_features(data, ("b", "a", "d"))
    assert found.values.tolist() == [[0.0, 97.0, 0.0], [0.0, -97.0, 0.0]]
    assert len(found.notes) == 2
    assert mentions(found.notes[0], "test: ", "'c'", "skipped")
    assert mentions(found.notes[1], "test: ", "'b' and 'd'", 0)
    with pytest.raises(InputError, match=r"'e' .*'a' and 'c'"):
        match_features(data, ("a", "b", "e"))
