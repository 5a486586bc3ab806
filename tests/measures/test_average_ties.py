"""ties="average": the mean over all orders of tied documents, against trying them all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby, permutations, product
from math import comb
from pathlib import Path

import numpy as np
import pytest
from helpers.measure_table import FORMS
from helpers.messages import mentions
from helpers.properties import examples
from helpers.same import assert_same_bits
from helpers.strategies import Case, cases
from hypothesis import given
from hypothesis import strategies as st

import rankscope as rs
from rankscope import Convention
from rankscope.measures import Measure

AVERAGE = Convention(ties="average")

#: Every form that has an average; where it may have a cutoff, also with one that falls inside groups of tied documents.
#: The size of the collection, which permilles and some weights of Utility ask for, is not known here.
FREE = [m for m in FORMS if getattr(m, "scale", None) is None and not getattr(m, "d", 0)]
FREE.append(rs.parse_measure("nDCG(gains={0: 0.5, 1: 3, 2: -1}, others='gain')"))  # which leaves the range of nDCG
CUT = [replace(m, cutoff=3) for m in FREE if hasattr(m, "cutoff")]  # it has one
AVERAGED = [measure for measure in dict.fromkeys([*FREE, *CUT]) if measure.can_average_ties()]
REFUSED = [measure for measure in dict.fromkeys([*FREE, *CUT]) if not measure.can_average_ties()]


def orders(docs: dict[str, float]) -> Iterator[tuple[str, ...]]:
    """Every order of the list that its scores allow."""
    falling = sorted(docs, key=lambda d: -docs[d])
    groups = [list(group) for _, group in groupby(falling, key=docs.__getitem__)]
    for choice in product(*map(permutations, groups)):
        yield tuple(doc for group in choice for doc in group)


def every_order(judged: dict[str, int], docs: dict[str, float]) -> rs.Hits:
    """One query an order, all with the same judgments."""
    lists = {str(i): {doc: -float(r) for r, doc in enumerate(order)} for i, order in enumerate(orders(docs))}
    return rs.hits_of(rs.Qrels(dict.fromkeys(lists, judged)), lists)


def averaged(judged: dict[str, int], docs: dict[str, float]) -> rs.Hits:
    return rs.hits_of(rs.Qrels({"q": judged}), {"q": docs}, AVERAGE)


@st.composite
def tied(draw: st.DrawFn) -> tuple[dict[str, int], dict[str, float]]:
    """Up to six documents of few scores, judged or not; and some that were not retrieved."""
    grades = st.sampled_from([None, -1, 0, 0, 1, 1, 2, 3])
    listed = draw(st.lists(st.tuples(grades, st.integers(0, 2)), min_size=1, max_size=6))
    missed = draw(st.lists(st.integers(0, 3), min_size=1, max_size=2))
    judged = {f"d{i}": grade for i, (grade, _) in enumerate(listed) if grade is not None}
    judged |= {f"m{i}": grade for i, grade in enumerate(missed)}
    return judged, {f"d{i}": float(score) for i, (_, score) in enumerate(listed)}


@examples(150)
@given(case=tied())
def test_the_average_is_the_mean_over_all_orders(case: tuple[dict[str, int], dict[str, float]]) -> None:
    one, all_orders = averaged(*case), every_order(*case)
    for measure in AVERAGED:
        expected = measure(all_orders).mean()
        assert measure(one).item() == pytest.approx(expected, rel=1e-11, abs=1e-13, nan_ok=True), measure


@examples(80)
@given(case=tied())
def test_the_documents_that_a_value_rests_on_are_averaged_too(case: tuple[dict[str, int], dict[str, float]]) -> None:
    one, all_orders = averaged(*case), every_order(*case)
    for measure in AVERAGED:
        expected = measure.used(all_orders).mean()
        assert measure.used(one).item() == pytest.approx(expected, rel=1e-11, abs=1e-13), measure


@examples(80)
@given(case=tied())
def test_the_average_of_lists_without_unjudged_documents(case: tuple[dict[str, int], dict[str, float]]) -> None:
    """What is left of a group of tied documents is tied."""
    one, all_orders = averaged(*case).judged_only(), every_order(*case).judged_only()
    for measure in AVERAGED:
        expected = measure(all_orders).mean()
        assert measure(one).item() == pytest.approx(expected, rel=1e-11, abs=1e-13, nan_ok=True), measure


@examples(80)
@given(case=cases())
def test_the_order_of_the_input_changes_no_average(case: Case) -> None:
    qrels = {q: dict(reversed(docs.items())) for q, docs in case.qrels.items()}
    run = {q: dict(reversed(docs.items())) for q, docs in case.run.items()}
    here, there = rs.hits_of(rs.Qrels(case.qrels), case.run, AVERAGE), rs.hits_of(rs.Qrels(qrels), run, AVERAGE)
    for measure in AVERAGED:
        np.testing.assert_allclose(measure(here), measure(there), rtol=1e-13, atol=1e-13, err_msg=str(measure))


@examples(60)
@given(case=cases())
def test_the_average_of_a_query_does_not_know_of_the_others(case: Case) -> None:
    hits = rs.hits_of(rs.Qrels(case.qrels), case.run, AVERAGE)
    for measure in AVERAGED:
        alone = [measure(hits.select([i])).item() for i in range(len(hits))]
        np.testing.assert_allclose(measure(hits), alone, rtol=1e-12, atol=1e-13, err_msg=str(measure))


def test_the_average_by_hand() -> None:
    """Two tied documents, one of them relevant: half the time it is first."""
    scores = rs.evaluate({"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0, "b": 1.0}}, ["P@1", "RR", "AP"], ties="average")
    assert scores.values[0, :, 0].tolist() == [1 / 2, (1 + 1 / 2) / 2, (1 + 1 / 2) / 2]
    assert "ties:average" in scores.signature("RR")


def test_every_way_in_gives_the_same_average() -> None:
    judged, docs = {"a": 2, "b": 0, "m": 1}, {"x": 3.0, "a": 1.0, "b": 1.0, "y": 1.0, "z": 0.5}
    columns = {"query_id": ["q"] * 5, "doc_id": list(docs), "score": list(docs.values())}
    expected = rs.evaluate({"q": judged}, {"q": docs}, AVERAGED, ties="average").values
    assert_same_bits(rs.evaluate({"q": judged}, rs.Run(columns), AVERAGED, ties="average").values, expected)
    again = rs.Evaluator({"q": judged}, AVERAGED, ties="average")
    for run in ({"q": docs}, rs.Run(columns)):
        assert_same_bits(again(run).values, expected)


# --- who has none -----------------------------------------------------------------------------------------------------


def test_the_measures_that_everybody_asks_for_have_an_average_and_some_parameters_take_it_away() -> None:
    averaged = {m.name for m in AVERAGED}
    assert {"P", "R", "RR", "AP", "DCG", "nDCG", "ERR", "F", "Success"} <= averaged
    assert {"AP(norm='found')@3", "AUC@3", "P@mean"} <= set(map(str, REFUSED))
    assert {"AP(norm='found')", "AUC", "P@3"} <= set(map(str, AVERAGED))


@pytest.mark.parametrize("measure", REFUSED, ids=str)
def test_a_measure_without_an_average_is_refused_in_one_line(measure: Measure) -> None:
    qrels, run = rs.Qrels({"q": {"a": 1}}), {"q": {"a": 1.0}}
    hits = rs.hits_of(qrels, run, AVERAGE)
    for call in (
        lambda: rs.evaluate(qrels, run, measure, ties="average"),
        lambda: rs.Evaluator(qrels, measure, ties="average"),
        lambda: measure(hits),
    ):
        with pytest.raises(rs.ParameterError) as refused:
            call()
        text = str(refused.value)
        assert text.startswith(f"{measure}: ")
        assert mentions(text, "no closed form")
        assert "\n" not in text


def test_a_measure_of_ones_own_is_refused_too(own_measures: None) -> None:
    """Nobody knows whether what it does with ranks has an average."""

    @rs.define_measure("FirstHit", range=(0, np.inf))
    def first_hit(hits: rs.Hits) -> np.ndarray:
        return hits.sum(hits.rank)

    with pytest.raises(rs.ParameterError, match=r"FirstHit: .*average .*tied documents"):
        rs.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "FirstHit", ties="average")


def test_all_measures_are_looked_at_before_anything_is_read(tmp_path: Path) -> None:
    with pytest.raises(rs.ParameterError, match="Bpref: its average"):
        rs.evaluate(tmp_path / "none", tmp_path / "none", ["P@5", "Bpref"], ties="average")


def test_a_cutoff_through_tied_documents_is_refused_and_one_between_them_is_not() -> None:
    judged, docs = {"a": 2, "b": 0, "m": 1}, {"a": 3.0, "b": 3.0, "x": 2.0, "y": 1.0}
    hits = averaged(judged, docs)
    with pytest.raises(rs.ParameterError, match=r"depth 1 .*one score.*another"):
        hits.cut(1)
    for depth in (2, 3, 4, 9):
        shorter = averaged(judged, dict(list(docs.items())[:depth]))
        for measure in AVERAGED:
            assert measure(hits.cut(depth)).tolist() == measure(shorter).tolist(), (measure, depth)


# --- long groups ------------------------------------------------------------------------------------------------------


def boolean_run(n: int, grades: list[int]) -> rs.Hits:
    """All documents of one score; the first ones judged."""
    return averaged({f"d{i}": g for i, g in enumerate(grades)}, {f"d{i}": 1.0 for i in range(n)})


def test_of_a_thousand_tied_documents_all_values_are_finite_and_in_range() -> None:
    grades = [*([3] * 100), *([1] * 200), *([0] * 300), -1]
    hits = boolean_run(1000, grades)
    for measure in AVERAGED:
        value = measure(hits).item()
        low, high = measure.range
        assert low <= value <= high + 1e-12, measure
        assert np.isfinite(value), measure


@pytest.mark.parametrize(("n", "m"), [(1000, 1), (1000, 37), (300, 299), (300, 300)])
def test_of_one_long_group_the_values_are_those_of_counting_the_orders(n: int, m: int) -> None:
    """The first relevant of n documents, m of them relevant, is the i-th in C(n - i, m - 1) of C(n, m) orders; at a
    relevant i-th stand (i - 1) (m - 1) / (n - 1) relevant ones above; i of n hold j of m in C(m, j) C(n - m, i - j).
    """
    hits = boolean_run(n, [1] * m)
    first = [comb(n - i, m - 1) / comb(n, m) for i in range(1, n - m + 2)]
    expected = {
        "P@10": m / n,
        "RR": sum(p / i for i, p in enumerate(first, 1)),
        "RR@5": sum(p / i for i, p in enumerate(first[:5], 1)),
        "Success@7": sum(first[:7]),
        "AP": sum((1 + (i - 1) * (m - 1) / max(n - 1, 1)) / i for i in range(1, n + 1)) / n,
        "DCG@20": m / n * sum(1 / np.log2(i + 1) for i in range(1, 21)),
    }

    def passed(i: int) -> float:  # gmax is 1: each relevant document stops with probability 1/2
        return sum(comb(m, j) * comb(n - m, i - j) / comb(n, i) * 0.5**j for j in range(min(i, m) + 1))

    expected["ERR@20"] = sum((passed(i - 1) - passed(i)) / i for i in range(1, 21))
    for name, value in expected.items():
        assert rs.parse_measure(name)(hits).item() == pytest.approx(value, rel=1e-11), name


# --- a peer -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [None, 1, 3, 10, 50])
@pytest.mark.parametrize("levels", [1, 2, 5, 1000])
def test_the_average_of_ndcg_and_dcg_is_scikit_learns(k: int | None, levels: int) -> None:
    """scikit-learn 1.9.1 averages over ties unless it is told not to."""
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(7)
    relevance = rng.integers(0, 4, (20, 30))
    scores = rng.integers(0, levels, (20, 30)).astype(float)
    qrels = {f"q{q:02d}": {f"d{d}": int(g) for d, g in enumerate(row)} for q, row in enumerate(relevance)}
    run = {f"q{q:02d}": {f"d{d}": float(s) for d, s in enumerate(row)} for q, row in enumerate(scores)}
    at = "" if k is None else f"@{k}"
    ours = rs.evaluate(qrels, run, [f"nDCG{at}", f"DCG{at}"], ties="average")
    assert ours.overall(f"nDCG{at}") == pytest.approx(metrics.ndcg_score(relevance, scores, k=k), rel=1e-12)
    assert ours.overall(f"DCG{at}") == pytest.approx(metrics.dcg_score(relevance, scores, k=k), rel=1e-12)
