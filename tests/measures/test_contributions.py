"""What each document adds to a value, and contributes to a difference, against values and all orders of documents."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from math import inf

import numpy as np
import pytest
from helpers.measure_properties import hits_of
from helpers.measure_table import FORMS
from helpers.properties import examples
from helpers.strategies import Case, cases
from hypothesis import given
from hypothesis import strategies as st

import rankscope as rs
from rankscope.data.hit_pairs import HitPairs
from rankscope.data.hits import Hits
from rankscope.measures import Measure
from rankscope.typing import Floats

SUMS = {"P", "R", "F", "RelP", "Rprec", "DCG", "nDCG", "RBP", "RBPResidual", "SDCG", "INSQ", "SetR", "NumRelRet"}
CLOSED = {"AP", "GMAP", "RR", "Success", "ERR", "nERR"}
#: Measures with these parameters depend on the list as a whole.
DEPEND_ON_LIST = (
    "@mean",
    "@median",
    "@recall",
    "scale=",
    "ideal='listed'",
    "ideal='retrieved'",
    "short=",
    "norm='found'",
)
PLAIN_FORMS = [m for m in FORMS if not any(part in str(m) for part in DEPEND_ON_LIST)]
SUM_FORMS = [m for m in PLAIN_FORMS if m.name in SUMS]
CLOSED_FORMS = [m for m in PLAIN_FORMS if m.name in CLOSED]
SMALL_GRADES = (-1, 0, 1, 1, 2, 3)


@st.composite
def two_lists(draw: st.DrawFn, *, ties: bool = True) -> tuple[Case, Case]:
    """Judgments with the lists of two systems, which share documents."""
    case = draw(cases(ties=ties, doc_ids=tuple(f"d{i}" for i in range(9)), grades=SMALL_GRADES))
    other = draw(cases(ties=ties, doc_ids=tuple(f"d{i}" for i in range(9)), grades=SMALL_GRADES))
    lists = dict(zip(case.qrels, other.run.values(), strict=False)) or {next(iter(case.qrels)): {}}
    return case, Case(case.qrels, lists)


def pairs_of(case: tuple[Case, Case], *, ties: str = "doc_id_desc") -> HitPairs:
    a, b = (hits_of(side, ties=ties) for side in case)
    return HitPairs.of(a, replace(b, subtopics=a.subtopics))


def difference(measure: Measure, pairs: HitPairs) -> Floats:
    return measure(pairs.a) - measure(pairs.b)


def by_query(values: Floats, pairs: HitPairs) -> Floats:
    return np.bincount(pairs.query, values, len(pairs.a))


def test_which_measures_are_sums_over_documents_and_which_have_closed_forms():
    case = Case({"q": {"d1": 1, "d2": 0}}, {"q": {"d1": 1.0}})
    pairs = pairs_of((case, case))
    sums = {str(m) for m in FORMS if m.contributions(pairs.a) is not None}
    closed = {str(m) for m in FORMS if m.shapley_values(pairs) is not None}
    assert sums == set(map(str, SUM_FORMS))
    assert closed == set(map(str, CLOSED_FORMS))


@examples(100)
@given(two_lists())
def test_contributions_sum_to_the_difference_of_values(case):
    pairs = pairs_of(case)
    for measure in SUM_FORMS:
        in_a, in_b = measure.contributions(pairs.a), measure.contributions(pairs.b)
        found = pairs.differences(in_a, in_b)
        assert by_query(found, pairs) == pytest.approx(difference(measure, pairs), abs=1e-12), measure
        assert not found[~pairs.moved].any(), f"{measure}: a document that did not move contributes"


@examples(60)
@given(two_lists())
def test_contributions_sum_to_the_difference_where_ties_are_averaged(case):
    pairs = pairs_of(case, ties="average")
    for measure in SUM_FORMS:
        if measure.can_average_ties():
            found = pairs.differences(measure.contributions(pairs.a), measure.contributions(pairs.b))
            assert by_query(found, pairs) == pytest.approx(difference(measure, pairs), abs=1e-12), measure


@examples(100)
@given(two_lists())
def test_shapley_values_sum_to_the_difference_of_values(case):
    pairs = pairs_of(case)
    for measure in CLOSED_FORMS:
        found = measure.shapley_values(pairs)
        assert by_query(found, pairs) == pytest.approx(difference(measure, pairs), abs=1e-12), measure
        assert found[~pairs.moved] == pytest.approx(0, abs=1e-15), f"{measure}: a document did not move"


def precision_sum(ranks: list[float], grades: list[int], hits: Hits, depth: float) -> float:
    """Over pairs of relevant documents, each with itself once: 1 / the lower of their ranks."""
    kept = [rank for rank, grade in zip(ranks, grades, strict=True) if grade >= 1 and rank <= depth]
    return sum(1 / max(kept[i], kept[j]) for i in range(len(kept)) for j in range(i + 1))


def stopping(ranks: list[float], grades: list[int], hits: Hits, depth: float) -> float:
    """The expected 1 / rank of a reader whom documents stop; of two at one rank neither is above the other."""
    stops = [(2 ** max(grade, 0) - 1) / 2**hits.max_grade for grade in grades]
    expected = 0.0
    for rank, stop in zip(ranks, stops, strict=True):
        if rank <= depth and rank < inf:
            above = [other for other_rank, other in zip(ranks, stops, strict=True) if other_rank < rank]
            expected += stop * np.prod([1 - other for other in above]) / rank
    return expected


def first_rank(ranks: list[float], grades: list[int], hits: Hits, depth: float) -> float:
    return max((1 / r for r, g in zip(ranks, grades, strict=True) if g >= 1 and r <= depth), default=0.0)


PLAIN = {
    "AP": lambda *a: precision_sum(*a, inf),
    "AP@3": lambda *a: precision_sum(*a, 3),
    "RR": lambda *a: first_rank(*a, inf),
    "RR@3": lambda *a: first_rank(*a, 3),
    "Success@2": lambda *a: float(first_rank(*a, 2) > 0),
    "ERR": lambda *a: stopping(*a, inf),
    "ERR@3": lambda *a: stopping(*a, 3),
}


@pytest.mark.parametrize("name", PLAIN)
@examples(40)
@given(data=st.data())
def test_shapley_values_are_means_over_all_orders_of_the_documents(name, data):
    """Documents take their rank of the first list one after the other; the plain definition is measured each time."""
    n = data.draw(st.integers(1, 5))
    grades = data.draw(st.lists(st.sampled_from(SMALL_GRADES), min_size=n, max_size=n))
    lists = [data.draw(st.permutations([*(f"d{i}" for i in range(n)), "x", "y", "z"])) for _ in range(2)]
    lengths = [data.draw(st.integers(1, n + 3)) for _ in range(2)]
    qrels = rs.Qrels({"q": {f"d{i}": g for i, g in enumerate(grades)}})
    a, b = (rs.hits_of(qrels, {"q": docs[:length]}) for docs, length in zip(lists, lengths, strict=True))
    pairs = HitPairs.of(a, b)
    measure = rs.parse_measure(name)
    values = pairs.relevance.tolist()

    def measured(in_a: set[int]) -> float:
        ranks = [(pairs.rank_a if i in in_a else pairs.rank_b)[i].item() for i in range(len(pairs))]
        total = PLAIN[name](ranks, values, a)
        n_relevant = sum(grade >= 1 for grade in grades)
        return total if not name.startswith("AP") else total / n_relevant if n_relevant else 0.0

    expected = np.zeros(len(pairs))
    orders = list(permutations(range(len(pairs))))
    for order in orders:
        for i, document in enumerate(order):
            expected[document] += measured({*order[: i + 1]}) - measured({*order[:i]})
    assert measure.shapley_values(pairs) == pytest.approx(expected / len(orders), abs=1e-12)


def test_of_long_lists_shapley_values_still_sum_to_the_difference():
    """Five hundred documents: polynomials of that degree, and binomial coefficients beyond float64."""
    rng = np.random.default_rng(3)
    docs = [f"d{i}" for i in range(1200)]
    qrels = rs.Qrels({"q": dict(zip(docs, rng.integers(0, 4, 1200).tolist(), strict=True))})
    a, b = (rs.hits_of(qrels, {"q": rng.permutation(docs)[:600].tolist()}) for _ in range(2))
    pairs = HitPairs.of(a, b)
    for name in ("AP", "RR", "ERR", "nERR@500", "Success@300"):
        measure = rs.parse_measure(name)
        assert measure.shapley_values(pairs).sum() == pytest.approx(difference(measure, pairs).item(), abs=1e-12), name


def test_worked_shapley_values_of_average_precision():
    """One list has d1 and d2 at ranks 1 and 2, the other at 3 and 1: AP is 1 and (1/1 + 2/3) / 2."""
    qrels = rs.Qrels({"q": {"d1": 1, "d2": 1}})
    a, b = (rs.hits_of(qrels, {"q": docs}) for docs in (["d1", "d2"], ["d2", "x", "d1"]))
    pairs = HitPairs.of(a, b)
    # Alone, or after d2, d1 moves from 3 to 1; sums of precisions of all four states: 1 + 2/3, 2 (both at 1 count
    # twice), 1/2 + 2/3 and 2.
    nobody, d1_only, d2_only, both = 1 / 1 + 2 / 3, 1 / 1 + 2 / 1, 1 / 2 + 2 / 3, 1 / 1 + 2 / 2
    d1 = ((d1_only - nobody) + (both - d2_only)) / 2 / 2
    d2 = ((d2_only - nobody) + (both - d1_only)) / 2 / 2
    assert rs.parse_measure("AP").shapley_values(pairs) == pytest.approx([d1, d2], abs=1e-15)
    assert d1 + d2 == pytest.approx(1 - (1 + 2 / 3) / 2)


def test_worked_contributions_of_ndcg():
    qrels = rs.Qrels({"q": {"d1": 3, "d2": 1}})
    a, b = (rs.hits_of(qrels, {"q": docs}) for docs in (["d1", "x"], ["x", "d2"]))
    ideal = 3 / np.log2(2) + 1 / np.log2(3)
    measure = rs.parse_measure("nDCG@2")
    assert measure.contributions(a) == pytest.approx([3 / np.log2(2) / ideal])
    assert measure.contributions(b) == pytest.approx([1 / np.log2(3) / ideal])
    pairs = HitPairs.of(a, b)
    found = pairs.differences(measure.contributions(a), measure.contributions(b))
    assert found == pytest.approx([3 / ideal, -1 / np.log2(3) / ideal])


def test_pairs_need_hits_of_the_same_judgments():
    with pytest.raises(rs.ParameterError, match="different judgments"):
        HitPairs.of(rs.hits_of({"q": {"d": 1}}, {"q": ["d"]}), rs.hits_of({"r": {"d": 1}}, {"r": ["d"]}))
