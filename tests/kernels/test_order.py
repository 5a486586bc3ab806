"""Sorting and finding repeats, against Python's sorted and set."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.properties import examples
from hypothesis import example, given
from hypothesis import strategies as st

from rankscope.kernels.order import order_falling, order_in_groups, ranges, repeated, stable_order

CODES = st.one_of(st.integers(0, 5), st.integers(0, 70_000), st.integers(0, 2**40))


@examples(100)
@given(st.lists(CODES, max_size=60))
def test_stable_order_is_pythons(codes: list[int]) -> None:
    assert stable_order(np.array(codes, np.intp)).tolist() == sorted(range(len(codes)), key=codes.__getitem__)


@pytest.mark.parametrize("highest", [1, 65_535, 65_536, 2**32, 2**33])
def test_stable_order_holds_around_its_digits(highest: int) -> None:
    codes = [highest, 0, highest - 1, highest, 0, highest // 2]
    assert stable_order(np.array(codes, np.intp)).tolist() == sorted(range(6), key=codes.__getitem__)


SCORES = st.sampled_from([0.0, -0.0, 1.0, 1.5, -1.0, 1e300, 5e-324]) | st.floats(allow_nan=False, allow_infinity=False)


@examples(150)
@given(st.lists(st.tuples(st.integers(0, 4), SCORES), max_size=50))
def test_order_in_groups_is_pythons_by_group_then_falling_score(rows: list[tuple[int, float]]) -> None:
    groups, scores = np.array([g for g, _ in rows], np.intp), np.array([s for _, s in rows], np.float64)
    naive = sorted(range(len(rows)), key=lambda i: (rows[i][0], -rows[i][1]))
    assert order_in_groups(groups, scores).tolist() == naive


# Groups of much the same size go one way, one long group among short ones the other.
@examples(150)
@given(st.lists(st.lists(SCORES, max_size=4) | st.lists(SCORES, min_size=10, max_size=12), max_size=8))
@example([[1.0, 2.0], [], [3.0, 3.0]])
@example([[2.0, 1.0], [0.5, 0.5]])
def test_each_group_is_sorted_by_falling_score(groups: list[list[float]]) -> None:
    scores, lengths = np.array([s for g in groups for s in g], np.float64), np.array([len(g) for g in groups], np.int64)
    of = np.repeat(np.arange(lengths.size), lengths)
    naive = sorted(range(scores.size), key=lambda i: (of[i], -scores[i]))
    assert order_falling(scores, lengths).tolist() == naive
    quick = order_falling(scores, lengths, stable=False)
    assert sorted(quick.tolist()) == list(range(scores.size))
    assert scores[quick].tolist() == scores[naive].tolist()


def test_many_equal_scores_keep_their_order() -> None:
    scores = np.tile([2.0, 1.0], 300)
    expected = [*range(0, 200, 2), *range(1, 200, 2)]
    lengths = np.array([200, 200, 200])
    assert order_falling(scores, lengths).tolist() == [a + i for a in (0, 200, 400) for i in expected]
    uneven = np.array([200, *[1] * 400])
    assert order_falling(scores, uneven).tolist() == [*expected, *range(200, 600)]


@examples(100)
@given(st.lists(st.tuples(st.integers(0, 1000), st.integers(0, 6)), max_size=20))
def test_ranges_are_pythons_one_after_the_other(pairs: list[tuple[int, int]]) -> None:
    starts, lengths = (np.array(c, np.int64) for c in (zip(*pairs, strict=True) if pairs else ([], [])))
    assert ranges(starts, lengths).tolist() == [i for a, n in pairs for i in range(a, a + n)]


# Keys that share their first bits fall into one place of the table; those are the ones that could be overlooked.
KEYS = st.one_of(st.integers(0, 2**64 - 1), st.integers(0, 40), st.integers(2**64 - 20, 2**64 - 1))


@examples(300)
@given(st.lists(KEYS, max_size=40), st.lists(st.integers(0, 39), max_size=2))
def test_repeated_says_whether_a_set_would_be_smaller(keys: list[int], again: list[int]) -> None:
    keys = keys + [keys[i] for i in again if i < len(keys)]
    assert repeated(np.array(keys, np.uint64)) == (len(set(keys)) < len(keys))


def test_one_repeat_among_many_is_found_wherever_it_stands() -> None:
    rng = np.random.default_rng(1)
    keys = rng.integers(0, 2**64, 5000, np.uint64, endpoint=False)
    assert not repeated(keys)
    for _ in range(50):
        a, b = rng.choice(5000, 2, replace=False)
        changed = keys.copy()
        changed[a] = changed[b]
        assert repeated(changed)


def test_three_keys_in_one_place_of_which_two_are_equal_are_found_in_any_order() -> None:
    for keys in ([1, 1, 2], [1, 2, 1], [2, 1, 1], [1, 2, 3, 1], [1, 2, 1, 3], [3, 1, 1, 2]):
        assert repeated(np.array(keys, np.uint64)), keys
    assert not repeated(np.array([1, 2, 3], np.uint64))
