"""Softmax over ragged groups, against one group at a time."""

import numpy as np
import pytest
from helpers.properties import examples
from hypothesis import given
from hypothesis import strategies as st

from rankscope.kernels.softmax import log_softmax, softmax


@examples(50)
@given(groups=st.lists(st.lists(st.floats(-50, 50), min_size=1, max_size=6), min_size=1, max_size=4))
def test_each_group_is_its_share_of_powers(groups):
    flat, offsets = np.concatenate(groups), np.cumsum([0, *map(len, groups)])
    expected = np.concatenate([np.exp(one) / np.exp(one).sum() for one in map(np.array, groups)])
    assert softmax(flat, offsets) == pytest.approx(expected)
    assert log_softmax(flat, offsets) == pytest.approx(np.log(expected))


def test_values_beyond_the_powers_of_a_float_have_their_shares():
    values, offsets = np.array([1000.0, 999.0, -5000.0, 3e4]), np.array([0, 3, 4])
    assert softmax(values, offsets) == pytest.approx([1 / (1 + np.exp(-1)), 1 / (1 + np.e), 0, 1])
    # log(e / (e + 1)) and log(1 / (e + 1)); exp(-6000) is nothing beside them
    assert log_softmax(values, offsets)[:3] == pytest.approx(
        [-np.log1p(np.exp(-1)), -np.log1p(np.e), -6000 - np.log1p(np.exp(-1))]
    )


def test_float32_stays_float32():
    values = np.array([1.0, 2.0], np.float32)
    assert softmax(values, np.array([0, 2])).dtype == np.float32
    assert log_softmax(values, np.array([0, 2])).dtype == np.float32
