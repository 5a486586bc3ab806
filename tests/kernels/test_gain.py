"""Gains, discounts and stopping probabilities, with their papers' values and at the ends of float64."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rankscope.kernels.gain import (
    discount_jk,
    discount_log2,
    discount_natural,
    gain_exponential,
    gain_linear,
    stopping_probability,
)

HUGE = 2**40


def test_gains_are_what_the_papers_say() -> None:
    grades = np.array([-2, -1, 0, 1, 2, 3])
    assert gain_linear(grades).tolist() == [0, 0, 0, 1, 2, 3]
    assert gain_exponential(grades).tolist() == [0, 0, 0, 2**1 - 1, 2**2 - 1, 2**3 - 1]
    assert stopping_probability(grades, 3).tolist() == [0, 0, 0, 1 / 8, 3 / 8, 7 / 8]


def test_a_gain_beyond_the_largest_float_is_infinite_and_nothing_is_said() -> None:
    found = gain_exponential(np.array([-HUGE, 1023, 1024, HUGE]))  # a warning is an error here
    assert found.tolist() == [0, math.ldexp(1.0, 1023), math.inf, math.inf]


def test_no_grade_is_too_high_to_end_a_search() -> None:
    # (2^1200 - 1) / 2^1200, (2^1199 - 1) / 2^1200, (2^1 - 1) / 2^1200
    assert stopping_probability(np.array([1200, 1199, 1, -5]), 1200).tolist() == [1, 1 / 2, 0, 0]
    assert stopping_probability(np.array([HUGE, 0]), HUGE).tolist() == [1, 0]
    assert stopping_probability(np.array([0, -3]), 0).tolist() == [0, 0]


@pytest.mark.parametrize(("rank", "expected"), [(1.0, 1.0), (3.0, 1 / 2), (7.0, 1 / 3), (2.0, 1 / math.log2(3))])
def test_the_discount_is_one_over_the_logarithm_of_rank_plus_one(rank: float, expected: float) -> None:
    assert discount_log2(np.array([rank]))[0] == pytest.approx(expected, abs=1e-15)


def test_the_natural_discount_is_one_over_the_natural_logarithm_of_rank_plus_one() -> None:
    found = discount_natural(np.array([1.0, math.e - 1, math.e**2 - 1]))
    assert found == pytest.approx([1 / math.log(2), 1, 1 / 2], abs=1e-15)


def test_up_to_its_base_jarvelin_and_kekalainen_discount_nothing() -> None:
    # Järvelin and Kekäläinen (2002), section 2.2: by log_b(rank) where rank >= b.
    assert discount_jk(np.array([1.0, 2, 4, 8]), 2.0) == pytest.approx([1, 1, 1 / 2, 1 / 3], abs=1e-15)
    assert discount_jk(np.array([1.0, 9, 10, 100]), 10.0) == pytest.approx([1, 1, 1, 1 / 2], abs=1e-15)
