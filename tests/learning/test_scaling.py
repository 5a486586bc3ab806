"""What is done to features: mean 0, deviation 1, logarithms, columns that never vary."""

from dataclasses import replace

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.same import assert_same_numbers

from rankscope.data.features import Features
from rankscope.errors import InputError, ParameterError
from rankscope.learning import scaling
from rankscope.learning.scaling import (
    TRANSFORMS,
    differences_from_training,
    learn_scaling,
    usual_values,
    with_list_ranks,
)

RNG = np.random.default_rng(6)
TABLE = np.column_stack([RNG.normal(3, 2, 500), np.exp(RNG.normal(0, 2, 500)), np.full(500, 0.1), np.zeros(500)])


def test_features_have_mean_0_and_deviation_1():
    found = learn_scaling(TABLE)(TABLE)
    assert found.dtype == np.float32
    assert found[:, [0, 2, 3]].mean(axis=0) == pytest.approx(0, abs=1e-6)
    assert found[:, 0].std() == pytest.approx(1, abs=1e-5)
    tail = TABLE[:, 1]
    assert found[:, 1] == pytest.approx(np.clip((tail - tail.mean()) / tail.std(), -5, 5), abs=1e-5)


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
    with pytest.raises(InputError, match=r"document 1: feature 1 .*e\+200, too large to be used unscaled"):
        learn_scaling(large, "none")(large)
    for transform in ("log", "auto"):
        assert np.isfinite(learn_scaling(large, transform)(large)).all()


@pytest.mark.parametrize("transform", [transform for transform in TRANSFORMS if transform != "none"])
def test_no_number_takes_a_feature_further_than_the_bound(transform):
    learned = learn_scaling(TABLE, transform)
    for far in (-1e300, -1e9, 1e9, 1e300):
        scaled = learned(np.full((1, 4), far))
        assert scaled[0, :2].tolist() == [5 * np.sign(far)] * 2
        assert not scaled[0, 2:].any()
    inside = np.abs(learned(TABLE)) < 5
    unbounded = replace(learned, bound=np.inf)
    assert (learned(TABLE)[inside] == unbounded(TABLE)[inside]).all()  # no number within the bound moves
    assert np.isinf(learn_scaling(TABLE, "none").bound)


@pytest.mark.parametrize(("documents", "most"), [(99, 0), (100, 1), (450, 4), (1000, 10), (5000, 10)])
def test_features_that_vary_in_a_handful_of_documents_are_0(documents, most):
    rng = np.random.default_rng(documents)
    values = np.tile([3.0, 0.0], (documents, 1))
    for j, varying in enumerate((most, most + 1)):
        values[rng.choice(documents, varying, replace=False), j] = rng.random(varying) + 5
    for transform in TRANSFORMS:
        learned = learn_scaling(values, transform)
        assert learned.deviation[0] == 0 < learned.deviation[1]
        assert not learned(values + 1)[:, 0].any()
    usual, n_unusual = usual_values(values)
    assert (usual.tolist(), n_unusual.tolist()) == ([3, 0], [most, most + 1])


def test_a_rank_is_learned_from_no_more_documents_than_its_feature():
    values = np.zeros((400, 2))
    values[3, 0], values[::2, 1] = 1.0, 1.0
    ranked = with_list_ranks(Features.of(values, sizes=[20] * 20))
    assert (ranked.values[:, 2] != 0.5).sum() == 20  # all of a list
    assert learn_scaling(ranked.values, ranks=True).deviation[[0, 2]].tolist() == [0, 0]
    assert (learn_scaling(ranked.values, ranks=True).deviation[[1, 3]] > 0).all()


def test_differences_from_training_are_named():
    learned = learn_scaling(TABLE)
    assert differences_from_training(learned, Features.of(TABLE)) == ()
    low, high = TABLE[:, 0].min(), TABLE[:, 0].max()
    row = TABLE[:1].copy()
    for value, is_far in ((high + 0.99 * (high - low), False), (high + 1.01 * (high - low), True), (-1e300, True)):
        row[0, 0] = value
        notes = differences_from_training(learned, Features.of(row, names="abcd"))
        assert len(notes) == is_far
        assert not is_far or mentions(
            notes[0], "1 feature far outside", "'a'", f"{value:g}", f"{high:g}", "5 deviations"
        )
    row[0, 0], row[0, 3] = 1.0, 2.0
    (note,) = differences_from_training(learned, Features.of(row, names="abcd"))
    assert mentions(note, "1 feature not used", "varied in no training document or too few", "'d'", "1 of 1 document")


def test_a_transform_that_there_is_not_is_refused():
    with pytest.raises(ParameterError, match=r"transform is 'sqrt', .*'standard', 'log', 'auto', 'none'"):
        learn_scaling(TABLE, "sqrt")
