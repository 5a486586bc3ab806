"""Variants of DCG and nDCG: gains given, other discounts, the ideal of what is listed; against loops and all orders."""

from __future__ import annotations

from itertools import permutations
from math import log, log2

import pytest
from helpers.messages import mentions
from helpers.properties import examples
from helpers.same import assert_same_numbers
from helpers.strategies import as_lists
from hypothesis import given
from hypothesis import strategies as st

import rankscope as rs
from rankscope.measures.graded import DCG, nDCG

Grades = list[int | None]


def value(measure: str, relevance: Grades, missed: tuple[int, ...] = ()) -> float:
    return rs.evaluate(*as_lists(relevance, missed), measure).values.item()


def worth(discount: str, base: float, rank: int) -> float:
    """What a gain at this rank is worth."""
    if discount == "jk":
        return 1.0 if rank < base else 1 / log(rank, base)
    return 1 / (log2(rank + 1) if discount == "log2" else log(rank + 1))


def gained(gain: str, gains: dict[int, float] | None, grade: int | None) -> float:
    if grade is None:
        return 0.0
    if gains is not None and grade in gains:
        return gains[grade]
    return float(2 ** max(grade, 0) - 1 if gain == "exp" else max(grade, 0))


def dcg(gains: list[float], discount: str, base: float, cutoff: int | None) -> float:
    return sum(gain * worth(discount, base, rank) for rank, gain in enumerate(gains[:cutoff], 1))


DISCOUNTS = st.sampled_from([("log2", 2.0), ("natural", 2.0), ("jk", 2.0), ("jk", 3.0), ("jk", 2.5), ("jk", 10)])
LISTED = st.lists(st.sampled_from([None, -1, 0, 1, 1, 2, 3]), max_size=8)
MISSED = st.lists(st.sampled_from([-1, 0, 1, 2, 3]), min_size=1, max_size=4)


@examples(250)
@given(
    listed=LISTED,
    missed=MISSED,
    discount=DISCOUNTS,
    gain=st.sampled_from(["linear", "exp"]),
    gains=st.none() | st.dictionaries(st.integers(-1, 3), st.sampled_from([-1.5, 0, 0.25, 1, 7]), min_size=1),
    cutoff=st.none() | st.integers(1, 10),
)
def test_dcg_and_ndcg_agree_with_a_loop_over_ranks(
    listed: Grades,
    missed: list[int],
    discount: tuple[str, float],
    gain: str,
    gains: dict[int, float] | None,
    cutoff: int | None,
) -> None:
    options = {"gain": gain, "discount": discount[0], "base": discount[1], "cutoff": cutoff}
    if gains is not None:
        options |= {"gains": gains, "others": "gain"}
    case = as_lists(listed, tuple(missed))
    scores = rs.evaluate(*case, [DCG(**options), nDCG(**options), nDCG(**options, ideal="listed")])
    own = [gained(gain, gains, grade) for grade in listed]
    judged = [gained(gain, gains, grade) for grade in [*listed, *missed] if grade is not None]
    # An ideal list leaves out what would lower it.
    best = dcg(sorted((max(g, 0.0) for g in judged), reverse=True), *discount, cutoff)
    best_listed = dcg(sorted((max(g, 0.0) for g in own), reverse=True), *discount, cutoff)
    top = dcg(own, *discount, cutoff)
    expected = [top, top / best if best else 0.0, top / best_listed if best_listed else 0.0]
    assert scores.values[0, :, 0] == pytest.approx(expected, rel=1e-12, abs=1e-12)


@examples(60)
@given(listed=st.lists(st.sampled_from([None, -1, 0, 1, 2, 3]), min_size=1, max_size=5), cutoff=st.integers(1, 6))
def test_the_ideal_of_the_listed_documents_is_the_best_of_their_orders(listed: Grades, cutoff: int) -> None:
    own = [gained("linear", None, grade) for grade in listed]
    best = max(dcg(list(order), "log2", 2, cutoff) for order in permutations(own))
    expected = dcg(own, "log2", 2, cutoff) / best if best else 0.0
    assert value(f"nDCG(ideal='listed')@{cutoff}", listed, (3, 3, 3)) == pytest.approx(expected, rel=1e-12)


