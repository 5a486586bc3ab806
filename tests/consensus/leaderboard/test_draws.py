"""Draws of a model: of all parameters together, without going through the votes again, and what is lost."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from helpers.messages import mentions

from rankscope import Preferences, Votes, leaderboard
from rankscope.consensus.leaderboard import LeaderboardSettings
from rankscope.consensus.leaderboard import fit as estimates
from rankscope.consensus.leaderboard.fit import estimate_from_preferences
from rankscope.consensus.models import fit_preferences


def board(data: Any, **options: Any) -> Any:
    return leaderboard(data, **{"rng": 1, "n_resamples": 100, **options})


def test_ratings_effects_and_ties_are_drawn_together() -> None:
    """Whoever writes long answers shares what length does: the covariance of the draws is that of the fit."""
    rng = np.random.default_rng(4)
    left = rng.integers(3, size=900)
    right = (left + rng.integers(1, 3, size=900)) % 3
    x = np.array([1.0, 0.0, -1.0])[left] - np.array([1.0, 0.0, -1.0])[right] + 0.4 * rng.normal(size=900)
    won = np.where(rng.random(900) < 1 / (1 + np.exp(-x)), 1, -1)
    outcome = np.where(rng.random(900) < 0.2, 0, won)
    seen = Preferences(systems=("A", "B", "C"), left=left, right=right, outcome=outcome, covariates={"x": 1000 * x})
    fitted = fit_preferences(seen, model="davidson", covariates=["x"], position=True)
    assert fitted.joint_covariance[:3, :3] == pytest.approx(fitted.covariance)
    assert np.sqrt(np.diagonal(fitted.joint_covariance)[3:]) == pytest.approx(
        [fitted.errors[k] for k in ("x", "position", "ties")]
    )
    settings = LeaderboardSettings(
        model="davidson", covariates=("x",), position=True, interval="information", n_resamples=20_000, seed=1
    )
    found = estimate_from_preferences(seen, settings)
    drawn = np.column_stack([found.abilities, *found.effects.values(), np.log(found.tie)])[1:]
    scale = np.sqrt(np.diagonal(fitted.joint_covariance))
    expected = fitted.joint_covariance / scale / scale[:, None]
    assert abs(expected[0, 3]) > 0.5  # drawn on their own, it would be 0
    assert np.cov((drawn / scale).T) == pytest.approx(expected, abs=0.04)


def test_resamples_that_a_covariate_decides_are_said_to_be_so() -> None:
    rows = [("A", "B", "A"), ("B", "A", "B")] * 6 + [("A", "B", "B"), ("B", "A", "A")] * 6
    x = np.array([1.0, 1.0] * 6 + [-1.0, -1.0] * 6)
    x[0] = -1.0  # one comparison against the others: whatever leaves it out is decided by x
    found = board(Preferences.of(rows, covariates={"x": x}), covariates="x", prior=1)
    assert found.n_lost > 0
    note = next(note for note in found.notes if mentions(note, found.n_lost, 100))
    assert "'x' decides" in note
    assert "a prior would" not in note
    assert mentions(found.notes, "prior", 1)


def test_votes_are_made_ready_once_for_all_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fit to a resample of thousands of votes must not go through all of them again."""
    made = []
    ready = estimates.LuceModel.of
    monkeypatch.setattr(estimates.LuceModel, "of", lambda *given: made.append(1) or ready(*given))
    monkeypatch.setattr("rankscope.consensus.models.plackett_luce.slope", None)  # sums over all votes
    monkeypatch.setattr(estimates, "LONG", 0)  # whether the model fits is seen from votes that are drawn anew
    rows = [["A", "B"], ["B", "A"], ["C", "A"], ["A", "C"], ["B", "C"], ["C", "B"]]
    found = board(Votes.of(rows * 20, items=list("ABC")), model="plackett-luce")
    assert (len(made), found.n_lost) == (1, 0)
