"""rs.Ranking: the four normalisations of ties, inversion, and what is no ranking."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

import rankscope as rs
from rankscope.data.ranking import NORMALISATIONS, normalise_ranks
from rankscope.errors import InputError, ParameterError

#: Our names and SciPy's.
METHODS = {"minimize": "dense", "floor": "min", "ceiling": "max", "middle": "average"}
lists = st.lists(st.sampled_from([-3.0, 0.0, -0.0, 1.0, 1.5, 2.0, 7.0, 1e300]), min_size=1, max_size=9)


@pytest.mark.parametrize(
    ("ties", "expected"),
    [
        ("minimize", [1, 2, 2, 3, 4]),
        ("floor", [1, 2, 2, 4, 5]),
        ("ceiling", [1, 3, 3, 4, 5]),
        ("middle", [1, 2.5, 2.5, 4, 5]),  # the paper prints 3, 4 at the end, a slip
    ],
)
def test_two_tied_second_places_are_normalised_as_the_paper_says(ties: str, expected: list[float]) -> None:
    assert list(rs.Ranking([1, 3, 3, 4, 5]).normalise(ties)) == expected


def test_ceiling_is_the_default() -> None:
    assert rs.Ranking([4, 4]).normalise() == rs.Ranking([2, 2]) == rs.Ranking([4, 4]).normalise("ceiling")


@given(lists, st.sampled_from(NORMALISATIONS))
def test_normalisations_are_those_of_scipy(values: list[float], ties: str) -> None:
    assert list(rs.Ranking(values).normalise(ties)) == scipy.stats.rankdata(values, METHODS[ties]).tolist()


@given(st.lists(lists, min_size=1, max_size=5), st.sampled_from(NORMALISATIONS))
def test_many_lists_at_once_are_what_each_is_alone(values: list[list[float]], ties: str) -> None:
    table = np.full((len(values), 9), np.nan)
    for row, one in zip(table, values, strict=True):
        row[: len(one)] = one
    found = normalise_ranks(table, ties)
    for row, one in zip(found, values, strict=True):
        assert row[: len(one)].tolist() == list(rs.Ranking(one).normalise(ties))
        assert np.isnan(row[len(one) :]).all()


@given(lists, st.sampled_from(NORMALISATIONS))
def test_normalising_twice_is_normalising_once(values: list[float], ties: str) -> None:
    once = rs.Ranking(values).normalise(ties)
    assert once.normalise(ties) == once


@given(lists, st.sampled_from(NORMALISATIONS))
def test_inverting_twice_is_normalising(values: list[float], ties: str) -> None:
    ranking = rs.Ranking(values)
    assert ranking.inverse(ties).inverse(ties) == ranking.normalise(ties)


def test_it_is_a_value() -> None:
    ranking = rs.Ranking(np.array([2, 1]))
    assert (len(ranking), ranking[0], list(ranking), repr(ranking)) == (2, 2.0, [2.0, 1.0], "Ranking([2, 1])")
    assert len({ranking, rs.Ranking([2.0, 1.0]), rs.Ranking([1, 2])}) == 2


@pytest.mark.parametrize("values", [[], [1, float("nan")], [float("inf")], ["1"], [None], 3, "12"])
def test_what_is_no_ranking_is_refused(values: object) -> None:
    with pytest.raises(InputError):
        rs.Ranking(values)


def test_other_normalisations_are_refused() -> None:
    with pytest.raises(ParameterError, match=r"ties is 'dense', .*'ceiling'"):
        rs.Ranking([1]).normalise("dense")
