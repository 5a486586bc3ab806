"""Whether there is a maximum where covariates or ties may separate outcomes: not by rounding, but by the data."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from helpers.messages import mentions
from helpers.paths import TESTS
from helpers.properties import examples
from hypothesis import given
from hypothesis import strategies as st
from jobs import machines
from scipy.optimize import Bounds, LinearConstraint, milp

import rankscope as rs
from rankscope import Preferences, Votes, leaderboard
from rankscope.consensus.models import fit_preferences
from rankscope.consensus.models.bradley_terry_likelihood import contexts_of
from rankscope.errors import InputError, ParameterError

Floats = npt.NDArray[np.float64]

ARENA = TESTS / "golden" / "collection" / "arena.csv"


def has_maximum(contexts: Any, seen: npt.NDArray[np.bool_], *, davidson: bool, prior: float) -> bool:
    """Of the cells that were seen: by a linear programme, from the definition of a direction that separates.

    Going along a direction, no outcome that was seen becomes less likely than another: a >= 0 for each row. There is no
    maximum where some direction makes one of these greater than 0, and no single one where one leaves all at 0.
    """
    pairs = np.zeros((contexts.first.size, contexts.n))
    pairs[np.arange(contexts.first.size), contexts.first] = 1
    pairs[np.arange(contexts.first.size), contexts.second] -= 1
    moves = contexts.x if prior else np.column_stack([pairs[:, 1:], contexts.x])
    outcome = contexts.outcome[seen]
    moves = moves[contexts.context[seen]]
    if davidson and not outcome.any():
        return False
    tied = davidson and not outcome.all()
    if tied:  # the last parameter: twice log nu against the log-odds
        moves = np.column_stack([moves, np.zeros(outcome.size)])
    twice = 2 * np.eye(moves.shape[1])[-1] if tied else np.zeros(moves.shape[1])
    rows: list[Floats] = []
    for move, o in zip(moves, outcome, strict=True):
        rows += [twice - move, twice + move] if o == 0 else [o * move, o * move - twice]
    table = np.unique(np.array(rows), axis=0)
    if not table.shape[1]:
        return True
    if np.linalg.matrix_rank(table) < table.shape[1]:
        return False
    found = milp(-table.sum(axis=0), constraints=LinearConstraint(table, 0, 1), bounds=Bounds(-np.inf, np.inf))
    assert found.status == 0
    return bool(-found.fun < 0.5)  # 0, or at least 1


@st.composite
def comparisons(draw: st.DrawFn) -> Preferences:
    n, k = draw(st.integers(2, 4)), draw(st.integers(1, 2))
    place, value = st.integers(0, n - 1), st.integers(-3, 3)
    rows = draw(st.lists(st.tuples(place, place, st.integers(-1, 1), value, value), min_size=1, max_size=14))
    rows = [row for row in rows if row[0] != row[1]] or [(0, 1, 1, 1, 0)]
    left, right, outcome, *x = np.array(rows).T
    named = {f"x{j}": x[j].astype(np.float64) for j in range(k)}
    return Preferences(systems=tuple("abcd"[:n]), left=left, right=right, outcome=outcome, covariates=named)


@examples(150)
@given(comparisons(), st.sampled_from(["bradley-terry", "davidson"]), st.booleans(), st.sampled_from([0.0, 1.0]))
def test_a_fit_is_refused_just_where_a_direction_separates(
    seen: Preferences, model: str, position: bool, prior: float
) -> None:
    names = list(seen.covariates)
    contexts = contexts_of(seen, names, position)
    exists = has_maximum(contexts, np.ones(contexts.outcome.size, bool), davidson=model == "davidson", prior=prior)
    try:
        found = fit_preferences(seen, model=model, covariates=names, position=position, prior=prior)
    except InputError:
        assert not exists
    else:
        assert exists
        assert all(np.isfinite(values).all() for values in found.effects.values())
        assert (np.array(list(found.errors.values())) > 0).all()


@pytest.mark.parametrize("model", ["bradley-terry", "davidson"])
def test_resamples_are_left_out_just_where_a_direction_separates(model: str) -> None:
    seen = rs.read_preferences(ARENA, covariates=["words"])
    found = fit_preferences(seen, model=model, covariates=["words"], prior=1, n_resamples=200, rng=0)
    contexts = contexts_of(seen, ["words"])
    drawn = contexts.resampled(200, np.random.default_rng(0)).cells.T > 0
    exist = [has_maximum(contexts, row, davidson=model == "davidson", prior=1) for row in drawn]
    assert 0 < found.n_lost == 200 - sum(exist)


def words(factor: float = 1.0, order: Any = None) -> Preferences:
    rows = list(csv.DictReader(ARENA.read_text(encoding="utf-8").splitlines()))
    rows = rows if order is None else [rows[i] for i in order]
    ends = {"model_a": "model_a", "model_b": "model_b"}
    triples = [(r["model_a"], r["model_b"], r[ends[r["winner"]]] if r["winner"] in ends else "tie") for r in rows]
    longer = np.array([float(r["words_a"]) - float(r["words_b"]) for r in rows])
    return Preferences.of(triples, covariates={"words": factor * longer})


@pytest.mark.parametrize("factor", [1e-70, 1e-6, 1e6, 1e70])
@pytest.mark.parametrize("model", ["bradley-terry", "davidson"])
def test_the_unit_of_a_covariate_changes_nothing_but_that_of_its_effect(factor: float, model: str) -> None:
    options: dict[str, Any] = {"model": model, "covariates": ["words"], "prior": 1, "n_resamples": 200, "rng": 0}
    one, other = (fit_preferences(words(f), **options) for f in (1.0, factor))
    assert other.n_lost == one.n_lost > 0
    assert other.ratings == pytest.approx(one.ratings, abs=1e-8)
    assert other.effects["words"] * factor == pytest.approx(one.effects["words"], rel=1e-8)
    assert other.errors["words"] * factor == pytest.approx(one.errors["words"], rel=1e-8)
    assert other.notes == one.notes


def test_the_order_of_comparisons_changes_nothing() -> None:
    order = np.random.default_rng(1).permutation(16)
    one, other = (
        fit_preferences(words(order=o), model="davidson", covariates=["words"], prior=1) for o in (None, order)
    )
    place = [other.systems.index(name) for name in one.systems]
    assert other.ratings[:, place] == pytest.approx(one.ratings, abs=1e-10)
    assert other.effects["words"] == pytest.approx(one.effects["words"], rel=1e-10)
    assert other.tie_parameter == pytest.approx(one.tie_parameter, abs=1e-10)


DECIDED = [("A", "B", "A"), ("B", "A", "A"), ("A", "B", "B"), ("B", "A", "B")]


@pytest.mark.parametrize("prior", [0.0, 1.0])
@pytest.mark.parametrize("model", ["bradley-terry", "davidson"])
def test_a_covariate_that_decides_every_comparison_is_refused(prior: float, model: str) -> None:
    x = {"x": np.array([1.0, -2.0, -3.0, 4.0])}  # the side with more of it wins
    with pytest.raises(InputError, match="'x' may decide"):
        fit_preferences(Preferences.of(DECIDED, covariates=x), model=model, covariates=["x"], prior=prior)


def test_ties_and_a_covariate_may_decide_together() -> None:
    """Wins lie at 2 or more of x and ties at less: with both parameters without bound all becomes certain."""
    rows = [*DECIDED, ("A", "B", "tie"), ("B", "A", "tie")]
    apart, mixed = ({"x": np.array([2.0, -2.0, -3.0, 4.0, tie, -tie])} for tie in (1.0, 2.5))
    options: dict[str, Any] = {"model": "davidson", "covariates": ["x"], "prior": 1}
    with pytest.raises(InputError, match="'x' may decide"):
        fit_preferences(Preferences.of(rows, covariates=apart), **options)
    assert np.isfinite(fit_preferences(Preferences.of(rows, covariates=mixed), **options).effects["x"][0])
    # Half wins of ties hold the effect, since a tie at x other than 0 is a loss of the side with more.
    assert fit_preferences(Preferences.of(rows, covariates=apart), covariates=["x"], prior=1).effects["x"][0] > 0


@pytest.mark.parametrize("least", [1e-1, 1e-2, 1e-3])
def test_what_only_just_does_not_separate_has_its_far_maximum(least: float) -> None:
    """Two lose in spite of a little more of x: there the derivative is 0, x times what was won less what was likely."""
    x = np.array([1.0, -1.0, -1.0, 1.0, least, least])
    rows = [*DECIDED, ("A", "B", "B"), ("B", "A", "A")]
    found = fit_preferences(Preferences.of(rows, covariates={"x": x}), covariates=["x"], prior=1)
    effect, gap = found.effects["x"][0], found.ratings[0, 0] - found.ratings[0, 1]
    eta = np.array([gap if left == "A" else -gap for left, _, _ in rows]) + effect * x
    won = np.array([left == winner for left, _, winner in rows])
    assert x @ (won - 1 / (1 + np.exp(-eta))) == pytest.approx(0, abs=1e-9)
    assert effect == pytest.approx(np.log(4 / least), rel=0.2)  # four wins pull by e^-effect, two losses by least / 2


def test_ties_alone_have_no_most_likely_number_of_them() -> None:
    """With a prior, too: a resample of them is left out, and no walk is begun."""
    rows = [("A", "B", "tie")] * 5 + [("A", "B", "A")]
    found = fit_preferences(Preferences.of(rows), model="davidson", prior=1, n_resamples=400, rng=1)
    assert found.n_lost == pytest.approx(400 * (5 / 6) ** 6, abs=40)
    assert np.isfinite(found.ratings).all()
    assert mentions(found.notes[-1], found.n_lost, 400, "decided")


@pytest.mark.parametrize("model", ["bradley-terry", "davidson"])
@pytest.mark.parametrize("interval", ["bootstrap", "information"])
@pytest.mark.parametrize(("first", "prior"), [(0, 1e-6), (4, 1.0), (8, 1e6)])
def test_few_comparisons_give_a_leaderboard_or_an_error_of_ours(
    model: str, interval: str, first: int, prior: float
) -> None:
    """Any warning of NumPy's is an error in these tests. Each prior has four of twelve samples."""
    for seed in range(first, first + 4):
        rng = np.random.default_rng(seed)
        left = rng.integers(3, size=7)
        seen = Preferences(
            systems=("A", "B", "C"),
            left=left,
            right=(left + rng.integers(1, 3, size=7)) % 3,
            outcome=rng.integers(-1, 2, size=7),
            weight=rng.choice([1e-9, 1.0, 1e9], size=7) if seed % 2 else np.ones(7),
            covariates={"x": rng.normal(size=7) * 10.0 ** rng.integers(-9, 10)},
        )
        try:
            found = leaderboard(
                seen, model=model, covariates="x", position=bool(seed % 3), prior=prior, interval=interval, rng=1,
                n_resamples=40,
            )  # fmt: skip
        except InputError:
            continue
        assert np.isfinite(found.rating).all()


