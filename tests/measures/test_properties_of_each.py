"""The properties that need one or two evaluations, a test for each measure, on six queries.

`test_all_measures.py` tries many more cases, with all measures in one test: too slow for judging mutants one by one.
"""

from __future__ import annotations

from dataclasses import fields, replace
from functools import cache

import pytest
from helpers.measure_checks import CHECKS
from helpers.measure_properties import (
    check_ideal,
    check_plain,
    check_range,
    check_rel,
    check_used,
    expect_same,
    hits_of,
)
from helpers.measure_table import FORMS, TABLE
from helpers.strategies import Case, random_case

import rankscope as rs
from rankscope.data.hits import Hits

CASE = random_case(1, 6, scores=None)


@pytest.mark.parametrize("name", TABLE)
def test_a_measure_has_its_properties(name: str) -> None:
    check_range([m for m in FORMS if m.name == name], CASE)
    for check in (check_rel, check_used, check_plain, check_ideal):
        check([m for m in CHECKS[check][0] if m.name == name], CASE)


#: A quarter of each grade: most are fractions, below and above 1.
QUARTERS = Case({q: {d: grade / 4 for d, grade in docs.items()} for q, docs in CASE.qrels.items()}, CASE.run)
TIED = random_case(3, 6)
TIED_QUARTERS = Case({q: {d: grade / 4 for d, grade in docs.items()} for q, docs in TIED.qrels.items()}, TIED.run)
#: Their values depend on more than which of two gains is larger, or how many times as large.
NOT_BY_SHARES = {"DCG", "IdealDCG", "Q", "G", "ERR", "nERR"}


@cache
def whole_and_quarters() -> list[tuple[Hits, Hits, str]]:
    """Hits with whole grades, with a quarter of each, and how ties are broken."""
    return [
        (hits_of(whole, plain=True, ties=ties), hits_of(quarters, 0.25, plain=True, ties=ties), ties)
        for whole, quarters in ((CASE, QUARTERS), (TIED, TIED_QUARTERS))
        for ties in ("doc_id_desc", "file", "average")
    ]


@pytest.mark.parametrize("name", TABLE)
def test_a_measure_has_its_properties_where_grades_are_fractions(name: str) -> None:
    of_name = [m for m in FORMS if m.name == name and getattr(m, "gains", None) is None]  # whose grades are whole
    check_range(of_name, QUARTERS)
    for check in (check_used, check_plain, check_ideal):
        if name != "G" or check is not check_ideal:  # a gain below 1 costs as much as one of 1
            check([m for m in CHECKS[check][0] if m in of_name], QUARTERS)
    for measure in of_name:
        set_grades = [f.name for f in fields(measure) if f.name in ("rel", "gmin", "gmax") and getattr(measure, f.name)]
        by_shares = getattr(measure, "gain", "linear") == "linear" and name not in NOT_BY_SHARES
        if by_shares and not measure.needs_subtopics and set_grades in ([], ["rel"]):
            other = replace(measure, rel=measure.rel / 4) if set_grades else measure
            for whole, quarters, ties in whole_and_quarters():
                if ties != "average" or measure.can_average_ties():
                    expect_same(measure, measure(whole), other(quarters), f"grades / 4 change the value, ties {ties}")


BEST = [
    *(("P@5", 1, 1), ("P@5", 3, 3), ("P(rel=2)@5", 1, 2), ("P@size", 1, None), ("Success@5", 0, 1)),
    *(("DCG", 0, 1), ("DCG", 1, 1), ("DCG@3", 2, 2), ("DCG(gains={1: 2})", 1, None), ("nDCG", 1, None)),
    *(("ERR", 0, 1), ("ERR", 1, 1), ("ERR(gmax=4)", 2, 4), ("SDCG@3", 1, 1), ("SDCG(gmin=2, gmax=5)@3", 1, 5)),
]


@pytest.mark.parametrize(("form", "highest", "expected"), BEST)
def test_the_grade_that_raises_a_value_most_is_the_highest_there_can_be(
    form: str, highest: int, expected: object
) -> None:
    hits = rs.hits_of({"q": {"a": highest, "b": 0}}, {"q": {"a": 2.0, "unjudged": 1.0}})
    assert rs.parse_measure(form).best_grade(hits) == expected


@pytest.mark.parametrize("form", ["R@5", "RelP@5", "AP", "AP(norm='min')@3", "Rprec", "F(beta=3)@2", "BinG", "SetR"])
def test_what_a_value_is_divided_by_counts_at_the_same_level(form: str) -> None:
    """One of two documents of grade 2 is found, at the top; two of grade 1 count for nothing."""
    hits = rs.hits_of({"q": {"a": 2, "b": 1, "c": 1, "not found": 2}}, {"q": {"a": 3.0, "b": 2.0}})
    measure = rs.parse_measure(form)
    assert replace(measure, rel=2)(hits).tolist() == [0.5]
