"""Fusion, consensus and losses of scores and weights at both ends of float64: numbers, or a reason, and no warning."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from helpers.messages import mentions
from helpers.same import assert_same_bits

import rankscope as rs
from rankscope.learning import LOSSES
from rankscope.learning.losses import parse_loss

SMALLEST, GREATEST = 5e-324, 1.7e308


def scored(*scores: float) -> dict[str, dict[str, float]]:
    return {"q": {f"d{i}": score for i, score in enumerate(scores)}}


RUNS = {
    "the ends of float64": [scored(GREATEST, -GREATEST, 0, 1), scored(1, 2, 3, 4)],
    "both at the end": [scored(GREATEST, 1.6e308, 0, 1), scored(GREATEST, 1.6e308, 1, -GREATEST)],
    "1e30": [scored(1e30, -1e30, 0), scored(-1e30, 1e30, 5)],
    "subnormal": [scored(SMALLEST, 0, 2 * SMALLEST), scored(SMALLEST, 1e-320, 0)],
    "1e160": [scored(1e160, -1e160, 0, 3), scored(1, 2, 3, 4)],
    "1e-170": [scored(1e-170, -1e-170, 2e-170, 3e-170), scored(1, 2, 3, 4)],
    "equal": [scored(1, 1, 1), scored(2, 2, 2)],
    "zero": [scored(0, 0, 0), scored(0, 0, 0)],
    "one document": [scored(3), scored(4)],
    "nothing in common": [{"q": {"a": 1.0}}, {"q": {"b": 1.0}}],
    "below 0": [scored(-1, -2, -3), scored(-5, -1, -2)],
}
#: Why a fusion is refused; anything else is an error.
FUSION_REFUSED = ("too large for numbers", "uses ranks only", "max divides by it", "leave it out", "has no")


@pytest.mark.parametrize("case", RUNS)
def test_every_fusion_gives_finite_scores_or_says_why_not(case: str) -> None:
    fused = 0
    for method, normalise in itertools.product(rs.fusion.METHODS, (None, *rs.fusion.NORMALISATIONS)):
        settings = {} if normalise is None else {"normalise": normalise}
        try:
            found = rs.fusion.fuse(RUNS[case], method, **settings)
        except rs.RankscopeError as error:
            if not any(word in str(error) for word in FUSION_REFUSED):
                raise
            continue
        fused += 1
        assert np.isfinite(found.frame()["score"].to_numpy()).all(), (method, normalise)
    assert fused > 20


@pytest.mark.parametrize("normalise", ["min-max", "min-max-inverted", "sum", "z-score"])
@pytest.mark.parametrize("power", [-1070, -600, 600, 1015])
def test_a_normalisation_knows_no_unit(normalise: str, power: int) -> None:
    """A list times a power of 2 is normalised to the same numbers, bit for bit."""
    values = [3.0, -1.0, 2.0, 7.0]
    other = scored(1, 5, 2, 3)
    near, far = (
        rs.fusion.fuse([scored(*(v * 2.0**half * 2.0**rest for v in values)), other], "comb-sum", normalise=normalise)
        for half, rest in ((0, 0), (power // 2, power - power // 2))
    )
    assert_same_bits(near.frame(), far.frame())


@pytest.mark.parametrize("method", rs.fusion.TRAINED)
def test_every_fusion_that_learns_takes_such_scores(method: str) -> None:
    qrels = {f"q{i}": {"d1": 1, "d0": 0} for i in range(4)}
    for case in ("the ends of float64", "subnormal", "1e160", "1e-170", "equal"):
        runs = [dict.fromkeys(qrels, run["q"]) for run in RUNS[case]]
        found = rs.fusion.train(qrels, runs, method, folds=3).fuse(runs)
        assert np.isfinite(found.frame()["score"].to_numpy()).all(), case


VOTES_REFUSED = ("so that sums are numbers", "expected equal weights", "never above", "above each other")
VOTES = {
    "a circle": [["A", "B", "C"], ["B", "C", "A"], ["C", "A", "B"]],
    "all tied": [[{"A", "B", "C"}], [{"A", "B", "C"}]],
    "nothing in common": [["A", "B"], ["C", "D"]],
}


@pytest.mark.parametrize("method", rs.consensus.METHODS)
def test_weights_at_both_ends_give_every_method_an_order_or_a_reason(method: str) -> None:
    for votes in VOTES.values():
        n = len(votes) - 1
        for weights in ([1e300] * n + [1e-300], [1e300] * (n + 1), [SMALLEST] * (n + 1), [1e-300] + [1.0] * n):
            try:
                found = rs.consensus.merge_rankings(
                    [[list(one) if isinstance(one, set) else one for one in vote] for vote in votes],
                    method,
                    weights=weights,
                    n_resamples=0,
                    rng=1,
                )
            except rs.RankscopeError as error:
                if not any(word in str(error) for word in VOTES_REFUSED):
                    raise
                continue
            assert sorted(found.order) == sorted({item for vote in votes for one in vote for item in one})


SCORES = {
    "1e30": [1e30, -1e30, 0.0, 5.0, 1e30],
    "equal": [0.0] * 5,
    "equal and large": [1e30] * 5,
    "subnormal": [SMALLEST, 0.0, -SMALLEST, 1e-310, 0.0],
    "one far below": [-1e30, -1e30, -1e30, 0.0, 1.0],
}
GRADES = {
    "usual": [3, 0, 1, 2, 0],
    "all one": [2] * 5,
    "none": [0] * 5,
    "below 0": [-1, -1, 2, 0, 1],
    "30": [30, 0, 29, 5, 0],
    "900": [900, 0, 1, 5, 0],
    "a million": [10**6, 0, 1, 5, 0],
}
LISTS = ([0, 5], [0, 1, 2, 3, 4, 5], [0, 1, 5])
NAMES = [*LOSSES, *(f"lambdarank(measure={m!r})" for m in ("ERR", "AP", "RR", "RBP(p=0.8)")), "lambdaloss(kind='1')"]


@pytest.mark.parametrize("name", NAMES)
def test_every_loss_has_a_value_and_a_gradient_or_refuses_the_grades(name: str) -> None:
    loss = parse_loss(name)
    for scores, grades, offsets in itertools.product(SCORES.values(), GRADES.values(), LISTS):
        relevance = np.array(grades)
        for dtype in (np.float64, np.float32):
            try:
                value, gradient = loss(
                    np.array(scores, dtype), relevance, np.array(offsets), rng=1, max_grade=int(relevance.max())
                )
            except rs.RankscopeError as error:
                if not mentions(error, "judged", 1000000):
                    raise
                continue
            assert np.isfinite(value)
            assert np.isfinite(gradient).all()
            assert gradient.dtype == dtype


def exact_err(grades: list[int], top: int) -> Fraction:
    left, found = Fraction(1), Fraction(0)
    for rank, grade in enumerate(grades, 1):
        stop = Fraction(2 ** max(grade, 0) - 1, 2**top)
        found += left * stop / rank
        left *= 1 - stop
    return found


@pytest.mark.parametrize("grades", [[2, 0, 1, 2], [40, 0, 39, 40, 1], [900, 3, 900, 0, 899], [1, 60, 0, 60]], ids=str)
def test_what_a_swap_does_to_err_is_that_of_fractions(grades: list[int]) -> None:
    """However sure the reader is to stop: differences from 1 lose nothing."""
    qrels = {"q": {f"d{i}": grade for i, grade in enumerate(grades)}}
    run = {"q": {f"d{i}": float(-i) for i in range(len(grades))}}
    hits = rs.hits_of(qrels, run)
    first, second = np.triu_indices(len(grades), 1)
    found = rs.parse_measure("ERR").swap_deltas(hits, first, second)
    top = max(grades)
    for i, j, delta in zip(first.tolist(), second.tolist(), found.tolist(), strict=True):
        swapped = list(grades)
        swapped[i], swapped[j] = swapped[j], swapped[i]
        assert delta == pytest.approx(float(exact_err(swapped, top) - exact_err(grades, top)), rel=1e-9, abs=1e-15)
