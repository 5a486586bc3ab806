"""How a leaderboard tells of effects: by steps that mean something, with digits that count."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from helpers.messages import mentions

from rankscope import Preferences, leaderboard
from rankscope.consensus.leaderboard.result import Effect
from rankscope.consensus.leaderboard.view import format_odds, format_rating


def board(data: Any, **options: Any) -> Any:
    return leaderboard(data, **{"rng": 1, "n_resamples": 100, **options})


def lengthy(scale: float) -> Preferences:
    """A and B are equal; one standard deviation more in length multiplies the odds by about e."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=600)
    won = rng.random(600) < 1 / (1 + np.exp(-x))
    zero = np.zeros(600, np.int64)
    return Preferences(
        systems=("A", "B"), left=zero, right=zero + 1, outcome=np.where(won, 1, -1), covariates={"length": scale * x}
    )


@pytest.mark.parametrize(("scale", "step"), [(1.0, "1"), (130.0, "100"), (4000.0, "1,000"), (0.02, "0.01")])
def test_effects_are_told_by_a_step_that_is_about_a_standard_deviation(scale: float, step: str) -> None:
    found = board(lengthy(scale), covariates="length", interval="information", n_resamples=400)
    effect = found.effects[0]
    assert effect.step == float(step.replace(",", ""))
    odds = np.exp(effect.value * effect.step)
    assert mentions(
        found.sections()[2].sentence,
        f"increase of {step} in length",
        "left",
        "raises the left system's odds",
        f"{odds:.2f}",
    )
    assert board(lengthy(1.0), covariates="length").effects[0].value == pytest.approx(effect.value * scale)


def test_last_bits_of_a_fit_do_not_decide_how_a_rating_is_rounded() -> None:
    """A wins 47 of 80 comparisons with B, which are 58.75 of 100."""
    pairs = np.zeros(80, np.int64)
    won = np.where(np.arange(80) < 47, 1, -1)
    data = Preferences(systems=("A", "B"), left=pairs, right=pairs + 1, outcome=won, covariates={})
    found = board(data, scale="wins", interval="information")
    assert found.rating[0] == pytest.approx(58.75, rel=1e-12)
    assert {format_rating(found, x) for x in (found.rating[0], *(58.75 + 1e-13 * i for i in range(-5, 6)))} == {"58.8"}


def test_a_small_effect_keeps_digits_that_count() -> None:
    one = Effect("length", 0.00042, 0.00031, 0.00053, step=1.0)
    assert format_odds(one) == ["1.00042", "1.00031", "1.00053"]
    assert format_odds(Effect("length", 3.0, 1.0, 1e5)) == ["20.09", "2.72", "1e+304"]
