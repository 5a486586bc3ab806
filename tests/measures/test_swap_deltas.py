"""What two documents that change places change, against measuring twice."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.properties import examples
from hypothesis import given
from hypothesis import strategies as st

import rankscope as rs
from rankscope import parse_measure
from rankscope.errors import ParameterError
from rankscope.evaluation.judged_lists import FullyJudgedLists

MEASURES = (
    "DCG",
    "DCG(discount='jk')@3",
    "nDCG",
    "nDCG(gain='exp')@3",
    "nDCG(ideal='listed')@2",
    "nDCG(short='zero')@4",
    "nDCG(gains={1: 1, 2: 5, 3: 7})",
    "P@1",
    "P(rel=2)@3",
    "P@size",
    "AP",
    "AP(rel=2)@3",
    "AP(norm='min')@2",
    "RR",
    "RR(rel=2)@2",
    "ERR",
    "ERR(gmax=4)@3",
    "RBP(p=0.7)",
    "RBP(p=0.9, rel=2)@3",
    "RBP(p=0.9, gmax='query')",
)


@st.composite
def lists(draw):
    """Grades of one to three lists, in the order in which they are ranked."""
    return [draw(st.lists(st.integers(0, 3), min_size=1, max_size=6)) for _ in range(draw(st.integers(1, 3)))]


def measured(measure, grades):
    offsets = np.cumsum([0, *map(len, grades)])
    flat = np.array([g for row in grades for g in row])
    scores = -np.arange(flat.size, dtype=float)
    return FullyJudgedLists(flat, offsets, max_grade=3).hits(scores)


@pytest.mark.parametrize("name", MEASURES)
@examples(40, quick=5)
@given(lists())
def test_deltas_are_the_difference_of_the_values_before_and_after(name, grades):
    measure = parse_measure(name)
    hits = measured(measure, grades)
    before, starts = measure(hits), hits.offsets
    pairs = [(q, i, j) for q, row in enumerate(grades) for i in range(len(row)) for j in range(len(row)) if i != j]
    if not pairs:
        return
    first = np.array([starts[q] + i for q, i, _ in pairs])
    second = np.array([starts[q] + j for q, _, j in pairs])
    expected = []
    for q, i, j in pairs:
        swapped = [list(row) for row in grades]
        swapped[q][i], swapped[q][j] = swapped[q][j], swapped[q][i]
        expected.append(measure(measured(measure, swapped))[q] - before[q])
    assert measure.swap_deltas(hits, first, second) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", MEASURES)
def test_deltas_hold_where_judged_documents_were_not_retrieved(name):
    measure = parse_measure(name)
    qrels = {"q": {"a": 2, "b": 0, "c": 3, "not found": 3, "nor this": 1}, "r": {"x": 1, "y": 3, "not found": 2}}
    run = {"q": {"b": 5.0, "a": 4.0, "unjudged": 3.0, "c": 2.0}, "r": {"x": 3.0, "z": 2.0, "y": 1.0}}
    hits = rs.hits_of(qrels, run)
    before, expected, first, second = measure(hits), [], [], []
    for q, (query, scores) in enumerate(run.items()):
        judged = [doc for doc in scores if doc in qrels[query]]  # the hits
        for (i, one), (j, other) in combinations(enumerate(judged), 2):
            swapped = {**run, query: {**scores, one: scores[other], other: scores[one]}}
            expected.append(measure(rs.hits_of(qrels, swapped))[q] - before[q])
            first.append(hits.offsets[q] + i)
            second.append(hits.offsets[q] + j)
    assert measure.swap_deltas(hits, np.array(first), np.array(second)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", ["Bpref", "infAP", "AP(norm='found')@3", "Rprec", "nERR", "P(scale='permille')@3"])
def test_a_measure_without_closed_form_is_refused_by_name(name):
    measure = parse_measure(name)
    with pytest.raises(ParameterError, match="no closed form") as refused:
        measure.swap_deltas(measured(measure, [[1, 0]]), np.array([0]), np.array([1]))
    assert str(measure) in str(refused.value)
    assert mentions(refused.value, "DCG, nDCG, P, ", "AP, RR, ERR, RBP")