def test_the_example_of_jarvelin_and_kekalainen() -> None:
    """Järvelin and Kekäläinen (2002), section 2.1: G', CG' and, with b = 2, DCG', printed with two digits."""
    gains: Grades = [3, 2, 3, 0, 0, 1, 2, 2, 3, 0]
    cumulated = [3, 5, 8, 8, 8, 9, 11, 13, 16, 16]
    discounted = [3, 5, 6.89, 6.89, 6.89, 7.28, 7.99, 8.66, 9.61, 9.61]
    for k in range(1, 11):
        # Nothing is discounted before rank b: with b above the cutoff that is CG.
        assert value(f"DCG(discount='jk', base=100)@{k}", gains) == cumulated[k - 1]
        assert value(f"DCG(discount='jk')@{k}", gains) == pytest.approx(discounted[k - 1], abs=0.005)


def test_the_discounts_of_the_first_ranks() -> None:
    assert value("DCG(discount='jk')@2", [1, 1]) == 1 + 1 / log2(2) == 2
    assert value("DCG(discount='jk', base=3)@4", [1, 1, 1, 1]) == pytest.approx(1 + 1 + 1 + 1 / log(4, 3), rel=1e-15)
    assert_same_numbers(value("DCG(discount='natural')@1", [1]), 1 / log(2))
    # nDCG does not mind the base of a logarithm that starts at rank 1.
    assert value("nDCG(discount='natural')", [0, 2, 1]) == pytest.approx(value("nDCG", [0, 2, 1]), rel=1e-15)
    assert value("nDCG(discount='jk')", [0, 2, 1]) == pytest.approx((2 + 1 / log2(3)) / (2 + 1), rel=1e-15)


# --- gains given ------------------------------------------------------------------------------------------------------


def test_a_grade_without_a_gain_is_refused_in_one_line_wherever_it_stands() -> None:
    """Also one of another query, and one that was not retrieved: the ideal would lack it."""
    qrels = {"q1": {"a": 1}, "q2": {"b": 2, "c": -1, "d": 0}}
    for name in ("nDCG", "DCG", "IdealDCG", "G", "nDCGRel", "RnDCG", "Q"):
        with pytest.raises(rs.ParameterError) as refused:
            rs.evaluate(qrels, {"q1": {"a": 1.0}}, f"{name}(gains={{1: 5}})")
        text = str(refused.value)
        assert text.startswith(f"{name}: ")
        assert mentions(text, "judged 2", "gains={1: 5}", "others='gain'")
        assert "\n" not in text


def test_grades_of_0_and_below_need_no_gain_and_gain_nothing() -> None:
    assert_same_numbers(value("DCG(gains={1: 5})", [0, -1, None, 1]), 5 / log2(5))
    every = "DCG(gains={0: 2, 1: 5, -1: 3})"
    assert value(every, [0, -1, None, 1]) == pytest.approx(2 / log2(2) + 3 / log2(3) + 5 / log2(5), rel=1e-15)


def test_others_gain_what_the_gain_says() -> None:
    assert value("DCG(gains={1: 5}, others='gain')", [3, 1]) == pytest.approx(3 / log2(2) + 5 / log2(3), rel=1e-15)
    exp = value("DCG(gain='exp', gains={1: 5}, others='gain')", [3, 1])
    assert exp == pytest.approx((2**3 - 1) / log2(2) + 5 / log2(3), rel=1e-15)


def test_a_negative_gain_lowers_dcg_and_plays_no_part_in_the_ideal() -> None:
    listed: Grades = [0, 1, 0]
    down = -1 / log2(2) + 2 / log2(3) - 1 / log2(4)
    by_list = "nDCG(gains={0: -1, 1: 2}, ideal='listed')"
    assert value("DCG(gains={0: -1, 1: 2})", listed) == pytest.approx(down, rel=1e-15)
    assert value("nDCG(gains={0: -1, 1: 2})", listed) == pytest.approx(down / (2 / log2(2)), rel=1e-15)
    assert value(by_list, listed) == pytest.approx(down / (2 / log2(2)), rel=1e-15)
    assert value("IdealDCG(gains={0: -1, 1: 2})", listed) == 2 / log2(2)
    # Where nothing gains, nDCG is 0, whatever is lost.
    assert value("nDCG(gains={0: -1, 1: -2})", listed) == 0


