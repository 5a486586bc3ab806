"""Values as tables write them."""

import math

import numpy as np
import pytest

from rankscope.data.text import format_interval, format_number, format_value


@pytest.mark.parametrize("value", [0.12345, 0.00015, -0.89015, 0.5, 1e306, 123456789.00005])
def test_a_value_of_numpy_is_written_as_that_of_python(value):
    assert format_number(np.float64(value)) == format_number(value) == format_value(value, "mean")


def test_zeros_and_no_values():
    assert [format_number(x) for x in (-0.0, -0.00004, math.nan)] == ["0.0000", "0.0000", "-"]
    assert format_number(np.float64(-1e-9), 2, signed=True) == "+0.00"
    assert format_interval(np.float64(-0.00001), 0.00004) == "[0.0000, 0.0000]"
    assert format_interval(0.1, math.nan) == format_interval(math.nan, 0.1) == "-"
