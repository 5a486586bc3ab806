"""Numbers in text: the same bits as Python's `float`, and the same refusals as trec_eval's users expect."""

from __future__ import annotations

import math
import struct
from decimal import Decimal

import numpy as np
import pytest
from helpers.properties import examples
from helpers.same import assert_same_bits
from hypothesis import example, given
from hypothesis import strategies as st

from rankscope.kernels.numbers import divide, parse_floats, parse_integers, read_alike
from rankscope.kernels.text import as_fields


def floats(*texts: str) -> list[float]:
    values, bad = parse_floats(as_fields([t.encode() for t in texts]))
    assert bad.tolist() == []
    assert values.dtype == np.float64
    return values.tolist()


def bits(value: float) -> bytes:
    return struct.pack("<d", value)


def assert_as_python(texts: list[str]) -> None:
    for text, value in zip(texts, floats(*texts), strict=True):
        assert bits(value) == bits(float(text)), (text, value, float(text))


FINITE = st.floats(allow_nan=False, allow_infinity=False)
MODEST = st.floats(-1e6, 1e6)
FORMS = st.one_of(
    FINITE.map(repr),
    MODEST.map(repr),
    MODEST.map(lambda x: f"{x:.6f}"),
    FINITE.map(lambda x: f"{x:e}"),
    FINITE.map(lambda x: f"{x:.16e}"),
    MODEST.map(lambda x: f"{x:.17g}"),
    MODEST.map(lambda x: f"+{abs(x):.4f}"),
    st.integers(-(10**20), 10**20).map(str),
    st.integers(0, 10**19 - 1).map(lambda n: f"{n:020d}"),
    st.builds(lambda a, b: f"{a}.{b}", st.integers(-(10**6), 10**6), st.text("0123456789", max_size=40)),
    st.text("0123456789", min_size=1, max_size=22).map(lambda t: f".{t}"),
    # Mantissas around 2^53 and 2^64, where one division no longer rounds right.
    st.builds(
        lambda base, off, d: digits_with_point(base + off, d),
        st.sampled_from([2**53, 2**54, 2**63, 2**64, 10**16, 10**17, 10**18, 10**19]),
        st.integers(-2000, 2000),
        st.integers(0, 19),
    ),
)


def digits_with_point(mantissa: int, decimals: int) -> str:
    """mantissa / 10^decimals, written out."""
    text = str(mantissa).rjust(decimals + 1, "0")
    return text if decimals == 0 else f"{text[:-decimals]}.{text[-decimals:]}"


@examples(150)
@given(st.lists(FORMS, min_size=1, max_size=40))
def test_floats_have_the_bits_that_python_reads(texts: list[str]) -> None:
    assert_as_python(texts)


@pytest.mark.slow
@examples(5_000)
@given(st.lists(FORMS, min_size=1, max_size=60))
def test_floats_have_the_bits_that_python_reads_at_length(texts: list[str]) -> None:
    assert_as_python(texts)


@given(st.integers(0, 18), st.lists(st.integers(0, 10**19 - 1), min_size=1, max_size=40))
def test_numbers_of_as_many_decimals_have_the_bits_that_python_reads(decimals: int, numbers: list[int]) -> None:
    digits = [f"{n:0{decimals + 1}}" for n in numbers]
    assert_as_python([f"{d[: len(d) - decimals]}.{d[len(d) - decimals :]}" for d in digits])


@pytest.mark.parametrize("other", ["12.3", "1.234", "123", "-1.23", "1:23", "1.2.", "..23", "1e23"])
def test_a_number_of_another_form_among_alike_ones_is_read_or_named(other: str) -> None:
    values, bad = parse_floats(as_fields([text.encode() for text in ("4.56", other, "7.89")]))
    good = other in ("12.3", "1.234", "123", "-1.23", "1e23")
    assert (values[[0, 2]].tolist(), bad.tolist()) == ([4.56, 7.89], [] if good else [1])
    assert not good or values[1] == float(other)


