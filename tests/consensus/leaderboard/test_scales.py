"""Log-abilities as odds, as ratings on Elo's scale, as shares of comparisons won."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscope.consensus.leaderboard.fit import expected_shares, on_scale, win_shares

abilities = st.lists(st.floats(-40, 40), min_size=2, max_size=6).map(np.array)
ties = st.floats(0, 50)


def test_odds_of_three_to_one_are_three_wins_of_four() -> None:
    found = win_shares(np.log([3.0, 1.0]))
    assert found[0, 1] == pytest.approx(3 / (3 + 1))
    assert found[1, 0] == pytest.approx(1 / (3 + 1))


def test_a_tie_of_davidson_is_half_a_win() -> None:
    # a = 4, b = 1, nu = 2: P(win) = 4 / (4 + 1 + 2 sqrt(4)), P(tie) = 2 sqrt(4) / 9
    found = win_shares(np.log([4.0, 1.0]), 2.0)
    assert found[0, 1] == pytest.approx(4 / 9 + (2 * 2 / 9) / 2)


@given(abilities, ties)
def test_what_one_wins_the_other_loses_and_nobody_beats_himself(abilities: np.ndarray, tie: float) -> None:
    found = win_shares(abilities, tie)
    assert found + found.T == pytest.approx(np.ones(found.shape))
    assert np.diag(found) == pytest.approx(0.5)
    assert (found >= 0).all()


@given(abilities, ties)
def test_expected_shares_are_the_means_over_the_others(abilities: np.ndarray, tie: float) -> None:
    n = abilities.size
    a = np.exp(abilities)
    naive = []
    for i in range(n):
        of = 0.0
        for j in range(n):
            if i != j:
                even = tie * np.sqrt(a[i] * a[j])
                of += (a[i] + even / 2) / (a[i] + a[j] + even)
        naive.append(of / (n - 1))
    assert expected_shares(abilities, tie) == pytest.approx(np.array(naive), abs=1e-12)
    assert expected_shares(abilities, tie).mean() == pytest.approx(0.5)


def test_many_draws_at_once_are_each_by_itself() -> None:
    rng = np.random.default_rng(3)
    draws, tie = rng.normal(size=(30, 300)), rng.random(30)
    one_by_one = [expected_shares(row, t) for row, t in zip(draws, tie, strict=True)]
    assert expected_shares(draws, tie) == pytest.approx(np.array(one_by_one), abs=1e-13)


def test_four_hundred_points_are_odds_of_ten_to_one_and_the_mean_is_a_thousand() -> None:
    half = np.log(10) / 2
    assert on_scale(np.array([half, -half]), "elo") == pytest.approx([1000 + 200, 1000 - 200])
    assert on_scale(np.array([half, -half]), "log") == pytest.approx([half, -half])
    assert on_scale(np.array([half, -half]), "wins") == pytest.approx([100 * 10 / 11, 100 * 1 / 11])


def test_abilities_beyond_floats_win_all_or_nothing() -> None:
    assert win_shares(np.array([5000.0, -5000.0]), 1.0)[0].tolist() == [0.5, 1.0]
