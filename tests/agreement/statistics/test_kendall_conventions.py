"""What each kind of a pair counts, by convention: values by hand, tables that are refused."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscope.agreement import KendallConvention
from rankscope.agreement.statistics import CONVENTIONS, as_convention, parse_table
from rankscope.errors import ParameterError, UnknownName
from rankscope.kernels.pairs import PairCounts

#: Concordant, discordant, tied by people only, by the metric only, by both.
C, D, TH, TM, THM = 60, 30, 7, 10, 3
COUNTS = PairCounts(C, D, TH, TM, THM)

BY_HAND = {
    **dict.fromkeys(("wmt10", "wmt11", "wmt12", "tau10", "darr"), Fraction(C - D - TM, C + D + TM)),
    **dict.fromkeys(("wmt13", "tau13"), Fraction(C - D, C + D)),
    **dict.fromkeys(("wmt14", "tau14"), Fraction(C - D, C + D + TM)),
    "tau23": Fraction(C + THM - D - TH - TM, C + D + TH + TM + THM),
    "acc_eq": Fraction(C + THM, C + D + TH + TM + THM),
}

#: As Macháček and Bojar (2014) print them: rows people <, =, >; columns the metric <, =, >; None: left out.
X = None
TABLES = {
    "wmt12": [[1, -1, -1], [X, X, X], [-1, -1, 1]],
    "wmt13": [[1, X, -1], [X, X, X], [-1, X, 1]],
    "wmt14": [[1, 0, -1], [X, X, X], [-1, 0, 1]],
    "tau23": [[1, -1, -1], [-1, 1, -1], [-1, -1, 1]],
    "acc_eq": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
}


def test_no_convention_is_without_a_value_by_hand():
    assert set(BY_HAND) == set(CONVENTIONS)


@pytest.mark.parametrize("name", CONVENTIONS)
def test_a_convention_gives_the_formula_of_the_paper(name):
    assert CONVENTIONS[name].value_of(COUNTS).item() == pytest.approx(float(BY_HAND[name]))
    assert CONVENTIONS[name].source
    assert as_convention(name) is CONVENTIONS[name]


@pytest.mark.parametrize("name", TABLES)
def test_a_table_of_coefficients_is_the_convention_of_that_name(name):
    assert as_convention(TABLES[name]).cells == CONVENTIONS[name].cells
    text = ";".join(",".join("x" if cell is None else str(cell) for cell in row) for row in TABLES[name])
    assert parse_table(text).cells == CONVENTIONS[name].cells


def test_only_conventions_that_always_count_the_same_pairs_have_a_best_epsilon():
    assert {name for name, one in CONVENTIONS.items() if not one.keeps_pairs} == {"wmt13", "tau13"}


@given(counts=st.lists(st.integers(0, 50), min_size=5, max_size=5), name=st.sampled_from(sorted(CONVENTIONS)))
def test_a_value_is_within_the_range_or_there_is_none(counts, name):
    convention = CONVENTIONS[name]
    value = convention.value_of(PairCounts(*counts)).item()
    used = [n for n, cell in zip(counts, convention.cells, strict=True) if cell is not None]
    assert np.isnan(value) == (sum(used) == 0)
    assert np.isnan(value) or convention.range[0] <= value <= convention.range[1]


def test_lists_of_counts_give_a_value_each():
    found = CONVENTIONS["wmt13"].value_of(PairCounts(*np.array([[3, 0], [1, 0], [0, 5], [0, 0], [0, 0]])))
    assert found[0] == (3 - 1) / (3 + 1)
    assert np.isnan(found[1])


def test_a_table_of_ones_own_says_what_it_holds_in_the_signature():
    assert as_convention("wmt14").settings == "wmt14"
    assert as_convention([[2, 0, -1], [X, 1, X], [-1, 0, 2]]).settings == "own(2,-1,x,0,1)"
    assert KendallConvention(concordant=1, discordant=-1, min_difference=10).settings == "own(1,-1,x,x,x;least=10)"


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ([[1, -1], [1, 1]], "not 3 x 3"),
        ([[1, -1, -1], [X, X, X], [-1, 0, 1]], "order of the two translations"),
        ([[X] * 3] * 3, "skips every pair"),
        ([[1, "a", -1], [X, X, X], [-1, "a", 1]], "a coefficient is 'a'"),
        ([[1, float("nan"), -1], [X, X, X], [-1, 0, 1]], "a coefficient is nan"),
        ([[True, 0, -1], [X, X, X], [-1, 0, 1]], "a coefficient is True"),
    ],
)
def test_a_table_that_means_nothing_is_refused(table, message):
    with pytest.raises(ParameterError, match=message):
        as_convention(table)


@pytest.mark.parametrize("text", ["", "1,2,3", "1,b,1;x,x,x;1,b,1", "1;2;3"])
def test_a_text_that_is_no_table_is_refused(text):
    with pytest.raises(ParameterError, match=r"coefficients|3 x 3"):
        parse_table(text)


def test_an_unknown_convention_is_refused_with_the_nearest():
    with pytest.raises(UnknownName, match="did you mean wmt12"):
        as_convention("wmt-12")