def test_random_scores_in_eight_forms_are_read_as_python_reads_them() -> None:
    rng = np.random.default_rng(3)
    values = np.concatenate([rng.normal(scale=s, size=5_000) for s in (1e-9, 1e-3, 1.0, 40.0, 1e7, 1e15)])
    for form in ("{!r}", "{:.3f}", "{:.6f}", "{:.9f}", "{:.12f}", "{:.15g}", "{:.17g}", "{:.18f}"):
        texts = [form.format(v) for v in values.tolist()]
        assert_same_bits(floats(*texts), [float(t) for t in texts])


def test_numbers_half_way_between_two_floats_round_to_even() -> None:
    halves = []
    for exponent in (0, 1, 2, 3):
        low = float(2 ** (52 + exponent))
        for k in range(8):
            a = low + k * math.ulp(low)
            middle = (Decimal(a) + Decimal(a + math.ulp(low))) / 2
            halves += [str(middle), f"{middle:.1f}", f"{middle + Decimal('0.1'):.1f}", f"{middle - Decimal('0.1'):.1f}"]
    assert_as_python(halves)


@pytest.mark.parametrize(
    "text",
    [
        "5e-324",
        "4.9406564584124654e-324",
        "2.2250738585072009e-308",
        "2.2250738585072014e-308",
        "1.7976931348623157e308",
        "1e-400",
        "-0",
        "-0.0",
        "0",
        "000000000000000000000000000001",
        "0.1",
        "1.",
        "+1",
        "+.5",
        "1E5",
        "1e+05",
        "9007199254740993",
        "18446744073709551615",
        "18446744073709551616",
        "99999999999999999999",
        "0.000000000000000000000001",
        "123456789012345678901234567890.5",
    ],
)
def test_a_number_of_an_unusual_form_has_pythons_bits(text: str) -> None:
    assert_as_python([text])


def test_a_number_of_a_hundred_decimals_is_a_number() -> None:
    assert_as_python(["0." + "3" * 100, "-" + "1" * 80 + ".5", "0." + "0" * 300 + "7"])


@pytest.mark.parametrize(
    "text",
    [
        "nan", "NaN", "inf", "-inf", "Infinity", "0x10", "0x1p3", "1_000", "1_0.5", "1..2", "1.2.3", ".", "-", "+",
        "+-1", "--1", "1-", "1e", "e5", "1e5.0", "1e5e5", "1,5", "abc", "1a", "1 ", "١", "½", "1\x00", "\x00", "1.5-2",
        "1+1", "−1", ".e5", "/", ":", "12345678:", "1234567/", "1234567890123456789012345x", "1" * 70 + "x",
    ],
)  # fmt: skip
def test_what_is_no_number_is_named_and_its_neighbours_are_read(text: str) -> None:
    values, bad = parse_floats(as_fields([b"1.5", text.encode(), b"-2e3"]))
    assert bad.tolist() == [1]
    assert values[0] == 1.5
    assert values[2] == -2000.0
    assert not np.isfinite(values[1])


def test_an_empty_field_is_no_number() -> None:
    assert parse_floats(as_fields([b""]))[1].tolist() == [0]
    assert parse_floats(as_fields([b"1", b"", b"2"]))[1].tolist() == [1]
    assert parse_integers(as_fields([b"1", b"", b"2"]))[1].tolist() == [1]


def test_a_number_beyond_the_largest_float_is_infinite() -> None:
    assert floats("1e999", "-1e999", "9" * 310) == [math.inf, -math.inf, math.inf]


def test_no_fields_give_no_numbers() -> None:
    for parse in (parse_floats, parse_integers):
        values, bad = parse(as_fields([]))
        assert values.size == 0
        assert bad.size == 0


def is_number(text: str) -> bool:
    """What the docstring says: digits with at most one point, a sign, an exponent."""
    if not text or not set(text) <= set("0123456789+-.eE"):
        return False
    try:
        float(text)
    except ValueError:
        return False
    return True


@examples(200)
@given(st.lists(st.text("0123456789+-.eE", max_size=27) | st.text("19.-+", max_size=9), min_size=1, max_size=30))
@example(["1" * 24, "1" * 25, "-" + "1" * 24, "." + "1" * 24])
@example(["1e5", "..", "1"])
def test_whatever_can_be_spelt_is_either_pythons_number_or_refused(texts: list[str]) -> None:
    values, bad = parse_floats(as_fields([t.encode() for t in texts]))
    assert bad.tolist() == [i for i, t in enumerate(texts) if not is_number(t)]
    for text, value in zip(texts, values.tolist(), strict=True):
        if is_number(text):
            assert bits(value) == bits(float(text))


