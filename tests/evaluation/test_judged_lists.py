"""Judged lists that are ranked again and again, against evaluate on the same scores."""

from itertools import pairwise

import numpy as np
import pytest
from helpers.properties import examples
from hypothesis import given
from hypothesis import strategies as st

from rankscope import Qrels, Run, evaluate, parse_measure
from rankscope.evaluation.judged_lists import FullyJudgedLists

NAMES = ("nDCG(gain='exp')@3", "nDCG", "AP", "P@2", "RR", "ERR@4", "RBP(p=0.8)", "Bpref", "Rprec", "num_rel")


@examples(25)
@given(data=st.data())
def test_measures_are_those_of_evaluate(data):
    lengths = data.draw(st.lists(st.integers(1, 6), min_size=1, max_size=4))
    n = sum(lengths)
    scores = np.array(data.draw(st.permutations(range(n)))) / 7.0
    grades = np.array(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)))
    offsets = np.cumsum([0, *lengths])
    qrels, run = {}, {}
    for q, (a, b) in enumerate(pairwise(offsets)):
        qrels[f"q{q}"] = {f"d{d}": int(grades[d]) for d in range(a, b)}
        run[f"q{q}"] = {f"d{d}": float(scores[d]) for d in range(a, b)}
    hits = FullyJudgedLists(grades, offsets).hits(scores)
    found = evaluate(Qrels(qrels), Run(run), list(NAMES), no_relevant="zero")
    for name in NAMES:
        values = parse_measure(name)(hits)
        order = [int(query[1:]) for query in found.query_ids]
        expected = found.matrix(name)[0]
        assert np.nan_to_num(values[order]) == pytest.approx(np.nan_to_num(expected)), name


def test_equal_scores_keep_the_order_of_the_documents():
    lists = FullyJudgedLists(np.array([0, 1, 2, 3]), np.array([0, 3, 4]))
    assert lists.order(np.zeros(4)).tolist() == [0, 1, 2, 3]
    assert lists.order(np.array([0.0, 5.0, 5.0, 9.0])).tolist() == [1, 2, 0, 3]


def test_what_judgments_alone_decide_is_the_same_for_other_scores():
    lists = FullyJudgedLists(np.array([0, 1, 2, 3]), np.array([0, 3, 4]), max_grade=4)
    one, other = lists.hits(np.zeros(4)), lists.hits(np.arange(4.0))
    assert one.max_grade == other.max_grade == 4
    measure = parse_measure("nDCG")
    assert measure(other)[0] == 1.0  # the best order
    assert measure(one)[0] < 1.0
    assert measure(lists.hits(np.arange(4.0)))[0] == 1.0


def test_by_lot_equal_scores_are_in_an_order_that_is_the_same_each_time_and_stays_in_its_list():
    rng = np.random.default_rng(5)
    lengths = rng.integers(1, 9, 300)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    grades = rng.integers(0, 3, offsets[-1])
    lists, again = (FullyJudgedLists(given, offsets, by_lot=True) for given in (grades, grades[::-1]))
    flat = lists.order(np.zeros(len(grades)))
    assert flat.tolist() == again.order(np.ones(len(grades))).tolist()  # whatever the grades, whatever the score
    firsts = []
    for a, b in pairwise(offsets):
        assert sorted(flat[a:b]) == list(range(a, b))
        if b - a > 1:
            firsts.append((flat[a] - a) / (b - a - 1))
    assert np.mean(firsts) == pytest.approx(0.5, abs=0.1)  # in file order it would be 0
    scores = rng.integers(0, 3, len(grades)).astype(float)
    place = np.argsort(flat)
    expected = np.lexsort((place, -scores, np.repeat(np.arange(300), lengths)))
    assert lists.order(scores).tolist() == expected.tolist()
    assert lists.hits(scores).relevance.tolist() == grades[expected].tolist()
    apart = rng.permutation(len(grades)).astype(float)
    assert lists.order(apart).tolist() == FullyJudgedLists(grades, offsets).order(apart).tolist()