def test_the_ideal_of_given_gains_is_in_order_of_gain() -> None:
    """Grade 1 gains more than grade 2."""
    expected = (1 / log2(2) + 5 / log2(3)) / (5 / log2(2) + 1 / log2(3))
    by_list = "nDCG(gains={1: 5, 2: 1}, ideal='listed')"
    assert value("nDCG(gains={1: 5, 2: 1})@2", [2, 1]) == pytest.approx(expected, rel=1e-15)
    assert value(f"{by_list}@2", [2, 1]) == pytest.approx(expected, rel=1e-15)
    assert_same_numbers(value(f"{by_list}@1", [2, 1]), 1 / 5)


# --- names, settings, refusals ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("nDCG@5", "gain:linear | discount:log2"),
        ("nDCG(discount='natural')", "gain:linear | discount:natural"),
        ("nDCG(discount='jk')", "gain:linear | discount:jk | base:2.0"),
        ("nDCG(discount='jk', base=10)", "gain:linear | discount:jk | base:10"),
        ("nDCG(ideal='listed')@5", "gain:linear | discount:log2 | ideal:listed"),
        ("DCG(gains={1: 5})", "gain:{1: 5} | discount:log2"),
        ("DCG(gains={1: 5}, others='gain')", "gain:linear | gains:{1: 5} | others:gain | discount:log2"),
    ],
)
def test_the_signature_says_what_changes_the_number_and_no_more(name: str, settings: str) -> None:
    signature = rs.evaluate(*as_lists([1, 0]), name).signature()
    assert signature.startswith(f"{name} | {settings} | ties:")


@pytest.mark.parametrize("name", ["nDCG", "DCG", "IdealDCG"])
@pytest.mark.parametrize(
    ("parameters", "said", "expected"),
    [
        ("discount='log10'", "discount is 'log10'", ["'log2'", "'natural'", "'jk'"]),
        ("discount=['jk']", "discount is ['jk']", ["'log2'", "'natural'", "'jk'"]),
        ("discount='jk', base=1", "base is 1", ["above 1"]),
        ("discount='jk', base=-2", "base is -2", ["above 1"]),
        ("discount='jk', base='2'", "base is '2'", ["above 1"]),
        ("discount='jk', base=1e999", "base is inf", ["above 1"]),
        ("base=3", "base is 3", ["discount='jk'"]),
        ("discount='natural', base=3", "base is 3", ["discount='jk'"]),
        ("others='gain'", "others is 'gain'", ["gains={1: 1, 2: 5}"]),
        ("gains={1: 2}, others='zero'", "others is 'zero'", ["'error'", "'gain'"]),
        ("gains={1: 1e999}", "gains is {1: inf}", ["{1: 1, 2: 5}"]),
        ("gains='exp'", "gains is 'exp'", ["{1: 1, 2: 5}"]),
        ("gain='log'", "gain is 'log'", ["'linear'", "'exp'"]),
    ],
)
def test_a_parameter_that_means_nothing_is_refused_in_one_line(
    name: str, parameters: str, said: str, expected: list[str]
) -> None:
    with pytest.raises(rs.ParameterError) as refused:
        rs.parse_measure(f"{name}({parameters})")
    assert str(refused.value).startswith(f"{name}: {said}, ")
    assert mentions(refused.value, *expected)
    assert "\n" not in str(refused.value)


def test_only_ndcg_has_an_ideal_to_choose() -> None:
    with pytest.raises(rs.ParameterError) as refused:
        rs.parse_measure("nDCG(ideal='best')")
    assert mentions(refused.value, "nDCG: ideal is 'best'", "'judged'", "'listed'")
    with pytest.raises(rs.UnknownName, match="DCG 'ideal'"):
        rs.parse_measure("DCG(ideal='listed')")