@examples(200)
@given(st.lists(st.integers(-(10**18) + 1, 10**18 - 1), min_size=1, max_size=40))
def test_whole_numbers_are_read_as_python_reads_them(numbers: list[int]) -> None:
    values, bad = parse_integers(as_fields([str(n).encode() for n in numbers]))
    assert bad.tolist() == []
    assert values.tolist() == numbers
    assert values.dtype == np.int64


def test_whole_numbers_may_have_a_sign_and_leading_zeros() -> None:
    values, bad = parse_integers(as_fields([b"+1", b"-1", b"-0", b"007", b"000000000000000000000012"]))
    assert values.tolist() == [1, -1, 0, 7, 12]
    assert bad.tolist() == []


@pytest.mark.parametrize(
    "text",
    [
        "1.0",
        "1e3",
        "1.",
        ".1",
        "",
        "-",
        "+",
        "x",
        "1x",
        "0x1",
        "1_0",
        "nan",
        "1" * 19,
        "1" + "0" * 18,
        "9" * 30,
        "--1",
        "1-",
        "٣",
    ],
)
def test_what_is_no_whole_number_is_named(text: str) -> None:
    values, bad = parse_integers(as_fields([b"3", text.encode(), b"-4"]))
    assert bad.tolist() == [1]
    assert (values[0], values[2]) == (3, -4)


@pytest.mark.parametrize(
    ("decimals", "longest"),
    [(decimals, longest) for decimals in (None, *range(20)) for longest in range(max(decimals or 0, 1), 20)],
)
def test_numbers_that_are_alike_are_read_the_short_way(decimals: int | None, longest: int) -> None:
    """Without it they would be read all the same, by the way for numbers of any form, which takes longer."""
    shortest = max(decimals or 0, 1)
    digits = ["9876543210987654321"[:n] for n in (longest, shortest, *range(shortest, longest + 1))]
    texts = digits if decimals is None else [f"{d[: len(d) - decimals]}.{d[len(d) - decimals :]}" for d in digits]
    found = read_alike(as_fields([text.encode() for text in texts]))
    assert found is not None
    total, after, negative, valid = found
    assert total.tolist() == [int(d) for d in digits]
    assert after.tolist() == [-1 if decimals is None else decimals]
    assert not negative.any()
    assert valid.all()


@pytest.mark.parametrize(
    "texts",
    [
        [],
        ["12345678901234567890"],  # 20 digits
        ["1234567890.1234567890"],
        ["-1", "2"],
        ["1", "+2"],
        ["1.5", "2.55"],
        ["1.5", "25"],
        ["15", "2.5"],
        ["1.5", "1.x"],
        ["12345678", "1234567x"],
        ["123456789", "x23456789"],
        ["1.2.3", "1.2.3"],
        ["1", ""],
        ["1e5", "2e5"],
        ["/1", "11"],  # the signs beside the digits
        [":1", "11"],
    ],
    ids=repr,
)
def test_numbers_that_are_not_alike_are_not_read_the_short_way(texts: list[str]) -> None:
    assert read_alike(as_fields([text.encode() for text in texts])) is None


@pytest.mark.parametrize("decimals", [5, 9, 15, 19, 22])
def test_numbers_beyond_exact_ones_are_divided_without_doubt(decimals: int) -> None:
    """Where in doubt they would be read all the same, one by one. With few decimals some lie half way between two."""
    rng = np.random.default_rng(decimals)
    mantissa = rng.integers(1 << 53, 18446744073709549568, 3000, dtype=np.uint64)
    quotient, doubtful = divide(mantissa, np.full(3000, decimals))
    assert not doubtful.any()
    assert_same_bits(quotient.tolist(), [float(f"{m}e-{decimals}") for m in mantissa.tolist()])


def test_numbers_that_would_round_to_two_to_the_64_are_in_doubt() -> None:
    mantissa = np.array([18446744073709548543, 18446744073709549568, (1 << 64) - 1], np.uint64)
    assert divide(mantissa, np.array([5]))[1].tolist() == [False, True, True]
