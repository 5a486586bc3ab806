"""Whether two results are the same: as numbers, or to the bit.

The last bits of a computed number differ between processors, and between versions of the libraries that compute it, so
what a test works out by another way is compared by `assert_same_numbers`. Equal bits are asked for by
`assert_same_bits`, where the product promises them. Integers, ranks, ids, texts, and fractions of two whole numbers
(`matches / pairs`, one division, which every processor rounds alike) are compared by `==`.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Mapping
from itertools import zip_longest
from typing import Any

import numpy as np
import polars as pl

#: How far numbers may be apart: thousands of last bits, and far less than any mistake in a formula.
RELATIVE = 1e-9
#: The difference of two equal numbers of the size of 1, which need not come out as 0.
ABSOLUTE = 1e-12
#: With so many digits and more a number is printed in full; what is rounded has fewer.
FULL = 12
NUMBER = re.compile(r"-?\b\d+\.\d+(?:e[+-]?\d+)?")


def assert_same_bits(found: Any, expected: Any) -> None:
    """Both are the same to the last bit, on this machine. Only where the package promises it:

    - the same work shared out otherwise: any number of workers, any size of blocks, an interrupted run taken up again,
    - the same call twice, or with the same seed,
    - what was written and read again, and numbers read from a text,
    - what is given otherwise: from a file or memory, as a mapping or a frame, runs and queries in another order,
    - a faster path, or a query by itself or in a file, that is said to give the very same result.
    """
    assert_same(found, expected, "", None, same_types=True)


def assert_same_numbers(
    found: Any, expected: Any, rtol: float = RELATIVE, atol: float = ABSOLUTE, *, same_types: bool = False
) -> None:
    """Texts, integers, keys and lengths are equal, and floats as numbers. NaN equals NaN only.

    same_types: 1 is no 1.0.
    """
    assert_same(found, expected, "", (rtol, atol), same_types=same_types)


def same_but_last_digits(text: str, expected: str) -> bool:
    """Whether two texts are equal letter for letter but for numbers printed in full, which are equal as numbers."""
    if NUMBER.sub("#", text) != NUMBER.sub("#", expected):
        return False
    pairs = zip(NUMBER.findall(text), NUMBER.findall(expected), strict=True)
    return all(
        one == other
        or (max(digits(one), digits(other)) >= FULL and same_float(float(one), float(other), (RELATIVE, ABSOLUTE)))
        for one, other in pairs
    )


def digits(number: str) -> int:
    """The significant digits of a number."""
    return len(number.partition("e")[0].lstrip("-0.").replace(".", ""))


def assert_same(found: Any, expected: Any, place: str, within: tuple[float, float] | None, *, same_types: bool) -> None:
    """within: relative and absolute; None for equal bits."""
    found, expected = plain(found), plain(expected)
    if isinstance(found, np.ndarray) != isinstance(expected, np.ndarray):  # an array and the list that it should be
        found, expected = (x.tolist() if isinstance(x, np.ndarray) else x for x in (found, expected))
    if same_types or not (is_number(found) and is_number(expected)):
        assert type(found) is type(expected), f"{place}: {found!r}, expected {expected!r}"
    if is_result(expected):
        found, expected = fields(found), fields(expected)
    if isinstance(expected, np.ndarray):
        assert_same_arrays(found, expected, place, within)
    elif isinstance(expected, Mapping):
        assert found.keys() == expected.keys(), place
        for key in expected:
            assert_same(found[key], expected[key], f"{place}[{key!r}]", within, same_types=same_types)
    elif isinstance(expected, list | tuple):
        for i, (one, other) in enumerate(zip_longest(found, expected, fillvalue=...)):
            assert_same(one, other, f"{place}[{i}]", within, same_types=same_types)
    elif isinstance(found, float) or isinstance(expected, float):
        assert same_float(found, expected, within), f"{place}: {found!r}, expected {expected!r}"
    else:
        assert found == expected, place


def assert_same_arrays(found: Any, expected: Any, place: str, within: tuple[float, float] | None) -> None:
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype), place
    if within is None and found.dtype.kind in "fc":
        bits = np.dtype(f"V{found.dtype.itemsize}")
        differ = np.ascontiguousarray(found).view(bits) != np.ascontiguousarray(expected).view(bits)
        differ &= ~(np.isnan(found) & np.isnan(expected))
        assert not differ.any(), f"{place}: {found[differ][:5]!r}, expected {expected[differ][:5]!r}"
    elif within is None or found.dtype.kind not in "fc":
        np.testing.assert_array_equal(found, expected, err_msg=place)
    else:
        np.testing.assert_allclose(found, expected, rtol=within[0], atol=within[1], err_msg=place)


def same_float(found: float, expected: float, within: tuple[float, float] | None) -> bool:
    if within is None or not (math.isfinite(found) and math.isfinite(expected)):
        return repr(float(found)) == repr(float(expected))
    return abs(found - expected) <= within[0] * abs(expected) + within[1]


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def plain(value: Any) -> Any:
    """NumPy's scalars as Python's numbers, a frame or a series as its columns."""
    if isinstance(value, pl.DataFrame):
        return {name: value[name].to_list() for name in value.columns}
    if isinstance(value, pl.Series):
        return value.to_list()
    return value.item() if isinstance(value, np.generic) else value


def is_result(value: Any) -> bool:
    """Whether its fields are compared one by one; what else the package gives has an equality of its own."""
    if isinstance(value, type | tuple):
        return False
    return dataclasses.is_dataclass(value) or (
        type(value).__module__.startswith("rankscope.") and hasattr(value, "__dict__")
    )


def fields(value: Any) -> dict[str, Any]:
    """What a result holds."""
    if dataclasses.is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    return vars(value)
