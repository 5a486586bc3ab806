"""Exact sums and products: what is left after rounding once is what mathematics has, in every order of adding."""

from fractions import Fraction

import numpy as np
import pytest

from rankscope.kernels.exact import (
    ROW_BITS,
    exact_group_sums,
    exact_units,
    round_columns,
    round_rows,
    rounding_term,
    sum_bits,
)

RNG = np.random.default_rng(5)


def wide(*shape):
    """Numbers of all digits and of many sizes."""
    return RNG.normal(size=shape) * 10.0 ** RNG.integers(-6, 7, shape)


def rounded_rows(values):
    values = values.copy()
    round_rows(values, np.empty_like(values))
    return values


def test_a_rounded_row_is_near_itself_and_of_few_digits():
    values = np.concatenate([wide(200, 9), np.eye(3, 9), -np.eye(3, 9) * 2.0**40, np.zeros((1, 9))])
    found, greatest = rounded_rows(values), np.abs(values).max(axis=1)
    assert (np.abs(found - values) <= greatest[:, None] * 2.0**-ROW_BITS).all()
    units = 2.0 ** (np.frexp(greatest)[1] - ROW_BITS)[:, None]
    assert (found / units == np.rint(found / units)).all()
    assert np.abs(found / units).max() <= 2**ROW_BITS


@pytest.mark.parametrize("width", [1, 3, 136, 1000])
def test_products_are_those_of_fractions(width):
    rows, columns = rounded_rows(wide(4, width)), round_columns(wide(width, 3))
    found = rows @ columns
    for i, row in enumerate(rows.tolist()):
        for j, column in enumerate(columns.T.tolist()):
            assert Fraction(found[i, j]) == sum(Fraction(x) * Fraction(w) for x, w in zip(row, column, strict=True))


def test_the_greatest_numbers_that_there_can_be_are_still_exact():
    """All terms of one sign and as large as they may be, with last digits that every rounding would change."""
    width = 1 << 12
    row = np.full((1, width), 1 - 2.0**-ROW_BITS)
    columns = round_columns(np.full((width, 1), (1 - 2.0**-30) / width))
    found = (rounded_rows(row) @ columns)[0, 0]
    assert Fraction(found) == width * Fraction(row[0, 0]) * Fraction(columns[0, 0])


def test_no_order_of_features_changes_a_product():
    values, weights = wide(300, 40), wide(40, 6)
    rows, columns = rounded_rows(values), round_columns(weights)
    for _ in range(5):
        order = RNG.permutation(40)
        assert (rows[:, order] @ columns[order] == rows @ columns).all()
        assert ((rows[:, order, None] * columns[order]).sum(axis=1) == rows @ columns).all()


def test_a_row_that_is_no_number_or_too_large_becomes_none_and_a_tiny_one_0():
    rows = rounded_rows(np.array([[1.0, np.nan], [np.inf, 1.0], [1e308, 1.0], [1e-200, 1e-180], [1.0, 2.0]]))
    assert np.isnan(rows[:3]).any(axis=1).all()
    assert rows[3:].tolist() == [[0.0, 0.0], [1.0, 2.0]]


def test_sums_of_groups_are_those_of_fractions_in_any_order():
    lengths = np.array([1, 2, 7, 100, 1, 3000])
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    values = wide(int(offsets[-1]))
    found = exact_group_sums(values, offsets)
    for a, b, total in zip(offsets[:-1], offsets[1:], found, strict=True):
        shuffled = RNG.permutation(values[a:b])
        assert exact_group_sums(shuffled, np.array([0, b - a])) == [total]
        exact = float(sum(map(Fraction, values[a:b].tolist())))
        assert total == pytest.approx(exact, abs=np.abs(values[a:b]).max() * (b - a) * 2.0**-40)
    assert exact_group_sums(np.empty(0), np.zeros(1, np.int64)).tolist() == []


def test_units_of_many_numbers_add_up_exactly():
    values = wide(1000)
    units = exact_units(values, 1000)
    assert Fraction(float(units.sum())) == sum(map(Fraction, units.tolist()))
    assert units == pytest.approx(values, abs=np.abs(values).max() * 2.0**-42)
    assert exact_units(np.empty(0), 3).tolist() == []
    tiny = np.array([5e-324, 3e-310])
    assert exact_units(tiny, 2) == pytest.approx(tiny, abs=1e-322)


def test_a_rounder_has_its_unit_as_its_last_digit():
    greatest = np.array([1.0, 1.5, 3.0, 1e-300, 1e300])
    by = rounding_term(greatest, sum_bits(5))
    assert (np.spacing(by) == 2.0 ** (np.frexp(greatest)[1] - 50.0)).all()
