"""Numbers and lists as people say them."""

from __future__ import annotations

import math

from helpers.messages import mentions

from rankscope.data.text import (
    format_chance,
    format_p_cell,
    format_p_value,
    format_percent,
    join_names,
    pluralise,
    pluralise_queries,
)


def test_lists_of_names_and_how_often_chance_does_it() -> None:
    assert join_names(["a"]) == "a"
    assert join_names(["a", "b"]) == "a and b"
    assert join_names(list("abcde")) == " and ".join(("a, b, c, d", "e"))
    assert join_names(list("abcdefg")) == " and ".join(("a, b, c, d", "3 others"))
    assert mentions(format_chance(0.0004), "fewer than 1 of", "1,000")
    assert mentions(format_chance(0.004), "about 4 of", "1,000")
    assert mentions(format_chance(0.0095), "about 1 of", 100)
    assert mentions(format_chance(0.26), "about 26 of", 100)
    assert format_chance(1.0) == "in nearly all"


def test_one_is_said_otherwise_than_many() -> None:
    assert [pluralise_queries(n) for n in (0, 1, 2, 1250)] == ["0 queries", "1 query", "2 queries", "1,250 queries"]
    assert [pluralise(n, "system") for n in (1, 3)] == ["1 system", "3 systems"]


def test_a_p_value_is_never_said_to_be_zero() -> None:
    assert [format_p_cell(p) for p in (0.0, 0.00004, 0.00006, 0.0312, 1.0, math.nan)] == [
        *("<0.0001", "<0.0001", "0.0001", "0.0312", "1.0000", "-")
    ]
    assert [format_p_value(p) for p in (1e-9, 0.0312)] == ["< 0.0001", "= 0.0312"]


def test_shares_in_percent() -> None:
    assert [format_percent(x) for x in (0.95, 0.999, 0.5)] == ["95 %", "99.9 %", "50 %"]
