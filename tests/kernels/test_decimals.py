"""Short decimal numbers: the same bits as Python's float, and the same refusals as the reader of any number."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.properties import examples
from helpers.same import assert_same_bits
from hypothesis import given
from hypothesis import strategies as st

from rankscope.kernels.decimals import parse_decimals, short_decimals
from rankscope.kernels.numbers import parse_floats
from rankscope.kernels.text import as_fields

SHORT = (
    "0",
    "7",
    "-3",
    "0.056537",
    "1.000000",
    "-27.512349",
    "5.",
    ".5",
    "-.5",
    "123456789",
    "1234567.12345678",
    "0.12345678",
    "-0.33333333333333",
    "9007199254740993",
    "-0",
    "00012",
    "0.0",
    "12345678901234567",
    "0.123456789012345",
    "-0.333333333333333",
    "0.12345678901234568",
    "-1.7976931348623157",
    ".0000000000000000000123",
)
LONG = (
    "18446744073709551615",
    "1e3",
    "-1E-5",
    "+5",
    "123456789.5",
    "12345678.1234567",
    "1" * 22,
    "1" * 24,
    "1.5e-05",
    "-2.25E+12",
    "1e23",
    "123456789012345678e-5",
    "1e100",
    "1.5e-323",
    "9007199254740993.5",
)
NONE = (
    "",
    "-",
    ".",
    "-.",
    "1.2.3",
    "1..",
    "12345.6.7890",
    "--5",
    "nan",
    "inf",
    "0x10",
    "1_0",
    "1:2",
    "é",
    "1e",
    "1 2",
    "e5",
    ".e5",
    "-e-5",
    "1e+",
    "1e-x",
    "1.2.3e1",
)
NO_LONG_ONES = ("12x456789.123", "123456789.1x3", "12-4567890", "1234567.8x", "1234567.x", "-12345678x", "1,5", "1/5")


@pytest.mark.parametrize("text", SHORT)
def test_a_short_number_is_read_at_once_with_the_bits_of_float(text):
    values, good = short_decimals(as_fields([text.encode()]))
    assert good.tolist() == [True]
    assert_same_bits(values, np.array([float(text)]))


@pytest.mark.parametrize("text", LONG)
def test_a_longer_number_is_left_to_the_reader_of_any_number_and_has_the_bits_of_float(text):
    fields = as_fields([text.encode()])
    assert short_decimals(fields)[1].tolist() == [False]
    values, bad = parse_decimals(fields)
    assert bad.size == 0
    assert_same_bits(values, np.array([float(text)]))


@pytest.mark.parametrize("text", NONE + NO_LONG_ONES)
def test_what_is_no_number_is_named(text):
    assert parse_decimals(as_fields([b"1.5", text.encode(), b"2"]))[1].tolist() == [1]


@pytest.mark.parametrize("form", ["{:.0f}", "{:.1f}", "{:.6f}", "-{:.3f}", "{:.7f}"])
def test_a_column_of_one_precision_has_the_bits_of_float(form):
    texts = [form.format(number) for number in (0.5, 1.25, 3, 7.7, 9.876543)]
    values, good = short_decimals(as_fields([text.encode() for text in texts]))
    assert good.all()
    assert_same_bits(values, np.array([float(text) for text in texts]))


@pytest.mark.parametrize("longest", [8, 9, 10, 16, 20])
def test_a_point_at_any_place_and_any_length_have_the_bits_of_float(longest):
    figures = "12345678901234567890"
    texts = [
        sign + (figures[:length] if point is None else f"{figures[:point]}.{figures[point : length - 1]}")
        for length in range(1, longest + 1)
        for point in (None, *range(min(length, 8)))
        for sign in ("", "-")
        if (length, point) != (1, 0)
    ]
    values, good = short_decimals(as_fields([text.encode() for text in texts]))
    assert good.all()
    assert_same_bits(values, np.array([float(text) for text in texts]))


def test_of_all_bytes_only_digits_and_the_point_are_part_of_a_number():
    texts = [b"1%c5" % byte for byte in range(256)]
    good = short_decimals(as_fields(texts))[1]
    assert [text for text, is_good in zip(texts, good, strict=True) if is_good] == [
        b"1.5",
        *(b"1%d5" % d for d in range(10)),
    ]


def test_no_fields_give_no_numbers():
    values, bad = parse_decimals(as_fields([]))
    assert (values.size, bad.size) == (0, 0)


@examples(50)
@given(st.lists(st.text("0123456789.-+eE", max_size=25) | st.floats().map(repr) | st.decimals().map(str), min_size=1))
def test_any_text_is_read_or_refused_as_by_the_reader_of_any_number(texts):
    fields = as_fields([text.encode() for text in texts])
    values, bad = parse_decimals(fields)
    expected, refused = parse_floats(fields)
    assert bad.tolist() == refused.tolist()
    good = np.setdiff1d(np.arange(len(texts)), refused)
    assert_same_bits(values[good], expected[good])


@examples(40)
@given(st.lists(st.tuples(st.integers(-(10**8) + 1, 10**8 - 1), st.integers(0, 7)), min_size=1, max_size=50))
def test_up_to_eight_digits_with_up_to_seven_decimals_need_nothing_else(pairs):
    texts = [f"{whole / 10**places:.{places}f}" for whole, places in pairs]
    values, good = short_decimals(as_fields([text.encode() for text in texts]))
    assert good.all()
    assert_same_bits(values, np.array([float(text) for text in texts]))
