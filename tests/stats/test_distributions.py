"""The studentised range, against SciPy's and printed tables."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from rankscope.stats.distributions import range_quantile, range_sf


@pytest.mark.parametrize("m", [2, 3, 10, 40])
@pytest.mark.parametrize("df", [2, 5, 40, 2000, np.inf])
def test_tails_agree_with_scipy(m, df):
    q = np.array([0.0, 0.3, 1.0, 3.0, 6.0])
    np.testing.assert_allclose(range_sf(q, m, df), stats.studentized_range.sf(q, m, df), rtol=0, atol=1e-9)


@pytest.mark.parametrize("df", [1, 2, 7, 100])
def test_of_two_means_it_is_students_t(df):
    t = np.array([0.1, 1.0, 2.0, 5.0])
    np.testing.assert_allclose(range_sf(t * np.sqrt(2), 2, df), 2 * stats.t.sf(t, df), rtol=0, atol=1e-9)


# The printed tables of the studentised range, upper 5 and 1 %.
@pytest.mark.parametrize(
    ("p", "m", "df", "q"),
    [(0.95, 3, 10, 3.877), (0.95, 4, 20, 3.958), (0.99, 5, 15, 5.556), (0.95, 10, np.inf, 4.474), (0.95, 2, 1, 17.97)],
)
def test_quantiles_are_those_of_the_tables(p, m, df, q):
    assert range_quantile(p, m, df) == pytest.approx(q, abs=0.005)
    assert float(range_sf(range_quantile(p, m, df), m, df)) == pytest.approx(1 - p, abs=1e-9)


def test_many_values_keep_their_shape_and_are_no_other_than_alone():
    q = np.linspace(0.1, 6, 100).reshape(10, 10)
    found = range_sf(q, 5, 30)
    assert found.shape == (10, 10)
    assert found[7, 3] == pytest.approx(float(range_sf(q[7, 3], 5, 30)), abs=1e-14)
