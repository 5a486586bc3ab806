"""Scores of lists on one scale: SciPy's z-scores, formulas, equal and huge scores; other lists do not matter."""

import numpy as np
import pytest
from helpers.properties import examples
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rankscope.errors import ParameterError
from rankscope.stats.list_scales import LIST_SCALES, scale_lists

OFFSETS = np.array([0, 4, 5, 8])


def expected(row: np.ndarray, scale: str) -> np.ndarray:
    above = row - row.min()
    if not above.any():
        return np.zeros(row.size)
    return {"min-max": above / above.max(), "sum": above / above.sum(), "z-score": stats.zscore(row)}[scale]


@pytest.mark.parametrize("scale", LIST_SCALES)
@examples(25)
@given(scores=st.lists(st.integers(-9, 9), min_size=8, max_size=8), power=st.sampled_from([-700, -1, 0, 3, 700]))
def test_each_list_is_scaled_by_itself_in_any_unit(scale: str, scores: list[int], power: int) -> None:
    rows = np.split(np.array(scores, np.float64), OFFSETS[1:-1])
    scaled, is_constant = scale_lists(np.ldexp(np.concatenate(rows), power), OFFSETS, scale)
    np.testing.assert_allclose(scaled, np.concatenate([expected(row, scale) for row in rows]), atol=1e-12)
    assert is_constant.tolist() == [np.ptp(row) == 0 for row in rows]


def test_an_unknown_scale_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"scale is 'zscore', .*'min-max', 'sum'.*'z-score'"):
        scale_lists(np.zeros(8), OFFSETS, "zscore")