def test_sizes_that_cannot_be_computed_with_are_refused() -> None:
    rows = [*DECIDED, ("A", "B", "B")]
    x = np.array([1.0, -1.0, 2.0, 1.0, 3.0])
    with pytest.raises(InputError, match=r"'x'.* 3e\+100"):
        fit_preferences(Preferences.of(rows, covariates={"x": 1e100 * x}), covariates=["x"])
    with pytest.raises(InputError, match=r"\bweights\b.* 1e-200"):
        fit_preferences(Preferences.of(rows, weight=np.full(5, 1e-200)))
    with pytest.raises(ParameterError, match=r"\bprior\b.* 1e\+200"):
        fit_preferences(Preferences.of(rows), prior=1e200)
    with pytest.raises(InputError, match=r"\bprior\b.* 1e-12"):
        fit_preferences(Preferences.of([("A", "B", "A")] * 5), prior=1e-12)


def test_all_weights_may_be_of_any_size() -> None:
    rows = [*DECIDED, ("A", "B", "A")]
    one, great = (
        fit_preferences(Preferences.of(rows, weight=np.full(5, size)), prior=size, n_resamples=30, rng=1)
        for size in (1.0, 1e200)
    )
    assert great.ratings == pytest.approx(one.ratings, rel=1e-9)
    assert great.covariance * 1e200 == pytest.approx(one.covariance, rel=1e-9)
    assert great.loglikelihood / 1e200 == pytest.approx(one.loglikelihood, rel=1e-9)


