"""Flat arrays have the values of dense ones, however their lists are told."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankscope as rs

MEASURES = ("nDCG@3", "nDCG(ideal='listed')@3", "AP", "RR", "R@2", "NumRet", "Bpref")


def lists_of(rng: np.random.Generator, n: int, longest: int) -> tuple[Any, Any, Any]:
    """Sizes, grades and scores (with ties) of n lists, some of them empty."""
    sizes = rng.integers(0, longest + 1, n)
    sizes[0] = longest
    return sizes, rng.integers(-1, 4, sizes.sum()), rng.integers(0, 6, sizes.sum()) / 4


def padded(sizes: Any, values: Any) -> tuple[Any, Any]:
    """The same as a table, and where there is a document."""
    mask = np.arange(sizes.max()) < sizes[:, None]
    table = np.zeros(mask.shape, values.dtype)
    table[mask] = values
    return table, mask


@given(st.integers(0, 2**32), st.sampled_from(["file", "average"]), st.sampled_from([1, 0.25]))
def test_sizes_offsets_and_groups_have_the_values_of_a_padded_table(seed: int, ties: str, unit: float) -> None:
    rng = np.random.default_rng(seed)
    sizes, grades, scores = lists_of(rng, int(rng.integers(1, 30)), int(rng.integers(1, 20)))
    grades = grades * unit
    relevance, mask = padded(sizes, grades)
    measures = MEASURES if ties == "file" else ("nDCG@3", "nDCG(ideal='listed')@3", "AP", "RR")
    options: dict[str, Any] = {"ties": ties, "rel": unit}
    dense = rs.evaluate_arrays(relevance, padded(sizes, scores)[0], measures, mask=mask, **options)
    by_sizes = rs.evaluate_arrays(grades, scores, measures, sizes=sizes, **options)
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    by_offsets = rs.evaluate_arrays(grades, scores, measures, offsets=offsets, **options)
    groups = np.repeat([f"q{i}" for i in range(sizes.size)], sizes)
    by_groups = rs.evaluate_arrays(grades, scores, measures, groups=groups, **options)
    assert np.array_equal(by_sizes.values, dense.values)  # the same arithmetic on the same lists
    assert np.array_equal(by_offsets.values, dense.values)
    assert np.array_equal(by_groups.values, dense.values[:, :, sizes > 0])
    assert by_groups.query_ids == tuple(f"q{i}" for i in np.flatnonzero(sizes))
    assert by_sizes.signature() == dense.signature()


def test_documents_of_a_list_need_not_stand_together() -> None:
    scored = rs.evaluate_arrays([0, 1, 1, 0, 1], [0.9, 0.2, 0.4, 0.8, 0.1], ["RR", "NumRet"], groups=list("bcbcb"))
    assert scored.query_ids == ("b", "c")
    assert scored.matrix("RR").tolist() == [[0.5, 0.5]]
    assert scored.matrix("NumRet").tolist() == [[3, 2]]


def test_the_names_of_lists_may_be_given_apart() -> None:
    scored = rs.evaluate_arrays([1, 1], [0.1, 0.2], "RR", sizes=[1, 1], query_ids=["x", "y"])
    assert scored.query_ids == ("x", "y")


def test_the_listed_ideal_is_named_though_it_is_computed_as_that_of_the_judged() -> None:
    scored = rs.evaluate_arrays([0, 2, 1], [3.0, 2.0, 1.0], preset="lightgbm", sizes=[3])
    assert "ideal:listed" in scored.signature()
    discounts = 1 / np.log2([3, 4]), 1 / np.log2([2, 3])
    assert scored.overall("nDCG@10") == pytest.approx(([3, 1] @ discounts[0]) / ([3, 1] @ discounts[1]), rel=1e-12)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sizes": [1, 1]}, "sizes: lists of 2 in all, and there are 3 scores"),
        ({"sizes": [4, -1]}, "sizes: number 1 is negative"),
        ({"sizes": [1.5, 1.5]}, "sizes: type float64, expected whole numbers"),
        ({"sizes": [[3]]}, "sizes: shape (1, 1), expected one dimension"),
        ({"sizes": []}, "sizes: 0 numbers, expected those of at least one list"),
        ({"offsets": [0, 2, 1, 3]}, "offsets: number 2 falls"),
        ({"offsets": [1, 3]}, "offsets: lists from 1 to 3, and there are 3 scores"),
        ({"groups": ["a", "a"]}, "groups: shape (2,), expected that of the scores, (3,)"),
        ({"groups": [1.0, np.nan, 1.0]}, "groups: place 1 is NaN"),
        ({"sizes": [3], "groups": ["a"] * 3}, "sizes and groups are set"),
        ({"sizes": [3], "mask": [True] * 3}, "mask is for dense arrays, and sizes for flat ones"),
        ({"sizes": [1, 2], "ties": "error"}, "scores: place 1 (query '1') shares its score with 1 more"),
        ({"groups": list("aba"), "ties": "error"}, "scores: place 0 (query 'a') shares its score with 1 more"),
        ({}, "expected (queries, documents); of one list pass x[None, :], of flat lists sizes, offsets or groups"),
    ],
)
def test_lists_that_cannot_be_right_are_refused_in_one_line(options: dict[str, Any], message: str) -> None:
    with pytest.raises(rs.RankscopeError) as refusal:
        rs.evaluate_arrays([1, 0, 2], [0.5, 0.5, 0.5], "RR", **options)
    assert message in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_value_that_cannot_be_right_is_named_by_its_place() -> None:
    with pytest.raises(rs.InputError, match="scores: nan at place 2, expected a finite number; correct it, or leave"):
        rs.evaluate_arrays([1, 0, 2], [0.5, 0.5, np.nan], "RR", sizes=[3])
    with pytest.raises(rs.InputError, match="relevance: nan at place 0"):
        rs.evaluate_arrays([np.nan, 0, 2], [0.5, 0.5, 1], "RR", sizes=[3])
    with pytest.raises(rs.InputError, match="scores hold no document"):
        rs.evaluate_arrays([], [], "RR", sizes=[0])
