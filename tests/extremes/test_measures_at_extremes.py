"""Grades up to a million, ranks up to a billion, scores at both ends of float64, nothing retrieved: right, or refused.

What has an exact value is compared with one computed in fractions and in decimals of 60 digits. Warnings are errors in
all tests, so that none of NumPy's gets out.
"""

from __future__ import annotations

import tracemalloc
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import rankscope as rs
from rankscope.measures import MEASURES

#: Parameters that go to an extreme, tried on each measure that has them.
FORMS = ("", "@10", "@1000000000", "(gain='exp')", "(gain='exp')@5", "(p=0.999999)", "(rel=1000000)", "@0.5")


def all_measures() -> list[rs.Measure]:
    found: dict[str, rs.Measure] = {}
    for name in MEASURES:
        for form in FORMS:
            try:
                made = rs.parse_measures([name + form])
            except rs.ParameterError:  # it has no such parameter
                continue
            found |= {str(one): one for one in made}
    return list(found.values())


ALL = all_measures()


def graded(*grades: int) -> dict[str, dict[str, int]]:
    return {"q": {f"d{i}": grade for i, grade in enumerate(grades)}}


def scored(*scores: float) -> dict[str, dict[str, float]]:
    return {"q": {f"d{i}": score for i, score in enumerate(scores)}}


CASES: dict[str, tuple[Any, Any]] = {
    "one query and one document": (graded(1), scored(1.0)),
    "one document that is not relevant": (graded(0), scored(1.0)),
    "one document below 0": (graded(-(2**53) + 1), scored(1.0)),
    "nothing retrieved": ({"q": {"a": 1}, "r": {"a": 1}}, {"r": {"a": 1.0}}),
    "nothing judged retrieved": (graded(1), {"q": {"x": 1.0}}),
    "a million": (graded(999_999, 10**6, 1, 0), scored(2.0, 3.0, 1.0, 0.5)),
    "900, the highest of exponential gains": (graded(899, 900, 1, 0), scored(3.0, 2.0, 1.0, 0.5)),
    "2^53 - 1 and its opposite": (graded(2**53 - 1, 1 - 2**53, 1), scored(1.0, 2.0, 3.0)),
    "subnormal scores": (graded(1, 2, 0, 1), scored(5e-324, 1e-323, 0.0, -5e-324)),
    "the greatest scores": (graded(1, 2, 0, 1), scored(1.7e308, -1.7e308, 1.6e308, 0.0)),
    "equal scores": (graded(1, 2, 0, 1), scored(1e30, 1e30, 1e30, 1e30)),
    "all relevant": (graded(*[1] * 40), scored(*map(float, range(40)))),
}
#: What refuses a case: what its words are.
REFUSED = (
    "beyond float64",
    "ties",
    "tied documents",
    "subtopic",
    "cutoff of at most",
    "at most 10,000,000",
    "judged a second",
)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("ties", ["doc_id_desc", "average"])
def test_every_measure_has_a_number_in_its_range_or_a_reason(case: str, ties: str) -> None:
    qrels, run = CASES[case]
    for measure in ALL:
        try:
            scores = rs.evaluate(qrels, [run], [measure], ties=ties)
        except rs.RankscopeError as error:
            if not any(word in str(error) for word in REFUSED):
                raise
            continue
        value = float(scores.values[0, 0, 0])
        low, high = measure.range
        lacks = measure.may_lack_value() or bool(scores.undefined.any() or scores.missing.any())
        assert low - 1e-12 <= value <= high + 1e-12 or (np.isnan(value) and lacks), (str(measure), value)


def exact_dcg(gains: list[int]) -> Decimal:
    """In decimals of 60 digits, of gains in the order of a list."""
    with localcontext() as context:
        context.prec = 60
        two = Decimal(2).ln()
        return sum((Decimal(g) * two / Decimal(i + 2).ln() for i, g in enumerate(gains)), Decimal(0))


