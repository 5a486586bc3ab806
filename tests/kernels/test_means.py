"""Means and quotients where some of it is missing."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rankscope.kernels.means import nan_mean, nan_mean_of_list, ratio_or_nan

TABLES = arrays(np.float64, (3, 4), elements=st.floats(-10, 10) | st.just(float("nan")))


@given(TABLES, st.sampled_from([0, 1, -1]))
def test_means_are_those_of_the_numbers_that_are_there(values, axis):
    found = nan_mean(values, axis)
    for mean, line in zip(found, np.moveaxis(values, axis, -1), strict=True):
        there = [x for x in line.tolist() if x == x]
        np.testing.assert_allclose(mean, sum(there) / len(there) if there else np.nan, rtol=1e-12, atol=1e-12)


def test_what_is_divided_by_nothing_is_no_number():
    np.testing.assert_array_equal(ratio_or_nan(np.array([1, 0, 3]), np.array([2, 0, 0])), [0.5, np.nan, np.nan])


def test_without_an_axis_the_mean_is_that_of_each_column():
    np.testing.assert_array_equal(nan_mean(np.array([[1.0, np.nan], [3.0, 5.0], [5.0, np.nan]])), [3, 5])


def test_the_mean_of_one_list_is_a_number_of_python():
    assert nan_mean_of_list(np.array([1.0, np.nan, 4.0])) == 2.5
    for nothing in ([], [np.nan, np.nan]):
        assert math.isnan(nan_mean_of_list(np.array(nothing)))
    assert type(nan_mean_of_list(np.array([1.0]))) is float
