"""Numbers as text: the same bytes whether they are many or few."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscope.io.core import format_numbers, has_blank, pick_texts
from rankscope.io.core.render import MIN_FOR_POLARS, any_blank
from rankscope.kernels.text import as_fields


def floats(kind):
    rng = np.random.default_rng(3)
    n = MIN_FOR_POLARS + 10
    return {
        "uniform": lambda: rng.random(n),
        "any size": lambda: 10 ** rng.uniform(-320, 308, n) * rng.choice([-1.0, 1.0], n),
        "about the sizes where an exponent begins": lambda: 10 ** rng.uniform(-12, 17, n),
        "any bits": lambda: np.frombuffer(rng.bytes(8 * n), np.float64),
        "few decimals": lambda: np.round(rng.random(n) * 1000, 2),
        "powers of two": lambda: 2.0 ** rng.integers(-1074, 1023, n),
        "whole": lambda: rng.integers(-(10**16), 10**16, n).astype(np.float64),
        "zeros and none": lambda: np.resize([0.0, -0.0, np.nan, np.inf, -np.inf, 5e-324, 1e-10, 1e-3, 1e15, 1e16], n),
    }[kind]()


@pytest.mark.parametrize(
    "kind",
    [
        "uniform",
        "any size",
        "about the sizes where an exponent begins",
        "any bits",
        "few decimals",
        "powers of two",
        "whole",
        "zeros and none",
    ],
)
def test_many_numbers_have_the_texts_that_repr_gives(kind):
    values = floats(kind)
    assert format_numbers(values) == [repr(value).encode() for value in values.tolist()]


def test_few_numbers_and_whole_ones():
    assert format_numbers(np.array([0.1, 1e-7, 3.0])) == [b"0.1", b"1e-07", b"3.0"]
    assert format_numbers(np.arange(3)) == [b"0", b"1", b"2"]
    assert format_numbers(np.arange(MIN_FOR_POLARS))[-1] == str(MIN_FOR_POLARS - 1).encode()


def test_texts_are_picked_by_their_place():
    assert pick_texts([b"a", b"bc"], np.array([1, 0, 1])) == [b"bc", b"a", b"bc"]
    assert pick_texts([], np.array([], np.int64)) == []


@given(st.lists(st.text("ab \t\n\v\f\r\0é", max_size=70).map(str.encode) | st.binary(max_size=20), max_size=6))
def test_a_blank_in_any_id_is_seen(ids):
    assert any_blank(as_fields(ids)) == has_blank(ids)


@pytest.mark.parametrize("blank", [b" ", b"\t", b"\n", b"\v", b"\f", b"\r", b"\0"])
def test_a_blank_is_seen_wherever_it_stands(blank):
    for size in (1, 8, 9, 64, 65):
        whole = [b"x" * size, b"y" * 3]
        assert not any_blank(as_fields(whole))
        assert all(any_blank(as_fields([whole[0][:i] + blank + whole[0][i + 1 :], whole[1]])) for i in range(size))