def test_a_prior_that_is_next_to_nothing_holds_no_worths() -> None:
    first = Votes.of([["A", "B"]] * 4)
    with pytest.raises(InputError, match=r"\bprior\b"):
        leaderboard(first, model="plackett-luce", prior=1e-12)
    assert np.isfinite(leaderboard(first, model="plackett-luce", prior=1e-3, rng=1, n_resamples=30).rating).all()
    huge = Votes.of([["A", "B"], ["B", "A"], ["A", "B"]], weights=[1e-250, 1.0, 1e200])
    with pytest.raises(InputError, match=r"\bprior\b"):
        leaderboard(huge, model="plackett-luce")
    assert rs.consensus.PlackettLuce(prior=1e200).order(huge).order == ("A", "B")


CODE = """
import json, sys
import rankscope as rs
found = rs.leaderboard(sys.argv[1], model="davidson", covariates=["words"], prior=1, rng=4)
effect, ties = found.effects[0], found.tie
print(json.dumps([found.n_lost, *found.low, *found.high, effect.low, effect.high, ties.low, ties.high]))
"""


def test_other_processors_leave_the_same_resamples_out() -> None:
    """Which kernels OpenBLAS takes, and NumPy, decided once between 62, 63 and 64."""
    without = machines.settings()["numpy-without-v3"] or {}
    answers = []
    for settings_of_processor in (
        {"OPENBLAS_CORETYPE": "Haswell"},
        {"OPENBLAS_CORETYPE": "Prescott"},
        {"OPENBLAS_CORETYPE": "Sandybridge", **without},
    ):
        run = subprocess.run(
            [sys.executable, "-W", "error", "-c", CODE, str(ARENA)],
            env={**os.environ, **settings_of_processor},
            capture_output=True,
            text=True,
            check=True,
        )
        answers.append(json.loads(run.stdout))
    assert answers[0][0] == 64
    for answer in answers[1:]:
        assert answer == pytest.approx(answers[0], rel=1e-9)
