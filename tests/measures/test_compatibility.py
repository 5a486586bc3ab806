"""Compatibility: against sets grown rank by rank, against ir_measures, and its conventions."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.properties import examples
from helpers.strategies import Case, as_lists, cases, random_case, ranked
from hypothesis import given
from hypothesis import strategies as st

import rankscope as rs
from rankscope.measures.compatibility import ideal_rank


def value(measure: str, relevance: list[int | None], missed: tuple[int, ...] = ()) -> float:
    return rs.evaluate(*as_lists(relevance, missed), measure).values.item()


def overlap(one: list[str], other: list[str], p: float, depth: int) -> float:
    """Rank-biased overlap down to a depth, over what two equal lists would have."""
    agreed = [len(set(one[:d]) & set(other[:d])) / d for d in range(1, depth + 1)]
    return sum(p**i * a for i, a in enumerate(agreed)) / sum(p**i for i in range(depth)) if depth else 0.0


def ideal_list(judged: dict[str, int], found: list[str]) -> list[str]:
    """Grades fall; documents of one grade as they are listed, those that are not listed last."""
    place = {d: i for i, d in enumerate(found)}
    return sorted((d for d, g in judged.items() if g > 0), key=lambda d: (-judged[d], place.get(d, len(found))))


def by_hand(judged: dict[str, int], docs: dict[str, float], p: float, normalize: bool) -> float:
    found = ranked(docs)
    ideal = ideal_list(judged, found)
    depth = max(len(found), len(ideal))
    best = overlap(ideal, ideal, p, depth) if normalize else 1.0
    return overlap(found, ideal, p, depth) / best if best else 0.0


@examples(200)
@given(case=cases(), p=st.sampled_from([0.001, 0.5, 0.95, 0.999]), normalize=st.booleans())
def test_it_agrees_with_sets_grown_rank_by_rank(case: Case, p: float, normalize: bool) -> None:
    scores = rs.evaluate(case.qrels, case.run, f"Compat(p={p}, normalize={normalize})")
    for i, query in enumerate(scores.query_ids):
        expected = by_hand(case.qrels[query], case.run.get(query, {}), p, normalize)
        assert scores.values[0, 0, i] == pytest.approx(expected, rel=1e-11, abs=1e-14), query


def test_it_agrees_with_sets_grown_rank_by_rank_on_longer_lists() -> None:
    case = random_case(9, 60)
    for p, normalize in [(0.95, True), (0.8, False)]:
        scores = rs.evaluate(case.qrels, case.run, f"Compat(p={p}, normalize={normalize})")
        expected = [by_hand(case.qrels[q], case.run.get(q, {}), p, normalize) for q in scores.query_ids]
        assert scores.values[0, 0] == pytest.approx(expected, rel=1e-11, abs=1e-14)


@examples(150)
@given(case=cases())
def test_the_ideal_rank_of_a_document_is_its_place_in_the_ideal_list(case: Case) -> None:
    hits = rs.hits_of(rs.Qrels(case.qrels), rs.Run(case.run))
    places = ideal_rank(hits)
    for i, query in enumerate(hits.query_ids):
        found = ranked(case.run.get(query, {}))
        ideal = ideal_list(case.qrels[query], found)
        expected = [ideal.index(d) + 1 for d in found if d in ideal]
        mine = slice(hits.offsets[i], hits.offsets[i + 1])
        assert places[mine][hits.relevance[mine] > 0].tolist() == expected


@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize("p", [0.5, 0.95])
def test_it_agrees_with_ir_measures_where_scores_are_positive_and_distinct(p: float, normalize: bool) -> None:
    """0.4.3."""
    ir_measures = pytest.importorskip("ir_measures")
    rng = np.random.default_rng(4)
    qrels, run = {}, {}
    for q in range(40):
        docs = [f"d{i}" for i in range(int(rng.integers(1, 300)))]
        qrels[f"q{q}"] = {d: int(rng.integers(-1, 4)) for d in docs if rng.random() < 0.4} | {"m1": 0, "m2": 2}
        run[f"q{q}"] = dict(zip(docs, (rng.permutation(len(docs)) + 1.0).tolist(), strict=True))
    peer = ir_measures.Compat(p=p, normalize=normalize)
    found = {v.query_id: v.value for v in ir_measures.compat.iter_calc([peer], qrels, run)}
    scores = rs.evaluate(qrels, run, f"Compat(p={p}, normalize={normalize})")
    assert scores.values[0, 0] == pytest.approx([found[q] for q in scores.query_ids], rel=1e-11, abs=1e-13)


def test_documents_not_retrieved_are_last_of_their_grade_whatever_the_sign_of_the_scores() -> None:
    """ir_measures takes 0 for their score: before those with a score below 0."""
    qrels = {"q": {"a": 1, "m": 1}}
    below = rs.evaluate(qrels, {"q": {"a": -1.0}}, "Compat(p=0.5)").values.item()
    above = rs.evaluate(qrels, {"q": {"a": 1.0}}, "Compat(p=0.5)").values.item()
    assert below == above == pytest.approx((1 + 0.5 * 1 / 2) / (1 + 0.5 * 2 / 2))


def test_ties_are_broken_as_for_every_measure() -> None:
    """By falling id; ir_measures takes rising ids here."""
    assert rs.evaluate({"q": {"b": 1}}, {"q": {"a": 1.0, "b": 1.0}}, "Compat(p=0.5, normalize=False)").values == (
        pytest.approx((1 + 0.5 * 1 / 2) / (1 + 0.5))
    )


def test_the_ideal_list_gives_1_and_a_longer_one_only_where_it_is_normalised() -> None:
    assert value("Compat", [3, 1, 1]) == value("Compat(normalize=False)", [3, 1, 1]) == pytest.approx(1)
    assert value("Compat(p=0.5)", [3, 1, None]) == pytest.approx(1)
    expected = (1 + 0.5 * 2 / 2 + 0.5**2 * 2 / 3) / (1 + 0.5 + 0.5**2)
    assert value("Compat(p=0.5, normalize=False)", [3, 1, None]) == pytest.approx(expected)


@pytest.mark.parametrize("measure", ["Compat", "Compat(normalize=False)"])
def test_where_nothing_is_relevant_or_retrieved_it_is_0(measure: str) -> None:
    assert value(measure, [0, None, -1], (0,)) == 0
    assert value(measure, [], (1, 2)) == 0
    assert value(measure, [], (0,)) == 0


@pytest.mark.parametrize(
    ("measure", "why"),
    [
        ("Compat(p=1.0)", "p is 1.0, .*0 and 1"),
        ("Compat(p=0)", "p is 0, .*0 and 1"),
        ("Compat(normalize=1)", "normalize is 1, .*True .*False"),
        ("Compat@10", "Compat takes no cutoff"),
    ],
)
def test_what_makes_no_sense_is_refused(measure: str, why: str) -> None:
    with pytest.raises(rs.ParameterError, match=why):
        rs.parse_measure(measure)


def test_orders_of_tied_documents_are_not_averaged() -> None:
    with pytest.raises(rs.ParameterError, match=r"average .*tied documents"):
        rs.evaluate(*as_lists([1, 0]), "Compat", ties="average")