@pytest.mark.parametrize("grades", [(3, 0, 2), (60, 59, 0, 1), (53, 54, 1), (900, 1, 899, 0, 898), (1, 900)], ids=str)
def test_exponential_gains_are_those_of_decimals(grades: tuple[int, ...]) -> None:
    qrels, run = graded(*grades), scored(*[float(-i) for i in range(len(grades))])
    scores = rs.evaluate(qrels, run, ["DCG(gain='exp')", "nDCG(gain='exp')", "nDCG(gain='exp')@2"])
    gains = [2**g - 1 for g in grades]
    best = sorted(gains, reverse=True)
    dcg, ideal = exact_dcg(gains), exact_dcg(best)
    assert scores.overall("DCG(gain='exp')") == pytest.approx(float(dcg), rel=1e-14)
    assert scores.overall("nDCG(gain='exp')") == pytest.approx(float(dcg / ideal), rel=1e-14)
    cut = exact_dcg(gains[:2]) / exact_dcg(best[:2])
    assert scores.overall("nDCG(gain='exp')@2") == pytest.approx(float(cut), rel=1e-14)


@pytest.mark.parametrize("name", ["nDCG", "DCG", "IdealDCG", "nDCGRel", "RnDCG", "G", "Q"])
def test_gains_beyond_float64_are_refused_and_say_what_to_do(name: str) -> None:
    with pytest.raises(rs.ParameterError, match=r"\b1000000\b.*\bfloat64\b.*gain='linear'"):
        rs.evaluate(graded(10**6, 1), scored(1.0, 2.0), [f"{name}(gain='exp')"])


def exact_err(grades: list[int], top: int) -> Fraction:
    left, found = Fraction(1), Fraction(0)
    for rank, grade in enumerate(grades, 1):
        stop = Fraction(2**grade - 1, 2**top)
        found += left * stop / rank
        left *= 1 - stop
    return found


@pytest.mark.parametrize("grades", [(2, 0, 1), (60, 59, 60, 1), (1, 900, 900), (0, 10**4, 1)], ids=str)
def test_err_is_that_of_fractions_whatever_the_grade(grades: tuple[int, ...]) -> None:
    qrels, run = graded(*grades), scored(*[float(-i) for i in range(len(grades))])
    found = rs.evaluate(qrels, run, ["ERR"]).overall("ERR")
    assert found == pytest.approx(float(exact_err(list(grades), max(grades))), rel=1e-13)


def test_grades_of_a_million_are_proportional_ones_to_linear_measures() -> None:
    run = scored(1.0, 3.0, 2.0, 0.5)
    names = ["nDCG", "nDCG@2", "RBP(p=0.8)", "Q(beta=1.0)", "AP", "Compat(p=0.9)", "SDCG@3"]
    small = rs.evaluate(graded(1, 2, 0, 3), run, names)
    large = rs.evaluate(graded(10**6, 2 * 10**6, 0, 3 * 10**6), run, names)
    for name in names[:3] + names[4:5]:
        assert large.overall(name) == pytest.approx(small.overall(name), rel=1e-14), name


@pytest.mark.parametrize(
    ("ranks", "total"),
    [((1.0, 1e9), 2 * 10**9), ((1e9,), 10**9), ((1.5, 2.5e8, 1e9), 10**9), ((2.0**52,), 2**52 + 1)],
    ids=["the first and the last", "a billion", "parts of ranks", "2^52"],
)
def test_ranks_up_to_a_billion_give_every_measure_a_number_in_its_range(ranks: tuple[float, ...], total: int) -> None:
    """And no table as long as the list: what it holds is bounded here by a few megabytes."""
    table = rs.EntityRanks(ranks=[ranks], systems=["A"], entity_ids=list(map(str, ranks)), total_ranks=total)
    hits = table.hits("A")
    tracemalloc.start()
    try:
        for measure in ALL:
            try:
                value = float(measure(hits)[0])
            except rs.RankscopeError as error:
                if not any(word in str(error) for word in REFUSED):
                    raise
                continue
            low, high = measure.range
            lacks = np.isnan(value) and measure.may_lack_value()
            assert low - 1e-9 <= value <= high + 1e-9 or lacks, (measure, value)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < 64e6


def test_values_at_a_billion_are_those_of_fractions() -> None:
    n = 10**9
    table = rs.EntityRanks(ranks=[[1, n]], systems=["A"], entity_ids=["a", "b"], total_ranks=2 * n)
    hits = table.hits("A")
    exact = {
        "AP": (Fraction(1) + Fraction(2, n)) / 2,
        "RR": Fraction(1),
        f"P@{n}": Fraction(2, n),
        "MeanRank": Fraction(n + 1, 2),
        "AUC": 1 - Fraction(n - 2, 2 * (2 * n - 2)),
    }
    for name, value in exact.items():
        assert float(rs.parse_measure(name)(hits)[0]) == pytest.approx(float(value), rel=1e-14), name
