"""Counting pairs and inversions, against loops over all pairs."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from helpers.properties import examples
from hypothesis import given
from hypothesis import strategies as st

from rankscope.kernels import pairs
from rankscope.kernels.inversions import count_inversions, greater_before, order_by_row
from rankscope.kernels.pairs import PairCounts, count_pairs, count_pairs_by_row, sort_pairs, stable_rising, tied_pairs


def loop(x, y):
    """The five classes, by looking at every pair."""
    counts = dict.fromkeys(("concordant", "discordant", "tied_x", "tied_y", "tied_both"), 0)
    for i, j in combinations(range(len(x)), 2):
        if x[i] != x[i] or y[i] != y[i] or x[j] != x[j] or y[j] != y[j]:
            continue
        if x[i] == x[j]:
            counts["tied_both" if y[i] == y[j] else "tied_x"] += 1
        elif y[i] == y[j]:
            counts["tied_y"] += 1
        else:
            counts["concordant" if (x[i] < x[j]) == (y[i] < y[j]) else "discordant"] += 1
    return PairCounts(**counts)


def greater_before_by_loop(values):
    return [sum(earlier > value for earlier in values[:i]) for i, value in enumerate(values)]


VALUES = st.one_of(
    st.integers(0, 3).map(float), st.floats(allow_nan=False), st.sampled_from([0.0, -0.0, np.inf, -np.inf])
)
TWO_LISTS = st.lists(st.tuples(VALUES, VALUES), max_size=80).map(
    lambda rows: (np.array([x for x, _ in rows], np.float64), np.array([y for _, y in rows], np.float64))
)


@examples(300)
@given(lists=TWO_LISTS)
def test_pairs_are_counted_as_by_a_loop_over_all_pairs(lists):
    assert count_pairs(*lists) == loop(*lists)


@examples(200)
@given(lists=TWO_LISTS, sample=st.integers(2, 40))
def test_pairs_of_few_values_are_counted_so_from_a_sample(lists, sample):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairs, "MIN_ITEMS", 8)
        patch.setattr(pairs, "MAX_SAMPLE", sample)
        assert count_pairs(*lists) == loop(*lists)


@pytest.mark.parametrize("step", [1.0, 0.1, 1e-300, 1e300, 2.0**-1074])
@pytest.mark.parametrize("n_values", [1, 2, 5, 100, 3000])
def test_few_values_are_ranked_by_buckets_as_by_sorting(step, n_values):
    rng = np.random.default_rng(n_values)
    values = (rng.integers(0, n_values, 20_000) - n_values // 2) * min(step, 1e308 / n_values)
    found = pairs.ranks_of_few_values(values)
    distinct, ranks = np.unique(values, return_inverse=True)
    if found is not None:
        assert found.n_values == distinct.size
        np.testing.assert_array_equal(found.ranks, ranks)
    assert (found is not None) or n_values == 3000 or step in (1e300, 2.0**-1074)


def test_values_that_a_sample_lacks_are_ranked_too():
    values = np.zeros(20_000)
    values[[1, 7, 19_999]] = 0.25, -3.0, 1.0
    found = pairs.ranks_of_few_values(values)
    np.testing.assert_array_equal(found.ranks, np.unique(values, return_inverse=True)[1])
    assert found.n_values == 4
    assert pairs.ranks_of_few_values(np.random.default_rng(1).standard_normal(20_000)) is None


@examples(200)
@given(lists=TWO_LISTS)
def test_pairs_are_counted_so_without_the_table_of_few_values_too(lists):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairs, "CELLS", 0)
        assert count_pairs(*lists) == loop(*lists)


@examples(200)
@given(lists=TWO_LISTS)
def test_each_item_has_the_pairs_that_a_loop_finds(lists):
    x, y = lists
    found = sort_pairs(x, y)
    for place, i in enumerate(found.order.tolist()):
        others = [j for j in range(x.size) if j != i]
        above = [j for j in others if x[j] > x[i]]
        below = [j for j in others if x[j] < x[i]]
        assert found.discordant_before[place] == sum(y[j] > y[i] for j in below)
        assert found.discordant_behind[place] == sum(y[j] < y[i] for j in above)
        assert found.concordant[place] == sum(y[j] < y[i] for j in below) + sum(y[j] > y[i] for j in above)
        assert found.tied_x[place] == sum(x[j] == x[i] for j in others)
        assert found.tied_y[place] == sum(y[j] == y[i] for j in others)
        assert found.tied_both[place] == sum(x[j] == x[i] and y[j] == y[i] for j in others)


WIDE = st.one_of(
    st.floats(allow_nan=False), st.floats(1, 1 + 1e-12), st.sampled_from([0.0, -0.0, np.inf, -np.inf, 5e-324])
)


@examples(300)
@given(values=st.lists(WIDE, min_size=1, max_size=60))
def test_numbers_and_places_sorted_as_one_give_the_stable_order(values):
    x = np.array(values)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairs, "SHORT_LIST", 0)
        assert stable_rising(x).tolist() == np.argsort(x, kind="stable").tolist()


def test_numbers_that_differ_in_their_last_digit_only_are_told_apart_among_many():
    rng = np.random.default_rng(2)
    near = np.nextafter(1.5, 2) + rng.integers(0, 3, 50_000) * np.spacing(1.5)
    x = np.concatenate((near, -near, [1e300, -1e300, 0.0, -0.0]))
    assert stable_rising(x).tolist() == np.argsort(x, kind="stable").tolist()
    single = np.clip(x, -9, 9).astype(np.float32)
    assert stable_rising(single).tolist() == np.argsort(single, kind="stable").tolist()


@pytest.mark.parametrize("sign", [1, -1])
def test_numbers_so_near_that_none_of_their_digits_is_cut_are_in_order(sign):
    steps = np.random.default_rng(4).permutation(5000)
    assert stable_rising(sign * (3.0 + steps * np.spacing(3.0))).tolist() == np.argsort(sign * steps).tolist()


def test_items_stand_by_rising_x_and_those_of_one_x_by_rising_y():
    found = sort_pairs(np.array([2.0, 1.0, 2.0, 2.0]), np.array([5.0, 7.0, 3.0, 7.0]))
    assert found.order.tolist() == [1, 2, 0, 3]
    assert found.x.tolist() == [0, 1, 1, 1]
    assert found.y.tolist() == [2, 0, 1, 2]
    assert found.y_order.tolist() == [1, 2, 0, 3]
    assert found.distinct == (2, 3)


# 64 is the longest row whose pairs are all compared, 4096 = 64^2 the longest that one step takes there.
@pytest.mark.parametrize("n", [0, 1, 2, 3, 63, 64, 65, 127, 128, 129, 1000, 4095, 4096, 4097, 5000])
@pytest.mark.parametrize("values", [3, 50, 10**9])
def test_inversions_are_those_of_a_loop_on_either_side_of_every_step(n, values):
    x = np.random.default_rng(n).integers(0, values, n)
    expected = [int((x[:i] > x[i]).sum()) for i in range(n)]
    order = np.argsort(x, kind="stable")
    assert greater_before(order).tolist() == expected
    assert count_inversions(order) == sum(expected)


@examples(60)
@given(seed=st.integers(0, 2**32 - 1), rows=st.integers(0, 4), n=st.integers(0, 200))
def test_rows_are_counted_each_by_itself(seed, rows, n):
    x = np.random.default_rng(seed).integers(0, 40, (rows, n))
    order = np.argsort(x, axis=1, kind="stable")
    expected = [greater_before_by_loop(row) for row in x.tolist()]
    assert greater_before(order).tolist() == expected
    assert count_inversions(order) == sum(map(sum, expected))


@pytest.mark.parametrize("n", [300, 70_000])
def test_each_of_a_falling_list_has_all_before_it_that_are_greater(n):
    places = np.arange(n)
    assert (greater_before(places[::-1]) == places).all()
    assert (greater_before(places) == 0).all()


@pytest.mark.parametrize("n", [257, 4_097, 32_768, 65_536, 131_073])  # 256 blocks of 256, 257 of 512
def test_those_greater_before_and_behind_are_all_that_are_greater(n):
    values = np.random.default_rng(n).permutation(n)
    order = np.argsort(values)
    before, behind = greater_before(order), greater_before(n - 1 - order)[::-1]
    assert (before + behind == n - 1 - values).all()
    assert count_inversions(order) == before.sum()


# 3 bits of eight places leave 28 of the 31 bits of an int32 for the value.
@pytest.mark.parametrize("most", [0, 1, 6, 2**28 - 1, 2**28, 2**28 + 1, 2**40])
@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_rows_of_whole_numbers_of_any_size_are_put_in_stable_order(most, n):
    rows = np.random.default_rng(n).integers(0, most + 1, (5, n))
    rows[0] = most
    rows[1, -1] = most
    assert order_by_row(rows).tolist() == np.argsort(rows, axis=1, kind="stable").tolist()
    assert order_by_row(rows[:0]).shape == (0, n)


def test_the_counts_of_a_reversed_list_need_no_rounding():
    n = 300_000
    x = np.arange(n, dtype=np.float64)
    assert count_pairs(x, -x) == PairCounts(0, n * (n - 1) // 2, 0, 0, 0)
    assert count_pairs(x, x // 2) == PairCounts(n * (n - 1) // 2 - n // 2, 0, 0, n // 2, 0)
    assert tied_pairs(np.array([2**28 + 1, 3])) == 2**55 + 2**27 + 3  # more than float64 can tell apart


@pytest.mark.parametrize("y", [[1.0, 2.0, 3.0], [1.0, 1.0, 3.0]], ids=["no ties", "ties"])
def test_counts_are_whole_numbers(y):
    found = count_pairs(np.arange(3.0), np.array(y))
    assert {type(getattr(found, name)) for name in PairCounts.__annotations__} == {int}


@pytest.mark.parametrize("scale", [1, 30, 2000])
def test_a_long_list_is_counted_as_its_pieces_and_what_lies_between_them(scale):
    """Pairs of two lists put one after the other, all of the second greater in x and less in y."""
    rng = np.random.default_rng(scale)
    x, y = rng.integers(0, 10 * scale, (2, 20_000)).astype(np.float64)
    half = count_pairs(x, y)
    both = count_pairs(np.concatenate((x, x + 1e6)), np.concatenate((y, y - 1e6)))
    assert both.discordant == 2 * half.discordant + x.size**2
    assert both.concordant == 2 * half.concordant
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairs, "CELLS", 0)
        assert count_pairs(x, y) == half
    assert (both.tied_x, both.tied_y, both.tied_both) == (2 * half.tied_x, 2 * half.tied_y, 2 * half.tied_both)
    assert both.total == 40_000 * 39_999 // 2


SHORT = st.integers(0, 6).flatmap(
    lambda items: st.lists(
        st.lists(st.tuples(*[st.sampled_from([0.0, 1.0, 2.0, np.inf, np.nan])] * 2), min_size=items, max_size=items),
        min_size=1,
        max_size=8,
    )
)


@examples(200)
@given(lists=SHORT)
def test_many_short_lists_are_counted_each_as_by_a_loop_and_nan_is_in_no_pair(lists):
    x = np.array([[x for x, _ in row] for row in lists], np.float64).reshape(len(lists), -1)
    y = np.array([[y for _, y in row] for row in lists], np.float64).reshape(len(lists), -1)
    found = count_pairs_by_row(x, y)
    for i in range(len(lists)):
        assert {getattr(found, name).dtype for name in PairCounts.__annotations__} == {np.dtype(np.int64)}
        one = PairCounts(*(int(getattr(found, name)[i]) for name in PairCounts.__annotations__))
        assert one == loop(x[i], y[i])


def test_more_short_lists_than_are_compared_at_a_time_are_all_counted(monkeypatch):
    rng = np.random.default_rng(3)
    x, y = rng.integers(0, 4, (2, 50, 7)).astype(np.float64)
    whole = count_pairs_by_row(x, y)
    monkeypatch.setattr(pairs, "BLOCK", 20)
    pieces = count_pairs_by_row(x, y)
    for name in PairCounts.__annotations__:
        assert getattr(whole, name).tolist() == getattr(pieces, name).tolist()
    assert whole.total.tolist() == [7 * 6 // 2] * 50


def test_nothing_is_written_into_the_lists_that_were_given():
    x, y = np.array([[3.0, np.nan, 1.0]]), np.array([[1.0, 2.0, 2.0]])
    before = x.copy(), y.copy()
    count_pairs_by_row(x, y)
    count_pairs(y[0], y[0])
    np.testing.assert_array_equal(x, before[0])
    np.testing.assert_array_equal(y, before[1])
