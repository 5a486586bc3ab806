"""What is true of all losses: their formula, gradient, invariances, and that nothing breaks them."""

from itertools import pairwise

import numpy as np
import pytest
from helpers.losses import (
    LOOPED,
    TABLE,
    called,
    differences,
    graded_lists,
    lists_of,
    random_lists,
    texts,
)
from helpers.messages import mentions
from helpers.properties import examples
from hypothesis import given

from rankscope.learning import LOSSES, losses
from rankscope.learning.losses import NonFiniteLoss, parse_loss

every = pytest.mark.parametrize("entry", TABLE, ids=texts(TABLE))


def test_every_loss_is_in_the_table():
    assert {entry.loss.name for entry in TABLE} == set(LOSSES), "add a line to TABLE of tests/helpers/losses.py"


def test_every_loss_is_found_in_the_package_and_tells_its_source():
    assert set(LOSSES) <= set(losses.__all__), "add it to HOMES and the imports of losses/__init__.py"
    for name in LOSSES:
        function = getattr(losses, name)
        assert "References\n" in function.__doc__
        assert ">>> " in function.__doc__
        assert "lower is better" in " ".join(function.__doc__.split()).lower()


@pytest.mark.parametrize("entry", LOOPED, ids=texts(LOOPED))
@examples(12, quick=5)
@given(lists=graded_lists())
def test_the_value_is_that_of_the_formula_in_loops(entry, lists):
    expected = np.mean([entry.by_loops(*one) for one in lists_of(*lists)])
    assert called(entry.loss, *lists)[0] == pytest.approx(expected, abs=1e-9)


@every
def test_the_gradient_is_that_of_finite_differences(entry):
    scores, grades, offsets = random_lists()
    _, gradient = called(entry.loss, scores, grades, offsets)
    expected = differences(lambda x: called(entry.loss, x, grades, offsets)[0], scores)
    assert gradient == pytest.approx(expected, abs=2e-8)


@pytest.mark.parametrize("entry", [e for e in TABLE if e.shift], ids=texts(e for e in TABLE if e.shift))
def test_a_constant_added_to_all_scores_changes_nothing(entry):
    scores, grades, offsets = random_lists(1)
    value, gradient = called(entry.loss, scores, grades, offsets)
    shifted, same = called(entry.loss, scores + 37.5, grades, offsets)
    assert shifted == pytest.approx(value)
    assert same == pytest.approx(gradient, abs=1e-12)
    assert np.add.reduceat(gradient, offsets[:-1]) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("entry", [e for e in TABLE if e.order], ids=texts(e for e in TABLE if e.order))
def test_the_order_of_lists_and_of_documents_changes_nothing(entry):
    scores, grades, offsets = random_lists(2)
    value, gradient = called(entry.loss, scores, grades, offsets)
    rng = np.random.default_rng(3)
    parts = [rng.permutation(np.arange(a, b)) for a, b in pairwise(offsets)][::-1]
    order = np.concatenate(parts)
    other, moved = called(entry.loss, scores[order], grades[order], np.cumsum([0, *map(len, parts)]))
    assert other == pytest.approx(value)
    assert moved == pytest.approx(gradient[order], abs=1e-12)


@every
def test_float32_scores_have_a_float32_gradient_near_that_of_float64(entry):
    scores, grades, offsets = random_lists(4)
    scores = scores.astype(np.float32)
    value, gradient = called(entry.loss, scores.astype(np.float64), grades, offsets)
    near, found = called(entry.loss, scores, grades, offsets)
    assert isinstance(near, float)
    assert isinstance(value, float)
    assert found.dtype == np.float32
    assert gradient.dtype == np.float64
    assert near == pytest.approx(value, rel=1e-5)
    assert found == pytest.approx(gradient, abs=1e-5)


@every
def test_the_arguments_are_left_as_they_were(entry):
    scores, grades, offsets = random_lists(5)
    before = scores.copy(), grades.copy(), offsets.copy()
    called(entry.loss, scores, grades, offsets)
    for was, now in zip(before, (scores, grades, offsets), strict=True):
        assert was.tolist() == now.tolist()


@every
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_huge_and_equal_scores_and_lists_of_one_document_give_numbers(entry, dtype):
    grades, offsets = np.array([0, 2, 1, 1, 0, 3, 3, 0, 0]), np.array([0, 4, 5, 7, 9])
    for scores in ([1e6, -1e6, 3e5, 1e4, 7.0, 1e6, -1e6, 0.0, 2e6], [0.0] * 9, [-2e4, 2e4, 0, 0, 0, 0, 0, 1, 0]):
        value, gradient = called(entry.loss, np.array(scores, dtype), grades, offsets)
        assert np.isfinite(value)
        assert np.isfinite(gradient).all()


NOTHING_TO_LEARN = ("listmle", "ranknet", "ranksvm", "lambdarank")


@pytest.mark.parametrize("name", NOTHING_TO_LEARN)
def test_lists_of_one_grade_are_worth_nothing_to_pairs_and_to_listmle(name):
    value, gradient = called(parse_loss(name), np.array([0.3, 0.1, 0.7]), np.array([1, 1, 2]), np.array([0, 2, 3]))
    assert value == 0
    assert gradient.tolist() == [0, 0, 0]


@pytest.mark.parametrize("name", ["approxndcg", "approxmrr", "neuralndcg"])
def test_lists_without_a_relevant_document_count_as_one_where_the_loss_is_what_a_measure_lacks(name):
    value, gradient = called(parse_loss(name), np.array([0.3, 0.1]), np.array([0, 0]), np.array([0, 2]))
    assert value == 1
    assert gradient.tolist() == [0, 0]


@every
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_scores_that_are_not_finite_are_refused(entry, bad, recwarn):
    for dtype in (np.float64, np.float32):
        scores, grades, offsets = random_lists(7)
        scores = scores.astype(dtype)
        scores[4] = bad
        with pytest.raises(NonFiniteLoss, match=rf"^{entry.loss.name}: .*document 5 is {bad:g}, expected finite"):
            called(entry.loss, scores, grades, offsets)
    assert not recwarn.list


@every
@pytest.mark.parametrize("scale", [1e30, 1e150, 1e300, 1.7e308])
def test_huge_scores_have_a_finite_loss_or_are_refused(entry, scale, recwarn):
    scores, grades, offsets = random_lists(7)
    value, gradient, refusal = 0.0, np.zeros(1), f"{entry.loss.name}: scores up to {scale:g} are too large for float64"
    try:
        value, gradient = called(entry.loss, scores / np.abs(scores).max() * scale, grades, offsets)
    except NonFiniteLoss as error:
        refusal = str(error)
    assert mentions(refusal, f"{entry.loss.name}: scores up to {scale:g} are too large", "float64")
    assert np.isfinite(value)
    assert np.isfinite(gradient).all()
    assert not recwarn.list


@pytest.mark.parametrize("scale", [1.0, 1e3, 1e100, 1e300])
def test_neural_sort_of_scores_far_apart_is_the_sort(scale):
    scores, grades, offsets = scale * np.array([90.0, 20.0, -50.0, 70.0, -10.0]), np.array([2, 0, 1, 0, 1]), [0, 3, 5]
    dcg = 3 + 1 / np.log2(4), 1 / np.log2(3)
    ideal = 3 + 1 / np.log2(3), 1.0
    expected = 1 - (dcg[0] / ideal[0] + dcg[1] / ideal[1]) / 2
    value, gradient = losses.neuralndcg(scores, grades, np.array(offsets), temperature=0.1)
    assert value == pytest.approx(expected, abs=1e-6)
    assert gradient == pytest.approx(0, abs=1e-6)
