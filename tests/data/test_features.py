"""The type Features: how rows become groups and come back, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.messages import mentions
from hypothesis import given
from hypothesis import strategies as st

from rankscope import Features
from rankscope.errors import InputError

VALUES = [[0.5, 1.0], [0.1, 0.0], [0.2, 0.3]]


def made(**more):
    return Features(**{"values": VALUES, "relevance": [2, 0, 1], "offsets": [0, 2, 3], "query_ids": ("a", "b"), **more})


def test_rows_of_a_query_that_are_together_stay_where_they_are():
    found = Features.of(VALUES, [2, 0, 1], ["b", "b", "a"])
    assert (found.query_ids, found.offsets.tolist(), found.order, found.notes) == (("b", "a"), [0, 2, 3], None, ())
    assert found.names == ("1", "2")
    assert len(found) == 3
    assert found.group.tolist() == [0, 0, 1]


def test_rows_of_a_query_that_are_apart_are_put_together_with_a_note_and_all_that_belongs_to_them():
    found = Features.of(VALUES, [2, 0, 1], ["a", "b", "a"], doc_ids=["x", "y", "z"], comments=["1", "2", "3"], name="t")
    assert found.values.tolist() == [[0.5, 1.0], [0.2, 0.3], [0.1, 0.0]]
    assert (found.relevance.tolist(), found.doc_ids, found.comments) == ([2, 1, 0], ["x", "z", "y"], ["1", "3", "2"])
    (note,) = found.notes
    assert mentions(note, "t: ", 1, "together")
    assert found.in_input_order([9.0, 8.0, 7.0]).tolist() == [9.0, 7.0, 8.0]


def test_queries_may_be_places_in_their_names():
    found = Features.of(VALUES, None, [1, 0, 1], query_ids=("a", "b"))
    assert (found.query_ids, found.relevance.tolist()) == (("b", "a"), [0, 0, 0])


def test_groups_may_be_given_by_their_sizes_and_are_numbered_from_1():
    found = Features.of(VALUES, sizes=[1, 2])
    assert (found.query_ids, found.offsets.tolist()) == (("1", "2"), [0, 1, 3])
    assert Features.of(VALUES).offsets.tolist() == [0, 3]  # neither queries nor sizes: one query


@given(st.lists(st.integers(0, 4), min_size=1, max_size=30))
def test_scores_come_back_in_the_order_in_which_rows_were_given(queries):
    values = np.arange(len(queries), dtype=float)[:, None]
    found = Features.of(values, queries=queries)
    assert found.in_input_order(found.values[:, 0]).tolist() == values[:, 0].tolist()
    for q, name in enumerate(found.query_ids):  # each query has its rows, in the order in which they were given
        rows = found.values[found.offsets[q] : found.offsets[q + 1], 0].astype(int).tolist()
        assert rows == [i for i, query in enumerate(queries) if str(query) == name]


def test_some_queries_are_taken_in_the_order_that_is_asked_for():
    found = made(doc_ids=["x", "y", "z"], comments=["", "k", ""], names=("f", "g")).select([1, 0])
    assert found.values.tolist() == [[0.2, 0.3], [0.5, 1.0], [0.1, 0.0]]
    assert (found.query_ids, found.offsets.tolist(), found.relevance.tolist()) == (("b", "a"), [0, 1, 3], [1, 2, 0])
    assert (found.doc_ids, found.comments, found.names) == (["z", "x", "y"], ["", "", "k"], ("f", "g"))


def test_float32_stays_and_whole_numbers_become_float64():
    assert made(values=np.array(VALUES, np.float32)).values.dtype == np.float32
    assert made(values=[[1], [2], [3]]).values.dtype == np.float64
    assert made(values=np.array(VALUES, order="F")).values.flags.c_contiguous


REFUSED = {
    "no document": ({"values": np.zeros((0, 2))}, r"shape \(0, 2\), .*\(documents, features\)"),
    "no feature": ({"values": np.zeros((3, 0))}, r"shape \(3, 0\)"),
    "a list of numbers": ({"values": [1.0, 2.0, 3.0]}, r"shape \(3,\)"),
    "grades": ({"relevance": [1, 2]}, "2 grades .*3 documents"),
    "names": ({"names": ("a",)}, "1 names .*2 features"),
    "names twice": ({"names": ("a", "a")}, "1 names .*2 features"),
    "documents": ({"doc_ids": ["x"]}, "1 names .*3 documents"),
    "comments": ({"comments": ["x"]}, "1 comments .*3 documents"),
    "sizes": ({"offsets": [0, 2]}, "groups .*2 documents, .* 3"),
    "an empty group": ({"offsets": [0, 2, 2, 3]}, "group 2 is empty"),
    "queries twice": ({"query_ids": ("a", "a")}, "features: two queries .*'a'"),
    "queries": ({"query_ids": ("a",)}, "1 names .*2 queries"),
    "NaN": ({"values": [[1, 2], [3, float("nan")], [5, 6]]}, "features, document 2: .*'2' is nan"),
    "infinities that cancel": ({"values": [[1, 2], [np.inf, -np.inf], [5, 6]]}, "document 2: .*'1' is inf"),
    "infinity": ({"values": [[1, 2], [3, 4], [float("-inf"), 6]]}, "features, document 3: .*'1' is -inf"),
}


@pytest.mark.parametrize(("change", "message"), REFUSED.values(), ids=REFUSED)
def test_what_does_not_fit_is_refused(change, message):
    with pytest.raises(InputError, match=message):
        made(**change)


def test_a_number_that_is_not_finite_is_named_by_the_row_that_was_given():
    with pytest.raises(InputError, match="here:2: feature '1' is nan"):
        Features.of([[1.0], [np.nan], [2.0]], None, ["a", "b", "a"], where=lambda row: f"here:{row + 1}")


def test_large_numbers_whose_sum_is_infinite_are_finite():
    assert made(values=np.full((3, 2), 1.5e308)).values.max() == 1.5e308


OF = {
    "both": ({"queries": [1, 1, 1], "sizes": [3]}, "queries and sizes"),
    "too few queries": ({"queries": [1, 1]}, "2 queries .*3 documents"),
    "sizes": ({"sizes": [1, 1]}, "groups .*2 documents, .* 3"),
    "a size of 0": ({"sizes": [3, 0]}, "group 2 is empty"),
    "a size that is no whole number": ({"sizes": [1.5, 1.5]}, r"group 1: size 1\.5"),
    "NaN for a size": ({"sizes": [3, np.nan]}, "group 2: size nan"),
    "a negative size": ({"sizes": [4, -1]}, "group 2 is empty"),
    "NaN for a query": (
        {"queries": [1, 1, np.nan]},
        "features, document 3: .*query is nan",
    ),
    "None for a query": ({"queries": [1, None, 1]}, "document 2: .*query is None"),
    "NaN among texts": ({"queries": ["a", float("nan"), "b"]}, "document 2: .*query is nan"),
    "None among objects": ({"queries": np.array(["a", "b", None], object)}, "document 3: .*query is None"),
    "no time": ({"queries": np.array(["2026", "NaT", "2025"], "M8[Y]")}, "document 2: .*query is NaT"),
    "two names that are one": ({"queries": np.array([1, "1", 2], object)}, "features: two queries .*'1'"),
    "query_ids": ({"queries": [0, 1, 1], "query_ids": ("x", "x")}, "two queries .*'x'"),
    "a grade": ({"relevance": [1, 9e99, 0]}, r"document 2: grade 9e\+99"),
    "infinity for a grade": ({"relevance": [1, np.inf, 1]}, "document 2: grade inf"),
    "NaN for a grade": ({"relevance": [1, 1, np.nan]}, "document 3: grade nan"),
}


@pytest.mark.parametrize(("given_", "message"), OF.values(), ids=OF)
def test_rows_that_make_no_groups_are_refused(given_, message):
    with pytest.raises(InputError, match=message):
        Features.of(VALUES, **given_)


def test_queries_may_be_called_nan_where_somebody_says_so():
    assert Features.of(VALUES, None, ["nan", "None", "nan"]).query_ids == ("nan", "None")


def test_no_warning_is_given_where_sizes_are_refused(recwarn):
    with pytest.raises(InputError):
        Features.of(VALUES, sizes=[5, np.nan])
    assert not recwarn.list


def test_features_are_put_in_any_order_with_zeros_for_those_that_are_not_there():
    found = made(names=("f", "g"), empty=("h",)).select_features(["g", "h", "f"])
    assert found.values.tolist() == [[1.0, 0.0, 0.5], [0.0, 0.0, 0.1], [0.3, 0.0, 0.2]]
    assert (found.names, found.select([1]).empty) == (("g", "h", "f"), ("h",))


def test_grades_that_nobody_gave_are_not_known():
    assert made().graded
    assert not Features.of(VALUES).graded
    assert not Features.of(VALUES, sizes=[1, 2]).select([0]).graded
