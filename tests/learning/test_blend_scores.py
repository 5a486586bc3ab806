"""Scores on one scale and their weighted sum: worked by hand, and what no scale may change."""

from __future__ import annotations

from itertools import pairwise
from math import sqrt

import numpy as np
import pytest
from helpers.properties import examples
from hypothesis import given
from hypothesis import strategies as st

from rankscope.errors import InputError, ParameterError
from rankscope.learning.blend import NORMALISATIONS, BlendSettings, Combination, learn_combination, within_deviation

#: Lists of 3, 1 and 2 documents.
OFFSETS = np.array([0, 3, 4, 6])
SCORES = np.array([1.0, 3.0, 1.0, 7.0, 5.0, 5.0])


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        # The first list has mean 5/3, and deviations -2/3, 4/3, -2/3, whose mean square is 8/9.
        ("z-score", [-2 / 3 / sqrt(8 / 9), 4 / 3 / sqrt(8 / 9), -2 / 3 / sqrt(8 / 9), 0, 0, 0]),
        ("min-max", [(1 - 1) / (3 - 1), (3 - 1) / (3 - 1), 0, 0, 0, 0]),
        # Of two others: none below and one alike, 1/2 of 2; both below; a document alone; one alike, 1/2 of 1.
        ("rank", [0.5 / 2, 2 / 2, 0.5 / 2, 0, 0.5 / 1, 0.5 / 1]),
    ],
)
def test_scales_of_a_list(how: str, expected: list[float]) -> None:
    of_one = Combination(normalise=how, centre=np.zeros(1), spread=np.ones(1), weights=np.ones(1))
    np.testing.assert_allclose(of_one([SCORES], OFFSETS), expected)


def test_the_fixed_scale_takes_the_mean_of_all_and_the_deviation_within_lists() -> None:
    found = learn_combination([SCORES, SCORES], OFFSETS, settings=BlendSettings(normalise="fixed"))
    mean = (1 + 3 + 1 + 7 + 5 + 5) / 6
    within = sqrt(((2 / 3) ** 2 + (4 / 3) ** 2 + (2 / 3) ** 2 + 0 + 0 + 0) / 6)
    assert found.centre.tolist() == pytest.approx([mean, mean])
    assert found.spread.tolist() == pytest.approx([within, within])
    np.testing.assert_allclose(found([SCORES, SCORES], OFFSETS), (SCORES - mean) / within)


def test_the_average_of_two_rankers_by_hand() -> None:
    other = np.array([0.0, 1.0, 4.0, 2.0, -1.0, 1.0])
    found = learn_combination([SCORES, other], OFFSETS, settings=BlendSettings(normalise="min-max"))
    assert found.weights.tolist() == [1 / 2, 1 / 2]
    expected = [(0 + 0) / 2, (1 + 1 / 4) / 2, (0 + 1) / 2, 0, (0 + 0) / 2, (0 + 1) / 2]
    np.testing.assert_allclose(found([SCORES, other], OFFSETS), expected)


def test_what_is_learned_on_some_lists_is_used_on_others() -> None:
    found = learn_combination([SCORES, -SCORES], OFFSETS, settings=BlendSettings(normalise="fixed"))
    alone = found([[9.0], [1.0]], np.array([0, 1]))
    spread, mean = within_deviation(SCORES, OFFSETS), float(SCORES.mean())
    assert alone.tolist() == pytest.approx([((9 - mean) / spread + (1 + mean) / spread) / 2])


@pytest.mark.parametrize("normalise", NORMALISATIONS)
def test_a_ranker_whose_scores_are_all_alike_adds_nothing(normalise: str) -> None:
    # 0.1 has no exact mean: what rounding leaves must not be blown up.
    found = learn_combination([SCORES, np.full(6, 0.1)], OFFSETS, settings=BlendSettings(normalise=normalise))
    alone = learn_combination([SCORES, SCORES], OFFSETS, settings=BlendSettings(normalise=normalise))
    blend, single = found([SCORES, np.full(6, 0.1)], OFFSETS), alone([SCORES, SCORES], OFFSETS)
    for a, b in ((0, 3), (4, 6)):
        np.testing.assert_allclose(np.diff(blend[a:b]), np.diff(single[a:b]) / 2, atol=1e-12)


def tables(rankers: int) -> st.SearchStrategy[np.ndarray]:
    """(rankers, 6) whole numbers, so that ties are there and arithmetic is nearly exact."""
    row = st.lists(st.integers(-8, 8), min_size=6, max_size=6)
    return st.lists(row, min_size=rankers, max_size=rankers).map(lambda rows: np.array(rows, np.float64))


@pytest.mark.parametrize("normalise", NORMALISATIONS)
@examples(25)
@given(scores=tables(2), factor=st.integers(1, 50), shift=st.integers(-50, 50))
def test_neither_the_unit_nor_the_origin_of_a_rankers_scores_matters(
    normalise: str, scores: np.ndarray, factor: int, shift: int
) -> None:
    other = scores * [[factor], [1]] + [[shift], [0]]
    plain, moved = (
        learn_combination(one, OFFSETS, settings=BlendSettings(normalise=normalise))(one, OFFSETS)
        for one in (scores, other)
    )
    np.testing.assert_allclose(moved, plain, atol=1e-9)


@pytest.mark.parametrize("normalise", NORMALISATIONS)
@examples(25)
@given(scores=tables(3), order=st.permutations([0, 1, 2]))
def test_the_order_of_the_rankers_does_not_matter(normalise: str, scores: np.ndarray, order: list[int]) -> None:
    plain, moved = (
        learn_combination(one, OFFSETS, settings=BlendSettings(normalise=normalise))(one, OFFSETS)
        for one in (scores, scores[order])
    )
    np.testing.assert_allclose(moved, plain, atol=1e-12)


@pytest.mark.parametrize("normalise", NORMALISATIONS)
@examples(25)
@given(row=tables(1))
def test_a_blend_of_one_ranker_with_itself_puts_documents_in_its_order(normalise: str, row: np.ndarray) -> None:
    both = np.repeat(row, 2, axis=0)
    blend = learn_combination(both, OFFSETS, settings=BlendSettings(normalise=normalise))(both, OFFSETS)
    for a, b in pairwise(OFFSETS):
        mine, its = blend[a:b], row[0, a:b]
        assert (np.sign(mine[:, None] - mine) == np.sign(its[:, None] - its)).all()


@pytest.mark.parametrize("normalise", NORMALISATIONS[1:])
@examples(25)
@given(scores=tables(2))
def test_scales_within_lists_do_not_look_at_other_lists(normalise: str, scores: np.ndarray) -> None:
    whole = learn_combination(scores, OFFSETS, settings=BlendSettings(normalise=normalise))(scores, OFFSETS)
    first = learn_combination(scores[:, :3], OFFSETS[:2], settings=BlendSettings(normalise=normalise))(
        scores[:, :3], OFFSETS[:2]
    )
    np.testing.assert_allclose(whole[:3], first, atol=1e-12)


def test_scores_that_are_no_numbers_are_refused_by_the_place_of_their_part() -> None:
    with pytest.raises(InputError, match=r"part 2 .*finite"):
        learn_combination([SCORES, np.where(SCORES > 5, np.nan, SCORES)], OFFSETS, settings=BlendSettings())


def test_stacking_asks_for_grades() -> None:
    with pytest.raises(ParameterError, match=r"stacked .*grades"):
        learn_combination([SCORES, SCORES], OFFSETS, settings=BlendSettings(how="stacked"))
