"""What is done to features: mean 0, deviation 1, logarithms, columns that never vary."""

import numpy as np
import pytest
from helpers.same import assert_same_numbers

from rankscope.errors import InputError, ParameterError
from rankscope.learning import scaling
from rankscope.learning.scaling import TRANSFORMS, learn_scaling

RNG = np.random.default_rng(6)
TABLE = np.column_stack([RNG.normal(3, 2, 500), np.exp(RNG.normal(0, 2, 500)), np.full(500, 0.1), np.zeros(500)])


def test_features_have_mean_0_and_deviation_1():
    found = learn_scaling(TABLE)(TABLE)
    assert found.dtype == np.float32
    assert found.mean(axis=0) == pytest.approx(0, abs=1e-6)
    assert found[:, :2].std(axis=0) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("transform", TRANSFORMS)
def test_columns_that_never_varied_are_0_whatever_comes_later(transform):
    learned = learn_scaling(TABLE, transform)
    assert learned.deviation[2:].tolist() == [0, 0]
    assert (learned.deviation[:2] > 0).all()
    for later in (0, 0.01, 1e6, 1e300):
        assert not learned(TABLE + np.array([0, 0, later, later]))[:, 2:].any()


def test_log_is_the_logarithm_of_the_size_with_its_sign():
    values = np.array([[-9.0], [0.0], [1.0]])
    logs = np.array([-np.log(10), 0, np.log(2)])
    assert learn_scaling(values, "log")(values)[:, 0] == pytest.approx((logs - logs.mean()) / logs.std(), abs=1e-6)


def test_none_leaves_all_as_it_is():
    assert learn_scaling(TABLE[:, :2], "none")(TABLE[:, :2]).tolist() == TABLE[:, :2].astype(np.float32).tolist()


def test_auto_takes_logarithms_of_what_is_less_skewed_by_them():
    learned = learn_scaling(TABLE, "auto")
    assert learned.logged.tolist() == [False, True, False, False]
    plain, logs = learn_scaling(TABLE), learn_scaling(TABLE, "log")
    assert_same_numbers(learned.mean.tolist(), [plain.mean[0], logs.mean[1], *plain.mean[2:]])
    assert_same_numbers(learned.deviation[:2].tolist(), [plain.deviation[0], logs.deviation[1]])


@pytest.mark.parametrize("transform", TRANSFORMS)
def test_some_rows_at_a_time_are_the_same_as_all(transform, monkeypatch):
    whole = learn_scaling(TABLE, transform)
    scaled = whole(TABLE)
    monkeypatch.setattr(scaling, "ROWS_AT_ONCE", 7)
    parts = learn_scaling(TABLE, transform)
    assert parts.mean == pytest.approx(whole.mean)
    assert parts.deviation == pytest.approx(whole.deviation)
    assert parts.logged.tolist() == whole.logged.tolist()
    assert parts(TABLE) == pytest.approx(scaled, abs=1e-5)


def test_what_is_learned_is_applied_to_other_rows():
    learned = learn_scaling(np.array([[0.0], [2.0]]))
    assert learned(np.array([[5.0]])).tolist() == [[4.0]]  # (5 - 1) / 1


def test_float32_input_is_scaled_as_float64_is():
    assert learn_scaling(TABLE.astype(np.float32))(TABLE.astype(np.float32)) == pytest.approx(
        learn_scaling(TABLE)(TABLE), abs=1e-4
    )


def test_numbers_too_large_are_refused_and_logarithms_take_them():
    large = TABLE * 1e200
    with pytest.raises(InputError, match=r"feature 1 .*transform='log'"):
        learn_scaling(large)
    with pytest.raises(InputError, match=r"document 1: feature 1 .*e\+200"):
        learn_scaling(large, "none")(large)
    for transform in ("log", "auto"):
        assert np.isfinite(learn_scaling(large, transform)(large)).all()


def test_a_transform_that_there_is_not_is_refused():
    with pytest.raises(ParameterError, match=r"transform is 'sqrt', .*'standard', 'log', 'auto', 'none'"):
        learn_scaling(TABLE, "sqrt")
