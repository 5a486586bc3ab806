"""What counts as the same number, and as the same bits."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
import pytest
from helpers.same import ABSOLUTE, RELATIVE, assert_same_bits, assert_same_numbers, same_but_last_digits

import rankscope as rs

NEXT = math.nextafter(1 / 3, 1)


@dataclass(frozen=True)
class Result:
    name: str
    values: Any


def wrapped(value: Any) -> list[Any]:
    """A number wherever results hold numbers."""
    return [
        value,
        np.float64(value),
        [value],
        (1, value),
        {"a": [value]},
        np.array([0.5, value]),
        np.array([[value]], dtype=np.float64),
        pl.DataFrame({"a": [0.5, value]}),
        pl.Series([value]),
        Result("a", np.array([value])),
        [Result("a", {"b": (value,)})],
    ]


@pytest.mark.parametrize("i", range(len(wrapped(0.0))))
def test_last_bits_are_the_same_number_and_not_the_same_bits(i: int) -> None:
    third, above, far, none = (wrapped(value)[i] for value in (1 / 3, NEXT, 1 / 3 + 1e-7, math.nan))
    for value in (third, none):
        assert_same_bits(value, value)
        assert_same_numbers(value, value)
    assert_same_numbers(above, third)
    for pair in ((above, third), (far, third), (none, third), (third, none)):
        with pytest.raises(AssertionError):
            assert_same_bits(*pair)
    for pair in ((far, third), (none, third), (third, none)):
        with pytest.raises(AssertionError):
            assert_same_numbers(*pair)
    assert_same_numbers(far, third, rtol=1e-6)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (1, 2),
        (True, 1),
        (True, 1.0),
        ("a", "b"),
        ("0.5", 0.5),
        (None, 0.0),
        ([0.5], (0.5,)),
        ([0.5], [0.5, 0.5]),
        ([0.5, 0.5], [0.5]),
        ([0.5, 0.5], [0.5, ...]),
        ({"a": 0.5}, {"b": 0.5}),
        ({"a": 0.5}, {"a": 0.5, "b": 0.5}),
        (np.array([0.5]), [0.25]),
        (np.array(["a"]), ["b"]),
        (np.array([0.5]), np.array([[0.5]])),
        (np.array([0.5]), np.array([0.5], dtype=np.float32)),
        (np.array([1, 2]), np.array([1, 3])),
        (np.array([1.0]), np.array([1])),
        (pl.DataFrame({"a": [0.5]}), pl.DataFrame({"b": [0.5]})),
        (Result("a", 0.5), Result("b", 0.5)),
        (math.inf, 1.0),
        (math.inf, -math.inf),
        (1.0, math.inf),
    ],
)
def test_all_else_is_exact(found: Any, expected: Any) -> None:
    for check in (assert_same_bits, assert_same_numbers):
        check(found, found)
        check(expected, expected)
        with pytest.raises(AssertionError):
            check(found, expected)


def test_a_whole_number_may_be_written_without_a_point_unless_types_count() -> None:
    assert_same_numbers([1.0, 0.5], [1, 0.5])
    assert_same_numbers(1, 1.0)
    with pytest.raises(AssertionError):
        assert_same_numbers(1.0, 1, same_types=True)
    with pytest.raises(AssertionError):
        assert_same_bits(1.0, 1)


def test_the_sign_of_zero_is_a_bit() -> None:
    for zeros in ((0.0, -0.0), (np.zeros(2), -np.zeros(2))):
        assert_same_numbers(*zeros)
        with pytest.raises(AssertionError):
            assert_same_bits(*zeros)


def test_how_far_numbers_may_be_apart() -> None:
    for size in (1.0, 1e9):
        assert_same_numbers(size * (1 + 0.9 * RELATIVE), size)
        with pytest.raises(AssertionError):
            assert_same_numbers(size * (1 + 1.2 * RELATIVE), size)
    assert_same_numbers(0.9 * ABSOLUTE, 0.0)
    with pytest.raises(AssertionError):
        assert_same_numbers(1.2 * ABSOLUTE, 0.0)


def test_results_of_the_package_are_compared_by_what_they_hold() -> None:
    """RR of a document at rank 3, and at rank 2."""
    qrels = {"q": {"a": 1}}
    third, half = (rs.evaluate(qrels, {"q": {"a": 1.0, **{f"d{i}": 2.0 for i in range(n)}}}, "RR") for n in (2, 1))
    for check in (assert_same_bits, assert_same_numbers):
        check(third, third)
        check([third.values], [third.values])
        with pytest.raises(AssertionError):
            check(third, half)


@pytest.mark.parametrize(
    ("text", "expected", "same"),
    [
        ("a 0.3333333333333333 b", "a 0.33333333333333337 b", True),
        ("np.float64(0.9999999999999999)", "np.float64(1.0)", True),
        ("1.0", "0.9999999999999999", True),
        ("-1.2345678901234567e-05", "-1.2345678901234568e-05", True),
        ("0.3333333333333333", "0.3333334333333333", False),
        ("0.3333333333333333", "-0.3333333333333333", False),
        ("a 0.3333333333333333", "b 0.3333333333333333", False),
        ("0.3333333333333333", "0.3333333333333333 0.5", False),
        ("0.3333333333333333", "1", False),
        ("0.3333", "0.3334", False),
        ("0.3333", "0.33330", False),
        ("12345678901234", "12345678901235", False),
    ],
)
def test_texts_may_differ_in_the_last_digits_of_numbers_in_full(text: str, expected: str, same: bool) -> None:
    assert same_but_last_digits(text, expected) is same
    assert same_but_last_digits(expected, text) is same
    assert same_but_last_digits(text, text)
